//! Games as the page's script reads them, here and in the studio. They are made one at a time while they are
//! written: of a large tournament all of them at once would fill the memory.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use turnwise_arena::records::{Fault, GameRecord, GameSettings, MoveRecord, Settings};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::{About, Board, Moved, Scoring};

use super::selection::Shown;
use crate::Match;
use crate::logs::Game;
use crate::replay::step;

/// A match as the page's script reads it.
#[derive(Serialize)]
pub struct MatchData<'a> {
    #[serde(flatten)]
    about: MatchAbout<'a>,
    games: Games<'a>,
}

/// What is true of all games of a match.
#[derive(Serialize)]
pub struct MatchAbout<'a> {
    title: String,
    /// The game's name and settings, as a position to be studied needs them.
    game: &'static str,
    settings: Fields,
    /// True if games are won and lost.
    is_won: bool,
    /// Cells in a row.
    size: usize,
    /// The letters of both roles' pieces; none if letters are shown themselves.
    pieces: Option<[char; 2]>,
    /// What a player does that takes something from one cell to another.
    verb: &'static str,
    /// True if cells are named by column and row.
    column_first: bool,
    /// Which time is charged to the clocks; none without clocks.
    counts: Option<Counts>,
    /// The names of both roles, the first role's first.
    roles: [&'static str; 2],
    /// What is measured on the board, in the order of each game's measures.
    measures: &'static [&'static str],
    agents: Vec<&'a str>,
}

/// The games that are shown.
struct Games<'a> {
    of: &'a Match,
    shown: Shown,
    is_studied: bool,
}

impl Serialize for Games<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.shown.of(self.of).map(|game| Logged {
            game,
            of: &self.of.header.game,
            is_studied: self.is_studied,
        }))
    }
}

/// A game that is followed when it is written.
struct Logged<'a> {
    game: &'a Game,
    of: &'a GameSettings,
    is_studied: bool,
}

impl Serialize for Logged<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let following = Following::of(self.game, self.of);
        let data = GameData::new(self.game, self.of, &following);
        match self.is_studied {
            true => data.studied(self.game).serialize(serializer),
            false => data.serialize(serializer),
        }
    }
}

/// A game; each list has an entry for each ply, or is empty if nothing is known.
#[derive(Serialize)]
pub struct GameData<'a> {
    pair: u32,
    game: u8,
    /// The agents in the order of the roles.
    players: Vec<&'a str>,
    /// At a table of more than two, the names of their roles, else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<&'static [&'static str]>,
    /// The same of what is measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measured: Vec<String>,
    /// At such a table, what each has won, in points; left out as long as the game is under way.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    won: &'a [f64],
    /// The first role's score; none as long as the game is under way.
    score: Option<f64>,
    /// How it ended, where a score does not say.
    ending: Option<&'static str>,
    seed: String,
    opening: usize,
    /// Who was at fault, how, and what it last said.
    fault: Option<[String; 3]>,
    broken: Option<&'a str>,
    /// The letters on the cells before the first move, a blank for nothing.
    beginning: &'a str,
    /// The names of the cells, if they have any.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    names: &'a [String],
    /// The side of each move, by its place among the agents.
    sides: Vec<usize>,
    /// The tile placed; empty for other moves.
    tiles: Vec<&'a str>,
    /// The cell that a tile or piece left; none for a placement.
    from: Vec<Option<usize>>,
    /// The cell it is on now; none for a move that takes nothing anywhere.
    to: Vec<Option<usize>>,
    /// The other cells that a move changed, with their letters; left out where no move does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<&'a [(usize, char)]>,
    /// The words of moves that take nothing anywhere, others empty; left out where all moves do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<&'a str>,
    /// For each measure its values before the first move and after each.
    measures: Vec<Vec<u32>>,
    /// What was logged of the moves.
    #[serde(flatten)]
    logged: BTreeMap<&'static str, Vec<Option<f64>>>,
    #[serde(flatten)]
    position: Option<Position<'a>>,
}

/// What makes a game a position to be studied.
#[derive(Serialize)]
struct Position<'a> {
    result: &'a Fields,
    moves: &'a [String],
}

/// A ply: an entry of each list of its game.
#[derive(Serialize)]
pub struct Ply {
    side: usize,
    tile: String,
    from: Option<usize>,
    to: Option<usize>,
    changed: Vec<(usize, char)>,
    words: String,
    measures: Vec<u32>,
    /// What was logged of it.
    #[serde(flatten)]
    logged: BTreeMap<&'static str, f64>,
}

