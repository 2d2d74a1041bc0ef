//! Compares all variants of the search with the unpruned reference.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::game::{Game, Side, Turn};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits, Schedule, Width, deepening, reference, threads};
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::rules::{Move, Phase, Position, Rules};

use super::{evaluated, random_evaluation, random_position, search, small_positions};

#[test]
fn search_equals_the_unpruned_reference() {
    let mut table = Table::new(1 << 20);
    let mut compared = 0;
    for position in small_positions(1500, 1) {
        let free = position
            .cells()
            .iter()
            .filter(|&&colour| colour == 0)
            .count();
        let deepest = match free {
            0..=3 => 9,
            4..=6 => 4,
            _ => 3,
        };
        table.clear();
        for depth in 1..=deepest.min(position.plies_left()) {
            let mut game = evaluated(&position);
            let expected = reference::value(&mut game, depth);
            // The transposition table is kept from one depth to the next, as in a real game.
            let found = search(&mut game, &mut table, depth);
            assert!(
                (found.value - expected).abs() < 1e-3,
                "depth {depth}: {} instead of {expected} in {position:?}",
                found.value
            );
            game.make(found.best);
            let value_of_best = reference::value(&mut game, depth - 1);
            game.unmake(found.best, ());
            assert!((value_of_best - expected).abs() < 1e-3);
            assert_eq!(game.position(), &position);
            compared += 1;
        }
    }
    assert!(compared >= 3000);
}

/// Returns one or two widths for a schedule, of which the last is `width`. Each width includes all moves of the
/// previous width. Leaks a few bytes.
fn widths_up_to(width: Width, random: &mut Xoshiro256PlusPlus) -> &'static [Width] {
    let narrower = Width {
        max: random.random_range(1..=width.max),
        min: random.random_range(1..=width.min),
        after_deep_look: random.random_range(1..=width.after_deep_look),
        after_glance: width.after_glance.map(|most| random.random_range(1..=most)),
    };
    let widths = [narrower, width];
    Vec::from(&widths[random.random_range(0..=1)..]).leak()
}

#[test]
fn a_narrowed_search_equals_the_narrowed_reference() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut table = Table::new(1 << 20);
    let (mut compared, mut to_the_end) = (0, 0);
    for position in small_positions(800, 7) {
        let evaluation = random_evaluation(position.size(), &mut random);
        let mut game = Evaluated::new(position.clone(), evaluation);
        let width = Width {
            max: random.random_range(1..8),
            min: random.random_range(1..5),
            after_deep_look: random.random_range(1..4),
            after_glance: random.random_bool(0.5).then(|| random.random_range(1..4)),
        };
        let schedule = Schedule {
            full_depth: random.random_range(1..=2),
            step: random.random_range(1..=2),
            widths: widths_up_to(width, &mut random),
        };
        let mut moves = Vec::new();
        game.look(&mut moves);
        let side = match game.turn() {
            Turn::Player(side) => side,
            other => panic!("{other:?} to move"),
        };
        // Beyond the depths that are searched with full width, the results of earlier iterations also narrow the moves
        // at the root.
        let narrowest = width.of(side, 1).min(width.after_deep_look);
        let root_is_whole = moves.len() <= 2 * narrowest;
        let deepest = if root_is_whole {
            6
        } else {
            schedule.full_depth
        };
        table.clear();
        for depth in 1..=deepest.min(position.plies_left()) {
            let is_end = depth == position.plies_left();
            let even_is_max = (side == Side::Max) == (depth % 2 == 0);
            if schedule.step == 2 && even_is_max && depth > 3 {
                // At this depth, Order's moves would be ranked by means, and rounding would decide between moves of
                // equal value.
                continue;
            }
            let width = (depth > schedule.full_depth && !is_end).then_some((width, schedule.step));
            let mut expected = side.worst();
            for &(_, mv) in &moves {
                game.make(mv);
                let value = reference::narrowed(&mut game, depth - 1, width);
                game.unmake(mv, ());
                if side.prefers(value, expected) {
                    expected = value;
                }
            }
            let limits = Limits {
                depth,
                schedule,
                ..Limits::default()
            };
            let threads = NonZeroUsize::new(random.random_range(1..=3)).expect("not zero");
            let control = Control::new();
            let found = threads::search(&mut game, &mut table, limits, &control, threads);
            assert!(
                (found.value - expected).abs() < 1e-2,
                "depth {depth}, {schedule:?}: {} instead of {expected} in {position:?}",
                found.value
            );
            assert_eq!(found.solved, is_end);
            compared += 1;
            to_the_end += u32::from(is_end);
        }
    }
    assert!(
        compared >= 1000 && to_the_end >= 100,
        "{compared}, {to_the_end}"
    );
}

