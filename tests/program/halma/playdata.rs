//! Tests the data that `turnwise halma` stores between moves in playdata.txt.

use std::fs;

use tempfile::TempDir;
use turnwise_engine::agent::OpponentMemory;
use turnwise_engine::words::fnv1a;
use turnwise_halma::opponent::Opponent;
use turnwise_halma::playdata::{Playdata, PlaydataError};
use turnwise_halma::rules::{Color, Position, Rules};
use turnwise_halma::search_agent::Memory;
use turnwise_protocol::halma::Mode;

use crate::support::stderr;

use super::positions::after_random_moves;
use super::{folder, input, judged, run};

#[test]
fn a_game_is_played_on_with_playdata() {
    let mut at = Position::start(Color::Black, Rules::Addendum);
    let folder = TempDir::new().expect("a folder");
    let playdata = folder.path().join("playdata.txt");
    for turn in 0..4 {
        fs::write(folder.path().join("input.txt"), input(&at, Mode::Game, 0.5)).expect("a file");
        let output = run(folder.path(), &[]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(stderr(&output), "", "turn {turn}");
        at.play(judged(folder.path(), &at));
        at.play(at.moves()[turn]);
        let kept = Playdata::parse(&fs::read(&playdata).expect("playdata"), &at).expect("fresh");
        assert_eq!(kept.memory.seen.len(), turn + 1);
        assert_eq!(kept.memory.opponent.counts.moves as usize, turn + 1);
        assert!(kept.used > 0.0 && kept.used < 0.5);
    }
    for damage in ["", "turnwise-halma 3\n", "\u{fffd}"] {
        fs::write(&playdata, damage).expect("a file");
        fs::write(folder.path().join("input.txt"), input(&at, Mode::Game, 0.5)).expect("a file");
        let output = run(folder.path(), &[]);
        assert!(output.status.success(), "{output:?}");
        assert!(stderr(&output).contains("playdata.txt is ignored: it is damaged"));
        judged(folder.path(), &at);
    }
    // The new file belongs to a later position.
    let output = run(folder.path(), &[]);
    assert!(stderr(&output).contains("playdata.txt is ignored: it belongs to another game"));
}

#[test]
fn playdata_reads_back_and_every_damage_is_seen() {
    let before = after_random_moves(11, 41, Rules::Addendum);
    let replies = before.moves();
    let counts = OpponentMemory {
        moves: 20,
        predicted: 9,
        expected: 4,
        ..OpponentMemory::default()
    };
    let opponent = Opponent {
        counts,
        pace: -0.125,
        taken_back: 3,
        last: None,
    };
    let memory = Memory {
        seen: vec![1, u64::MAX],
        plan: replies.clone(),
        line: replies.clone(),
        opponent,
    };
    let kept = Playdata {
        left: 12.5,
        used: 0.125,
        elsewhere: 1.75,
        is_daemon_avoided: true,
        position: before,
        memory: memory.clone(),
    };
    let text = kept.to_text();
    // When the file is read, the opponent's reply counts as a move. If the reply was expected, the rest of the expected
    // line is kept.
    for (at, line) in [(0, &replies[1..]), (1, &[])] {
        let mut counted = opponent;
        counted.observe(before.to_move(), replies[at], Some(replies[0]));
        assert_eq!((counted.counts.moves, counted.counts.predicted), (21, 10));
        assert_eq!(counted.counts.expected, if at == 0 { 5 } else { 4 });
        let expected = Playdata {
            memory: Memory {
                line: line.to_vec(),
                opponent: counted,
                ..memory.clone()
            },
            ..kept.clone()
        };
        let now = before.after(replies[at]);
        assert_eq!(Playdata::parse(text.as_bytes(), &now), Ok(expected));
    }
    let mut with_last = kept.clone();
    with_last.memory.opponent.last = Some(replies[2]);
    let now = before.after(replies[0]);
    let read = Playdata::parse(with_last.to_text().as_bytes(), &now).expect("whole");
    assert_eq!(read.memory.opponent.last, Some(replies[0]));
    let elsewhere = after_random_moves(12, 41, Rules::Addendum);
    assert_eq!(
        Playdata::parse(text.as_bytes(), &elsewhere),
        Err(PlaydataError::Stale)
    );
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let read = Playdata::parse(&bytes, &now);
        // The only byte that may change without making the file invalid is the line end after the checksum.
        assert!(
            read == Err(PlaydataError::Damaged) || at + 1 == text.len(),
            "byte {at}"
        );
        let cut = Playdata::parse(&text.as_bytes()[..at], &now);
        assert!(
            cut == Err(PlaydataError::Damaged) || at + 1 == text.len(),
            "cut at {at}"
        );
    }
}

/// Returns the text of a file with its checksum replaced by the correct one.
fn with_sum(text: &str) -> String {
    let body = &text[..text.rfind("sum ").expect("a checksum")];
    format!("{body}sum {:016x}\n", fnv1a(body.bytes()))
}

#[test]
fn whole_playdata_of_another_version_or_without_sense_is_told_apart() {
    let before = after_random_moves(11, 41, Rules::Addendum);
    let kept = Playdata {
        left: 12.5,
        used: 0.125,
        elsewhere: 0.0,
        is_daemon_avoided: false,
        position: before,
        memory: Memory::default(),
    };
    let text = kept.to_text();
    assert_eq!(with_sum(&text), text);
    let now = before.after(before.moves()[0]);
    for (part, instead, why) in [
        (
            "turnwise-halma 3",
            "turnwise-halma 1",
            PlaydataError::Version,
        ),
        (
            "turnwise-halma 3",
            "turnwise-halma 31",
            PlaydataError::Version,
        ),
        ("12.5", "inf", PlaydataError::Damaged),
        ("0.125", "NaN", PlaydataError::Damaged),
        ("opponent 0", "opponent 4294967296", PlaydataError::Damaged),
        ("opponent 0", "opponent -1", PlaydataError::Damaged),
        ("line", "line 3,3-16,3", PlaydataError::Damaged),
        ("black ", "black 0", PlaydataError::Damaged),
    ] {
        let changed = text.replacen(part, instead, 1);
        assert_ne!(changed, text, "{part}");
        let read = Playdata::parse(with_sum(&changed).as_bytes(), &now);
        assert_eq!(read, Err(why), "{instead}");
    }
    let folder = folder(&input(&now, Mode::Game, 0.05));
    let old = with_sum(&text.replacen("halma 3", "halma 1", 1));
    fs::write(folder.path().join("playdata.txt"), old).expect("a file");
    let output = run(folder.path(), &[]);
    assert!(output.status.success());
    let told = "playdata.txt is ignored: it is of another version: expected \"turnwise-halma 3\"";
    assert!(stderr(&output).contains(told), "{}", stderr(&output));
}
