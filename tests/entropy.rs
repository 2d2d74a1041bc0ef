//! Rules, evaluation and search of Entropy against naive implementations that share no code with
//! them.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise::game::{Game, Score, Side, Turn};
use turnwise::games::entropy::evaluated::Evaluated;
use turnwise::games::entropy::evaluation::{self, Evaluation, Moment};
use turnwise::games::entropy::line_values::{POINT, line_value};
use turnwise::games::entropy::palindromes::{board_score, line_score};
use turnwise::games::entropy::patterns::{self, Patterns};
use turnwise::games::entropy::rules::{Move, Phase, Position, Rules};
use turnwise::search::table::Table;
use turnwise::search::{Control, Found, Limits, Schedule, Width, deepening, reference, threads};

fn empty_board(size: u8) -> Position {
    Position::new(Rules { size, pass: false })
}

/// What may come next, players and chance alike.
fn successors(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    match position.phase() {
        Phase::Draw => moves.extend(
            (1..=position.size())
                .filter(|&colour| position.in_bag(colour) > 0)
                .map(Move::Draw),
        ),
        Phase::Place => position.placements(&mut moves),
        Phase::Slide => position.slides(&mut moves),
        Phase::Over => {}
    }
    moves
}

/// A position after a number of random events.
fn random_position(rules: Rules, events: usize, random: &mut Xoshiro256PlusPlus) -> Position {
    let mut position = Position::new(rules);
    for _ in 0..events {
        let moves = successors(&position);
        if moves.is_empty() {
            break;
        }
        position.make(moves[random.random_range(0..moves.len())]);
    }
    position
}

/// The line values of a size, computed once.
fn evaluated(position: &Position) -> Evaluated {
    Evaluated::new(position.clone(), evaluation::by_holes(position.size()))
}

/// Values without any meaning, so that each line, phase and moment tells.
fn random_evaluation(size: u8, random: &mut Xoshiro256PlusPlus) -> Arc<Evaluation> {
    if size > patterns::LONGEST {
        return evaluation::by_holes(size);
    }
    let tables = 2 * (usize::from(size) * usize::from(size) + 1);
    let count = evaluation::by_holes(size)
        .patterns()
        .expect("short lines")
        .count();
    let values = (0..tables * count)
        .map(|_| random.random_range(0..500))
        .collect();
    Arc::new(Evaluation::learned("random", size, values))
}

/// The code of a line of at most seven cells.
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
    // Its letters R, B, G, Y, C as the first five colours; Y and R exceed no count here.
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

/// Every substring, compared with its reverse.
fn naive_line_score(line: &[u8]) -> u32 {
    let mut score = 0;
    for start in 0..line.len() {
        for end in start + 2..=line.len() {
            let run = &line[start..end];
            let reversed: Vec<u8> = run.iter().rev().copied().collect();
            if !run.contains(&0) && run == reversed {
                score += run.len() as u32;
            }
        }
    }
    score
}

/// The value of holes by the definition's words, window by window.
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

/// All slides, by trying every pair of cells and walking between them.
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
        let pattern = usize::from(values.pattern(code_of(line)));
        for moment in Moment::ALL {
            let table = values.table(u16::from(size), moment);
            prop_assert_eq!(i32::from(table[pattern]), line_value(line));
        }
    }
}

/// A line as its own colours, read the same from both ends and under all names of colours.
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
    // Bell numbers count the ways to name colours; about half of them are another's reversal.
    assert_eq!(Patterns::new(7).count(), 2152);
}

fn search(game: &mut Evaluated, table: &mut Table<Move>, depth: u32) -> Found<Move> {
    let limits = Limits {
        depth,
        ..Limits::default()
    };
    deepening::search(game, table, limits, &Control::new())
}

/// Random positions with a player to move, on boards of 2 to 4 rows.
fn small_positions(count: usize, seed: u64) -> impl Iterator<Item = Position> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        let rules = Rules {
            size: random.random_range(2..=4),
            pass: random.random_bool(0.3),
        };
        let last = 3 * usize::from(rules.size) * usize::from(rules.size) - 2;
        random_position(rules, random.random_range(1..last), &mut random)
    })
    .filter(|position| matches!(position.phase(), Phase::Place | Phase::Slide))
    .take(count)
}

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
            // The table stays from depth to depth, as it does in play.
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

