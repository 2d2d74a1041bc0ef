//! What is particular to the games in the lines of a log.

use serde::{Deserialize, Serialize};

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
        /// Whether blanks and carriage returns at the ends of lines of output.txt are passed over.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lenient: bool,
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
        /// At the goal: the steps that the loser's pieces still had to go, if each went alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<u32>,
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
