//! Reads the log of a player and sums up how its time was spent.

use std::io::{self, BufRead};

use serde::Deserialize;

/// One record of the log that says something about time.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Record {
    /// A move.
    Move(Move),
    /// A game played to its end.
    Game(Game),
    /// A game cut short.
    Abandoned(Abandoned),
}

/// A move, times in milliseconds unless the name says seconds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Move {
    /// Counted from 1 over the connection.
    pub game: u32,
    /// Moves of both players, this one included.
    pub ply: u32,
    /// ORDER or CHAOS.
    pub role: String,
    /// Time left on the clock before the move, in seconds.
    pub clock_left_s: f64,
    /// The share of the time meant for this move.
    pub soft_ms: f64,
    /// The most it may take.
    pub hard_ms: f64,
    /// What it took, from the message to the reply.
    pub used_ms: f64,
    /// CPU time of the searching thread.
    pub cpu_ms: f64,
    /// Deepest completed iteration.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// From the reply before to the message: the opponent, the server, and the way.
    pub wait_ms: f64,
}

/// A game played to its end.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Game {
    /// Counted from 1 over the connection.
    pub game: u32,
    /// ORDER or CHAOS.
    pub role: String,
    /// Order's score.
    pub order_score: u32,
    /// Our moves.
    pub moves: u32,
    /// Moves sent without waiting for the search.
    pub fallbacks: u32,
    /// Time used, in seconds.
    pub clock_used_s: f64,
    /// Time left, in seconds.
    pub clock_left_s: f64,
    /// The longest move.
    pub longest_ms: f64,
    /// By how much a move missed its latest time of reply at most.
    pub over_budget_ms: f64,
    /// CPU time of all searches, in seconds.
    pub cpu_s: f64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Mean depth of the moves.
    pub mean_depth: f64,
    /// How often the opponent played what we expected, from 0 to 1.
    pub opponent_expected: Option<f64>,
    /// Points the opponent gave away in a move on average.
    pub opponent_gave_away: Option<f64>,
}

/// A game cut short.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Abandoned {
    /// Counted from 1 over the connection.
    pub game: u32,
    /// ORDER or CHAOS.
    pub role: String,
    /// Moves of both players.
    pub ply: u32,
    /// What cut it short.
    pub why: String,
}

/// The records of a log; lines about other things are passed over.
///
/// # Errors
///
/// If reading fails, or a line is not a JSON object at all; the line's number is in the message.
pub fn read(log: impl BufRead) -> io::Result<Vec<Record>> {
    let mut records = Vec::new();
    for (number, line) in (1..).zip(log.lines()) {
        let value: serde_json::Value = serde_json::from_str(&line?).map_err(|error| {
            let message = format!("line {number}: expected a JSON object, got {error}");
            io::Error::new(io::ErrorKind::InvalidData, message)
        })?;
        if let Ok(record) = serde_json::from_value(value) {
            records.push(record);
        }
    }
    Ok(records)
}

/// How the time of some moves was spent; times in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// How many moves.
    pub moves: u32,
    /// Mean time meant for a move.
    pub mean_soft: f64,
    /// Mean time taken.
    pub mean_used: f64,
    /// Longest time taken.
    pub longest: f64,
    /// Mean CPU time of the search.
    pub mean_cpu: f64,
    /// Mean depth.
    pub mean_depth: f64,
    /// Nodes per second of CPU time.
    pub nodes_per_second: f64,
}

/// Sums up moves.
pub fn spent<'a>(moves: impl Iterator<Item = &'a Move>) -> Spent {
    let mut sum = Spent::default();
    let mut nodes = 0;
    for mv in moves {
        sum.moves += 1;
        sum.mean_soft += mv.soft_ms;
        sum.mean_used += mv.used_ms;
        sum.longest = sum.longest.max(mv.used_ms);
        sum.mean_cpu += mv.cpu_ms;
        sum.mean_depth += f64::from(mv.depth);
        nodes += mv.nodes;
    }
    let count = f64::from(sum.moves.max(1));
    sum.nodes_per_second = nodes as f64 / (sum.mean_cpu / 1e3).max(1e-6);
    sum.mean_soft /= count;
    sum.mean_used /= count;
    sum.mean_cpu /= count;
    sum.mean_depth /= count;
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_records_are_passed_over_and_broken_lines_named() {
        let log = "{\"event\":\"abandoned\",\"game\":1,\"role\":\"ORDER\",\"ply\":3,\"why\":\"x\"}\n\
                   {\"message\":\"connected\"}\n";
        let records = read(log.as_bytes()).expect("both lines are objects");
        assert!(matches!(&records[..], [Record::Abandoned(game)] if game.ply == 3));
        let error = read("{}\nno\n".as_bytes()).expect_err("the second line is no object");
        assert!(error.to_string().starts_with("line 2:"), "{error}");
    }

    #[test]
    fn means_are_over_moves_and_the_rate_over_cpu_time() {
        let mv = |used_ms, cpu_ms, nodes| Move {
            game: 1,
            ply: 1,
            role: "ORDER".to_owned(),
            clock_left_s: 1.0,
            soft_ms: 30.0,
            hard_ms: 90.0,
            used_ms,
            cpu_ms,
            depth: 3,
            nodes,
            wait_ms: 0.0,
        };
        let sum = spent([mv(10.0, 5.0, 1000), mv(30.0, 15.0, 3000)].iter());
        assert_eq!((sum.moves, sum.mean_used, sum.longest), (2, 20.0, 30.0));
        assert!((sum.nodes_per_second - 200_000.0).abs() < 1e-6);
        assert_eq!(spent([].iter()), Spent::default());
    }
}
