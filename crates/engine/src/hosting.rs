//! A tournament server's side of a game with its two players, without I/O.

use std::fmt::{self, Debug, Display};
use std::hint::black_box;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::goodbye::Goodbye;

/// Hosting of a game on a wire: the reception of new players, and a referee for each game.
pub trait HostProtocol {
    /// Converts bytes into messages from players, and messages into bytes.
    type Codec: Send;
    /// A message from a player: an answer, or invalid input.
    type Heard: Send;
    /// Conducts one game and judges the answers.
    type Referee: Referee;

    /// Returns a codec at the beginning of a player's stream.
    fn codec(&self) -> Self::Codec;

    /// Returns how a new player is received.
    fn welcome(&self) -> Welcome;

    /// Returns the last message of a connection.
    fn goodbye(goodbye: Goodbye) -> MessageOf<Self>;

    /// Extracts the answer from a player's message. The error is the text of an invalid message.
    fn answer(heard: Self::Heard) -> Result<AnswerOf<Self>, String>;

    /// Creates the referee of a new game, whose random events depend only on the seed. `is_told` states for each
    /// role whether [`Welcome::Words`] has announced the start to its player.
    fn referee(&self, seed: u64, is_told: [bool; 2]) -> Self::Referee;
}

/// A game whose line protocol works on a host's wire. So connecting players can play in a match.
pub trait HostedLines: HostProtocol + Sized {
    /// How long a player is left alone after [`reset`](Self::reset).
    const PAUSE: Duration;

    /// Returns the protocol of the game whose greeting is `greeting`, if such a game exists.
    fn beginning_with(greeting: &[String]) -> Option<Self>;

    /// Returns the message that is sent before each game.
    fn reset() -> MessageOf<Self>;

    /// Wraps lines of the conversation. They either request an answer or only inform the player.
    fn lines(lines: &[String], is_question: bool) -> MessageOf<Self>;
}

/// A message to a host's players.
pub type MessageOf<P> = <<P as HostProtocol>::Referee as Referee>::Message;
/// An answer from a host's players.
pub type AnswerOf<P> = <<P as HostProtocol>::Referee as Referee>::Answer;
/// The roles of a host's game.
pub type RoleOf<P> = <<P as HostProtocol>::Referee as Referee>::Role;
/// A watcher's view of a host's game.
pub type BoardOf<P> = <<P as HostProtocol>::Referee as Referee>::Board;

/// How a new player is received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Welcome {
    /// The player sends its name first.
    Name {
        /// The maximum length of a name, in bytes.
        most: usize,
        /// The message to a player that does not.
        hint: String,
    },
    /// The server announces the start of the first game; the player does not reply.
    Words {
        /// The announcement.
        words: Vec<u8>,
        /// A byte that only players on another wire send, and the message to them.
        foreign: (u8, String),
    },
}

/// Conducts one game: produces messages and questions, and judges answers. Players are numbered by role; player 0's
/// score counts.
pub trait Referee {
    /// A message to a player.
    type Message: Send;
    /// A player's answer to a question, as the codec read it.
    type Answer: Display;
    /// The role of a player.
    type Role: Copy + Eq + Debug + Display;
    /// A watcher's view of the game.
    type Board: Clone + Debug;

    /// Both roles, in the order of their numbers.
    const ROLES: [Self::Role; 2];

    /// Returns the next step, or `None` if the game is over. Not called while an answer is pending.
    fn next(&mut self) -> Option<Step<Self::Message>>;

    /// Judges the answer to the last question. An error explains the fault and forfeits the game.
    fn judge(&mut self, answer: Self::Answer) -> Result<(), String>;

    /// Returns the current state of the game.
    fn board(&self) -> Self::Board;

    /// Returns the first role's score; `at_fault` is the role that broke off the game, if any.
    fn score(&self, at_fault: Option<Self::Role>) -> u32;
}

/// One action of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<M> {
    /// Wait, then discard everything that players have sent so far.
    Pause {
        /// The length of the pause.
        time: Duration,
        /// The player whose clock runs during the pause.
        charged: Option<usize>,
    },
    /// Send a message to a player.
    Say {
        /// The number of the player's role, 0 or 1.
        role: usize,
        /// The message or question.
        message: M,
        /// The reaction that the player owes.
        expected: Expected,
        /// Whether the message announces the start of the game.
        is_opening: bool,
    },
}

/// The reaction that a message requires from a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// An answer, within its time.
    Answer,
    /// The player must be connected; a player that has left loses.
    Presence,
    /// Nothing: a player that has left does not lose for it.
    Nothing,
}

/// A participant that connects by itself and is admitted by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// The guest's name, without [`BEFORE_SECRET`].
    pub name: String,
    /// The secret required after the name, if any.
    pub secret: Option<Secret>,
}

/// Whether a participant that connects by itself is available to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Connected, and waiting for a game or playing.
    Here,
    /// Not connected; the server waits for it.
    Away,
    /// Not connected for too long: its opponents may win their games by forfeit.
    GivenUp,
}

/// A participant's proof of identity. It is never displayed.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Secret(String);

/// A secret as written in a file. Serde's own error would quote a value that is not text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Other(IgnoredAny),
}

impl TryFrom<Written> for Secret {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        match written {
            Written::Text(text) => Ok(Self(text)),
            Written::Other(_) => Err("expected a secret in quotation marks"),
        }
    }
}

impl Secret {
    /// Creates a secret from text.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the secret text, to be sent over the wire.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns true if `said` is this secret. The time taken reveals only the lengths of both texts.
    pub fn is(&self, said: &str) -> bool {
        let own = self.0.as_bytes();
        let differs = said.bytes().enumerate().fold(0, |differs, (at, byte)| {
            // Beyond the end any byte works: the lengths differ anyway.
            let own = own.get(at).copied().unwrap_or_default();
            black_box(differs | (own ^ byte))
        });
        differs == 0 && own.len() == said.len()
    }
}

impl Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret")
    }
}

/// The separator between a name and its secret; no name contains it.
pub const BEFORE_SECRET: char = ':';

/// Returns the first message of a player that proves its name.
pub fn with_secret(name: &str, secret: &Secret) -> String {
    format!("{name}{BEFORE_SECRET}{}", secret.reveal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_what_it_is_and_does_not_show() {
        let secret = Secret::new("open sesame".to_owned());
        assert!(secret.is("open sesame"));
        for said in [
            "",
            "open sesam",
            "open sesame ",
            "open sesamf",
            "open sesame\0",
        ] {
            assert!(!secret.is(said), "{said:?}");
        }
        assert!(!Secret::new(String::new()).is("x"));
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
