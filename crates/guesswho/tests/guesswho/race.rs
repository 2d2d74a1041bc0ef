//! Tests that the race solver and an exhaustive computation give equal values.

use crate::expectation::{Expectation, expectation};
use std::collections::HashMap;

use proptest::prelude::*;
use turnwise_guesswho::board::{Board, Question};
use turnwise_guesswho::player::{Seat, View};
use turnwise_guesswho::race::ideal::IdealRace;
use turnwise_guesswho::race::solver::RaceSolver;
use turnwise_guesswho::strategies::StrategyKind;

use super::boards::{COURSE, course, first_persons, ideal_board, small_boards};
use super::reference;

const WORK: u64 = 100_000_000;

fn solver(board: &Board) -> RaceSolver {
    let everyone = board.everyone();
    RaceSolver::new(board, [&everyone, &everyone]).expect("the board is small")
}

fn value(board: &Board) -> f64 {
    let mut solver = solver(board);
    let everyone = (1u64 << board.everyone().len()) - 1;
    solver
        .value([everyone, everyone], 0, WORK)
        .expect("the work suffices")
}

fn equal(first: f64, second: f64) -> bool {
    (first - second).abs() < 1e-9
}

fn play(board: &Board, first: StrategyKind, second: StrategyKind) -> Expectation {
    expectation(board, [&mut *first.create(), &mut *second.create()])
}

#[test]
fn every_position_of_parts_of_the_course_boards_equals_the_reference() {
    for (name, persons) in [
        ("official_game1_10p", 7),
        ("tonyhuang", 7),
        ("jm_game3", 7),
        ("kokaruk", 7),
    ] {
        let board = first_persons(&course(name), persons);
        let mut solver = solver(&board);
        let mut known = HashMap::new();
        let everyone = (1u32 << persons) - 1;
        reference::race(&board, [everyone, everyone], 0, false, &mut known);
        assert!(
            known.len() > 5_000,
            "{name}: the reference met {} positions",
            known.len()
        );
        for (&(first, second, turn, right), &expected) in &known {
            if right {
                // Player 2's only sensible move is a person guess.
                assert!(
                    equal(expected, 1.0 - 0.5 / f64::from(second.count_ones())),
                    "{name}"
                );
                continue;
            }
            let sets = [u64::from(first), u64::from(second)];
            let got = solver.value(sets, turn, WORK).expect("the work suffices");
            assert!(
                equal(got, expected),
                "{name} {first:b} {second:b} {turn}: {got}, expected {expected}"
            );
        }
    }
}

#[test]
fn ideal_boards_have_the_value_of_the_ideal_race() {
    let ideal = IdealRace::new(6);
    let board = ideal_board(6);
    let mut solver = solver(&board);
    for first in 1..=6u32 {
        for second in 1..=6u32 {
            for turn in 0..2 {
                let sets = [(1u64 << first) - 1, (1 << second) - 1];
                let got = solver.value(sets, turn, WORK).expect("the work suffices");
                assert!(
                    equal(got, ideal.value([first, second], turn)),
                    "{first} {second} {turn}"
                );
            }
        }
    }
    let small = ideal_board(5);
    let mut known = HashMap::new();
    for first in 1..=5u32 {
        for second in 1..=5u32 {
            let expected = reference::race(
                &small,
                [(1 << first) - 1, (1 << second) - 1],
                0,
                false,
                &mut known,
            );
            assert!(
                equal(ideal.value([first, second], 0), expected),
                "{first} {second}"
            );
        }
    }
}

#[test]
fn small_ideal_races_have_the_values_computed_by_hand() {
    let ideal = IdealRace::new(4);
    // With one candidate, player 1 names the right person. Player 2 then ties with a probability of one over the number
    // of its candidates.
    assert!(equal(ideal.value([1, 4], 0), 1.0 - 1.0 / 8.0));
    // With one candidate, player 2 names the right person at its turn. So player 1 must name a person now, and even if
    // it is right, it only ties.
    assert!(equal(ideal.value([4, 1], 0), 1.0 / 8.0));
    // Two candidates each: player 1 is right with probability 1/2, which is worth 3/4. Otherwise, player 2 is right and
    // wins with probability 1/2; if not, both name their last candidates and tie. Together: 1/2 * 3/4 + 1/2 * 1/2 *
    // 1/2.
    assert!(equal(ideal.value([2, 2], 0), 0.5));
}

#[test]
fn on_the_course_boards_custom_gets_the_value_against_itself() {
    for (name, expected) in [
        ("official_game1_10p", 0.5),
        ("tonyhuang", 0.494140625),
        ("ac_game1", 0.5),
        ("kokaruk", 0.5),
        ("jm_game3", 0.5),
    ] {
        let board = course(name);
        let value = value(&board);
        assert!(equal(value, expected), "{name}: {value}");
        let played = play(&board, StrategyKind::Custom, StrategyKind::Custom).score();
        assert!(
            equal(played, value),
            "{name}: played {played}, value {value}"
        );
    }
}

#[test]
fn nobody_gets_more_than_the_value_against_custom() {
    for name in COURSE {
        let board = course(name);
        let value = value(&board);
        for kind in [StrategyKind::Binary, StrategyKind::Optimal] {
            let first = play(&board, StrategyKind::Custom, kind).score();
            let second = play(&board, kind, StrategyKind::Custom).score();
            assert!(
                first > value - 1e-9 && second < value + 1e-9,
                "{name} {}: {first} {second}",
                kind.name()
            );
        }
    }
}

