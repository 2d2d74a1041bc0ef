//! The recursion: principal-variation search in negamax form (a pick and its reply strictly alternate and
//! the game is zero-sum, so a value for one captain is minus the value for the other).

use std::ops::ControlFlow;

use super::position::{Pick, Pool, Position};
use super::table::{Bounds, Table};
use super::{Candidate, Root};
use crate::answer::{Answer, Control, Progress, visit};
use crate::rules::{Captain, Draft};
use crate::units::Units;

pub(super) struct Search<'a, 'c, U> {
    pool: &'a Pool<U>,
    table: Table<U>,
    /// The picks of the positions on the current line, by the number of picks left.
    picks: [Vec<Pick<U>>; 11],
    progress: Progress,
    control: &'a mut Control<'c>,
}

impl<'a, 'c, U: Units> Search<'a, 'c, U> {
    pub(super) fn new(pool: &'a Pool<U>, table: Table<U>, control: &'a mut Control<'c>) -> Self {
        Search {
            pool,
            table,
            picks: [const { Vec::new() }; 11],
            progress: Progress::new(0, 0),
            control,
        }
    }

    /// Compares the first picks. A later one displaces the best by a greater value or, with a smaller ID,
    /// by an equal one.
    pub(super) fn run(&mut self, root: &Root<U>, draft: &Draft<U>) -> Answer<U> {
        self.progress = Progress::new(root.candidates.len(), root.candidates[0].index);
        let mut best: Option<U> = None;
        let finished = root
            .candidates
            .iter()
            .try_for_each(|candidate| self.compare(candidate, &mut best));
        // A pick that completes a diverse team gains the bonus. On Bob's last pick A's has done so before.
        let bonus_so_far = match draft.picks_left() {
            1 => draft.diversity(Captain::A),
            _ => U::ZERO,
        };
        let so_far = draft.strength(Captain::A) + bonus_so_far - draft.strength(Captain::B);
        let value = best.map(|best| match root.captain {
            Captain::A => so_far + best,
            Captain::B => so_far - best,
        });
        self.progress.answer(value, finished)
    }

    fn compare(&mut self, candidate: &Candidate<U>, best: &mut Option<U>) -> ControlFlow<()> {
        let value = match *best {
            None => candidate.gain - self.value(candidate.next, -U::INFINITY, U::INFINITY)?,
            Some(value) => {
                let needed = value + U::of(u32::from(candidate.index > self.progress.pick));
                let rest = candidate.gain - needed;
                let found = candidate.gain - self.value(candidate.next, rest, rest + U::of(1))?;
                if found < needed {
                    self.progress.decided += 1;
                    return ControlFlow::Continue(());
                }
                self.progress.pick = candidate.index;
                *best = Some(found);
                candidate.gain - self.value(candidate.next, -U::INFINITY, candidate.gain - found)?
            }
        };
        self.progress.pick = candidate.index;
        self.progress.decided += 1;
        *best = Some(value);
        ControlFlow::Continue(())
    }

    /// What the captain to move will gain from here on more than the other; if that is outside the window,
    /// a bound on the same side of the window.
    fn value(&mut self, mut position: Position, mut alpha: U, mut beta: U) -> ControlFlow<(), U> {
        visit(&mut self.progress, self.control)?;
        match position.left {
            0 => return ControlFlow::Continue(U::ZERO),
            1 => return ControlFlow::Continue(self.pool.last_pick(&position)),
            2 => return ControlFlow::Continue(self.pool.last_round(&position)),
            3 => return ControlFlow::Continue(self.pool.last_three(&position, alpha, beta)),
            _ => {}
        }
        self.pool.reduce(&mut position);
        let key = self.pool.key(&position);
        let known = self.table.get(key).unwrap_or(Bounds::unknown());
        if known.lower >= beta || known.lower == known.upper {
            return ControlFlow::Continue(known.lower);
        }
        if known.upper <= alpha {
            return ControlFlow::Continue(known.upper);
        }
        alpha = alpha.max(known.lower);
        beta = beta.min(known.upper);

        let level = usize::from(position.left);
        let picks = &mut self.picks[level];
        self.pool.picks(&position, picks);
        if let Some(place) = picks.iter().position(|pick| pick.contestant == known.pick) {
            picks[..=place].rotate_right(1);
        }
        let hope = self.pool.hope(&position);
        let mut best = -U::INFINITY;
        let mut best_pick = known.pick;
        for number in 0..self.picks[level].len() {
            let contestant = self.picks[level][number].contestant;
            let gain = self.pool.gain(&position, contestant);
            let next = self.pool.after(&position, contestant);
            let floor = alpha.max(best);
            if gain + hope <= floor {
                best = best.max(gain + hope);
                continue;
            }
            let mut value;
            if number == 0 {
                value = gain - self.value(next, gain - beta, gain - floor)?;
            } else {
                value = gain - self.value(next, gain - floor - U::of(1), gain - floor)?;
                if value > floor && value < beta {
                    value = gain - self.value(next, gain - beta, gain - value)?;
                }
            }
            if value > best {
                best = value;
                best_pick = contestant;
            }
            if best >= beta {
                break;
            }
        }
        let mut bounds = Bounds {
            pick: best_pick,
            ..known
        };
        if best > alpha {
            bounds.lower = bounds.lower.max(best);
        }
        if best < beta {
            bounds.upper = bounds.upper.min(best);
        }
        self.table.put(key, position.left, bounds);
        ControlFlow::Continue(best)
    }
}
