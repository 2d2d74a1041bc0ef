//! Tests tournaments whose games have more than two players.

use std::collections::{BTreeMap, BTreeSet};

use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::game::Game as Table;
use turnwise_twentyone::player::{Fault, Player, PlayerId, Reply, View};
use turnwise_twentyone::record::Unobserved;
use turnwise_twentyone::rules::{RuleSet, Settings};

use super::*;

const PLAYERS: [(&str, &str); 5] = [
    ("ada", "agent = \"basic\""),
    ("bob", "agent = \"random\""),
    ("cyd", "agent = \"naive\""),
    ("dan", "agent = \"counter\""),
    ("eve", "agent = \"random\""),
];

const ROUNDS_OF_GAMES: u32 = 6;

/// Returns the text of a tournament file for TwentyOne, with `rounds` rounds at tables with `seats` seats.
fn at_tables(seats: usize, rounds: usize, participants: &[(&str, &str)]) -> String {
    let mut text = format!(
        "game = \"twentyone\"\nseed = 5\nfaults = 3\nisolate = false\npairs = 2\n[settings]\nseats = {seats}\n\
         rounds = {ROUNDS_OF_GAMES}\n[time]\nclock = 60.0\n[format]\nkind = \"tables\"\nrounds = {rounds}\n"
    );
    for (name, line) in participants {
        text += &format!("[[participant]]\nname = \"{name}\"\n{line}\n");
    }
    text
}

fn numbers(game: &Game, field: &str) -> Vec<u64> {
    let values = game.result.get(field).and_then(|values| values.as_array());
    let values = values.expect("a list").iter();
    values
        .map(|value| value.as_u64().expect("a number"))
        .collect()
}

/// Returns the games grouped by rotation, keyed by the number of the rotation.
fn rotations(run: &Run) -> BTreeMap<u32, Vec<&Game>> {
    let mut rotations: BTreeMap<u32, Vec<&Game>> = BTreeMap::new();
    for game in &run.games {
        rotations.entry(game.number.0).or_default().push(game);
    }
    rotations
}

#[test]
fn the_same_is_played_whatever_runs_at_once_and_wherever_it_was_broken_off() {
    // The cases are one table for all participants, two tables for three participants each, and one table for four of
    // five participants, so that one participant sits out.
    for (seats, rounds, count, tables) in [(5, 3, 5, 1), (5, 2, 6, 2), (4, 4, 5, 1)] {
        let mut participants = PLAYERS.to_vec();
        participants.push(("fay", "agent = \"timid\""));
        let text = at_tables(seats, rounds, &participants[..count]);
        let expected = whole(&text, 1);
        assert_eq!(expected.games.len(), 2 * seats * rounds * tables);
        let at_once = whole(&text, 4);
        assert_same(&at_once.games, &expected.games, &text);
        let (_folder, log) = place();
        for _ in 0..2 * rounds * tables {
            play(&text, &log, 2, 1);
        }
        let resumed = play(&text, &log, 2, ALL);
        assert_same(&resumed.games, &expected.games, &text);
        for run in [at_once, resumed] {
            assert_eq!(run.draws, expected.draws);
        }
    }
}

#[test]
fn a_torn_rotation_is_played_again() {
    let text = at_tables(5, 2, &PLAYERS);
    let expected = whole(&text, 1).games;
    let (_folder, log) = place();
    play(&text, &log, 1, 2);
    let bytes = std::fs::read(&log).expect("a log");
    // The log is cut off after the second game of the second rotation: first at the end of that game's lines, and then
    // in the middle of the next line.
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let is_game = |line: &&[u8]| line.starts_with(b"{\"event\":\"game\",\"pair\":2,\"game\":3");
    let before: usize = lines
        .take_while(|line| !is_game(line))
        .map(<[u8]>::len)
        .sum();
    assert!(before < bytes.len());
    for end in [before, before + 100] {
        std::fs::write(&log, &bytes[..end]).expect("there is room");
        assert_same(&play(&text, &log, 2, ALL).games, &expected, "torn");
    }
}

