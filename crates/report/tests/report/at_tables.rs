//! Tests the charts of a tournament whose games have more than two players.

use serde_json::{Map, Value, json};
use turnwise_arena::records::{Contestant, Record, Settings};
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::{AnyGame, Beginning};
use turnwise_engine::table::PUT_OUT;
use turnwise_report::charts::charts;

use super::games::settled;
use super::one_match;
use super::page_check::check_svg;

const NAMES: [&str; 3] = ["ada", "<bob>", "cyd"];
const SEATS: usize = 4;

/// Plays one game of a rotation; every player always chooses the first legal move. In the last game, the second
/// participant is eliminated at its first move. Returns the moves and the result.
fn played(rules: &dyn AnyGame, seed: u32, game: u32) -> (Vec<String>, Map<String, Value>) {
    let beginning = Beginning::Rotation {
        seed: seed.into(),
        participants: NAMES.len(),
        game,
    };
    let mut open = rules.open(beginning).expect("a game");
    let mut moves = Vec::new();
    let mut is_out = game as usize + 1 < SEATS;
    while let Some(side) = open.turn() {
        if side == 1 && !is_out {
            is_out = true;
            open.follow(PUT_OUT).expect("it is its turn");
            moves.push(PUT_OUT.to_owned());
            continue;
        }
        let choice = open.view(Some(side)).choices.remove(0).notation;
        moves.push(open.play(&choice).expect("it is legal"));
    }
    let result = json!(open.outcome(None, None));
    (moves, result.as_object().expect("fields").clone())
}

/// Returns a log with this number of rotations. In the last game of each rotation, the second participant is eliminated
/// at its first move.
fn log(rotations: u32) -> String {
    let agents = NAMES.map(|name| Contestant {
        name: name.to_owned(),
        spec: format!("cmd:{name}"),
        folder: None,
    });
    let game = settled("twentyone", &[("seats", "4"), ("rounds", "6")]);
    let time = TimeControl::Clock {
        seconds: 10.0,
        increment: 0.0,
    };
    let tournament = r#"{"faults": 99, "format": {"kind": "tables", "rounds": 1}, "pairs": 2}"#;
    let rules = game.0.clone();
    let header = Settings {
        tournament: Some(serde_json::from_str(tournament).expect("fields")),
        ..Settings::new(game, agents.into(), time)
    };
    let header: Record = Record::Match(header);
    let mut text = serde_json::to_string(&header).expect("a record is JSON") + "\n";
    let mut add = |line: serde_json::Value| text += &(line.to_string() + "\n");
    for pair in 1..=rotations {
        for game in 1..=SEATS {
            for (ply, name) in (1..).zip(NAMES) {
                add(json!({
                    "event": "move", "pair": pair, "game": game, "ply": ply,
                    "role": format!("PLAYER {ply}"), "agent": name, "move": "Bid 10",
                    "used_ms": 10 * ply + game,
                }));
            }
            let mut record = json!({
                "event": "game", "pair": pair, "game": game, "first": "ada", "second": "<bob>",
                "others": ["cyd"], "seed": 7,
            });
            let fields = record.as_object_mut().expect("fields");
            let (moves, result) = played(&*rules, pair, game as u32 - 1);
            fields.extend(result);
            fields.insert("moves".to_owned(), json!(moves));
            if game == SEATS {
                let out = json!({"agent": "<bob>", "role": "PLAYER 2", "kind": "crash", "reason": "it ended"});
                fields.insert("put_out".to_owned(), json!([out]));
            }
            add(record);
        }
    }
    text
}

#[test]
fn everybody_has_a_line_and_a_panel_whatever_the_seat() {
    let of = one_match(&log(3));
    assert!(of.notes.is_empty(), "{:?}", of.notes);
    let all = charts(&of).expect("pictures");
    let names: Vec<&str> = all.iter().map(|chart| chart.name).collect();
    assert_eq!(names, ["estimate", "won", "time"]);
    for chart in &all {
        let svg = chart.svg.as_deref().expect("a picture");
        check_svg(svg);
        assert!(svg.contains("ada") && svg.contains("cyd") && svg.contains("&lt;bob&gt;"));
    }
    let has = |at: usize, text: &str| all[at].svg.as_ref().is_some_and(|svg| svg.contains(text));
    assert!(has(0, "rotations") && has(0, "Points won a game"));
    // An eliminated player loses all its points, which is more than any other loss. So the axis shows whether the chart
    // leaves out the games with eliminations.
    assert!(has(1, "points won") && !has(1, "-10000"));
}

#[test]
fn a_game_that_went_on_without_a_player_is_checked_to_its_end() {
    let whole = log(1);
    let last = whole.lines().last().expect("a game");
    let points = last.split("\"points\":").nth(1).expect("points");
    let points = points.split(']').next().expect("a list");
    for (from, to, why) in [
        (points, "[10000,10000,10000", "its moves lead to"),
        (
            "\"agent\":\"<bob>\"",
            "\"agent\":\"cyd\"",
            "removes another player than the fault",
        ),
        (
            "\"put_out\":[",
            "\"put_out\":[{\"agent\":\"cyd\",\"role\":\"\",\"kind\":\"crash\"},",
            "removes another",
        ),
    ] {
        let doctored = whole.replace(last, &last.replace(from, to));
        assert_ne!(doctored, whole, "{from}");
        let notes = one_match(&doctored).notes.join("\n");
        assert!(
            notes.contains("game 4, cannot be replayed") && notes.contains(why),
            "{notes}"
        );
    }
}

#[test]
fn nothing_is_drawn_of_what_was_not_played() {
    let none = charts(&one_match(&log(0))).expect("pictures");
    assert!(none.iter().all(|chart| chart.svg.is_none()));
}
