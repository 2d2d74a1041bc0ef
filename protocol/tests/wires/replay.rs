//! Replays every golden transcript in every way in which its bytes can be cut into reads.

use std::collections::BTreeSet;

use bytes::BytesMut;
use proptest::prelude::*;
use proptest::sample::Index;
use turnwise_protocol::frame::MAX_FRAME;

use crate::decoding::{Codec, Side};
use crate::transcript::{Event, Transcript, all};

/// The maximum length of a transcript that is tested under every split into two.
///
/// A longer transcript is split only near a limit or near one of its steps, because every split would take
/// quadratic time.
const EVERY_SPLIT: usize = 4096;

fn decode_chunks<'a>(
    transcript: &Transcript,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<String> {
    Codec::new(transcript.side, transcript.wire).decode_chunks(chunks)
}

/// Returns the offsets at which the transcript's `in` lines end.
fn steps(transcript: &Transcript) -> Vec<usize> {
    let mut at = 0;
    let mut steps = vec![0];
    for event in &transcript.events {
        if let Event::In(bytes) = event {
            at += bytes.len();
            steps.push(at);
        }
    }
    steps
}

fn splits(transcript: &Transcript, length: usize) -> BTreeSet<usize> {
    if length <= EVERY_SPLIT {
        return (0..=length).collect();
    }
    let limits = (0..=length).step_by(MAX_FRAME);
    let near_a_limit = limits
        .chain(steps(transcript))
        .flat_map(|at| at.saturating_sub(8)..=(at + 8).min(length));
    near_a_limit.chain((0..=length).step_by(4099)).collect()
}

#[test]
fn the_directory_of_transcripts_is_not_empty() {
    assert!(!all().is_empty());
}

#[test]
fn every_item_comes_with_the_last_byte_it_needs_and_every_reply_is_as_written() {
    for transcript in all() {
        let name = &transcript.name;
        let mut codec = Codec::new(transcript.side, transcript.wire);
        let mut buffer = BytesMut::new();
        let mut ended = false;
        let mut written = Vec::new();
        let next = |buffer: &mut BytesMut, ended: bool, codec: &mut Codec| {
            if ended {
                codec.decode_eof(buffer)
            } else {
                codec.decode(buffer)
            }
        };
        for event in &transcript.events {
            if !matches!(event, Event::Got(_)) {
                assert_eq!(
                    next(&mut buffer, ended, &mut codec),
                    None,
                    "{name}: {event:?}"
                );
            }
            if !matches!(event, Event::Out(_)) {
                assert!(written.is_empty(), "{name}: no `out` before {event:?}");
            }
            match event {
                Event::In(_) if ended => panic!("{name}: bytes behind the end"),
                Event::In(bytes) => buffer.extend_from_slice(bytes),
                Event::End => ended = true,
                Event::Got(item) => {
                    let decoded = next(&mut buffer, ended, &mut codec);
                    assert_eq!(decoded.as_ref(), Some(item), "{name}");
                }
                Event::Say(said) => written = codec.encode(said),
                Event::Out(bytes) => {
                    let text = String::from_utf8_lossy(&written);
                    assert_eq!(&written, bytes, "{name}: wrote {text:?}");
                    written.clear();
                }
            }
        }
        assert!(ended && written.is_empty(), "{name}: ends too early");
        assert_eq!(
            next(&mut buffer, ended, &mut codec),
            None,
            "{name}: at the end"
        );
    }
}

#[test]
fn unsplit() {
    for transcript in all() {
        let items = decode_chunks(&transcript, [&transcript.bytes()[..]]);
        assert_eq!(items, transcript.items(), "{}", transcript.name);
    }
}

#[test]
fn split_into_two_reads() {
    for transcript in all() {
        let (name, bytes, items) = (&transcript.name, transcript.bytes(), transcript.items());
        for at in splits(&transcript, bytes.len()) {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(
                decode_chunks(&transcript, [head, tail]),
                items,
                "{name} at {at}"
            );
        }
    }
}

#[test]
fn one_byte_at_a_time() {
    for transcript in all() {
        let items = decode_chunks(&transcript, transcript.bytes().chunks(1));
        assert_eq!(items, transcript.items(), "{}", transcript.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_reads(cuts in proptest::collection::vec(any::<Index>(), 0..40)) {
        for transcript in all() {
            let bytes = transcript.bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
            let items = decode_chunks(&transcript, chunks);
            prop_assert_eq!(items, transcript.items(), "{} cut at {:?}", transcript.name, cuts);
        }
    }
}

/// The text of every kind of item and of every message of each end; an ellipsis matches any rest.
///
/// Matches without a wildcard in `decoding.rs` write these texts: add each new variant here as well.
const KINDS: [(Side, &[&str]); 2] = [
    (
        Side::Player,
        &[
            "reset",
            "kill",
            "kill, to come again",
            "unknown purpose …",
            "payload, answer required: …",
            "payload, answer forbidden: …",
            "payload, answer by turn: …",
            "payload, answer required: not a line …",
            "payload, answer by turn: not a line …",
            "bad: expected a JSON object…",
            "bad: expected a frame of at most 65536 bytes…",
            "bad: expected a frame of at most 1024 bytes…",
            "bad: expected at most 32 levels…",
            "bad: the stream ended…",
            "bad: expected value…",
            "bad: expected UTF-8…",
            "say place …",
            "say slide …",
            "say concede …",
        ],
    ),
    (
        Side::Host,
        &[
            "line: …",
            "line: not a line …",
            "concede …",
            "bad: expected a JSON object…",
            "bad: expected a frame of at most 65536 bytes…",
            "bad: expected a frame of at most 1024 bytes…",
            "bad: the stream ended…",
            "bad: expected a payload…",
            "bad: expected UTF-8…",
            "say reset",
            "say update …",
            "say update_only …",
            "say kill",
            "say kill …",
            "say kill_again …",
        ],
    ),
];

#[test]
fn every_kind_of_item_and_of_speech_occurs() {
    for (side, kinds) in KINDS {
        let texts: Vec<String> = all()
            .into_iter()
            .filter(|transcript| transcript.side == side)
            .flat_map(|transcript| transcript.events)
            .filter_map(|event| match event {
                Event::Got(item) => Some(item),
                Event::Say(said) => Some(format!("say {said}")),
                _ => None,
            })
            .collect();
        let fits = |text: &str, kind: &str| match kind.strip_suffix('…') {
            Some(beginning) => text.starts_with(beginning),
            None => text == kind,
        };
        // A text belongs only to the longest kind that it fits.
        let kind_of = |text: &String| {
            let fitting = kinds.iter().filter(|kind| fits(text, kind));
            fitting.max_by_key(|kind| kind.len())
        };
        let seen: BTreeSet<_> = texts.iter().filter_map(kind_of).collect();
        for kind in kinds {
            assert!(
                seen.contains(kind),
                "no transcript of a {side:?} has {kind:?}"
            );
        }
    }
}