#[test]
fn a_rotation_that_the_log_lacks_is_played_even_if_later_rounds_have_begun() {
    let mut participants = PLAYERS.to_vec();
    participants.push(("fay", "agent = \"timid\""));
    let text = at_tables(5, 3, &participants);
    let mut expected = whole(&text, 1);
    expected.games.sort_by_key(|game| game.number);
    // Each of the three rounds has two tables with two rotations each.
    for missing in 1..=12 {
        for rotations in [5, 9, ALL] {
            let (_folder, log) = place();
            play(&text, &log, 1, rotations);
            let bytes = std::fs::read(&log).expect("a log");
            let lines = bytes.split_inclusive(|&byte| byte == b'\n');
            let is_kept = |line: &&[u8]| {
                let line: serde_json::Value = serde_json::from_slice(line).expect("JSON");
                line.get("pair").is_none_or(|pair| pair != missing)
            };
            let kept: Vec<u8> = lines.filter(is_kept).flatten().copied().collect();
            std::fs::write(&log, kept).expect("there is room");
            let mut found = play(&text, &log, 2, ALL);
            found.games.sort_by_key(|game| game.number);
            assert_same(&found.games, &expected.games, "a rotation is missing");
            assert_eq!(found.draws, expected.draws);
        }
    }
}

#[test]
fn a_draw_that_was_torn_is_completed() {
    let mut participants = PLAYERS.to_vec();
    participants.push(("fay", "agent = \"timid\""));
    let text = at_tables(5, 3, &participants);
    let expected = whole(&text, 1);
    let (_folder, log) = place();
    play(&text, &log, 1, 8);
    let bytes = std::fs::read(&log).expect("a log");
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let draws = (0..lines.len()).filter(|&at| lines[at].starts_with(b"{\"event\":\"draw\""));
    for draw in draws {
        std::fs::write(&log, lines[..draw].concat()).expect("there is room");
        let found = play(&text, &log, 1, ALL);
        assert_same(&found.games, &expected.games, "the draw is torn");
        assert_eq!(found.draws, expected.draws);
    }
}

#[test]
fn in_a_rotation_everybody_has_every_seat_with_the_same_shoe() {
    let run = whole(&at_tables(5, 3, &PLAYERS), 2);
    let rotations = rotations(&run);
    assert_eq!(rotations.len(), 6);
    let mut shoes = BTreeSet::new();
    for games in rotations.values() {
        let mut seats: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for game in games {
            for (name, seat) in game.players.iter().zip(numbers(game, "seats")) {
                assert!(
                    seats.entry(name).or_default().insert(seat),
                    "{name} in {seat}"
                );
            }
        }
        assert_eq!(seats.len(), 5);
        assert!(seats.values().all(|seats| seats.iter().copied().eq(1..=5)));
        let shoe: BTreeSet<String> = (games.iter())
            .map(|game| format!("{:?}", game.result.get("shoe")))
            .collect();
        assert_eq!(shoe.len(), 1, "one shoe for all seats");
        shoes.extend(shoe);
    }
    assert_eq!(shoes.len(), 6, "another shoe for each rotation");
}

/// A player whose actions are the moves of a log, one after another.
struct Scripted<'a, 'log>(&'a mut std::slice::Iter<'log, String>);

impl Player for Scripted<'_, '_> {
    fn act(&mut self, _view: &View<'_>) -> Result<Reply, Fault> {
        match self.0.next().map(|text| text.parse()) {
            Some(Ok(action)) => Ok(Reply {
                action,
                memory: String::new(),
            }),
            _ => Err(Fault::Failed("out".to_owned())),
        }
    }
}

/// Replays a game of TwentyOne independently of the arena, using only the logged moves. Returns the participants'
/// points.
fn played_again(game: &Game, seats_of_table: usize) -> Vec<u64> {
    let settings = Settings {
        rounds: ROUNDS_OF_GAMES,
        ..Settings::of(RuleSet::Text)
    };
    let shoe = game.result.get("shoe").and_then(|shoe| shoe.as_u64());
    let mut table = Table::new(settings, seats_of_table, shoe.expect("a shoe")).expect("settings");
    let seating = table.seating().to_vec();
    let seats = numbers(game, "seats").into_iter();
    let ids: Vec<PlayerId> = seats.map(|seat| seating[seat as usize - 1]).collect();
    let mut house = Baseline::Basic;
    let mut moves = game.moves.iter();
    while !table.is_over() {
        match table.asked() {
            None => table.begin_round(),
            Some(id) if ids.contains(&id) => table.ask(&mut Scripted(&mut moves), &mut Unobserved),
            Some(_) => table.ask(&mut house, &mut Unobserved),
        }
    }
    assert_eq!(moves.next(), None, "all moves are made");
    let points = table.points();
    ids.iter().map(|&id| points[id as usize]).collect()
}

