//! The state of a running game whose rules are a referee's.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use turnwise_engine::clock::{MovesLeft, TimeLeft};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::{AgentMove, AnyState, Asking, RulesError, Studied, Studying, Told};
use turnwise_engine::table::Action;
use turnwise_engine::view::{Grid, View};

use crate::agents::{self, Seen};
use crate::manifest::Scores;
use crate::record::{Begun, FAULT, Record, drawing};
use crate::referee::{Moves, Position, Status, Views};
use crate::table::{Move, Table, checksum, locked};

/// The range of the number of own moves for which an agent divides its time. The real number is unknown.
const FEWEST_MOVES: f64 = 2.0;
const MOST_MOVES: f64 = 25.0;

/// A running game.
pub(crate) struct Live {
    table: Arc<Table>,
    /// The positions as the players see them, one for each side.
    seen: Vec<Seen>,
    /// The event that the game waits for; `None` if the referee failed.
    status: Option<Status>,
    /// The side of each move so far, and the moves.
    turns: Vec<usize>,
    moves: Vec<Move>,
    /// The answer of the referee to the last move that was tried.
    tried: RefCell<Option<Tried>>,
    /// The spectators' view of the present position, if it has been requested.
    shown: RefCell<Option<View>>,
}

/// A move that was sent to the referee. If it is legal, the referee has already played it.
struct Tried {
    mv: Move,
    answer: Result<Status, String>,
    /// The move in the notation of logs.
    notation: Move,
}

impl Live {
    /// Creates the state of a game that has begun. Side `s` has seat `s + shift`, modulo the number of seats.
    pub fn new(table: Arc<Table>, begun: Option<Status>, shift: usize) -> Self {
        let seats = table.start.seats;
        let greetings = match &begun {
            Some(Status::ToMove { greetings, .. }) => greetings.clone(),
            _ => Vec::new(),
        };
        let seen = (0..seats).map(|side| {
            let seat = (side + shift) % seats;
            let greeting = greetings.get(seat).cloned().unwrap_or_default();
            Seen::new(table.clone(), seat, greeting)
        });
        let mut live = Self {
            seen: seen.collect(),
            table,
            status: None,
            turns: Vec::new(),
            moves: Vec::new(),
            tried: RefCell::default(),
            shown: RefCell::default(),
        };
        live.enter(begun);
        live
    }

    /// Sets the event that the game waits for.
    fn enter(&mut self, status: Option<Status>) {
        *self.shown.get_mut() = None;
        if let Some(Status::ToMove { seat, lines, .. }) = &status {
            let asked = self.seen.iter_mut().find(|seen| seen.seat == *seat);
            asked.expect("every seat is a side's").question = lines.clone();
        }
        self.status = status;
    }

    fn side_of(&self, seat: usize) -> Option<usize> {
        self.seen.iter().position(|seen| seen.seat == seat)
    }

    /// Sends a move to the referee, unless it was the last one sent.
    fn attempt(&self, mv: Move) {
        let is_known = |tried: &Tried| tried.mv == mv;
        if self.tried.borrow().as_ref().is_some_and(is_known) {
            return;
        }
        let Some(Status::ToMove { seat, .. }) = self.status else {
            return;
        };
        if self.take_back().is_none() {
            return;
        }
        let text = locked(&self.table.texts).text(mv).to_owned();
        let tried = self.table.play(seat, &text).map(|played| {
            if let (Err(why), true) = (&played, *locked(&self.table.listed) == Some(mv)) {
                let why = format!("it listed {text:?} as legal, but rejects it: {why}");
                self.table.contradict(why);
            }
            let (answer, notation) = match played {
                Ok((status, notation)) => (Ok(status), notation),
                Err(why) => (Err(why), None),
            };
            let notation = notation.and_then(|text| self.table.own_move(&text));
            Tried {
                mv,
                answer,
                notation: notation.unwrap_or(mv),
            }
        });
        self.tried.replace(tried);
    }

    /// Takes back a legal move that was tried but not made, because it came too late or was only a question. Returns
    /// `None` if the referee failed.
    fn take_back(&self) -> Option<()> {
        match self.tried.take() {
            Some(Tried { answer: Ok(_), .. }) => self.table.undo(),
            _ => Some(()),
        }
    }

