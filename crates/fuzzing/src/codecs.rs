//! Tests the wires' decoders with byte streams, whole and cut into pieces. Also tests that the two ends of a wire
//! agree.

use std::fmt::Debug;
use std::io;

use bytes::BytesMut;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio_util::codec::{Decoder, Encoder};
use turnwise_protocol::entropy::{
    Answer, HostCodec, HostMessage, Line, Message, PlayerCodec, PlayerSays, Reply, Wire, json,
};
use turnwise_protocol::frame::{Item, MAX_FRAME};
use turnwise_protocol::halma_serve::{Ask, Asks};
use turnwise_protocol::json_stream::JsonObjects;
use turnwise_protocol::text_lines::{MAX_LINE, TextLines};

/// The maximum length of an error message, in bytes. An error message quotes the input, and perhaps a parser's message.
const LONGEST_REASON: usize = 1024;

/// The maximum length, in bytes, of a stream that is also read one byte at a time.
const BYTE_BY_BYTE: usize = 2048;

/// Decodes a byte stream that arrives in these pieces and then ends.
fn decoded<'a, D: Decoder<Item = Item<M>, Error = io::Error>, M: Debug + PartialEq>(
    mut decoder: D,
    most_kept: usize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Item<M>> {
    let mut items = Vec::new();
    let mut buffer = BytesMut::new();
    let mut total = 0;
    let fine = "a bad frame is a value";
    for piece in pieces {
        total += piece.len();
        buffer.extend_from_slice(piece);
        while let Some(item) = decoder.decode(&mut buffer).expect(fine) {
            items.push(item);
        }
        assert!(buffer.len() <= most_kept, "{} bytes kept", buffer.len());
    }
    while let Some(item) = decoder.decode_eof(&mut buffer).expect(fine) {
        items.push(item);
        assert!(items.len() <= total + 1, "more items than bytes");
    }
    let behind = decoder.decode_eof(&mut buffer).expect(fine);
    assert!(behind.is_none(), "an item behind the end: {behind:?}");
    items
}