/// Tests that a search with a glance (a quick evaluation of moves one ply above the leaves) finds a value between the
/// values of the narrowed and the full reference. The search may refute a position with a less promising move that it
/// has examined for another reason.
#[test]
fn a_search_that_only_glances_one_ply_above_the_leaves_lies_between_the_references() {
    lies_between_the_references(5, 54..66);
}

#[test]
fn so_does_one_on_a_board_whose_gaps_have_values() {
    lies_between_the_references(7, 129..138);
}

/// Compares searches with the references on boards of `size` rows. The positions follow a number of random events that
/// lies within `events`.
fn lies_between_the_references(size: u8, events: Range<usize>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(31);
    let rules = Rules { size, pass: false };
    let (mut compared, mut lower) = (0, 0);
    for _ in 0..60 {
        // The board is almost full, so the slides before the last draws are few enough for the slow references.
        let position = random_position(rules, random.random_range(events.clone()), &mut random);
        if !matches!(position.phase(), Phase::Place | Phase::Slide) {
            continue;
        }
        let evaluation = random_evaluation(size, &mut random);
        if evaluation.numbered_blocks().is_none() {
            continue;
        }
        let mut game = Evaluated::new(position.clone(), evaluation);
        let depth = match position.phase() {
            Phase::Slide => 3,
            _ => 4,
        };
        let width = Width {
            max: 96,
            min: 96,
            after_deep_look: 96,
            after_glance: Some(random.random_range(1..6)),
        };
        let narrowed = reference::narrowed(&mut game, depth, Some((width, 2)));
        let whole = reference::value(&mut game, depth);
        let limits = Limits {
            depth,
            schedule: game.leaves_before_draw(Vec::from([width]).leak()),
            ..Limits::default()
        };
        let mut table = Table::new(1 << 20);
        let found = deepening::search(&mut game, &mut table, limits, &Control::new());
        assert!(
            narrowed - 1e-2 < found.value && found.value < whole + 1e-2,
            "{} instead of {narrowed} to {whole} in {position:?}",
            found.value
        );
        compared += 1;
        lower += u32::from(narrowed < whole - 0.1);
    }
    assert!(compared > 10 && lower > 5, "{compared}, {lower}");
}

#[test]
fn a_move_is_compared_by_a_search_as_deep_and_as_wide() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(12);
    let (mut compared, mut exact, mut narrowed) = (0, 0, 0);
    for position in small_positions(400, 9) {
        let evaluation = random_evaluation(position.size(), &mut random);
        let mut game = Evaluated::new(position.clone(), evaluation);
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let width = Width {
            max: random.random_range(1..8),
            min: random.random_range(1..5),
            after_deep_look: random.random_range(1..4),
            after_glance: random.random_bool(0.5).then(|| random.random_range(1..4)),
        };
        let widths: &'static [Width] = Vec::from([width]).leak();
        let narrow = Schedule {
            full_depth: 1,
            step: 1,
            widths,
        };
        let schedule = [Schedule::FULL, narrow][random.random_range(0..2)];
        let depth = random.random_range(1..=3.min(position.plies_left()));
        let is_end = depth == position.plies_left();
        let searched = (schedule == narrow && depth > 1 && !is_end).then_some((width, 1));
        for other in moves {
            game.make(other);
            let expected = reference::narrowed(&mut game, depth - 1, searched);
            game.unmake(other, ());
            let limits = Limits {
                depth,
                schedule,
                ..Limits::default()
            };
            let mut table = Table::new(1 << 16);
            let judged = deepening::compare(&mut game, &mut table, other, limits);
            assert!(
                (judged.other - expected).abs() < 1e-2,
                "depth {depth}, {schedule:?}: {} instead of {expected} for {other:?} in {position:?}",
                judged.other
            );
            let alone =
                deepening::search(&mut game, &mut Table::new(1 << 16), limits, &Control::new());
            assert_eq!(judged.found, alone);
            assert_eq!(game.position(), &position);
            // The result can only be exact if the search reaches the end of the game. With a narrow schedule, it need
            // not be exact even then, because replies to `other` may have been skipped.
            assert!(!judged.is_exact || is_end);
            assert!(judged.is_exact || !is_end || schedule == narrow);
            compared += 1;
            exact += u32::from(judged.is_exact);
            narrowed += u32::from(searched.is_some());
        }
    }
    assert!(
        compared > 1000 && exact > 30 && narrowed > 300,
        "{compared}, {exact}, {narrowed}"
    );
}

