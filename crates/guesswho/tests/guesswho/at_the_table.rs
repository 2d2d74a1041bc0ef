//! Tests matches of Guess Who.
//!
//! The tests compare the referee's table with a naive table and with the course's framework. Further tests cover views,
//! agents, boards from files and logs, and logged games.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{self, AgentOptions, Beginning, GameRules, Shown, UntypedGame};
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::table::Table;
use turnwise_guesswho::board::Board;
use turnwise_guesswho::game;
use turnwise_guesswho::match_game::{GuessWhoTable, Move, Settings};
use turnwise_guesswho::strategies::StrategyKind;

use super::boards::{course, path, small_boards};

/// Creates settings with this board by reading them from the header of a log.
pub fn settings(board: &Board) -> Settings {
    let fields = json!({ "board": board.configuration().to_string() });
    serde_json::from_value(fields).expect("a sound board")
}

pub fn persons(result: &Fields) -> [String; 2] {
    let chosen = result.get("chosen").expect("a log tells them").clone();
    serde_json::from_value(chosen).expect("two names")
}

/// Returns a game that differs from this one only in player 2's person, or `None` if no seed tried gives one.
pub fn with_another_second_person(
    settings: &Settings,
    one: &GuessWhoTable,
) -> Option<GuessWhoTable> {
    let own = persons(&one.outcome(None, None));
    (1_000..3_000)
        .map(|seed| GuessWhoTable::new(settings, seed))
        .find(|table| {
            let chosen = persons(&table.outcome(None, None));
            chosen[0] == own[0] && chosen[1] != own[1]
        })
}

/// A second implementation of the rules, written from the assignment's text. It uses names instead of indices.
struct Naive {
    /// For each person's name, the names of the person's attributes, each with the value's name.
    persons: BTreeMap<String, BTreeMap<String, String>>,
    guesses: Vec<String>,
    chosen: [String; 2],
    /// The guesses and answers made so far, in turn.
    said: Vec<String>,
}

impl Naive {
    fn new(board: &Board, chosen: [String; 2]) -> Self {
        let configuration = board.configuration();
        let attributes = &configuration.attributes;
        let mut guesses = Vec::new();
        for attribute in attributes {
            for value in &attribute.values {
                guesses.push(format!("guess Attribute {} {value}", attribute.name));
            }
        }
        let mut persons = BTreeMap::new();
        for person in &configuration.persons {
            guesses.push(format!("guess Person {}", person.name));
            let values = attributes.iter().zip(&person.values);
            let values = values.map(|(of, &at)| (of.name.clone(), of.values[at as usize].clone()));
            persons.insert(person.name.clone(), values.collect());
        }
        Self {
            persons,
            guesses,
            chosen,
            said: Vec::new(),
        }
    }

    fn holds(&self, guess: &str, person: &str) -> bool {
        match guess.split(' ').collect::<Vec<_>>()[..] {
            ["guess", "Attribute", attribute, value] => self.persons[person][attribute] == value,
            ["guess", "Person", name] => name == person,
            _ => panic!("no guess: {guess}"),
        }
    }

    /// Returns true if the guess at index `at` of `said` named the other player's person.
    fn is_right(&self, at: usize) -> bool {
        let is_person = self
            .said
            .get(at)
            .is_some_and(|guess| guess.starts_with("guess Person"));
        is_person
            && self
                .said
                .get(at + 1)
                .is_some_and(|answer| answer == "answer true")
    }

    /// Returns, for each player, whether it named the right person in the last complete round.
    fn last_round(&self) -> [bool; 2] {
        let begin = (self.said.len() / 4).saturating_sub(1) * 4;
        [self.is_right(begin), self.is_right(begin + 2)]
    }

    fn turn(&self) -> Option<usize> {
        let (rounds, within) = (self.said.len() / 4, self.said.len() % 4);
        let is_decided = within == 0 && self.last_round().contains(&true);
        let is_long = within == 0 && rounds == self.guesses.len();
        (!is_decided && !is_long).then(|| [0, 1, 1, 0][within])
    }

    fn legal(&self) -> Vec<String> {
        if self.said.len().is_multiple_of(2) {
            return self.guesses.clone();
        }
        let who = self.turn().expect("somebody answers");
        let guess = self.said.last().expect("a guess");
        vec![format!("answer {}", self.holds(guess, &self.chosen[who]))]
    }

