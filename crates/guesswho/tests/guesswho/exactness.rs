//! Tests that `optimal` needs exactly as few rounds as an exhaustive computation.

use crate::expectation::expected_rounds;
use std::collections::HashMap;

use proptest::prelude::*;
use turnwise_guesswho::board::{Board, Question};
use turnwise_guesswho::optimal::Optimal;
use turnwise_guesswho::player::{Seat, View};
use turnwise_guesswho::strategies::{self, StrategyKind};
use turnwise_guesswho::table::Table;
use turnwise_guesswho::tree::Tree;

use super::boards::{course, first_persons, ideal_board, small_boards};
use super::reference;

fn solver(board: &Board) -> Optimal {
    Optimal::new(Table::new(board, &board.everyone()).expect("the board is small"))
}

fn close(got: f64, expected: f64, digits: f64) -> bool {
    (got - expected).abs() < digits
}

#[test]
fn the_courses_boards_take_the_known_numbers_of_rounds() {
    // Each row contains the name of a board, and the rounds that `binary` and `optimal` need, summed over all persons.
    // The sums are exact, because they are integers.
    for (name, binary, optimal) in [
        ("official_game1_10p", 44, 38),
        ("tonyhuang", 82, 72),
        ("ac_game1", 108, 96),
        ("kokaruk", 136, 121),
        ("jm_game3", 184, 167),
    ] {
        let board = course(name);
        let persons = board.everyone().len() as f64;
        for (kind, expected) in [
            (StrategyKind::Binary, binary),
            (StrategyKind::Optimal, optimal),
        ] {
            let rounds = expected_rounds(&board, &mut *kind.create());
            assert!(
                close(rounds * persons, f64::from(expected), 1e-9),
                "{name} {}: {rounds}",
                kind.name()
            );
        }
        let mut solver = solver(&board);
        let everyone = solver.table().everyone();
        assert_eq!(
            solver.cost(everyone, 1_000_000),
            Some(optimal as u32),
            "{name}"
        );
        let tree: u32 = Tree::optimal(&board)
            .expect("small enough")
            .rounds()
            .iter()
            .sum();
        assert_eq!(tree, optimal as u32, "{name}");
    }
}

#[test]
fn random_takes_the_known_numbers_of_rounds() {
    for (name, expected, digits) in [
        ("official_game1_10p", 4.943, 0.0005),
        ("ac_game1", 6.20, 0.005),
        ("kokaruk", 6.36, 0.005),
    ] {
        let rounds = expected_rounds(&course(name), &mut *StrategyKind::Random.create());
        assert!(close(rounds, expected, digits), "{name}: {rounds}");
    }
}

/// Asks the most even question, but names a person as soon as at most three candidates are left.
struct HalvingThenGuessing;

impl turnwise_guesswho::player::Strategy for HalvingThenGuessing {
    fn choices(&mut self, view: &View<'_>) -> Vec<Question> {
        match view.mine {
            [first] | [first, _] | [first, _, _] => vec![Question::Person(*first)],
            _ => strategies::Binary.choices(view),
        }
    }
}

#[test]
fn on_tonyhuang_the_usual_rule_is_not_optimal() {
    let board = course("tonyhuang");
    assert!(close(
        expected_rounds(&board, &mut HalvingThenGuessing),
        4.625,
        1e-9
    ));
}

#[test]
fn the_course_boards_of_ten_and_twelve_equal_the_reference() {
    for (name, persons) in [
        ("official_game1_10p", 10),
        ("tonyhuang", 12),
        ("jm_game3", 12),
        ("kokaruk", 12),
    ] {
        let board = first_persons(&course(name), persons);
        let mut solver = solver(&board);
        let mut known = HashMap::new();
        let everyone = (1u32 << persons) - 1;
        let expected = reference::cost(&board, everyone, &mut known);
        assert_eq!(
            solver.cost(u64::from(everyone), 1_000_000),
            Some(expected),
            "{name}"
        );
        // The costs must also agree for every subset that the reference visited.
        for (&set, &expected) in &known {
            assert_eq!(
                solver.cost(u64::from(set), 1_000_000),
                Some(expected),
                "{name} {set:b}"
            );
        }
    }
}

#[test]
fn ideal_boards_take_the_ideal_number_of_rounds() {
    // The costs are computed by hand. The first three are 1, 1 + 2 and 1 + 2 + 3. Each further cost is the size plus
    // the costs of both parts: 4 + 3 + 3, 5 + 3 + 6, 6 + 6 + 6 and 7 + 6 + 10.
    for (persons, cost) in [(1, 1), (2, 3), (3, 6), (4, 10), (5, 14), (6, 18), (7, 23)] {
        let mut solver = solver(&ideal_board(persons));
        let everyone = solver.table().everyone();
        assert_eq!(
            solver.cost(everyone, 100_000),
            Some(cost),
            "{persons} persons"
        );
    }
}

#[test]
fn too_little_work_gives_no_answer_rather_than_a_wrong_one() {
    let board = course("jm_game3");
    let mut solver = solver(&board);
    let everyone = solver.table().everyone();
    assert_eq!(solver.cost(everyone, 3), None);
    assert_eq!(solver.cost(everyone, 1_000_000), Some(167));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_boards_equal_the_reference(board in small_boards(8)) {
        let persons = board.everyone().len();
        let expected = reference::cost(&board, (1 << persons) - 1, &mut HashMap::new());
        let mut solver = solver(&board);
        let everyone = solver.table().everyone();
        prop_assert_eq!(solver.cost(everyone, 1_000_000), Some(expected));
        // Real games must take as many rounds on average as the solver computes.
        let rounds = expected_rounds(&board, &mut *StrategyKind::Optimal.create());
        prop_assert!(close(rounds * persons as f64, f64::from(expected), 1e-9));
    }

    #[test]
    fn the_best_question_is_not_redundant(board in small_boards(9)) {
        let everyone = board.everyone();
        let question = strategies::Optimal::default().question(&board, &everyone);
        let yes = board.remaining(&everyone, question, true).len();
        prop_assert!(yes > 0 && (yes < everyone.len() || everyone.len() == 1));
    }
}

#[test]
fn a_view_of_one_candidate_is_a_person_guess_for_everyone() {
    let board = course("official_game1_10p");
    let everyone = board.everyone();
    for kind in StrategyKind::ALL {
        for seat in [Seat::First, Seat::Second] {
            let view = View {
                board: &board,
                mine: &[4],
                theirs: &everyone,
                seat,
                opponent_finished: false,
            };
            assert_eq!(
                kind.create().choices(&view),
                vec![Question::Person(4)],
                "{}",
                kind.name()
            );
        }
    }
}
