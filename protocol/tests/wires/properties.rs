//! Properties of the wires: no bytes do harm, each end decodes the other end's messages, and no byte is
//! scanned twice.

use bytes::{Bytes, BytesMut};
use proptest::prelude::*;
use tokio_util::codec::{Decoder, Encoder};
use turnwise_protocol::entropy::json::{MAX_REASON, MAX_REPLY};
use turnwise_protocol::entropy::{
    Answer, Cell, HostCodec, HostMessage, Line, MAX_SIZE, Message, PlayerCodec, PlayerSays, Reply,
    Role, Tile, Wire, codecup,
};
use turnwise_protocol::frame::{Item, MAX_FRAME};
use turnwise_protocol::json_stream::JsonObjects;
use turnwise_protocol::text_lines::{MAX_LINE, TextLines};

use crate::decoding::{Codec, Side};

const WIRES: [Wire; 3] = [Wire::Json, Wire::Line, Wire::Codecup];

/// Returns the side and the wire of every codec.
fn ends() -> impl Iterator<Item = (Side, Wire)> {
    let hosts = WIRES.map(|wire| (Side::Host, wire));
    WIRES
        .map(|wire| (Side::Player, wire))
        .into_iter()
        .chain(hosts)
}

fn cell() -> impl Strategy<Value = Cell> {
    any::<(u8, u8)>().prop_map(|(row, col)| Cell { row, col })
}

fn tile() -> impl Strategy<Value = Tile> {
    (0..MAX_SIZE).prop_map(Tile)
}

fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        any::<u8>().prop_map(Line::Size),
        prop_oneof![Just(Role::Order), Just(Role::Chaos)].prop_map(Line::Role),
        tile().prop_map(Line::Draw),
        (cell(), tile()).prop_map(|(cell, tile)| Line::Placed(cell, tile)),
        (cell(), cell()).prop_map(|(from, to)| Line::Slide { from, to }),
        cell().prop_map(Line::Place),
    ]
}

/// Text with difficult characters: control characters, line ends, braces, quotes.
fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            any::<char>(),
            proptest::sample::select(vec![
                '\n', '\r', '\0', '{', '}', '"', '\\', ' ', '5', 'é', '👋'
            ]),
        ],
        0..200,
    )
    .prop_map(String::from_iter)
}

fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        cell().prop_map(Reply::Place),
        (cell(), cell()).prop_map(|(from, to)| Reply::Slide { from, to }),
        text().prop_map(Reply::Concede),
    ]
}

fn host_message() -> impl Strategy<Value = HostMessage> {
    prop_oneof![
        Just(HostMessage::Reset),
        (proptest::collection::vec(line(), 0..5), any::<bool>())
            .prop_map(|(lines, answer)| HostMessage::Payload { lines, answer }),
        (proptest::option::of(text()), any::<bool>())
            .prop_map(|(reason, again)| HostMessage::Kill { reason, again }),
    ]
}

/// Bytes that resemble a protocol enough to reach deep into a decoder.
fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    let tokens = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        proptest::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            "\"",
            "\\",
            "\n",
            "\r\n",
            ",",
            ":",
            " ",
            "NaN",
            "\\u000a",
            "{}",
            "{\"purpose\":\"reset\"}",
            "{\"purpose\":\"update\",\"payload\":\"",
            "\"}",
            "5\n",
            "CHAOS\n",
            "C",
            "0 1 ",
            "1 2 C\n",
            "Start\n",
            "3Bc\n",
            "Quit\n",
            "{\"status\":false}",
            "{\"payload\":\"0 0\"}",
        ])
        .prop_map(|token| token.as_bytes().to_vec()),
    ];
    (
        proptest::collection::vec(tokens, 0..120),
        // Sometimes one token is repeated often enough to exceed every limit.
        prop_oneof![
            6 => Just(Vec::new()),
            1 => (proptest::sample::select(vec!["x", "{", "{\"", " ", "[\n", "5"]), 0..70_000_usize)
                .prop_map(|(token, count)| token.repeat(count).into_bytes()),
        ],
    )
        .prop_map(|(tokens, flood)| [flood, tokens.concat()].concat())
}

fn player_items(wire: Wire, bytes: &[u8]) -> Vec<Item<Message>> {
    let (mut codec, mut buffer) = (PlayerCodec::new(wire), BytesMut::from(bytes));
    std::iter::from_fn(|| codec.decode_eof(&mut buffer).expect("no I/O")).collect()
}

