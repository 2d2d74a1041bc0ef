//! Chooses bids: the growth-optimal share of the points or, near the end, a bid that aims to gain places.
//!
//! A bid of the share `mean / variance` of the points makes the points grow fastest in the long run (J. L. Kelly, "A
//! New Interpretation of Information Rate", Bell System Technical Journal, 1956, for small edges). A larger bid grows
//! more slowly and risks ruin. Without an edge, the bid is the minimum. In the last rounds, long-run growth no longer
//! matters. There, the bid maximizes the expected number of beaten rivals, plus a share of the mean gain.

use super::next_hand::MeanAndVariance;
use super::rules::{Points, Settings};

/// The bid as a multiple of the growth-optimal bid.
///
/// Values above 1 increase the mean of the points at the expense of their long-run growth. This value was chosen by
/// tournaments against the baselines; see docs/reference/twentyone.md.
pub const RISK: f64 = 1.5;

/// The number of final rounds in which the standings decide the bid.
const LAST_ROUNDS: u32 = 3;

/// The number of places in the standings that we value as much as doubling our points.
const PLACES_PER_STAKE: f64 = 20.0;

/// The largest share of our points to bid, so that doubles and splits remain affordable.
const LARGEST_SHARE: f64 = 0.25;

/// A rival's points and bids, as far as we know them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rival {
    /// The rival's points.
    pub points: Points,
    /// The mean of the rival's known bids, in points.
    pub mean_bid: f64,
}

/// The facts about the game from which a player chooses its bid.
#[derive(Debug, Clone)]
pub struct Situation {
    /// The parameters of the game.
    pub settings: Settings,
    /// The player's own points.
    pub points: Points,
    /// The number of rounds still to play, including this round.
    pub rounds_left: u32,
    /// The mean and the variance of the next hand's gain, in bids.
    pub next_hand: MeanAndVariance,
    /// All other players in the game.
    pub rivals: Vec<Rival>,
}

impl Situation {
    /// Chooses the bid, within the bounds of the game and of the player's points.
    pub fn bid(&self) -> Points {
        let growth = self.growth_bid();
        if !self.is_for_a_place() {
            return growth;
        }
        let (lowest, highest) = (self.lowest(), self.highest());
        [lowest, growth, 2 * growth, highest / 2, highest]
            .into_iter()
            .map(|bid| bid.clamp(lowest, highest))
            .map(|bid| (bid, self.places(bid)))
            .reduce(|best, next| if next.1 > best.1 + 1e-9 { next } else { best })
            .map_or(growth, |(bid, _)| bid)
    }

    /// Returns the value of a bid in points.
    ///
    /// [`Situation::bid`] considers only a few bids, and chooses the bid of greatest value.
    ///
    /// While many rounds are left, the value is the mean gain minus the cost of the risk. When few rounds are left, it
    /// is the mean gain plus the value of a place for each rival that is likely to be beaten.
    pub fn worth(&self, bid: Points) -> f64 {
        let stake = self.points.max(1) as f64;
        if self.is_for_a_place() {
            return self.places(bid) * stake / PLACES_PER_STAKE;
        }
        let (bid, hand) = (bid as f64, self.next_hand);
        hand.mean * bid - hand.variance * bid * bid / (2.0 * RISK * stake)
    }

    /// Returns true if the standings decide the bid because few rounds are left.
    fn is_for_a_place(&self) -> bool {
        self.rounds_left <= LAST_ROUNDS && !self.rivals.is_empty()
    }

    fn highest(&self) -> Points {
        self.settings.max_bid.min(self.points)
    }

    /// Returns the smallest legal bid. A player with less than the minimum bid may bid a single point.
    fn lowest(&self) -> Points {
        match self.settings.min_bid {
            minimum if self.points < minimum => 1,
            minimum => minimum,
        }
    }

    fn growth_bid(&self) -> Points {
        let fraction = RISK * self.next_hand.mean / self.next_hand.variance.max(1e-3);
        let share = fraction.clamp(0.0, LARGEST_SHARE);
        let bid = (share * self.points as f64).floor() as Points;
        bid.clamp(self.lowest(), self.highest())
    }

