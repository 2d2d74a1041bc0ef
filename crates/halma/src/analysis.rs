//! The best few moves, each with its value: what a person wants to know of a position.
//!
//! The search is the player's own. Where armies have passed each other it counts the moves of both ways to the
//! goal instead.

use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits};

use crate::evaluation::Values;
use crate::race;
use crate::root::{Root, RootMove, Wanted};
use crate::rules::{Move, Position};
use crate::search::{DEEPEST, Searcher, WIN_SEEN, Watch};
use crate::search_agent::{SearchAgent, could_begin, read_line, watch};

/// Moves behind a line's first that are shown.
const SHOWN_OF_LINE: usize = 5;

/// What a lead of a move in a race is worth, in points.
const LEAD: f64 = 1000.0;

/// Points to which the odds of winning grow e-fold.
const POINTS_TO_E: f64 = 190.0;

/// A move that was looked at. Values are in points for the player to move.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The move and the expected answers to it.
    pub moves: Vec<Move>,
    /// What moves are compared by: what the guide does not advise is worth less.
    pub value: f64,
    /// The search's own judgement.
    pub judgement: f64,
}

/// What is known of a position's best moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The best moves, the best first; behind them the one that was asked for besides, if it is none of them.
    pub lines: Vec<Line>,
    /// The deepest completed iteration; in a race the moves to the goal.
    pub depth: u32,
    /// Positions searched; none in a race.
    pub nodes: u64,
}

/// The probability that a player wins whose position is worth so many points. Fitted to games of the player
/// against itself; docs/notes/halma.md.
pub fn chance(points: f64) -> f64 {
    1.0 / (1.0 + (-points / POINTS_TO_E).exp())
}

impl SearchAgent {
    /// Searches the `top` best moves deeper and deeper, and the move `also` if one is given; each completed
    /// iteration is told. The first is a look one ply deep, whatever the limits say. Without deadlines an
    /// agent at the beginning of a game finds the same every time.
    ///
    /// # Panics
    ///
    /// If there is no legal move, or `top` is 0.
    pub fn analyse(
        &mut self,
        position: &Position,
        top: usize,
        also: Option<Move>,
        limits: Limits,
        control: &Control<Move>,
        told: &mut dyn FnMut(&Analysis),
    ) -> Analysis {
        let watch: Watch = &watch(&limits, control);
        let wanted = Wanted { top, also };
        let mut root = Root::new(position, &self.values, &self.memory.seen);
        control.publish(root.moves[0].mv);
        let race = match root.is_decided() {
            true => None,
            false => race_lines(&root, &self.values, wanted, &limits, watch),
        };
        if let Some(analysis) = race {
            told(&analysis);
            return analysis;
        }
        self.guide(position, limits.nodes, watch);
        self.prefer_plan(&mut root);
        root.look_once();
        let mut searcher = Searcher::new(
            &self.values,
            self.selectivity,
            &mut self.table,
            limits.nodes,
            watch,
        );
        let deepest = limits.depth.min(DEEPEST);
        loop {
            let analysis = of_root(&root, wanted, searcher.table(), searcher.nodes);
            told(&analysis);
            control.publish(root.moves[0].mv);
            let is_seen = root.moves[0].value.abs() > WIN_SEEN;
            if root.depth >= deepest || is_seen || searcher.is_soft_over() {
                break analysis;
            }
            if root.iterate(wanted, &mut searcher).is_err() {
                let nodes = searcher.nodes;
                break Analysis { nodes, ..analysis };
            }
        }
    }
}

/// The first so many moves of a root and the one besides, with what the table expects behind them.
fn of_root(root: &Root, wanted: Wanted, table: &Table<Move>, nodes: u64) -> Analysis {
    // What the guide advises has its true value, and the others less: so values can be compared from ply
    // to ply.
    let preference = root.moves.iter().map(|known| known.bonus).max();
    let preference = preference.unwrap_or_default().max(0);
    let line = |known: &RootMove| {
        let RootMove {
            mv, bonus, value, ..
        } = *known;
        let without = |added: i32| match value.abs() > WIN_SEEN {
            true => f64::from(value),
            false => f64::from(value - added),
        };
        let behind = read_line(table, root.position.after(mv), SHOWN_OF_LINE);
        Line {
            moves: [&[mv], &behind[..]].concat(),
            value: without(preference),
            judgement: without(bonus),
        }
    };
    let (first, others) = root.moves.split_at(wanted.top.min(root.moves.len()));
    let also = others.iter().find(|known| Some(known.mv) == wanted.also);
    Analysis {
        lines: first.iter().chain(also).map(line).collect(),
        depth: root.depth,
        nodes,
    }
}

/// The moves of a race by how many moves both players need after them; of those that the shortest way does
/// not begin with, the ones that gain most are looked at. `None` if this is no race or no way to the goal is
/// known.
fn race_lines(
    root: &Root,
    values: &Values,
    wanted: Wanted,
    limits: &Limits,
    watch: Watch,
) -> Option<Analysis> {
    let position = &root.position;
    let mover = position.to_move();
    if !race::is_race(position) {
        return None;
    }
    let ours = race::to_goal(position, values, limits.nodes, &[], watch)?;
    let theirs = position.with_to_move(mover.other());
    let theirs = race::to_goal(&theirs, values, limits.nodes, &[], watch)?.len();
    let line = |mv: Move, moves: usize| {
        // Who needs as many moves as the other and moves first is first at the goal.
        let value = LEAD * (theirs as f64 - moves as f64 + 0.5);
        Line {
            moves: vec![mv],
            value,
            judgement: value,
        }
    };
    let after = |mv: Move| {
        let after = position.after_own([mv])?;
        if after.has_filled_goal(mover) {
            return Some(line(mv, 1));
        }
        let way = race::to_goal(&after, values, limits.nodes, &ours, watch)?;
        Some(line(mv, 1 + way.len()))
    };
    let beginnings = could_begin(&ours, position);
    let mut lines: Vec<Line> = (beginnings.iter())
        .map(|&mv| line(mv, ours.len()))
        .collect();
    let others = root.moves.iter().map(|known| known.mv);
    for mv in others.filter(|mv| !beginnings.contains(mv)) {
        if wanted.also == Some(mv) {
            lines.push(after(mv)?);
        } else if lines.len() < wanted.top
            && let Some(line) = after(mv)
        {
            lines.push(line);
        }
    }
    lines.sort_by(|one, other| other.value.total_cmp(&one.value));
    let also = (lines.iter().skip(wanted.top))
        .find(|line| Some(line.moves[0]) == wanted.also)
        .cloned();
    lines.truncate(wanted.top);
    lines.extend(also);
    Some(Analysis {
        lines,
        depth: ours.len() as u32,
        nodes: 0,
    })
}
