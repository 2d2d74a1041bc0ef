//! How a server ends a connection.

/// What a server says at the end of a connection, and with that whether anybody is to come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goodbye {
    /// There is nothing more to play.
    Over,
    /// It ends this connection for a reason. Whoever has not begun a game was not let in, and would not be
    /// let in the next time.
    Because(String),
    /// It ends this connection for a reason that may pass: whoever comes again may be let in.
    ComeAgain(String),
}

impl Goodbye {
    /// The reason, if one is given.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Goodbye::Over => None,
            Goodbye::Because(reason) | Goodbye::ComeAgain(reason) => Some(reason),
        }
    }
}
