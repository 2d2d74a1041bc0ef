//! A referee's interface to a player, wherever that player runs.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long the referee waits for a player outside this process if no other limit applies.
pub const FOREVER: Duration = Duration::from_secs(86_400);

/// The kind of fault that ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// The player answered after its time had expired.
    Overtime,
    /// The player exited, closed its stream, or panicked.
    Crash,
    /// The player's move is illegal.
    Illegal,
    /// The player's message is not a move at all, or was not requested.
    Garbage,
    /// The player sent nothing during its time and for a while after.
    Silence,
    /// A person resigned.
    Resigned,
    /// The player connects by itself, and was absent when its game was due.
    Absent,
    /// The program used CPU time while it was suspended because its opponent was to move.
    Suspended,
    /// The player ran out of time only because other programs used its core. This is nobody's fault.
    Busy,
    /// A kind unknown to this version.
    #[serde(other)]
    Other,
}

impl FaultKind {
    /// Returns the name for text.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Overtime => "overtime",
            FaultKind::Crash => "crash",
            FaultKind::Illegal => "illegal move",
            FaultKind::Garbage => "garbage",
            FaultKind::Silence => "silence",
            FaultKind::Resigned => "resigned",
            FaultKind::Absent => "absent",
            FaultKind::Suspended => "computed while suspended",
            FaultKind::Busy => "machine busy",
            FaultKind::Other => "other",
        }
    }
}

/// The longest allowed time, in seconds.
const LONGEST_TIME: f64 = 1e7;

/// Returns true if a player's time may have this many seconds.
pub fn is_time(seconds: f64) -> bool {
    seconds > 0.0 && seconds <= LONGEST_TIME
}

/// Describes the times that [`is_time`] allows, for errors.
pub fn allowed_times() -> String {
    format!("seconds above 0 and at most {LONGEST_TIME}")
}

/// The limit on thinking.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// A clock for each player and game.
    Clock {
        /// Seconds on the clock at the beginning of a game.
        seconds: f64,
        /// Seconds added after each move.
        #[serde(default)]
        increment: f64,
    },
    /// A fixed time for every move.
    MoveTime {
        /// Seconds for each move.
        seconds: f64,
    },
    /// A number of nodes for every move of the searching agent, and no clock.
    Nodes {
        /// The maximum number of positions that a search visits for each move.
        nodes: u64,
    },
}

impl TimeControl {
    /// Returns a clock with this time for each player, without increment.
    pub fn clock(time: Duration) -> Self {
        Self::Clock {
            seconds: time.as_secs_f64(),
            increment: 0.0,
        }
    }

    /// Multiplies all times by `part`, for time odds. Node limits stay unchanged.
    pub fn part(self, part: f64) -> Self {
        match self {
            TimeControl::Clock { seconds, increment } => TimeControl::Clock {
                seconds: seconds * part,
                increment: increment * part,
            },
            TimeControl::MoveTime { seconds } => TimeControl::MoveTime {
                seconds: seconds * part,
            },
            TimeControl::Nodes { .. } => self,
        }
    }

    /// Returns the node limit, if the time control has no clock.
    pub fn nodes(self) -> Option<u64> {
        match self {
            TimeControl::Nodes { nodes } => Some(nodes),
            TimeControl::Clock { .. } | TimeControl::MoveTime { .. } => None,
        }
    }
}

/// The kind of time that is charged to the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    /// Wall time, from question to answer.
    #[default]
    Wall,
    /// CPU time of the agent's thread or process.
    Cpu,
}

/// Whether programs may compute while their opponents are to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ponder {
    /// Every process of a program is suspended between its answer and the next question.
    Freeze,
    /// Programs run all the time.
    #[default]
    Allow,
}

/// The reason for a missing move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of fault.
    pub kind: FaultKind,
    /// What happened, as a part of a sentence.
    pub reason: String,
}