fn host_items(wire: Wire, bytes: &[u8]) -> Vec<Item<PlayerSays>> {
    let mut codec = HostCodec::new(wire);
    let mut buffer = BytesMut::from(bytes);
    std::iter::from_fn(|| codec.decode_eof(&mut buffer).expect("no I/O")).collect()
}

fn written_by_host(wire: Wire, message: &HostMessage) -> BytesMut {
    let mut codec = HostCodec::new(wire);
    let mut target = BytesMut::new();
    codec.encode(message.clone(), &mut target).expect("no I/O");
    target
}

fn written_by_player(wire: Wire, reply: &Reply) -> BytesMut {
    let mut target = BytesMut::new();
    PlayerCodec::new(wire)
        .encode(reply.clone(), &mut target)
        .expect("no I/O");
    target
}

fn payload(lines: &[Line], answer: Answer) -> Item<Message> {
    Item::Message(Message::Payload {
        lines: lines.iter().copied().map(Ok).collect(),
        answer,
    })
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..Default::default()
    }
}

proptest! {
    #![proptest_config(config(256))]

    /// `decode_chunks` itself asserts that buffers stay bounded and that streams end.
    #[test]
    fn any_bytes_give_the_same_items_in_any_chunks(
        bytes in hostile_bytes(),
        chunk in prop_oneof![1_usize..20, 1000_usize..9000],
    ) {
        for (side, wire) in ends() {
            let whole = Codec::new(side, wire).decode_chunks([&bytes[..]]);
            let pieces = Codec::new(side, wire).decode_chunks(bytes.chunks(chunk));
            prop_assert_eq!(whole, pieces, "{:?} {}", side, wire);
        }
    }

    #[test]
    fn any_raw_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        for (side, wire) in ends() {
            Codec::new(side, wire).decode_chunks([&bytes[..]]);
        }
    }

    /// An unfinished frame of one stream does not affect the next stream.
    #[test]
    fn a_codec_begins_afresh_behind_the_end(bytes in hostile_bytes()) {
        let mut codec = Codec::new(Side::Player, Wire::Json);
        codec.decode_chunks([&bytes[..]]);
        let items = codec.decode_chunks([&b"{\"purpose\":\"reset\"}"[..]]);
        prop_assert_eq!(items, ["reset"]);
    }

    #[test]
    fn a_line_reads_back(line in line()) {
        prop_assert_eq!(line.to_string().parse(), Ok(line));
    }

    #[test]
    fn any_text_is_a_line_or_is_not(text in "[ 0-9A-Z\\n]{0,12}|\\PC*") {
        if let Ok(line) = text.parse::<Line>() {
            prop_assert_eq!(line.to_string().parse(), Ok(line));
        }
    }

    #[test]
    fn a_player_reads_what_a_json_host_writes(message in host_message()) {
        let expected = match &message {
            HostMessage::Reset => Item::Message(Message::Reset),
            HostMessage::Kill { reason, again } => {
                let reason = reason.as_ref().map(|text| {
                    let most = text.len().min(MAX_REASON);
                    String::from_utf8_lossy(&text.as_bytes()[..most]).into_owned()
                });
                let again = *again;
                Item::Message(Message::Kill { reason, again })
            }
            HostMessage::Payload { lines, answer: true } => payload(lines, Answer::Required),
            HostMessage::Payload { lines, answer: false } => payload(lines, Answer::Forbidden),
        };
        let written = written_by_host(Wire::Json, &message);
        prop_assert_eq!(player_items(Wire::Json, &written), [expected]);
    }

    #[test]
    fn a_player_reads_what_a_line_host_writes(message in host_message()) {
        let written = written_by_host(Wire::Line, &message);
        let items = player_items(Wire::Line, &written);
        match &message {
            HostMessage::Reset | HostMessage::Kill { reason: None, .. } => {
                prop_assert_eq!(items, []);
            }
            HostMessage::Payload { lines, .. } => {
                let expected: Vec<_> =
                    lines.iter().map(|line| payload(&[*line], Answer::ByTurn)).collect();
                prop_assert_eq!(items, expected);
            }
            HostMessage::Kill { reason: Some(_), .. } => {
                prop_assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1);
                let is_no_line = matches!(
                    &items[..],
                    [Item::Message(Message::Payload { lines, .. })]
                        if matches!(&lines[..], [Err(bad)] if bad.preview.starts_with("ERROR"))
                );
                prop_assert!(is_no_line, "{:?}", items);
            }
        }
    }

    #[test]
    fn a_host_reads_what_a_player_writes(reply in reply()) {
        for wire in [Wire::Json, Wire::Line] {
            let items = host_items(wire, &written_by_player(wire, &reply));
            match (&reply, wire, &items[..]) {
                (Reply::Place(cell), _, [Item::Message(PlayerSays::Line(Ok(line)))]) => {
                    prop_assert_eq!(*line, Line::Place(*cell));
                }
                (Reply::Slide { from, to }, _, [Item::Message(PlayerSays::Line(Ok(line)))]) => {
                    prop_assert_eq!(*line, Line::Slide { from: *from, to: *to });
                }
                (
                    Reply::Concede(comment),
                    Wire::Json,
                    [Item::Message(PlayerSays::Concede(heard))],
                ) => {
                    prop_assert!(comment.starts_with(heard));
                    prop_assert!(heard == comment || heard.len() > 124);
                }
                (Reply::Concede(_), Wire::Line, [Item::Message(PlayerSays::Line(Err(_)))]) => {}
                _ => prop_assert!(false, "{:?} on {} came as {:?}", reply, wire, items),
            }
        }
    }

    /// The server reads only once, at most 1,024 bytes.
    #[test]
    fn a_reply_fits_one_read_whatever_the_comment(
        reply in reply(),
        character in any::<char>(),
        count in 0_usize..3000,
    ) {
        let flood = Reply::Concede(character.to_string().repeat(count));
        for reply in [reply, flood] {
            for wire in [Wire::Json, Wire::Line] {
                let length = written_by_player(wire, &reply).len();
                prop_assert!((1..=MAX_REPLY).contains(&length), "{} bytes", length);
            }
        }
    }

    #[test]
    fn codecup_replies_read_back(
        cells in proptest::array::uniform4(0..codecup::SIZE),
        slides in any::<bool>(),
    ) {
        let [row, col, to_row, to_col] = cells;
        let from = Cell { row, col };
        let to = Cell { row: to_row, col: to_col };
        // The manager passes Order's move to Chaos unchanged, but sends Order a placement after the color.
        let (written, expected) = if slides {
            let written = written_by_player(Wire::Codecup, &Reply::Slide { from, to });
            (written.to_vec(), payload(&[Line::Slide { from, to }], Answer::ByTurn))
        } else {
            let written = written_by_player(Wire::Codecup, &Reply::Place(from));
            let begin = [Line::Size(codecup::SIZE), Line::Role(Role::Order)];
            let lines = [&begin[..], &[Line::Placed(from, Tile(2))]].concat();
            ([b"3", &written[..]].concat(), payload(&lines, Answer::ByTurn))
        };
        prop_assert_eq!(player_items(Wire::Codecup, &written), [expected]);
    }
}

