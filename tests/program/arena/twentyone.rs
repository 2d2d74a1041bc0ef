//! Tests TwentyOne in the arena: pairs with swapped seats, seats of the house, and external programs.
//!
//! The house is a built-in agent that takes the seats between the players of a match.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    TURNWISE, arena, games, killed_and_resumed, pair_lines, played, resume, until_a_game_is_logged,
};
use crate::support::{run_with_input, stderr, stdout, turnwise};

/// Returns the command-line words of a match: these words and the words that all matches in this file share.
fn twentyone(words: &str) -> Vec<&str> {
    let all = words.split(' ');
    all.chain("--game twentyone --seed 3".split(' ')).collect()
}

#[test]
fn everybody_plays_every_shoe_from_both_seats_and_has_all_seats_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    // In a league, any two players must have balanced seats against each other, whatever the order of pairings.
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
            // Between equal players, a pair's two games are identical in every seat.
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
        (
            "basic naive --rules base",
            "[possible values: text, engine]",
        ),
    ] {
        let output = turnwise(&["arena"]).args(twentyone(words)).output();
        let output = output.expect("the program starts");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words}: {stderr}");
        assert!(stderr.contains(expected), "{words}: {stderr}");
    }
}

/// The command-line words of a match between four agents at tables with five seats, in three rotations.
const TABLE: &str = "turnwise basic naive timid --tables --seats 5 --rounds 6 --pairs 3 --nodes 1";

#[test]
fn at_one_table_everybody_has_every_seat_with_each_shoe_and_all_are_ranked() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let output = played(&twentyone(TABLE), &log);
    let begun = stderr(&output);
    let told =
        "turnwise, basic, naive, timid: 3 rotations of TwentyOne by the text at a table of 5";
    assert!(begun.contains(told), "{begun}");
    let text = stdout(&output);
    for name in ["turnwise", "basic", "naive", "timid"] {
        let rows = text
            .lines()
            .filter(|line| line.contains(&format!("| {name} ")));
        assert!(rows.count() >= 2, "ranking and crosstable: {text}");
    }
    assert!(text.contains("points a game"), "{text}");
    let games = games(&log);
    assert_eq!(games.len(), 5 * 3);
    for rotation in games.chunks(5) {
        let mut taken: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for game in rotation {
            assert_eq!(game["shoe"], rotation[0]["shoe"]);
            let seats = game["seats"].as_array().expect("a list").iter();
            for (player, seat) in seats.enumerate() {
                let of = taken.entry(player).or_default();
                of.push(seat.as_u64().expect("a seat"));
            }
        }
        assert_eq!(taken.len(), 4);
        for seats in taken.values_mut() {
            seats.sort_unstable();
            assert_eq!(*seats, [1, 2, 3, 4, 5]);
        }
    }
}

#[test]
fn a_table_that_was_killed_goes_on_and_ends_with_the_same_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, broken_off] = ["whole", "broken-off"].map(|name| folder.path().join(name));
    // The match must be long enough not to end before it is killed.
    let words = TABLE.replace("--pairs 3", "--pairs 40");
    let words = twentyone(&words);
    played(&words, &whole);
    killed_and_resumed(&words, &broken_off, 3, |_child| {
        until_a_game_is_logged(&broken_off)
    });
    assert_eq!(pair_lines(&whole), pair_lines(&broken_off));
    // No games remain to be played, so resuming only repeats the output.
    let ranked = |log| stdout(&resume(log).output().expect("it starts"));
    let of_whole = ranked(&whole).replace(&whole.display().to_string(), "");
    assert!(of_whole.contains("points a game"), "{of_whole}");
    assert_eq!(of_whole, ranked(&broken_off));
    let output = turnwise(&["arena", "--json", "--resume"])
        .arg(&whole)
        .output();
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&output.expect("it starts"))).expect("JSON");
    assert_eq!(json["matches"].as_array().map(Vec::len), Some(1), "{json}");
}

#[test]
fn a_person_sits_at_a_table_as_agents_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let words = "you=human basic naive --tables --seats 3 --rounds 2 --pairs 1";
    let words = twentyone(words);
    let output = run_with_input(&mut arena(&words, &log), b"10\nstand\nq\nq\nq\n");
    assert!(output.status.success(), "{}", stderr(&output));
    let games = games(&log);
    assert_eq!(games.len(), 3);
    let moves = games[0]["moves"].as_array().expect("moves");
    assert!(moves.contains(&"Bid 10".into()), "{moves:?}");
    for game in &games {
        assert_eq!(game["put_out"][0]["agent"], "you", "{game}");
        assert_eq!(game["put_out"][0]["kind"], "resigned", "{game}");
    }
}

#[test]
fn what_cannot_sit_at_one_table_is_refused() {
    for (words, expected) in [
        (
            "basic naive --tables --seats 3",
            "at least 3 to fill a table, got 2",
        ),
        (
            "basic naive timid --tables",
            "at least 3 seats at a table, got TwentyOne with 2 seats",
        ),
        (
            "basic naive timid chart --tables --seats 3",
            "at most 3, a seat for each, got 4",
        ),
        (
            "basic naive timid --tables --seats 3 --openings 2",
            "openings: expected 0 at tables, got 2",
        ),
        ("basic naive cmd:/no/such --tables --seats 3", "/no/such"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = turnwise(&["arena"])
            .args(twentyone(words))
            .current_dir(&folder)
            .output();
        let output = output.expect("the program starts");
        let told = stderr(&output);
        assert!(
            !output.status.success() && told.contains(expected),
            "{words}: {told}"
        );
        assert_eq!(
            folder.path().read_dir().expect("a folder").count(),
            0,
            "{words}: a log"
        );
    }
    let words = ["arena", "random", "greedy", "holes", "--tables"];
    let output = turnwise(&words).output().expect("the program starts");
    let told = stderr(&output);
    assert!(told.contains("got Entropy with 2 seats"), "{told}");
}
