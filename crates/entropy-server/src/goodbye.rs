//! The last message of a server on a connection.

use turnwise_protocol::entropy::HostMessage;

/// A server's last message on a connection, which also says whether the player may return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goodbye {
    /// All games have been played.
    Over,
    /// The server ends the connection for a lasting reason. If the player has not started a game yet, the server has
    /// rejected it and would reject it again.
    Because(String),
    /// The server ends the connection for a temporary reason. It may accept the player later.
    ComeAgain(String),
}

impl Goodbye {
    /// Reads the goodbye in a server's last message, which has an optional reason and may invite the player again.
    pub fn of_kill(reason: Option<String>, again: bool) -> Self {
        match (reason, again) {
            (None, false) => Goodbye::Over,
            (Some(reason), false) => Goodbye::Because(reason),
            (reason, true) => {
                Goodbye::ComeAgain(reason.unwrap_or_else(|| "it gave no reason".to_owned()))
            }
        }
    }

    /// Returns the reason for which the server ends the connection, if it gave one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Goodbye::Over => None,
            Goodbye::Because(reason) | Goodbye::ComeAgain(reason) => Some(reason),
        }
    }
}

impl From<Goodbye> for HostMessage {
    fn from(goodbye: Goodbye) -> Self {
        let (reason, again) = match goodbye {
            Goodbye::Over => (None, false),
            Goodbye::Because(reason) => (Some(reason), false),
            Goodbye::ComeAgain(reason) => (Some(reason), true),
        };
        HostMessage::Kill { reason, again }
    }
}
