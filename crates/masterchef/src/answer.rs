//! What every engine answers, and how a caller watches and stops one.

use std::ops::ControlFlow;

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<U = i64> {
    /// Index of the contestant to pick, in [`Draft::contestants`](super::rules::Draft::contestants).
    pub pick: usize,
    /// Advantage of A at the end if both captains play perfectly after this pick, scaled. If the answer is
    /// not proven: what the captain to move is sure of, or `None` if the search came to no bound.
    pub value: Option<U>,
    /// Whether this is the smallest ID among all optimal picks; only a stopped search leaves that open.
    pub proven: bool,
    /// Positions that the search visited.
    pub nodes: u64,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Positions visited so far.
    pub nodes: u64,
    /// First picks compared so far.
    pub decided: usize,
    /// First picks to compare.
    pub candidates: usize,
    /// The best first pick so far.
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

    /// The answer of a search that has come to its end or was stopped.
    pub(super) fn answer<U>(&self, value: Option<U>, finished: ControlFlow<()>) -> Answer<U> {
        Answer {
            pick: self.pick,
            value,
            proven: finished.is_continue(),
            nodes: self.nodes,
        }
    }
}

/// Asked every few thousand positions; on [`ControlFlow::Break`] the search gives its best answer so far.
pub type Control<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// A control that never stops a search.
pub fn run_to_the_end(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Positions between two questions to a [`Control`].
const POLL_INTERVAL: u64 = 4096;

/// Counts a position, and asks the control now and then.
pub(super) fn visit(progress: &mut Progress, control: &mut Control) -> ControlFlow<()> {
    progress.nodes += 1;
    if progress.nodes.is_multiple_of(POLL_INTERVAL) {
        control(progress)?;
    }
    ControlFlow::Continue(())
}
