//! Plain memory over picked sets: what the rest of a draft is worth depends on who is free and on the
//! digits of both teams, not on the order of the picks, so every such position is searched once.
//!
//! No bounds, no dominance, no ordering: the yardstick of the [solver](super::solver), and its oracle where
//! [minimax](super::literal) is out of reach.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::answer::{Answer, Control, Progress, visit};
use super::rules::{Captain, Draft, with_digit};

/// Solves a draft with at most 128 free contestants.
///
/// # Panics
/// If more are free or the draft is over.
pub fn solve(draft: &Draft, control: &mut Control) -> Answer {
    let free: Vec<usize> = draft.free().collect();
    assert!(free.len() <= 128, "plain memory holds 128 free contestants");
    let state = State {
        picked: 0,
        digits: Captain::BOTH.map(|captain| draft.digits(captain)),
    };
    let mut memo = Memo {
        draft,
        progress: Progress::new(free.len(), free[0]),
        free,
        values: HashMap::new(),
        control,
    };
    let mut best: Option<i64> = None;
    let captain = draft.turn().expect("the draft is over");
    let finished = (0..memo.free.len()).try_for_each(|slot| {
        let value = memo.after_pick(slot, state, draft.picks_left())?;
        if best.is_none_or(|best| captain.prefers(value, best)) {
            best = Some(value);
            memo.progress.pick = memo.free[slot];
        }
        memo.progress.decided += 1;
        ControlFlow::Continue(())
    });
    let so_far = draft.strength(Captain::A) - draft.strength(Captain::B);
    let value = best.map(|best| so_far + best);
    memo.progress.answer(value, finished)
}

/// What the rest of a draft depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    /// Picked slots of the contestants free at the start.
    picked: u128,
    /// Digits of each team, `None` once one occurs twice.
    digits: [Option<u16>; 2],
}

struct Memo<'a, 'c> {
    draft: &'a Draft,
    free: Vec<usize>,
    /// Advantage gained from a state on.
    values: HashMap<State, i64>,
    progress: Progress,
    control: &'a mut Control<'c>,
}

impl Memo<'_, '_> {
    fn value(&mut self, state: State, picks_left: usize) -> ControlFlow<(), i64> {
        if picks_left == 0 {
            let [a, b] = state.digits.map(|digits| self.draft.bonus_for(digits));
            return ControlFlow::Continue(a - b);
        }
        if let Some(&value) = self.values.get(&state) {
            return ControlFlow::Continue(value);
        }
        visit(&mut self.progress, self.control)?;
        let captain = Captain::to_pick(picks_left);
        let mut best = [i64::MIN, i64::MAX][captain.index()];
        for slot in 0..self.free.len() {
            if state.picked >> slot & 1 == 0 {
                let value = self.after_pick(slot, state, picks_left)?;
                if captain.prefers(value, best) {
                    best = value;
                }
            }
        }
        self.values.insert(state, best);
        ControlFlow::Continue(best)
    }

    fn after_pick(
        &mut self,
        slot: usize,
        mut state: State,
        picks_left: usize,
    ) -> ControlFlow<(), i64> {
        let contestant = &self.draft.contestants()[self.free[slot]];
        let side = Captain::to_pick(picks_left);
        let digits = &mut state.digits[side.index()];
        *digits = with_digit(*digits, contestant.digit());
        state.picked |= 1 << slot;
        let rest = self.value(state, picks_left - 1)?;
        let gain = contestant.gain[side.index()];
        ControlFlow::Continue(match side {
            Captain::A => rest + gain,
            Captain::B => rest - gain,
        })
    }
}
