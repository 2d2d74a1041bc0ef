//! Compares the rules and the values of lines with naive implementations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::game::{Game, Score, Turn};
use turnwise_entropy::blocks::Blocks;
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::evaluation::{self, GamePhase};
use turnwise_entropy::gaps::Gaps;
use turnwise_entropy::line_values::{POINT, line_value};
use turnwise_entropy::palindromes::{board_score, line_score};
use turnwise_entropy::patterns::{self, Patterns};
use turnwise_entropy::rules::{Move, Phase, Position, Rules};

use super::{empty_board, naive_line_score, random_evaluation, random_position, successors};

/// Returns the code of a line of at most seven cells.
fn code_of(line: &[u8]) -> patterns::LineCode {
    (0..)
        .zip(line)
        .map(|(at, &colour)| patterns::code(at, colour))
        .sum()
}

fn line_of(text: &str) -> Vec<u8> {
    text.bytes().map(|letter| letter - b'A' + 1).collect()
}

#[test]
fn the_texts_examples_score_as_printed() {
    assert_eq!(line_score(&line_of("GGGGG")), 30);
    assert_eq!(line_score(&line_of("RGBGR")), 8);
    assert_eq!(line_score(&line_of("RGRGR")), 14);
}

#[test]
fn the_texts_board_scores_38() {
    // The letters R, B, G, Y and C stand for the first five colors. No color occurs more than five times.
    let rows = ["CCRCY", "BRYGC", "YBBBG", "CRRRG", "YGBGY"];
    let colour = |letter| "RBGYC".find(letter).expect("one of five colours") as u8 + 1;
    let mut position = empty_board(5);
    for (cell, letter) in (0..).zip(rows.concat().chars()) {
        position.make(Move::Draw(colour(letter)));
        position.make(Move::Place(cell));
        if position.phase() == Phase::Slide {
            position.make(Move::Pass);
        }
    }
    assert_eq!(position.phase(), Phase::Over);
    assert_eq!(board_score(&position), 38);
}

/// Computes the value of a line with holes directly from the definition, run by run.
fn naive_line_value(line: &[u8]) -> i32 {
    let mut value = 0;
    for start in 0..line.len() {
        for end in start + 1..line.len() {
            let window = &line[start..=end];
            let length = window.len();
            let fits = |at: usize| {
                let (one, other) = (window[at], window[length - 1 - at]);
                one == other || one == 0 || other == 0
            };
            if window[0] == 0 || window[0] != window[length - 1] || !(0..length).all(fits) {
                continue;
            }
            let holes = window.iter().filter(|&&colour| colour == 0).count();
            let centre = length % 2 == 1 && window[length / 2] == 0;
            value += match holes {
                0 => length as i32 * POINT,
                _ => (length - holes + usize::from(centre)) as i32 * 35,
            };
        }
    }
    value
}

/// Finds all legal slides by trying every pair of cells and checking the cells between them.
fn naive_slides(position: &Position) -> Vec<(u16, u16)> {
    let size = i32::from(position.size());
    let cells = position.cells();
    let mut slides = Vec::new();
    for from in 0..size * size {
        for to in 0..size * size {
            let (row1, column1, row2, column2) = (from / size, from % size, to / size, to % size);
            let straight = (row1 == row2) != (column1 == column2);
            if cells[from as usize] == 0 || !straight {
                continue;
            }
            let step = (row2 - row1).signum() * size + (column2 - column1).signum();
            let mut at = from;
            let mut free = true;
            while at != to {
                at += step;
                free &= cells[at as usize] == 0;
            }
            if free {
                slides.push((from as u16, to as u16));
            }
        }
    }
    slides
}

