//! How a server ends a connection.

/// A server's last message on a connection, which also says whether the player may return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goodbye {
    /// All games have been played.
    Over,
    /// The server ends this connection for a lasting reason. A player that has not started a game was rejected and
    /// would be rejected again.
    Because(String),
    /// The server ends this connection for a temporary reason: a later attempt may be accepted.
    ComeAgain(String),
}

impl Goodbye {
    /// Returns the reason, if the server gave one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Goodbye::Over => None,
            Goodbye::Because(reason) | Goodbye::ComeAgain(reason) => Some(reason),
        }
    }
}