type Measure = fn(&MoveRecord) -> Option<f64>;

/// What may be logged of a move.
const MEASURES: [(&str, Measure); 9] = [
    ("clock", |mv| mv.clock_left_s),
    ("soft", |mv| mv.soft_ms),
    ("hard", |mv| mv.hard_ms),
    ("used", |mv| mv.used_ms),
    ("cpu", |mv| mv.cpu_ms),
    ("depth", |mv| mv.depth.map(f64::from)),
    ("nodes", |mv| mv.nodes.map(|nodes| nodes as f64)),
    ("expected", |mv| mv.score),
    ("value", |mv| mv.value),
];

impl<'a> MatchData<'a> {
    /// A match with these of its games, which can perhaps be studied.
    pub(super) fn on_page(of: &'a Match, shown: Shown, is_studied: bool) -> Self {
        Self {
            about: MatchAbout::new(&of.header, of.title()),
            games: Games {
                of,
                shown,
                is_studied,
            },
        }
    }

    /// A match with as many of its games as a page shows, each of which can be studied.
    pub fn studied(of: &'a Match) -> Self {
        Self::on_page(of, Shown::among(of, 1), true)
    }
}

impl<'a> MatchAbout<'a> {
    /// What a log's header says, under a title.
    pub fn new(header: &'a Settings, title: String) -> Self {
        let about = header.game.about();
        Self {
            title,
            game: about.name,
            settings: header.game.0.fields(),
            is_won: about.scoring == Scoring::Win,
            size: header.game.0.board(&Fields::default()).columns(),
            pieces: about.look.pieces,
            verb: about.look.verb,
            column_first: about.look.column_first,
            counts: match header.time {
                TimeControl::Nodes { .. } => None,
                TimeControl::Clock { .. } | TimeControl::MoveTime { .. } => Some(header.counts),
            },
            roles: about.roles,
            measures: about.measures,
            agents: (header.agents.iter())
                .map(|agent| agent.name.as_str())
                .collect(),
        }
    }
}

/// A game's board and what its plies did, which grow move by move.
pub struct Following {
    board: Box<dyn Board>,
    beginning: String,
    names: Vec<String>,
    /// What was measured before the first move.
    measures: Vec<u32>,
    plies: Vec<Ply>,
    broken: Option<String>,
}

impl Following {
    /// At the beginning of a game.
    pub fn new(board: Box<dyn Board>) -> Self {
        Self {
            beginning: board.letters(),
            names: board.names(),
            measures: board.measured(),
            plies: Vec::new(),
            broken: None,
            board,
        }
    }

    /// After all moves of a game.
    pub fn of(game: &Game, of: &GameSettings) -> Self {
        let mut following = Self::new(of.0.board(&game.record.result.fields));
        for (ply, text) in (1..).zip(&game.record.moves) {
            following.follow(text, game.logged(ply));
        }
        following
    }

    /// Makes a move, and takes in what was logged of it. None if the board cannot make it, and none after such
    /// a move.
    pub fn follow(&mut self, text: &str, logged: Option<&MoveRecord>) -> Option<&Ply> {
        if self.broken.is_some() {
            return None;
        }
        if let Some(tile) = logged.and_then(|logged| logged.tile.as_deref()) {
            self.board.reveal(tile);
        }
        let before = self.board.letters();
        let moved = match step(&mut *self.board, self.plies.len() as u32 + 1, text) {
            Ok(moved) => moved,
            Err(why) => {
                self.broken = Some(why);
                return None;
            }
        };
        let measure = |(name, of): (_, Measure)| Some((name, rounded(of(logged?)?)));
        self.plies.push(Ply {
            side: moved.side,
            tile: moved.tile.map(String::from).unwrap_or_default(),
            from: moved.from,
            to: moved.to,
            changed: changed(&before, &moved, &*self.board),
            words: moved.to.map_or(text, |_| "").to_owned(),
            measures: self.board.measured(),
            logged: MEASURES.into_iter().filter_map(measure).collect(),
        });
        self.plies.last()
    }
}