#[test]
fn moves_are_compared_even_if_nothing_may_be_searched() {
    for position in small_positions(20, 4) {
        let mut game = evaluated(&position);
        let mut moves = Vec::new();
        game.look(&mut moves);
        let limits = Limits::of_nodes(1);
        for (value, mv) in moves {
            let mut table = Table::new(1 << 16);
            let judged = deepening::compare(&mut game, &mut table, mv, limits);
            assert_eq!((judged.other, judged.found.value_depth), (value, 1));
        }
    }
}

#[test]
fn all_threads_end_with_the_search() {
    let three = NonZeroUsize::new(3).expect("not zero");
    let position = Position::new(Rules {
        size: 5,
        pass: false,
    });
    let mut game = evaluated(&position);
    game.make(Move::Draw(1));
    let mut table = Table::new(1 << 20);
    let limits = Limits {
        nodes: 20_000,
        ..Limits::default()
    };
    let found = threads::search(&mut game, &mut table, limits, &Control::new(), three);
    assert!(found.nodes <= 21_000, "{}", found.nodes);
    // Stopping the first thread must also stop the other threads, which have no limits of their own.
    let control = Control::new();
    control.stop();
    let found = threads::search(&mut game, &mut table, Limits::default(), &control, three);
    assert!(!found.solved);
    assert_eq!(control.best(), Some(found.best));
}

#[test]
fn a_search_that_left_moves_out_is_not_called_solved() {
    let position = small_positions(200, 3)
        .find(|position| position.plies_left() == 3 && position.size() == 4)
        .expect("one of them");
    let nodes_to_solve = |schedule| {
        let limits = Limits {
            schedule,
            ..Limits::default()
        };
        let mut game = evaluated(&position);
        let mut table = Table::new(1 << 16);
        let found = deepening::search(&mut game, &mut table, limits, &Control::new());
        assert!(found.solved);
        found.nodes
    };
    nodes_to_solve(Schedule::FULL);
    let narrow = Schedule {
        full_depth: 1,
        step: 2,
        widths: &[Width {
            max: 1,
            min: 1,
            after_deep_look: 1,
            after_glance: Some(1),
        }],
    };
    let nodes = nodes_to_solve(narrow);
    let limits = Limits {
        schedule: narrow,
        nodes: nodes / 2,
        ..Limits::default()
    };
    let mut game = evaluated(&position);
    let mut table = Table::new(1 << 16);
    let broken_off = deepening::search(&mut game, &mut table, limits, &Control::new());
    assert_eq!(broken_off.depth, 3, "the narrow iteration was completed");
    assert!(!broken_off.solved);
}

/// A game that draws every color separately, without the shortcut for colors of which no tile has been drawn.
struct EveryColour(Evaluated);

impl Game for EveryColour {
    type Move = Move;
    type Undo = ();

    fn turn(&self) -> Turn {
        self.0.turn()
    }

    fn moves(&self, out: &mut Vec<Move>) {
        self.0.moves(out);
    }

    fn outcomes(&self, out: &mut Vec<(Move, f32)>) {
        let position = self.0.position();
        let total = f32::from(position.bag_total());
        let colours = (1..=position.size()).map(|colour| (colour, position.in_bag(colour)));
        let left = colours.filter(|&(_, count)| count > 0);
        out.extend(left.map(|(colour, count)| (Move::Draw(colour), f32::from(count) / total)));
    }

