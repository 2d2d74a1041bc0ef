//! The agent that searches, and what it knows of its game.

use std::time::{Duration, Instant};

use turnwise_engine::agent::Agent;
use turnwise_engine::agent::OpponentMemory;
use turnwise_engine::cpu_time::CpuDeadlines;
use turnwise_engine::game::Score;
use turnwise_engine::search::table::{Bound, Finding, Table};
use turnwise_engine::search::{Control, Found, Limits};

use crate::evaluation::Values;
use crate::opponent::Opponent;
use crate::race::{self, HORIZON, Length};
use crate::rules::{Move, Position};
use crate::search::{Aborted, DEEPEST, Deadline, Searcher, Selectivity, WIN_SEEN, WON, Watch};

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

/// Off for a move back to a position that the game has seen, in points.
const REPETITION: i32 = 60;

/// Moves of the principal variation that are kept behind our own: the reply, and our answer to it.
const KEPT_OF_LINE: usize = 2;

/// The part of the time to the soft deadline that counts as early.
const EARLY: f64 = 0.2;

/// The agent that searches.
pub struct SearchAgent {
    values: Values,
    selectivity: Selectivity,
    table: Table<Move>,
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

    /// Plans the own moves that gain most if the opponent stands still. Ladders are built over many moves:
    /// far more than alternating plies can be searched. Without time for a new plan the old one stays.
    fn guide(&mut self, position: &Position, nodes: u64, watch: Watch) {
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
        let preference = if race::opponent_stays(&position) {
            PREFERENCE_TO_STAYING
        } else {
            PREFERENCE
        };
        root.prefer(&could_begin(&self.memory.plan, &position), preference);
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
        self.memory.line = read_line(&self.table, position.after(root.moves[0].mv));
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
        self.memory = Memory::default();
        self.table.clear();
    }
}

/// Watches over the deadlines and the stop flag of a search that begins now.
fn watch(limits: &Limits, control: &Control<Move>) -> impl Fn(Deadline) -> bool {
    let now = Instant::now();
    let early = Limits {
        soft: (limits.soft).map(|soft| now + soft.saturating_duration_since(now).mul_f64(EARLY)),
        cpu: limits.cpu.map(|cpu| {
            let now = cpu.clock.now();
            CpuDeadlines {
                soft: now + cpu.soft.saturating_sub(now).mul_f64(EARLY),
                ..cpu
            }
        }),
        ..*limits
    };
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

/// The best moves that follow from a position on, as far as the table still knows them.
fn read_line(table: &Table<Move>, mut position: Position) -> Vec<Move> {
    let mut line = Vec::new();
    while line.len() < KEPT_OF_LINE && !position.is_won() {
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
fn could_begin(plan: &[Move], position: &Position) -> Vec<Move> {
    let others = |first: usize| (0..plan.len()).filter(move |&at| at != first);
    (0..plan.len())
        .filter(|&first| {
            let order = std::iter::once(first).chain(others(first));
            position.after_own(order.map(|at| plan[at])).is_some()
        })
        .map(|first| plan[first])
        .collect()
}

#[derive(Debug, Clone, Copy)]
struct RootMove {
    mv: Move,
    gain: i32,
    /// Added for what the search does not see: the guide's advice, repetitions.
    bonus: i32,
    value: i32,
}

/// The state between iterations: root moves, the best of them first.
struct Root {
    position: Position,
    balance: i32,
    moves: Vec<RootMove>,
    depth: u32,
}

impl Root {
    fn new(position: &Position, values: &Values, seen: &[u64]) -> Self {
        let mut moves: Vec<RootMove> = (position.moves().into_iter())
            .map(|mv| {
                let after = position.after(mv);
                let gain = values.gain(position.to_move(), mv);
                let bonus = if seen.contains(&after.hash()) {
                    -REPETITION
                } else {
                    0
                };
                let value = if after.is_won() {
                    WON - 1
                } else {
                    gain + bonus
                };
                RootMove {
                    mv,
                    gain,
                    bonus,
                    value,
                }
            })
            .collect();
        moves.sort_by_key(|known| -known.value);
        Self {
            position: *position,
            balance: values.position(position),
            moves,
            depth: 0,
        }
    }

    /// True if a move leads back to a position that the game has seen.
    fn repeats(&self, mv: Move) -> bool {
        let known = self.moves.iter().find(|known| known.mv == mv);
        known.is_some_and(|known| known.bonus < 0)
    }

    /// Takes the guide's advice as far as the search sees no reason against it; a move back is none.
    fn prefer(&mut self, moves: &[Move], preference: i32) {
        if self.is_decided() {
            return;
        }
        for known in &mut self.moves {
            if moves.contains(&known.mv) && known.bonus >= 0 {
                known.bonus += preference;
                known.value += preference;
            }
        }
        self.moves.sort_by_key(|known| -known.value);
    }

    /// Puts the best move by an earlier search first, unless it repeats a position. Its value stays:
    /// without time for a search it is the answer, with time it is looked at early.
    fn look_first_at(&mut self, mv: Option<Move>) {
        let is_it = |root: &RootMove| Some(root.mv) == mv && root.bonus >= 0;
        if let Some(at) = self.moves.iter().position(is_it)
            && !self.is_decided()
        {
            self.moves[..=at].rotate_right(1);
        }
    }

    /// True if there is nothing to think about.
    fn is_decided(&self) -> bool {
        self.moves.len() == 1 || self.moves[0].value >= WIN_SEEN || self.moves[0].value <= -WIN_SEEN
    }

    fn deepen(&mut self, deepest: u32, searcher: &mut Searcher, control: &Control<Move>) {
        while self.depth < deepest && !self.is_decided() {
            // The replies are looked at even if the guide has used up the time.
            if self.depth > 0 && searcher.is_soft_over() {
                break;
            }
            let iterated = self.iterate(searcher);
            control.publish(self.moves[0].mv);
            if iterated.is_err() {
                break;
            }
            self.depth += 1;
        }
    }

    /// Searches one ply deeper. Broken off, it still puts the best move so far first.
    fn iterate(&mut self, searcher: &mut Searcher) -> Result<(), Aborted> {
        let mut best = 0;
        let outcome = self.value_moves(searcher, &mut best);
        self.moves[..=best].rotate_right(1);
        outcome
    }

    fn value_moves(&mut self, searcher: &mut Searcher, best: &mut usize) -> Result<(), Aborted> {
        let depth = self.depth;
        let mut alpha = -WON;
        for at in 0..self.moves.len() {
            let RootMove {
                mv, gain, bonus, ..
            } = self.moves[at];
            let next = self.position.after(mv);
            let balance = -(self.balance + gain);
            let mut search = |alpha: i32, beta: i32| {
                // The window is moved by what is added: the search knows nothing of it.
                let window = (bonus - beta, bonus - alpha);
                let value = -searcher.value(&next, balance, depth, 1, window)?;
                // A win or a loss that is seen stays what it is.
                Ok(if value.abs() > WIN_SEEN {
                    value
                } else {
                    value + bonus
                })
            };
            let mut value = search(alpha, if at == 0 { WON } else { alpha + 1 })?;
            if at > 0 && value > alpha {
                value = search(alpha, WON)?;
            }
            self.moves[at].value = value;
            if value > alpha {
                alpha = value;
                *best = at;
            }
            if at > 0 && depth > 0 && searcher.is_soft_over() {
                return Err(Aborted);
            }
        }
        Ok(())
    }
}
