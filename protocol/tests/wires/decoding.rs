//! Drives a codec over given chunks, and converts its items to text.

use bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder};
use turnwise_protocol::entropy::{
    Answer, Cell, HostCodec, HostMessage, Line, LineError, Message, PlayerCodec, PlayerSays, Reply,
    Wire,
};
use turnwise_protocol::frame::{Item, MAX_FRAME};

/// The end of a wire that a codec serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Player,
    Host,
}

/// Either codec, with items as text for comparison with a transcript.
pub enum Codec {
    Player(PlayerCodec),
    Host(HostCodec),
}

impl Codec {
    pub fn new(side: Side, wire: Wire) -> Self {
        match side {
            Side::Player => Codec::Player(PlayerCodec::new(wire)),
            Side::Host => Codec::Host(HostCodec::new(wire)),
        }
    }

    pub fn decode(&mut self, source: &mut BytesMut) -> Option<String> {
        match self {
            Codec::Player(codec) => item_text(codec.decode(source), message_text),
            Codec::Host(codec) => item_text(codec.decode(source), says_text),
        }
    }

    pub fn decode_eof(&mut self, source: &mut BytesMut) -> Option<String> {
        match self {
            Codec::Player(codec) => item_text(codec.decode_eof(source), message_text),
            Codec::Host(codec) => item_text(codec.decode_eof(source), says_text),
        }
    }

    /// Returns the bytes of a message that a transcript makes this end send.
    pub fn encode(&mut self, said: &str) -> Vec<u8> {
        let mut target = BytesMut::new();
        match self {
            Codec::Player(codec) => codec.encode(reply_of(said), &mut target),
            Codec::Host(codec) => codec.encode(host_message_of(said), &mut target),
        }
        .expect("encoding does no I/O");
        target.to_vec()
    }

    /// Returns all items of a stream that arrives in these chunks and then ends.
    ///
    /// # Panics
    /// If the codec keeps more than a frame in its buffer, or yields items after the end.
    pub fn decode_chunks<'a>(&mut self, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
        let mut items = Vec::new();
        let mut buffer = BytesMut::new();
        let mut total = 0;
        for chunk in chunks {
            total += chunk.len();
            buffer.extend_from_slice(chunk);
            while let Some(item) = self.decode(&mut buffer) {
                items.push(item);
            }
            assert!(buffer.len() <= MAX_FRAME, "{} bytes kept", buffer.len());
        }
        while let Some(item) = self.decode_eof(&mut buffer) {
            items.push(item);
            assert!(items.len() <= total + 1, "more items than bytes");
        }
        assert_eq!(self.decode_eof(&mut buffer), None, "items behind the end");
        items
    }
}

fn item_text<M>(
    decoded: Result<Option<Item<M>>, std::io::Error>,
    text: impl Fn(M) -> String,
) -> Option<String> {
    decoded
        .expect("a bad frame is a value, not an error")
        .map(|item| match item {
            Item::Message(message) => text(message),
            Item::Bad(bad) => format!("bad: {bad}"),
        })
}

fn line_text(line: &Result<Line, LineError>) -> String {
    match line {
        Ok(line) => line.to_string(),
        Err(bad) => format!("not a line {:?}", bad.preview),
    }
}

fn message_text(message: Message) -> String {
    match message {
        Message::Reset => "reset".to_owned(),
        Message::Kill { again: false, .. } => "kill".to_owned(),
        Message::Kill { again: true, .. } => "kill, to come again".to_owned(),
        Message::UnknownPurpose(purpose) => format!("unknown purpose {purpose:?}"),
        Message::Payload { lines, answer } => {
            let answer = match answer {
                Answer::Required => "required",
                Answer::Forbidden => "forbidden",
                Answer::ByTurn => "by turn",
            };
            let lines: Vec<String> = lines.iter().map(line_text).collect();
            let lines = if lines.is_empty() {
                "no line".to_owned()
            } else {
                lines.join(" | ")
            };
            format!("payload, answer {answer}: {lines}")
        }
    }
}

fn says_text(says: PlayerSays) -> String {
    match says {
        PlayerSays::Line(line) => format!("line: {}", line_text(&line)),
        PlayerSays::Concede(comment) => format!("concede {comment:?}"),
    }
}

fn cells(text: &str) -> Vec<Cell> {
    let numbers: Vec<u8> = text
        .split_ascii_whitespace()
        .map(|word| word.parse().expect("a cell's number"))
        .collect();
    numbers
        .chunks_exact(2)
        .map(|pair| Cell {
            row: pair[0],
            col: pair[1],
        })
        .collect()
}

fn reply_of(said: &str) -> Reply {
    let (verb, rest) = said.split_once(' ').unwrap_or((said, ""));
    match (verb, &cells_or_none(verb, rest)[..]) {
        ("place", [cell]) => Reply::Place(*cell),
        ("slide", [from, to]) => Reply::Slide {
            from: *from,
            to: *to,
        },
        ("concede", _) => Reply::Concede(rest.to_owned()),
        _ => panic!("a player says place, slide or concede, not {said:?}"),
    }
}

fn cells_or_none(verb: &str, rest: &str) -> Vec<Cell> {
    if verb == "concede" {
        Vec::new()
    } else {
        cells(rest)
    }
}

fn host_message_of(said: &str) -> HostMessage {
    let (verb, rest) = said.split_once(' ').unwrap_or((said, ""));
    match verb {
        "reset" => HostMessage::Reset,
        "update" | "update_only" => HostMessage::Payload {
            lines: rest
                .split('|')
                .map(|line| line.parse().expect("a line of the game"))
                .collect(),
            answer: verb == "update",
        },
        "kill" | "kill_again" => HostMessage::Kill {
            reason: (!rest.is_empty()).then(|| rest.to_owned()),
            again: verb == "kill_again",
        },
        _ => panic!("a host says reset, update, update_only, kill or kill_again, not {said:?}"),
    }
}
