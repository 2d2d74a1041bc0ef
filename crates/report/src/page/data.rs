//! The games as the page's script reads them. They are made one at a time while they are written: of a large
//! tournament all of them at once would fill the memory.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use turnwise_arena::records::{GameSettings, MoveRecord};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin::Scoring;

use super::selection::Shown;
use crate::Match;
use crate::logs::Game;
use crate::replay::{Step, replay};

/// A match as the page's script reads it.
#[derive(Serialize)]
pub(super) struct MatchData<'a> {
    title: String,
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
    /// The players' roles.
    roles: [&'static str; 2],
    /// What is measured on the board, in the order of each game's measures.
    measures: &'static [&'static str],
    agents: Vec<&'a str>,
    games: Games<'a>,
}

/// The games that are shown.
struct Games<'a> {
    of: &'a Match,
    shown: &'a Shown,
}

impl Serialize for Games<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let settings = &self.of.header.game;
        serializer.collect_seq(self.shown.of(self.of).map(|game| game_data(game, settings)))
    }
}

/// A game; each list has an entry for each ply, or is empty if nothing is known.
#[derive(Serialize)]
struct GameData<'a> {
    pair: u32,
    game: u8,
    /// The agents in the order of the roles.
    players: [&'a str; 2],
    /// The first role's score.
    score: f64,
    /// How it ended, where a score does not say.
    ending: Option<&'static str>,
    seed: String,
    opening: usize,
    /// Who was at fault, how, and what it last said.
    fault: Option<[String; 3]>,
    broken: Option<String>,
    /// The letters on the cells before the first move, a blank for nothing.
    beginning: String,
    /// The names of the cells, if they have any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    /// Who moves, 0 or 1.
    sides: Vec<usize>,
    /// The tile placed; empty for other moves.
    tiles: Vec<String>,
    /// The cell that a tile or piece left; none for a placement.
    from: Vec<Option<usize>>,
    /// The cell it is on now; none for a move that takes nothing anywhere.
    to: Vec<Option<usize>>,
    /// The other cells that a move changed, with their letters; left out where no move does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<Vec<(usize, char)>>,
    /// The words of moves that take nothing anywhere, others empty; left out where all moves do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<&'a str>,
    /// For each measure its values before the first move and after each.
    measures: Vec<Vec<u32>>,
    /// What was logged of the moves.
    #[serde(flatten)]
    logged: BTreeMap<&'static str, Vec<Option<f64>>>,
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

/// A match with these of its games.
pub(super) fn match_data<'a>(of: &'a Match, shown: &'a Shown) -> MatchData<'a> {
    let about = of.header.game.about();
    MatchData {
        title: of.title(),
        is_won: about.scoring == Scoring::Win,
        size: of.header.game.0.board(&Fields::default()).columns(),
        pieces: about.look.pieces,
        verb: about.look.verb,
        column_first: about.look.column_first,
        counts: match of.header.time {
            TimeControl::Nodes { .. } => None,
            TimeControl::Clock { .. } | TimeControl::MoveTime { .. } => Some(of.header.counts),
        },
        roles: about.roles,
        measures: about.measures,
        agents: (of.header.agents.iter())
            .map(|agent| agent.name.as_str())
            .collect(),
        games: Games { of, shown },
    }
}

fn game_data<'a>(game: &'a Game, of: &GameSettings) -> GameData<'a> {
    let record = &game.record;
    let replay = replay(game, of);
    let plies = replay.steps.len() as u32;
    let measure = |of: Measure| {
        let value = |ply| game.logged(ply).and_then(of).map(rounded);
        let values: Vec<Option<f64>> = (1..=plies).map(value).collect();
        known(values, Option::is_some)
    };
    let steps = || replay.steps.iter();
    let boards = || {
        let boards = steps().map(|step| &step.board);
        [&replay.beginning].into_iter().chain(boards)
    };
    let changed: Vec<Vec<(usize, char)>> = (steps().zip(boards()))
        .map(|(step, before)| changed(&before.letters(), step))
        .collect();
    let words: Vec<&str> = (steps().zip(&record.moves))
        .map(|(step, words)| step.moved.to.map_or(words.as_str(), |_| ""))
        .collect();
    GameData {
        pair: record.pair,
        game: record.game,
        players: record.result.players.each_ref().map(String::as_str),
        score: record.result.score(),
        ending: record.result.meaning.ending,
        // A script's numbers have fewer digits.
        seed: record.seed.to_string(),
        opening: game.opening_plies(),
        fault: record.fault.as_ref().map(|fault| {
            let who = format!("{} ({})", fault.agent, of.about().role(&fault.role));
            let what = format!("{}: {}", fault.kind.name(), fault.reason);
            [who, what, fault.stderr.join("\n")]
        }),
        beginning: replay.beginning.letters(),
        names: replay.beginning.names(),
        sides: steps().map(|step| step.moved.side).collect(),
        tiles: steps()
            .map(|step| step.moved.tile.map(String::from).unwrap_or_default())
            .collect(),
        from: steps().map(|step| step.moved.from).collect(),
        to: steps().map(|step| step.moved.to).collect(),
        changed: known(changed, |cells| !cells.is_empty()),
        words: known(words, |words| !words.is_empty()),
        measures: (0..of.about().measures.len())
            .map(|at| boards().map(|board| board.measured()[at]).collect())
            .collect(),
        logged: MEASURES.map(|(name, of)| (name, measure(of))).into(),
        broken: replay.broken,
    }
}

/// The cells that a step changed besides those that its move left and went to, with their letters.
fn changed(before: &str, step: &Step) -> Vec<(usize, char)> {
    let mut told: Vec<char> = before.chars().collect();
    match (step.moved.from, step.moved.to) {
        (Some(from), Some(to)) => {
            let letter = std::mem::replace(&mut told[from], ' ');
            told[to] = letter;
        }
        (None, Some(to)) => told[to] = step.moved.tile.unwrap_or(' '),
        (_, None) => {}
    }
    let after = step.board.letters();
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
