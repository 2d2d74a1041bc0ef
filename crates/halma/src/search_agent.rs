//! The agent that searches, and what it knows of its game.

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

/// Bytes of table for each node of a limited search, and the smallest table.
const TABLE_BYTES_A_NODE: usize = 100;
const SMALLEST_TABLE: usize = 1 << 16;
/// The largest table that is made, in bytes.
pub(crate) const LARGEST_TABLE: usize = 64 << 20;

/// The table for searches of so many nodes, in bytes: making one takes time too.
pub(crate) fn table_bytes(nodes: u64) -> usize {
    let nodes = usize::try_from(nodes).unwrap_or(usize::MAX);
    let bytes = nodes.saturating_mul(TABLE_BYTES_A_NODE);
    bytes.clamp(SMALLEST_TABLE, LARGEST_TABLE)
}

/// Widths of its beams, one after the other while there is time.
const GUIDE_WIDTHS: [usize; 6] = [10, 30, 100, 300, 1_000, 3_000];

/// What the guide may take besides, as a part of the nodes.
const GUIDE_SHARE: u64 = 4;

/// What the moves that the guide would begin with are preferred by, in points. Found by matches:
/// docs/notes/halma.md.
const PREFERENCE: i32 = 150;
/// The same against an opponent that stays at home. Who searches for what to do against its blocks
/// loses more time than they cost.
const PREFERENCE_TO_STAYING: i32 = 600;

/// Moves of the principal variation that are kept behind our own: the reply, and our answer to it.
const KEPT_OF_LINE: usize = 2;

/// The part of the time to the soft deadline that counts as early.
const EARLY: f64 = 0.2;

/// The agent that searches.
pub struct SearchAgent {
    pub(crate) values: Values,
    pub(crate) selectivity: Selectivity,
    pub(crate) table: Table<Move>,
    /// What it knows of its game.
    pub memory: Memory,
}

/// What an agent knows of its game besides its table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// Hashes of the positions after own moves, oldest first.
    pub seen: Vec<u64>,
    /// Own moves that were planned and are still to be played: to the goal in a race, before it as far as
    /// the guide has looked.
    pub plan: Vec<Move>,
    /// What the last search expects to follow on its move, the opponent's reply first, as far as the table
    /// still knows it; nothing after a race's move.
    pub line: Vec<Move>,
    /// What is known of the opponent.
    pub opponent: Opponent,
}

impl SearchAgent {
    /// An agent at the beginning of a game, with a table of at most this size.
    pub fn new(table_bytes: usize) -> Self {
        Self {
            values: Values::default(),
            selectivity: Selectivity::default(),
            table: Table::new(table_bytes),
            memory: Memory::default(),
        }
    }

    /// Tells what an earlier search found best in this position: it is looked at early, and is the
    /// answer where there is no time for a search.
    pub fn advise(&mut self, position: &Position, mv: Move) {
        // Its value is not told: whatever is worth something is worth at least a loss.
        let value = -WON as f32;
        let finding = Finding {
            value,
            bound: Bound::Lower,
            best: Some(mv),
            narrowed: false,
        };
        self.table.put(position.hash(), 0, finding);
    }

    /// Makes it an agent at the beginning of a game.
    pub(crate) fn forget(&mut self) {
        self.memory = Memory::default();
        self.table.clear();
    }

    /// Plans the own moves that gain most if the opponent stands still. Ladders are built over many moves:
    /// far more than alternating plies can be searched. Without time for a new plan the old one stays.
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

    /// Prefers the moves with which the plan could begin.
    pub(crate) fn prefer_plan(&self, root: &mut Root) {
        let preference = if race::opponent_stays(&root.position) {
            PREFERENCE_TO_STAYING
        } else {
            PREFERENCE
        };
        let moves = could_begin(&self.memory.plan, &root.position);
        root.prefer(&moves, preference);
    }

    /// Searches on from the root; the number of nodes.
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
        root.deepen(limits.depth.min(DEEPEST), &mut searcher, control);
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
        // A race leads on with every move. One that leads back is broken by the opponent each time.
        let raced = raced.filter(|plan| !root.repeats(plan[0]));
        let (best, value, depth, nodes) = match raced {
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

/// Watches over the deadlines and the stop flag of a search that begins now.
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

/// What is left of a plan after a move: all of it but the move if that was one of it.
fn go_on(plan: &mut Vec<Move>, mv: Move) {
    match plan.iter().position(|&planned| planned == mv) {
        Some(at) => {
            plan.remove(at);
        }
        None => plan.clear(),
    }
}

/// At most so many best moves that follow from a position on, as far as the table still knows them.
pub(crate) fn read_line(table: &Table<Move>, mut position: Position, most: usize) -> Vec<Move> {
    let mut line = Vec::new();
    while line.len() < most && !position.is_won() {
        let best = table.get(position.hash()).and_then(|entry| entry.best);
        // Two positions may have the same hash.
        let Some(mv) = best.filter(|&mv| position.is_legal(mv)) else {
            break;
        };
        line.push(mv);
        position.play(mv);
    }
    line
}

/// The moves of a plan that can be played first, with all others following in their order: they lead to
/// the same position. Which of them is urgent is for the search to say.
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
