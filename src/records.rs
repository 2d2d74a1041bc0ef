//! The lines of an arena's log: what the arena writes, and what resuming and reporting read.
//!
//! A log is JSON lines: a header, then moves and games, and an end if the match came to one. A
//! reader passes over fields that it does not know; what is optional may be absent or null. Times of
//! moves and games are left out where nothing depends on them, so that matches without clocks are the
//! same byte for byte.

use serde::{Deserialize, Serialize};

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
    /// Pairs of the whole match.
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

/// A game and what is to be settled about it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "game", rename_all = "lowercase")]
pub enum GameSettings {
    /// Order against Chaos.
    Entropy {
        /// Side of the board.
        size: u8,
        /// Whether Order may pass.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pass: bool,
    },
    /// Black against White.
    Halma {
        /// The rule set.
        rules: HalmaRules,
        /// A game of so many plies is drawn, and won by whoever has more time left.
        plies: u32,
        /// Who begins; by the pair's seed if it is not settled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        begins: Option<Role>,
        /// A process is killed this long after its time has run out, in seconds.
        grace_s: f64,
    },
}

impl GameSettings {
    /// Both players' parts; the scores in the log are those of the first.
    pub fn roles(&self) -> [Role; 2] {
        match self {
            GameSettings::Entropy { .. } => [Role::Order, Role::Chaos],
            GameSettings::Halma { .. } => [Role::Black, Role::White],
        }
    }

    /// The game's name in texts.
    pub fn title(&self) -> &'static str {
        match self {
            GameSettings::Entropy { .. } => "Entropy",
            GameSettings::Halma { .. } => "Halma",
        }
    }
}

/// The rule sets of Halma.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HalmaRules {
    /// The assignment's text alone.
    Base,
    /// With what was published after it.
    Addendum,
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

/// A player's part in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Role {
    /// In Entropy: slides tiles to make palindromes.
    Order,
    /// In Entropy: places tiles to prevent them.
    Chaos,
    /// In Halma: starts in the top left corner.
    Black,
    /// In Halma: starts in the bottom right corner.
    White,
}

impl Role {
    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Role::Order => "Order",
            Role::Chaos => "Chaos",
            Role::Black => "Black",
            Role::White => "White",
        }
    }
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
    /// What the agent thinks of it, always from the side of the first role: in Entropy the score that
    /// it expects Order to end with, in Halma the value for Black in points of its evaluation.
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

/// What is particular to a game of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Course {
    /// Of Entropy; Chaos makes the first move.
    Entropy {
        /// The agent that is Order.
        order: String,
        /// The agent that is Chaos.
        chaos: String,
        /// The tiles' letters in the order in which they are drawn.
        tiles: String,
        /// Order's score.
        order_score: u32,
        /// Side of the board; the header's if absent.
        #[serde(default)]
        size: Option<u8>,
    },
    /// Of Halma.
    Halma {
        /// The agent that is Black.
        black: String,
        /// The agent that is White.
        white: String,
        /// Who made the first move.
        begins: Role,
        /// Black's score: 1 for a win, 0.5 for a draw, 0 for a loss.
        black_score: f64,
        /// How it ended.
        ending: Ending,
    },
}

/// How a game of Halma ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// The winner has filled the opposing camp.
    Goal,
    /// The loser had no legal move.
    Stuck,
    /// Drawn by the number of plies, and won by whoever had more time left.
    Time,
    /// Drawn by the number of plies, without clocks or with equal ones.
    Draw,
    /// The loser was at fault.
    Fault,
}

impl Ending {
    /// What happened, in words.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Goal => "the camp is full",
            Ending::Stuck => "no legal move",
            Ending::Time => "drawn by plies, won by time left",
            Ending::Draw => "drawn by plies",
            Ending::Fault => "a fault",
        }
    }
}

impl Course {
    /// The agents in the order of [`GameSettings::roles`].
    pub fn players(&self) -> [&str; 2] {
        match self {
            Course::Entropy { order, chaos, .. } => [order, chaos],
            Course::Halma { black, white, .. } => [black, white],
        }
    }

    /// The score of the first role.
    pub fn score(&self) -> f64 {
        match self {
            Course::Entropy { order_score, .. } => f64::from(*order_score),
            Course::Halma { black_score, .. } => *black_score,
        }
    }
}

/// Seconds of each player.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ByRole {
    /// In Entropy.
    Entropy {
        /// Order's.
        order: f64,
        /// Chaos's.
        chaos: f64,
    },
    /// In Halma.
    Halma {
        /// Black's.
        black: f64,
        /// White's.
        white: f64,
    },
}

impl ByRole {
    /// Both in the order of [`GameSettings::roles`].
    pub fn new(game: &GameSettings, [first, second]: [f64; 2]) -> Self {
        match game {
            GameSettings::Entropy { .. } => ByRole::Entropy {
                order: first,
                chaos: second,
            },
            GameSettings::Halma { .. } => ByRole::Halma {
                black: first,
                white: second,
            },
        }
    }

    /// Both in the order of [`GameSettings::roles`].
    pub fn both(self) -> [f64; 2] {
        match self {
            ByRole::Entropy { order, chaos } => [order, chaos],
            ByRole::Halma { black, white } => [black, white],
        }
    }
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
