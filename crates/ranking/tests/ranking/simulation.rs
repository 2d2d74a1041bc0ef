//! Simulates tournaments between participants of known strength. The ratings must recover the order of the strengths,
//! and the 95 % intervals must contain the true value in 93 to 97 of 100 cases.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_ranking::crosstable::{Crosstable, Pair};
use turnwise_ranking::pairing::{Format, Meeting, due};
use turnwise_ranking::ratings::Ratings;
use turnwise_ranking::{bradley_terry, points};

/// The number of Elo points that correspond to a difference of one point in a pair.
const ELO_A_POINT: f64 = 10.0;

/// The conditions of a simulated tournament.
#[derive(Clone, Copy)]
struct Conditions {
    format: Format,
    participants: usize,
    /// The number of pairs in each encounter.
    pairs: usize,
    /// The probability of a draw between equally strong participants is half this number.
    draws: f64,
    /// The probability that the second game of a pair repeats the result of the first game.
    alike: f64,
    /// The standard deviation of the strengths, in Elo.
    spread: f64,
}

/// A simulated tournament, whose participants have known strengths.
struct World {
    random: Xoshiro256PlusPlus,
    elo: Vec<f64>,
    conditions: Conditions,
}

fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

impl World {
    fn new(conditions: Conditions, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let elo = (0..conditions.participants)
            .map(|_| normal(&mut random) * conditions.spread)
            .collect();
        Self {
            random,
            elo,
            conditions,
        }
    }

    /// Simulates a game in which the first participant has this expected score, and returns the number of half points
    /// that it wins.
    fn game(&mut self, expected: f64) -> usize {
        let draws = self.conditions.draws * 2.0 * expected * (1.0 - expected);
        let drawn = self.random.random::<f64>();
        match drawn {
            _ if drawn < expected - draws / 2.0 => 2,
            _ if drawn < expected + draws / 2.0 => 1,
            _ => 0,
        }
    }

    /// Simulates a pair of games that are won, drawn or lost. The difference in points is the difference in wins.
    fn pair_of_games(&mut self, first: usize, second: usize) -> Pair {
        let difference = self.elo[first] - self.elo[second];
        let expected = 1.0 / (1.0 + 10f64.powf(-difference / 400.0));
        let one = self.game(expected);
        let other = match self.random.random_bool(self.conditions.alike) {
            true => one,
            false => self.game(expected),
        };
        Pair {
            first,
            second,
            category: one + other,
            points: (one + other) as f64 - 2.0,
        }
    }

    /// Simulates a pair that is decided by points. The difference in points is normally distributed.
    fn pair_of_points(&mut self, first: usize, second: usize) -> Pair {
        let difference = (self.elo[first] - self.elo[second]) / ELO_A_POINT;
        let points = (difference + 20.0 * normal(&mut self.random)).round();
        Pair {
            first,
            second,
            category: if points > 0.0 { 4 } else { 0 },
            points,
        }
    }

    /// Simulates the whole tournament. `pair` simulates a pair between two participants.
    fn play(&mut self, pair: impl Fn(&mut Self, usize, usize) -> Pair) -> Crosstable {
        let Conditions {
            format,
            participants,
            pairs,
            ..
        } = self.conditions;
        let mut meetings: Vec<Meeting> = Vec::new();
        let mut played = Vec::new();
        loop {
            let due = due(&format, &vec![false; participants], &meetings);
            if due.is_empty() {
                return Crosstable::new(participants, played).expect("all pairs are right");
            }
            for pairing in due {
                let mut balance = 0.0;
                for second in std::iter::repeat_n(pairing.second, pairs).flatten() {
                    let pair = pair(self, pairing.first, second);
                    balance += pair.category as f64 - 2.0;
                    played.push(pair);
                }
                let won = if balance > 0.0 {
                    1.0
                } else if balance < 0.0 {
                    0.0
                } else {
                    0.5
                };
                meetings.push(Meeting {
                    pairing,
                    points: Some([won, 1.0 - won]),
                });
            }
        }
    }
}

