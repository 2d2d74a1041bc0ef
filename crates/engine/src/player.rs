//! What the referee asks of a player, wherever that player runs.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long a player outside this process is waited for where there is no other limit.
pub const FOREVER: Duration = Duration::from_secs(86_400);

/// What kind of fault ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// It answered after its time had run out.
    Overtime,
    /// It ended, closed its stream, or panicked.
    Crash,
    /// Its move is against the rules.
    Illegal,
    /// What it said is no move at all, or was not asked for.
    Garbage,
    /// It said nothing until its time had run out, and for a while after.
    Silence,
    /// A person gave the game up.
    Resigned,
    /// It comes by itself, and was not there when its game was due.
    Absent,
    /// The program used CPU time while it was suspended because its opponent was to move.
    Suspended,
    /// The player ran out of time only because other programs used its core. This is nobody's fault.
    Busy,
    /// A kind that this version does not know.
    #[serde(other)]
    Other,
}

impl FaultKind {
    /// The name in texts.
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

/// The longest time that can be given, in seconds.
const LONGEST_TIME: f64 = 1e7;

/// True for seconds that can be a player's time.
pub fn is_time(seconds: f64) -> bool {
    seconds > 0.0 && seconds <= LONGEST_TIME
}

/// How thinking is limited.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// A clock for each player and game.
    Clock {
        /// Seconds on the clock at the beginning of a game.
        seconds: f64,
        /// Added after each move.
        #[serde(default)]
        increment: f64,
    },
    /// The same time for every move.
    MoveTime {
        /// Seconds for each move.
        seconds: f64,
    },
    /// Nodes for every move of the searching agent, and no clock.
    Nodes {
        /// Positions that a search may visit for each move.
        nodes: u64,
    },
}

impl TimeControl {
    /// A clock of this time for each player, with no increment.
    pub fn clock(time: Duration) -> Self {
        Self::Clock {
            seconds: time.as_secs_f64(),
            increment: 0.0,
        }
    }

    /// The time control with this part of its times, for a player that gives time odds. Limits of nodes stay.
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

    /// The limit of nodes where there is no clock.
    pub fn nodes(self) -> Option<u64> {
        match self {
            TimeControl::Nodes { nodes } => Some(nodes),
            TimeControl::Clock { .. } | TimeControl::MoveTime { .. } => None,
        }
    }
}

/// Which time is charged to the clock.
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

/// Why there is no move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of fault.
    pub kind: FaultKind,
    /// What happened, as a part of a sentence.
    pub reason: String,
}

impl Failure {
    /// A failure with its reason.
    pub fn new(kind: FaultKind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
        }
    }

    /// The failure of a player that has said nothing for this long.
    pub fn silent_for(patience: Duration) -> Self {
        Self::new(
            FaultKind::Silence,
            format!("no answer within {patience:.1?}"),
        )
    }
}

/// What a player may use for one move.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allowance {
    /// The time that `left` and `budget` are of: what is charged.
    pub counts: Counts,
    /// Time left on the clock, or for this move; zero where nodes are counted.
    pub left: Duration,
    /// When to begin nothing new, and when to break off, from now on.
    pub budget: Option<(Duration, Duration)>,
    /// How long to wait for an answer before the player counts as silent; without it, for as long as it takes.
    pub patience: Option<Duration>,
}

/// A move that the opponent has just made.
#[derive(Debug, Clone)]
pub struct LastMove<P, M> {
    /// The position in which it was made.
    pub before: P,
    /// The move that was made in `before`.
    pub played: M,
    /// How long it took.
    pub took: Duration,
}

/// A question to a player.
#[derive(Debug)]
pub struct Turn<'a, P, M> {
    /// The position in which the player is to move.
    pub position: &'a P,
    /// What the opponent did since the last question; of several moves running the last one.
    pub last: Option<LastMove<P, M>>,
    /// How long it may think.
    pub allowance: Allowance,
}

/// What a search says of its move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Insight {
    /// The deepest completed iteration.
    pub depth: u32,
    /// Positions that the search visited.
    pub nodes: u64,
    /// The value of the move for the first role, by which it was chosen.
    pub value: f64,
    /// The final score that it stands for, where the player knows.
    pub score: Option<f64>,
}

/// The answer to a question.
#[derive(Debug)]
pub struct Answer<M> {
    /// The move; whether it is legal is for the referee to say.
    pub mv: Result<M, Failure>,
    /// Wall time from question to answer.
    pub wall: Duration,
    /// CPU time of the player's thread or process, where it is known and something depends on it.
    pub cpu: Option<Duration>,
    /// CPU time that the player's processes used between its previous answer and this question.
    ///
    /// At the first question of a game, the time begins after the start-up. `None` if not measured.
    pub pondered: Option<Duration>,
    /// Seconds for which others used the player's core during the answer.
    ///
    /// `None` if not measured. If the player may use several cores, this is the average over the cores. A single value
    /// may be slightly too high or too low, and even negative. Only sums are exact.
    pub others: Option<f64>,
    /// What is known of the search.
    pub insight: Option<Insight>,
}

impl<M> Answer<M> {
    /// The answer of a player outside, which tells nothing of its search.
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

/// One player of a pair: it is made before the first game and dropped after the second.
pub trait Player<P, M>: Send {
    /// A game begins on this side: 0 has the first role, 1 the second. `is_first` says that this player
    /// is the first to be asked.
    ///
    /// # Errors
    ///
    /// If the player cannot be started at all: nobody's fault in the game, and the match must end.
    fn begin(&mut self, side: usize, position: &P, is_first: bool) -> io::Result<()>;

    /// Chooses a move.
    ///
    /// # Errors
    ///
    /// If the player cannot be started at all.
    fn choose(&mut self, turn: Turn<P, M>) -> io::Result<Answer<M>>;

    /// The game is over; `last` is the move that ended it, if this player does not know of it.
    fn finish(&mut self, last: Option<&LastMove<P, M>>);

    /// The file that held its last answer, if it answers by files.
    fn output(&self) -> Option<&str> {
        None
    }

    /// The last lines that the player wrote for people.
    fn stderr(&self) -> Vec<String> {
        Vec::new()
    }

    /// The name of its weights.
    fn weights(&self) -> Option<&str> {
        None
    }
}
