//! The lines of an arena's log.
//!
//! A log is JSON lines: a header, then moves and games, and an end if the match came to one. A
//! reader passes over fields that it does not know; what is optional may be absent or null.

use serde::{Deserialize, Serialize};

/// The format's number, in the header.
pub const FORMAT: u32 = 1;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Record {
    /// The first line: what is played, and how.
    Match(Header),
    /// A move.
    Move(MoveRecord),
    /// A game that is over; its moves come before it.
    Game(GameRecord),
    /// The match came to its end or was interrupted by its user.
    End(EndRecord),
}

/// What is played, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u32,
    /// The program's version.
    pub turnwise: String,
    /// The game, `entropy`.
    pub game: String,
    /// The contestants; their names are unique.
    pub agents: Vec<AgentRecord>,
    /// Side of the board.
    pub size: u8,
    /// From it and a pair's number come the tiles.
    pub seed: u64,
    /// How many pairs were asked for.
    pub pairs: u64,
    /// Random plies at the start of each game.
    #[serde(default)]
    pub opening_plies: u32,
    /// What limits the agents.
    pub time: TimeControl,
    /// Which clock counts.
    #[serde(default)]
    pub counts: Counts,
    /// How the agents are reached.
    #[serde(default)]
    pub via: Via,
    /// How many games ran at the same time.
    #[serde(default)]
    pub jobs: u32,
}

/// A contestant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRecord {
    /// Its name in the match.
    pub name: String,
    /// What it is, as given on the command line.
    #[serde(default)]
    pub spec: String,
}

/// What limits the agents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// A clock for each game.
    Clock {
        /// Time at the start, in seconds.
        seconds: f64,
        /// What each move adds, in seconds.
        #[serde(default)]
        increment: f64,
    },
    /// A time for each move.
    Movetime {
        /// In seconds.
        seconds: f64,
    },
    /// A number of positions for each move.
    Nodes {
        /// That number.
        nodes: u64,
    },
}

/// Which clock counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    /// The time that passes.
    #[default]
    Wall,
    /// The time the processor spends on the agent.
    Cpu,
}

/// How the agents are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// In the arena's process, or a child process on stdin and stdout.
    #[default]
    Process,
    /// Over sockets.
    Tcp,
}

/// A player's part in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Role {
    /// Slides tiles to make palindromes.
    Order,
    /// Places tiles to prevent them.
    Chaos,
}

impl Role {
    /// Both.
    pub const BOTH: [Role; 2] = [Role::Order, Role::Chaos];

    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Role::Order => "Order",
            Role::Chaos => "Chaos",
        }
    }
}

/// A move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u64,
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
    /// `row col`, `row col row col` or `pass`.
    #[serde(rename = "move")]
    pub mv: String,
    /// The clock after the move, in seconds.
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
    /// The processor time it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    /// Plies searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// Positions visited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The score that the agent expects the game to end with: always Order's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The name of the agent's weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// A game that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u64,
    /// 1: the pair's first agent is Order; 2: its second one is.
    pub game: u8,
    /// The pair's first agent.
    pub first: String,
    /// The pair's second agent.
    pub second: String,
    /// The agent that is Order.
    pub order: String,
    /// The agent that is Chaos.
    pub chaos: String,
    /// From it come the tiles and the opening.
    #[serde(default)]
    pub seed: u64,
    /// The random moves that the game began with; `moves` begins with them.
    #[serde(default)]
    pub opening: Vec<String>,
    /// The tiles' letters in the order in which they are drawn.
    pub tiles: String,
    /// All moves, Chaos's first.
    pub moves: Vec<String>,
    /// Order's score.
    pub order_score: u32,
    /// Why the game ended before its time.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// The time both took, in seconds.
    #[serde(default)]
    pub used_s: Option<ByRole>,
    /// The processor time both took, in seconds.
    #[serde(default)]
    pub cpu_s: Option<ByRole>,
    /// Side of the board; the header's if absent.
    #[serde(default)]
    pub size: Option<u8>,
}

/// A figure of each player.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ByRole {
    /// Order's; absent if unknown.
    #[serde(default)]
    pub order: Option<f64>,
    /// Chaos's; absent if unknown.
    #[serde(default)]
    pub chaos: Option<f64>,
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
    /// The last lines the agent wrote to stderr.
    #[serde(default)]
    pub stderr: Vec<String>,
}

/// What kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// The clock ran out.
    Overtime,
    /// The process ended or the connection was lost.
    Crash,
    /// A move against the rules.
    Illegal,
    /// An answer that is no move.
    Garbage,
    /// No answer at all.
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
    pub pairs: u64,
    /// The verdict, in words.
    #[serde(default)]
    pub verdict: Option<String>,
}