/// The numbers of intervals that missed the true value and that contained it.
#[derive(Default)]
struct Coverage {
    ratings: [u32; 2],
    differences: [u32; 2],
}

impl Coverage {
    fn add(&mut self, ratings: &Ratings, truth: &[f64]) {
        let mean = truth.iter().sum::<f64>() / truth.len() as f64;
        for one in 0..truth.len() {
            let own = ratings.estimate(one).expect("all have played");
            let true_one = truth[one] - mean;
            let is_held = own.lower <= true_one && true_one <= own.upper;
            self.ratings[usize::from(is_held)] += 1;
            for other in one + 1..truth.len() {
                let found = ratings.difference(one, other).expect("all are connected");
                let true_one = truth[one] - truth[other];
                let is_held = found.lower <= true_one && true_one <= found.upper;
                self.differences[usize::from(is_held)] += 1;
            }
        }
    }

    fn shares(&self) -> [f64; 2] {
        [self.ratings, self.differences]
            .map(|[missed, held]| f64::from(held) / f64::from(held + missed))
    }
}

fn assert_covered(model: &str, at: &str, coverage: &Coverage) {
    let shares = coverage.shares();
    println!("{model}, {at}: ratings and differences {shares:.3?}");
    for share in shares {
        assert!((0.93..=0.97).contains(&share), "{model}, {at}: {shares:?}");
    }
}

/// Checks the coverage of the intervals (how often they contain the true value) in `runs` simulated tournaments. This
/// number must be large enough to measure the coverage to a percent, because the errors of participants in one
/// tournament are not independent.
fn in_simulations(at: &str, conditions: Conditions, runs: u64) {
    let [mut elo, mut of_points] = [(); 2].map(|()| Coverage::default());
    for seed in 0..runs {
        let mut world = World::new(conditions, seed);
        let table = world.play(World::pair_of_games);
        elo.add(&bradley_terry::elo(&table), &world.elo);
        let table = world.play(World::pair_of_points);
        let truth: Vec<f64> = world.elo.iter().map(|elo| elo / ELO_A_POINT).collect();
        of_points.add(&points::additive(&table), &truth);
    }
    assert_covered("Elo", at, &elo);
    assert_covered("points", at, &of_points);
}

const ROUND_ROBIN: Conditions = Conditions {
    format: Format::RoundRobin { times: 1 },
    participants: 10,
    pairs: 20,
    draws: 0.3,
    alike: 0.2,
    spread: 150.0,
};

#[test]
fn intervals_cover_in_a_round_robin() {
    in_simulations("many pairs", ROUND_ROBIN, 300);
    let few = Conditions {
        participants: 6,
        pairs: 4,
        ..ROUND_ROBIN
    };
    in_simulations("few pairs", few, 1_000);
}

#[test]
fn intervals_cover_where_a_pair_is_little_more_than_one_game() {
    let alike = Conditions {
        draws: 0.0,
        alike: 0.7,
        ..ROUND_ROBIN
    };
    in_simulations("games of a pair alike", alike, 300);
}

#[test]
fn intervals_cover_where_strengths_are_far_apart() {
    let apart = Conditions {
        spread: 350.0,
        ..ROUND_ROBIN
    };
    in_simulations("strengths far apart", apart, 300);
}

#[test]
fn intervals_cover_in_a_gauntlet() {
    let gauntlet = Conditions {
        format: Format::Gauntlet { challengers: 2 },
        participants: 12,
        pairs: 10,
        ..ROUND_ROBIN
    };
    in_simulations("gauntlet", gauntlet, 400);
}

