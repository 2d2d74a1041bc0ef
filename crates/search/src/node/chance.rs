//! Searches chance nodes with the pruning methods Star1 and Star2. They are sound if the bounds on the evaluation are
//! valid (Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983).

use super::{Aborted, Searcher, Window, best_of};
use crate::game::{Game, Score, Side, Turn};
use crate::table::Access;

impl<G: Game, T: Access<G::Move>> Searcher<'_, G, T> {
    pub(super) fn chance(&mut self, depth: u32, window: Window) -> Result<Score, Aborted> {
        let mut outcomes = self.spare_outcomes.pop().unwrap_or_default();
        outcomes.clear();
        self.game.outcomes(&mut outcomes);
        // Likely outcomes contribute most to the mean. They may prove that it lies outside the window before the other
        // outcomes are searched.
        outcomes.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        // Each thread starts with a different outcome, and later finds the results of the other threads in the table.
        let first = outcomes.len() * self.thread.number / self.thread.of;
        outcomes.rotate_left(first);
        let result = self.mean(depth, window, &outcomes);
        self.spare_outcomes.push(outcomes);
        result
    }

    fn mean(
        &mut self,
        depth: u32,
        window: Window,
        outcomes: &[(G::Move, Score)],
    ) -> Result<Score, Aborted> {
        let (lowest, highest) = self.game.bounds();
        let mut bounds = vec![(lowest, highest); outcomes.len()];
        if let Some(value) = self.probe(depth, window, outcomes, &mut bounds)? {
            return Ok(value);
        }
        let mut rest_low = outcome_mean(outcomes, &bounds, |bound| bound.0);
        let mut rest_high = outcome_mean(outcomes, &bounds, |bound| bound.1);
        let mut sum = 0.0;
        for (&(outcome, probability), &(low, high)) in outcomes.iter().zip(&bounds) {
            rest_low -= probability * low;
            rest_high -= probability * high;
            let child = Window {
                alpha: (window.alpha - sum - rest_high) / probability,
                beta: (window.beta - sum - rest_low) / probability,
            };
            let value = self.value_after(outcome, depth, child)?;
            sum += probability * value;
            if value <= child.alpha {
                return Ok((sum + rest_high).min(window.alpha));
            }
            if value >= child.beta {
                return Ok((sum + rest_low).max(window.beta));
            }
        }
        Ok(sum)
    }

    /// Star2: searches only the most promising reply to every outcome, whose value is a bound on the value of the
    /// outcome. Returns a bound on the mean if this bound already lies outside the window. With one ply left, the probe
    /// would be the whole search, so nothing is searched.
    fn probe(
        &mut self,
        depth: u32,
        window: Window,
        outcomes: &[(G::Move, Score)],
        bounds: &mut [(Score, Score)],
    ) -> Result<Option<Score>, Aborted> {
        // No value lies outside a full window, so a probe could never end the search of this node.
        let is_full = window.alpha == Score::NEG_INFINITY && window.beta == Score::INFINITY;
        if depth == 1 || is_full {
            return Ok(None);
        }
        let mut low = outcome_mean(outcomes, bounds, |bound| bound.0);
        let mut high = outcome_mean(outcomes, bounds, |bound| bound.1);
        for (&(outcome, probability), bound) in outcomes.iter().zip(bounds.iter_mut()) {
            let undo = self.game.make(outcome);
            let probed = self.probe_player(depth);
            self.game.unmake(outcome, undo);
            match probed? {
                Some((Side::Min, value)) if value < bound.1 => {
                    high += probability * (value - bound.1);
                    bound.1 = value;
                }
                Some((Side::Max, value)) if value > bound.0 => {
                    low += probability * (value - bound.0);
                    bound.0 = value;
                }
                _ => {}
            }
            if high <= window.alpha {
                return Ok(Some(high));
            }
            if low >= window.beta {
                return Ok(Some(low));
            }
        }
        Ok(None)
    }

    /// Returns the player to move, and the value of its most promising move. The position is worth at least this value
    /// to the player.
    fn probe_player(&mut self, depth: u32) -> Result<Option<(Side, Score)>, Aborted> {
        let Turn::Player(side) = self.game.turn() else {
            return Ok(None);
        };
        let entry = self.table.get(self.key());
        let known = entry.and_then(|entry| entry.best);
        let is_legal = |&best: &G::Move| self.game.is_legal(best);
        let known = known.filter(is_legal);
        let known = known.or_else(|| self.best_before().filter(is_legal));
        let first = match known {
            Some(best) => best,
            None => self.with_moves(|searcher, moves| {
                let looked = searcher.look_at_moves(moves);
                looked.map(|()| best_of(side, moves).1)
            })?,
        };
        // A narrower window was tried. It did not reduce the number of nodes: see docs/notes.
        let value = self.value_after(first, depth - 1, Window::FULL)?;
        Ok(Some((side, value)))
    }
}

fn outcome_mean<M>(
    outcomes: &[(M, Score)],
    bounds: &[(Score, Score)],
    end: impl Fn(&(Score, Score)) -> Score,
) -> Score {
    outcomes
        .iter()
        .zip(bounds)
        .map(|((_, probability), bound)| probability * end(bound))
        .sum()
}
