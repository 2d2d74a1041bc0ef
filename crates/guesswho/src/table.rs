//! A set of at most 64 candidates as bit masks: the form in which the exact solvers work.

use std::collections::HashSet;

use super::board::{Board, Candidates, Question};

/// The most candidates that a [`Table`] holds.
pub const MOST_CANDIDATES: usize = 64;

/// One way to divide the table's candidates, and the question that does it.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// The candidates for whom the answer is yes.
    pub yes: u64,
    /// The first question in alphabetical order that divides so.
    pub question: Question,
}

/// Candidates numbered 0 to 63 and the different ways in which attribute questions divide them.
#[derive(Clone, Debug)]
pub struct Table {
    persons: Candidates,
    splits: Vec<Split>,
}

impl Table {
    /// The table of these candidates, or nothing if there are more than [`MOST_CANDIDATES`].
    pub fn new(board: &Board, candidates: &[u32]) -> Option<Table> {
        if candidates.len() > MOST_CANDIDATES {
            return None;
        }
        let everyone = mask_of_all(candidates.len());
        let mut known = HashSet::new();
        let mut splits = Vec::new();
        for (question, _) in board.splits(candidates) {
            let yes = (0..candidates.len())
                .filter(|&index| board.answer(question, candidates[index]))
                .fold(0, |mask, index| mask | 1 << index);
            if known.insert(yes.min(everyone & !yes)) {
                splits.push(Split { yes, question });
            }
        }
        Some(Table {
            persons: candidates.to_vec(),
            splits,
        })
    }

    /// Every candidate of the table.
    pub fn everyone(&self) -> u64 {
        mask_of_all(self.persons.len())
    }

    /// The different divisions, in alphabetical order of their questions.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// The person behind a bit.
    pub fn person(&self, bit: u32) -> u32 {
        self.persons[bit as usize]
    }

    /// The mask of some of the table's candidates, or nothing if one of them is not in the table.
    pub fn mask(&self, candidates: &[u32]) -> Option<u64> {
        candidates.iter().try_fold(0, |mask, person| {
            Some(mask | 1 << self.persons.binary_search(person).ok()?)
        })
    }

    /// The largest minority into which any question divides `set`; 0 if no question divides it.
    ///
    /// No subset of `set` can be divided with a larger minority.
    pub fn largest_minority(&self, set: u64) -> u32 {
        let size = set.count_ones();
        let minorities = self.splits.iter().map(|split| {
            let yes = (set & split.yes).count_ones();
            yes.min(size - yes)
        });
        minorities.max().unwrap_or(0)
    }
}

fn mask_of_all(size: usize) -> u64 {
    u64::MAX.checked_shr(64 - size as u32).unwrap_or(0)
}

/// The bits of a mask, lowest first.
pub fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(bit)
    })
}
