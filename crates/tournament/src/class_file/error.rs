//! Errors in a tournament file, and their messages.

use thiserror::Error;
use turnwise_arena::settings::SettingsError;

/// The reason why a file does not describe a tournament.
#[derive(Debug, Error)]
pub enum ClassError {
    /// The text is not valid TOML. The message gives the position and the reason, but quotes no line of the file,
    /// because a line may contain a secret.
    #[error("{0}")]
    Toml(String),
    /// The file contains a value that is not allowed.
    #[error("{what}: expected {expected}, got {got}")]
    Value {
        /// The place of the value in the file, for example `[format] finalists`.
        what: String,
        /// The expected values, in words.
        expected: String,
        /// The actual value, as text.
        got: String,
    },
    /// A participant has an invalid entry; the fields are the participant's name and the reason.
    #[error("participant {0:?}: {1}")]
    Participant(String, String),
    /// The arena cannot play with these settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// Returns a [`ClassError::Value`] with these fields.
pub(crate) fn value(
    what: impl Into<String>,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> ClassError {
    ClassError::Value {
        what: what.into(),
        expected: expected.into(),
        got: got.into(),
    }
}

/// Converts an error of the TOML library to a message without secrets. The library's message quotes a line and a value
/// from the file; the converted message quotes neither.
pub(super) fn not_toml(text: &str, mut error: toml::de::Error) -> ClassError {
    error.set_input(None);
    let why = without_value(error.to_string().trim_end()).replace('\n', ", ");
    let before = error.span().and_then(|span| text.get(..span.start));
    let place = before.map(|before| {
        let line = before.rsplit('\n').next().unwrap_or_default();
        format!(
            "line {}, column {}: ",
            before.matches('\n').count() + 1,
            line.chars().count() + 1
        )
    });
    ClassError::Toml(place.unwrap_or_default() + &why)
}

/// Removes the quoted value from a message like `invalid type: string "value", expected a boolean`.
fn without_value(message: &str) -> String {
    let value = ["invalid type: ", "invalid value: ", "unknown variant "];
    let at = value
        .iter()
        .find_map(|kind| Some(message.find(kind)? + kind.len()));
    let Some((at, expected)) = at.zip(message.rfind(", expected ")) else {
        return message.to_owned();
    };
    match message.get(at..expected) {
        Some(value) => {
            let kind = value
                .split(['"', '`'])
                .next()
                .unwrap_or_default()
                .trim_end();
            let head = message[..at].to_owned() + kind;
            head.trim_end().to_owned() + &message[expected..]
        }
        None => message.to_owned(),
    }
}