/// Cuts a byte stream into pieces, at places that its bytes determine.
fn pieces(stream: &[u8]) -> Vec<&[u8]> {
    let seed = stream.iter().fold(1u64, |sum, &byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut rest = stream;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let most = match chance.random_ratio(1, 8) {
            true => rest.len(),
            false => rest.len().min(64),
        };
        let (piece, behind) = rest.split_at(chance.random_range(1..=most));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// Decodes a stream, and checks that the messages do not depend on where the stream is cut.
fn read<D: Decoder<Item = Item<M>, Error = io::Error>, M: Debug + PartialEq>(
    new: impl Fn() -> D,
    most_kept: usize,
    stream: &[u8],
) -> Vec<Item<M>> {
    let whole = decoded(new(), usize::MAX, [stream]);
    let cut = decoded(new(), most_kept, pieces(stream));
    assert_eq!(cut, whole, "cut at random");
    if stream.len() <= BYTE_BY_BYTE {
        let bytes = decoded(new(), most_kept, stream.chunks(1));
        assert_eq!(bytes, whole, "one byte at a time");
    }
    whole
}

/// Returns the messages of a stream, and checks that each error message is short.
fn messages<M>(items: Vec<Item<M>>) -> impl Iterator<Item = M> {
    items.into_iter().filter_map(|item| match item {
        Item::Message(message) => Some(message),
        Item::Bad(bad) => {
            assert!(bad.to_string().len() < LONGEST_REASON, "{bad}");
            None
        }
    })
}

/// The maximum buffer size of a line decoder, in bytes: an incomplete line, its end, and a piece of the next line.
const KEPT_OF_LINES: usize = MAX_LINE + 66;

pub fn json_objects(stream: &[u8]) {
    for object in messages(read(JsonObjects::new, MAX_FRAME, stream)) {
        assert!(object.len() <= MAX_FRAME);
        let again = decoded(JsonObjects::new(), MAX_FRAME, [&object[..]]);
        assert_eq!(again, [Item::Message(object)]);
    }
}

pub fn text_lines(stream: &[u8]) {
    for line in messages(read(TextLines::new, KEPT_OF_LINES, stream)) {
        assert!(line.len() <= MAX_LINE && !line.contains('\n'), "{line:?}");
    }
}

pub fn halma_asks(stream: &[u8]) {
    for item in read(Asks::default, KEPT_OF_LINES, stream) {
        match item {
            Item::Message(ask) => {
                let line = ask.to_line().expect("a question has a line");
                // The re-encoded line may be longer than the original, because of escape sequences.
                let again: Ask = serde_json::from_slice(&line).expect("its own line");
                assert_eq!(again, ask);
            }
            Item::Bad(bad) => assert!(bad.to_string().len() < 2048, "{bad}"),
        }
    }
}

/// Returns the maximum number of bytes that a decoder for this wire may buffer.
fn most_kept(wire: Wire) -> usize {
    match wire {
        Wire::Json => MAX_FRAME,
        Wire::Line | Wire::Codecup => KEPT_OF_LINES,
    }
}

/// Returns the host's message that a player receives as `message`, or `None` if no valid message of a host leads to it.
fn said(message: &Message) -> Option<HostMessage> {
    Some(match message {
        Message::Reset => HostMessage::Reset,
        Message::Kill { reason, again } => HostMessage::Kill {
            reason: reason.clone(),
            again: *again,
        },
        Message::UnknownPurpose(_) => return None,
        Message::Payload { lines, answer } => HostMessage::Payload {
            lines: lines.iter().cloned().collect::<Result<_, _>>().ok()?,
            answer: *answer == Answer::Required,
        },
    })
}

/// Checks the player's end of a wire: each decoded message is equal after the host's end has encoded it again.
pub fn player(wire: Wire, stream: &[u8]) {
    for message in messages(read(|| PlayerCodec::new(wire), most_kept(wire), stream)) {
        let Some(said) = said(&message).filter(|_| wire != Wire::Codecup) else {
            continue;
        };
        let mut bytes = BytesMut::new();
        let mut host = HostCodec::new(wire);
        host.encode(said, &mut bytes).expect("no I/O");
        if bytes.len() <= MAX_FRAME {
            let heard = decoded(PlayerCodec::new(wire), usize::MAX, [&bytes[..]]);
            assert_eq!(heard, [Item::Message(message)]);
        }
    }
}

/// Checks the host's end of a wire: each decoded answer is equal after the player's end has encoded it again.
pub fn host(wire: Wire, stream: &[u8]) {
    for says in messages(read(|| HostCodec::new(wire), most_kept(wire), stream)) {
        let reply = match &says {
            PlayerSays::Line(Ok(Line::Place(cell))) => Reply::Place(*cell),
            &PlayerSays::Line(Ok(Line::Slide { from, to })) => Reply::Slide { from, to },
            PlayerSays::Concede(comment) => {
                // A character cut in half at the end becomes a replacement character of three bytes.
                assert!(comment.len() <= json::MAX_REPLY + 6, "{}", comment.len());
                Reply::Concede(comment.clone())
            }
            PlayerSays::Line(_) => continue,
        };
        let mut bytes = BytesMut::new();
        let mut player = PlayerCodec::new(wire);
        player.encode(reply.clone(), &mut bytes).expect("no I/O");
        assert!(bytes.len() <= json::MAX_REPLY, "{bytes:?}");
        let heard = decoded(HostCodec::new(wire), usize::MAX, [&bytes[..]]);
        match (reply, &heard[..]) {
            // Only the beginning of the comment is sent.
            (Reply::Concede(comment), [Item::Message(PlayerSays::Concede(told))]) => {
                assert!(comment.starts_with(&**told), "{told:?} of {comment:?}");
            }
            _ => assert_eq!(heard, [Item::Message(says)]),
        }
    }
}
