//! What a player is asked, and what it answers.
//!
//! A [`View`] holds all that the text lets a player see, and nothing else that the table knows.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::actions::{Action, ActionError};
use super::cards::Card;
use super::rules::{Points, Settings};

/// Identity of a player at a table: its place in the list of players, from 0.
pub type PlayerId = u32;

/// Time a player has for one call.
pub const REPLY_LIMIT: Duration = Duration::from_secs(1);

/// Characters a memory may have.
pub const MEMORY_LIMIT: usize = 10_000;

/// The hands a player showed last, in the order they were played; cards in the order dealt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The player that showed them.
    pub id: PlayerId,
    /// One hand, or more after splits; none if nothing is known.
    pub hands: Vec<Vec<Card>>,
}

/// All that a player sees when it is asked for an action.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Parameters of the game.
    pub settings: &'a Settings,
    /// The player that is asked.
    pub id: PlayerId,
    /// The dealer's up-card; `None` while bids are placed.
    pub up_card: Option<Card>,
    /// Points, without the bids placed, of everyone still in the game, in seating order.
    pub points: &'a [(PlayerId, Points)],
    /// Hands shown last by everyone who was in the game when the last round began, in seating
    /// order: this round's for players who have finished their turn, else what the rule set shows
    /// of the last round.
    pub shown: &'a [Shown],
    /// The cards the dealer showed last round: only the up-card if it did not play.
    pub dealer: &'a [Card],
    /// What the player returned as its memory last; `None` on the first call of a game.
    pub memory: Option<&'a str>,
    /// The hand to play; empty while bids are placed.
    pub hand: &'a [Card],
}

impl View<'_> {
    /// Points of the player that is asked; 0 if it is not listed.
    pub fn own_points(&self) -> Points {
        self.points
            .iter()
            .find(|(id, _)| *id == self.id)
            .map_or(0, |(_, points)| *points)
    }
}

/// What a [`View`] shows, kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Parameters of the game.
    pub settings: Settings,
    /// The player that is asked.
    pub id: PlayerId,
    /// The dealer's up-card, as in [`View::up_card`].
    pub up_card: Option<Card>,
    /// Points of everyone still in the game, as in [`View::points`].
    pub points: Vec<(PlayerId, Points)>,
    /// Hands shown last, as in [`View::shown`].
    pub shown: Vec<Shown>,
    /// The dealer's cards of the last round, as in [`View::dealer`].
    pub dealer: Vec<Card>,
    /// The player's own hand, as in [`View::hand`].
    pub hand: Vec<Card>,
}

impl Seen {
    /// The view of a player with this memory.
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

/// A player's answer when it is asked for an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The action to take, if it is legal.
    pub action: Action,
    /// What the player wants to be shown when it is next asked; at most [`MEMORY_LIMIT`] characters.
    pub memory: String,
}

/// Why a player is put out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// The action is against the rules.
    #[error("illegal {action}: {reason}")]
    Illegal {
        /// The action that the player chose.
        action: Action,
        /// Why it is not allowed.
        reason: ActionError,
    },
    /// The reply took too long.
    #[error("took {0:?} to reply: expected an answer within {REPLY_LIMIT:?}")]
    TooSlow(Duration),
    /// The memory is too long.
    #[error("returned a memory of {0} characters: expected at most {MEMORY_LIMIT}")]
    MemoryTooLong(usize),
    /// The player gave no answer at all: it crashed, left, or wrote something unreadable.
    #[error("{0}")]
    Failed(String),
}

/// Checks that a memory may be kept.
pub fn check_memory(memory: &str) -> Result<(), Fault> {
    match memory.chars().count() {
        ..=MEMORY_LIMIT => Ok(()),
        length => Err(Fault::MemoryTooLong(length)),
    }
}

/// Something that plays: a strategy, a program or a person.
pub trait Player {
    /// Chooses an action; with a [`Fault`] instead, the player is out.
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault>;

    /// Whether the time for the next reply is limited; people have as long as they like.
    fn is_timed(&self) -> bool {
        true
    }
}
