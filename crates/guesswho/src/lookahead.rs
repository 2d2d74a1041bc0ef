//! A bounded look-ahead for boards that are too large to solve.
//!
//! A question is judged by what it leaves: for each part, the cost (see [`super::optimal`]) of the
//! tree that always divides most evenly, or the least over a few questions one level deeper. The
//! work is bounded by the number of persons and attributes alone, never by a clock, so that the
//! same position gets the same question on every machine.

use super::board::{Board, Question};

/// How many questions are compared at each level, from the root down, for this many candidates.
fn widths(candidates: usize) -> &'static [usize] {
    match candidates {
        0..=256 => &[10, 3],
        257..=1024 => &[6],
        _ => &[1],
    }
}

/// The question that promises the fewest rounds on average: of equals the most even division, then
/// the first in alphabetical order. Three or fewer candidates are guessed one by one, which is
/// exact, and so are candidates whom no question divides.
pub fn best(board: &Board, candidates: &[u32]) -> Question {
    let widths = widths(candidates.len());
    if candidates.len() <= 3 {
        return Question::Person(candidates[0]);
    }
    let questions = most_even(board, candidates, widths[0]);
    match questions.as_slice() {
        [] => Question::Person(candidates[0]),
        [only] => *only,
        several => *several
            .iter()
            .min_by_key(|&&question| after(board, candidates, question, &widths[1..]))
            .expect("there are several"),
    }
}

/// The `width` non-redundant attribute questions that divide most evenly, the first in alphabetical
/// order first among equals.
pub fn most_even(board: &Board, candidates: &[u32], width: usize) -> Vec<Question> {
    let mut splits = board.splits(candidates);
    let unevenness = |yes: u32| (candidates.len() as u32).abs_diff(2 * yes);
    splits.sort_by_key(|&(_, yes)| unevenness(yes));
    splits.truncate(width);
    splits.into_iter().map(|(question, _)| question).collect()
}

/// Cost of both parts that a question leaves.
fn after(board: &Board, candidates: &[u32], question: Question, widths: &[usize]) -> u64 {
    let part = |answer| board.remaining(candidates, question, answer);
    cost(board, &part(true), widths) + cost(board, &part(false), widths)
}

/// Cost of a set when the best of `widths[0]` questions is asked, and so on; then the most even.
fn cost(board: &Board, candidates: &[u32], widths: &[usize]) -> u64 {
    let size = candidates.len() as u64;
    let one_by_one = size * (size + 1) / 2;
    if size <= 3 {
        return one_by_one;
    }
    let (&width, deeper) = widths.split_first().unwrap_or((&1, &[]));
    most_even(board, candidates, width)
        .into_iter()
        .map(|question| size + after(board, candidates, question, deeper))
        .min()
        .unwrap_or(one_by_one)
}
