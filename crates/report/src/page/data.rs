//! Converts games to the format that the scripts of the report page and of the studio read. Games are converted one at
//! a time while they are written, because all games of a large tournament together would fill the memory.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use turnwise_arena::records::{Fault, GameRecord, GameSettings, MoveRecord, Settings};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::{self, About, AnyState, Beginning, Moved, Scoring};

use super::selection::Shown;
use crate::Match;
use crate::logs::Game;
use crate::replay::step;
use crate::tables::Table;

/// A match in the format that the page's script reads.
#[derive(Serialize)]
pub struct MatchData<'a> {
    #[serde(flatten)]
    about: MatchAbout<'a>,
    /// The ranking of a tournament; omitted for other matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<RankingData>,
    games: Games<'a>,
}

/// The ranking of a tournament. All lists are in the order of the ranking.
#[derive(Serialize)]
struct RankingData {
    /// The class and the date.
    occasion: String,
    /// How far the ranking can be trusted.
    trust: String,
    table: Table,
    names: Vec<String>,
    /// The places; `None` for a participant without one.
    places: Vec<Option<usize>>,
    /// The ratings that determine the places, each with the ends of its interval.
    intervals: Vec<Option<[f64; 3]>>,
    /// `None` for a tournament with too many participants for a crosstable.
    crosstable: Option<Table>,
    /// How far each participant is ahead of each other one, from -1 to 1.
    leads: Vec<Vec<Option<f64>>>,
}

impl RankingData {
    fn new(of: &Match) -> Option<Self> {
        let ranking = of.ranking()?;
        let crosstable = ranking.crosstable();
        Some(Self {
            occasion: of.occasion(),
            trust: ranking.trust(),
            table: ranking.table(),
            names: ranking.ranked.iter().map(|one| one.agent.clone()).collect(),
            places: ranking.ranked.iter().map(|one| one.place).collect(),
            intervals: ranking.intervals(),
            leads: crosstable.iter().flat_map(|_| ranking.leads()).collect(),
            crosstable,
        })
    }
}

/// The properties that all games of a match share.
#[derive(Serialize)]
pub struct MatchAbout<'a> {
    title: String,
    /// The name of the game. Together with the settings, the studio needs it to analyze a position.
    game: &'static str,
    settings: Fields,
    /// True if games are won and lost.
    is_won: bool,
    /// The letters that stand for the pieces of the first and the second role; `None` if the board shows the letters
    /// themselves.
    pieces: Option<[char; 2]>,
    /// The verb that describes a move of a piece from one cell to another.
    verb: &'static str,
    /// True if the name of a cell starts with the column, false if it starts with the row.
    column_first: bool,
    /// Whether clocks count wall time or CPU time; `None` if the match has no clocks.
    counts: Option<Counts>,
    /// The names of the first and the second role.
    roles: [&'static str; 2],
    /// The names of the quantities that are shown beside the board, for example of a score, in the order of
    /// [`GameData::measures`].
    measures: &'static [&'static str],
    agents: Vec<&'a str>,
}

/// The games of a match that the page shows.
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

/// A logged game that is not converted to [`GameData`] until it is serialized.
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

/// A game in the format that the page's script reads. Most lists have one entry for each ply, or are empty if no ply
/// has such data.
#[derive(Serialize)]
pub struct GameData<'a> {
    pair: u32,
    game: u8,
    /// The names of the agents, in the order of the roles.
    players: Vec<&'a str>,
    /// The names of the roles, if the game has more than two players; omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<&'static [&'static str]>,
    /// The names of the game's measures, if the game has more than two players; omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measured: Vec<String>,
    /// The points that each player won, if the game has more than two players. Omitted while the game is running.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    won: &'a [f64],
    /// The first role's score; `None` while the game is running.
    score: Option<f64>,
    /// A description of how the game ended; `None` if the score already makes that clear.
    ending: Option<&'a str>,
    seed: String,
    opening: usize,
    /// The player that ended the game by a fault, a description of the fault, and the last lines of the player's
    /// stderr.
    fault: Option<[String; 3]>,
    broken: Option<&'a str>,
    /// The number of cells in a row of the board.
    columns: usize,
    /// The letters on the cells of the board before the first move; a blank stands for an empty cell.
    beginning: &'a str,
    /// The names of the cells, if cells have names in this game.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    names: &'a [String],
    /// For each move, the player that made it, as an index into `players`.
    sides: Vec<usize>,
    /// For each move, the tile that it placed; an empty text if the move placed no tile.
    tiles: Vec<&'a str>,
    /// For each move, the cell from which it took a tile or a piece; `None` for a placement.
    from: Vec<Option<usize>>,
    /// For each move, the cell to which it brought a tile or a piece; `None` for a move without a destination.
    to: Vec<Option<usize>>,
    /// For each move, the cells that it changed in addition to its source and destination, with their new letters.
    /// Omitted if no move changed other cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<&'a [(usize, char)]>,
    /// For each move without a destination, its notation; an empty text for other moves. Omitted if every move has a
    /// destination.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<&'a str>,
    /// For each measure, its value before the first move and its values after each move.
    measures: Vec<Vec<u32>>,
    /// The logged measurements of the moves, keyed by the names in [`MEASURES`].
    #[serde(flatten)]
    logged: BTreeMap<&'static str, Vec<Option<f64>>>,
    #[serde(flatten)]
    position: Option<Position<'a>>,
}

