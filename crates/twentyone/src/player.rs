//! The views that players see, and the replies that they give.
//!
//! A [`View`] contains everything that a player may see according to the assignment's text, and nothing else that the
//! table knows.

use thiserror::Error;

use super::actions::{Action, ActionError};
use super::cards::Card;
use super::rules::{Points, Settings};

/// The identity of a player at a table: its index in the list of players, starting at 0.
pub type PlayerId = u32;

/// The maximum length of a memory in characters.
pub const MEMORY_LIMIT: usize = 10_000;

/// The hands that a player showed last. They are in order of play, and their cards in dealing order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The player that showed these hands.
    pub id: PlayerId,
    /// One hand, or several after splits; empty if no hand is known.
    pub hands: Vec<Vec<Card>>,
}

/// All information that a player sees when it must act.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The parameters of the game.
    pub settings: &'a Settings,
    /// The player to act.
    pub id: PlayerId,
    /// The dealer's up-card; `None` while bids are placed.
    pub up_card: Option<Card>,
    /// The points of all players still in the game, in seating order. Bids that were placed are already deducted.
    pub points: &'a [(PlayerId, Points)],
    /// The last shown hands of all players that were in the game when the last round began.
    ///
    /// The list is in seating order. Players that have finished their turn show this round's hands; for other players,
    /// the rule set decides which hands of the last round are shown.
    pub shown: &'a [Shown],
    /// The cards that the dealer showed in the last round: only the up-card if the dealer did not play.
    pub dealer: &'a [Card],
    /// The last memory that the player returned; `None` on the first call of a game.
    pub memory: Option<&'a str>,
    /// The hand to play; empty while bids are placed.
    pub hand: &'a [Card],
}

impl View<'_> {
    /// Returns the points of the player to act; 0 if it is not listed.
    pub fn own_points(&self) -> Points {
        self.points
            .iter()
            .find(|(id, _)| *id == self.id)
            .map_or(0, |(_, points)| *points)
    }
}

/// The contents of a [`View`], as owned data and without the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The parameters of the game.
    pub settings: Settings,
    /// The player to act.
    pub id: PlayerId,
    /// The dealer's up-card, as in [`View::up_card`].
    pub up_card: Option<Card>,
    /// The points of all players still in the game, as in [`View::points`].
    pub points: Vec<(PlayerId, Points)>,
    /// The hands shown last, as in [`View::shown`].
    pub shown: Vec<Shown>,
    /// The dealer's cards of the last round, as in [`View::dealer`].
    pub dealer: Vec<Card>,
    /// The player's own hand, as in [`View::hand`].
    pub hand: Vec<Card>,
}

impl Seen {
    /// Returns the view of the player, with this memory.
    pub fn view<'a>(&'a self, memory: Option<&'a str>) -> View<'a> {
        View {
            settings: &self.settings,
            id: self.id,
            up_card: self.up_card,
            points: &self.points,
            shown: &self.shown,
            dealer: &self.dealer,
            memory,
            hand: &self.hand,
        }
    }
}

/// A player's reply to a view: its action and its new memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The action to take, if it is legal.
    pub action: Action,
    /// The text that the player receives at the next call; at most [`MEMORY_LIMIT`] characters.
    pub memory: String,
}

/// The reason why a player is put out of the game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// The action is against the rules.
    #[error("illegal {action}: {reason}")]
    Illegal {
        /// The action that the player chose.
        action: Action,
        /// The reason why the action is not allowed.
        reason: ActionError,
    },
    /// The memory is too long.
    #[error("returned a memory of {0} characters: expected at most {MEMORY_LIMIT}")]
    MemoryTooLong(usize),
    /// The player did not answer: it crashed, left, or wrote unreadable text.
    #[error("{0}")]
    Failed(String),
}

/// Checks the length of a memory.
pub fn check_memory(memory: &str) -> Result<(), Fault> {
    match memory.chars().count() {
        ..=MEMORY_LIMIT => Ok(()),
        length => Err(Fault::MemoryTooLong(length)),
    }
}

/// A player: a strategy or a program.
pub trait Player {
    /// Chooses an action. A player that returns a [`Fault`] is out of the game.
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault>;
}
