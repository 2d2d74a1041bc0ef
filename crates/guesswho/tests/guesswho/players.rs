//! Tests that every player makes legal, non-redundant guesses and answers truthfully, and that the log is correct.

use crate::expectation::expectation;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::statistics::Sample;
use turnwise_guesswho::board::{Board, Question};
use turnwise_guesswho::game::{self, Outcome};
use turnwise_guesswho::player::{Player, Seat, Strategy, View};
use turnwise_guesswho::strategies::StrategyKind;

use super::boards::{course, random_board, small_boards};

/// Plays a game and returns its log in the format of the course framework.
fn log_of(
    board: &Board,
    chosen: [u32; 2],
    kinds: [StrategyKind; 2],
    seed: u64,
) -> (Outcome, Vec<String>) {
    let [mut first, mut second] = kinds.map(StrategyKind::create);
    let mut log = Vec::new();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let outcome = game::play(
        board,
        chosen,
        [&mut *first, &mut *second],
        &mut random,
        &mut |line| log.push(line.to_string()),
    )
    .expect("strategies name guesses");
    (outcome, log)
}

/// Replays a log and checks it against the rules in the assignment's text.
///
/// All answers must be true, no question may be redundant, each round must have both turns, and the game must end as
/// the rules say. Of the code under test, this function uses only the configuration.
fn check_log(board: &Board, chosen: [u32; 2], log: &[String]) {
    let configuration = board.configuration();
    let has = |person: u32, attribute: &str, value: &str| {
        let index = configuration
            .attributes
            .iter()
            .position(|known| known.name == attribute)
            .expect("a known attribute");
        let values = &configuration.attributes[index].values;
        values[configuration.persons[person as usize].values[index] as usize] == value
    };
    let mut candidates = [board.everyone(), board.everyone()];
    let mut lines = log.iter();
    for round in 1.. {
        assert_eq!(lines.next().expect("a round"), &format!("Round {round}"));
        let mut right = [false; 2];
        for turn in 0..2 {
            let guess = lines.next().expect("a guess");
            let guess = guess
                .strip_prefix(&format!("Player {} guessing ", turn + 1))
                .expect("the framework's form");
            let holds = |person: u32| match guess.strip_prefix("Person  ") {
                Some(name) => configuration.persons[person as usize].name == name,
                None => {
                    let (attribute, value) = guess
                        .strip_prefix("Attribute ")
                        .and_then(|pair| pair.split_once(' '))
                        .expect("the framework's form");
                    has(person, attribute, value)
                }
            };
            let answer = holds(chosen[1 - turn]);
            assert_eq!(
                lines.next().expect("an answer"),
                &format!("Player {} answering {answer}", 2 - turn)
            );
            let before = candidates[turn].len();
            candidates[turn].retain(|&person| holds(person) == answer);
            right[turn] = answer && guess.starts_with("Person");
            assert!(
                right[turn] || candidates[turn].len() < before,
                "redundant: {guess}\n{}",
                log.join("\n")
            );
        }
        let end = match right {
            [false, false] => continue,
            [true, true] => "It's a tie!",
            [true, false] => "Player 1 won!",
            [false, true] => "Player 2 won!",
        };
        assert_eq!(lines.next().expect("an ending"), end);
        assert_eq!(lines.next(), None);
        return;
    }
}

#[test]
fn a_game_is_logged_line_by_line_as_in_the_framework() {
    let board = course("official_game1_10p");
    let (outcome, log) = log_of(
        &board,
        [0, 2],
        [StrategyKind::Custom, StrategyKind::Binary],
        1,
    );
    let golden = include_str!("custom_binary_P1_P3.txt");
    assert_eq!(log.join("\n") + "\n", golden);
    assert_eq!(
        outcome,
        Outcome {
            winner: Some(Seat::First),
            rounds: 3
        }
    );
}

