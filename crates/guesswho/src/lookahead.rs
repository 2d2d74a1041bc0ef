//! A bounded look-ahead that chooses questions on boards that are too large to solve.
//!
//! A question divides the candidates into two parts, and the look-ahead estimates the cost of each part (see
//! [`super::optimal`] for costs). The estimate is the cost if the most even division is chosen again and again, or the
//! minimum over a few questions one level deeper. The work is limited by the numbers of persons and attributes and not
//! by a clock, so the chosen question does not depend on the machine.

use super::board::{Board, Question};

/// Returns how many questions to compare at each level of the look-ahead if there are this many candidates.
fn widths(candidates: usize) -> &'static [usize] {
    match candidates {
        0..=256 => &[10, 3],
        257..=1024 => &[6],
        _ => &[1],
    }
}

/// Returns the question that promises the fewest rounds on average.
///
/// Of equally good questions, the most even division is chosen, then the first question in alphabetical order. If
/// there are at most three candidates, the question names a candidate, which is optimal. It also names a candidate if
/// no attribute question divides the candidates.
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

/// Returns up to `width` non-redundant attribute questions, beginning with the most even division.
///
/// Questions that divide equally evenly are in alphabetical order.
pub fn most_even(board: &Board, candidates: &[u32], width: usize) -> Vec<Question> {
    let mut splits = board.splits(candidates);
    let unevenness = |yes: u32| (candidates.len() as u32).abs_diff(2 * yes);
    splits.sort_by_key(|&(_, yes)| unevenness(yes));
    splits.truncate(width);
    splits.into_iter().map(|(question, _)| question).collect()
}

/// Returns the sum of the estimated costs of the two parts that a question leaves.
fn after(board: &Board, candidates: &[u32], question: Question, widths: &[usize]) -> u64 {
    let part = |answer| board.remaining(candidates, question, answer);
    cost(board, &part(true), widths) + cost(board, &part(false), widths)
}

/// Returns the estimated cost of a set if the best of the `widths[0]` most even questions is asked first.
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
