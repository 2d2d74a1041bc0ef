//! Tests attackers that compute while their opponents think. The arena suspends them and reports their CPU time.

use std::path::Path;

use serde_json::Value;

use super::hostile::{PLAYING, SCRIPTS, has_walls, left_of};
use super::{games, played};

const PLAYER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/starters/entropy/python/player.py"
);

/// Plays games between an honest program and the program `attacker`, and returns the games.
///
/// Before each move, the honest program spends some time on counting.
fn fought(attacker: &str, more: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let word = folder.path().file_name().expect("a name");
    let word = format!("attack{}", word.to_string_lossy().replace('.', "-"));
    let counted = Path::new(SCRIPTS).with_file_name("counted.py");
    let honest = format!("honest=cmd:python3 {} 2000000 {PLAYER}", counted.display());
    let attacker = format!("attacker=cmd:python3 {SCRIPTS}/{attacker}.py {word} python3 {PLAYER}");
    let words = [&honest, &attacker, "--isolate", "--counts", "cpu"];
    let log = folder.path().join("log");
    // The clock is long enough for a busy machine.
    let rest = ["--jobs", "1", "--clock", "1000", "--seed", "1"];
    played(&[words.as_slice(), &rest, more].concat(), &log);
    assert_eq!(left_of(&word), Vec::<String>::new());
    games(&log)
}

/// Returns the honest program's CPU time, and the attacker's CPU time during the honest program's turns, in seconds.
fn thought_and_pondered(game: &Value) -> [f64; 2] {
    let [order, chaos] = ["order", "chaos"].map(|role| game[role].as_str().expect("a name"));
    let [honest, attacker] = match order {
        "honest" => ["order", "chaos"],
        _ => ["chaos", "order"],
    };
    assert_ne!(order, chaos);
    let seconds = |field: &Value| field.as_f64().expect("seconds");
    [
        seconds(&game["cpu_s"][honest]),
        seconds(&game["pondered_s"][attacker]),
    ]
}

#[test]
fn attackers_do_not_compute_while_an_honest_program_thinks() {
    if !has_walls("attackers that compute on their opponent's time") {
        return;
    }
    for attacker in PLAYING {
        for game in fought(attacker, &["--size", "2", "--pairs", "1"]) {
            let [thought, pondered] = thought_and_pondered(&game);
            assert!(game["fault"].is_null(), "{attacker}: {game}");
            assert!(pondered < thought / 4.0, "{attacker}: {game}");
        }
    }
}

#[test]
fn what_an_attacker_computes_is_reported_where_it_may() {
    if !has_walls("an attacker that may compute on its opponent's time") {
        return;
    }
    let words = ["--size", "2", "--pairs", "1", "--ponder", "allow"];
    for game in fought("spinner", &words) {
        let [thought, pondered] = thought_and_pondered(&game);
        assert!(pondered > thought, "{game}");
    }
}

#[test]
fn recorded_tiles_are_of_no_use_in_the_second_game_of_a_pair() {
    if !has_walls("a recorder of tiles") {
        return;
    }
    for more in [&[][..], &["--no-restart"]] {
        let words = ["--size", "4", "--pairs", "2"];
        let games = fought("tile_recorder", &[words.as_slice(), more].concat());
        // Both games of a pair have identical tiles.
        assert_eq!(games[0]["tiles"], games[1]["tiles"]);
        for game in games {
            assert!(game["fault"].is_null(), "{game}");
        }
    }
}
