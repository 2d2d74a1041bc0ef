//! Records of a game in progress, and its final standings.

use serde::{Deserialize, Serialize};

use super::actions::Action;
use super::cards::Card;
use super::player::{Fault, PlayerId};
use super::rules::Points;

/// The record of an action that a player took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// A player's place at the end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// The player with this place.
    pub id: PlayerId,
    /// The place, 1 for the best; tied players share a place.
    pub place: u32,
    /// The player's points at the end.
    pub points: Points,
    /// The round in which the player went out of the game, if it did.
    pub out_in_round: Option<u32>,
}

/// Ranks players by points, as the assignment does. Of two players without points, the later ruin ranks higher.
pub fn standings(results: &[(Points, Option<u32>)]) -> Vec<Standing> {
    let key = |&(points, out): &(Points, Option<u32>)| (points, out.unwrap_or(u32::MAX));
    let standing = |(result, id)| {
        let ahead = results.iter().filter(|other| key(other) > key(result));
        Standing {
            id,
            place: 1 + ahead.count() as u32,
            points: result.0,
            out_in_round: result.1,
        }
    };
    let mut standings: Vec<Standing> = results.iter().zip(0..).map(standing).collect();
    standings.sort_by_key(|standing| (standing.place, standing.id));
    standings
}
