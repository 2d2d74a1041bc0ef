//! Reads a game file in any of the formats that [`super::log`] describes.

use std::collections::BTreeMap;
use std::str::FromStr;

use thiserror::Error;
use turnwise_engine::words::printable;

use super::cards::Card;
use super::log::GameLog;
use super::record::RoundRecord;
use super::rules::{HandValue, Points, hand_value};

/// The points of named players after each round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointsByRound {
    /// The printable names of the players. For a score file, they are "you", "other 1", "other 2" …
    pub names: Vec<String>,
    /// The rounds: for each, its number and the points of each named player after it.
    pub rounds: Vec<(u32, Vec<Points>)>,
}

/// The contents of a game file.
///
/// A score file has points, a turn file has actions, and a JSON record has both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFile {
    /// The points after each round; `None` for a turn file.
    pub points: Option<PointsByRound>,
    /// The actions of each player, keyed by printable name; `None` for a score file.
    pub actions: Option<BTreeMap<String, Actions>>,
}

/// The reason why a text is not a game file.
#[derive(Debug, Error)]
pub enum GameFileError {
    /// The text begins like a JSON record but is invalid.
    #[error("not a record of a game")]
    Json(#[source] serde_json::Error),
    /// A part of the text does not match its format.
    #[error("{0}")]
    Format(String),
}

impl FromStr for GameFile {
    type Err = GameFileError;

    fn from_str(text: &str) -> Result<Self, GameFileError> {
        let mut lines = text.lines();
        let first = lines.find(|line| !line.trim().is_empty()).unwrap_or("");
        match first.split(',').count() {
            _ if first.starts_with('{') => {
                let mut log: GameLog = serde_json::from_str(text).map_err(GameFileError::Json)?;
                log.players
                    .iter_mut()
                    .for_each(|name| *name = printable(name));
                Ok(Self {
                    actions: Some(actions_of(&log)),
                    points: Some(points_of(log)?),
                })
            }
            3 => Ok(Self {
                points: Some(read_score_file(text)?),
                actions: None,
            }),
            8 => Ok(Self {
                points: None,
                actions: Some(read_turn_file(text)?),
            }),
            fields => Err(GameFileError::Format(format!(
                "{fields} fields in the first line: expected a score file (3), a turn file (8) or a JSON record"
            ))),
        }
    }
}

fn points_of(log: GameLog) -> Result<PointsByRound, GameFileError> {
    let expected = log.players.len();
    let is_other = |round: &&RoundRecord| round.points.len() != expected;
    if let Some(other) = log.rounds.iter().find(is_other) {
        let (round, found) = (other.round, other.points.len());
        return Err(GameFileError::Format(format!(
            "round {round} has points of {found} players: expected {expected}"
        )));
    }
    let rounds = log.rounds.into_iter();
    Ok(PointsByRound {
        names: log.players,
        rounds: rounds.map(|round| (round.round, round.points)).collect(),
    })
}

fn actions_of(log: &GameLog) -> BTreeMap<String, Actions> {
    let mut players: BTreeMap<String, Actions> = BTreeMap::new();
    for turn in &log.turns {
        let name = log.players.get(turn.player as usize).cloned();
        let actions = players.entry(name.unwrap_or_else(|| turn.player.to_string()));
        let hand = (turn.round, turn.hand);
        let (action, cards) = (turn.action.name(), turn.cards.clone());
        actions.or_default().add(hand, action, cards, turn.bid);
    }
    players
}

fn number<T: FromStr>(field: &str, what: &str) -> Result<T, String> {
    field
        .parse()
        .map_err(|_| format!("{field:?} is not {what}"))
}

/// Applies `read` to the fields of each nonblank line and returns the results.
fn lines<T>(
    text: &str,
    mut read: impl FnMut(&[&str]) -> Result<T, String>,
) -> Result<Vec<T>, GameFileError> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| {
            let fields: Vec<&str> = line.split(',').collect();
            read(&fields).map_err(|what| GameFileError::Format(format!("line {number}: {what}")))
        })
        .collect()
}

/// Reads lines of the form `round,points,points;points;...`, all with an equal number of players.
fn read_score_file(text: &str) -> Result<PointsByRound, GameFileError> {
    let mut players = None;
    let rounds = lines(text, |fields| {
        let &[round, own, others] = fields else {
            let count = fields.len();
            return Err(format!(
                "{count} fields: expected round, own points, others"
            ));
        };
        let others = others.split(';').filter(|field| !field.is_empty());
        let points = std::iter::once(own).chain(others);
        let points = points.map(|field| number(field, "a number of points"));
        let points: Vec<Points> = points.collect::<Result<_, _>>()?;
        let round = number(round, "a round")?;
        match *players.get_or_insert(points.len()) {
            expected if points.len() != expected => {
                Err(format!("{} players: expected {expected}", points.len()))
            }
            _ => Ok((round, points)),
        }
    })?;
    let name = |index| match index {
        0 => "you".to_string(),
        other => format!("other {other}"),
    };
    let names = (0..players.unwrap_or(0)).map(name).collect();
    Ok(PointsByRound { names, rounds })
}