/// The data that the studio needs to analyze a game's positions.
#[derive(Serialize)]
struct Position<'a> {
    result: &'a Fields,
    moves: &'a [String],
}

/// The data of one ply, which becomes one entry in each list of [`GameData`].
#[derive(Serialize)]
pub struct Ply {
    side: usize,
    tile: String,
    from: Option<usize>,
    to: Option<usize>,
    changed: Vec<(usize, char)>,
    words: String,
    measures: Vec<u32>,
    /// The side to move after this ply; `None` if the game is over or the side is unknown.
    to_move: Option<usize>,
    /// The logged measurements of the move, keyed by the names in [`MEASURES`].
    #[serde(flatten)]
    logged: BTreeMap<&'static str, f64>,
}

type Measure = fn(&MoveRecord) -> Option<f64>;

/// The measurements that the record of a move may contain, each under the name that the page's script uses.
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
    /// Returns the data of a match with the games in `shown`. If `is_studied` is true, each game includes the data that
    /// the studio needs to analyze it.
    pub(super) fn on_page(of: &'a Match, shown: Shown, is_studied: bool) -> Self {
        Self {
            about: MatchAbout::new(&of.header, of.title()),
            ranking: RankingData::new(of),
            games: Games {
                of,
                shown,
                is_studied,
            },
        }
    }

    /// Returns the data of some games of a match, which say nothing about its ranking.
    pub fn of_pair(of: &'a Match) -> Self {
        Self {
            ranking: None,
            ..Self::studied(of)
        }
    }

    /// Returns the data of a match with as many games as a page can show. Each game includes the data that the studio
    /// needs to analyze it.
    pub fn studied(of: &'a Match) -> Self {
        Self::on_page(of, Shown::among(of, 1), true)
    }
}

impl<'a> MatchAbout<'a> {
    /// Returns the properties of a match with this header and title.
    pub fn new(header: &'a Settings, title: String) -> Self {
        let about = header.game.about();
        Self {
            title,
            game: about.name,
            settings: header.game.0.fields(),
            is_won: about.scoring == Scoring::Win,
            pieces: about.look.pieces,
            verb: about.look.verb,
            column_first: about.look.column_first,
            counts: match header.time {
                TimeControl::Nodes { .. } => None,
                TimeControl::Clock { .. } | TimeControl::MoveTime { .. } => Some(header.counts),
            },
            roles: about.roles,
            measures: about.look.measures,
            agents: (header.agents.iter())
                .map(|agent| agent.name.as_str())
                .collect(),
        }
    }
}

/// Follows a game on the board, move by move, and records the effects of each ply.
pub struct Following {
    /// The game; `None` if its beginning is unknown.
    open: Option<Box<dyn AnyState>>,
    /// The number of cells in a row of the board.
    columns: usize,
    beginning: String,
    /// The letters on the board after the last move.
    letters: String,
    names: Vec<String>,
    /// The board's measures before the first move.
    measures: Vec<u32>,
    /// The side to move first; `None` if it is unknown.
    first: Option<usize>,
    plies: Vec<Ply>,
    broken: Option<String>,
}

impl Following {
    /// Starts to follow the game with this result, of which only the beginning may be known.
    fn begun(result: &Fields, of: &GameSettings) -> Self {
        let (mut open, broken) = match of.replayed().open(Beginning::Watched(result)) {
            Ok(open) => (Some(open), None),
            Err(why) => (None, Some(format!("the game cannot be shown: {why}"))),
        };
        let shown = match &open {
            Some(open) => open.shown(false),
            None => plugin::Shown {
                measured: vec![0; of.about().look.measures.len()],
                ..plugin::Shown::default()
            },
        };
        Self {
            first: open.as_mut().and_then(|open| open.turn()),
            open,
            columns: shown.grid.columns,
            beginning: shown.grid.letters.clone(),
            letters: shown.grid.letters,
            names: shown.grid.names,
            measures: shown.measured,
            plies: Vec::new(),
            broken,
        }
    }

