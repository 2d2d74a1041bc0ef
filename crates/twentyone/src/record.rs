//! Records of a game in progress.

use super::actions::Action;
use super::cards::Card;
use super::player::{Fault, PlayerId};
use super::rules::Points;

/// The record of an action that a player took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRecord {
    /// The number of the round, starting at 1.
    pub round: u32,
    /// The player that acted.
    pub player: PlayerId,
    /// The index of the player's hand: 0, or a higher number for a further hand after a split.
    pub hand: u32,
    /// The cards of the hand after the action, including a card that the action drew.
    pub cards: Vec<Card>,
    /// The action that was taken.
    pub action: Action,
    /// The bid on the hand after the action.
    pub bid: Points,
    /// The dealer's up-card, once it is shown.
    pub up_card: Option<Card>,
}

/// The record of the end of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundRecord {
    /// The number of the round, starting at 1.
    pub round: u32,
    /// The dealer's cards: only the up-card if the dealer did not play.
    pub dealer: Vec<Card>,
    /// The points of every player after the round, in the order of their ids.
    pub points: Vec<Points>,
}

/// Receives the events at a table.
pub trait Observer {
    /// Receives an action that a player took.
    fn turn(&mut self, _turn: &TurnRecord) {}
    /// Receives the end of a round.
    fn round(&mut self, _round: &RoundRecord) {}
    /// Receives the fault of a player that was put out.
    fn fault(&mut self, _round: u32, _player: PlayerId, _fault: &Fault) {}
}

/// An observer that ignores everything.
pub struct Unobserved;

impl Observer for Unobserved {}
