//! Records of games: the course's two CSV formats, without headers, and a complete JSON record.
//!
//! The turn file has one line per action: round, cards after the action (`;` between them), player, whether the player
//! is "you" (1 or 0), index of the player's hand, action, bid, the dealer's up-card: `1,SQ;H3;D6,0,0,0,Stand,10,DK`.
//! The up-card field is empty until the up-card is shown.
//!
//! The score file has one line per round: round, your points, the others' points in the order of player ids:
//! `16,10015,9960;9920`.

use serde::{Deserialize, Serialize};

use super::cards::joined;
use super::player::{Fault, PlayerId};
use super::record::{Observer, RoundRecord, Standing, TurnRecord};
use super::rules::{Points, Settings};

/// The complete record of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLog {
    /// The parameters of the game.
    pub settings: Settings,
    /// The names of the players, in the order of their ids.
    pub players: Vec<String>,
    /// The seed that determines the shoe and the seating.
    pub seed: u64,
    /// All actions, in the order in which players took them.
    pub turns: Vec<TurnRecord>,
    /// All rounds that were played.
    pub rounds: Vec<RoundRecord>,
    /// The players that were put out of the game, with the reasons.
    faults: Vec<FaultRecord>,
    /// The places at the end of the game; empty until then.
    pub standings: Vec<Standing>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultRecord {
    round: u32,
    player: PlayerId,
    reason: String,
}

impl Observer for GameLog {
    fn turn(&mut self, turn: &TurnRecord) {
        self.turns.push(turn.clone());
    }

    fn round(&mut self, round: &RoundRecord) {
        self.rounds.push(round.clone());
    }

    fn fault(&mut self, round: u32, player: PlayerId, fault: &Fault) {
        self.faults.push(FaultRecord {
            round,
            player,
            reason: fault.to_string(),
        });
    }
}

impl GameLog {
    /// Creates the record of a game before its first round.
    pub fn new(settings: Settings, players: Vec<String>, seed: u64) -> GameLog {
        GameLog {
            settings,
            players,
            seed,
            turns: Vec::new(),
            rounds: Vec::new(),
            faults: Vec::new(),
            standings: Vec::new(),
        }
    }

    /// Returns the turn file from the point of view of the player `you`.
    pub fn turn_file(&self, you: PlayerId) -> String {
        let line = |turn: &TurnRecord| {
            let up_card = turn.up_card.map(|card| card.to_string());
            format!(
                "{},{},{},{},{},{},{},{}\n",
                turn.round,
                joined(&turn.cards, ";"),
                turn.player,
                u8::from(turn.player == you),
                turn.hand,
                turn.action.name(),
                turn.bid,
                up_card.unwrap_or_default(),
            )
        };
        self.turns.iter().map(line).collect()
    }

    /// Returns the score file from the point of view of the player `you`.
    pub fn score_file(&self, you: PlayerId) -> String {
        let line = |round: &RoundRecord| {
            let mut others: Vec<String> = round.points.iter().map(Points::to_string).collect();
            let own = others.remove(you as usize);
            format!("{},{own},{}\n", round.round, others.join(";"))
        };
        self.rounds.iter().map(line).collect()
    }
}
