//! The searching agent for Entropy. Its transposition table and its knowledge of the opponent persist across turns and
//! games.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use crate::evaluated::Evaluated;
use crate::evaluation::Evaluation;
use crate::rules::{Move, Position};
use crate::weights;
use turnwise_engine::agent::{Agent, OpponentMemory};
use turnwise_engine::game::{Game, Score, Side, Turn};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Found, Limits, Schedule, Width, deepening, threads};

/// The maximum size of the transposition table, in bytes.
const TABLE_BYTES: usize = 64 << 20;

/// The size of the transposition table, in bytes per second of a game's clock. A short clock needs a small table,
/// because the clock may already run while the table is allocated.
const TABLE_BYTES_A_SECOND: f64 = (4 << 20) as f64;

/// The maximum number of nodes that we spend on judging the opponent's moves before each of our moves.
///
/// A search with this limit takes a few milliseconds on common boards.
const JUDGING_NODES: u64 = 40_000;

/// At most 1/`JUDGING_SHARE` of our time and nodes is spent on judging the opponent's moves.
const JUDGING_SHARE: u64 = 10;

/// The maximum number of the opponent's moves that wait to be judged; older moves are dropped. Usually the opponent
/// makes one move between two of our moves, but a server may report more.
const MOST_UNJUDGED: usize = 2;

/// The search depth for judging a move of the opponent, in plies; draws do not count.
const JUDGING_DEPTH: u32 = 2;

/// How many of the most promising moves are searched, on larger boards and far from the end of the game.
///
/// The other moves are rarely best, and it is better to spend the time on a search two plies deeper. Chaos's moves are
/// ranked by Order's best reply, so few of them suffice, except two plies above the leaves, where they are ranked
/// without the reply.
pub(crate) const WIDTHS: &[Width] = &widths(None);

/// `WIDTHS` with a [glance](Game::glance), a quick evaluation of all moves, one ply above the leaves.
///
/// After the glance, only the slides with the best line values are also evaluated by blocks.
pub const WIDTHS_WITH_GLANCE: &[Width] = &widths(Some(8));

/// The size of boards, in rows, on which the glance makes the agent stronger.
///
/// On 5 rows, the glance saves less time and costs 0.4 points per pair of games.
const ROWS_TO_GLANCE_AT: u8 = 7;

// The numbers were chosen by matches: see docs/notes/entropy.md.
const fn widths(after_glance: Option<usize>) -> [Width; 2] {
    [
        Width {
            max: 8,
            min: 12,
            after_deep_look: 4,
            after_glance,
        },
        Width {
            max: 24,
            min: 16,
            after_deep_look: 5,
            after_glance,
        },
    ]
}

/// The largest board, in rows, on which every move is searched during the whole game.
///
/// On 4 rows, starting with fewer moves brought no gain: see docs/notes/entropy.md.
const FULL_WIDTH_SIZE: u8 = 4;

/// Widths large enough to search every move on a small board, where each tile has at most six slides.
const EVERY_MOVE: &[Width] = &[Width {
    max: 96,
    min: 96,
    after_deep_look: 96,
    after_glance: None,
}];

/// If at most this number of plies remains in the game, every move is searched, so the values found are exact.
const FULL_WIDTH_PLIES: u32 = 6;

/// Returns the schedule of iterations for searching a position.
pub(super) fn schedule(game: &Evaluated) -> Schedule {
    match game.plies_left() <= FULL_WIDTH_PLIES {
        true => Schedule::FULL,
        false => far_from_the_end(game),
    }
}

/// Returns the schedule for searches whose leaves lie before the end of the game.
fn far_from_the_end(game: &Evaluated) -> Schedule {
    let evaluation = game.evaluation();
    let has_blocks = evaluation.numbered_blocks().is_some();
    game.leaves_before_draw(match evaluation.size() {
        ..=FULL_WIDTH_SIZE => EVERY_MOVE,
        ROWS_TO_GLANCE_AT if has_blocks => WIDTHS_WITH_GLANCE,
        _ => WIDTHS,
    })
}

/// The agent that chooses its moves by search.
pub struct SearchAgent {
    table: Table<Move>,
    /// The evaluation for boards of the size that it was made for.
    evaluation: Option<Arc<Evaluation>>,
    /// Returns the evaluation for boards of other sizes.
    usual: fn(u8) -> Arc<Evaluation>,
    threads: NonZeroUsize,
    opponent: OpponentMemory,
    /// Moves of the opponent that are not judged yet, each with the position before the move.
    unjudged: VecDeque<(Position, Move)>,
}

