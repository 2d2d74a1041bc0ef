//! What follows from a pick: the rest of the draft under perfect play, and both complete teams.

use super::answer::{Answer, Control};
use super::rules::{Captain, Draft};
use super::solver;
use super::units::Units;

/// A draft played to its end.
#[derive(Debug, Clone)]
pub struct Continuation<U = i64> {
    /// The picks in order, each with the captain who makes it and an index into the contestants.
    pub picks: Vec<(Captain, usize)>,
    /// The draft with both teams complete.
    pub end: Draft<U>,
    /// Whether every pick after the first is proven to be perfect.
    pub proven: bool,
}

/// Plays a draft to its end: the given answer first, then perfect picks of both captains, the smallest ID
/// among equals. A stopped search falls back on the best pick so far and the result is not proven.
///
/// # Panics
///
/// If the draft is over.
pub fn play_out<U: Units>(
    draft: &Draft<U>,
    answer: &Answer<U>,
    control: &mut Control,
) -> Continuation<U> {
    let mut end = draft.clone();
    let mut picks = Vec::new();
    let mut proven = true;
    let mut next = answer.pick;
    while let Some(captain) = end.turn() {
        picks.push((captain, next));
        end.pick(next);
        if end.turn().is_some() {
            let answer = solver::solve(&end, control);
            proven &= answer.proven;
            next = answer.pick;
        }
    }
    Continuation { picks, end, proven }
}