    fn score(&self) -> f64 {
        match self.last_round() {
            [true, false] => 1.0,
            [false, true] => 0.0,
            _ => 0.5,
        }
    }
}

/// Draws a legal move at random, which may be a redundant guess. On average, one guess in `one_in` names a person.
fn any_guess(legal: &[Move], persons: usize, one_in: u32, random: &mut impl Rng) -> Move {
    let (values, named) = legal.split_at(legal.len().saturating_sub(persons));
    match legal.len() > 1 && random.random_range(0..one_in) > 0 && !values.is_empty() {
        true => values[random.random_range(0..values.len())],
        false if legal.len() > 1 => named[random.random_range(0..named.len())],
        false => legal[0],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_table_agrees_with_a_naive_referee(
        board in small_boards(7),
        seed in any::<u64>(),
        one_in in prop_oneof![Just(2u32), Just(4), Just(1_000)],
    ) {
        let settings = settings(&board);
        let mut table = GuessWhoTable::new(&settings, seed);
        let mut naive = Naive::new(&board, persons(&table.outcome(None, None)));
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let everyone = board.everyone().len();
        let result = table.outcome(None, None);
        let mut logged = plugin::AnyGame::open(&settings, Beginning::Logged(&result)).expect("its log");
        while let Some(side) = naive.turn() {
            prop_assert_eq!(table.turn(), Some(side));
            prop_assert!(table.plies_left() > 0);
            let legal = table.legal_moves();
            let texts: Vec<String> = legal.iter().map(|&mv| table.notation(mv)).collect();
            prop_assert_eq!(&texts, &naive.legal());
            prop_assert!(legal.iter().all(|&mv| table.is_legal(mv)));
            for answer in [Move::Answer(true), Move::Answer(false)] {
                prop_assert_eq!(table.is_legal(answer), legal.contains(&answer));
            }
            let mv = any_guess(&legal, everyone, one_in, &mut random);
            let (text, before) = (table.notation(mv), table.plies_left());
            table.play(mv);
            prop_assert!(table.plies_left() < before);
            prop_assert_eq!(logged.follow(&text).map(|moved| moved.side), Ok(side));
            naive.said.push(text);
        }
        prop_assert_eq!(table.turn(), None);
        prop_assert_eq!(table.plies_left(), 0);
        let outcome = table.outcome(None, None);
        prop_assert_eq!(settings.meaning(&outcome).expect("its own").score, naive.score());
        prop_assert_eq!(outcome.get("rounds"), Some(&json!(naive.said.len() / 4)));
        // A replayed log must show the candidates that fit the answers each player received.
        let fitting = |player: usize| naive.persons.keys().filter(|&person| {
            let mut pairs = naive.said.chunks(2).skip(player).step_by(2);
            pairs.all(|pair| pair[1] == format!("answer {}", naive.holds(&pair[0], person)))
        }).count() as u32;
        let Shown { grid, measured, .. } = logged.shown(false);
        prop_assert_eq!(measured, vec![fitting(0), fitting(1)]);
        let shown = grid.letters.chars().filter(|&letter| letter != ' ').count() as u32;
        prop_assert_eq!(shown, fitting(0) + fitting(1));
    }

    #[test]
    fn nobody_sees_the_other_s_person(board in small_boards(6), seed in 0..1_000u64) {
        let settings = settings(&board);
        let mut one = GuessWhoTable::new(&settings, seed);
        let own = persons(&one.outcome(None, None));
        let other = with_another_second_person(&settings, &one);
        let Some(mut other) = other else {
            prop_assume!(false);
            return Ok(());
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        while one.turn().is_some() {
            let [first, second] = [&one, &other].map(|table| format!("{:?}", table.seen_by(0)));
            prop_assert_eq!(first, second);
            let legal = one.legal_moves();
            let mv = any_guess(&legal, board.everyone().len(), 4, &mut random);
            if !other.is_legal(mv) {
                // The move is a true answer in `one` but not in `other`, so the games differ from here on.
                break;
            }
            one.play(mv);
            other.play(mv);
        }
        for side in [0, 1] {
            let chosen = one.seen_by(side).player.chosen() as usize;
            prop_assert_eq!(&board.configuration().persons[chosen].name, &own[side]);
        }
    }

    #[test]
    fn any_log_is_followed_or_refused(
        board in small_boards(5),
        words in proptest::collection::vec("(guess Attribute a0 v0|guess Person P1|answer (true|false)|.{0,20})", 0..30),
        field in "(chosen|rounds|ending|player1_score)",
        value in prop_oneof![Just(json!(["P0", "P9"])), Just(json!(0.5)), Just(json!("found")), Just(Value::Null)],
    ) {
        let settings = settings(&board);
        let mut result = GuessWhoTable::new(&settings, 1).outcome(Some(0), None);
        result.take(&field);
        result.push(field, value);
        let _ = settings.meaning(&result);
        if let Ok(mut logged) = plugin::AnyGame::open(&settings, Beginning::Logged(&result)) {
            for text in &words {
                let before = logged.shown(false);
                if logged.follow(text).is_err() {
                    prop_assert_eq!(before, logged.shown(false));
                }
            }
        }
    }
}

/// Converts a line of the course framework's log into a move in this program's notation.
fn as_move(line: &str) -> Option<String> {
    let (_, said) = line.split_once("ing ")?;
    let said = said.replace("  ", " ");
    match line.contains("guessing") {
        true => Some(format!("guess {said}")),
        false => Some(format!("answer {said}")),
    }
}

#[test]
fn agents_play_as_their_strategies_do_in_the_course_s_game() {
    let agents = [
        ("turnwise", StrategyKind::Custom),
        ("binary", StrategyKind::Binary),
        ("optimal", StrategyKind::Optimal),
        ("lookahead", StrategyKind::Lookahead),
    ];
    for name in ["official_game1_10p", "tonyhuang"] {
        let board = course(name);
        let settings = settings(&board);
        for (number, pairing) in [[0, 1], [1, 0], [0, 2], [3, 0], [2, 1]]
            .into_iter()
            .enumerate()
        {
            let pairing = pairing.map(|at: usize| agents[at]);
            let mut players =
                pairing.map(|(name, _)| settings.agent(name, &(), &AgentOptions::default(), 1));
            let [mut first, mut second] = pairing.map(|(_, kind)| kind.create());
            for seed in 0..12 {
                let mut table = GuessWhoTable::new(&settings, 100 * number as u64 + seed);
                let mut moves = Vec::new();
                while let Some(side) = table.turn() {
                    let player = &mut players[side];
                    let seen = table.seen_by(side);
                    let found = player.think(seen, Limits::default(), &Control::new());
                    assert!(table.is_legal(found.best));
                    moves.push(table.notation(found.best));
                    table.play(found.best);
                }
                let result = table.outcome(None, None);
                let chosen = persons(&result);
                let chosen = chosen.map(|name| board.configuration().person(&name).expect("one"));
                let mut lines = Vec::new();
                let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
                let strategies: [&mut dyn turnwise_guesswho::player::Strategy; 2] =
                    [&mut *first, &mut *second];
                let played = game::play(&board, chosen, strategies, &mut random, &mut |line| {
                    lines.extend(as_move(line));
                });
                assert_eq!(moves, lines, "{name} {pairing:?} {seed}");
                let played = played.expect("strategies name guesses");
                let score = played
                    .winner
                    .map_or(0.5, |seat| 2.0 - f64::from(seat.number()));
                let meaning = settings.meaning(&result).expect("its own");
                assert_eq!(meaning.score, score);
                assert_eq!(meaning.is_won_on_board, played.winner.is_some());
                assert_eq!(result.get("rounds"), Some(&json!(played.rounds)));
            }
        }
    }
}

#[test]
fn the_racer_keeps_to_its_nodes_and_ends_soon_after_its_time() {
    let settings = settings(&course("jm_game3"));
    let table = GuessWhoTable::new(&settings, 3);
    let think = |limits| {
        let mut agent = settings.agent("turnwise", &(), &AgentOptions::default(), 1);
        let control = Control::new();
        let found = agent.think(table.seen_by(0), limits, &control);
        assert!(table.is_legal(found.best) && control.best().is_some());
        let forecast = agent
            .forecast(table.seen_by(0), &found)
            .expect("it has bounds");
        assert!((0.0..=1.0).contains(&forecast));
        found
    };
    let few = think(Limits {
        nodes: 100,
        ..Limits::default()
    });
    assert_eq!(few.nodes, 100);
    // The time is over before the search begins, and the agent notices this at its first check of the clock.
    let late = think(Limits {
        soft: Some(Instant::now()),
        hard: Some(Instant::now()),
        ..Limits::default()
    });
    assert!((1..=10_000).contains(&late.nodes), "{}", late.nodes);
    assert!(late.nodes < think(Limits::default()).nodes);
}

#[test]
fn all_persons_come_in_turn_where_that_is_asked_for() {
    let given = |name: &str| (name == "all-persons").then(String::new);
    let settings = Settings::by_options(&given).expect("the usual board");
    let text = serde_json::to_string(&settings).expect("JSON");
    let again: Settings = serde_json::from_str(&text).expect("its own");
    assert!(settings.conditions().ends_with(", each two in turn"));
    assert_eq!(again.conditions(), settings.conditions());
    let of_pair = |pair| persons(&GuessWhoTable::at_meeting(&again, 7, pair).outcome(None, None));
    let all: BTreeSet<[String; 2]> = (0..100).map(of_pair).collect();
    assert_eq!(all.len(), 100);
    assert_eq!(of_pair(0), of_pair(100));
    let by_lot = Settings::by_options(&|_| None).expect("the usual board");
    let drawn = |pair| persons(&GuessWhoTable::at_meeting(&by_lot, 7, pair).outcome(None, None));
    assert_eq!(drawn(0), drawn(1));
}

#[test]
fn a_game_in_which_nobody_names_a_person_ends_in_a_tie() {
    let settings = settings(&course("official_game1_10p"));
    let mut table = GuessWhoTable::new(&settings, 5);
    let mut plies = 0;
    while table.turn().is_some() {
        table.play(table.legal_moves()[0]);
        plies += 1;
    }
    let guesses = table.seen_by(0).board.questions().count();
    assert_eq!(plies, 4 * guesses);
    let meaning = settings
        .meaning(&table.outcome(None, None))
        .expect("its own");
    assert_eq!(meaning.score, 0.5);
    assert!(!meaning.is_won_on_board);
}

#[test]
fn a_false_answer_is_refused_with_the_truth() {
    let settings = settings(&course("official_game1_10p"));
    let mut table = GuessWhoTable::new(&settings, 5);
    table.play(table.legal_moves()[0]);
    let [Move::Answer(truth)] = table.legal_moves()[..] else {
        panic!("one answer is true");
    };
    assert!(!table.is_legal(Move::Answer(!truth)));
    let objection = table.objection(Move::Answer(!truth));
    let name = &persons(&table.outcome(None, None))[1];
    let expected = format!(
        "its person is {name}, so that `Attribute hairLength white` is to be answered {truth}"
    );
    assert_eq!(objection, expected);
}

#[test]
fn a_board_comes_from_a_file_or_says_what_is_wrong_with_it() {
    let by_file = |path: &str| {
        let given = |name: &str| (name == "board").then(|| path.to_owned());
        Settings::by_options(&given)
    };
    let settings = by_file(&path("kokaruk")).expect("a sound board");
    assert!(
        settings
            .conditions()
            .starts_with("Guess Who with 24 persons of ")
    );
    let text = serde_json::to_string(&settings).expect("JSON");
    let again: Settings = serde_json::from_str(&text).expect("its own");
    assert_eq!(serde_json::to_string(&again).expect("JSON"), text);

    let folder = std::env::temp_dir().join(format!("guesswho-boards-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let refused = |name: &str, content: &[u8], part: &str| {
        let path = folder.join(name);
        std::fs::write(&path, content).expect("it is written");
        let why = by_file(path.to_str().expect("UTF-8")).expect_err(name);
        assert!(why.contains(part) && why.contains(name), "{why}");
    };
    refused("bytes", b"hat red\n\n\xff", "is not UTF-8");
    refused(
        "person",
        b"hat red\n\nP1\nhut red\n",
        ": 4:1: unknown attribute hut",
    );
    refused(
        "hidden",
        "hat r\u{202e}ed\n\nP1\nhat r\u{202e}ed\n".as_bytes(),
        "printable characters",
    );
    refused("large", &vec![b' '; 300_000], "larger than");
    std::fs::remove_dir_all(&folder).expect("it is there");
    let why = by_file("/nonexistent/board").expect_err("there is none");
    assert_eq!(why, "there is no file /nonexistent/board");
}