impl SearchAgent {
    /// Creates an agent whose transposition table suits games with this clock. The clock may already be running while
    /// the agent is created.
    pub fn for_clock(clock: Duration) -> Self {
        let bytes = clock.as_secs_f64() * TABLE_BYTES_A_SECOND;
        Self::with((bytes as usize).min(TABLE_BYTES), None)
    }

    /// Creates an agent with a table of `table_bytes` bytes, for searches that are known to be short. Boards with the
    /// evaluation's size use `evaluation` instead of the best known evaluation.
    pub fn with(table_bytes: usize, evaluation: Option<Arc<Evaluation>>) -> Self {
        Self {
            table: Table::new(table_bytes),
            evaluation,
            usual: weights::best_known,
            threads: NonZeroUsize::MIN,
            opponent: OpponentMemory::default(),
            unjudged: VecDeque::new(),
        }
    }

    /// Sets the number of threads. Use more than one thread only if each has its own core and wall time matters. With
    /// one thread, equal node limits lead to equal games.
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// Uses the evaluation that `usual` returns for a board's size instead of the best known evaluation.
    pub fn with_usual(self, usual: fn(u8) -> Arc<Evaluation>) -> Self {
        Self { usual, ..self }
    }

    fn evaluated(&self, position: &Position) -> Evaluated {
        let size = position.size();
        let given = (self.evaluation.as_ref()).filter(|given| given.size() == size);
        let evaluation = given.map_or_else(|| (self.usual)(size), Arc::clone);
        Evaluated::new(position.clone(), evaluation)
    }

    /// Checks whether we expected this move of the opponent, and measures how many points it lost.
    fn judge(&mut self, before: &Position, played: Move, budget: &mut Limits) {
        let mut game = self.evaluated(before);
        // This schedule covers all iterations of our last search, whichever schedule that search used.
        let schedule = far_from_the_end(&game);
        if let Some(best) = schedule.known_best(&game, &self.table) {
            self.opponent.predicted += 1;
            self.opponent.expected += u32::from(best == played);
        }
        if let Some(lost) = self.loss(&mut game, played, budget) {
            self.opponent.judged += 1;
            self.opponent.lost += lost;
        }
    }

    fn loss(&mut self, game: &mut Evaluated, played: Move, budget: &mut Limits) -> Option<Score> {
        let Turn::Player(side) = game.turn() else {
            return None;
        };
        let depth = JUDGING_DEPTH.min(game.plies_left());
        let best = self.judged_value(game, depth, budget)?;
        game.make(played);
        let value = match game.turn() {
            Turn::Player(_) => self.judged_value(game, depth - 1, budget),
            // A draw follows Order's slide; a chance node averages over its outcomes.
            Turn::Chance => self.judged_mean(game, depth - 1, budget),
            Turn::Over => Some(game.evaluate()),
        };
        game.unmake(played, ());
        let lost = match side {
            Side::Max => best - value?,
            Side::Min => value? - best,
        };
        Some(lost.max(0.0))
    }

    fn judged_mean(
        &mut self,
        game: &mut Evaluated,
        depth: u32,
        budget: &mut Limits,
    ) -> Option<Score> {
        let mut outcomes = Vec::new();
        game.outcomes(&mut outcomes);
        let mut mean = 0.0;
        for (outcome, probability) in outcomes {
            game.make(outcome);
            let value = self.judged_value(game, depth, budget);
            game.unmake(outcome, ());
            mean += probability * value?;
        }
        Some(mean)
    }

    /// Returns the value that a search with exactly this depth finds, or `None` if the budget is too small.
    fn judged_value(
        &mut self,
        game: &mut Evaluated,
        depth: u32,
        budget: &mut Limits,
    ) -> Option<Score> {
        if depth == 0 {
            return Some(game.evaluate());
        }
        let limits = Limits { depth, ..*budget };
        let found = deepening::search(game, &mut self.table, limits, &Control::new());
        budget.nodes = budget.nodes.saturating_sub(found.nodes);
        (found.depth == depth).then_some(found.value)
    }
}

/// Creates an agent with the largest table, which does not know its opponent.
impl Default for SearchAgent {
    fn default() -> Self {
        Self::with(TABLE_BYTES, None)
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
        let mut moves = Vec::new();
        let mut game = self.evaluated(position);
        game.moves(&mut moves);
        if let Some(&first) = moves.first() {
            control.publish(first);
        }
        let hurried = limits.hurried(1.0 / JUDGING_SHARE as f64);
        let mut judging = Limits {
            nodes: JUDGING_NODES.min(limits.nodes / JUDGING_SHARE),
            hard: hurried.hard,
            cpu: hurried.cpu,
            ..Limits::default()
        };
        for (before, played) in std::mem::take(&mut self.unjudged) {
            if !control.stopped() {
                self.judge(&before, played, &mut judging);
            }
        }
        let limits = Limits {
            schedule: schedule(&game),
            ..limits
        };
        threads::search(&mut game, &mut self.table, limits, control, self.threads)
    }

