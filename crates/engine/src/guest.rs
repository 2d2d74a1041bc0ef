//! Participants that connect by themselves: their names, secrets and presence.

use std::fmt::{self, Debug};
use std::hint::black_box;

use serde::Deserialize;
use serde::de::IgnoredAny;

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

/// A secret as a file contains it. This type accepts any value, because Serde's own error would quote a value that is
/// not a string and so reveal the secret.
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
