//! A tournament server's side of a game with its two players, without I/O.

use std::fmt::{self, Debug, Display};
use std::hint::black_box;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::goodbye::Goodbye;

/// The server's part of a game on a wire (message format): what happens when a player connects, and a referee for each
/// game.
pub trait HostProtocol {
    /// The codec that turns bytes into messages from players, and messages to players into bytes.
    type Codec: Send;
    /// A decoded message from a player: an answer or invalid input.
    type Heard: Send;
    /// The referee that conducts one game and judges the players' answers.
    type Referee: Referee;

    /// Returns a new codec, ready for the beginning of a player's stream.
    fn codec(&self) -> Self::Codec;

    /// Returns what happens first when a new player connects to the server.
    fn welcome(&self) -> Welcome;

    /// Returns the message that tells a player why its connection ends.
    fn goodbye(goodbye: Goodbye) -> MessageOf<Self>;

    /// Extracts the answer from a player's message. If the message is not an answer, the error describes it.
    fn answer(heard: Self::Heard) -> Result<AnswerOf<Self>, String>;

    /// Creates the referee of a new game. The game's random events depend only on the seed. For each role, `is_told` is
    /// true if [`Welcome::Words`] has already announced the start of the game to the player in that role.
    fn referee(&self, seed: u64, is_told: [bool; 2]) -> Self::Referee;
}

/// A game whose lines of text can be sent in the messages of a tournament server (host). So players that connect to the
/// server by themselves can play in a match.
pub trait HostedLines: HostProtocol + Sized {
    /// The time after the [`reset`](Self::reset) message during which the server sends nothing to the player.
    const PAUSE: Duration;

    /// Returns the server protocol for the game that begins with the lines in `greeting`, if the game has such a
    /// protocol.
    fn beginning_with(greeting: &[String]) -> Option<Self>;

    /// Returns the message that the server sends to a player before each game.
    fn reset() -> MessageOf<Self>;

    /// Returns the message that carries these lines to a player. If `is_question` is true, it requests an answer;
    /// otherwise it only informs the player.
    fn lines(lines: &[String], is_question: bool) -> MessageOf<Self>;
}

/// The type of the messages that a tournament server with the protocol `P` sends to players.
pub type MessageOf<P> = <<P as HostProtocol>::Referee as Referee>::Message;
/// The type of the answers that a tournament server with the protocol `P` receives from players.
pub type AnswerOf<P> = <<P as HostProtocol>::Referee as Referee>::Answer;
/// The type of the roles in the games of a tournament server with the protocol `P`.
pub type RoleOf<P> = <<P as HostProtocol>::Referee as Referee>::Role;
/// The state of a game on a tournament server with the protocol `P`, as a watcher sees it.
pub type BoardOf<P> = <<P as HostProtocol>::Referee as Referee>::Board;

/// What happens first when a new player connects to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Welcome {
    /// The player must send its name first.
    Name {
        /// The maximum length of a name, in bytes.
        most: usize,
        /// The message to a player that does not send its name.
        hint: String,
    },
    /// The server announces the start of the first game; the player does not reply.
    Words {
        /// The bytes that announce the start of the first game.
        words: Vec<u8>,
        /// A byte that only a player on another wire sends, and the message that tells such a player what to change.
        foreign: (u8, String),
    },
}

/// A referee, which conducts one game: it produces messages and questions, and judges answers. A player's number is the
/// number of its role, 0 or 1. The score of the game is the score of player 0.
pub trait Referee {
    /// A message or a question to a player.
    type Message: Send;
    /// A player's answer to a question, as the codec has decoded it.
    type Answer: Display;
    /// The role that a player has in the game.
    type Role: Copy + Eq + Debug + Display;
    /// The state of the game, as a watcher sees it.
    type Board: Clone + Debug;

    /// Both roles, in the order of their numbers.
    const ROLES: [Self::Role; 2];

    /// Returns the server's next step, or `None` if the game is over. Must not be called while an answer is pending.
    fn next(&mut self) -> Option<Step<Self::Message>>;

    /// Judges the answer to the last question. An error means that the player forfeits the game, and explains why.
    fn judge(&mut self, answer: Self::Answer) -> Result<(), String>;

    /// Returns the current state of the game, as a watcher sees it.
    fn board(&self) -> Self::Board;

    /// Returns the score of the first role. `at_fault` is the role whose fault ended the game early, if any.
    fn score(&self, at_fault: Option<Self::Role>) -> u32;
}

/// One action of a tournament server (host) during a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<M> {
    /// Wait, then discard everything that players have sent so far.
    Pause {
        /// The length of the pause.
        time: Duration,
        /// The player whose clock runs during the pause, if any.
        charged: Option<usize>,
    },
    /// Send a message to a player.
    Say {
        /// The number of the player's role, 0 or 1.
        role: usize,
        /// The message or question to send.
        message: M,
        /// The reaction that the message requires from the player.
        expected: Expected,
        /// True if the message announces the start of the game.
        is_opening: bool,
    },
}

/// The reaction that a message requires from a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The player must answer within its time.
    Answer,
    /// The player must be connected. A player that has left loses the game.
    Presence,
    /// Nothing is required. A player that has left does not lose the game for that.
    Nothing,
}

/// A participant that connects by itself and is admitted by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// The guest's name, which must not contain [`BEFORE_SECRET`].
    pub name: String,
    /// The secret that the guest must send after its name, if any.
    pub secret: Option<Secret>,
}

/// Whether a participant that connects by itself is available to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The participant is connected, and is playing or waiting for a game.
    Here,
    /// The participant is not connected, and the server waits for it.
    Away,
    /// The participant has been away for too long. Its opponents may win their games by forfeit.
    GivenUp,
}

/// A text with which a participant proves its identity. The text is never displayed.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Secret(String);

/// A secret as it is written in a file. This type accepts any value, because Serde's own error would quote a value that
/// is not text and so display the secret.
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

    /// Returns true if `said` is this secret. The time that the comparison takes reveals only the lengths of both
    /// texts.
    pub fn is(&self, said: &str) -> bool {
        let own = self.0.as_bytes();
        let differs = said.bytes().enumerate().fold(0, |differs, (at, byte)| {
            // Beyond the end of the secret, any byte may be compared, because the lengths differ anyway.
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

/// Returns the message with which a player states its name and proves its identity.
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
