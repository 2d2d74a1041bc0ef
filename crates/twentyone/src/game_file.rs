//! What a file of a game says, whichever of the formats of [`super::log`] it has.

use std::collections::BTreeMap;
use std::str::FromStr;

use thiserror::Error;

use super::cards::Card;
use super::log::{GameLog, LineError, ScoreLine, TurnLine, read_score_file, read_turn_file};
use super::record::TurnRecord;
use super::rules::{HandValue, Points, hand_value};

/// Points of named players, round by round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointsByRound {
    /// Names of the players; a score file has none, and they are you, other 1, other 2 ...
    pub names: Vec<String>,
    /// A line a round, with as many points as there are names.
    pub lines: Vec<ScoreLine>,
}

/// A score file has points, a turn file has turns, a JSON record has both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFile {
    /// Points after each round.
    pub points: Option<PointsByRound>,
    /// Every action.
    pub turns: Option<Vec<TurnLine>>,
}

/// Why a text is no file of a game.
#[derive(Debug, Error)]
pub enum GameFileError {
    /// It begins as a JSON record and is none.
    #[error("not a record of a game")]
    Json(#[source] serde_json::Error),
    /// A line of a score or turn file is malformed.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A round of a record has not one number of points for each player.
    #[error("round {round} has points of {found} players: expected {expected}")]
    Points {
        /// The round, from 1.
        round: u32,
        /// How many it has.
        found: usize,
        /// How many players there are.
        expected: usize,
    },
    /// The first line is of neither format.
    #[error(
        "{0} fields in the first line: expected a score file (3), a turn file (8) or a JSON record"
    )]
    Fields(usize),
}

impl FromStr for GameFile {
    type Err = GameFileError;

    fn from_str(text: &str) -> Result<Self, GameFileError> {
        let mut lines = text.lines();
        let first = lines.find(|line| !line.trim().is_empty()).unwrap_or("");
        match first.split(',').count() {
            _ if first.starts_with('{') => {
                let log: GameLog = serde_json::from_str(text).map_err(GameFileError::Json)?;
                Ok(Self {
                    turns: Some(log.turns.iter().map(|turn| line_of(turn, &log)).collect()),
                    points: Some(points_of(log)?),
                })
            }
            3 => {
                let lines = read_score_file(text)?;
                let others = lines.first().map_or(0, |line| line.points.len() - 1);
                let others = (1..=others).map(|index| format!("other {index}"));
                let names = std::iter::once("you".to_string()).chain(others).collect();
                Ok(Self {
                    points: Some(PointsByRound { names, lines }),
                    turns: None,
                })
            }
            8 => Ok(Self {
                points: None,
                turns: Some(read_turn_file(text)?),
            }),
            fields => Err(GameFileError::Fields(fields)),
        }
    }
}

fn points_of(log: GameLog) -> Result<PointsByRound, GameFileError> {
    let expected = log.players.len();
    let line = |round: super::record::RoundRecord| match round.points.len() {
        found if found != expected => Err(GameFileError::Points {
            round: round.round,
            found,
            expected,
        }),
        _ => Ok(ScoreLine {
            round: round.round,
            points: round.points,
        }),
    };
    Ok(PointsByRound {
        lines: log.rounds.into_iter().map(line).collect::<Result<_, _>>()?,
        names: log.players,
    })
}

fn line_of(turn: &TurnRecord, log: &GameLog) -> TurnLine {
    let name = log.players.get(turn.player as usize);
    TurnLine {
        round: turn.round,
        cards: turn.cards.clone(),
        player: name.cloned().unwrap_or_else(|| turn.player.to_string()),
        yours: turn.player == 0,
        hand: turn.hand,
        action: turn.action.name().to_string(),
        bid: turn.bid,
        up_card: turn.up_card,
    }
}

/// What a player did in a game.
#[derive(Debug, Clone, Default)]
pub struct Actions {
    /// Rounds in which it bid.
    pub rounds: u32,
    bids: Points,
    by_name: BTreeMap<String, u32>,
    /// Last cards of each hand of each round.
    hands: BTreeMap<(u32, u32), Vec<Card>>,
}

impl Actions {
    /// Those of every player, by name.
    pub fn by_player(turns: &[TurnLine]) -> BTreeMap<&str, Actions> {
        let mut players: BTreeMap<&str, Actions> = BTreeMap::new();
        for turn in turns {
            let actions = players.entry(&turn.player).or_default();
            if turn.action == "Bid" {
                actions.rounds += 1;
                actions.bids = actions.bids.saturating_add(turn.bid);
            } else {
                let hand = (turn.round, turn.hand);
                actions.hands.insert(hand, turn.cards.clone());
            }
            *actions.by_name.entry(turn.action.clone()).or_default() += 1;
        }
        players
    }

    /// How often it took an action of this name.
    pub fn count(&self, action: &str) -> u32 {
        self.by_name.get(action).copied().unwrap_or(0)
    }

    /// In points; 0 without a bid.
    pub fn mean_bid(&self) -> f64 {
        self.bids as f64 / f64::from(self.rounds.max(1))
    }

    /// Hands that ended above 21.
    pub fn busts(&self) -> usize {
        let hands = self.hands.values();
        hands
            .filter(|cards| hand_value(cards) == HandValue::Bust)
            .count()
    }
}