    /// Returns the spectators' view of the present position, without choices.
    fn public(&self) -> View {
        let mut shown = self.shown.borrow_mut();
        let view = shown.get_or_insert_with(|| {
            let view = self.table.query("view", json!({"seat": null}));
            view.unwrap_or_else(no_view)
        });
        view.clone()
    }

    /// Returns the scores of a game that ended by the fault of a side: that side gets the lowest score.
    fn scores_after_fault(&self, side: usize) -> Vec<f64> {
        let manifest = &self.table.start.manifest;
        let [lowest, highest] = manifest.points;
        let others = self.seen.len() - 1;
        let other = match (manifest.scoring, others) {
            (_, 1) => highest,
            (Scores::Win, others) => 1.0 / others as f64,
            // Nobody knows how the game would have ended for them.
            (Scores::Points, _) => f64::midpoint(lowest, highest),
        };
        let of = |at: usize| if at == side { lowest } else { other };
        (0..self.seen.len()).map(of).collect()
    }
}

impl AnyState for Live {
    fn turn(&mut self) -> Option<usize> {
        match self.status {
            Some(Status::ToMove { seat, .. }) if self.failure().is_none() => self.side_of(seat),
            _ => None,
        }
    }

    fn plies_left(&self) -> u32 {
        let longest = self.table.start.manifest.longest;
        longest.saturating_sub(self.moves.len() as u32).max(1)
    }

    fn legal_moves(&self) -> Vec<u64> {
        let listed: Option<Moves> = self.table.query("moves", json!({}));
        let moves = listed.map(|listed| listed.moves).unwrap_or_default();
        let moves = moves.iter().filter_map(|text| self.table.own_move(text));
        moves.map(Action::code).collect()
    }

    fn is_legal(&self, code: u64) -> bool {
        self.attempt(code_to_move(code));
        let tried = self.tried.borrow();
        tried.as_ref().is_some_and(|tried| tried.answer.is_ok())
    }

    fn objection(&self, code: u64) -> String {
        self.attempt(code_to_move(code));
        match self.tried.borrow().as_ref().map(|tried| &tried.answer) {
            Some(Err(why)) => why.clone(),
            _ => self
                .failure()
                .map_or_else(String::new, |failure| failure.to_string()),
        }
    }

    fn apply(&mut self, code: u64) {
        self.attempt(code_to_move(code));
        let side = self.turn();
        match self.tried.take() {
            Some(Tried {
                answer: Ok(status),
                notation,
                ..
            }) => {
                self.turns.extend(side);
                self.moves.push(notation);
                if self.moves.len() as u32 > self.table.start.manifest.longest {
                    let longest = self.table.start.manifest.longest;
                    let why = format!("expected the end of the game after at most {longest} moves");
                    self.table.contradict(why);
                }
                self.enter(Some(status).filter(|_| self.table.failure().is_none()));
            }
            Some(Tried {
                answer: Err(why), ..
            }) => {
                self.table
                    .contradict(format!("it rejects a move that it listed as legal: {why}"));
                self.enter(None);
            }
            None => self.enter(None),
        }
    }

    fn put_out(&mut self) -> bool {
        let Some(Status::ToMove { seat, .. }) = self.status else {
            return false;
        };
        if self.seen.len() == 2 || !self.table.can("out") {
            return false;
        }
        if self.take_back().is_none() {
            return false;
        }
        self.turns.extend(self.side_of(seat));
        let status = self.table.put_out(seat);
        self.enter(status);
        true
    }

    fn notation(&self, code: u64) -> String {
        let mv = code_to_move(code);
        let tried = self.tried.borrow();
        let notation = tried.as_ref().filter(|tried| tried.mv == mv);
        let notation = notation.map_or(mv, |tried| tried.notation);
        locked(&self.table.texts).text(notation).to_owned()
    }

    fn parse(&self, text: &str) -> Result<u64, String> {
        locked(&self.table.texts).parse(text).map(Action::code)
    }