    /// Returns the expected number of rivals beaten after this bid, plus the mean gain converted to places.
    fn places(&self, bid: Points) -> f64 {
        let bid = bid as f64;
        let gain = self.next_hand.mean * bid;
        let later = f64::from(self.rounds_left.saturating_sub(1));
        let typical = self.growth_bid() as f64;
        let own = self.next_hand.variance * (bid * bid + later * typical * typical);
        let beaten: f64 = self
            .rivals
            .iter()
            .map(|rival| {
                let theirs = (later + 1.0) * self.next_hand.variance * rival.mean_bid.powi(2);
                let lead = self.points as f64 + gain - rival.points as f64;
                normal(lead / (own + theirs).sqrt().max(1e-9))
            })
            .sum();
        beaten + PLACES_PER_STAKE * gain / self.points.max(1) as f64
    }
}

/// Approximates the normal distribution function by the logistic function (within 0.01).
fn normal(z: f64) -> f64 {
    1.0 / (1.0 + (-1.702 * z).exp())
}

#[cfg(test)]
mod tests {
    use super::super::actions::check_bid;
    use super::super::rules::RuleSet;
    use super::*;
    use proptest::prelude::*;

    fn situation(settings: &Settings, points: Points, mean: f64) -> Situation {
        let next_hand = MeanAndVariance {
            mean,
            variance: 1.25,
        };
        Situation {
            settings: settings.clone(),
            points,
            rounds_left: 500,
            next_hand,
            rivals: Vec::new(),
        }
    }

    #[test]
    fn without_an_edge_the_minimum_is_bid() {
        let settings = Settings::of(RuleSet::Text);
        assert_eq!(situation(&settings, 10_000, -0.01).bid(), 10);
        assert_eq!(situation(&settings, 6, -0.01).bid(), 1);
    }

    #[test]
    fn with_an_edge_the_bid_grows_with_edge_and_points() {
        let settings = Settings::of(RuleSet::Text);
        assert_eq!(
            situation(&settings, 10_000, 0.01).bid(),
            (RISK * 80.0) as Points
        );
        assert_eq!(
            situation(&settings, 20_000, 0.02).bid(),
            (RISK * 320.0) as Points
        );
        assert_eq!(situation(&settings, 1_000_000, 0.02).bid(), 1000);
    }

    #[test]
    fn behind_in_the_last_round_it_dares_and_ahead_it_does_not() {
        let settings = Settings::of(RuleSet::Text);
        let rival = |points| {
            [Rival {
                points,
                mean_bid: 10.0,
            }]
        };
        let last = |rivals: [Rival; 1]| Situation {
            rounds_left: 1,
            rivals: rivals.into(),
            ..situation(&settings, 10_000, -0.002)
        };
        assert_eq!(last(rival(10_800)).bid(), 1000);
        assert_eq!(last(rival(9_900)).bid(), 10);
        // A bid that loses a place also loses the value of that place, which is a twentieth of the points.
        let behind = last(rival(10_800));
        let lost = behind.worth(1000) - behind.worth(10);
        assert!(lost > 50.0 && lost < 500.0, "{lost}");
    }

    #[test]
    fn far_from_the_end_the_growth_optimal_bid_is_worth_most() {
        let settings = Settings::of(RuleSet::Text);
        let early = situation(&settings, 10_000, 0.02);
        let best = early.bid();
        for bid in [10, best / 2, best - 1, best + 1, 2 * best, 1000] {
            assert!(early.worth(bid) <= early.worth(best) + 1e-3, "{bid}");
        }
    }

    proptest! {
        #[test]
        fn every_bid_is_legal(
            points in 1u64..100_000, min in 1u64..500, more in 0u64..5_000, mean in -0.5f64..0.5,
            variance in 0.0f64..5.0, rounds_left in 0u32..10,
            rivals in prop::collection::vec((0u64..100_000, 0.0f64..1000.0), 0..4),
        ) {
            let settings = Settings {
                min_bid: min, max_bid: min + more, ..Settings::of(RuleSet::Text)
            };
            let rivals: Vec<Rival> =
                rivals.into_iter().map(|(points, mean_bid)| Rival { points, mean_bid }).collect();
            let situation = Situation {
                settings: settings.clone(), points, rounds_left,
                next_hand: MeanAndVariance { mean, variance }, rivals,
            };
            let bid = situation.bid();
            prop_assert_eq!(check_bid(&settings, bid, points), Ok(()));
            prop_assert!(situation.worth(bid).is_finite());
        }
    }
}
