//! Tests logs that are cut off at any place, whose writer is killed at any moment, or that are opened twice.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_arena::log::{Log, LogError, read};
use turnwise_games::GAMES;

use super::{arena, killed_and_resumed, pair_lines, played, resume};

const WORDS: [&str; 10] = [
    "random", "greedy", "--nodes", "1", "--pairs", "400", "--size", "5", "--seed", "5",
];

#[test]
fn killed_at_twenty_random_points_no_pair_is_lost_and_none_is_played_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    played(&WORDS, &whole);
    let length = std::fs::metadata(&whole).expect("a log").len();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let size = || std::fs::metadata(&killed).map_or(0, |file| file.len());
    killed_and_resumed(&WORDS, &killed, 20, |child| {
        // The log grows only a little before each kill, so that all kills come before the end of the match.
        let goal = size() + random.random_range(0..length / 24);
        let begun = Instant::now();
        while size() < goal.max(1) && begun.elapsed() < Duration::from_secs(60) {
            std::thread::yield_now();
        }
        let over = child.try_wait().expect("a child").is_some();
        assert!(!over, "the match was over before it was killed");
    });
    assert_eq!(pair_lines(&killed), pair_lines(&whole));
}

#[test]
fn a_log_torn_anywhere_is_read_to_its_last_whole_pair() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    played(
        &[
            "random", "greedy", "--nodes", "1", "--pairs", "3", "--size", "3",
        ],
        &log,
    );
    let bytes = std::fs::read(&log).expect("a log");
    let header = bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .expect("a header")
        + 1;
    let mut counts = BTreeSet::new();
    for end in (header..=bytes.len()).step_by(37).chain([bytes.len()]) {
        let contents = read(&log, &bytes[..end], GAMES).expect("a log");
        counts.insert(contents.pairs.len());
        // A loss of power may leave blocks of zeros at the end of the log.
        let zeros = [&bytes[..end], &[0; 600][..]].concat();
        assert_eq!(
            read(&log, &zeros[..], GAMES).expect("a log").pairs.len(),
            contents.pairs.len()
        );
    }
    assert_eq!(counts, BTreeSet::from([0, 1, 2, 3]));
}

#[test]
fn damage_in_the_middle_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    played(
        &[
            "random", "greedy", "--nodes", "1", "--pairs", "2", "--size", "3",
        ],
        &log,
    );
    let text = std::fs::read_to_string(&log).expect("a log");
    let mut lines: Vec<&str> = text.lines().collect();
    lines[4] = "{";
    let damaged = lines.join("\n") + "\n";
    let error = read(&log, damaged.as_bytes(), GAMES).expect_err("line 5 is broken");
    assert!(
        matches!(error, LogError::Malformed { line: 5, .. }),
        "{error}"
    );
    let twice = format!("{text}{}", text.split_once('\n').expect("a header").1);
    let error = read(&log, twice.as_bytes(), GAMES)
        .expect_err("pairs come twice")
        .to_string();
    assert!(error.contains("expected every pair once"), "{error}");
    for nonsense in ["", "\n", "{}\n", "no log\n"] {
        assert!(
            read(&log, nonsense.as_bytes(), GAMES).is_err(),
            "{nonsense:?}"
        );
    }
}

#[test]
fn two_arenas_on_one_log_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    played(
        &[
            "random", "greedy", "--nodes", "1", "--pairs", "2", "--size", "3",
        ],
        &log,
    );
    let (_held, contents) = Log::open(&log, GAMES).expect("nobody writes to it");
    assert_eq!(contents.pairs.len(), 2);
    let second = resume(&log).output().expect("the program can be started");
    assert_eq!(second.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&second.stderr);
    assert!(
        stderr.contains("is being written by another arena"),
        "{stderr}"
    );
    let again = arena(&["random", "greedy"], &log)
        .output()
        .expect("started");
    let stderr = String::from_utf8_lossy(&again.stderr);
    assert!(
        stderr.contains("exists already: resume it with turnwise arena --resume"),
        "{stderr}"
    );
}

#[test]
fn a_match_begins_again_after_a_header_that_was_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = [
        "random", "greedy", "--nodes", "1", "--pairs", "1", "--size", "2",
    ];
    let words = [&words[..], &["--seed", "1", "--jobs", "1"]].concat();
    played(&words, &log);
    let whole = std::fs::read(&log).expect("a log");
    for end in [0, 1, 100] {
        std::fs::write(&log, &whole[..end]).expect("there is room");
        let resumed = resume(&log).output().expect("the program can be started");
        assert_eq!(resumed.status.code(), Some(1));
        let stderr = String::from_utf8_lossy(&resumed.stderr);
        assert!(
            stderr.contains("start the match again with the same --log"),
            "{stderr}"
        );
        played(&words, &log);
        assert_eq!(
            std::fs::read(&log).expect("a log"),
            whole,
            "torn after {end} bytes"
        );
    }
}

#[test]
fn a_match_of_few_pairs_can_be_extended() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, extended] = ["whole", "extended"].map(|name| folder.path().join(name));
    for (game, words) in [
        ("entropy", &["random", "greedy", "--size", "3"][..]),
        ("entropy", &["random", "greedy", "holes", "--size", "2"]),
        (
            "twentyone",
            &[
                "basic", "naive", "counter", "--tables", "--seats", "3", "--rounds", "2",
            ],
        ),
    ] {
        for log in [&whole, &extended] {
            let _ = std::fs::remove_file(log);
        }
        let with = |pairs| {
            [
                words,
                &[
                    "--game", game, "--seed", "5", "--nodes", "1", "--pairs", pairs,
                ],
            ]
            .concat()
        };
        played(&with("5"), &whole);
        played(&with("3"), &extended);
        let fewer = resume(&extended).args(["--pairs", "2"]).output();
        let fewer = fewer.expect("it starts");
        assert_eq!(fewer.status.code(), Some(2));
        let told = String::from_utf8_lossy(&fewer.stderr).into_owned();
        assert!(
            told.contains("expected at least 3, as in the log, got 2"),
            "{told}"
        );
        let more = resume(&extended).args(["--pairs", "5"]).output();
        let more = more.expect("it starts");
        assert!(more.status.success(), "{more:?}");
        assert_eq!(pair_lines(&extended), pair_lines(&whole));
        assert_eq!(super::records(&extended)[0], super::records(&whole)[0]);
    }
}
