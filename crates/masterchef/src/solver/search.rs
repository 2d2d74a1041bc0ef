//! The recursive search of the solver: principal-variation search in negamax form.
//!
//! The form fits, because the captains strictly alternate and the game is zero-sum: the value for one captain is minus
//! the value for the other captain.

use std::ops::ControlFlow;

use super::position::{Pick, Pool, Position};
use super::table::{Bounds, Table};
use super::{Candidate, Ranked, Ranking, Root};
use crate::answer::{Answer, Control, Progress, visit};
use crate::rules::Draft;
use crate::units::Units;

pub(super) struct Search<'a, 'c, U> {
    pool: &'a Pool<U>,
    table: Table<U>,
    /// For each position of the current line, the picks to search there. The index is the number of picks left.
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

    /// Compares all picks in the starting position and returns the best one.
    ///
    /// A pick that is compared later replaces the best one so far if its value is greater, or if its value is equal and
    /// its ID is smaller.
    pub(super) fn run(&mut self, root: &Root<U>, draft: &Draft<U>) -> Answer<U> {
        self.progress = Progress::new(root.candidates.len(), root.candidates[0].index);
        let mut best: Option<U> = None;
        let finished = root
            .candidates
            .iter()
            .try_for_each(|candidate| self.compare(candidate, &mut best));
        let value = best.map(|best| root.advantage(draft, best));
        self.progress.answer(value, finished)
    }

    /// Ranks the `top` best picks in the starting position. Among equally good picks, smaller IDs come first.
    ///
    /// Reports the ranking to `told` whenever a new pick enters it.
    pub(super) fn rank(
        &mut self,
        root: &Root<U>,
        draft: &Draft<U>,
        top: usize,
        told: &mut dyn FnMut(&Ranking<U>),
    ) -> Ranking<U> {
        self.progress = Progress::new(root.candidates.len(), root.candidates[0].index);
        // For each pick: the captain's gain from now on minus the other captain's, and the pick's index. The best pick
        // comes first.
        let mut gains: Vec<(U, usize)> = Vec::new();
        let finished = root.candidates.iter().try_for_each(|candidate| {
            let last = gains.get(top - 1).copied();
            if let Some(gain) = self.gain_above(candidate, last)? {
                let worse =
                    |&(known, index): &(U, usize)| (-known, index) > (-gain, candidate.index);
                let place = gains.iter().position(worse).unwrap_or(gains.len());
                gains.insert(place, (gain, candidate.index));
                gains.truncate(top);
                told(&self.ranking(root, draft, &gains, false));
            }
            self.progress.decided += 1;
            ControlFlow::Continue(())
        });
        self.ranking(root, draft, &gains, finished.is_continue())
    }

    fn ranking(
        &self,
        root: &Root<U>,
        draft: &Draft<U>,
        gains: &[(U, usize)],
        proven: bool,
    ) -> Ranking<U> {
        let ranked = gains.iter().map(|&(gain, pick)| Ranked {
            pick,
            value: root.advantage(draft, gain),
        });
        Ranking {
            picks: ranked.collect(),
            proven,
            nodes: self.progress.nodes,
        }
    }

    /// Returns the exact gain from the pick `candidate` if it beats the pick `known`, otherwise `None`.
    ///
    /// A candidate with a smaller ID also beats a pick of equal gain. If `known` is `None`, every candidate beats it.
    fn gain_above(
        &mut self,
        candidate: &Candidate<U>,
        known: Option<(U, usize)>,
    ) -> ControlFlow<(), Option<U>> {
        let upper = match known {
            None => U::INFINITY,
            Some((gain, pick)) => match self.bound_above(candidate, gain, pick)? {
                None => return ControlFlow::Continue(None),
                Some(found) => candidate.gain - found,
            },
        };
        let value = self.value(candidate.next, -U::INFINITY, upper)?;
        ControlFlow::Continue(Some(candidate.gain - value))
    }

    /// Returns a lower bound on a candidate's gain if the bound beats another pick, otherwise `None`.
    ///
    /// The other pick has the index `pick` and the gain `gain`.
    fn bound_above(
        &mut self,
        candidate: &Candidate<U>,
        gain: U,
        pick: usize,
    ) -> ControlFlow<(), Option<U>> {
        let needed = gain + U::of(u32::from(candidate.index > pick));
        let rest = candidate.gain - needed;
        let found = candidate.gain - self.value(candidate.next, rest, rest + U::of(1))?;
        ControlFlow::Continue((found >= needed).then_some(found))
    }

    fn compare(&mut self, candidate: &Candidate<U>, best: &mut Option<U>) -> ControlFlow<()> {
        let value = match *best {
            None => candidate.gain - self.value(candidate.next, -U::INFINITY, U::INFINITY)?,
            Some(value) => {
                let Some(found) = self.bound_above(candidate, value, self.progress.pick)? else {
                    self.progress.decided += 1;
                    return ControlFlow::Continue(());
                };
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

    /// Returns the value of a position: the further gain of the captain to move, minus the further gain of the other
    /// captain.
    ///
    /// If this value is outside the window from `alpha` to `beta`, the result is a bound on that side of the window.
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
