//! Finds the questions with which a player needs the fewest rounds on average. The results are exact.
//!
//! For each candidate in a set, count the rounds until the player names the candidate, assuming that this candidate is
//! the opponent's person. The *cost* of the set is the sum of these counts, so cost / size is the expected number of
//! rounds. A set of one candidate costs 1. In a larger set, the question costs one round for every candidate. Then:
//!
//! - an attribute question leaves both parts to be solved: `cost(yes) + cost(no)`;
//! - a person guess removes that person and leaves the others: `cost(rest)`.
//!
//! The solver uses branch and bound over the reachable sets, with memoization. The bound is the cost on an ideal board
//! that has every division with a minority of at most `m`, where `m` is the largest minority that a question about the
//! real set gives. No question about a subset gives a larger minority, so the bound is valid.

use std::collections::HashMap;

use super::board::Question;
use super::table::{Split, Table, bits};

/// The costs of sets on ideal boards, indexed by the largest minority that a question gives, then by the set's size.
#[derive(Clone, Debug)]
struct Floor(Vec<Vec<u32>>);

impl Floor {
    fn new(most: usize) -> Floor {
        let with = |minority: usize| {
            let mut costs = vec![0u32];
            for size in 1..=most {
                let guess = costs[size - 1];
                let divisions =
                    (1..=minority.min(size / 2)).map(|part| costs[part] + costs[size - part]);
                costs.push(size as u32 + divisions.fold(guess, u32::min));
            }
            costs
        };
        Floor((0..=most / 2).map(with).collect())
    }

    fn of(&self, size: u32, minority: u32) -> u32 {
        self.0[minority as usize][size as usize]
    }
}

/// The known bounds on the cost of a set.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// A lower bound on the cost.
    lower: u32,
    /// True if `lower` is the exact cost.
    exact: bool,
}

/// The two sets that a question leaves; after a person guess, the second is empty.
#[derive(Clone, Copy)]
struct Parts {
    larger: u64,
    smaller: u64,
    lower: u32,
}

/// Computes the cost and the best question of any subset of a [`Table`], and keeps its results for later calls.
#[derive(Clone, Debug)]
pub struct Optimal {
    table: Table,
    floor: Floor,
    known: HashMap<u64, Bound>,
    nodes_left: u64,
    examined: u64,
}

impl Optimal {
    /// Creates a solver for all subsets of the table's candidates.
    pub fn new(table: Table) -> Self {
        let floor = Floor::new(table.everyone().count_ones() as usize);
        Optimal {
            table,
            floor,
            known: HashMap::new(),
            nodes_left: 0,
            examined: 0,
        }
    }

    /// Returns the table whose subsets this solver accepts.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Returns the number of sets examined so far, a measure of work that does not depend on the machine.
    pub fn examined(&self) -> u64 {
        self.examined
    }

    /// Returns the exact cost of `set`, or `None` if examining `most_nodes` sets does not suffice to prove it.
    ///
    /// The solver keeps its partial results, so a second call continues the work.
    pub fn cost(&mut self, set: u64, most_nodes: u64) -> Option<u32> {
        self.nodes_left = most_nodes;
        self.solve(set, u32::MAX)
    }

    /// Returns a question with which `set` has its exact cost.
    ///
    /// Returns `None` if examining `most_nodes` sets does not suffice to find and prove the question.
    ///
    /// Among several such questions, attribute questions come first, in alphabetical order, then person guesses.
    pub fn best(&mut self, set: u64, most_nodes: u64) -> Option<Question> {
        self.best_option(set, most_nodes)
            .map(|(question, _, _)| question)
    }

    /// Returns the two sets that the question of [`Self::best`] leaves; after a person guess, the second is empty.
    ///
    /// Returns `None` for a single candidate, or if `most_nodes` is too small.
    pub fn best_parts(&mut self, set: u64, most_nodes: u64) -> Option<(u64, u64)> {
        let (_, first, second) = self.best_option(set, most_nodes)?;
        (first != 0).then_some((first, second))
    }

