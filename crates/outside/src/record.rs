//! The result of a game in a log, and the replay of a logged game, for which no referee is needed.

use std::any::Any;
use std::fmt::Write;
use std::sync::Mutex;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::{
    AgentMove, AnyState, Asking, Meaning, SET_UP, Studied, Studying, Told,
};
use turnwise_engine::table::Action;
use turnwise_engine::view::{Grid, View};
use turnwise_engine::words::printable_lines;

use crate::manifest::{Manifest, Scores};
use crate::table::{Move, Texts, checksum, locked};

/// The ending of a game that was lost by a fault.
pub(crate) const FAULT: &str = "a fault";

/// The field that replaces a result which does not belong to the moves before it.
const DAMAGED: &str = "damaged";

/// The maximum size of the views in a log, in bytes of JSON. A line of a log can have 4 MiB.
const MOST_OF_VIEWS: usize = 2 << 20;

/// The result of a game as a log stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The score of each side.
    pub scores: Vec<f64>,
    pub ending: String,
    /// The number of random values that the referee used. They follow from the seed.
    pub draws: u64,
    /// The side of each move.
    pub turns: Vec<usize>,
    /// A checksum of the moves, which shows that a log was damaged.
    pub checksum: String,
    /// The position in which the game was set up, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_up: Option<String>,
    /// How the game began, from which its referee can play it again; `None` in logs of early versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Begun>,
    /// The spectators' views, the first before the first move. Views at the end are missing if they are too large.
    #[serde(default)]
    pub views: Vec<View>,
}

/// How a game began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Begun {
    pub seed: u64,
    pub seats: usize,
    /// The seat of the first side.
    pub shift: usize,
    /// True if the game is not over yet. Logs contain only games that are over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_running: bool,
}

impl Record {
    /// Returns the fields of a log. Views contain only what differs from an empty view.
    pub fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.push("scores", self.scores.clone());
        fields.push("ending", self.ending.clone());
        fields.push("draws", self.draws);
        fields.push("turns", self.turns.clone());
        fields.push("checksum", self.checksum.clone());
        if let Some(position) = &self.set_up {
            fields.push(SET_UP, position.clone());
        }
        if let Some(begun) = &self.begun {
            let begun = serde_json::to_value(begun).expect("numbers are JSON");
            fields.push("begun", begun);
        }
        let mut size = 0;
        let views = self.views.iter().map(compact).take_while(|view| {
            size += view.to_string().len();
            size <= MOST_OF_VIEWS
        });
        fields.push("views", views.collect::<Vec<Value>>());
        fields
    }
}

