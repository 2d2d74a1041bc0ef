//! What is told of a game while it is played, and its end.

use serde::{Deserialize, Serialize};

use super::actions::Action;
use super::cards::Card;
use super::player::{Fault, PlayerId};
use super::rules::Points;

/// One action that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRecord {
    /// The number of the round, from 1.
    pub round: u32,
    /// The player that acted.
    pub player: PlayerId,
    /// Which of the player's hands: 0, and more after splits.
    pub hand: u32,
    /// The hand after the action, with the card drawn.
    pub cards: Vec<Card>,
    /// The action that was taken.
    pub action: Action,
    /// Bid on the hand after the action.
    pub bid: Points,
    /// The dealer's up-card, once it is shown.
    pub up_card: Option<Card>,
}

/// The end of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundRecord {
    /// The number of the round, from 1.
    pub round: u32,
    /// The dealer's cards: only the up-card if it did not play.
    pub dealer: Vec<Card>,
    /// Points of every player, by id.
    pub points: Vec<Points>,
}

/// Told what happens at a table.
pub trait Observer {
    /// An action was taken.
    fn turn(&mut self, _turn: &TurnRecord) {}
    /// A round has ended.
    fn round(&mut self, _round: &RoundRecord) {}
    /// A player was put out.
    fn fault(&mut self, _round: u32, _player: PlayerId, _fault: &Fault) {}
}

/// An observer that ignores everything.
pub struct Unobserved;

impl Observer for Unobserved {}

/// Place of a player at the end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// The player whose place it is.
    pub id: PlayerId,
    /// 1 for the best; players that nothing tells apart share a place.
    pub place: u32,
    /// Points at the end.
    pub points: Points,
    /// Round in which the points ran out.
    pub out_in_round: Option<u32>,
}

/// Orders players as the text does: by points, then, without points, by who lasted longer.
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