#[test]
fn the_worst_comment_still_fits() {
    let worst = Reply::Concede("\0".repeat(100_000));
    let length = written_by_player(Wire::Json, &worst).len();
    assert!(length <= MAX_REPLY, "{length} bytes");
}

/// The work is linear because a decoder never returns to a byte that it has scanned. To test this without a
/// clock, the test overwrites every byte once the decoder asks for more. A decoder that returned to a byte
/// would find another end of the frame.
#[test]
fn a_json_byte_is_looked_at_once() {
    let object = [b"{\"a\":[\"", &[b'x'; 30_000][..], b"\"]}"].concat();
    let (mut codec, mut buffer) = (JsonObjects::new(), BytesMut::new());
    for (at, byte) in object.iter().enumerate() {
        buffer.extend_from_slice(&[*byte]);
        match codec.decode(&mut buffer).expect("no I/O") {
            None => buffer.fill(b'}'),
            Some(item) => {
                assert_eq!(at + 1, object.len());
                let seen = [&vec![b'}'; at][..], b"}"].concat();
                assert_eq!(item, Item::Message(Bytes::from(seen)));
            }
        }
    }
    assert!(buffer.is_empty());
}

#[test]
fn a_byte_of_a_line_is_looked_at_once_for_its_end() {
    let (mut codec, mut buffer) = (TextLines::new(), BytesMut::new());
    for _ in 0..MAX_LINE {
        buffer.extend_from_slice(b"x");
        assert_eq!(codec.decode(&mut buffer).expect("no I/O"), None);
        buffer.fill(b'\n');
    }
    buffer.extend_from_slice(b"\n");
    let item = codec.decode(&mut buffer).expect("no I/O");
    assert_eq!(item, Some(Item::Message("\n".repeat(MAX_LINE))));
}

