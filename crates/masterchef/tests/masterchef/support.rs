//! Families of MasterChef pools, shared by tests, benches and the growth measurement.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_masterchef::rules::{Captain, Contestant, Draft};

/// Decimals of every generated value: two factors of six.
pub const DECIMALS: u32 = 12;

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

    /// Contestants of this family in the order of their IDs.
    pub fn contestants(self, count: usize, seed: u64) -> Vec<Contestant> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ (count as u64) << 32);
        let mut tens: Vec<u32> = (1_000..10_000).collect();
        let mut contestants: Vec<Contestant> = Vec::new();
        for number in 0..count {
            let ten = tens.swap_remove(random.random_range(0..tens.len()));
            let digit = match self {
                Family::SameDigit => 7,
                Family::FewDigits => [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5][number % 11],
                Family::Incomparable
                | Family::Anticorrelated
                | Family::Concave
                | Family::AllEqual => (number % 10) as u32,
                _ => random.random_range(0..10),
            };
            let step = number as i64 * MILLION / count.max(2) as i64;
            let [capacity, happy_a, happy_b] = match self {
                Family::Uniform | Family::SameDigit => [
                    random.random_range(0..=200 * MILLION),
                    random.random_range(0..=MILLION),
                    random.random_range(0..=MILLION),
                ],
                Family::AllEqual => [100 * MILLION, MILLION / 2, MILLION / 2],
                Family::Incomparable | Family::FewDigits => [200 * MILLION, step, MILLION - step],
                Family::Anticorrelated => {
                    let happy = random.random_range(0..=MILLION);
                    [
                        random.random_range(100 * MILLION..=200 * MILLION),
                        happy,
                        MILLION - happy,
                    ]
                }
                Family::Correlated => {
                    let happy = random.random_range(0..=MILLION);
                    [random.random_range(0..=200 * MILLION), happy, happy]
                }
                Family::Concave => {
                    let angle = random.random_range(0.0..std::f64::consts::FRAC_PI_2);
                    [
                        200 * MILLION,
                        (angle.sin() * 1e6) as i64,
                        (angle.cos() * 1e6) as i64,
                    ]
                }
                Family::Grid => [
                    random.random_range(0..=4) * 40 * MILLION,
                    random.random_range(0..=2) * MILLION / 2,
                    random.random_range(0..=2) * MILLION / 2,
                ],
            };
            contestants.push(Contestant {
                id: ten * 10 + digit,
                gain: [capacity * happy_a, capacity * happy_b],
            });
        }
        contestants
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
