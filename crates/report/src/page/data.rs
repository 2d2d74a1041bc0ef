//! Games in the format of the page's script, here and in the studio. They are created one at a time during writing,
//! because all games of a large tournament at once would fill the memory.

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

/// A match in the format of the page's script.
#[derive(Serialize)]
pub struct MatchData<'a> {
    #[serde(flatten)]
    about: MatchAbout<'a>,
    games: Games<'a>,
}

/// The properties that all games of a match share.
#[derive(Serialize)]
pub struct MatchAbout<'a> {
    title: String,
    /// The game's name and settings, which are needed to study a position.
    game: &'static str,
    settings: Fields,
    /// True if games are won and lost.
    is_won: bool,
    /// The number of cells in a row.
    size: usize,
    /// The letters of both roles' pieces; `None` if letters themselves are shown.
    pieces: Option<[char; 2]>,
    /// The verb for a move that takes a piece from one cell to another.
    verb: &'static str,
    /// True if cells are named by column and row.
    column_first: bool,
    /// The time that clocks charge; `None` without clocks.
    counts: Option<Counts>,
    /// The names of both roles, starting with the first role.
    roles: [&'static str; 2],
    /// The names of the board's measures, in the order of each game's `measures`.
    measures: &'static [&'static str],
    agents: Vec<&'a str>,
}

/// The shown games.
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

/// A game that is replayed when it is written.
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

/// A game; each list has an entry for each ply, or is empty without data.
#[derive(Serialize)]
pub struct GameData<'a> {
    pair: u32,
    game: u8,
    /// The agents in the order of the roles.
    players: Vec<&'a str>,
    /// The names of the roles at a table of more than two; omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<&'static [&'static str]>,
    /// The names of the measures at a table of more than two; omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measured: Vec<String>,
    /// Each player's winnings at a table of more than two, in points; omitted during the game.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    won: &'a [f64],
    /// The first role's score; `None` during the game.
    score: Option<f64>,
    /// The ending of the game, if a score does not show it.
    ending: Option<&'static str>,
    seed: String,
    opening: usize,
    /// The player at fault, its fault, and its last output.
    fault: Option<[String; 3]>,
    broken: Option<&'a str>,
    /// The letters on the cells before the first move; a blank means empty.
    beginning: &'a str,
    /// The names of the cells, if they have any.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    names: &'a [String],
    /// The side of each move, as an index of `players`.
    sides: Vec<usize>,
    /// The tile placed; empty for other moves.
    tiles: Vec<&'a str>,
    /// The cell that a tile or piece left; `None` for a placement.
    from: Vec<Option<usize>>,
    /// The destination; `None` for a move without one.
    to: Vec<Option<usize>>,
    /// The other cells that a move changed, with their letters; omitted if every list is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<&'a [(usize, char)]>,
    /// The words of moves without a destination, empty for other moves; omitted if all are empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<&'a str>,
    /// The values of each measure before the first move and after each move.
    measures: Vec<Vec<u32>>,
    /// The logged data of the moves.
    #[serde(flatten)]
    logged: BTreeMap<&'static str, Vec<Option<f64>>>,
    #[serde(flatten)]
    position: Option<Position<'a>>,
}

/// The data needed to study a game's positions.
#[derive(Serialize)]
struct Position<'a> {
    result: &'a Fields,
    moves: &'a [String],
}

/// A ply: one entry of each list in its game.
#[derive(Serialize)]
pub struct Ply {
    side: usize,
    tile: String,
    from: Option<usize>,
    to: Option<usize>,
    changed: Vec<(usize, char)>,
    words: String,
    measures: Vec<u32>,
    /// The logged data of the move.
    #[serde(flatten)]
    logged: BTreeMap<&'static str, f64>,
}

type Measure = fn(&MoveRecord) -> Option<f64>;

/// The measures that a move's record may contain.
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
    /// Returns a match with these games; `is_studied` adds the data to study them.
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

    /// Returns a match with as many games as a page shows, with the data to study them.
    pub fn studied(of: &'a Match) -> Self {
        Self::on_page(of, Shown::among(of, 1), true)
    }
}

impl<'a> MatchAbout<'a> {
    /// Returns the data from a log's header, with this title.
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

/// A game's board with the effects of each ply, extended move by move.
pub struct Following {
    board: Box<dyn Board>,
    beginning: String,
    names: Vec<String>,
    /// The measures before the first move.
    measures: Vec<u32>,
    plies: Vec<Ply>,
    broken: Option<String>,
}

impl Following {
    /// Starts at the beginning of a game.
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

    /// Follows all moves of a game.
    pub fn of(game: &Game, of: &GameSettings) -> Self {
        let mut following = Self::new(of.0.board(&game.record.result.fields));
        for (ply, text) in (1..).zip(&game.record.moves) {
            following.follow(text, game.logged(ply));
        }
        following
    }

    /// Makes a move with its logged data. Returns `None` for an impossible move, and for all moves after it.
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
    /// Returns the data of a game whose moves were followed.
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

    /// Adds the data that are needed to study positions.
    pub fn studied(self, game: &'a Game) -> Self {
        let position = Some(Position {
            result: &game.record.result.fields,
            moves: &game.record.moves,
        });
        Self { position, ..self }
    }

    /// Removes the result, because the game is in progress.
    pub fn under_way(self) -> Self {
        Self {
            won: &[],
            score: None,
            ending: None,
            ..self
        }
    }

    /// Removes the result, because the game was cut short for this reason.
    pub fn abandoned(self, why: &'a str) -> Self {
        Self {
            broken: Some(why),
            ..self.under_way()
        }
    }
}

/// Returns the names of the measures at a table of more than two.
fn points_of(players: &[String]) -> Vec<String> {
    let names = players.iter();
    names.map(|name| format!("points of {name}")).collect()
}

/// Describes the player at fault, its fault and its last output. If several players were put out, the first comes
/// first, and then the others.
pub fn fault_of(record: &GameRecord, about: &About) -> Option<[String; 3]> {
    let who = |fault: &Fault| format!("{} ({})", fault.agent, about.role(&fault.role));
    let what = |fault: &Fault| format!("{}: {}", fault.kind.name(), fault.reason);
    let mut faults = record.faults();
    let first = faults.next()?;
    let others = faults.map(|fault| format!("; then {}, {}", who(fault), what(fault)));
    let what = what(first) + &others.collect::<String>();
    Some([who(first), what, first.stderr.join("\n")])
}

/// Returns the changed cells other than a move's source and destination. Each has its letter.
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

/// Returns a list, or an empty list if no entry has data.
fn known<T>(list: Vec<T>, says_something: fn(&T) -> bool) -> Vec<T> {
    match list.iter().any(says_something) {
        true => list,
        false => Vec::new(),
    }
}

/// Rounds to hundredths, which suffice for display and keep the page small.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