proptest! {
    #[test]
    fn line_score_equals_the_naive_count(line in prop::collection::vec(0u8..5, 0..27)) {
        prop_assert_eq!(line_score(&line), naive_line_score(&line));
    }

    #[test]
    fn line_value_equals_the_naive_value(line in prop::collection::vec(0u8..5, 0..27)) {
        prop_assert_eq!(line_value(&line), naive_line_value(&line));
    }

    #[test]
    fn a_full_line_is_worth_its_score(line in prop::collection::vec(1u8..5, 2..27)) {
        prop_assert_eq!(line_value(&line), line_score(&line) as i32 * POINT);
    }

    #[test]
    fn slides_equal_the_naive_generator(size in 2u8..10, events in 0usize..200, seed: u64) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let position = random_position(Rules { size, pass: false }, events, &mut random);
        let mut moves = Vec::new();
        position.slides(&mut moves);
        let mut slides: Vec<(u16, u16)> = moves
            .iter()
            .filter_map(|mv| match *mv {
                Move::Slide { from, to } => Some((from, to)),
                _ => None,
            })
            .collect();
        slides.sort_unstable();
        prop_assert_eq!(&slides, &naive_slides(&position));
        for from in 0..position.cells().len() as u16 {
            for to in 0..position.cells().len() as u16 {
                let legal = slides.contains(&(from, to));
                prop_assert_eq!(position.slide_is_legal(from, to), legal);
            }
        }
    }

    #[test]
    fn running_values_equal_recomputed_ones(size in 2u8..12, pass: bool, seed: u64) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let evaluation = random_evaluation(size, &mut random);
        let evaluated = |position: &Position| {
            Evaluated::new(position.clone(), Arc::clone(&evaluation))
        };
        let mut game = evaluated(&Position::new(Rules { size, pass }));
        let mut history = Vec::new();
        loop {
            let moves = successors(game.position());
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.random_range(0..moves.len())];
            let mut announced = Vec::new();
            if game.turn() != Turn::Chance {
                game.look(&mut announced);
                let mut made = Vec::new();
                game.look_by_making(&mut made);
                prop_assert_eq!(&announced, &made);
                let mut closer = Vec::new();
                game.glance(&mut closer);
                // The search may ask for only some of the moves, in any order.
                closer.shuffle(&mut random);
                closer.truncate(random.random_range(0..=closer.len()));
                game.look_closer(&mut closer);
                prop_assert!(closer.iter().all(|looked| made.contains(looked)));
            }
            let before = game.clone();
            game.make(mv);
            history.push((mv, before));
            let fresh = evaluated(game.position());
            prop_assert_eq!(game.line_codes(), fresh.line_codes());
            prop_assert_eq!(game.evaluate(), fresh.evaluate());
            for (value, announced) in announced {
                prop_assert!(announced != mv || value == game.evaluate());
            }
            prop_assert_eq!(game.hash(), game.position().recomputed_hash());
            let (low, high) = game.bounds();
            prop_assert!(low <= game.evaluate() && game.evaluate() <= high);
        }
        prop_assert_eq!(game.evaluate(), board_score(game.position()) as Score);
        prop_assert_eq!(game.plies_left(), 0);
        while let Some((mv, before)) = history.pop() {
            game.unmake(mv, ());
            prop_assert_eq!(game.position(), before.position());
            prop_assert_eq!(game.line_codes(), before.line_codes());
            prop_assert_eq!(game.evaluate(), before.evaluate());
        }
    }

    #[test]
    fn tabled_values_equal_direct_ones(size in 2u8..8, cells in prop::collection::vec(0u8..8, 7)) {
        let values = evaluation::by_holes(size);
        let line = &cells[..usize::from(size)];
        for game_phase in GamePhase::ALL {
            let table = values.table(u16::from(size), game_phase);
            for number in 0..2 * size {
                let id = values.line_id(values.empty_line(number) + code_of(line));
                prop_assert_eq!(i32::from(table[usize::from(id)]), line_value(line));
            }
        }
    }
}

