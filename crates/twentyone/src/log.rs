//! Records of games: the course's two CSV formats, without headers, and a JSON record of it all.
//!
//! Turn file, a line an action: round, cards after the action (`;` between them), player, whether
//! that is "you" (1 or 0), which of the player's hands, action, bid, the dealer's up-card:
//! `1,SQ;H3;D6,0,0,0,Stand,10,DK`. Before the up-card is shown its field is empty.
//!
//! Score file, a line a round: round, your points, the others' points by player id:
//! `16,10015,9960;9920`.

use serde::{Deserialize, Serialize};

use super::cards::joined;
use super::player::{Fault, PlayerId};
use super::record::{Observer, RoundRecord, Standing, TurnRecord};
use super::rules::{Points, Settings};

/// Everything that happened in a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLog {
    /// Parameters of the game.
    pub settings: Settings,
    /// Names of the players, by id.
    pub players: Vec<String>,
    /// Seed of the game.
    pub seed: u64,
    /// All actions in the order in which they were taken.
    pub turns: Vec<TurnRecord>,
    /// All rounds that were played.
    pub rounds: Vec<RoundRecord>,
    /// Players that were put out, and why.
    faults: Vec<FaultRecord>,
    /// The places at the end of the game; empty before it.
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
    /// The record of a game whose first round is still to come.
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

    /// The turn file as `you` would get it.
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

    /// The score file as `you` would get it.
    pub fn score_file(&self, you: PlayerId) -> String {
        let line = |round: &RoundRecord| {
            let mut others: Vec<String> = round.points.iter().map(Points::to_string).collect();
            let own = others.remove(you as usize);
            format!("{},{own},{}\n", round.round, others.join(";"))
        };
        self.rounds.iter().map(line).collect()
    }
}
