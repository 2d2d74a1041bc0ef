//! The race on ideal boards, where a set of candidates can be divided by a question into parts of any two sizes.

use super::{better, decided, score_of_right_guess};

/// The values of the race on ideal boards, for all numbers of candidates up to a maximum.
#[derive(Clone, Debug)]
pub struct IdealRace {
    most: usize,
    values: [Vec<f64>; 2],
}

impl IdealRace {
    /// Solves all states with at most `most` candidates per player. The time grows with the cube of `most`.
    pub fn new(most: usize) -> Self {
        let mut race = IdealRace {
            most,
            values: [vec![0.0; most * most], vec![0.0; most * most]],
        };
        // Every question makes the guesser's set smaller, so a state depends only on states in which the players have
        // fewer candidates in total.
        for total in 2..=2 * most {
            for mine in total.saturating_sub(most).max(1)..=most.min(total - 1) {
                let sizes = [mine as u32, (total - mine) as u32];
                let index = race.index(sizes);
                for turn in 0..2 {
                    race.values[turn][index] = race.solve(sizes, turn);
                }
            }
        }
        race
    }

    fn index(&self, sizes: [u32; 2]) -> usize {
        (sizes[0] as usize - 1) * self.most + sizes[1] as usize - 1
    }

    /// Returns player 1's expected score if the players have these numbers of candidates, from 1 to the maximum.
    ///
    /// Player `turn` (0 or 1) must guess, and player 1 has not named the right person in this round.
    pub fn value(&self, sizes: [u32; 2], turn: usize) -> f64 {
        self.values[turn][self.index(sizes)]
    }

    fn solve(&self, sizes: [u32; 2], turn: usize) -> f64 {
        if let Some(score) = decided(sizes, turn) {
            return score;
        }
        let size = sizes[turn];
        let after = |part: u32| {
            let mut sizes = sizes;
            sizes[turn] = part;
            f64::from(part) * self.value(sizes, 1 - turn)
        };
        let guess = score_of_right_guess(sizes, turn) + after(size - 1);
        let best = (1..=size / 2)
            .map(|part| after(part) + after(size - part))
            .fold(guess, |a, b| better(turn, a, b));
        best / f64::from(size)
    }
}