#[test]
fn points_are_those_of_a_naive_replay_also_when_somebody_is_put_out() {
    let mut participants = PLAYERS.to_vec();
    participants[2] = ("broken", "run = \"false\"");
    // In the second case, the table has more seats than participants, so the house, a built-in player, takes a seat.
    for (seats, participants) in [(5, PLAYERS.to_vec()), (6, participants)] {
        let run = whole(&at_tables(seats, 2, &participants), 2);
        for game in &run.games {
            assert_eq!(
                numbers(game, "points"),
                played_again(game, seats),
                "{game:?}"
            );
        }
    }
}

#[test]
fn who_is_at_fault_is_put_out_sent_away_after_the_round_and_the_others_play_on() {
    let mut participants = PLAYERS.to_vec();
    participants[2] = ("broken", "run = \"false\"");
    let run = whole(&at_tables(5, 3, &participants), 2);
    // The participant plays in all ten games of the first round, but not in the later rounds.
    assert_eq!(run.games.len(), 30);
    assert_eq!(run.withdrawn[2], Some(Withdrawal::Faults(10)));
    for game in &run.games {
        let is_first_round = game.meeting.is_some_and(|meeting| meeting.round == 1);
        let at = game.players.iter().position(|name| name == "broken");
        assert_eq!(at.is_some(), is_first_round);
        assert_eq!(game.players.len(), if is_first_round { 5 } else { 4 });
        let Some(at) = at else {
            assert_eq!(game.at_fault, Vec::<String>::new());
            continue;
        };
        assert_eq!(game.at_fault, ["broken"]);
        assert_eq!(numbers(game, "points")[at], 0);
        assert_eq!(game.moves.iter().filter(|text| *text == "Out").count(), 1);
        let rounds = game.result.get("rounds").and_then(|rounds| rounds.as_u64());
        assert_eq!(rounds, Some(ROUNDS_OF_GAMES.into()), "the others played on");
    }
}

#[test]
fn who_comes_or_leaves_does_so_from_the_next_round_on() {
    let (_folder, log) = place();
    let four = at_tables(5, 3, &PLAYERS[..4]);
    let before = play(&four, &log, 1, 2);
    assert_eq!(before.games.len(), 10);
    let all = play(&at_tables(5, 3, &PLAYERS), &log, 1, 2);
    assert_same(&all.games[..10], &before.games, "what was played");
    assert!(all.games[10..].iter().all(|game| game.players.len() == 5));
    let left = play(&at_tables(5, 3, &PLAYERS[1..]), &log, 2, ALL);
    assert_eq!(left.games.len(), 30);
    let last = &left.games[20..];
    assert!(
        last.iter()
            .all(|game| !game.players.contains(&"ada".to_owned()))
    );
}

#[test]
fn tables_that_cannot_be_are_refused() {
    let good = at_tables(5, 3, &PLAYERS);
    for (from, to, expected) in [
        ("seats = 5", "seats = 2", "settings with at least 3 seats"),
        ("rounds = 3", "rounds = 0", "[format] rounds: expected 1 to"),
        (
            "pairs = 2",
            "pairs = 2\nopenings = 4",
            "openings: expected 0 at tables",
        ),
    ] {
        let text = good.replace(from, to);
        assert_ne!(text, good);
        let class = ClassFile::parse(&text).expect("TOML");
        let error = class.settle(Path::new("."), GAMES).expect_err("no tables");
        assert!(error.to_string().contains(expected), "{error}");
    }
    let two = ClassFile::parse(&at_tables(5, 3, &PLAYERS[..2])).expect("TOML");
    let error = two.settle(Path::new("."), GAMES).expect_err("no table");
    assert!(error.to_string().contains("to fill a table"), "{error}");
    let entropy = class("kind = \"tables\"\nrounds = 3", &FIVE);
    let entropy = ClassFile::parse(&entropy).expect("TOML");
    let error = entropy.settle(Path::new("."), GAMES).expect_err("no table");
    assert!(
        error.to_string().contains("Entropy with 2 seats"),
        "{error}"
    );
}