    fn best_option(&mut self, set: u64, most_nodes: u64) -> Option<(Question, u64, u64)> {
        let size = set.count_ones();
        let target = self.cost(set, most_nodes)? - size;
        if size == 1 {
            let last = self.table.person(set.trailing_zeros());
            return Some((Question::Person(last), 0, 0));
        }
        for index in 0..self.table.splits().len() {
            let Split { yes, question } = self.table.splits()[index];
            let (yes, no) = (set & yes, set & !yes);
            if yes != 0 && no != 0 && self.reaches(target, yes, no)? {
                return Some((question, yes, no));
            }
        }
        for bit in bits(set) {
            let rest = set & !(1 << bit);
            if self.reaches(target, rest, 0)? {
                return Some((Question::Person(self.table.person(bit)), rest, 0));
            }
        }
        unreachable!("some question has the exact cost")
    }

    /// Returns whether the costs of two sets add up to exactly `target`, or `None` if the node limit is reached.
    fn reaches(&mut self, target: u32, first: u64, second: u64) -> Option<bool> {
        let (first_lower, second_lower) = (self.lower(first), self.lower(second));
        if first_lower + second_lower > target {
            return Some(false);
        }
        let first = self.within(first, target - second_lower)?;
        if first + second_lower > target {
            return Some(false);
        }
        Some(first + self.within(second, target - first)? <= target)
    }

    /// Like [`Self::solve`], but accepts an empty set.
    fn within(&mut self, set: u64, limit: u32) -> Option<u32> {
        match set {
            0 => Some(0),
            set => self.solve(set, limit),
        }
    }

    fn lower(&self, set: u64) -> u32 {
        if set == 0 {
            return 0;
        }
        let by_size = || {
            self.floor
                .of(set.count_ones(), self.table.largest_minority(set))
        };
        self.known
            .get(&set)
            .map_or_else(by_size, |bound| bound.lower)
    }

    /// Returns the exact cost of a set if it is at most `limit`, otherwise a lower bound that is above `limit`.
    ///
    /// Returns `None` if the node limit is reached.
    fn solve(&mut self, set: u64, limit: u32) -> Option<u32> {
        let size = set.count_ones();
        if size <= 2 {
            return Some(if size == 1 { 1 } else { 3 });
        }
        let minority = self.table.largest_minority(set);
        // If no question leaves at least two candidates in both parts, it is best to guess one person after another: a
        // question that separates one candidate gives only the information that guessing the candidate gives.
        if minority <= 1 {
            return Some(size * (size + 1) / 2);
        }
        let bound = self.known.get(&set).copied();
        let mut lower = bound.map_or_else(|| self.floor.of(size, minority), |bound| bound.lower);
        if lower > limit || bound.is_some_and(|bound| bound.exact) {
            return Some(lower);
        }
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        self.examined += 1;

        let options = self.options(set, size, minority);
        let mut best = limit.saturating_add(1);
        let mut refuted = u32::MAX;
        for parts in options {
            if size + parts.lower >= best {
                refuted = refuted.min(size + parts.lower);
                break;
            }
            let room = best - 1 - size;
            let smaller_lower = self.lower(parts.smaller);
            let larger = self.solve(parts.larger, room - smaller_lower)?;
            let mut cost = size + larger + smaller_lower;
            if cost < best {
                cost = size + larger + self.within(parts.smaller, room - larger)?;
            }
            if cost < best {
                best = cost;
            } else {
                refuted = refuted.min(cost);
            }
        }
        let exact = best <= limit;
        lower = lower.max(if exact { best } else { refuted });
        self.known.insert(set, Bound { lower, exact });
        Some(lower)
    }

    /// Returns, for each question worth trying, the parts that it leaves. The most promising question comes first.
    fn options(&self, set: u64, size: u32, minority: u32) -> Vec<Parts> {
        let mut options = Vec::with_capacity(self.table.splits().len() + size as usize);
        for split in self.table.splits() {
            let (mut smaller, mut larger) = (set & split.yes, set & !split.yes);
            if smaller.count_ones() > larger.count_ones() {
                (smaller, larger) = (larger, smaller);
            }
            if smaller.count_ones() >= 2 {
                options.push(Parts {
                    larger,
                    smaller,
                    lower: self.lower(larger) + self.lower(smaller),
                });
            }
        }
        let after_guess = self.floor.of(size - 1, minority);
        for bit in bits(set) {
            let rest = set & !(1 << bit);
            let known = self.known.get(&rest);
            options.push(Parts {
                larger: rest,
                smaller: 0,
                lower: known.map_or(after_guess, |bound| bound.lower),
            });
        }
        options.sort_by_key(|parts| (parts.lower, parts.larger.count_ones(), parts.larger));
        options.dedup_by_key(|parts| (parts.larger, parts.smaller));
        options
    }
}
