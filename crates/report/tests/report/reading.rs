//! Tests that logs can be read although lines are incomplete, foreign, malformed or duplicate.

use std::io::Cursor;
use std::ops::ControlFlow;

use proptest::prelude::*;
use turnwise_arena::records::{RawRecord, one_of};
use turnwise_games::GAMES;
use turnwise_report::logs::{Line, Places, ReadError, Reader, read, read_pair};
use turnwise_report::merge;
use turnwise_report::merging::{Keep, Merging, read_for_page};
use turnwise_report::page::data::MatchData;
use turnwise_report::replay::replay;
use turnwise_report::standings::pairs;

use super::sample::{lines, records};
use super::{faults_plan, parsed, sample_plan};

#[test]
fn records_round_trip_in_the_order_of_the_format() {
    for plan in [sample_plan(), faults_plan()] {
        for record in records(&plan) {
            let text = serde_json::to_string(&record).expect("a record is JSON");
            let read: RawRecord = serde_json::from_str(&text).expect("a record");
            let again = serde_json::to_string(&read).expect("a record is JSON");
            assert_eq!(again, text);
        }
    }
    let all = records(&sample_plan());
    let starts = [
        (
            0,
            r#"{"event":"match","format":1,"turnwise":"0.1.0","game":"entropy","size":5,"pass":true,"agents":[{"name":"three","spec":"cmd:three"},"#,
        ),
        (
            1,
            r#"{"event":"move","pair":1,"game":1,"ply":1,"role":"CHAOS","agent":"one","tile":""#,
        ),
    ];
    for (at, start) in starts {
        let text = serde_json::to_string(&all[at]).expect("a record is JSON");
        assert!(text.starts_with(start), "{text}");
    }
    let header = serde_json::to_string(&all[0]).expect("a record is JSON");
    let end = r#""seed":7,"pairs":4,"opening_plies":2,"time":{"kind":"clock","seconds":10.0,"increment":0.0},"counts":"wall","via":"process","jobs":2}"#;
    assert!(header.ends_with(end), "{header}");
}

#[test]
fn the_games_of_one_pair_are_those_of_the_whole_log() {
    for plan in [sample_plan(), faults_plan()] {
        let text = lines(&records(&plan));
        // Another program may write spaces; then every line is parsed.
        let spaced = text.replace("\"pair\":", "\"pair\": ");
        assert_ne!(spaced, text);
        for text in [&text, &spaced] {
            let all = parsed(text).games;
            let last = all.last().expect("games").record.pair;
            let mut places = Places::default();
            // The second round uses the places that the first has found; the last pair is searched for first.
            for pair in (0..=last + 1).rev().chain(0..=last + 1) {
                let input = Cursor::new(text.as_bytes());
                let log = read_pair(input, GAMES, pair, &mut places).expect("a log");
                let of_pair = all.iter().filter(|game| game.record.pair == pair);
                assert!(log.games.iter().eq(of_pair), "{pair}");
            }
        }
        // The lines of other pairs are not even parsed.
        let broken = text.replace("\"moves\":[", "\"moves\":{");
        let input = Cursor::new(broken.as_bytes());
        let log = read_pair(input, GAMES, 1, &mut Places::default()).expect("a log");
        assert!(log.games.is_empty() && log.notes.iter().all(|note| !note.contains("pair 2")));
        assert_eq!(
            log.notes
                .iter()
                .filter(|note| note.starts_with("line "))
                .count(),
            2
        );
    }
}

#[test]
fn pairs_of_an_appended_log_are_not_found() {
    let text = lines(&records(&sample_plan()));
    let renumbered = text.replace("\"pair\":", "\"pair\":7");
    let both = format!("{text}{renumbered}");
    let mut places = Places::default();
    for (pair, games) in [(2, 2), (71, 0), (1, 2), (72, 0)] {
        let input = Cursor::new(both.as_bytes());
        let log = read_pair(input, GAMES, pair, &mut places).expect("a log");
        assert_eq!(log.games.len(), games, "{pair}");
    }
}

