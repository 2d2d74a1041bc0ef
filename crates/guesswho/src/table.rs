//! Represents sets of at most 64 candidates as bit masks, for the exact solvers.

use std::collections::HashSet;

use super::board::{Board, Candidates, Question};

/// The maximum number of candidates in a [`Table`].
pub const MOST_CANDIDATES: usize = 64;

/// A division of the table's candidates into two parts, with a question that causes it.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// The candidates for whom the answer is yes.
    pub yes: u64,
    /// The first question in alphabetical order with this division.
    pub question: Question,
}

/// Up to 64 candidates with numbers from 0, and all different divisions that attribute questions cause.
#[derive(Clone, Debug)]
pub struct Table {
    persons: Candidates,
    splits: Vec<Split>,
}

impl Table {
    /// Creates a table with these candidates, or returns `None` if there are more than [`MOST_CANDIDATES`].
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

    /// Returns the mask of all candidates.
    pub fn everyone(&self) -> u64 {
        mask_of_all(self.persons.len())
    }

    /// Returns the different divisions, in alphabetical order of their questions.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// Returns the index of the person that this bit of a mask stands for.
    pub fn person(&self, bit: u32) -> u32 {
        self.persons[bit as usize]
    }

    /// Returns the mask of the given candidates, or `None` if the table lacks a candidate.
    pub fn mask(&self, candidates: &[u32]) -> Option<u64> {
        candidates.iter().try_fold(0, |mask, person| {
            Some(mask | 1 << self.persons.binary_search(person).ok()?)
        })
    }

    /// Returns the size of the smaller part after the most even question about `set`, or 0 if no question divides it.
    ///
    /// No question about a subset of `set` leaves a smaller part that is larger than this.
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

/// Returns the numbers of the bits that are set in a mask, lowest first.
pub fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(bit)
    })
}