#[test]
fn every_pairing_plays_true_and_non_redundant_games() {
    for name in [
        "official_game1_10p",
        "tonyhuang",
        "ac_game1",
        "kokaruk",
        "jm_game3",
    ] {
        let board = course(name);
        let persons = board.everyone().len() as u32;
        for (index, first) in StrategyKind::ALL.into_iter().enumerate() {
            for second in StrategyKind::ALL {
                let chosen = [
                    (7 * index as u32 + 3) % persons,
                    (5 * index as u32 + 1) % persons,
                ];
                let (_, log) = log_of(&board, chosen, [first, second], index as u64);
                check_log(&board, chosen, &log);
            }
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let board = course("ac_game1");
    let play = |seed| {
        log_of(
            &board,
            [3, 11],
            [StrategyKind::Random, StrategyKind::Random],
            seed,
        )
        .1
    };
    assert_eq!(play(5), play(5));
    assert!((0..10).any(|seed| play(seed) != play(5)));
}

#[test]
fn random_draws_every_non_redundant_pair_with_equal_probability() {
    let board = course("official_game1_10p");
    let everyone = board.everyone();
    let view = View {
        board: &board,
        mine: &everyone,
        theirs: &everyone,
        seat: Seat::First,
        opponent_finished: false,
    };
    let choices = StrategyKind::Random.create().choices(&view);
    let expected = board.splits(&everyone);
    assert_eq!(choices.len(), expected.len());
    assert!(
        expected
            .iter()
            .all(|(question, _)| choices.contains(question))
    );
    // `game::draw` draws uniformly, so with 31 choices and 31,000 draws, each choice occurs about 1,000 times.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut player = Player::new(&board, 0);
    let mut counts = std::collections::HashMap::new();
    for _ in 0..1000 * choices.len() {
        let drawn = game::draw(
            &mut *StrategyKind::Random.create(),
            &mut player,
            &board,
            &mut random,
        )
        .expect("a guess");
        *counts.entry(drawn).or_insert(0u32) += 1;
    }
    assert_eq!(counts.len(), choices.len());
    assert!(
        counts.values().all(|&count| (850..1150).contains(&count)),
        "{counts:?}"
    );
}

#[test]
fn exact_results_agree_with_games_played() {
    let board = course("official_game1_10p");
    for kinds in [
        [StrategyKind::Custom, StrategyKind::Random],
        [StrategyKind::Random, StrategyKind::Binary],
    ] {
        let [mut first, mut second] = kinds.map(StrategyKind::create);
        let exact = expectation(&board, [&mut *first, &mut *second]);
        assert!((exact.win + exact.tie + exact.loss - 1.0).abs() < 1e-9);
        let (mut scores, mut rounds) = (Sample::default(), Sample::default());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
        for game in 0..20_000u32 {
            let chosen = [game % 10, (game / 10) % 10];
            let played = game::play(
                &board,
                chosen,
                [&mut *first, &mut *second],
                &mut random,
                &mut |_| {},
            );
            let played = played.expect("a game");
            scores.add(match played.winner {
                Some(Seat::First) => 1.0,
                None => 0.5,
                Some(Seat::Second) => 0.0,
            });
            rounds.add(played.rounds.into());
        }
        // The tolerance is about six standard errors, so this fails by chance once in five hundred million runs.
        let apart = (scores.mean() - exact.score()).abs();
        assert!(apart < 3.1 * scores.half_width(), "{apart} {exact:?}");
        assert!((rounds.mean() - exact.rounds).abs() < 0.05);
    }
}

#[test]
fn contradictory_answers_are_refused_and_change_nothing() {
    let board = course("official_game1_10p");
    let mut player = Player::new(&board, 0);
    for person in 0..9 {
        assert_eq!(
            player.receive_answer(&board, Question::Person(person), false),
            Ok(false)
        );
    }
    assert!(
        player
            .receive_answer(&board, Question::Person(9), false)
            .is_err()
    );
    assert_eq!(player.view(&board).mine, [9]);
    assert_eq!(
        player.receive_answer(&board, Question::Person(9), true),
        Ok(true)
    );
}

#[test]
fn a_strategy_without_a_guess_ends_the_game_with_an_error() {
    struct Silent;
    impl Strategy for Silent {
        fn choices(&mut self, _: &View<'_>) -> Vec<Question> {
            Vec::new()
        }
    }
    let board = course("official_game1_10p");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut binary = StrategyKind::Binary.create();
    let result = game::play(
        &board,
        [0, 1],
        [&mut *binary, &mut Silent],
        &mut random,
        &mut |_| {},
    );
    assert_eq!(
        result.expect_err("nobody guesses").to_string(),
        "player 2: the strategy names no guess"
    );
}

#[test]
fn two_hundred_and_ten_thousand_persons_are_played_to_the_end() {
    for (persons, attributes, values) in [(200, 20, 5), (10_000, 12, 8)] {
        let board = random_board(persons, attributes, values, 1);
        for kinds in [
            [StrategyKind::Custom, StrategyKind::Optimal],
            [StrategyKind::Binary, StrategyKind::Custom],
        ] {
            let chosen = [17, persons as u32 - 5];
            let (outcome, log) = log_of(&board, chosen, kinds, 1);
            check_log(&board, chosen, &log);
            assert!(outcome.rounds <= 25, "{outcome:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn all_pairings_play_true_games_on_random_boards_with_persons_alike(
        board in small_boards(10),
        first in 0..StrategyKind::ALL.len(),
        second in 0..StrategyKind::ALL.len(),
        chosen in any::<[u32; 2]>(),
        seed in any::<u64>(),
    ) {
        let chosen = chosen.map(|person| person % board.everyone().len() as u32);
        let (_, log) = log_of(&board, chosen, [StrategyKind::ALL[first], StrategyKind::ALL[second]], seed);
        check_log(&board, chosen, &log);
    }
}
