//! TwentyOne's line protocol on a player's standard input and output.
//!
//! A table sends one call a line and the player answers each with one line. The written contract is
//! `twentyone.md` beside this crate.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::frame::beginning;

/// The maximum length of a line in bytes, without its end.
pub const LINE_LIMIT: usize = 1 << 20;

/// The maximum length of a parser's error message that is kept, in bytes.
pub const MOST_OF_CAUSE: usize = 400;

/// A hand of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a hand, {\"dealt\":[first, second],\"drawn\":[third, ...]}, or a list of at most two cards in the order dealt"
)]
pub enum Hand {
    /// The form that a table sends.
    Parted {
        /// The two cards that the hand began with, in the order dealt.
        ///
        /// For a split hand: the card that was split off, then the card dealt onto it.
        dealt: Vec<String>,
        /// The cards drawn since, in the order drawn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        drawn: Vec<String>,
    },
    /// The older form: a list in the order dealt, unambiguous only up to two cards.
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
    /// The form that a table sends.
    Named {
        /// The card that everyone saw.
        up_card: String,
        /// The other card that was dealt; absent if the dealer did not play.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hidden: Option<String>,
        /// The cards drawn, in the order drawn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        drawn: Vec<String>,
    },
    /// The older form: a list in the order dealt, unambiguous only up to two cards.
    Listed(Vec<String>),
}

/// The hands that a player showed last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The id of the player that showed them.
    pub id: u32,
    /// The hands in the order played.
    pub hands: Vec<Hand>,
}

/// A call: the table asks a player for an action. `S` is the type of the parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call<S> {
    /// The id of the player that must act.
    pub id: u32,
    /// The dealer's up-card; absent or null while bids are placed.
    #[serde(default)]
    pub up_card: Option<String>,
    /// The id and the points of each player still in the game, in seating order.
    pub points: Vec<(u32, u64)>,
    /// The hands shown last, for each player that showed any.
    #[serde(default)]
    pub shown: Vec<Shown>,
    /// The cards the dealer showed last round; absent or null in the first.
    #[serde(default)]
    pub dealer: Option<Dealer>,
    /// The memory of the player's last answer; absent or null on the first call.
    #[serde(default)]
    pub memory: Option<String>,
    /// The hand to play; absent, null or empty while bids are placed.
    #[serde(default)]
    pub hand: Option<Hand>,
    /// The parameters of this game, if the player was not started with them.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub settings: Option<S>,
}

/// The name of an action on the wire.
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

/// An answer: the player's action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The action to take.
    pub action: ActionName,
    /// The cost: the bid for `bid`, `double_down` and `split`, half the bid for `insurance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// The text that the player receives back on its next call.
    #[serde(default)]
    pub memory: String,
    /// A message for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The answer to a line that is not a call; the player then reads the next line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The expected and the actual content.
    pub error: String,
}

/// The error for a line that does not belong to this wire.
#[derive(Debug, Error)]
pub enum LineError {
    /// The line is longer than [`LINE_LIMIT`].
    #[error("a line of more than {LINE_LIMIT} bytes")]
    TooLong,
    /// The line is not the expected JSON.
    #[error("not {expected}: {cause}")]
    NotJson {
        /// The expected kind of message.
        expected: &'static str,
        /// The parser's message, which quotes the line; at most [`MOST_OF_CAUSE`] bytes.
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
    /// Parses a line; fails if it is too long or not a call.
    pub fn parse(line: &'a str) -> Result<Self, LineError> {
        parse(line, "a call")
    }
}

impl Answer {
    /// Parses a line; fails if it is too long or not an answer.
    pub fn parse(line: &str) -> Result<Answer, LineError> {
        parse(line, "an answer")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Returns the lines of the written contract that start with `>` or `<`.
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