#[test]
fn ratings_of_equals_by_points_stay_near_each_other() {
    // If participants are nearly equal, the ratings are shrunk strongly, and the fit needs many steps.
    let equals = Conditions {
        format: Format::Swiss { rounds: Some(10) },
        participants: 200,
        pairs: 1,
        spread: 20.0,
        ..ROUND_ROBIN
    };
    for seed in 0..5 {
        let mut world = World::new(equals, seed);
        let ratings = points::additive(&world.play(World::pair_of_points));
        let values: Vec<f64> = (0..200).filter_map(|one| ratings.value(one)).collect();
        // A pair has a standard deviation of 20 points, so the mean of ten pairs has a standard deviation of 6 points.
        assert!(values.iter().all(|value| value.abs() < 20.0), "{values:?}");
        let sum: f64 = values.iter().sum();
        assert!(sum.abs() < 1e-6, "{sum}");
    }
}

#[test]
fn intervals_cover_in_a_swiss() {
    let swiss = Conditions {
        format: Format::Swiss { rounds: Some(7) },
        participants: 32,
        pairs: 4,
        ..ROUND_ROBIN
    };
    in_simulations("Swiss", swiss, 150);
}

#[test]
fn intervals_cover_in_a_swiss_of_single_pairs() {
    let single = Conditions {
        format: Format::Swiss { rounds: Some(7) },
        participants: 32,
        pairs: 1,
        ..ROUND_ROBIN
    };
    in_simulations("Swiss of single pairs", single, 1_000);
    let near = Conditions {
        spread: 60.0,
        ..single
    };
    in_simulations("Swiss of single pairs of equals, nearly", near, 1_000);
    let short = Conditions {
        format: Format::Swiss { rounds: Some(5) },
        participants: 16,
        ..single
    };
    in_simulations("short Swiss of single pairs", short, 1_500);
}

#[test]
fn the_true_order_is_recovered() {
    for format in [
        Format::RoundRobin { times: 1 },
        Format::Swiss { rounds: Some(6) },
    ] {
        for seed in 0..5 {
            let conditions = Conditions {
                format,
                pairs: 200,
                ..ROUND_ROBIN
            };
            let mut world = World::new(conditions, seed);
            // Neighbors differ by 100 Elo, in an order that differs from the order of entry.
            world.elo = (0..10).map(|one| f64::from(one * 7 % 10) * 100.0).collect();
            let mut order: Vec<usize> = (0..10).collect();
            order.sort_by(|&one, &other| world.elo[other].total_cmp(&world.elo[one]));
            let of_games = bradley_terry::elo(&world.play(World::pair_of_games));
            let of_points = points::additive(&world.play(World::pair_of_points));
            for ratings in [of_games, of_points] {
                assert_eq!(ratings.order(), order);
                assert!(
                    order
                        .windows(2)
                        .all(|two| ratings.are_distinguishable(two[0], two[1]))
                );
            }
        }
    }
}

#[test]
fn a_thousand_in_a_swiss_are_ranked() {
    let conditions = Conditions {
        format: Format::Swiss { rounds: None },
        participants: 1_000,
        pairs: 1,
        ..ROUND_ROBIN
    };
    let mut world = World::new(conditions, 1);
    let table = world.play(World::pair_of_games);
    assert_eq!(table.encounters().count(), 5_000);
    let ratings = bradley_terry::elo(&table);
    // With ten pairs in each encounter, the upper half is distinguishable from the lower half, but neighbors are not.
    let order = ratings.order();
    let mean = |some: &[usize]| some.iter().map(|&one| world.elo[one]).sum::<f64>() / 500.0;
    let apart = mean(&order[..500]) - mean(&order[500..]);
    assert!(apart > 150.0, "the halves are {apart} Elo apart");
    assert!(ratings.are_distinguishable(order[0], order[999]));
    assert!(!ratings.are_distinguishable(order[499], order[500]));
    let smallest = ratings.smallest_difference().expect("all are connected");
    assert!((100.0..600.0).contains(&smallest), "{smallest}");
    let mut coverage = Coverage::default();
    coverage.add(&ratings, &world.elo);
    let [of_ratings, of_differences] = coverage.shares();
    println!("a thousand: {of_ratings:.3} {of_differences:.3}, {smallest:.0} Elo");
    assert!(
        of_ratings > 0.92 && of_differences > 0.92,
        "{of_ratings} {of_differences}"
    );
}
