//! TwentyOne at the arena's table: pairs with swapped seats, the house between them, programs over their wire.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{TURNWISE, games, played};
use crate::support::{stdout, turnwise};

/// These words, and what all matches here have in common.
fn twentyone(words: &str) -> Vec<&str> {
    let all = words.split(' ');
    all.chain("--game twentyone --seed 3".split(' ')).collect()
}

#[test]
fn everybody_plays_every_shoe_from_both_seats_and_has_all_seats_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    // A league: what is even for each two must not hang together with whose turn it is.
    let words = "basic naive timid --pairs 6 --rounds 4 --seats 4 --house chart --nodes 1";
    played(&twentyone(words), &log);
    let games = games(&log);
    assert_eq!(games.len(), 2 * 6 * 3);
    let mut taken: BTreeMap<(String, String), BTreeMap<u64, u32>> = BTreeMap::new();
    for pair in games.chunks(2) {
        for same in ["pair", "seed", "shoe", "seats"] {
            assert_eq!(pair[0][same], pair[1][same], "{same}");
        }
        for game in pair {
            let names = ["left", "right"].map(|role| game[role].as_str().expect("a name"));
            for (at, name) in names.into_iter().enumerate() {
                let other = names[1 - at].to_owned();
                let of = taken.entry((name.to_owned(), other)).or_default();
                *of.entry(game["seats"][at].as_u64().expect("a seat"))
                    .or_insert(0) += 1;
            }
        }
        assert_eq!(pair[0]["left"], pair[1]["right"]);
    }
    assert_eq!(taken.len(), 6);
    for (who, seats) in taken {
        let each: Vec<(u64, u32)> = seats.into_iter().collect();
        assert_eq!(each, [(1, 3), (2, 3), (3, 3), (4, 3)], "{who:?}");
    }
}

#[test]
fn the_player_behind_its_wire_plays_as_the_one_inside() {
    for rules in ["text", "engine"] {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let program = format!("piped=cmd:{TURNWISE} stdio twentyone");
        let rounds = format!("--pairs 2 --rounds 25 --seats 3 --clock 60 --rules {rules}");
        let words = [&["turnwise", &program], &twentyone(&rounds)[..]].concat();
        let said = stdout(&played(&words, &log));
        assert!(said.contains("turnwise against piped"), "{said}");
        for pair in games(&log).chunks(2) {
            assert_eq!(pair[0]["fault"], Value::Null);
            // Whoever sits where: what a pair's two games say of two equal players is nothing.
            for same in ["moves", "points"] {
                assert_eq!(pair[0][same], pair[1][same], "{same}");
            }
        }
    }
}

#[test]
fn what_cannot_be_a_table_is_refused() {
    for (words, expected) in [
        ("basic naive --seats 11", "11 is not in 2..=10"),
        (
            "basic naive --min-bid 20 --max-bid 10",
            "bids from 20 to 10",
        ),
        ("basic naive --rules base", "expected"),
        ("ours naive", "is called turnwise"),
    ] {
        let output = turnwise(&["arena"]).args(twentyone(words)).output();
        let output = output.expect("the program starts");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words}: {stderr}");
        assert!(stderr.contains(expected), "{words}: {stderr}");
    }
}
