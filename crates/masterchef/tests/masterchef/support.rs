//! Families of random MasterChef pools, for tests, for benches, and to measure how the work grows with the pool.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_masterchef::answer::{Answer, Control, Progress};
use turnwise_masterchef::pools::{self, Attributes, DECIMALS, generate};
use turnwise_masterchef::rules::{Captain, Contestant, Draft};

const MILLION: i64 = 1_000_000;

/// A kind of random pool: how the contestants' attributes are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Capacity and happiness are independent and uniform, and digits are random, as in the assignment.
    Uniform,
    /// Like `Uniform`, but all IDs share their last digit.
    SameDigit,
    /// All attributes are equal; only the digits differ.
    AllEqual,
    /// The capacity is always 200. From one contestant to the next, happiness about A rises and about B falls, in even
    /// steps.
    Incomparable,
    /// Like `Incomparable`, with a random capacity of 100 to 200 and random steps.
    Anticorrelated,
    /// Each contestant is equally happy about both captains, so the captains compete for it.
    Correlated,
    /// Like `Incomparable`, but contestants that are valuable to both captains are worth most. The hardest family.
    Concave,
    /// Like `Incomparable`, but five last digits are common and a sixth is rare, so the captains fight for the bonus.
    FewDigits,
    /// The attributes have only a few different values, so that most picks tie with others.
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

    /// Returns the equivalent family of pools for matches, if one exists.
    fn offered(self) -> Option<pools::Family> {
        match self {
            Family::Uniform => Some(pools::Family::Uniform),
            Family::Correlated => Some(pools::Family::Contested),
            Family::Concave => Some(pools::Family::Hard),
            _ => None,
        }
    }

    /// Creates `count` random contestants of this family.
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

    /// Draws a contestant's capacity and both happiness values, in millionths. Over the pool, `step` rises from 0 to a
    /// million.
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

    /// Creates a draft with `free` free contestants and `picked` random picks.
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

/// Searches a draft with a plain memory of all positions, for comparison with the solver.
///
/// The memory works because the value of the rest of a draft depends only on the free contestants and on the digits of
/// both teams, not on the order of picks. The search uses no bounds, drops no dominated picks and does not order picks.
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
    /// A's gain minus B's from the rest of the draft. The key is the free contestants and the digits of both teams.
    rest: HashMap<(Vec<usize>, [Option<u16>; 2]), i64>,
    control: &'a mut Control<'c>,
}

impl Memory<'_, '_> {
    /// Returns A's final advantage and the first of the best picks, or `None` after the last pick.
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

    /// Returns A's final advantage under perfect play.
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
