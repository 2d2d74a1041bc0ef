//! Writes log records of our games: one record for each of our moves, and one summary for each game.

use std::time::Duration;

use tracing::{info, warn};
use turnwise_engine::agent::OpponentMemory;
use turnwise_engine::clock::Delays;
use turnwise_engine::thought::Thought;
use turnwise_engine::words::counted;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::picture;
use turnwise_entropy::rules::{Colour, Move};
use turnwise_protocol::entropy::Role;

use super::Turn;
use super::game::TrackedGame;
use super::seen::Figures;

/// The tracing target of move records and game summaries. The `event` field distinguishes the two.
pub const TARGET: &str = "turnwise::budget";

/// A move of ours that was decided but not yet sent.
pub(super) struct MoveRecord {
    pub turn: Turn,
    pub played: Move,
    /// The placed tile; `None` for a move of Order.
    pub tile: Option<Colour>,
    pub decided_by: DecidedBy,
}

pub(super) enum DecidedBy {
    Search(Thought<Move>),
    /// The search was not completed, for the reason in this text: the time was up, or the search panicked. We play the
    /// best move known so far.
    Fallback(&'static str),
}

/// Totals over our moves of one game, such as times and nodes.
#[derive(Default)]
pub(super) struct GameBook {
    moves: u32,
    fallbacks: u32,
    wall: Duration,
    cpu: Duration,
    longest: Duration,
    over_budget: Duration,
    nodes: u64,
    depths: u32,
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

fn hundredths(value: f32) -> f64 {
    (f64::from(value) * 100.0).round() / 100.0
}

impl GameBook {
    /// Logs a move that we sent, and returns figures about the decision.
    ///
    /// `used` is the time from the beginning of our turn until the move was sent.
    pub fn record(&mut self, game: &TrackedGame, record: &MoveRecord, used: Duration) -> Figures {
        let size = game.position.size();
        let turn = &record.turn;
        let [soft, hard, limit] = [turn.budget.soft, turn.budget.hard, turn.budget.reply]
            .map(|deadline| deadline - turn.budget.start);
        self.moves += 1;
        self.wall += used;
        self.longest = self.longest.max(used);
        self.over_budget = self.over_budget.max(used.saturating_sub(limit));
        let (mut cpu, mut depth, mut nodes) = (Duration::ZERO, 0, 0);
        let (mut score, mut value) = (None, None);
        let mut variation = picture::notation(record.played, size);
        match &record.decided_by {
            DecidedBy::Search(thought) => {
                let found = &thought.found;
                (cpu, depth, nodes) = (thought.cpu, found.depth, found.nodes);
                score = thought.forecast;
                value = Some(found.value);
                let moves = found.principal_variation.iter();
                let words: Vec<_> = moves.map(|&mv| picture::notation(mv, size)).collect();
                variation = words.join(", ");
            }
            DecidedBy::Fallback(reason) => {
                self.fallbacks += 1;
                warn!(
                    game = game.number,
                    ply = game.ply,
                    reason,
                    "played the best move known so far"
                );
            }
        }
        self.cpu += cpu;
        self.nodes += nodes;
        self.depths += depth;
        let rate = nodes as f64 / cpu.as_secs_f64().max(1e-6);
        info!(
            target: TARGET,
            event = "move",
            game = game.number,
            ply = game.ply,
            role = %game.role,
            clock_left_s = seconds(turn.clock_left),
            soft_ms = milliseconds(soft),
            hard_ms = milliseconds(hard),
            used_ms = milliseconds(used),
            cpu_ms = milliseconds(cpu),
            depth,
            nodes,
            nodes_per_s = rate.round(),
            score = score.map(hundredths),
            value = value.map(hundredths),
            pv = variation,
            wait_ms = milliseconds(turn.network_wait),
            "{:2} {} {}  {}depth {depth}  {:.2} s  {:.1} s left",
            game.ply,
            word(game.role),
            in_words(record, size),
            score.map_or_else(String::new, |score| format!("{score:.1} expected  ")),
            used.as_secs_f64(),
            game.clock.remaining().as_secs_f64(),
        );
        Figures {
            clock_left: turn.clock_left,
            soft,
            hard,
            used,
            cpu,
            depth,
            nodes,
            score,
            value,
        }
    }

    /// Logs a summary of a game that was played to its end.
    pub fn summary(&self, game: &TrackedGame, delays: &Delays, opponent: OpponentMemory) {
        let moves = f64::from(self.moves.max(1));
        info!(
            target: TARGET,
            event = "game",
            game = game.number,
            size = game.position.size(),
            role = %game.role,
            order_score = board_score(&game.position),
            moves = self.moves,
            fallbacks = self.fallbacks,
            clock_used_s = seconds(game.clock.used()),
            clock_left_s = seconds(game.clock.remaining()),
            overrun_ms = milliseconds(game.clock.overrun().unwrap_or_default()),
            longest_ms = milliseconds(self.longest),
            over_budget_ms = milliseconds(self.over_budget),
            delay_mean_ms = milliseconds(delays.mean()),
            delay_worst_ms = milliseconds(delays.worst()),
            wall_s = seconds(self.wall),
            cpu_s = seconds(self.cpu),
            nodes = self.nodes,
            mean_depth = (f64::from(self.depths) / moves * 100.0).round() / 100.0,
            opponent_moves = opponent.moves,
            opponent_s = seconds(opponent.time),
            opponent_expected = opponent.expected_share().map(|share| (share * 1e3).round() / 1e3),
            opponent_lost = opponent.mean_loss().map(hundredths),
            board = picture::board(&game.position, false),
            "game {} is over: {} points for Order; we were {} and had {:.1} s left",
            game.number,
            board_score(&game.position),
            word(game.role),
            game.clock.remaining().as_secs_f64(),
        );
    }
}

/// Returns the name of a role as people write it.
fn word(role: Role) -> &'static str {
    match role {
        Role::Order => "Order",
        Role::Chaos => "Chaos",
    }
}

/// Returns a move as people read it, such as `2 3 -> 2 0`, `C to 2 2` or `pass`.
fn in_words(record: &MoveRecord, size: u8) -> String {
    let mv = picture::notation(record.played, size);
    match (record.played, record.tile) {
        (Move::Slide { from, to }, _) => {
            let [from, to] = [from, to].map(|cell| picture::notation(Move::Place(cell), size));
            format!("{from} -> {to}")
        }
        (Move::Place(_), Some(tile)) => format!("{} to {mv}", picture::letter(tile)),
        _ => mv,
    }
}

/// Logs the end of a game that was cut short.
pub(super) fn abandoned(game: &TrackedGame, why: &str) {
    warn!(
        target: TARGET,
        event = "abandoned",
        game = game.number,
        role = %game.role,
        ply = game.ply,
        why,
        "game {} was abandoned after {} and counts neither as won nor as lost: {why}",
        game.number,
        counted(game.ply, "ply"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_where_they_tell_no_more() {
        let time = Duration::from_nanos(1_234_567_890);
        assert_eq!(milliseconds(time), 1_234.568);
        assert_eq!(seconds(time), 1.235);
        assert_eq!(hundredths(-1.236), -1.24);
    }
}