#[test]
fn a_game_by_its_number_is_that_of_the_whole_log() {
    for plan in [sample_plan(), faults_plan()] {
        let text = lines(&records(&plan));
        // The games of an appended log continue the numbers. Another program may write spaces.
        let both = format!("{text}{}", text.replace("\"pair\":", "\"pair\": "));
        let mut all = Vec::new();
        let mut reader = Reader::new(both.as_bytes(), GAMES).expect("a log");
        while let Some(line) = reader.next_line().expect("it can be read") {
            if let Line::Game(game) = line {
                all.push(*game);
            }
        }
        for (number, game) in (1..).zip(&all) {
            let mut reader = Reader::new(both.as_bytes(), GAMES).expect("a log");
            let found = reader.numbered(number).expect("it can be read");
            assert_eq!(found.as_ref(), Ok(game), "{number}");
        }
        let count = u32::try_from(all.len()).expect("few games");
        let mut reader = Reader::new(both.as_bytes(), GAMES).expect("a log");
        assert_eq!(
            reader.numbered(count + 1).expect("it can be read"),
            Err(count)
        );
    }
}

#[test]
fn a_minimal_log_by_hand_is_read() {
    let text = r#"{"event":"match","format":1,"turnwise":"9","game":"entropy","agents":[{"name":"A"},{"name":"B"}],"size":2,"seed":1,"pairs":1,"time":{"kind":"nodes","nodes":5},"mood":"new"}
{"event":"weather","rain":true}
{"event":"move","pair":1,"game":1,"ply":1,"role":"CHAOS","agent":"B","tile":"A","move":"0 0","soft_ms":null,"depth":4,"colour":7,"score":37.1}
{"event":"move","pair":1,"game":1,"ply":2,"role":"ORDER","agent":"A","move":"0 0 0 1","score":44.2,"value":37.3}
{"event":"move","pair":1,"game":1,"ply":3,"role":"CHAOS","agent":"B","tile":"A","move":"0 0","value":36.9}
{"event":"game","pair":1,"game":1,"first":"A","second":"B","order":"A","chaos":"B","tiles":"AABB","moves":["0 0","0 0 0 1","0 0","pass","1 0","pass","1 1"],"order_score":8,"fault":null}
"#;
    let log = parsed(text);
    assert_eq!(log.notes, [""; 0]);
    assert_eq!(log.games.len(), 1);
    assert_eq!(log.games[0].moves[0].depth, Some(4));
    // In logs written before forecasts existed, the field `score` contains the value that the search found.
    let told = |at: usize| (log.games[0].moves[at].score, log.games[0].moves[at].value);
    assert_eq!(told(0), (None, Some(37.1)));
    assert_eq!(told(1), (Some(44.2), Some(37.3)));
    assert_eq!(told(2), (None, Some(36.9)));
    let replayed = replay(&log.games[0], &log.header.game, false);
    assert_eq!(replayed.broken, None);
    let points: Vec<u32> = replayed
        .steps
        .iter()
        .map(|step| step.board.measured[0])
        .collect();
    assert_eq!(points, [0, 0, 2, 2, 2, 2, 4]);
}

#[test]
fn every_sample_game_replays_to_its_score() {
    for plan in [sample_plan(), faults_plan()] {
        let log = parsed(&lines(&records(&plan)));
        for game in &log.games {
            let replayed = replay(game, &log.header.game, false);
            assert_eq!(replayed.broken, None);
            assert_eq!(replayed.steps.len(), game.record.moves.len());
            assert_eq!(game.moves.len(), game.record.moves.len());
            if game.record.fault.is_none() {
                let last = replayed.steps.last().expect("a game has moves");
                let points = last.board.measured[0];
                assert_eq!(f64::from(points), game.record.result.score());
            }
        }
    }
}

#[test]
fn blank_lines_and_a_byte_order_mark_are_skipped() {
    let text = lines(&records(&sample_plan()));
    let edited = format!("\u{feff}\r\n{}", text.replace('\n', "\r\n\r\n"));
    let (whole, edited) = (parsed(&text), parsed(&edited));
    assert_eq!(edited.notes, whole.notes);
    assert_eq!(edited.games, whole.games);
}

