//! Analyzes a position: finds the best few moves and their values.
//!
//! The analysis uses the search of [`SearchAgent`]. In a race, in which the two armies have passed each other, it
//! compares the numbers of moves that the players need to reach their goals.

use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits};

use crate::evaluation::Values;
use crate::race;
use crate::root::{Root, RootMove, Wanted};
use crate::rules::{Move, Position};
use crate::search::{DEEPEST, Searcher, WIN_SEEN, Watch};
use crate::search_agent::{SearchAgent, could_begin, read_line, watch};

/// The number of expected moves to show after the first move of an analyzed line.
const SHOWN_OF_LINE: usize = 5;

/// The value of a lead of one move in a race, in points.
const LEAD: f64 = 1000.0;

/// A lead of `POINTS_TO_E` points multiplies the odds of winning by e.
const POINTS_TO_E: f64 = 190.0;

/// An analyzed move. Its values are in points, from the point of view of the player to move.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The analyzed move, and the moves of both players that are expected to follow.
    pub moves: Vec<Move>,
    /// The value that determines the order of the lines. It is lower for moves that the guide does not recommend.
    ///
    /// The guide plans the player's moves as if the opponent did not move.
    pub value: f64,
    /// The value that the search found, without the bonus for moves that the guide recommends.
    pub judgement: f64,
    /// The numbers of moves that the player to move and the opponent need to reach their goals; known only in a race.
    pub to_go: Option<[u32; 2]>,
}

/// The result of analyzing a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The best moves, best first. The requested extra move follows if it is not among them.
    pub lines: Vec<Line>,
    /// The depth of the last completed iteration, in plies. In a race, the number of moves to the goal.
    pub depth: u32,
    /// The number of positions searched; zero in a race.
    pub nodes: u64,
}

/// Returns the probability of a win in a position worth this many points.
///
/// The formula was fitted to games that this program played against itself; see docs/notes/halma.md.
pub fn chance(points: f64) -> f64 {
    1.0 / (1.0 + (-points / POINTS_TO_E).exp())
}

impl SearchAgent {
    /// Finds the `top` best moves, and the value of the move `also`, with iterative deepening.
    ///
    /// Calls `told` after each completed iteration. The first iteration is one ply deep, whatever the limits. Without
    /// deadlines, an agent at the beginning of a game always finds the same result.
    ///
    /// # Panics
    ///
    /// Panics if there is no legal move, or if `top` is 0.
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

/// Creates an analysis of the wanted root moves. The moves that follow them come from the transposition table.
fn of_root(root: &Root, wanted: Wanted, table: &Table<Move>, nodes: u64) -> Analysis {
    // The preference is subtracted from all values. Then the guide's moves have their true values, and all other moves
    // have lower values. This makes the values of consecutive plies comparable.
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
            to_go: None,
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

/// Ranks the moves of a race by the numbers of moves that the two players need afterwards.
///
/// Apart from the first moves of the shortest way, only the moves with the greatest gain are examined. Returns `None`
/// if the position is not a race, or if no way to the goal is known.
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
        // If both players need equally many moves, the player to move arrives first.
        let value = LEAD * (theirs as f64 - moves as f64 + 0.5);
        Line {
            moves: vec![mv],
            value,
            judgement: value,
            to_go: Some([moves as u32, theirs as u32]),
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
