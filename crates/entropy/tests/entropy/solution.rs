//! Compares the values in files of solved games with the values of a recursion that does not use symmetry.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::rules::{Colour, Move, Phase, Position, Rules};
use turnwise_entropy::solution::{Solution, SolutionError, Work, boards, solve};

use super::{random_position, successors};

/// The values of positions before a draw that are already known, keyed by the cells of the board.
type Known = HashMap<Vec<Colour>, f64>;

/// Computes the value of a position as the rules state: the mean over draws, the minimum over placements and the
/// maximum over slides.
fn naive(position: &Position, known: &mut Known) -> f64 {
    let is_draw = position.phase() == Phase::Draw;
    if let Some(&value) = known.get(position.cells()).filter(|_| is_draw) {
        return value;
    }
    let mut values = successors(position).into_iter().map(|mv| {
        let mut after = position.clone();
        after.make(mv);
        let value = naive(&after, known);
        match mv {
            Move::Draw(colour) => {
                value * f64::from(position.in_bag(colour)) / f64::from(position.bag_total())
            }
            _ => value,
        }
    });
    let value = match position.phase() {
        Phase::Draw => values.sum(),
        Phase::Place => values.fold(f64::INFINITY, f64::min),
        Phase::Slide => values.fold(f64::NEG_INFINITY, f64::max),
        Phase::Over => {
            assert!(values.next().is_none());
            f64::from(board_score(position))
        }
    };
    if is_draw {
        known.insert(position.cells().to_vec(), value);
    }
    value
}

pub(super) fn solved(path: &Path, rules: Rules, threads: usize) -> Solution {
    let work = Work {
        threads,
        done: &|_| {},
        found: &|_| {},
        is_stopped: &|| false,
    };
    solve(path, rules, &work).expect("there is room")
}

#[test]
fn every_value_is_that_of_the_plain_recursion() {
    let folder = tempfile::tempdir().expect("a folder");
    for (size, pass) in [(2, false), (2, true), (3, false), (3, true)] {
        let rules = Rules { size, pass };
        let solution = solved(&folder.path().join(format!("{size}{pass}")), rules, 2);
        let (mut known, mut phases) = (Known::new(), HashMap::new());
        let empty = Position::new(rules);
        let value = solution.value(&empty).expect("it can be read");
        assert!((value - naive(&empty, &mut known)).abs() < 1e-4);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(u64::from(size));
        for _ in 0..300 {
            let events = random.random_range(0..3 * usize::from(size * size));
            let position = random_position(rules, events, &mut random);
            let value = solution.value(&position).expect("it can be read");
            let expected = naive(&position, &mut known);
            assert!(
                (value - expected).abs() < 1e-4,
                "{value}, not {expected}: {position:?}"
            );
            *phases.entry(position.phase()).or_insert(0) += 1;
            if matches!(position.phase(), Phase::Place | Phase::Slide) {
                let analysis = solution.analysis(&position, 3).expect("it can be read");
                let best = f64::from(analysis.candidates[0].value);
                assert!((best - expected).abs() < 1e-4 && analysis.solved);
            }
        }
        assert!(phases[&Phase::Place] > 20 && phases[&Phase::Slide] > 20);
    }
}

#[test]
fn a_solution_that_was_stopped_comes_to_the_same_bytes_whatever_the_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = Rules {
        size: 3,
        pass: false,
    };
    let whole = folder.path().join("whole");
    solved(&whole, rules, 1);
    let path = folder.path().join("parts");
    let mut stops = 0;
    for most in [500, 2000, 4000, 6000] {
        let (done, found) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = Work {
            threads: 2,
            done: &|boards| {
                done.fetch_add(boards, Ordering::Relaxed);
            },
            found: &|boards| {
                found.fetch_add(boards, Ordering::Relaxed);
            },
            is_stopped: &|| done.load(Ordering::Relaxed) + found.load(Ordering::Relaxed) > most,
        };
        match solve(&path, rules, &work) {
            Err(SolutionError::Stopped { .. }) => stops += 1,
            other => panic!("expected a stop, got {other:?}"),
        }
        // The first run finds no solved layers. Each later run finds the layers that earlier runs have solved.
        let found = found.into_inner();
        assert!(
            stops == 1 && found == 0 || found > 0 && found <= most,
            "{found}"
        );
        let unfinished = Solution::open(&path, rules).expect_err("layers are missing");
        assert!(matches!(unfinished, SolutionError::Unfinished { .. }));
    }
    assert_eq!(stops, 4);
    solved(&path, rules, 3);
    let [whole, parts] = [whole, path].map(|path| fs::read(path).expect("a file"));
    assert!(whole == parts);
    assert!(whole.len() as u64 > 4 * boards(rules));
}

#[test]
fn what_is_damaged_or_of_other_rules_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("solution");
    let rules = Rules {
        size: 2,
        pass: false,
    };
    solved(&path, rules, 1).verify().expect("it is whole");
    let bytes = fs::read(&path).expect("a file");
    let reopened = |bytes: &[u8], rules| {
        fs::write(&path, bytes).expect("there is room");
        Solution::open(&path, rules).and_then(|solution| solution.verify())
    };
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        reopened(&damaged, rules).expect_err("a bit is wrong");
    }
    let others = Rules {
        size: 2,
        pass: true,
    };
    let foreign = reopened(&bytes, others).expect_err("other rules");
    assert!(
        matches!(foreign, SolutionError::Foreign { .. }),
        "{foreign}"
    );
    let mut longer = bytes.clone();
    longer.push(0);
    for wrong in [&bytes[..bytes.len() - 1], &longer, b"", b"{}\n"] {
        reopened(wrong, rules).expect_err("it is not whole");
    }
}
