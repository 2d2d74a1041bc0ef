//! A referee's interface to a player, wherever that player runs.

use std::any::Any;
use std::fmt;
use std::io;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::table::Action;
use crate::words::counted;

/// How long the referee waits for a player outside this process if no other limit applies: one day.
pub const FOREVER: Duration = Duration::from_secs(86_400);

/// The reason why a game ended early: a kind of fault of a player, or another cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// The player answered after its time had expired.
    Overtime,
    /// The player's process exited or closed its stream, or the player panicked.
    Crash,
    /// The player's move is illegal.
    Illegal,
    /// The player's message is not a move, or the referee did not request it.
    Garbage,
    /// The player sent nothing during its time and for a while afterwards.
    Silence,
    /// The player is a person who resigned.
    Resigned,
    /// The player connects on its own, and was not connected when its game was due.
    Absent,
    /// The player is a program that used CPU time while it should have been suspended because its opponent was to move.
    Suspended,
    /// The player ran out of time only because other programs used its core. This counts as nobody's fault.
    Busy,
    /// A kind of fault that this version does not know, from the log of a later version.
    #[serde(other)]
    #[schemars(untagged, with = "String")]
    Other,
}

impl FaultKind {
    /// Returns the name of the fault, for messages to people.
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

    /// Returns a description of the fault that completes a sentence with the player's name as its subject.
    pub fn deed(self) -> &'static str {
        match self {
            FaultKind::Overtime => "ran out of time",
            FaultKind::Crash => "crashed",
            FaultKind::Illegal => "made an illegal move",
            FaultKind::Garbage => "sent something that is no move",
            FaultKind::Silence => "did not answer",
            FaultKind::Resigned => "resigned",
            FaultKind::Absent => "was not connected",
            FaultKind::Suspended => "computed while its opponent was to move",
            FaultKind::Busy => "ran out of time on a busy machine, which is not its fault",
            FaultKind::Other => "was at fault",
        }
    }
}

/// The longest time that a player can have for a game or a move, in seconds.
const LONGEST_TIME: f64 = 1e7;

/// Returns true if a player may have this number of seconds as its time. It must be above 0 and at most ten million.
pub fn is_time(seconds: f64) -> bool {
    seconds > 0.0 && seconds <= LONGEST_TIME
}

/// Describes the times that [`is_time`] allows, for error messages.
pub fn allowed_times() -> String {
    format!("seconds above 0 and at most {LONGEST_TIME}")
}

/// The time control of a game, which limits how long or how much the players may think.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// Each player has a clock for each game.
    Clock {
        /// The number of seconds on the clock at the beginning of a game.
        seconds: f64,
        /// The number of seconds that are added to a player's clock after each move of the player.
        #[serde(default)]
        increment: f64,
    },
    /// Each player has a fixed time for every move.
    MoveTime {
        /// The number of seconds for each move.
        seconds: f64,
    },
    /// The players have no clocks; the search for each move is limited to a number of nodes.
    Nodes {
        /// The maximum number of positions that a search visits for each move.
        nodes: u64,
    },
}

impl fmt::Display for TimeControl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Clock { seconds, increment } if increment > 0.0 => {
                write!(
                    out,
                    "{seconds} s for a game and {increment} s for each move"
                )
            }
            Self::Clock { seconds, .. } => write!(out, "{seconds} s for a game"),
            Self::MoveTime { seconds } => write!(out, "{seconds} s for a move"),
            Self::Nodes { nodes } => write!(out, "{} for a move", counted(nodes, "node")),
        }
    }
}

impl TimeControl {
    /// Returns a time control with this time on each player's clock and without increment.
    pub fn clock(time: Duration) -> Self {
        Self::Clock {
            seconds: time.as_secs_f64(),
            increment: 0.0,
        }
    }

    /// Returns the time control with all times multiplied by `part`, for a player that gets more or less time than its
    /// opponent. Node limits stay unchanged.
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

    /// Returns the maximum number of nodes for each move; `None` if the time control has a clock.
    pub fn nodes(self) -> Option<u64> {
        match self {
            TimeControl::Nodes { nodes } => Some(nodes),
            TimeControl::Clock { .. } | TimeControl::MoveTime { .. } => None,
        }
    }
}

/// The kind of time that is charged to the players' clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    /// The wall time from question to answer.
    #[default]
    Wall,
    /// The CPU time that the player's thread or process uses.
    Cpu,
}

/// Whether programs may compute while their opponents are to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ponder {
    /// Programs may not compute while their opponents are to move.
    ///
    /// All processes of a program are suspended between its answer and the next question.
    Freeze,
    /// Programs may compute at any time, and they are never suspended.
    #[default]
    Allow,
}

/// The reason why a player did not make a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of the player's fault, or another reason why the player made no move.
    pub kind: FaultKind,
    /// A description of what happened, as a part of a sentence.
    pub reason: String,
}

impl Failure {
    /// Creates a failure from the kind of fault and a description of what happened.
    pub fn new(kind: FaultKind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
        }
    }

    /// Creates the failure of a player that sent no answer for this long.
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
    /// The kind of time that is charged to the player. `left` and `budget` are measured in this kind of time.
    pub counts: Counts,
    /// The time left on the player's clock or for this move. Zero if nodes are counted instead of time.
    pub left: Duration,
    /// The soft and the hard limit, from now: the player should start no new work after the first, and abort after the
    /// second.
    pub budget: Option<(Duration, Duration)>,
    /// How long the referee waits for an answer before it gives up. `None` means that it waits without limit.
    pub patience: Option<Duration>,
}

