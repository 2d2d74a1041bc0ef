//! The result of a pair: two games with the same beginning, roles swapped.

use std::cmp::Ordering;

use turnwise_engine::plugin::Scoring;
use turnwise_engine::words::one_line;

use super::goals::Goals;
use crate::records::{Fault, GameRecord};

/// What both players of a game used, in seconds, in the order of its roles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Wall time.
    pub wall: [f64; 2],
    /// CPU time.
    pub cpu: [f64; 2],
}

impl Times {
    /// What the log says, which leaves them out where there are no clocks.
    pub fn logged(game: &GameRecord) -> Option<Self> {
        Some(Self {
            wall: game.used_s.as_ref()?.both()?,
            cpu: game.cpu_s.as_ref()?.both()?,
        })
    }
}

/// A fault as a line of a summary has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultNote {
    /// Whose fault it was.
    pub agent: String,
    /// The pair and the game in it.
    pub game: (u32, u8),
    /// What kind of fault, and what happened.
    pub what: String,
}

/// The most characters of a reason, and of a last line of stderr, in a summary.
const LONGEST_LINE: usize = 160;

impl FaultNote {
    fn of(game: &GameRecord) -> Option<Self> {
        game.fault.as_ref().map(|fault| Self {
            agent: fault.agent.clone(),
            game: (game.pair, game.game),
            what: format!("{}: {}", fault.kind.name(), happened(fault)),
        })
    }
}

/// What happened, in a line: the reason, and the last thing that the agent said on stderr.
pub fn happened(fault: &Fault) -> String {
    let reason = one_line(&fault.reason, LONGEST_LINE);
    match last_words(fault) {
        Some(words) => format!("{reason}; stderr ends with: {words}"),
        None => reason,
    }
}

/// The last line of its stderr that says something. The hint that ends the message of a panic in Rust
/// does not.
fn last_words(fault: &Fault) -> Option<String> {
    let says_something = |line: &&String| {
        !line.trim().is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE")
    };
    let line = fault.stderr.iter().rfind(says_something)?;
    Some(one_line(line, LONGEST_LINE))
}

/// The result of a pair, for its first agent.
#[derive(Debug, Clone, PartialEq)]
pub struct PairResult {
    /// The pair's number.
    pub number: u32,
    /// What the first role scored in both games: the first agent has it in one, the second in the other.
    pub scores: [f64; 2],
    /// Games won, drawn and lost by the first agent.
    pub games: [u64; 3],
    /// The pentanomial category.
    pub category: usize,
    /// Faults of the first agent and of the second.
    pub faults: [u32; 2],
    /// Games won at the goal by the first agent and by the second.
    pub goals: [Goals; 2],
    /// The faults in the order of the games.
    pub fault_notes: Vec<FaultNote>,
    /// What both games took, if that is known.
    pub times: Option<[Times; 2]>,
}

impl PairResult {
    /// Sums up the two games of a pair.
    pub fn of(scoring: Scoring, games: [&GameRecord; 2], times: Option<[Times; 2]>) -> Self {
        let [one, two] = games;
        let faults_of = |name: &str| {
            let faults = games.iter().flat_map(|game| &game.fault);
            faults.filter(|fault| fault.agent == name).count() as u32
        };
        let scores = [one.result.score(), two.result.score()];
        let (games, category) = match scoring {
            // Both games of a pair are won by whoever won the pair, so two categories stay empty.
            Scoring::Points => match scores[0].total_cmp(&scores[1]) {
                Ordering::Less => ([0, 0, 2], 0),
                Ordering::Equal => ([0, 2, 0], 2),
                Ordering::Greater => ([2, 0, 0], 4),
            },
            Scoring::Win => {
                let points = [scores[0], 1.0 - scores[1]];
                let count = |result| points.iter().filter(|&&point| point == result).count() as u64;
                let category = (2.0 * (points[0] + points[1])).clamp(0.0, 4.0) as usize;
                ([1.0, 0.5, 0.0].map(count), category)
            }
        };
        Self {
            number: one.pair,
            scores,
            games,
            category,
            faults: [faults_of(&one.first), faults_of(&one.second)],
            goals: [&one.first, &one.second].map(|name| Goals::won_by(name, [one, two])),
            fault_notes: [one, two].into_iter().filter_map(FaultNote::of).collect(),
            times,
        }
    }

    /// The same of games in the log.
    pub fn logged(scoring: Scoring, games: [&GameRecord; 2]) -> Self {
        let [one, two] = games;
        let times = Times::logged(one).zip(Times::logged(two));
        Self::of(scoring, [one, two], times.map(|(one, two)| [one, two]))
    }

    /// What the first agent scored more in the first role.
    pub fn difference(&self) -> f64 {
        self.scores[0] - self.scores[1]
    }
}