/// Skipped bytes are not stored.
#[test]
fn a_flood_is_not_kept() {
    let (mut codec, mut buffer) = (JsonObjects::new(), BytesMut::new());
    let mut reports = 0;
    buffer.extend_from_slice(b"{\"a\":\"");
    for _ in 0..1000 {
        buffer.extend_from_slice(&[b'x'; 8192]);
        while codec.decode(&mut buffer).expect("no I/O").is_some() {
            reports += 1;
        }
        assert!(buffer.len() <= MAX_FRAME);
        assert!(
            buffer.capacity() <= 4 * MAX_FRAME,
            "{} bytes",
            buffer.capacity()
        );
    }
    assert_eq!(reports, 1);
    assert!(buffer.is_empty());
}

/// A log line quotes little of a peer's data, and no control characters.
#[test]
fn a_report_is_short_and_one_line() {
    let flood = "\\n\u{7}é".repeat(9000);
    for (side, wire) in ends() {
        for text in [
            format!("{{\"status\":\"{flood}\"}}"),
            format!("{{\"purpose\":\"{flood}\"}}"),
            format!("{{\"purpose\":\"{}\"}}", "é".repeat(9000)),
            format!("{{\"status\":\"{}\"}}", "é".repeat(9000)),
            format!(
                "{{\"purpose\":\"update\",\"payload\":\"{}\"}}",
                "é".repeat(9000)
            ),
            format!("{{\"status\":false,\"comment\":\"{}\"}}", "é".repeat(9000)),
            format!("{}\n", "\u{7}".repeat(900)),
            "\u{7}".repeat(9000),
        ] {
            for item in Codec::new(side, wire).decode_chunks([text.as_bytes()]) {
                assert!(
                    item.len() <= MAX_REPLY + 20,
                    "{side:?} {wire}: {} bytes",
                    item.len()
                );
                assert!(
                    !item.contains(char::is_control),
                    "{side:?} {wire}: {item:?}"
                );
            }
        }
    }
}

/// Each end of the CodeCup wire decodes the messages that the other end encodes.
#[test]
fn both_ends_of_codecup_understand_each_other() {
    let cell = |row, col| Cell { row, col };
    let slide = Line::Slide {
        from: cell(0, 1),
        to: cell(6, 1),
    };
    let mut bytes = BytesMut::new();
    let mut manager = HostCodec::new(Wire::Codecup);
    let lines = vec![
        Line::Size(7),
        Line::Role(Role::Chaos),
        Line::Draw(Tile(2)),
        slide,
        Line::Draw(Tile(6)),
    ];
    let said = HostMessage::Payload {
        lines,
        answer: true,
    };
    manager.encode(said, &mut bytes).expect("it has words");
    manager
        .encode(
            HostMessage::Kill {
                reason: None,
                again: false,
            },
            &mut bytes,
        )
        .expect("it has words");
    assert_eq!(&bytes[..], b"Start\n3\nAbGb\n7\nQuit\n");
    let mut player = PlayerCodec::new(Wire::Codecup);
    player
        .encode(Reply::Place(cell(1, 2)), &mut bytes)
        .expect("it has words");
    let mut answers = bytes.split_off(b"Start\n3\nAbGb\n7\nQuit\n".len());
    let heard = manager.decode(&mut answers).expect("no failure");
    let placed = PlayerSays::Line(Ok(Line::Place(cell(1, 2))));
    assert_eq!(heard, Some(Item::Message(placed)));
    for (text, expected) in [
        ("AbGb", Some(slide)),
        ("Start", None),
        ("3", None),
        ("3Bc", None),
    ] {
        let mut bytes = BytesMut::from(format!("{text}\n").as_bytes());
        let heard = manager.decode(&mut bytes).expect("no failure");
        let Some(Item::Message(PlayerSays::Line(line))) = heard else {
            panic!("{text} is a line");
        };
        assert_eq!(line.ok(), expected, "{text}");
    }
}
