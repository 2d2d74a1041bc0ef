//! What a tournament server says to the two players of a game, without I/O.

use std::fmt::{self, Debug, Display};
use std::hint::black_box;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::goodbye::Goodbye;

/// How a game is hosted on a wire: how newcomers are received, and a referee for each game.
pub trait HostProtocol {
    /// Turns bytes into what players say, and messages into bytes.
    type Codec: Send;
    /// What is read: an answer, or what cannot be one.
    type Heard: Send;
    /// Conducts one game and judges its answers.
    type Referee: Referee;

    /// A codec at the beginning of a player's stream.
    fn codec(&self) -> Self::Codec;

    /// How a newcomer is received.
    fn welcome(&self) -> Welcome;

    /// What is said at the end of a connection.
    fn goodbye(goodbye: Goodbye) -> MessageOf<Self>;

    /// The answer in what a player said; what it said instead if there is none.
    fn answer(heard: Self::Heard) -> Result<AnswerOf<Self>, String>;

    /// A referee at the beginning of a game, whose chances come from the seed. For each role: whether
    /// its player has been told by [`Welcome::Words`] how the game begins.
    fn referee(&self, seed: u64, is_told: [bool; 2]) -> Self::Referee;
}

/// A game whose conversation in lines is also spoken on a host's wire, so that a match can be played with
/// players that connect.
pub trait HostedLines: HostProtocol + Sized {
    /// How long a player is left alone after [`reset`](Self::reset).
    const PAUSE: Duration;

    /// How a game is hosted whose conversation begins with these lines; none if there is no such game.
    fn beginning_with(greeting: &[String]) -> Option<Self>;

    /// What is sent before each game.
    fn reset() -> MessageOf<Self>;

    /// Lines of the conversation, which want an answer or only tell something.
    fn lines(lines: &[String], is_question: bool) -> MessageOf<Self>;
}

/// What a host's players are sent.
pub type MessageOf<P> = <<P as HostProtocol>::Referee as Referee>::Message;
/// What a host's players answer.
pub type AnswerOf<P> = <<P as HostProtocol>::Referee as Referee>::Answer;
/// The roles of a host's game.
pub type RoleOf<P> = <<P as HostProtocol>::Referee as Referee>::Role;
/// What is seen of a host's game.
pub type BoardOf<P> = <<P as HostProtocol>::Referee as Referee>::Board;

/// How a newcomer is received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Welcome {
    /// It says its name first, in at most so many bytes.
    Name {
        /// The most bytes of a name.
        most: usize,
        /// What somebody is told who does not.
        hint: String,
    },
    /// It is told how the first game begins, and has nothing to say to that.
    Words {
        /// What it is told.
        words: Vec<u8>,
        /// A byte in the answer of players that speak another wire, and what they are told.
        foreign: (u8, String),
    },
}

/// Conducts one game: says what is to be told and asked, and judges answers. Players are counted by their
/// roles, 0 for the one whose score counts.
pub trait Referee {
    /// What players are sent.
    type Message: Send;
    /// A player's answer to a question, as the codec read it.
    type Answer: Display;
    /// What they play as.
    type Role: Copy + Eq + Debug + Display;
    /// What a watcher sees of the game.
    type Board: Clone + Debug;

    /// Both roles, in the order of their numbers.
    const ROLES: [Self::Role; 2];

    /// What is to be done next; none if the game is over. Not asked for while an answer is waited for.
    fn next(&mut self) -> Option<Step<Self::Message>>;

    /// Takes in the answer to the last question. An error, by which the game is lost, says what is wrong
    /// with it.
    fn judge(&mut self, answer: Self::Answer) -> Result<(), String>;

    /// The game as it stands.
    fn board(&self) -> Self::Board;

    /// The score of the first role, if this one broke the game off or nobody did.
    fn score(&self, at_fault: Option<Self::Role>) -> u32;
}

/// One thing that a host does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<M> {
    /// Wait, then throw away what players have said so far.
    Pause {
        /// How long the pause takes.
        time: Duration,
        /// Whose clock runs meanwhile.
        charged: Option<usize>,
    },
    /// Say something to a player.
    Say {
        /// The number of the player's role, 0 or 1.
        role: usize,
        /// What the player is told or asked.
        message: M,
        /// What is expected of it.
        expected: Expected,
        /// Whether it tells how the game begins.
        is_opening: bool,
    },
}

/// What is expected of a player that is told something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// An answer, within its time.
    Answer,
    /// To be there; one that has left loses.
    Presence,
    /// Nothing: the player may have left without losing by it.
    Nothing,
}

/// A participant that comes by itself, and is let in by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// The guest's name, without [`BEFORE_SECRET`].
    pub name: String,
    /// The secret that it has to give behind its name, if any.
    pub secret: Option<Secret>,
}

/// Whether a participant that comes by itself is there to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is connected, and waits for a game or plays one.
    Here,
    /// It is not, and is waited for.
    Away,
    /// It is not, and was waited for long enough: games without it can be given to the other side.
    GivenUp,
}

/// What proves who somebody is. It is shown nowhere.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Secret(String);

/// What a file has as a secret. An error of serde's own would quote what is no text.
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
    /// This text as a secret.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// What goes over the wire to prove it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// True if this is what was said. How long that takes tells nothing but how long both are.
    pub fn is(&self, said: &str) -> bool {
        let own = self.0.as_bytes();
        let differs = said.bytes().enumerate().fold(0, |differs, (at, byte)| {
            // Beyond its end any byte will do: the lengths differ anyway.
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

/// What stands between a name and its secret, and in no name.
pub const BEFORE_SECRET: char = ':';

/// The first words of a player that proves its name.
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
