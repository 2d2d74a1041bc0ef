//! Creates random pools for matches. The family, the size and the seed determine a pool completely.

use std::f64::consts::FRAC_PI_2;
use std::fmt;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::rules::{Contestant, Draft};

/// The number of decimals of a power: the capacity and the happiness have six each, so their product has twelve.
pub const DECIMALS: u32 = 12;

/// The number 1 in millionths, the units of capacities and happiness.
const ONE: i64 = 1_000_000;

/// The maximum size of a pool. IDs have five digits, and their first four digits are all different.
pub const MOST: usize = 9_000;

/// The attributes of a contestant, which do not include its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// The ID: a unique number of five digits.
    pub id: u32,
    /// The capacity in millionths, up to 200 × 10^6.
    pub capacity: i64,
    /// The happiness about A and about Bob, in millionths, up to 10^6.
    pub happiness: [i64; 2],
}

impl Attributes {
    /// Converts the attributes into a contestant for the rules.
    pub fn contestant(&self) -> Contestant {
        Contestant {
            id: self.id,
            gain: self.happiness.map(|happiness| self.capacity * happiness),
        }
    }
}

/// Formats the contestant's line in an input file without its last field, the captain that picked the contestant.
///
/// An example is `64504,193.537866,0.239586,0.572906`.
impl fmt::Display for Attributes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.happiness;
        write!(formatter, "{}", self.id)?;
        [self.capacity, a, b]
            .iter()
            .try_for_each(|field| write!(formatter, ",{}.{:06}", field / ONE, field % ONE))
    }
}

/// A kind of random pool: how the contestants' attributes are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Capacity and happiness are independent and uniform, as in the assignment.
    #[default]
    Uniform,
    /// All contestants have nearly equal worth for both captains, so the bonus outweighs all other differences.
    Close,
    /// Each contestant has equal worth for both captains, so every pick also deprives the other captain.
    Contested,
    /// Four last digits are common and one is rare, so the captains fight for the bonus.
    Digits,
    /// Contestants that are valuable to both captains are worth most. This is the hardest known family.
    Hard,
}

impl Family {
    /// All families, in the order of their declaration.
    pub const ALL: [Family; 5] = [
        Family::Uniform,
        Family::Close,
        Family::Contested,
        Family::Digits,
        Family::Hard,
    ];

    /// Returns the name that the family has on the command line and in logs.
    pub fn name(self) -> &'static str {
        match self {
            Family::Uniform => "uniform",
            Family::Close => "close",
            Family::Contested => "contested",
            Family::Digits => "digits",
            Family::Hard => "hard",
        }
    }

    /// Creates a pool of `count` contestants, at most [`MOST`], in random order.
    pub fn pool(self, count: usize, seed: u64) -> Vec<Attributes> {
        generate(count, seed, |number, random| {
            let digit = match self {
                Family::Digits => [0, 1, 2, 3, 0, 1, 2, 3, 0, 4][number % 10],
                Family::Hard => (number % 10) as u32,
                _ => random.random_range(0..10),
            };
            (digit, self.draw(random))
        })
    }

    /// Draws a contestant's capacity, happiness about A and happiness about Bob, in millionths.
    fn draw(self, random: &mut Xoshiro256PlusPlus) -> [i64; 3] {
        match self {
            Family::Uniform | Family::Digits => [
                random.random_range(0..=200 * ONE),
                random.random_range(0..=ONE),
                random.random_range(0..=ONE),
            ],
            Family::Close => [
                random.random_range(95 * ONE..=105 * ONE),
                random.random_range(ONE / 100 * 45..=ONE / 100 * 55),
                random.random_range(ONE / 100 * 45..=ONE / 100 * 55),
            ],
            Family::Contested => {
                let happiness = random.random_range(0..=ONE);
                [random.random_range(0..=200 * ONE), happiness, happiness]
            }
            Family::Hard => {
                let angle = random.random_range(0.0..FRAC_PI_2);
                let millionths = |part: f64| (part * ONE as f64) as i64;
                [200 * ONE, millionths(angle.sin()), millionths(angle.cos())]
            }
        }
    }
}

/// Creates contestants with random IDs. For each, `draw` returns the last digit, the capacity and both happiness
/// values.
pub fn generate(
    count: usize,
    seed: u64,
    mut draw: impl FnMut(usize, &mut Xoshiro256PlusPlus) -> (u32, [i64; 3]),
) -> Vec<Attributes> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ (count as u64) << 32);
    let mut tens: Vec<u32> = (1_000..).take(MOST).collect();
    (0..count)
        .map(|number| {
            let ten = tens.swap_remove(random.random_range(0..tens.len()));
            let (digit, [capacity, a, b]) = draw(number, &mut random);
            Attributes {
                id: ten * 10 + digit,
                capacity,
                happiness: [a, b],
            }
        })
        .collect()
}

/// Creates a draft with the contestants of the pool, before any pick.
pub fn draft(pool: &[Attributes]) -> Draft {
    let free = pool.iter().map(|one| (one.contestant(), None));
    Draft::new(free.collect(), DECIMALS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_assignments() {
        let attributes = Attributes {
            id: 64504,
            capacity: 193_537_866,
            happiness: [239_586, 1_000_000],
        };
        assert_eq!(attributes.to_string(), "64504,193.537866,0.239586,1.000000");
    }

    #[test]
    fn families_are_what_they_say() {
        for family in Family::ALL {
            let pool = family.pool(60, 3);
            assert_eq!(pool, family.pool(60, 3));
            assert_ne!(pool, family.pool(60, 4));
            for one in &pool {
                assert!((10_000..100_000).contains(&one.id), "{one}");
                assert!((0..=200 * ONE).contains(&one.capacity), "{one}");
                assert!(one.happiness.iter().all(|it| (0..=ONE).contains(it)));
                let [a, b] = one.contestant().gain.map(|gain| gain / (ONE * ONE));
                match family {
                    Family::Close => assert!((42..58).contains(&a) && (42..58).contains(&b)),
                    Family::Contested => assert_eq!(a, b),
                    Family::Digits => assert!(one.id % 10 < 5),
                    // The point lies on a circle of radius 200, before both coordinates are rounded down twice.
                    Family::Hard => assert!((198 * 198..=200 * 200).contains(&(a * a + b * b))),
                    Family::Uniform => {}
                }
            }
            let mut ids: Vec<u32> = pool.iter().map(|one| one.id).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), 60, "each ID is another");
        }
        let rare = Family::Digits.pool(60, 3);
        assert_eq!(rare.iter().filter(|one| one.id % 10 == 4).count(), 6);
    }
}
