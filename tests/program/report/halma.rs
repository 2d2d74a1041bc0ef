//! Logs of Halma: the same tables, pictures and page as of other games, and replays of its own.

use turnwise_report::replay::replay;

use std::process::Command;

use super::output::page_of;
use super::{data, one_match, parsed};

fn golden() -> String {
    std::fs::read_to_string(data("halma.jsonl")).expect("the golden log")
}

#[test]
fn every_game_replays_to_where_its_moves_lead() {
    let log = parsed(&golden());
    assert_eq!(log.notes, [""; 0]);
    assert_eq!(log.games.len(), 2);
    for game in &log.games {
        let replayed = replay(game, &log.header.game);
        assert_eq!(replayed.broken, None);
        assert_eq!(replayed.steps.len(), 12);
        assert_eq!(
            replayed.beginning.measured()[0],
            replayed.beginning.measured()[1]
        );
        for (step, text) in replayed.steps.iter().zip(&game.record.moves) {
            let logged = game.logged(step.ply);
            let (from, to) = (
                step.moved.from.expect("a move"),
                step.moved.to.expect("a move"),
            );
            let square = |cell: usize| format!("{},{}", cell % 16, cell / 16);
            let ends = [text.split(' ').nth(1), text.split(' ').next_back()];
            assert_eq!(ends, [Some(&*square(from)), Some(&*square(to))]);
            let letters: Vec<char> = step.board.letters().chars().collect();
            assert_ne!(letters[to], ' ');
            assert_eq!(letters[from], ' ');
            assert!(
                logged.is_none_or(
                    |mv| log.header.game.about().side(&mv.role) == Some(step.moved.side)
                )
            );
        }
    }
}

#[test]
fn the_page_holds_the_games() {
    let text = golden();
    let of = one_match(&text);
    assert!(
        of.conditions()
            .starts_with("Halma by the rules of the addendum")
    );
    let page = page_of(of);
    let (_, json) = page.split_once("id=\"data\">").expect("data");
    let json = json.split_once("</script>").expect("an end").0;
    let data: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(data[0]["is_won"], true);
    assert_eq!(data[0]["size"], 16);
    assert_eq!(data[0]["roles"], serde_json::json!(["Black", "White"]));
    let game = &data[0]["games"][0];
    let beginning = game["beginning"].as_str().expect("letters");
    assert_eq!(beginning.matches('B').count(), 19);
    assert_eq!(&beginning[..8], "BBBBB   ");
    assert_eq!(game["to"].as_array().map(Vec::len), Some(12));
    assert_eq!(game["measures"][1].as_array().map(Vec::len), Some(13));
    assert_eq!(game["ending"], "drawn by plies");
}

#[test]
fn what_cannot_be_shown_ends_the_replay_with_its_reason() {
    let text = golden();
    for (wrong, part) in [
        ("E 7,7 8,8", "has no piece on 7,7"),
        ("E 99,0 1,1", "x and y from 0 to 15"),
        ("E", "expected \"E x,y x,y\""),
    ] {
        let mut log = parsed(&text);
        log.games[0].record.moves[3] = wrong.to_owned();
        let replayed = replay(&log.games[0], &log.header.game);
        assert_eq!(replayed.steps.len(), 3);
        let why = replayed.broken.expect("a reason");
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn games_of_another_kind_or_score_do_not_fit() {
    let text = golden();
    let scored = text.replace("\"black_score\":0.5", "\"black_score\":7.5");
    assert!(parsed(&scored).notes[0].contains("expected 0, 0.5 or 1"));
    let entropy = text.replace("\"game\":\"halma\"", "\"game\":\"entropy\",\"size\":5");
    assert!(parsed(&entropy).notes[0].contains("a game of another kind"));
}

/// A game of two moves under a CPU clock: one made by a command that slept, one by a player in the arena.
const TIMED: &str = r#"{"event":"match","format":1,"turnwise":"0.1.0","game":"halma","rules":"base","plies":600,"grace_s":10.0,"lenient":true,"agents":[{"name":"a","spec":"cmd:./a"},{"name":"b","spec":"random"}],"seed":1,"pairs":1,"time":{"kind":"clock","seconds":300.0,"increment":0.0},"counts":"cpu"}
{"event":"move","pair":1,"game":1,"ply":1,"role":"BLACK","agent":"a","move":"J 2,0 2,2 4,4","output":"J 2,0 2,2 \r\nJ 2,2 4,4 \r\n","clock_left_s":300.0,"used_ms":5123.4,"cpu_ms":12.3}
{"event":"move","pair":1,"game":1,"ply":2,"role":"WHITE","agent":"b","move":"J 13,15 11,13","clock_left_s":300.0,"used_ms":777.7,"cpu_ms":0.5}
{"event":"move","pair":1,"game":1,"ply":3,"role":"BLACK","agent":"a","move":"E 4,0 5,0","output":"E 4,0 5,0","clock_left_s":299.9877,"used_ms":5000.0,"cpu_ms":9.0}
{"event":"game","pair":1,"game":1,"first":"a","second":"b","black":"a","white":"b","begins":"BLACK","black_score":0.0,"ending":"fault","moves":["J 2,0 2,2 4,4","J 13,15 11,13","E 4,0 5,0"],"fault":{"agent":"a","role":"BLACK","kind":"garbage","reason":"no move","output":"E \u001b[31m\n"}}
"#;

#[test]
fn replay_shows_the_time_that_the_clock_was_charged_with_and_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = |text: &str| {
        let log = folder.path().join("log");
        std::fs::write(&log, text).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .arg("replay")
            .arg(&log)
            .output()
            .expect("the program can be started");
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let by_cpu = shown(TIMED);
    for part in [
        "\n  used 12.3 ms of CPU time, 300.00 s left before it\n  output.txt \"J 2,0 2,2 \\r\\nJ 2,2 4,4 \\r\\n\"\n",
        // A player in the arena writes no file, and what is to the letter is not repeated.
        "\n  used 0.5 ms of CPU time, 300.00 s left before it\n     0  1 ",
        "\n  used 9.0 ms of CPU time, 299.99 s left before it\n     0  1 ",
        "\n  output.txt \"E \\u{1b}[31m\\n\"\n",
    ] {
        assert!(by_cpu.contains(part), "no {part:?} in {by_cpu}");
    }
    for wall in ["5123.4", "777.7", "5000.0", "\u{1b}"] {
        assert!(!by_cpu.contains(wall), "{wall} in {by_cpu}");
    }
    let by_wall = shown(&TIMED.replace("\"counts\":\"cpu\"", "\"counts\":\"wall\""));
    assert!(by_wall.contains("\n  used 5123.4 ms, 300.00 s left before it\n"));
    assert!(!by_wall.contains("12.3"), "{by_wall}");
}