/// The opponent's latest move.
#[derive(Debug, Clone)]
pub struct LastMove<P, M> {
    /// The position in which the opponent made the move.
    pub before: P,
    /// The move that the opponent made in `before`.
    pub played: M,
    /// The time that the opponent took for the move.
    pub took: Duration,
}

/// A request to a player for a move.
#[derive(Debug)]
pub struct Turn<'a, P, M> {
    /// The position in which the player is to move.
    pub position: &'a P,
    /// The opponent's last move, if the opponent has moved since the previous question to this player.
    pub last: Option<LastMove<P, M>>,
    /// The resources that the player may use for this move.
    pub allowance: Allowance,
}

/// A search's report about the move that it found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Insight {
    /// The depth of the deepest completed iteration, in plies.
    pub depth: u32,
    /// The number of positions that the search visited.
    pub nodes: u64,
    /// The value of the move from the first role's point of view. The search chose the move whose value is best for the
    /// side to move.
    pub value: f64,
    /// The final score of the game that the player expects, if it can predict it.
    pub score: Option<f64>,
}

/// A player's answer to a question.
#[derive(Debug)]
pub struct Answer<M> {
    /// The player's move, or the reason why the player made no move. The referee must check whether the move is legal.
    pub mv: Result<M, Failure>,
    /// The wall time from the question to the answer.
    pub wall: Duration,
    /// The CPU time that the player's thread or process used for the answer, if it was measured.
    pub cpu: Option<Duration>,
    /// The CPU time that the player's processes used between the previous answer and this question.
    ///
    /// For the first question of a game, this time is counted from the end of the program's start-up. `None` if it was
    /// not measured.
    pub pondered: Option<Duration>,
    /// The number of seconds during which other programs used the player's core while the player was answering.
    ///
    /// `None` if this was not measured. If the player may use several cores, this is the average over the cores. The
    /// value for a single answer may be slightly too high or too low, and even negative. Only sums over many answers
    /// are exact.
    pub others: Option<f64>,
    /// The report of the player's search about the move, if it has one.
    pub insight: Option<Insight>,
}

impl<M> Answer<M> {
    /// Creates the answer of a player outside this process. Such a player reports nothing about its search.
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

/// The opponent's latest move, for code that does not know the types of the game.
pub type AnyLastMove = LastMove<Box<dyn Any>, u64>;

impl AnyLastMove {
    /// Restores the types of the game.
    ///
    /// # Panics
    ///
    /// Panics if the move belongs to a game with other types.
    pub(crate) fn typed<P: 'static, M: Action>(self) -> LastMove<P, M> {
        LastMove {
            before: *self.before.downcast().expect("a position of this game"),
            played: M::of_code(self.played).expect("a move of this game"),
            took: self.took,
        }
    }
}

/// A question to a player, for code that does not know the types of the game.
pub struct AnyTurn<'a> {
    /// The position in which the player is to move, as in [`Turn::position`].
    pub position: &'a dyn Any,
    /// The opponent's last move, if the opponent has moved since the previous question to this player.
    pub last: Option<AnyLastMove>,
    /// The resources that the player may use for this move.
    pub allowance: Allowance,
}

impl<'a> AnyTurn<'a> {
    /// Restores the types of the game.
    ///
    /// # Panics
    ///
    /// Panics if the question belongs to a game with other types.
    pub(crate) fn typed<P: 'static, M: Action>(self) -> Turn<'a, P, M> {
        Turn {
            position: typed(self.position),
            last: self.last.map(AnyLastMove::typed),
            allowance: self.allowance,
        }
    }
}

/// Restores the type of a position. Panics if the position belongs to a game with other types.
pub(crate) fn typed<P: 'static>(position: &dyn Any) -> &P {
    position.downcast_ref().expect("a position of this game")
}

/// A player in a meeting, which is a series of games between the same players. It is created before the first game of
/// the meeting and dropped after the last. It plays only the game for which it was created.
pub trait Player: Send {
    /// Starts a game in which the player plays this side: 0 is the first role, 1 the second. `position` is the typed
    /// position that the player sees. `is_first` is true if this player receives the first question.
    ///
    /// # Errors
    ///
    /// Returns an error if the player cannot be started. This is not a fault in the game, and the match must end.
    fn begin(&mut self, side: usize, position: &dyn Any, is_first: bool) -> io::Result<()>;

    /// Asks the player for a move and waits for its answer, which contains the [code](Action::code) of the move.
    ///
    /// # Errors
    ///
    /// Returns an error if the player cannot be started. Some players are started again for each move.
    fn choose(&mut self, turn: AnyTurn) -> io::Result<Answer<u64>>;

    /// Ends the game for the player. `last` is the final move of the game, if the player does not know this move yet.
    fn finish(&mut self, last: Option<AnyLastMove>);

    /// Returns the content of the file that held the player's last answer, if the player answers in files.
    fn output(&self) -> Option<&str> {
        None
    }

    /// Returns the last diagnostic lines that the player wrote before its fault, such as lines on stderr.
    fn stderr(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the name of the player's evaluation weights, if it has any.
    fn weights(&self) -> Option<&str> {
        None
    }
}
