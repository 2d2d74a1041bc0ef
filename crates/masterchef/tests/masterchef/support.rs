//! Families of MasterChef pools, shared by tests, benches and the growth measurement.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_masterchef::answer::{Answer, Control, Progress};
use turnwise_masterchef::pools::{self, Attributes, DECIMALS, generate};
use turnwise_masterchef::rules::{Captain, Contestant, Draft};

const MILLION: i64 = 1_000_000;

/// How the contestants of a pool relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Capacity and happiness independent and uniform, random digits: the assignment's own kind.
    Uniform,
    /// As uniform, but every ID ends in the same digit.
    SameDigit,
    /// All attributes equal; only the digits differ.
    AllEqual,
    /// Capacity 200, happiness about A rising in even steps while that about B falls: nobody is comparable.
    Incomparable,
    /// As incomparable, with a random capacity of 100 to 200 and random steps.
    Anticorrelated,
    /// Both captains want the same: happiness about both the same.
    Correlated,
    /// As incomparable, but whoever is worth something to both is worth most in all: the hardest one found.
    Concave,
    /// Incomparable, but only six digits, one of them rare: a fight for diversity.
    FewDigits,
    /// Few different values, so that ties are everywhere.
    Grid,
}

impl Family {
    pub const ALL: [Family; 9] = [
        Family::Uniform,
        Family::SameDigit,
        Family::AllEqual,
        Family::Incomparable,
        Family::Anticorrelated,
        Family::Correlated,
        Family::Concave,
        Family::FewDigits,
        Family::Grid,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Family::Uniform => "uniform",
            Family::SameDigit => "same digit",
            Family::AllEqual => "all equal",
            Family::Incomparable => "incomparable",
            Family::Anticorrelated => "anti-correlated",
            Family::Correlated => "correlated",
            Family::Concave => "concave front",
            Family::FewDigits => "few digits",
            Family::Grid => "grid",
        }
    }

    /// The family of pools for matches that this is, if it is one.
    fn offered(self) -> Option<pools::Family> {
        match self {
            Family::Uniform => Some(pools::Family::Uniform),
            Family::Correlated => Some(pools::Family::Contested),
            Family::Concave => Some(pools::Family::Hard),
            _ => None,
        }
    }

    /// Contestants of this family.
    pub fn contestants(self, count: usize, seed: u64) -> Vec<Contestant> {
        let pool = match self.offered() {
            Some(family) => family.pool(count, seed),
            None => generate(count, seed, |number, random| {
                let digit = match self {
                    Family::SameDigit => 7,
                    Family::FewDigits => [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5][number % 11],
                    Family::Incomparable | Family::Anticorrelated | Family::AllEqual => {
                        (number % 10) as u32
                    }
                    _ => random.random_range(0..10),
                };
                let step = number as i64 * MILLION / count.max(2) as i64;
                (digit, self.draw(step, random))
            }),
        };
        pool.iter().map(Attributes::contestant).collect()
    }

    /// Capacity and happiness of one; `step` rises evenly from 0 to a million.
    fn draw(self, step: i64, random: &mut Xoshiro256PlusPlus) -> [i64; 3] {
        match self {
            Family::AllEqual => [100 * MILLION, MILLION / 2, MILLION / 2],
            Family::Incomparable | Family::FewDigits => [200 * MILLION, step, MILLION - step],
            Family::Anticorrelated => {
                let happy = random.random_range(0..=MILLION);
                let capacity = random.random_range(100 * MILLION..=200 * MILLION);
                [capacity, happy, MILLION - happy]
            }
            Family::Grid => [
                random.random_range(0..=4) * 40 * MILLION,
                random.random_range(0..=2) * MILLION / 2,
                random.random_range(0..=2) * MILLION / 2,
            ],
            _ => [
                random.random_range(0..=200 * MILLION),
                random.random_range(0..=MILLION),
                random.random_range(0..=MILLION),
            ],
        }
    }

    /// A draft with `free` free contestants and `picked` picked at random, half by each captain.
    pub fn draft(self, free: usize, picked: usize, seed: u64) -> Draft {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let pool = self.contestants(free + picked, seed);
        let mut owners = vec![None; pool.len()];
        for number in 0..picked {
            let mut index = random.random_range(0..owners.len());
            while owners[index].is_some() {
                index = random.random_range(0..owners.len());
            }
            owners[index] = Some(Captain::BOTH[number % 2]);
        }
        Draft::new(pool.into_iter().zip(owners).collect(), DECIMALS)
    }
}

/// Plain memory over picked sets, the yardstick of the solver: what the rest of a draft is worth depends on
/// who is free and on the digits of both teams, not on the order of the picks. No bounds, no dominance, no
/// ordering.
pub fn by_memory(draft: &Draft, control: &mut Control) -> Answer {
    let free = draft.free().next().expect("the draft is not over");
    let mut memory = Memory {
        rest: HashMap::new(),
        control,
    };
    let best = match memory.best(draft) {
        ControlFlow::Continue(best) => best,
        ControlFlow::Break(()) => None,
    };
    Answer {
        pick: best.map_or(free, |(_, pick)| pick),
        value: best.map(|(value, _)| value),
        proven: best.is_some(),
        nodes: memory.rest.len() as u64,
    }
}

struct Memory<'a, 'c> {
    /// What is still gained, by who is free and the digits of both teams.
    rest: HashMap<(Vec<usize>, [Option<u16>; 2]), i64>,
    control: &'a mut Control<'c>,
}

impl Memory<'_, '_> {
    /// The advantage at the end and the best pick, of equals the first; none if the draft is over.
    fn best(&mut self, draft: &Draft) -> ControlFlow<(), Option<(i64, usize)>> {
        let Some(captain) = draft.turn() else {
            return ControlFlow::Continue(None);
        };
        let mut best: Option<(i64, usize)> = None;
        for index in draft.free() {
            let mut after = draft.clone();
            after.pick(index);
            let value = self.advantage(&after)?;
            let is_better = best.is_none_or(|(best, _)| match captain {
                Captain::A => value > best,
                Captain::B => value < best,
            });
            if is_better {
                best = Some((value, index));
            }
        }
        ControlFlow::Continue(best)
    }

    /// The advantage at the end.
    fn advantage(&mut self, draft: &Draft) -> ControlFlow<(), i64> {
        let so_far = draft.strength(Captain::A) - draft.strength(Captain::B);
        let digits = Captain::BOTH.map(|captain| draft.digits(captain));
        let key = (draft.free().collect(), digits);
        if let Some(rest) = self.rest.get(&key) {
            return ControlFlow::Continue(so_far + rest);
        }
        (self.control)(&Progress {
            nodes: self.rest.len() as u64,
            decided: 0,
            candidates: 0,
            pick: 0,
        })?;
        let value = match self.best(draft)? {
            Some((value, _)) => value,
            None => draft.advantage(),
        };
        self.rest.insert(key, value - so_far);
        ControlFlow::Continue(value)
    }
}