/// Widths for a schedule, each including the one before. A few bytes that are never freed.
fn widths_up_to(width: Width, random: &mut Xoshiro256PlusPlus) -> &'static [Width] {
    let narrower = Width {
        max: random.random_range(1..=width.max),
        min: random.random_range(1..=width.min),
        after_deep_look: random.random_range(1..=width.after_deep_look),
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
        // Beyond the depths of every move the root is narrowed too, by what earlier iterations say.
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
                // Order's moves would be ranked by means, where rounding decides between equals.
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
    // The first thread is told to stop, and tells the others, which have no limits of their own.
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

/// A game without the shortcut for colours that nobody has seen yet.
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

/// The fully solved game: a plain recursion with memory, on its own board.
#[derive(Default)]
struct Solver {
    known: HashMap<(Vec<u8>, u8, Phase), f64>,
}

impl Solver {
    /// The expected score under best play of a board, with `drawn` in Chaos's hand.
    fn value(&mut self, size: usize, cells: &[u8], drawn: u8, phase: Phase) -> f64 {
        let key = (cells.to_vec(), drawn, phase);
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let value = match phase {
            Phase::Draw => self.mean(size, cells),
            Phase::Place => {
                let free = (0..cells.len()).filter(|&at| cells[at] == 0);
                free.map(|at| {
                    let mut next = cells.to_vec();
                    next[at] = drawn;
                    let over = !next.contains(&0);
                    let phase = if over { Phase::Over } else { Phase::Slide };
                    self.value(size, &next, 0, phase)
                })
                .fold(f64::INFINITY, f64::min)
            }
            Phase::Slide => self.best_slide(size, cells),
            Phase::Over => naive_board_score(size, cells),
        };
        self.known.insert(key, value);
        value
    }

    fn mean(&mut self, size: usize, cells: &[u8]) -> f64 {
        let left = |colour| size - cells.iter().filter(|&&other| other == colour).count();
        let total: usize = (1..=size as u8).map(left).sum();
        (1..=size as u8)
            .filter(|&colour| left(colour) > 0)
            .map(|colour| {
                let probability = left(colour) as f64 / total as f64;
                probability * self.value(size, cells, colour, Phase::Place)
            })
            .sum()
    }

    fn best_slide(&mut self, size: usize, cells: &[u8]) -> f64 {
        let mut best = f64::NEG_INFINITY;
        for from in (0..cells.len()).filter(|&at| cells[at] != 0) {
            for (down, right) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
                let (mut row, mut column) = ((from / size) as i32, (from % size) as i32);
                loop {
                    row += down;
                    column += right;
                    let inside = 0..size as i32;
                    if !inside.contains(&row) || !inside.contains(&column) {
                        break;
                    }
                    let to = row as usize * size + column as usize;
                    if cells[to] != 0 {
                        break;
                    }
                    let mut next = cells.to_vec();
                    next.swap(from, to);
                    best = best.max(self.value(size, &next, 0, Phase::Draw));
                }
            }
        }
        best
    }
}

fn naive_board_score(size: usize, cells: &[u8]) -> f64 {
    let rows = cells.chunks(size).map(<[u8]>::to_vec);
    let columns = (0..size).map(|at| cells[at..].iter().step_by(size).copied().collect());
    rows.chain(columns)
        .map(|line: Vec<u8>| f64::from(naive_line_score(&line)))
        .sum()
}

/// Plays whole games from the empty board; every move must keep the solved value.
fn plays_the_optimum(size: u8, games: u64) {
    let mut solver = Solver::default();
    let mut table = Table::new(64 << 20);
    let mut value_of = |position: &Position| {
        solver.value(
            usize::from(size),
            position.cells(),
            position.drawn(),
            position.phase(),
        )
    };
    for seed in 0..games {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = evaluated(&empty_board(size));
        while game.position().phase() != Phase::Over {
            if game.position().phase() == Phase::Draw {
                let draws = successors(game.position());
                game.make(draws[random.random_range(0..draws.len())]);
                continue;
            }
            let optimum = value_of(game.position());
            let found = search(&mut game, &mut table, u32::MAX);
            assert!(found.solved);
            assert!((f64::from(found.value) - optimum).abs() < 1e-3);
            game.make(found.best);
            assert!((value_of(game.position()) - optimum).abs() < 1e-3);
        }
    }
}

#[test]
fn two_by_two_is_played_perfectly_from_the_empty_board() {
    plays_the_optimum(2, 20);
}

#[test]
fn three_by_three_is_played_perfectly_from_the_empty_board() {
    plays_the_optimum(3, 2);
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
        assert_eq!(found.depth, 0);
        assert!(position.is_legal(found.best));
        assert_eq!(control.best(), Some(found.best));
    }
}
