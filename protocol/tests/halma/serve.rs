//! Tests the lines between shim and daemon: any split gives equal items, and buffers stay bounded.

use bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder};
use turnwise_protocol::frame::{FrameError, Item};
use turnwise_protocol::halma_serve::{Answer, Ask, Asks, ErrorKind, Rules};

/// Returns the items of a stream that arrives in pieces of this length.
fn decoded(bytes: &[u8], piece: usize) -> Vec<Item<Ask>> {
    let (mut codec, mut buffer, mut items) = (Asks::default(), BytesMut::new(), Vec::new());
    for piece in bytes.chunks(piece) {
        buffer.extend_from_slice(piece);
        while let Some(item) = codec.decode(&mut buffer).expect("no stream to fail") {
            items.push(item);
        }
        assert!(buffer.len() <= 2048, "{} bytes are kept", buffer.len());
    }
    while let Some(item) = codec.decode_eof(&mut buffer).expect("no stream to fail") {
        items.push(item);
    }
    items
}

#[test]
fn what_is_said_does_not_depend_on_the_pieces() {
    let input = include_str!("start.in").to_owned();
    let rules = Rules::Base;
    let ask = Ask::Move {
        rules,
        input,
        spent_s: 0.1,
    };
    let line = ask.to_line().expect("a line");
    assert!(line.len() <= 1024);
    let half = &line[..line.len() / 2];
    let stream = [&line[..], b"tea?\n", &line, b"\xff\n", half].concat();
    let whole = decoded(&stream, stream.len());
    assert_eq!(whole[0], Item::Message(ask.clone()));
    assert!(matches!(whole[1], Item::Bad(FrameError::Content { .. })));
    assert_eq!(whole[2], Item::Message(ask));
    assert_eq!(whole[3], Item::Bad(FrameError::NotUtf8));
    assert!(matches!(whole[4], Item::Bad(FrameError::Truncated { .. })));
    assert_eq!(whole.len(), 5);
    for piece in 1..stream.len() {
        assert_eq!(decoded(&stream, piece), whole, "in pieces of {piece}");
    }
}

#[test]
fn an_endless_line_is_told_once_and_not_kept() {
    let stream = [
        &[b'x'; 100_000][..],
        b"\n{\"ask\":\"move\",\"input\":\"\"}\n",
    ]
    .concat();
    let items = decoded(&stream, 512);
    assert!(matches!(
        items[0],
        Item::Bad(FrameError::TooLong { limit: 1024 })
    ));
    let (rules, input) = (Rules::Addendum, String::new());
    // Absent fields have their default values.
    let spent_s = 0.0;
    let ask = Ask::Move {
        rules,
        input,
        spent_s,
    };
    assert_eq!(items[1], Item::Message(ask));
    assert_eq!(items.len(), 2);
}

#[test]
fn answers_are_what_the_page_shows_and_are_read_again() {
    let answers = [
        (
            Answer::Move {
                output: "E 11,15 10,15\n".to_owned(),
                cpu_s: 0.41,
                game_cpu_s: 3.2,
                known: true,
                value: 12,
                depth: 7,
                nodes: 151_000,
            },
            r#"{"answer":"move","output":"E 11,15 10,15\n","cpu_s":0.41,"game_cpu_s":3.2,"known":true,"value":12,"depth":7,"nodes":151000}"#,
        ),
        (
            Answer::Error {
                kind: ErrorKind::Input,
                reason: "line 2: expected BLACK or WHITE, got \"black\"".to_owned(),
            },
            r#"{"answer":"error","kind":"input","reason":"line 2: expected BLACK or WHITE, got \"black\""}"#,
        ),
    ];
    for (answer, line) in answers {
        let mut bytes = BytesMut::new();
        Asks::default()
            .encode(answer.clone(), &mut bytes)
            .expect("a line");
        assert_eq!(bytes, format!("{line}\n"));
        assert_eq!(Answer::from_line(&bytes).expect("an answer"), answer);
        assert!(include_str!("../../halma-serve.md").contains(line));
    }
}