/// Returns the form that a line shares with all lines that differ only by reversal and color names.
fn naive_pattern(line: &[u8]) -> Vec<u8> {
    let named = |line: &mut dyn Iterator<Item = u8>| {
        let mut seen = vec![0];
        line.map(|colour| {
            if !seen.contains(&colour) {
                seen.push(colour);
            }
            seen.iter()
                .position(|&known| known == colour)
                .expect("seen") as u8
        })
        .collect::<Vec<u8>>()
    };
    let forward = named(&mut line.iter().copied());
    forward.min(named(&mut line.iter().rev().copied()))
}

/// Returns the smallest form that a block can take by renaming its colors and by symmetry.
fn naive_block(rows: &[Vec<u8>]) -> Vec<u8> {
    let lying: Vec<Vec<u8>> = match rows.len() {
        2 => rows.to_vec(),
        _ => (0..2)
            .map(|column| rows.iter().map(|row| row[column]).collect())
            .collect(),
    };
    let read = |upside_down: bool, from_behind: bool| {
        let mut lines = lying.clone();
        if upside_down {
            lines.reverse();
        }
        if from_behind {
            lines.iter_mut().for_each(|line| line.reverse());
        }
        let mut seen = vec![0];
        let cells = lines.concat().into_iter().map(|colour| {
            if !seen.contains(&colour) {
                seen.push(colour);
            }
            seen.iter().position(|&known| known == colour)
        });
        cells
            .map(|name| name.expect("seen") as u8)
            .collect::<Vec<u8>>()
    };
    let all = [(false, false), (false, true), (true, false), (true, true)];
    let all = all.map(|(upside_down, from_behind)| read(upside_down, from_behind));
    all.into_iter().min().expect("four")
}

#[test]
fn blocks_are_all_two_by_three_cells_or_split_ones_and_share_a_pattern_exactly_if_they_are_alike() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut known: BTreeMap<(usize, Vec<u8>), u16> = BTreeMap::new();
    for size in [5u8, 6, 7] {
        let whole = Blocks::whole(size).expect("a size with blocks");
        let split = Blocks::whole_and_split(size);
        assert_eq!(split.is_some(), size == 7);
        let blocks = split.unwrap_or_else(|| Arc::clone(&whole));
        for _ in 0..300 {
            let events = random.random_range(0..3 * usize::from(size) * usize::from(size));
            let position = random_position(Rules { size, pass: false }, events, &mut random);
            let side = usize::from(size);
            let at = |row: usize, column: usize| position.cells()[row * side + column];
            let mut naive = Vec::new();
            // The two lines of a split block have another line between them.
            for step in 1..=if size == 7 { 2 } else { 1 } {
                let (across, along) = (vec![0, step], vec![0, 1, 2]);
                for (rows, columns) in [(&across, &along), (&along, &across)] {
                    for top in 0..side - rows[rows.len() - 1] {
                        for left in 0..side - columns[columns.len() - 1] {
                            let row = |down: &usize| {
                                let cells =
                                    columns.iter().map(|right| at(top + down, left + right));
                                cells.collect()
                            };
                            let cells: Vec<Vec<u8>> = rows.iter().map(row).collect();
                            naive.push((step, naive_block(&cells)));
                        }
                    }
                }
            }
            let game = Evaluated::new(position.clone(), evaluation::by_holes(size));
            let ids: Vec<u16> = game.block_ids(&blocks).collect();
            assert_eq!(ids.len(), blocks.number());
            let of_whole: Vec<u16> = game.block_ids(&whole).collect();
            assert_eq!(of_whole, ids[..whole.number()]);
            assert_eq!(ids.len(), naive.len());
            for (id, pattern) in ids.into_iter().zip(naive) {
                let is_split = pattern.0 == 2;
                assert!(usize::from(id) < blocks.count());
                assert_eq!(usize::from(id) >= whole.count(), is_split);
                assert_eq!(*known.entry(pattern).or_insert(id), id);
            }
        }
    }
    let different: BTreeSet<u16> = known.values().copied().collect();
    assert_eq!(different.len(), known.len(), "patterns that share a number");
    assert!(known.len() > 400, "{} patterns met", known.len());
}