    fn make(&mut self, mv: Move) {
        self.0.make(mv);
    }

    fn unmake(&mut self, mv: Move, undo: ()) {
        self.0.unmake(mv, undo);
    }

    fn hash(&self) -> u64 {
        self.0.hash()
    }

    fn plies_left(&self) -> u32 {
        self.0.plies_left()
    }

    fn bounds(&self) -> (f32, f32) {
        self.0.bounds()
    }

    fn evaluate(&self) -> f32 {
        self.0.evaluate()
    }
}

#[test]
fn one_colour_stands_for_all_that_nobody_has_seen() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut merged = 0;
    for size in [3, 4] {
        for _ in 0..20 {
            let mut position = Position::new(Rules { size, pass: false });
            for _ in 0..random.random_range(0..6) {
                let mut moves: Vec<Move> = Vec::new();
                match position.phase() {
                    Phase::Draw => moves.push(Move::Draw(random.random_range(1..=size))),
                    Phase::Place => position.placements(&mut moves),
                    Phase::Slide => position.slides(&mut moves),
                    Phase::Over => unreachable!("six plies end no game"),
                }
                position.make(moves[random.random_range(0..moves.len())]);
            }
            let evaluation = random_evaluation(size, &mut random);
            let mut game = Evaluated::new(position, evaluation);
            let mut every = EveryColour(game.clone());
            if game.turn() == Turn::Chance {
                let (mut few, mut all) = (Vec::new(), Vec::new());
                game.outcomes(&mut few);
                every.outcomes(&mut all);
                merged += all.len() - few.len();
                let sum: f32 = few.iter().map(|(_, probability)| probability).sum();
                assert!((sum - 1.0).abs() < 1e-5);
            }
            let (few, all) = (
                reference::value(&mut game, 2),
                reference::value(&mut every, 2),
            );
            assert!((few - all).abs() < 1e-2, "{few} instead of {all}");
        }
    }
    assert!(merged > 10, "{merged}");
}

#[test]
fn a_tiny_table_changes_no_value() {
    for position in small_positions(200, 2) {
        let depth = position.plies_left().min(3);
        let mut game = evaluated(&position);
        let expected = reference::value(&mut game, depth);
        let found = search(&mut game, &mut Table::new(256), depth);
        assert!((found.value - expected).abs() < 1e-3);
    }
}

#[test]
fn a_node_limit_makes_the_search_repeatable() {
    let limits = Limits {
        nodes: 20_000,
        ..Limits::default()
    };
    let run = |position: &Position| {
        let mut table = Table::new(1 << 20);
        deepening::search(
            &mut evaluated(position),
            &mut table,
            limits,
            &Control::new(),
        )
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let position = random_position(
        Rules {
            size: 5,
            pass: false,
        },
        32,
        &mut random,
    );
    let first = run(&position);
    assert!(first.nodes >= limits.nodes);
    assert_eq!(first, run(&position));
}

#[test]
fn a_stopped_search_still_has_a_legal_move() {
    for position in small_positions(100, 4) {
        let control = Control::new();
        control.stop();
        let mut table = Table::new(1 << 10);
        let found = deepening::search(
            &mut evaluated(&position),
            &mut table,
            Limits::default(),
            &control,
        );
        assert!(found.nodes < 1_000);
        assert!(position.is_legal(found.best));
        assert_eq!(control.best(), Some(found.best));
    }
}

#[test]
fn a_search_whose_time_was_over_before_it_began_still_looks_at_every_move() {
    let past = Limits {
        hard: Some(Instant::now()),
        ..Limits::default()
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    for plies in [4, 41, 97, 98, 121] {
        let rules = Rules {
            size: 7,
            pass: false,
        };
        let position = random_position(rules, plies, &mut random);
        let mut table = Table::new(1 << 10);
        let mut game = evaluated(&position);
        let found = deepening::search(&mut game, &mut table, past, &Control::new());
        assert!(found.depth >= 1, "{position:?}");
        assert!(found.nodes < 1_000);
    }
}