    /// Follows a game on the board to its last known move, or to the first impossible one.
    pub fn of(game: &Game, of: &GameSettings) -> Self {
        let mut following = Self::begun(&game.record.result.fields, of);
        for (ply, text) in (1..).zip(&game.record.moves) {
            following.follow(text, game.logged(ply));
        }
        following
    }

    /// Makes the next move and returns its data; `logged` is the record of the move, if it exists. Returns `None` for
    /// an impossible move, and for all moves after it.
    pub fn follow(&mut self, text: &str, logged: Option<&MoveRecord>) -> Option<&Ply> {
        let open = self.open.as_mut().filter(|_| self.broken.is_none())?;
        let moved = match step(&mut **open, self.plies.len() as u32 + 1, text, logged) {
            Ok(moved) => moved,
            Err(why) => {
                self.broken = Some(why);
                return None;
            }
        };
        let shown = open.shown(false);
        let before = std::mem::replace(&mut self.letters, shown.grid.letters);
        let measure = |(name, of): (_, Measure)| Some((name, rounded(of(logged?)?)));
        self.plies.push(Ply {
            side: moved.side,
            tile: moved.tile.map(String::from).unwrap_or_default(),
            from: moved.from,
            to: moved.to,
            changed: changed(&before, &moved, &self.letters),
            words: moved.to.map_or(text, |_| "").to_owned(),
            measures: shown.measured,
            to_move: open.turn(),
            logged: MEASURES.into_iter().filter_map(measure).collect(),
        });
        self.plies.last()
    }

    /// Returns the side to move; `None` if the game is over or the side is unknown.
    pub fn to_move(&self) -> Option<usize> {
        self.plies.last().map_or(self.first, |ply| ply.to_move)
    }
}

impl<'a> GameData<'a> {
    /// Returns the data of a game. `following` must already have followed the game to its end, or as far as it has been
    /// played.
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
            ending: record.result.meaning.ending.as_deref(),
            // A number in JavaScript cannot represent every 64-bit integer exactly.
            seed: record.seed.to_string(),
            opening: game.opening_plies(),
            fault: fault_of(record, of.about()),
            broken: following.broken.as_deref(),
            columns: following.columns,
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

    /// Returns this data, with the data added that the studio needs to analyze the positions of the game.
    pub fn studied(self, game: &'a Game) -> Self {
        let position = Some(Position {
            result: &game.record.result.fields,
            moves: &game.record.moves,
        });
        Self { position, ..self }
    }

    /// Returns this data without the result of the game. Use this for a game that is still running.
    pub fn under_way(self) -> Self {
        Self {
            won: &[],
            score: None,
            ending: None,
            ..self
        }
    }

    /// Returns this data with the reason `why` the game was not finished, instead of a result.
    pub fn abandoned(self, why: &'a str) -> Self {
        Self {
            broken: Some(why),
            ..self.under_way()
        }
    }
}

/// Returns the names of the measures in a game with more than two players: the points of each player.
fn points_of(players: &[String]) -> Vec<String> {
    let names = players.iter();
    names.map(|name| format!("points of {name}")).collect()
}

/// Returns the player at fault, a description of the fault, and the last lines of the player's stderr. If several
/// players committed faults, the player and the stderr lines belong to the first fault, and the description also
/// mentions the other players.
pub fn fault_of(record: &GameRecord, about: &About) -> Option<[String; 3]> {
    let who = |fault: &Fault| format!("{} ({})", fault.agent, about.role(&fault.role));
    let what = |fault: &Fault| format!("{}: {}", fault.kind.name(), fault.reason);
    let mut faults = record.faults();
    let first = faults.next()?;
    let others = faults.map(|fault| format!("; then {}, {}", who(fault), what(fault)));
    let what = what(first) + &others.collect::<String>();
    Some([who(first), what, first.stderr.join("\n")])
}

/// Returns the cells that a move changed in addition to its source and destination, with their new letters.
fn changed(before: &str, moved: &Moved, after: &str) -> Vec<(usize, char)> {
    let mut told: Vec<char> = before.chars().collect();
    match (moved.from, moved.to) {
        (Some(from), Some(to)) => {
            let letter = std::mem::replace(&mut told[from], ' ');
            told[to] = letter;
        }
        (None, Some(to)) => told[to] = moved.tile.unwrap_or(' '),
        (_, None) => {}
    }
    let cells = after.chars().zip(told).enumerate();
    let changed = cells.filter(|(_, (after, told))| after != told);
    changed.map(|(cell, (after, _))| (cell, after)).collect()
}

/// Returns the list unchanged, or an empty list if no entry has data.
fn known<T>(list: Vec<T>, says_something: fn(&T) -> bool) -> Vec<T> {
    match list.iter().any(says_something) {
        true => list,
        false => Vec::new(),
    }
}

/// Rounds a number to hundredths. This precision suffices for display and keeps the page small.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
