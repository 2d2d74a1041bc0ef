//! The envelope of the Python tournament server: JSON objects without delimiter.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::line::joined;
use super::{Answer, HostMessage, LineError, Message, PlayerSays, Reply};
use crate::frame::{FrameError, beginning, preview};

/// Replies must fit one `recv(1024)` of the server.
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

/// Either side's object: an envelope has a purpose, a reply a status.
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

/// The longest reason that is kept, in bytes: a parser's error quotes the value that it did not expect, and a
/// server may say whatever it likes at the end.
pub const MAX_REASON: usize = 160;

fn content(reason: impl ToString, object: &[u8]) -> FrameError {
    FrameError::Content {
        reason: beginning(reason.to_string().as_bytes(), MAX_REASON),
        preview: preview(object),
    }
}

/// A message of the server.
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
        // The server waits for an answer all the same.
        (_, Answer::Required) => vec![Err(LineError {
            preview: preview(object),
        })],
        _ => return Err(content("expected a payload of text", object)),
    };
    Ok(Message::Payload { lines, answer })
}

/// What a player answers, once its name has been read.
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

/// The reply as one object, at most [`MAX_REPLY`] bytes long.
pub(super) fn encode_reply(reply: &Reply) -> String {
    // Escaping makes at most six bytes of one (`\u0000`), so the first 128 bytes of the comment
    // stay below the limit.
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

/// The message as one object.
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
        // What says nothing is left out: a message is as everybody knows it.
        again: again.then_some(true),
        ..Outgoing::default()
    };
    envelope.text()
}