/// Returns the smallest form that a gap can take by renaming its colors and by symmetry.
///
/// `line` contains the two cells on either side of the gap; cells beyond the edge count as empty. `across` contains the
/// nearest tiles in the crossing line, if their colors occur in `line`.
fn naive_gap(line: [u8; 4], across: [u8; 2]) -> Vec<u8> {
    let read = |from_behind: bool, other_hand: bool| {
        let (mut line, mut across) = (line, across);
        if from_behind {
            line.reverse();
        }
        if other_hand {
            across.reverse();
        }
        let mut seen = vec![0];
        for colour in line {
            if !seen.contains(&colour) {
                seen.push(colour);
            }
        }
        let name = |colour: &u8| seen.iter().position(|known| known == colour).unwrap_or(0) as u8;
        line.iter().chain(&across).map(name).collect::<Vec<u8>>()
    };
    let all = [(false, false), (false, true), (true, false), (true, true)];
    let all = all.map(|(from_behind, other_hand)| read(from_behind, other_hand));
    all.into_iter().min().expect("four")
}

#[test]
fn gaps_are_all_empty_cells_in_both_lines_and_share_a_pattern_exactly_if_they_are_alike() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(10);
    let gaps = Gaps::shared(7).expect("a size with gaps");
    assert!(Gaps::shared(6).is_none());
    let mut known: BTreeMap<Vec<u8>, u16> = BTreeMap::new();
    for _ in 0..2_000 {
        let events = random.random_range(0..3 * 49);
        let rules = Rules {
            size: 7,
            pass: false,
        };
        let position = random_position(rules, events, &mut random);
        let at = |row: isize, column: isize| match (0..7).contains(&row) && (0..7).contains(&column)
        {
            true => position.cells()[(row * 7 + column) as usize],
            false => 0,
        };
        let mut naive = Vec::new();
        for row in 0..7 {
            for column in 0..7 {
                if at(row, column) != 0 {
                    continue;
                }
                for (down, right) in [(0, 1), (1, 0)] {
                    let line = [-2, -1, 1, 2].map(|by| at(row + by * down, column + by * right));
                    let across = [-1, 1].map(|way| {
                        let beside =
                            (1..7).map(|by| at(row + way * by * right, column + way * by * down));
                        beside.into_iter().find(|&colour| colour != 0).unwrap_or(0)
                    });
                    naive.push(naive_gap(line, across));
                }
            }
        }
        let game = Evaluated::new(position.clone(), evaluation::by_holes(7));
        let ids = game.gap_ids(&gaps);
        assert_eq!(ids.len(), naive.len());
        for (id, pattern) in ids.into_iter().zip(naive) {
            assert!(usize::from(id) < gaps.count());
            assert_eq!(*known.entry(pattern).or_insert(id), id);
        }
    }
    let different: BTreeSet<u16> = known.values().copied().collect();
    assert_eq!(different.len(), known.len(), "patterns that share a number");
    assert!(known.len() > 150, "{} patterns met", known.len());
}

#[test]
fn lines_share_a_pattern_exactly_if_they_are_alike() {
    for length in 1..=5u8 {
        let patterns = Patterns::new(length);
        for code in 0..8u32.pow(u32::from(length)) {
            let line: Vec<u8> = (0..length).map(|at| (code >> (3 * at)) as u8 & 7).collect();
            let of_pattern = &patterns.lines()[usize::from(patterns.id(code))];
            assert_eq!(naive_pattern(&line), *of_pattern, "{line:?}");
        }
    }
    // Bell numbers count the lines up to color names. About half of these lines are reversals of other lines.
    assert_eq!(Patterns::new(5).count(), 117);
    assert_eq!(Patterns::new(7).count(), 2152);
}