impl<'a> GameData<'a> {
    /// A game whose moves were followed.
    pub fn new(game: &'a Game, of: &GameSettings, following: &'a Following) -> Self {
        let record = &game.record;
        let is_of_rotation = record.is_of_rotation();
        let plies = || following.plies.iter();
        let logged = |name| {
            let values = plies().map(|ply| ply.logged.get(name).copied());
            known(values.collect(), Option::is_some)
        };
        let measured = |at: usize| {
            let first = [following.measures[at]].into_iter();
            first.chain(plies().map(|ply| ply.measures[at])).collect()
        };
        let changed = plies().map(|ply| ply.changed.as_slice());
        let words = plies().map(|ply| ply.words.as_str());
        Self {
            pair: record.pair,
            game: record.game,
            players: record.result.players.iter().map(String::as_str).collect(),
            roles: is_of_rotation.then(|| record.result.roles()),
            measured: match is_of_rotation {
                true => points_of(&record.result.players),
                false => Vec::new(),
            },
            won: match is_of_rotation {
                true => &record.result.meaning.won,
                false => &[],
            },
            score: Some(record.result.score()),
            ending: record.result.meaning.ending,
            // A script's numbers have fewer digits.
            seed: record.seed.to_string(),
            opening: game.opening_plies(),
            fault: fault_of(record, of.about()),
            broken: following.broken.as_deref(),
            beginning: &following.beginning,
            names: &following.names,
            sides: plies().map(|ply| ply.side).collect(),
            tiles: plies().map(|ply| ply.tile.as_str()).collect(),
            from: plies().map(|ply| ply.from).collect(),
            to: plies().map(|ply| ply.to).collect(),
            changed: known(changed.collect(), |cells| !cells.is_empty()),
            words: known(words.collect(), |words| !words.is_empty()),
            measures: (0..following.measures.len()).map(measured).collect(),
            logged: MEASURES.map(|(name, _)| (name, logged(name))).into(),
            position: None,
        }
    }

    /// The same with what makes it a position to be studied.
    pub fn studied(self, game: &'a Game) -> Self {
        let position = Some(Position {
            result: &game.record.result.fields,
            moves: &game.record.moves,
        });
        Self { position, ..self }
    }

    /// The same without a result: it is under way.
    pub fn under_way(self) -> Self {
        Self {
            won: &[],
            score: None,
            ending: None,
            ..self
        }
    }

    /// The same without a result: it was not played to its end, and this is why.
    pub fn abandoned(self, why: &'a str) -> Self {
        Self {
            broken: Some(why),
            ..self.under_way()
        }
    }
}

/// What is measured where more than two sit at a table.
fn points_of(players: &[String]) -> Vec<String> {
    let names = players.iter();
    names.map(|name| format!("points of {name}")).collect()
}

/// Who was at fault, how, and what it last said. Of several who were put out, who was first, and then the others.
pub fn fault_of(record: &GameRecord, about: &About) -> Option<[String; 3]> {
    let who = |fault: &Fault| format!("{} ({})", fault.agent, about.role(&fault.role));
    let what = |fault: &Fault| format!("{}: {}", fault.kind.name(), fault.reason);
    let mut faults = record.faults();
    let first = faults.next()?;
    let others = faults.map(|fault| format!("; then {}, {}", who(fault), what(fault)));
    let what = what(first) + &others.collect::<String>();
    Some([who(first), what, first.stderr.join("\n")])
}

/// The cells that a move changed besides those that it left and went to, with their letters.
fn changed(before: &str, moved: &Moved, after: &dyn Board) -> Vec<(usize, char)> {
    let mut told: Vec<char> = before.chars().collect();
    match (moved.from, moved.to) {
        (Some(from), Some(to)) => {
            let letter = std::mem::replace(&mut told[from], ' ');
            told[to] = letter;
        }
        (None, Some(to)) => told[to] = moved.tile.unwrap_or(' '),
        (_, None) => {}
    }
    let after = after.letters();
    let cells = after.chars().zip(told).enumerate();
    let changed = cells.filter(|(_, (after, told))| after != told);
    changed.map(|(cell, (after, _))| (cell, after)).collect()
}

/// A list, or an empty one if it says nothing of any ply.
fn known<T>(list: Vec<T>, says_something: fn(&T) -> bool) -> Vec<T> {
    match list.iter().any(says_something) {
        true => list,
        false => Vec::new(),
    }
}

/// Hundredths are enough for the eye and keep the page small.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