#[test]
fn a_torn_last_line_is_skipped_with_a_note() {
    let text = lines(&records(&sample_plan()));
    let whole = parsed(&text);
    assert_eq!(whole.notes, [""; 0]);
    // The text ends within the line of the last game. The lines of that game's moves remain, but they belong to no
    // game.
    let last_game = text.rfind("{\"event\":\"game\"").expect("there are games");
    let torn = parsed(&text[..last_game + 40]);
    assert_eq!(torn.games.len(), whole.games.len() - 1);
    assert_eq!(torn.games, whole.games[..whole.games.len() - 1]);
    assert_eq!(torn.notes.len(), 2, "{:?}", torn.notes);
    assert!(torn.notes[0].contains("the last one, is incomplete"));
    assert_eq!(torn.notes[1], "moves without a game: 49 skipped");
    // If only the last line feed is missing, no data is lost.
    let unended = parsed(text.trim_end());
    assert_eq!(unended, whole);
}

#[test]
fn what_is_no_log_is_refused() {
    let refused = |text: &str| match read(text.as_bytes(), GAMES) {
        Err(error @ (ReadError::NoHeader(_) | ReadError::Unknown(_))) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(refused("").contains("the file is empty"));
    assert!(refused("hello\n").starts_with("line 1 should be the header"));
    assert!(refused("{\"event\":\"move\"}\n").contains("a record of another kind"));
    let text = lines(&records(&sample_plan())[..1]);
    let format = text.replace("\"format\":1", "\"format\":2");
    assert_eq!(
        refused(&format),
        "the log's format is 2; this version reads 1"
    );
    let game = text.replace("\"entropy\"", "\"go\"");
    let names = one_of(GAMES.iter().map(|game| game.about().name));
    assert_eq!(
        refused(&game),
        format!("the game is \"go\"; this version reads {names}")
    );
    let size = text.replace("\"size\":5", "\"size\":99");
    assert_eq!(
        refused(&size),
        "the board's size is 99; this version reads 2 to 26"
    );
    let twice = text.replace("\"size\":5", "\"size\":4,\"size\":5");
    assert!(refused(&twice).contains("duplicate field `size`"));
}

#[test]
fn games_that_do_not_fit_are_skipped_with_a_note() {
    let text = lines(&records(&sample_plan()));
    let game = text
        .lines()
        .find(|line| line.contains("\"event\":\"game\""))
        .expect("there are games");
    let noted = |line: &str| {
        let header = text.lines().next().expect("a header");
        let log = parsed(&format!("{header}\n{line}\n"));
        assert_eq!((log.games.len(), log.notes.len()), (0, 1), "{log:?}");
        log.notes[0].clone()
    };
    assert!(
        noted(&game.replace("\"size\":5", "\"size\":4")).contains("size 4 in a match of size 5")
    );
    assert!(noted(&game.replace("\"game\":1", "\"game\":3")).contains("game 3 of a pair"));
    assert!(noted(&game.replace("one", "who")).contains("who is not among"));
    assert!(noted(&game.replace("\"order\":\"three\"", "\"order\":\"one\"")).contains("roles"));
    let twice = game.replace("\"size\":5", "\"size\":4,\"size\":5");
    assert!(noted(&twice).contains("duplicate field `size`"));
    let twice = game.replace("\"seed\":", "\"seed\":1,\"seed\":");
    assert!(noted(&twice).contains("duplicate field `seed`"));
    assert!(noted("{\"event\":\"game\"}").contains("is not a record"));
    assert!(noted("[1,2").contains("is not a record"));
}

#[test]
fn of_many_lines_that_cannot_be_used_the_first_are_named() {
    let text = lines(&records(&sample_plan())[..1]);
    let log = parsed(&(text + &"nonsense\n".repeat(1000)));
    assert_eq!(log.notes.len(), 101);
    assert!(log.notes[99].starts_with("line 101 "), "{}", log.notes[99]);
    assert_eq!(log.notes[100], "and 900 more lines: skipped");
}

#[test]
fn a_log_that_goes_on_with_another_adds_what_is_new_in_it() {
    let mut plan = sample_plan();
    let begun = lines(&records(&plan));
    plan.pairs = 6;
    let longer = lines(&records(&plan));
    plan.seed = 8;
    plan.pairs = 4;
    let other = lines(&records(&plan));
    // The last pair of the other seed is incomplete. The longer log has another seed, so it must not complete that
    // pair.
    let other = &other[..other.rfind("{\"event\":\"game\"").expect("there are games")];
    let named = |name: &str, text: &str| (name.to_owned(), parsed(text));
    let matches = merge([
        named("begun", &begun),
        named("other", other),
        named("longer", &longer),
    ]);
    assert_eq!(matches.len(), 1);
    assert_eq!(matches[0].games.len(), 12 + 7);
    assert_eq!(pairs(&matches[0]).count(), 6 + 3);
    let straight = merge([named("longer", &longer)]);
    let known = matches[0].whole_games().take(12);
    assert!(known.eq(straight[0].whole_games()));
    assert_eq!(
        matches[0].notes,
        [
            "other: moves without a game: 49 skipped",
            "longer: 8 games with the same seed and number as a game of another log: skipped",
            "other: its pair 1 is pair 7 here"
        ]
    );
}

#[test]
fn logs_of_the_same_match_are_put_together_and_others_stay_apart() {
    let first = lines(&records(&sample_plan()));
    let mut plan = sample_plan();
    plan.seed = 8;
    let second = lines(&records(&plan));
    plan.size = 4;
    let other = lines(&records(&plan));
    let named = |name: &str, text: &str| (name.to_owned(), parsed(text));
    let matches = merge([
        named("a", &first),
        named("b", &second),
        named("c", &other),
        named("d", &first),
    ]);
    assert_eq!(matches.len(), 2);
    assert_eq!(matches[0].sources, ["a", "b", "d"]);
    assert_eq!(matches[0].games.len(), 16);
    let last = &matches[0].games[15];
    assert_eq!((last.pair, last.game), (8, 2));
    assert_eq!(
        matches[0].notes,
        [
            "d: 8 games with the same seed and number as a game of another log: skipped",
            "b: its pair 1 is pair 5 here"
        ]
    );
    assert_eq!(matches[1].sources, ["c"]);
}

#[test]
fn a_log_that_is_read_twice_for_a_page_holds_the_games_that_it_shows() {
    let mut plan = sample_plan();
    let first = lines(&records(&plan));
    plan.seed = 8;
    let second = lines(&records(&plan));
    // The third text ends with the first log again, so it contains all games of that log twice.
    for text in [
        first.clone(),
        first.clone() + &second,
        first.clone() + &second + &first,
    ] {
        let open = || Ok(text.as_bytes());
        let read = read_for_page("log", open, GAMES).expect("a log");
        let mut merging = Merging::new(Keep::Moves);
        let proceed = &mut || ControlFlow::Continue(());
        merging
            .read("log", text.as_bytes(), GAMES, proceed)
            .expect("a log");
        let whole = merging.finish().remove(0);
        let [of_read, of_whole] =
            [&read, &whole].map(|of| serde_json::json!(MatchData::studied(of)));
        assert_eq!(of_read, of_whole);
        let games = of_read["games"].as_array().expect("games").len();
        assert_eq!(games, whole.games.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_damage_makes_reading_fail_behind_the_header(
        cut in 0usize..4_000,
        hits in prop::collection::vec((0usize..40_000, any::<u8>()), 0..40),
    ) {
        let mut plan = sample_plan();
        plan.size = 3;
        let text = lines(&records(&plan));
        let header = text.find('\n').expect("lines") + 1;
        let mut bytes = text.into_bytes();
        bytes.truncate(bytes.len() - cut);
        for (at, byte) in hits {
            let at = header + at % (bytes.len() - header);
            bytes[at] = byte;
        }
        let log = read(&bytes[..], GAMES).expect("the header is whole");
        for game in &log.games {
            replay(game, &log.header.game, false);
        }
        let matches = merge([("a".to_owned(), log)]);
        let of = matches.into_iter().next().expect("one match");
        super::page_check::check_page(&super::output::page_of(of));
    }
}

#[test]
fn a_position_that_a_game_was_set_up_in_keeps_its_lines() {
    let text = lines(&records(&sample_plan()));
    let set_up = "\"event\":\"game\",\"set_up\":\"AB\\n..\\u001b[1m\",";
    let log = parsed(&text.replace("\"event\":\"game\",", set_up));
    let kept = log.games[0].record.result.fields.get("set_up");
    assert_eq!(
        kept.and_then(|text| text.as_str()),
        Some("AB\n..\u{fffd}[1m")
    );
}
