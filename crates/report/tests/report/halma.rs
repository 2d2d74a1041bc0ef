//! Tests reports on logs of Halma, whose replays show Halma's own board.

use turnwise_report::replay::replay;

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
        let replayed = replay(game, &log.header.game, false);
        assert_eq!(replayed.broken, None);
        assert_eq!(replayed.steps.len(), 12);
        assert_eq!(
            replayed.beginning.measured[0],
            replayed.beginning.measured[1]
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
            let letters: Vec<char> = step.board.grid.letters.chars().collect();
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
    assert_eq!(data[0]["games"][0]["columns"], 16);
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
        let replayed = replay(&log.games[0], &log.header.game, false);
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
