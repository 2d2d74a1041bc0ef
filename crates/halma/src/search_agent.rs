//! The agent that chooses its moves by searching, and its memory of the game.

use std::time::Duration;

use turnwise_engine::agent::Agent;
use turnwise_engine::agent::OpponentMemory;
use turnwise_engine::game::Score;
use turnwise_engine::search::table::{Bound, Finding, Table};
use turnwise_engine::search::{Control, Found, Limits};

use crate::evaluation::Values;
use crate::opponent::Opponent;
use crate::race::{self, HORIZON, Length};
use crate::root::{Root, RootMove};
use crate::rules::{Move, Position};
use crate::search::{DEEPEST, Deadline, Searcher, Selectivity, WIN_SEEN, WON, Watch};

/// The table size per node of a search with a node limit, and the minimum table size, in bytes.
const TABLE_BYTES_A_NODE: usize = 100;
const SMALLEST_TABLE: usize = 1 << 16;
/// The size of the largest table, in bytes.
pub(crate) const LARGEST_TABLE: usize = 64 << 20;

/// Returns the table size in bytes for a search of `nodes` nodes. A larger table than necessary would cost time.
pub(crate) fn table_bytes(nodes: u64) -> usize {
    let nodes = usize::try_from(nodes).unwrap_or(usize::MAX);
    let bytes = nodes.saturating_mul(TABLE_BYTES_A_NODE);
    bytes.clamp(SMALLEST_TABLE, LARGEST_TABLE)
}

/// The widths of the beam searches of [`SearchAgent::guide`], tried in this order while time remains.
const GUIDE_WIDTHS: [usize; 6] = [10, 30, 100, 300, 1_000, 3_000];

/// The node limit of the search divided by this number is the node limit of [`SearchAgent::guide`].
const GUIDE_SHARE: u64 = 4;

/// The bonus for the moves with which the guide's plan could begin, in points.
///
/// This value was found with matches; see docs/notes/halma.md.
const PREFERENCE: i32 = 150;
/// The bonus that replaces [`PREFERENCE`] against an opponent that keeps pieces in its camp.
///
/// The bonus is larger, because searching for answers to the opponent's blocks loses more time than the blocks cost.
const PREFERENCE_TO_STAYING: i32 = 600;

/// The number of moves to store after our own move: the expected reply and our answer to it.
const KEPT_OF_LINE: usize = 2;

/// The share of the time until the soft deadline after which [`Deadline::Early`] has passed.
///
/// With this share, the player won 12 of 14 games against itself with a share of 0.35: see docs/notes/halma.md.
const EARLY: f64 = 0.2;

/// The agent that chooses its moves by searching.
pub struct SearchAgent {
    pub(crate) values: Values,
    pub(crate) selectivity: Selectivity,
    pub(crate) table: Table<Move>,
    /// Whether to end a search before its deadline if the best move is obvious.
    ///
    /// This suits a single move, because the time saved is useless for the strength of play.
    pub ends_early: bool,
    /// The agent's memory of the game.
    pub memory: Memory,
}

/// An agent's memory of the game, in addition to its table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// The hashes of the positions after the agent's own moves, oldest first.
    pub seen: Vec<u64>,
    /// The agent's own planned moves that are still to be played.
    ///
    /// In a race, they lead to the goal; otherwise, they reach as far as the guide looks ahead.
    pub plan: Vec<Move>,
    /// The expected moves after the agent's last move, the opponent's reply first.
    ///
    /// Contains only moves that the table still holds. Empty after a move of a race.
    pub line: Vec<Move>,
    /// The statistics about the opponent.
    pub opponent: Opponent,
}

impl SearchAgent {
    /// Creates an agent at the beginning of a game, with a table of at most this size.
    pub fn new(table_bytes: usize) -> Self {
        Self {
            values: Values::default(),
            selectivity: Selectivity::default(),
            table: Table::new(table_bytes),
            ends_early: false,
            memory: Memory::default(),
        }
    }

    /// Stores a move that an earlier search found to be the best in this position.
    ///
    /// The next search examines this move early. If no time remains for a search, this move is the answer.
    pub fn advise(&mut self, position: &Position, mv: Move) {
        // The move's value is unknown, but no value is less than a loss.
        let value = -WON as f32;
        let finding = Finding {
            value,
            bound: Bound::Lower,
            best: Some(mv),
            narrowed: false,
        };
        self.table.put(position.hash(), 0, finding);
    }

    /// Resets the agent to the beginning of a game.
    pub(crate) fn forget(&mut self) {
        self.memory = Memory::default();
        self.table.clear();
    }

    /// Plans the agent's own moves that gain most if the opponent does not move.
    ///
    /// Building a ladder takes far more moves than a search of both players' moves can look ahead. If time does not
    /// suffice for a new plan, the old plan remains.
    pub(crate) fn guide(&mut self, position: &Position, nodes: u64, watch: Watch) {
        let affordable = |width: &usize| (width * HORIZON) as u64 <= nodes / GUIDE_SHARE;
        for width in GUIDE_WIDTHS.into_iter().take_while(affordable) {
            if watch(Deadline::Early) {
                break;
            }
            let length = Length::Horizon(HORIZON);
            let known = &self.memory.plan;
            match race::plan(position, &self.values, width, length, known, watch) {
                Some(plan) => self.memory.plan = plan.moves,
                None => break,
            }
        }
    }