    fn cells(&self, code: u64) -> [Option<usize>; 2] {
        let Some(Status::ToMove { seat, .. }) = self.status else {
            return [None, None];
        };
        let view: Option<View> = self.table.query("view", json!({"seat": seat}));
        let notation = self.notation(code);
        let choices = view.into_iter().flat_map(|view| view.choices);
        let choice = choices
            .into_iter()
            .find(|choice| choice.notation == notation);
        choice.map_or([None, None], |choice| [choice.from, choice.to])
    }

    fn seen_by(&self, side: usize) -> &dyn Any {
        &self.seen[side]
    }

    fn copy_for(&self, side: usize) -> Box<dyn Any> {
        Box::new(self.seen[side].clone())
    }

    fn view(&mut self, viewer: Option<usize>) -> View {
        let Some(side) = viewer else {
            return View {
                choices: Vec::new(),
                ..self.public()
            };
        };
        let seat = self.seen[side].seat;
        let view = self.table.query("view", json!({"seat": seat}));
        let mut view: View = view.unwrap_or_else(no_view);
        if self.turn() != viewer {
            view.choices.clear();
        }
        view
    }

    fn grid(&self) -> Grid {
        self.public().grid.unwrap_or_default()
    }

    fn drawing(&self, _coloured: bool) -> String {
        drawing(&self.public())
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        let (total, moves) = match time {
            TimeControl::Clock { seconds, .. } => {
                let own = f64::from(self.plies_left()) / self.seen.len() as f64;
                (
                    Duration::from_secs_f64(seconds),
                    own.clamp(FEWEST_MOVES, MOST_MOVES),
                )
            }
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => (left, 1.0),
        };
        TimeLeft::in_process(left, total, MovesLeft::Forecast(moves)).divide()
    }

    fn ask(&mut self, asking: Asking) -> Result<AgentMove, String> {
        let side = self.turn().ok_or("the game is over")?;
        agents::ask(&self.seen[side], asking)
    }

    fn study(&mut self, how: &Studying, told: Told) -> Option<Studied> {
        let side = self.turn()?;
        agents::study(&self.seen[side], how, told)
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        if self.take_back().is_none() {
            return Fields::default();
        }
        let is_running = at_fault.is_none() && matches!(self.status, Some(Status::ToMove { .. }));
        let (scores, ending) = match (at_fault, &self.status) {
            (Some(side), _) => (self.scores_after_fault(side), FAULT.to_owned()),
            (None, Some(Status::Over { scores, ending, .. })) => {
                let of = |seen: &Seen| scores[seen.seat];
                (self.seen.iter().map(of).collect(), ending.clone())
            }
            // The game is still in progress.
            (None, _) => {
                let equal = match self.table.start.manifest.scoring {
                    Scores::Win => 1.0 / self.seen.len() as f64,
                    Scores::Points => self.table.start.manifest.points[0].max(0.0),
                };
                (vec![equal; self.seen.len()], String::new())
            }
        };
        let views: Option<Views> = self.table.query("views", json!({}));
        let texts = locked(&self.table.texts);
        let moves = self.moves.iter().map(|&mv| texts.text(mv));
        let record = Record {
            scores,
            ending,
            draws: self.table.draws(),
            turns: self.turns.clone(),
            checksum: checksum(moves),
            set_up: self.table.start.position.clone(),
            begun: Some(Begun {
                seed: self.table.start.seed,
                seats: self.seen.len(),
                shift: self.seen[0].seat,
                is_running,
            }),
            views: views.map(|views| views.views).unwrap_or_default(),
        };
        record.fields()
    }

    fn text(&mut self) -> Option<String> {
        let position: Option<Position> = self.table.query("position", Value::Null);
        position.map(|position| position.position)
    }

    fn failure(&self) -> Option<RulesError> {
        self.table.failure()
    }
}

/// Returns what people see if the referee has no views.
fn no_view() -> View {
    View {
        caption: "The referee of this game shows no views.".to_owned(),
        ..View::default()
    }
}

/// Converts a code back to a move. The code must come from a method of the same state.
fn code_to_move(code: u64) -> Move {
    Move::of_code(code).expect("a code of this game")
}