/// Returns a spectators' view as JSON without choices and without empty members.
fn compact(view: &View) -> Value {
    fn without_empty(value: &mut Value) {
        let is_empty = |value: &Value| match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        match value {
            Value::Object(members) => {
                members.values_mut().for_each(without_empty);
                members.retain(|_, value| !is_empty(value));
            }
            Value::Array(items) => items.iter_mut().for_each(without_empty),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(view).expect("a view is JSON");
    if let Value::Object(members) = &mut value {
        members.remove("choices");
    }
    without_empty(&mut value);
    value
}

/// Interprets the result of a logged game. The error names an impossible value.
pub(crate) fn meaning(manifest: &Manifest, result: &Fields) -> Result<Meaning, String> {
    let Record { scores, ending, .. } = read(manifest, result)?;
    let score = score_of_first(&scores, manifest.scoring);
    if let ([first, second], Scores::Win) = (&scores[..], manifest.scoring) {
        let is_won_on_board = first != second && ending != FAULT;
        let ending = match ending.as_str() {
            "" => "the game is over".to_owned(),
            _ => ending,
        };
        return Meaning::won(score, ending, is_won_on_board);
    }
    let is_table = scores.len() > 2;
    Ok(Meaning {
        ending: (!ending.is_empty()).then(|| ending.into()),
        won: if is_table { scores } else { Vec::new() },
        ..Meaning::points(score)
    })
}

/// Returns the score of a game for the first side, given the scores of all sides.
pub(crate) fn score_of_first(scores: &[f64], scoring: Scores) -> f64 {
    match (scores, scoring) {
        ([first, second], Scores::Points) => first - second,
        _ => scores[0],
    }
}

/// Returns how the game with this result began, if the result says so.
pub(crate) fn begun(result: &Fields) -> Option<Begun> {
    serde_json::from_value(result.get("begun")?.clone()).ok()
}

/// Reads and checks the result of a logged game.
fn read(manifest: &Manifest, result: &Fields) -> Result<Record, String> {
    if let Some(Value::String(why)) = result.get(DAMAGED) {
        return Err(why.clone());
    }
    let record: Record = result.read().map_err(|error| error.to_string())?;
    let seats = record.scores.len();
    if seats < 2 || seats > manifest.seats.most() {
        return Err(format!("scores of {seats} seats"));
    }
    if let Some(why) = manifest.wrong_scores(&record.scores) {
        return Err(why);
    }
    if record.turns.iter().any(|&side| side >= seats) {
        return Err("a move of a seat that does not exist".to_owned());
    }
    Ok(record)
}

/// A logged game, replayed up to a position.
pub(crate) struct Replay {
    record: Record,
    moves: Vec<Move>,
    /// The number of turns so far, including turns in which a player was put out.
    turn: usize,
    texts: Mutex<Texts>,
}

impl Replay {
    pub fn new(manifest: &Manifest, result: &Fields) -> Result<Self, String> {
        Ok(Self {
            record: read(manifest, result)?,
            moves: Vec::new(),
            turn: 0,
            texts: Mutex::default(),
        })
    }

    /// Returns the view of the present position, or the last view in the log.
    fn present(&self) -> View {
        let views = &self.record.views;
        let view = views.get(self.turn).or(views.last());
        view.cloned().unwrap_or_default()
    }

    fn letters(&self, turn: usize) -> Vec<char> {
        let grid = (self.record.views.get(turn)).and_then(|view| view.grid.as_ref());
        grid.map(|grid| grid.letters.chars().collect())
            .unwrap_or_default()
    }
}

impl AnyState for Replay {
    fn turn(&mut self) -> Option<usize> {
        self.record.turns.get(self.turn).copied()
    }

    fn plies_left(&self) -> u32 {
        (self.record.turns.len() - self.turn) as u32
    }

    fn legal_moves(&self) -> Vec<u64> {
        Vec::new()
    }

    fn is_legal(&self, _code: u64) -> bool {
        // Only the referee knows. The checksum shows whether the referee accepted these moves.
        self.turn < self.record.turns.len()
    }

    fn objection(&self, _code: u64) -> String {
        "the logged game is over".to_owned()
    }

    fn apply(&mut self, code: u64) {
        self.moves.extend(Move::of_code(code));
        self.turn += 1;
    }

    fn put_out(&mut self) -> bool {
        self.turn += 1;
        true
    }

    fn notation(&self, code: u64) -> String {
        let mv = Move::of_code(code).expect("a code of this game");
        locked(&self.texts).text(mv).to_owned()
    }

    fn parse(&self, text: &str) -> Result<u64, String> {
        locked(&self.texts).parse(text).map(Action::code)
    }

    /// Compares the boards before and after the logged move.
    fn cells(&self, _code: u64) -> [Option<usize>; 2] {
        let (before, after) = (self.letters(self.turn), self.letters(self.turn + 1));
        if before.len() != after.len() {
            return [None, None];
        }
        let changed = (0..before.len()).filter(|&cell| before[cell] != after[cell]);
        let (empty, full): (Vec<usize>, Vec<usize>) = changed.partition(|&cell| after[cell] == ' ');
        match (&empty[..], &full[..]) {
            ([], [to]) => [None, Some(*to)],
            ([from], [to]) => [Some(*from), Some(*to)],
            _ => [None, None],
        }
    }

    fn seen_by(&self, _side: usize) -> &dyn Any {
        &()
    }

    fn copy_for(&self, _side: usize) -> Box<dyn Any> {
        Box::new(())
    }

    fn view(&mut self, _viewer: Option<usize>) -> View {
        self.present()
    }

    fn grid(&self) -> Grid {
        self.present().grid.unwrap_or_default()
    }

    fn drawing(&self, _coloured: bool) -> String {
        drawing(&self.present())
    }

    fn budget(&self, _time: TimeControl, left: Duration) -> (Duration, Duration) {
        (left, left)
    }

    fn ask(&mut self, _asking: Asking) -> Result<AgentMove, String> {
        Err("a logged game of this kind cannot be continued".to_owned())
    }

    fn study(&mut self, _how: &Studying, _told: Told) -> Option<Studied> {
        None
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        let texts = locked(&self.texts);
        let is_sound = self.record.checksum
            == checksum(self.moves.iter().map(|&mv| texts.text(mv)))
            && at_fault.is_some() == (self.record.ending == FAULT);
        if is_sound {
            return self.record.fields();
        }
        let mut fields = Fields::default();
        fields.push(DAMAGED, "its moves are not those that the referee accepted");
        fields
    }
}

/// Returns a view as text for a terminal: the board, the cards and the facts, without control characters.
pub(crate) fn drawing(view: &View) -> String {
    let mut text = view.grid.as_ref().map(Grid::to_string).unwrap_or_default();
    for panel in &view.panels {
        let cards: Vec<&str> = panel.cards.iter().map(|card| card.name.as_str()).collect();
        let _ = writeln!(text, "{}: {}", panel.title, cards.join(", "));
    }
    for fact in &view.facts {
        let _ = writeln!(text, "{}: {}", fact.name, fact.value);
    }
    printable_lines(&text)
}