    /// Adds a bonus to the root moves with which the plan could begin.
    pub(crate) fn prefer_plan(&self, root: &mut Root) {
        let preference = if race::opponent_stays(&root.position) {
            PREFERENCE_TO_STAYING
        } else {
            PREFERENCE
        };
        let moves = could_begin(&self.memory.plan, &root.position);
        root.prefer(&moves, preference);
    }

    /// Searches from the root with increasing depth. Returns the number of nodes visited.
    fn search(
        &mut self,
        root: &mut Root,
        limits: &Limits,
        control: &Control<Move>,
        watch: Watch,
    ) -> u64 {
        let position = root.position;
        self.table.next_age();
        self.guide(&position, limits.nodes, watch);
        self.prefer_plan(root);
        // This comes after `prefer_plan`, which sorts the moves again.
        if let Some(entry) = self.table.get(position.hash()) {
            root.look_first_at(entry.best);
        }
        let mut searcher = Searcher::new(
            &self.values,
            self.selectivity,
            &mut self.table,
            limits.nodes,
            watch,
        );
        let deepest = limits.depth.min(DEEPEST);
        root.deepen(deepest, self.ends_early, &mut searcher, control);
        let nodes = searcher.nodes;
        let after = position.after(root.moves[0].mv);
        self.memory.line = read_line(&self.table, after, KEPT_OF_LINE);
        nodes
    }
}

impl Agent for SearchAgent {
    type Position = Position;
    type Move = Move;

    fn think(
        &mut self,
        position: &Position,
        limits: Limits,
        control: &Control<Move>,
    ) -> Found<Move> {
        let watch: Watch = &watch(&limits, control);
        self.memory.line.clear();
        let mut root = Root::new(position, &self.values, &self.memory.seen);
        control.publish(root.moves[0].mv);
        let raced = (!root.is_decided() && race::is_race(position))
            .then(|| {
                let known = &self.memory.plan;
                race::to_goal(position, &self.values, limits.nodes, known, watch)
            })
            .flatten();
        if let Some(plan) = &raced {
            self.memory.plan.clone_from(plan);
        }
        // Every move of a race makes progress. If the plan leads back to an earlier position, the opponent keeps
        // breaking the plan.
        let raced = raced.filter(|plan| !root.repeats(plan[0]));
        let (best, value, depth, nodes) = match raced {
            // The plan ignores the opponent, so its value stays below the values of proven wins.
            Some(plan) => (plan[0], WIN_SEEN - plan.len() as i32, plan.len() as u32, 0),
            None => {
                let nodes = self.search(&mut root, &limits, control, watch);
                let RootMove { mv, value, .. } = root.moves[0];
                (mv, value, root.depth, nodes)
            }
        };
        go_on(&mut self.memory.plan, best);
        self.memory.seen.push(position.after(best).hash());
        let value = (position.to_move().sign() * value) as Score;
        Found {
            principal_variation: [&[best], &self.memory.line[..]].concat(),
            ..Found::without_answer(best, value, depth, nodes)
        }
    }

    fn observe(&mut self, before: Position, played: Move, _took: Duration) {
        let expected = self.memory.line.first().copied();
        (self.memory.opponent).observe(before.to_move(), played, expected);
    }

    fn opponent(&self) -> OpponentMemory {
        self.memory.opponent.counts
    }

    fn new_game(&mut self) {
        self.forget();
    }
}

/// Creates a [`Watch`] that checks the deadlines and the stop flag of a search that begins now.
pub(crate) fn watch(limits: &Limits, control: &Control<Move>) -> impl Fn(Deadline) -> bool {
    let early = limits.hurried(EARLY);
    move |deadline| {
        control.stopped()
            || match deadline {
                Deadline::Early => early.is_soft_over(),
                Deadline::Soft => limits.is_soft_over(),
                Deadline::Hard => limits.is_hard_over(),
            }
    }
}

/// Removes the played move from the plan. Clears the plan if it does not contain the move.
fn go_on(plan: &mut Vec<Move>, mv: Move) {
    // The move may come from the middle of the plan: see `could_begin`.
    match plan.iter().position(|&planned| planned == mv) {
        Some(at) => {
            plan.remove(at);
        }
        None => plan.clear(),
    }
}

/// Returns the best moves from a position on, up to `most`, as far as the table still holds them.
pub(crate) fn read_line(table: &Table<Move>, mut position: Position, most: usize) -> Vec<Move> {
    let mut line = Vec::new();
    while line.len() < most && !position.is_won() {
        let best = table.get(position.hash()).and_then(|entry| entry.best);
        // Two positions may share a hash.
        let Some(mv) = best.filter(|&mv| position.is_legal(mv)) else {
            break;
        };
        line.push(mv);
        position.play(mv);
    }
    line
}

/// Returns the moves of a plan that can be played first, if the other moves of the plan follow in order.
///
/// Whichever move comes first, the position after the whole plan does not change. The search decides which move is
/// urgent.
pub(crate) fn could_begin(plan: &[Move], position: &Position) -> Vec<Move> {
    let others = |first: usize| (0..plan.len()).filter(move |&at| at != first);
    (0..plan.len())
        .filter(|&first| {
            let order = std::iter::once(first).chain(others(first));
            position.after_own(order.map(|at| plan[at])).is_some()
        })
        .map(|first| plan[first])
        .collect()
}