/// Reads the lines of a turn file, as [`super::log`] describes them.
fn read_turn_file(text: &str) -> Result<BTreeMap<String, Actions>, GameFileError> {
    let mut players: BTreeMap<String, Actions> = BTreeMap::new();
    lines(text, |fields| {
        let &[round, cards, player, yours, hand, action, bid, up_card] = fields else {
            return Err(format!("{} fields: expected 8", fields.len()));
        };
        let card = |field: &str| field.parse::<Card>().map_err(|error| error.to_string());
        let round = number(round, "a round")?;
        let cards = cards.split(';').filter(|field| !field.is_empty()).map(card);
        let cards: Vec<Card> = cards.collect::<Result<_, _>>()?;
        if !matches!(yours, "0" | "1") {
            return Err(format!("{yours:?} is not 0 or 1"));
        }
        let hand = number(hand, "a number of a hand")?;
        let bid = number(bid, "a bid")?;
        if !up_card.is_empty() {
            card(up_card)?;
        }
        let actions = players.entry(printable(player)).or_default();
        actions.add((round, hand), action, cards, bid);
        Ok(())
    })?;
    Ok(players)
}

/// A player's actions in a game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Actions {
    /// The number of rounds in which the player bid.
    pub rounds: u32,
    bids: Points,
    by_name: BTreeMap<String, u32>,
    /// The final cards of each hand, keyed by round number and index of the hand.
    hands: BTreeMap<(u32, u32), Vec<Card>>,
}

impl Actions {
    /// Counts an action. `hand` is the round number and the hand's index; `cards` and `bid` are the hand's cards and
    /// bid after the action.
    fn add(&mut self, hand: (u32, u32), action: &str, cards: Vec<Card>, bid: Points) {
        if action == "Bid" {
            self.rounds += 1;
            self.bids = self.bids.saturating_add(bid);
        } else {
            self.hands.insert(hand, cards);
        }
        *self.by_name.entry(action.to_string()).or_default() += 1;
    }

    /// Returns how often the player took the action with this name.
    pub fn count(&self, action: &str) -> u32 {
        self.by_name.get(action).copied().unwrap_or(0)
    }

    /// Returns the mean bid in points, or 0 if the player has not bid.
    pub fn mean_bid(&self) -> f64 {
        self.bids as f64 / f64::from(self.rounds.max(1))
    }

    /// Returns the number of hands that ended above 21.
    pub fn busts(&self) -> usize {
        let values = self.hands.values().map(|cards| hand_value(cards));
        values.filter(|&value| value == HandValue::Bust).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_samples_are_read() {
        let turns = read_turn_file("1,SQ;H3;D6,0,0,0,Stand,10,DK\n1,,0,0,0,Bid,10,\n");
        let actions = &turns.expect("the sample")["0"];
        assert_eq!((actions.rounds, actions.bids), (1, 10));
        assert_eq!(
            (actions.count("Stand"), actions.hands[&(1, 0)].len()),
            (1, 3)
        );
        let scores =
            read_score_file("16,10015,9960;9920;9985;9950;10055;10240;10120;9975;9960;10005")
                .expect("the sample");
        let (round, points) = &scores.rounds[0];
        assert_eq!((*round, points.len(), scores.names.len()), (16, 11, 11));
        assert_eq!(points[0], 10_015);
    }

    #[test]
    fn names_are_fit_to_be_shown() {
        let file: GameFile = "1,,\u{1b}[2J,0,0,Bid,10,\n".parse().expect("a turn file");
        let actions = file.actions.expect("actions");
        assert!(actions.contains_key("\u{fffd}[2J"), "{actions:?}");
    }

    #[test]
    fn bad_lines_are_named() {
        let error = |text| read_score_file(text).expect_err("a bad line").to_string();
        assert_eq!(
            error("1,2,3\n2,x,3\n"),
            "line 2: \"x\" is not a number of points"
        );
        assert_eq!(error("1,2,3\n2,2,3;4\n"), "line 2: 3 players: expected 2");
        assert!(read_turn_file("1,SQ;H3,0,0,0,Stand,10\n").is_err());
        assert!(read_turn_file("1,SQ;XX,0,0,0,Stand,10,DK\n").is_err());
        assert!(read_turn_file("1,SQ;H3,0,2,0,Stand,10,DK\n").is_err());
        assert!(read_turn_file("1,SQ;H3,0,0,0,Stand,10,XX\n").is_err());
    }
}
