//! The result of a pair: two games from one beginning, with roles swapped.

use std::cmp::Ordering;

use turnwise_engine::plugin::Scoring;
use turnwise_engine::words::one_line;

use super::goals::Goals;
use crate::records::{ByRole, Fault, GameRecord};

/// The time that both players of a game used, in seconds, in the order of the game's roles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Times {
    pub wall: [f64; 2],
    pub cpu: [f64; 2],
    /// CPU time used on the opponent's time; zero if not measured.
    pub pondered: [f64; 2],
}

/// A fault as a line of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultNote {
    /// The agent at fault.
    pub agent: String,
    /// The numbers of the pair and of the game in it.
    pub game: (u32, u8),
    /// The kind of the fault, and a description.
    pub what: String,
}

/// The maximum number of characters of a reason, and of a last line of stderr, in a summary.
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

/// Describes a fault in a line: the reason, and the last informative line of stderr.
///
/// The hint at the end of a Rust panic message is not informative.
pub fn happened(fault: &Fault) -> String {
    let reason = one_line(&fault.reason, LONGEST_LINE);
    let says_something = |line: &&String| {
        !line.trim().is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE")
    };
    match fault.stderr.iter().rfind(says_something) {
        Some(line) => format!(
            "{reason}; stderr ends with: {}",
            one_line(line, LONGEST_LINE)
        ),
        None => reason,
    }
}

/// The result of a pair for its first agent.
#[derive(Debug, Clone, PartialEq)]
pub struct PairResult {
    pub(crate) number: u32,
    /// The first role's scores in both games.
    ///
    /// The first agent has this role in the first game, the second agent in the second.
    pub(crate) scores: [f64; 2],
    /// Games won, drawn and lost by the first agent.
    pub(crate) games: [u64; 3],
    /// The pentanomial category: the first agent's half points from both games, 0 to 4.
    pub category: usize,
    /// Faults of the first and of the second agent.
    pub(crate) faults: [u32; 2],
    /// The number of games played a second time because the machine was busy.
    ///
    /// The second number counts the games among them that a busy machine ended again.
    pub(crate) busy: [u32; 2],
    pub(crate) goals: [Goals; 2],
    /// The faults in the order of the games.
    pub(crate) fault_notes: Vec<FaultNote>,
    /// The times of both games, if known.
    pub(crate) times: Option<[Times; 2]>,
}

impl PairResult {
    /// Summarizes the two games of a pair.
    pub(crate) fn of(scoring: Scoring, games: [&GameRecord; 2], times: Option<[Times; 2]>) -> Self {
        let [one, two] = games;
        let faults_of = |name: &str| {
            let faults = games.iter().flat_map(|game| game.charged_faults());
            faults.filter(|fault| fault.agent == name).count() as u32
        };
        let count = |is: &dyn Fn(&GameRecord) -> bool| u32::from(is(one)) + u32::from(is(two));
        let scores = [one.result.score(), two.result.score()];
        let (games, category) = match scoring {
            // The winner of a pair wins both its games, so two categories stay empty.
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
            busy: [
                count(&|game| game.first_try.is_some()),
                count(&|game| game.busy().is_some()),
            ],
            goals: [&one.first, &one.second].map(|name| Goals::won_by(name, [one, two])),
            fault_notes: [one, two].into_iter().filter_map(FaultNote::of).collect(),
            times,
        }
    }

    /// Returns a pair's result from all logged games of a meeting; `None` for a rotation.
    pub fn of_meeting(scoring: Scoring, games: &[GameRecord]) -> Option<Self> {
        match games {
            [one, two] if one.others.is_empty() => Some(Self::logged(scoring, [one, two])),
            _ => None,
        }
    }

    /// Returns a pair's result from its two logged games.
    pub fn logged(scoring: Scoring, games: [&GameRecord; 2]) -> Self {
        let [one, two] = games;
        // The log omits times in matches without clocks.
        let times = |game: &GameRecord| {
            let (wall, cpu) = (game.used_s.as_ref()?.both()?, game.cpu_s.as_ref()?.both()?);
            let pondered = game.pondered_s.as_ref().and_then(ByRole::both);
            Some(Times {
                wall,
                cpu,
                pondered: pondered.unwrap_or_default(),
            })
        };
        let times = times(one).zip(times(two)).map(|(one, two)| [one, two]);
        Self::of(scoring, [one, two], times)
    }

    /// Returns the first agent's score in the first role minus the second agent's.
    pub fn difference(&self) -> f64 {
        self.scores[0] - self.scores[1]
    }
}
