//! The answer that every engine gives, and the control with which a caller watches and stops an engine.

use std::ops::ControlFlow;

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<U = i64> {
    /// The index of the pick in [`Draft::contestants`](super::rules::Draft::contestants).
    pub pick: usize,
    /// The scaled advantage of A at the end of the draft, if perfect play follows this pick.
    ///
    /// If the answer is not proven, this is an advantage that the captain to move can be sure to reach. `None` means
    /// that the search found no bound.
    pub value: Option<U>,
    /// True if the pick is proven to be optimal, with the smallest ID of all optimal picks. It is false only if the
    /// search was stopped.
    pub proven: bool,
    /// The number of positions that the search visited.
    pub nodes: u64,
}

/// The progress of a search.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The number of positions visited so far.
    pub nodes: u64,
    /// The number of picks in the starting position that the search has compared so far.
    pub decided: usize,
    /// The number of picks in the starting position that the search must compare.
    pub candidates: usize,
    /// The index of the best pick found so far.
    pub pick: usize,
}

impl Progress {
    pub(super) fn new(candidates: usize, pick: usize) -> Progress {
        Progress {
            nodes: 0,
            decided: 0,
            candidates,
            pick,
        }
    }

    /// Returns the answer of a search; `finished` tells whether the search has finished or was stopped.
    pub(super) fn answer<U>(&self, value: Option<U>, finished: ControlFlow<()>) -> Answer<U> {
        Answer {
            pick: self.pick,
            value,
            proven: finished.is_continue(),
            nodes: self.nodes,
        }
    }
}

/// A function that an engine calls every few thousand positions. [`ControlFlow::Break`] stops the search.
pub type Control<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// A [`Control`] that never stops a search.
pub fn run_to_the_end(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The number of positions between two calls of a [`Control`].
const POLL_INTERVAL: u64 = 4096;

/// Counts a visited position, and calls the control at regular intervals.
pub(super) fn visit(progress: &mut Progress, control: &mut Control) -> ControlFlow<()> {
    progress.nodes += 1;
    if progress.nodes.is_multiple_of(POLL_INTERVAL) {
        control(progress)?;
    }
    ControlFlow::Continue(())
}
