//! The lines of an arena's log: what the arena writes, and what resuming and reporting read.
//!
//! A log is JSON lines: a header, then moves and games, and an end if the match came to one. A
//! reader passes over fields that it does not know; what is optional may be absent or null. Times of
//! moves and games are left out where nothing depends on them, so that matches without clocks are the
//! same byte for byte.

mod games;

use serde::{Deserialize, Serialize};

pub use games::{ByRole, Course, Ending, GameSettings, HalmaRules, Role};

/// The format's number, in the header.
pub const FORMAT: u32 = 1;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Record {
    /// The first line: what is played, and how.
    Match(Settings),
    /// A move.
    Move(MoveRecord),
    /// A game that is over; its moves come before it.
    Game(GameRecord),
    /// The match came to its end or was interrupted by its user.
    End(EndRecord),
}

/// An agent in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contestant {
    /// Its name, unique in the match.
    pub name: String,
    /// What it is, as given on the command line.
    #[serde(default)]
    pub spec: String,
}

/// Everything that decides what is played: the header of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// [`FORMAT`].
    pub format: u32,
    /// The version of the program.
    pub turnwise: String,
    /// The game and its rules.
    #[serde(flatten)]
    pub game: GameSettings,
    /// All agents; their names are unique.
    pub agents: Vec<Contestant>,
    /// From it and a pair's number come tiles, first movers, openings, and the choices of agents that
    /// choose at random.
    pub seed: u64,
    /// Pairs of the whole match; none if it is a single game.
    pub pairs: u32,
    /// Random plies at the beginning of each game.
    #[serde(default)]
    pub opening_plies: u32,
    /// The limit of thinking.
    pub time: TimeControl,
    /// Which time is charged.
    #[serde(default)]
    pub counts: Counts,
    /// How built-in agents are reached.
    #[serde(default)]
    pub via: Via,
    /// Pairs played at the same time.
    #[serde(default)]
    pub jobs: usize,
    /// In a gauntlet, how many of the agents play against all the others and not each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gauntlet: Option<usize>,
    /// The test that may end the match early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
}

/// How thinking is limited.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// A clock for each player and game.
    Clock {
        /// At the beginning.
        seconds: f64,
        /// Added after each move.
        #[serde(default)]
        increment: f64,
    },
    /// The same time for every move.
    MoveTime {
        /// For a move.
        seconds: f64,
    },
    /// Nodes for every move of the searching agent, and no clock.
    Nodes {
        /// For a move.
        nodes: u64,
    },
}

impl TimeControl {
    /// This part of all its time, for a player that gives time odds. Nodes are no time.
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
}

/// Two hypotheses of a sequential test and the error rates allowed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// What the hypotheses are about.
    pub unit: Unit,
    /// The difference by the null hypothesis, H0.
    pub lower: f64,
    /// The difference by the alternative, H1; larger.
    pub upper: f64,
    /// How often H1 may be accepted although H0 is true.
    pub alpha: f64,
    /// How often H0 may be accepted although H1 is true.
    pub beta: f64,
}

/// The unit of a difference in strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Logistic Elo from pairs won, drawn and lost.
    Elo,
    /// The mean difference of a pair's scores.
    Points,
}

impl Unit {
    /// Its name on the command line and in sentences.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Elo => "elo",
            Unit::Points => "points",
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

/// How built-in agents are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// In this process.
    #[default]
    Process,
    /// As daemons over loopback sockets.
    Tcp,
}

/// A move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u32,
    /// 1 or 2 within the pair.
    pub game: u8,
    /// The move's number in the game, from 1; both players' moves count.
    pub ply: u32,
    /// Who moves.
    pub role: Role,
    /// The name of the agent that moves.
    pub agent: String,
    /// The letter of the tile to place; only for Chaos.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<String>,
    /// In Entropy `row col`, `row col row col` or `pass`; in Halma `E x,y x,y`, or `J` and the squares
    /// that the piece visits.
    #[serde(rename = "move")]
    pub mv: String,
    /// In Halma what a command wrote into output.txt, as it stood there but for bytes that are no
    /// UTF-8, and cut if it was long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Time left on the clock before the move, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_left_s: Option<f64>,
    /// The time meant for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_ms: Option<f64>,
    /// The most the move was allowed to take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_ms: Option<f64>,
    /// The time it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<f64>,
    /// The CPU time it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    /// The deepest completed iteration, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions visited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The final score of the first role that the agent expects; only in Entropy, and only where it can
    /// tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The value by which the agent has chosen the move, always from the side of the first role, in
    /// points of its evaluation. Logs of earlier versions have it as `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The name of the agent's weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// A game that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u32,
    /// 1: the pair's first agent has the first role; 2: its second one has.
    pub game: u8,
    /// The pair's first agent.
    pub first: String,
    /// The pair's second agent.
    pub second: String,
    /// Who played what, and how it ended.
    #[serde(flatten)]
    pub course: Course,
    /// From it come tiles, first mover and opening.
    #[serde(default)]
    pub seed: u64,
    /// The random moves that the game began with; `moves` begins with them.
    #[serde(default)]
    pub opening: Vec<String>,
    /// All moves of both players.
    pub moves: Vec<String>,
    /// Why the game ended before its time.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// Wall time of both, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_s: Option<ByRole>,
    /// CPU time of both, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<ByRole>,
}

/// Why a game ended before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Whose fault it was.
    pub agent: String,
    /// Its part in the game.
    pub role: Role,
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened.
    #[serde(default)]
    pub reason: String,
    /// What it had written into output.txt, as in [`MoveRecord::output`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The last lines the agent wrote to stderr.
    #[serde(default)]
    pub stderr: Vec<String>,
}

/// What kind of fault.
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
            FaultKind::Other => "other",
        }
    }
}

/// How the match ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndRecord {
    /// How many pairs were played.
    #[serde(default)]
    pub pairs: u32,
    /// The verdict, in words.
    #[serde(default)]
    pub verdict: Option<String>,
}
