//! TwentyOne, one line a call: messages between a table and a player on standard input and output.
//!
//! The written contract is `twentyone.md` beside this crate.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::frame::beginning;

/// Bytes a line may have, its end not counted.
pub const LINE_LIMIT: usize = 1 << 20;

/// Bytes that are told of what is wrong with a line.
pub const MOST_OF_CAUSE: usize = 400;

/// A hand of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a hand, {\"dealt\":[first, second],\"drawn\":[third, ...]}, or a list of at most two cards in the order dealt"
)]
pub enum Hand {
    /// What a table sends.
    Parted {
        /// The two cards that the hand began with, in the order dealt: of a split hand, the card that was split
        /// off and the one dealt onto it.
        dealt: Vec<String>,
        /// Cards drawn since, in the order drawn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        drawn: Vec<String>,
    },
    /// The older form: a list in the order dealt, which only tells that order up to two cards.
    Listed(Vec<String>),
}

/// The cards the dealer showed last round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected the dealer's cards, {\"up_card\":card,\"hidden\":card,\"drawn\":[card, ...]}, or a list of at most two cards, the up-card first"
)]
pub enum Dealer {
    /// What a table sends.
    Named {
        /// The card that everyone saw.
        up_card: String,
        /// The other card that was dealt; absent if the dealer did not play.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hidden: Option<String>,
        /// Cards drawn, in the order drawn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        drawn: Vec<String>,
    },
    /// The older form: a list in the order dealt, which only tells that order up to two cards.
    Listed(Vec<String>),
}

/// Hands that a player showed last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The id of the player that showed them.
    pub id: u32,
    /// Hands in the order played.
    pub hands: Vec<Hand>,
}

/// A call: the table asks a player for an action. `S` are the parameters of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call<S> {
    /// The id of the player that is asked.
    pub id: u32,
    /// The dealer's up-card; absent or null while bids are placed.
    #[serde(default)]
    pub up_card: Option<String>,
    /// Player and points of everyone still in the game, in seating order.
    pub points: Vec<(u32, u64)>,
    /// Hands that were shown last, by everyone who showed some.
    #[serde(default)]
    pub shown: Vec<Shown>,
    /// The cards the dealer showed last round; absent or null in the first.
    #[serde(default)]
    pub dealer: Option<Dealer>,
    /// What the player answered as its memory last; absent or null on the first call.
    #[serde(default)]
    pub memory: Option<String>,
    /// The hand to play; absent, null or empty while bids are placed.
    #[serde(default)]
    pub hand: Option<Hand>,
    /// Those that hold here, if the player was not started with them.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub settings: Option<S>,
}

/// Name of an action on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionName {
    /// Place a bid of `points`.
    Bid,
    /// Take one more card.
    Hit,
    /// Take no more cards for this hand.
    Stand,
    /// Double the bid for one more card.
    DoubleDown,
    /// Split a pair into two hands.
    Split,
    /// Make a side bid that the dealer has a Combo.
    Insurance,
}

/// An answer: what the player does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The action to take.
    pub action: ActionName,
    /// What it costs: the bid for `bid`, `double_down` and `split`, half of it for `insurance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// What the player wants to be told on its next call.
    #[serde(default)]
    pub memory: String,
    /// Something for people to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The answer to a line that is no call: the player goes on with the next line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// What was expected and what came.
    pub error: String,
}

/// A line that is not of the wire.
#[derive(Debug, Error)]
pub enum LineError {
    /// The line is longer than [`LINE_LIMIT`].
    #[error("a line of more than {LINE_LIMIT} bytes")]
    TooLong,
    /// Not the JSON that was expected.
    #[error("not {expected}: {cause}")]
    NotJson {
        /// What should have come.
        expected: &'static str,
        /// What is wrong with it, at most [`MOST_OF_CAUSE`] bytes of that: it quotes the line.
        cause: String,
    },
}

fn parse<'a, T: Deserialize<'a>>(line: &'a str, expected: &'static str) -> Result<T, LineError> {
    if line.len() > LINE_LIMIT {
        return Err(LineError::TooLong);
    }
    serde_json::from_str(line).map_err(|cause: serde_json::Error| LineError::NotJson {
        expected,
        cause: beginning(cause.to_string().as_bytes(), MOST_OF_CAUSE),
    })
}

impl<'a, S: Deserialize<'a>> Call<S> {
    /// Reads a line, unless it is too long or not a call.
    pub fn parse(line: &'a str) -> Result<Self, LineError> {
        parse(line, "a call")
    }
}

impl Answer {
    /// Reads a line, unless it is too long or not an answer.
    pub fn parse(line: &str) -> Result<Answer, LineError> {
        parse(line, "an answer")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The lines of the written contract, `twentyone.md`, that start with `>` or `<`.
    fn documented(direction: &str) -> Vec<&'static str> {
        include_str!("../twentyone.md")
            .lines()
            .filter_map(|line| line.strip_prefix(direction))
            .collect()
    }

    #[test]
    fn the_documented_lines_are_read_and_written_alike() {
        for line in documented("> ") {
            let call: Call<Value> = Call::parse(line).expect(line);
            let again = serde_json::to_string(&call).expect("plain data");
            assert_eq!(Call::parse(&again).expect("its own line"), call);
        }
        for line in documented("< ") {
            let answer = Answer::parse(line).expect(line);
            assert_eq!(serde_json::to_string(&answer).expect("plain data"), line);
        }
        assert!(documented("> ").len() >= 3 && documented("< ").len() >= 3);
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "",
            "{}",
            "[]",
            "null",
            "{\"id\":1}",
            "{\"id\":1,\"points\":[],\"x\":0}",
            "{\"id\":1,\"points\":[],\"hand\":{\"dealt\":[],\"x\":0}}",
            "{\"id\":1,\"points\":[],\"hand\":\"SQ\"}",
            "{\"id\":1,\"points\":[],\"dealer\":{\"drawn\":[]}}",
        ] {
            assert!(Call::<Value>::parse(line).is_err(), "{line}");
        }
        let hand = Call::<Value>::parse("{\"id\":1,\"points\":[],\"hand\":{\"dealt\":\"SQ\"}}");
        let told = hand.expect_err("no hand").to_string();
        assert!(told.contains("expected a hand, {\"dealt\":"), "{told}");
        assert!(Answer::parse("{\"action\":\"surrender\"}").is_err());
        let quoted = format!("{{\"{}\":0}}", "x".repeat(10_000));
        let told = Answer::parse(&quoted)
            .expect_err("unknown field")
            .to_string();
        assert!(told.len() < MOST_OF_CAUSE + 40, "{} bytes", told.len());
        let long = " ".repeat(LINE_LIMIT + 1);
        assert!(matches!(
            Call::<Value>::parse(&long),
            Err(LineError::TooLong)
        ));
    }
}
