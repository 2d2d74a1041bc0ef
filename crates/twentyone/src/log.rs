//! Records of games: the course's two CSV formats, without headers, and a JSON record of it all.
//!
//! Turn file, a line an action: round, cards after the action (`;` between them), player, whether
//! that is "you" (1 or 0), which of the player's hands, action, bid, the dealer's up-card:
//! `1,SQ;H3;D6,0,0,0,Stand,10,DK`. Before the up-card is shown its field is empty.
//!
//! Score file, a line a round: round, your points, the others' points by player id:
//! `16,10015,9960;9920`.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cards::{Card, join_cards};
use super::player::{Fault, PlayerId};
use super::record::{Observer, RoundRecord, Standing, TurnRecord};
use super::rules::{Points, Settings};

/// A player who was put out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultRecord {
    /// Round, from 1.
    pub round: u32,
    /// Who.
    pub player: PlayerId,
    /// Why.
    pub reason: String,
}

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
    /// Every action.
    pub turns: Vec<TurnRecord>,
    /// Every round.
    pub rounds: Vec<RoundRecord>,
    /// Players that were put out.
    pub faults: Vec<FaultRecord>,
    /// The end.
    pub standings: Vec<Standing>,
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
    /// An empty record.
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
        let mut text = String::new();
        for turn in &self.turns {
            let up_card = turn
                .up_card
                .map(|card| card.to_string())
                .unwrap_or_default();
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{up_card}",
                turn.round,
                join_cards(&turn.cards, ";"),
                turn.player,
                u8::from(turn.player == you),
                turn.hand,
                turn.action.name(),
                turn.bid,
            );
        }
        text
    }

    /// The score file as `you` would get it.
    pub fn score_file(&self, you: PlayerId) -> String {
        let mut text = String::new();
        for round in &self.rounds {
            let (own, others): (Vec<_>, Vec<_>) = round
                .points
                .iter()
                .enumerate()
                .partition(|(id, _)| *id == you as usize);
            let list = |points: Vec<(usize, &Points)>| {
                points
                    .iter()
                    .map(|(_, points)| points.to_string())
                    .collect::<Vec<_>>()
                    .join(";")
            };
            let _ = writeln!(text, "{},{},{}", round.round, list(own), list(others));
        }
        text
    }
}

/// A line of a log that is not of its format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct LineError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What was expected and what came.
    pub what: String,
}

/// A line of a score file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoreLine {
    /// Round.
    pub round: u32,
    /// Own points, then the others'.
    pub points: Vec<Points>,
}

/// A line of a turn file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnLine {
    /// Round.
    pub round: u32,
    /// Cards after the action.
    pub cards: Vec<Card>,
    /// Who acted.
    pub player: String,
    /// Whether that is the owner of the file.
    pub yours: bool,
    /// Which of the player's hands.
    pub hand: u32,
    /// Name of the action.
    pub action: String,
    /// Bid.
    pub bid: Points,
    /// Up-card, once shown.
    pub up_card: Option<Card>,
}

fn number<T: std::str::FromStr>(field: &str, what: &str) -> Result<T, String> {
    field
        .parse()
        .map_err(|_| format!("{field:?} is not {what}"))
}

fn lines<T>(text: &str, read: impl Fn(&[&str]) -> Result<T, String>) -> Result<Vec<T>, LineError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let fields: Vec<&str> = line.trim().split(',').collect();
            read(&fields).map_err(|what| LineError {
                line: index + 1,
                what,
            })
        })
        .collect()
}

/// Reads a score file.
///
/// # Errors
/// The first line that is not `round,points,points;points;...`, or has another number of players
/// than the lines before.
pub fn read_score_file(text: &str) -> Result<Vec<ScoreLine>, LineError> {
    let read = lines(text, |fields| {
        let &[round, own, others] = fields else {
            return Err(format!(
                "{} fields: expected round, own points, others",
                fields.len()
            ));
        };
        let others = others.split(';').filter(|field| !field.is_empty());
        let points = std::iter::once(own)
            .chain(others)
            .map(|field| number(field, "a number of points"))
            .collect::<Result<_, _>>()?;
        Ok(ScoreLine {
            round: number(round, "a round")?,
            points,
        })
    })?;
    let players = read.first().map_or(0, |line| line.points.len());
    match read.iter().position(|line| line.points.len() != players) {
        Some(index) => Err(LineError {
            line: index + 1,
            what: format!("{} players: expected {players}", read[index].points.len()),
        }),
        None => Ok(read),
    }
}

/// Reads a turn file.
///
/// # Errors
/// The first line that is not of the format.
pub fn read_turn_file(text: &str) -> Result<Vec<TurnLine>, LineError> {
    lines(text, |fields| {
        let &[round, cards, player, yours, hand, action, bid, up_card] = fields else {
            return Err(format!("{} fields: expected 8", fields.len()));
        };
        let card = |field: &str| field.parse::<Card>().map_err(|error| error.to_string());
        let cards = cards.split(';').filter(|field| !field.is_empty()).map(card);
        Ok(TurnLine {
            round: number(round, "a round")?,
            cards: cards.collect::<Result<_, _>>()?,
            player: player.to_string(),
            yours: match yours {
                "0" => false,
                "1" => true,
                _ => return Err(format!("{yours:?} is not 0 or 1")),
            },
            hand: number(hand, "a number of a hand")?,
            action: action.to_string(),
            bid: number(bid, "a bid")?,
            up_card: if up_card.is_empty() {
                None
            } else {
                Some(card(up_card)?)
            },
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_samples_are_read() {
        let turns = read_turn_file("1,SQ;H3;D6,0,0,0,Stand,10,DK\n").expect("the sample");
        assert_eq!((turns[0].cards.len(), turns[0].bid), (3, 10));
        assert_eq!(turns[0].action, "Stand");
        let scores =
            read_score_file("16,10015,9960;9920;9985;9950;10055;10240;10120;9975;9960;10005")
                .expect("the sample");
        assert_eq!((scores[0].round, scores[0].points.len()), (16, 11));
        assert_eq!(scores[0].points[0], 10_015);
    }

    #[test]
    fn bad_lines_are_named() {
        let error = read_score_file("1,2,3\n2,x,3\n").expect_err("a bad line");
        assert_eq!(error.to_string(), "line 2: \"x\" is not a number of points");
        assert_eq!(
            read_score_file("1,2,3\n2,2,3;4\n")
                .expect_err("another number")
                .line,
            2
        );
        assert!(read_turn_file("1,SQ;H3,0,0,0,Stand,10\n").is_err());
        assert!(read_turn_file("1,SQ;XX,0,0,0,Stand,10,DK\n").is_err());
    }
}
