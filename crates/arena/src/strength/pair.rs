//! Computes the result of a pair: two games from the same initial position, with roles swapped.

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
    /// The CPU time that each player used while its opponent was to move; zero if it was not measured.
    pub pondered: [f64; 2],
}

/// A fault, as a line of the match's summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultNote {
    /// The name of the agent at fault.
    pub agent: String,
    /// The number of the pair, and the number of the game within the pair.
    pub game: (u32, u8),
    /// A description of the fault, which begins with its kind.
    pub what: String,
}

/// The maximum length in characters of a fault's reason, and of the last line of stderr, in a summary.
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

/// Describes a fault in one line: the reason, and the last informative line of stderr.
///
/// The hint about `RUST_BACKTRACE` at the end of a Rust panic message does not count as informative.
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

/// The result of a pair, from its first agent's point of view.
#[derive(Debug, Clone, PartialEq)]
pub struct PairResult {
    pub(crate) number: u32,
    /// The first role's score in each of the two games.
    ///
    /// The first agent has this role in the first game; the second agent has it in the second game.
    pub(crate) scores: [f64; 2],
    /// The numbers of games that the first agent won, drew and lost.
    pub(crate) games: [u64; 3],
    /// The pentanomial category: how many half points the first agent scored in both games, 0 to 4.
    pub category: usize,
    /// The number of faults of the first agent and of the second agent.
    pub(crate) faults: [u32; 2],
    /// How many games were played a second time because the machine was busy, and how many ended early again.
    ///
    /// The second number counts games that a busy machine ended both times.
    pub(crate) busy: [u32; 2],
    /// How many games left at most one move to the agents after their random opening.
    pub(crate) unplayed: u32,
    pub(crate) goals: [Goals; 2],
    /// The faults in the order of the games.
    pub(crate) fault_notes: Vec<FaultNote>,
    /// The times of both games, if known.
    pub(crate) times: Option<[Times; 2]>,
}

/// The part of a game's result that determines the result of its pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The score of the first role.
    pub score: f64,
    /// True if a player won on the board, that is, without a fault of its opponent.
    pub is_won_on_board: bool,
    moves: u32,
    margin: Option<u32>,
    /// The number of faults charged to the pair's first agent and to its second agent.
    faults: [u8; 2],
    /// True if the game was played a second time because the machine was busy.
    is_second_try: bool,
    is_busy: bool,
    /// True if the game left at most one move to the agents after its random opening.
    is_unplayed: bool,
    times: Option<Times>,
}

impl Outcome {
    fn of(game: &GameRecord, times: Option<Times>) -> Self {
        let faults_of = |name: &String| {
            let faults = game.charged_faults();
            faults.filter(|fault| fault.agent == *name).count() as u8
        };
        Self {
            score: game.result.score(),
            is_won_on_board: game.result.meaning.is_won_on_board,
            moves: game.moves.len() as u32,
            margin: game.result.meaning.margin,
            faults: [&game.first, &game.second].map(faults_of),
            is_second_try: game.first_try.is_some(),
            is_busy: game.busy().is_some(),
            is_unplayed: !game.opening.is_empty()
                && game.moves.len() <= game.opening.len() + 1
                && game.fault.is_none(),
            times,
        }
    }

    /// Returns the outcome of a logged game between two agents.
    pub fn logged(game: &GameRecord) -> Self {
        // In matches without clocks, the log contains no times.
        let times = || {
            let (wall, cpu) = (game.used_s.as_ref()?.both()?, game.cpu_s.as_ref()?.both()?);
            let pondered = game.pondered_s.as_ref().and_then(ByRole::both);
            Some(Times {
                wall,
                cpu,
                pondered: pondered.unwrap_or_default(),
            })
        };
        Self::of(game, times())
    }

    /// Returns the number of moves that both players made together.
    pub fn plies(&self) -> u32 {
        self.moves
    }

    /// Returns the counts of this single game for the player `side`, or `None` unless it won by a known margin.
    fn goal(&self, side: usize) -> Option<Goals> {
        let winner = usize::from(self.score != 1.0);
        let margin = self.margin.filter(|_| winner == side)?;
        Some(Goals::of_game(self.moves, margin))
    }
}

impl PairResult {
    /// Computes the result of a pair from its two games.
    pub(crate) fn of(scoring: Scoring, games: [&GameRecord; 2], times: Option<[Times; 2]>) -> Self {
        let [one, two] = times.map_or([None; 2], |times| times.map(Some));
        let outcomes = [Outcome::of(games[0], one), Outcome::of(games[1], two)];
        Self::of_noted(scoring, games, outcomes)
    }

    fn of_noted(scoring: Scoring, games: [&GameRecord; 2], outcomes: [Outcome; 2]) -> Self {
        Self {
            fault_notes: games.into_iter().filter_map(FaultNote::of).collect(),
            ..Self::of_outcomes(scoring, games[0].pair, outcomes)
        }
    }

    /// Computes the result of a pair from the outcomes of both games. The result has no notes on faults.
    pub fn of_outcomes(scoring: Scoring, number: u32, outcomes: [Outcome; 2]) -> Self {
        let [one, two] = outcomes;
        let scores = [one.score, two.score];
        let (games, category) = match scoring {
            // The winner of a pair counts as the winner of both games, so two of the five categories stay empty.
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
        // The first agent has the first role in the first game and the second role in the second game.
        let goals = |agent: usize| {
            let mut goals = Goals::default();
            let won = [one.goal(agent), two.goal(1 - agent)];
            won.iter().flatten().for_each(|goal| goals.merge(goal));
            goals
        };
        Self {
            number,
            scores,
            games,
            category,
            faults: [0, 1].map(|at| u32::from(one.faults[at]) + u32::from(two.faults[at])),
            busy: [
                u32::from(one.is_second_try) + u32::from(two.is_second_try),
                u32::from(one.is_busy) + u32::from(two.is_busy),
            ],
            unplayed: u32::from(one.is_unplayed) + u32::from(two.is_unplayed),
            goals: [0, 1].map(goals),
            fault_notes: Vec::new(),
            times: one.times.zip(two.times).map(|(one, two)| [one, two]),
        }
    }

    /// Computes the result of a pair from its logged games; `None` for a rotation.
    pub fn of_meeting(scoring: Scoring, games: &[GameRecord]) -> Option<Self> {
        match games {
            [one, two] if one.others.is_empty() => {
                let outcomes = [one, two].map(Outcome::logged);
                Some(Self::of_noted(scoring, [one, two], outcomes))
            }
            _ => None,
        }
    }

    /// Returns the first agent's score in the first role minus the second agent's score in that role.
    pub fn difference(&self) -> f64 {
        self.scores[0] - self.scores[1]
    }
}