impl Failure {
    /// Creates a failure with its reason.
    pub fn new(kind: FaultKind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
        }
    }

    /// Creates the failure of a player that was silent for this long.
    pub fn silent_for(patience: Duration) -> Self {
        Self::new(
            FaultKind::Silence,
            format!("no answer within {patience:.1?}"),
        )
    }
}

/// The resources that a player may use for one move.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allowance {
    /// The kind of time in `left` and `budget`, which is the time charged.
    pub counts: Counts,
    /// Time left on the clock, or for this move; zero if nodes are counted instead.
    pub left: Duration,
    /// The times from now until the player should start no new work and until it should abort.
    pub budget: Option<(Duration, Duration)>,
    /// How long the referee waits before the player counts as silent; `None` for unlimited.
    pub patience: Option<Duration>,
}

/// The opponent's latest move.
#[derive(Debug, Clone)]
pub struct LastMove<P, M> {
    /// The position before the move.
    pub before: P,
    /// The move that was made in `before`.
    pub played: M,
    /// The time taken.
    pub took: Duration,
}

/// A question to a player.
#[derive(Debug)]
pub struct Turn<'a, P, M> {
    /// The position in which the player is to move.
    pub position: &'a P,
    /// The opponent's move since the last question; the last move if there were several.
    pub last: Option<LastMove<P, M>>,
    /// The resources for this move.
    pub allowance: Allowance,
}

/// A search's information about its move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Insight {
    /// The deepest completed iteration.
    pub depth: u32,
    /// The number of positions visited.
    pub nodes: u64,
    /// The move's value for the first role; the move was chosen by comparing values.
    pub value: f64,
    /// The expected final score, if the player knows it.
    pub score: Option<f64>,
}

/// The answer to a question.
#[derive(Debug)]
pub struct Answer<M> {
    /// The move, which the referee must check for legality.
    pub mv: Result<M, Failure>,
    /// Wall time from question to answer.
    pub wall: Duration,
    /// CPU time of the player's thread or process, if known and relevant.
    pub cpu: Option<Duration>,
    /// CPU time that the player's processes used between its previous answer and this question.
    ///
    /// At the first question of a game, the time begins after the start-up. `None` if not measured.
    pub pondered: Option<Duration>,
    /// Seconds during which other programs used the player's core while it answered.
    ///
    /// `None` if not measured. If the player may use several cores, this is the average over the cores. A single value
    /// may be slightly too high or too low, and even negative. Only sums are exact.
    pub others: Option<f64>,
    /// Information about the search, if known.
    pub insight: Option<Insight>,
}

impl<M> Answer<M> {
    /// Creates the answer of an outside player, which reports nothing about its search.
    pub fn from_outside(mv: Result<M, Failure>, wall: Duration, cpu: Option<Duration>) -> Self {
        Self {
            mv,
            wall,
            cpu,
            pondered: None,
            others: None,
            insight: None,
        }
    }
}

/// A player of a pair: created before the first game and dropped after the second.
pub trait Player<P, M>: Send {
    /// Starts a game on this side: 0 has the first role, 1 the second. `is_first` is true if this player receives
    /// the first question.
    ///
    /// # Errors
    ///
    /// If the player cannot be started. This is nobody's fault in the game, and the match must end.
    fn begin(&mut self, side: usize, position: &P, is_first: bool) -> io::Result<()>;

    /// Chooses a move.
    ///
    /// # Errors
    ///
    /// If the player cannot be started.
    fn choose(&mut self, turn: Turn<P, M>) -> io::Result<Answer<M>>;

    /// Ends the game; `last` is the final move, if this player does not know it.
    fn finish(&mut self, last: Option<&LastMove<P, M>>);

    /// Returns the file that held the player's last answer, if it answers in files.
    fn output(&self) -> Option<&str> {
        None
    }

    /// Returns the last lines that the player wrote for people.
    fn stderr(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the name of the player's weights.
    fn weights(&self) -> Option<&str> {
        None
    }
}
