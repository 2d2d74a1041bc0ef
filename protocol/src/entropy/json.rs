//! The JSON wire of the Python tournament server: JSON objects without delimiters, which carry lines of the game.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::line::joined;
use super::{Answer, HostMessage, LineError, Message, PlayerSays, Reply};
use crate::frame::{FrameError, beginning, preview};

/// The maximum length of a reply, in bytes. The server must be able to read the reply with a single `recv(1024)`.
pub const MAX_REPLY: usize = 1023;

#[derive(Deserialize)]
struct Envelope {
    purpose: String,
    payload: Option<Value>,
    comment: Option<Value>,
    again: Option<Value>,
}

#[derive(Deserialize)]
struct Answered {
    payload: Option<String>,
    #[serde(default = "yes")]
    status: bool,
    comment: Option<String>,
}

fn yes() -> bool {
    true
}

/// A JSON object to send, from either side. A server's message has a purpose, and a player's reply has a status.
#[derive(Default, Serialize)]
struct Outgoing<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    purpose: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<bool>,
}

impl Outgoing<'_> {
    fn text(&self) -> String {
        serde_json::to_string(self).expect("strings and booleans always serialize")
    }
}

/// The maximum length of a reason that is kept from a message or an error, in bytes.
///
/// Reasons can be very long: a parser's error quotes the unexpected value, and a server may end the session with any
/// comment.
pub const MAX_REASON: usize = 160;

fn content(reason: impl ToString, object: &[u8]) -> FrameError {
    FrameError::Content {
        reason: beginning(reason.to_string().as_bytes(), MAX_REASON),
        preview: preview(object),
    }
}

/// Decodes a JSON object from the server as a message.
pub(super) fn message_of(object: &[u8]) -> Result<Message, FrameError> {
    let envelope: Envelope =
        serde_json::from_slice(object).map_err(|error| content(error, object))?;
    let answer = match envelope.purpose.as_str() {
        "reset" => return Ok(Message::Reset),
        "kill" => {
            let comment = envelope.comment.as_ref().and_then(Value::as_str);
            let reason = comment.map(|text| beginning(text.as_bytes(), MAX_REASON));
            let again = envelope.again.as_ref().and_then(Value::as_bool);
            return Ok(Message::Kill {
                reason,
                again: again.unwrap_or(false),
            });
        }
        "update" => Answer::Required,
        "update_only" => Answer::Forbidden,
        _ => {
            return Ok(Message::UnknownPurpose(preview(
                envelope.purpose.as_bytes(),
            )));
        }
    };
    let lines = match (envelope.payload, answer) {
        (Some(Value::String(text)), _) => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(str::parse)
            .collect(),
        // Even though the payload is not text, the server waits for an answer.
        (_, Answer::Required) => vec![Err(LineError {
            preview: preview(object),
        })],
        _ => return Err(content("expected a payload of text", object)),
    };
    Ok(Message::Payload { lines, answer })
}

/// Decodes a JSON object from a player as an answer. The player's name, which comes first, has already been read.
pub(super) fn answer_of(object: &[u8]) -> Result<PlayerSays, FrameError> {
    let answered: Answered =
        serde_json::from_slice(object).map_err(|error| content(error, object))?;
    if !answered.status {
        let comment = answered.comment.unwrap_or_default();
        return Ok(PlayerSays::Concede(beginning(
            comment.as_bytes(),
            MAX_REPLY,
        )));
    }
    let payload = answered
        .payload
        .ok_or_else(|| content("expected a payload, got none", object))?;
    Ok(PlayerSays::Line(payload.parse()))
}

/// Encodes a player's reply as one JSON object of at most [`MAX_REPLY`] bytes.
pub(super) fn encode_reply(reply: &Reply) -> String {
    // The comment is cut after 128 bytes. Escaping turns one byte into at most six (`\u0000`), so the whole reply stays
    // below the limit.
    let comment = match reply {
        Reply::Concede(comment) => {
            let most = comment.len().min(128);
            let end = (0..=most).rev().find(|&end| comment.is_char_boundary(end));
            Some(&comment[..end.unwrap_or(0)])
        }
        _ => None,
    };
    let answer = Outgoing {
        payload: comment.is_none().then(|| reply.text() + "\n"),
        status: Some(comment.is_none()),
        comment,
        ..Outgoing::default()
    };
    answer.text()
}

/// Encodes a server's message as one JSON object.
pub(super) fn encode_message(message: &HostMessage) -> String {
    let (purpose, payload, comment, again) = match message {
        HostMessage::Reset => ("reset", None, None, false),
        HostMessage::Payload { lines, answer } => {
            let purpose = if *answer { "update" } else { "update_only" };
            (purpose, Some(joined(lines)), None, false)
        }
        HostMessage::Kill { reason, again } => ("kill", None, reason.as_deref(), *again),
    };
    let envelope = Outgoing {
        purpose: Some(purpose),
        payload,
        comment,
        // If `again` is `false`, it is omitted, so that the message has the form that every client knows.
        again: again.then_some(true),
        ..Outgoing::default()
    };
    envelope.text()
}