/// Returns the mean of the first strategy's expected scores as player 1 and as player 2.
fn both_seats(board: &Board, first: StrategyKind, second: StrategyKind) -> f64 {
    0.5 * (play(board, first, second).score() + 1.0 - play(board, second, first).score())
}

#[test]
fn custom_is_never_worse_than_optimal_against_any_player() {
    for name in COURSE {
        let board = course(name);
        for opponent in [
            StrategyKind::Binary,
            StrategyKind::Optimal,
            StrategyKind::Custom,
        ] {
            let custom = both_seats(&board, StrategyKind::Custom, opponent);
            let optimal = both_seats(&board, StrategyKind::Optimal, opponent);
            assert!(
                custom > optimal - 1e-9,
                "{name} against {}: {custom} {optimal}",
                opponent.name()
            );
        }
    }
}

#[test]
fn on_the_official_board_the_promised_scores_are_reached_from_either_seat() {
    let board = course("official_game1_10p");
    for (opponent, promised) in [(StrategyKind::Binary, 0.715), (StrategyKind::Random, 0.74)] {
        let first = play(&board, StrategyKind::Custom, opponent).score();
        let second = 1.0 - play(&board, opponent, StrategyKind::Custom).score();
        assert!(
            first >= promised && second >= promised,
            "{}: {first} {second}",
            opponent.name()
        );
        let optimal = both_seats(&board, StrategyKind::Optimal, opponent);
        assert!(
            0.5 * (first + second) > optimal - 1e-9,
            "{}",
            opponent.name()
        );
    }
}

#[test]
fn when_player_1_was_right_custom_guesses_a_person() {
    let board = course("official_game1_10p");
    let everyone = board.everyone();
    let view = View {
        board: &board,
        mine: &everyone,
        theirs: &[2],
        seat: Seat::Second,
        opponent_finished: true,
    };
    let choices = StrategyKind::Custom.create().choices(&view);
    assert!(matches!(choices.as_slice(), [Question::Person(_)]));
}

#[test]
fn without_enough_work_the_bounds_still_hold_and_a_guess_is_named() {
    let board = course("jm_game3");
    let mut solver = solver(&board);
    let everyone = (1u64 << 30) - 1;
    let sets = [everyone, everyone];
    assert_eq!(solver.value(sets, 0, 500), None);
    let (lower, upper) = solver.bounds(sets, 0);
    assert!(
        lower <= 0.5 && 0.5 <= upper && upper < lower + 0.1,
        "{lower} {upper}"
    );
    let question = solver.promising(sets, 0);
    assert!(
        !board
            .remaining(&board.everyone(), question, true)
            .is_empty()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_boards_equal_the_reference(board in small_boards(6)) {
        let persons = board.everyone().len();
        let everyone = (1u32 << persons) - 1;
        let mut known = HashMap::new();
        let expected = reference::race(&board, [everyone, everyone], 0, false, &mut known);
        let mut solver = solver(&board);
        // First, check the bounds that are known before any search.
        for (&(first, second, turn, right), &expected) in known.iter().filter(|(key, _)| !key.3) {
            prop_assert!(!right);
            let (lower, upper) = solver.bounds([u64::from(first), u64::from(second)], turn);
            prop_assert!(lower < expected + 1e-9 && expected < upper + 1e-9);
        }
        for (&(first, second, turn, _), &expected) in known.iter().filter(|(key, _)| !key.3) {
            let got = solver.value([u64::from(first), u64::from(second)], turn, WORK);
            prop_assert!(equal(got.expect("the work suffices"), expected));
        }
        let played = play(&board, StrategyKind::Custom, StrategyKind::Custom).score();
        prop_assert!(equal(played, expected), "played {}, value {}", played, expected);
        let against_random = play(&board, StrategyKind::Custom, StrategyKind::Random).score();
        prop_assert!(against_random > expected - 1e-9);
    }

    #[test]
    fn the_best_guesses_have_the_value_and_the_others_do_not(board in small_boards(5)) {
        let persons = board.everyone().len();
        prop_assume!(persons >= 2);
        let everyone = (1u32 << persons) - 1;
        let sets = [u64::from(everyone); 2];
        let mut solver = solver(&board);
        let best = solver.best(sets, 0, WORK).expect("the work suffices");
        let value = solver.value(sets, 0, WORK).expect("the work suffices");
        let mut known = HashMap::new();
        for question in reference::all_questions(&board) {
            let yes = board.remaining(&board.everyone(), question, true);
            if yes.is_empty() || yes.len() == persons {
                continue;
            }
            let yes = yes.iter().fold(0u32, |mask, person| mask | 1 << person);
            let right = matches!(question, Question::Person(_));
            let mut score = 0.0;
            for (part, right) in [(yes, right), (everyone & !yes, false)] {
                let after = reference::race(&board, [part, everyone], 1, right, &mut known);
                score += f64::from(part.count_ones()) / persons as f64 * after;
            }
            prop_assert!(score < value + 1e-9);
            // If several questions divide the candidates equally, the list contains only the first question.
            let listed = best.iter().any(|&choice| {
                let other = board.remaining(&board.everyone(), choice, true);
                let other = other.iter().fold(0u32, |mask, person| mask | 1 << person);
                let same_kind = matches!(choice, Question::Person(_)) == matches!(question, Question::Person(_));
                same_kind && (other == yes || (!matches!(question, Question::Person(_)) && other == everyone & !yes))
            });
            prop_assert_eq!(listed, equal(score, value), "{:?} {} {}", question, score, value);
        }
    }
}