    fn forecast(&self, position: &Position, found: &Found<Move>) -> Option<Score> {
        self.evaluated(position)
            .forecast(found.value, found.value_depth, found.solved)
    }

    fn observe(&mut self, before: Position, played: Move, took: Duration) {
        self.opponent.moves += 1;
        self.opponent.time += took;
        if before.is_legal(played) {
            if self.unjudged.len() == MOST_UNJUDGED {
                self.unjudged.pop_front();
            }
            self.unjudged.push_back((before, played));
        }
    }

    fn opponent(&self) -> OpponentMemory {
        self.opponent
    }

    fn weights(&self) -> Option<&str> {
        self.evaluation.as_ref().map(|given| given.name())
    }

    fn recover(&mut self) {
        self.table.clear();
        self.unjudged.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use turnwise_engine::cpu_time::{CpuClock, CpuDeadlines};

    /// Returns a position in which half of the tiles are spread over the board, and Chaos must place a tile.
    fn middle_of_a_game(size: u8) -> Position {
        let mut position = Position::new(Rules { size, pass: false });
        let size = u16::from(size);
        for tile in 0..size * size / 2 {
            position.make(Move::Draw((tile % size) as u8 + 1));
            position.make(Move::Place(tile * 11 % (size * size)));
            position.make(Move::Pass);
        }
        position.make(Move::Draw(1));
        position
    }

    #[test]
    fn the_reply_that_was_expected_is_told_from_others() {
        for size in [4, 5, 7] {
            for plays_expected in [true, false] {
                let mut agent = SearchAgent::default();
                let mut position = middle_of_a_game(size);
                let limits = Limits::of_nodes(150_000);
                let found = agent.think(&position, limits, &Control::new());
                assert!(found.depth >= 4, "depth {} on {size}", found.depth);
                let &[ours, expected] = &found.principal_variation[..] else {
                    panic!("no reply in {:?}", found.principal_variation);
                };
                position.make(ours);
                let mut replies = Vec::new();
                position.slides(&mut replies);
                let other = replies.iter().find(|&&mv| mv != expected);
                let reply = if plays_expected {
                    expected
                } else {
                    *other.expect("two slides")
                };
                agent.observe(position.clone(), reply, Duration::ZERO);
                position.make(reply);
                position.make(Move::Draw(2));
                agent.think(&position, limits, &Control::new());
                let opponent = agent.opponent();
                assert_eq!(opponent.predicted, 1);
                assert_eq!(opponent.expected, u32::from(plays_expected), "on {size}");
            }
        }
    }

    #[test]
    fn only_the_latest_moves_of_an_opponent_wait_to_be_judged() {
        let mut agent = SearchAgent::default();
        let position = middle_of_a_game(4);
        let mut placements = Vec::new();
        position.placements(&mut placements);
        for &placement in &placements {
            agent.observe(position.clone(), placement, Duration::ZERO);
        }
        assert_eq!(agent.opponent().moves as usize, placements.len());
        let limits = Limits::of_nodes(1_000_000);
        agent.think(&position, limits, &Control::new());
        assert_eq!(agent.opponent().judged as usize, MOST_UNJUDGED);
    }

    #[test]
    fn judging_ends_with_its_part_of_the_time_that_counts() {
        let position = middle_of_a_game(4);
        let mut placements = Vec::new();
        position.placements(&mut placements);
        let judged = |seconds: u64| {
            let mut agent = SearchAgent::default();
            agent.observe(position.clone(), placements[0], Duration::ZERO);
            let time = Duration::from_secs(seconds);
            let limits = Limits {
                cpu: Some(CpuDeadlines::after(CpuClock::Thread, (time, time))),
                ..Limits::of_nodes(1_000_000)
            };
            agent.think(&position, limits, &Control::new());
            agent.opponent().judged
        };
        assert_eq!(judged(0), 0);
        assert_eq!(judged(3_600), 1);
    }

    #[test]
    fn given_values_outlast_a_board_of_another_size() {
        let given = crate::evaluation::by_holes(5);
        let mut agent = SearchAgent::with(1 << 16, Some(Arc::clone(&given)));
        let limits = Limits {
            depth: 1,
            ..Limits::default()
        };
        let first = agent.think(&middle_of_a_game(5), limits, &Control::new());
        agent.think(&middle_of_a_game(6), limits, &Control::new());
        let again = agent.think(&middle_of_a_game(5), limits, &Control::new());
        assert_eq!(first.value, again.value);
        let best_known =
            SearchAgent::default().think(&middle_of_a_game(5), limits, &Control::new());
        assert_ne!(first.value, best_known.value);
    }
}
