//! Tests reading of checkpoints that were changed after they were written.

use super::*;
use crate::train::fit::Fit;
use crate::train::self_play::SelfPlay;

/// Returns the bytes of a short training's checkpoint.
fn written() -> Vec<u8> {
    let plan = Plan {
        seed: 5,
        games: 2,
        window: 2,
        self_play: SelfPlay {
            size: 2,
            depth: 2,
            lambda: 0.5,
            exploration: 0.1,
            siblings: 1,
        },
        fit: Fit {
            first_knot: 1,
            knot_distance: 2,
            prior_samples: 3.0,
            blocks: false,
        },
    };
    let mut training = Training::new(plan, None);
    let finished = training.generation(1, &|_game| true);
    finished.expect("a generation played to its end");
    to_bytes(&training)
}

/// Replaces a field in the first line of a checkpoint, and computes the new checksum with `seal`.
fn with_field(bytes: &[u8], field: &str, other: &str, seal: fn(&[u8]) -> u32) -> Vec<u8> {
    let content = &bytes[..bytes.len() - 4];
    let at = (content.windows(field.len()))
        .position(|part| part == field.as_bytes())
        .expect("a field of the first line");
    let mut changed = [
        &content[..at],
        other.as_bytes(),
        &content[at + field.len()..],
    ]
    .concat();
    changed.extend(seal(&changed).to_le_bytes());
    changed
}

#[test]
fn every_damage_is_detected() {
    let bytes = written();
    from_bytes(&bytes).expect("undamaged");
    for at in 0..bytes.len() {
        for mask in (0..8).map(|bit| 1 << bit).chain([0xff]) {
            let mut changed = bytes.clone();
            changed[at] ^= mask;
            assert!(from_bytes(&changed).is_err(), "byte {at} ^ {mask:#x}");
        }
        assert!(from_bytes(&bytes[..at]).is_err(), "{at} bytes");
        if at > 0 && bytes[at - 1] != bytes[at] {
            let mut changed = bytes.clone();
            changed.swap(at - 1, at);
            assert!(from_bytes(&changed).is_err(), "byte {at} moved");
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(from_bytes(&longer).is_err());
}

#[test]
fn impossible_plans_are_rejected() {
    let bytes = written();
    let sizes = ["0", "3", "5", "9"].map(|size| (r#""size":2"#, format!(r#""size":{size}"#)));
    let window = (r#""window":2"#, r#""window":0"#.to_owned());
    for (field, other) in sizes.into_iter().chain([window]) {
        let changed = with_field(&bytes, field, &other, crc32fast::hash);
        assert!(from_bytes(&changed).is_err(), "{other}");
    }
}

#[test]
fn other_formats_are_rejected_with_advice() {
    for other in [2, 4] {
        let field = format!(r#""checkpoint":{other}"#);
        let bytes = with_field(&written(), r#""checkpoint":3"#, &field, |_| 0);
        let error = from_bytes(&bytes).err().expect("another format");
        let error = error.to_string();
        let expected = format!("expected a checkpoint of format 3, got format {other}; remove it");
        assert!(error.starts_with(&expected), "{error}");
    }
}
