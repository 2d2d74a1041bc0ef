//! The line protocol between a TwentyOne table and a player, on the player's standard input and output.
//!
//! The table sends one call per line, and the player answers each call with one line. `protocol/twentyone.md` defines
//! the protocol.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::frame::beginning;

/// The maximum length of a line, in bytes, not counting the line end.
pub const LINE_LIMIT: usize = 1 << 20;

/// The maximum number of bytes that are kept of a parser's error message.
pub const MOST_OF_CAUSE: usize = 400;

/// The cards of a player's hand, in one of two forms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a hand, {\"dealt\":[first, second],\"drawn\":[third, ...]}, or a list of at most two cards in the order dealt"
)]
pub enum Hand {
    /// The form that a table sends, in which dealt and drawn cards are separate.
    Parted {
        /// The two cards with which the hand began, in the order in which they were dealt.
        ///
        /// For a split hand, these are the card that was split off, and the card that was dealt onto it.
        dealt: Vec<String>,
        /// The cards that were drawn since then, in the order in which they were drawn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        drawn: Vec<String>,
    },
    /// The older form: a list of all cards in the order in which they were dealt. A list of more than two cards is
    /// rejected, because its order may differ from the order of dealing.
    Listed(Vec<String>),
}

/// The cards that the dealer showed in the last round, in one of two forms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected the dealer's cards, {\"up_card\":card,\"hidden\":card,\"drawn\":[card, ...]}, or a list of at most two cards, the up-card first"
)]
pub enum Dealer {
    /// The form that a table sends, in which dealt and drawn cards are separate.
    Named {
        /// The dealer's up-card, which all players saw from the start.
        up_card: String,
        /// The other card that the dealer was dealt; absent if the dealer did not play.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hidden: Option<String>,
        /// The cards that the dealer drew, in the order in which they were drawn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        drawn: Vec<String>,
    },
    /// The older form: a list of all cards in the order in which they were dealt. A list of more than two cards is
    /// rejected, because its order may differ from the order of dealing.
    Listed(Vec<String>),
}

/// The hands that a player has shown most recently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The id of the player that showed the hands.
    pub id: u32,
    /// The hands, in the order in which they were played.
    pub hands: Vec<Hand>,
}

/// A call, with which the table asks a player for an action. `S` is the type of the parameters of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call<S> {
    /// A number that the answer repeats. It identifies an answer that arrives after its call was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// The id of the player that must act.
    pub id: u32,
    /// The dealer's up-card; absent or null while bids are placed.
    #[serde(default)]
    pub up_card: Option<String>,
    /// The id and the points of each player still in the game, in seating order.
    pub points: Vec<(u32, u64)>,
    /// The most recently shown hands of each player that has shown any.
    #[serde(default)]
    pub shown: Vec<Shown>,
    /// The cards that the dealer showed in the last round; absent or null in the first round.
    #[serde(default)]
    pub dealer: Option<Dealer>,
    /// The `memory` text of the player's last answer; absent or null in the first call of a game.
    #[serde(default)]
    pub memory: Option<String>,
    /// The hand that the player must play; absent, null or empty while bids are placed.
    #[serde(default)]
    pub hand: Option<Hand>,
    /// The parameters of the game; absent if the player was started with them.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub settings: Option<S>,
}

/// The name of an action, as it is written in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionName {
    /// Place a bid of `points` points.
    Bid,
    /// Take one more card for the hand.
    Hit,
    /// Stop taking cards for the hand.
    Stand,
    /// Double the bid and take exactly one more card.
    DoubleDown,
    /// Split a hand that is a pair into two hands.
    Split,
    /// Place a side bid, which wins if the dealer has a Combo.
    Insurance,
}

/// An answer, with which the player chooses an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The number of the call, if the call has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// The action that the player chooses.
    pub action: ActionName,
    /// The cost of the action in points: the bid for `bid`, `double_down` and `split`, and half the bid for
    /// `insurance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// A text that the table returns to the player in its next call.
    #[serde(default)]
    pub memory: String,
    /// A message for people, for example why the memory could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The player's answer to a line that is not a call. The player then reads the next line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The number of the call, if the line is a call with a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// A description of the error: the expected and the actual content of the line.
    pub error: String,
}

/// The error for a line that is not a message of this protocol.
#[derive(Debug, Error)]
pub enum LineError {
    /// The line is longer than [`LINE_LIMIT`].
    #[error("a line of more than {LINE_LIMIT} bytes")]
    TooLong,
    /// The line is not JSON of the expected form.
    #[error("not {expected}: {cause}")]
    NotJson {
        /// The expected kind of message.
        expected: &'static str,
        /// The parser's error message, which quotes the line, cut after [`MOST_OF_CAUSE`] bytes.
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
    /// Parses a line as a call. Returns an error if the line is too long or not a call.
    pub fn parse(line: &'a str) -> Result<Self, LineError> {
        parse(line, "a call")
    }
}

impl Answer {
    /// Parses a line as an answer. Returns an error if the line is too long or not an answer.
    pub fn parse(line: &str) -> Result<Answer, LineError> {
        parse(line, "an answer")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Returns the lines of `protocol/twentyone.md` that start with `direction`, without this prefix.
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
