//! Combines short units of work into bundles. A bundle is sent in one message, because a message takes longer than a
//! short unit.
//!
//! A bundle is a range of consecutive units. Its size depends on the time that units usually take. If that time is
//! unknown or long, each unit is a separate bundle.

use std::fmt;
use std::num::ParseIntError;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::{Duration, Instant};

use thiserror::Error;

/// The maximum number of units in a bundle. If a worker is lost, the results of its whole bundle are lost.
const MOST: u32 = 16;

/// The intended time to play a bundle, which limits the number of units in it.
const AIM: Duration = Duration::from_millis(100);

/// The factor by which the usual time of a unit is multiplied at each further result; see [`Usual`].
const FADES: f64 = 0.95;

/// The maximum number of units that are offered at first, each alone, before the time of any unit is known.
const AT_FIRST: u32 = 64;

/// How long to wait for the first result before more than [`AT_FIRST`] units are offered.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bundle: at least one and at most [`MOST`] consecutive units. It is printed as `5` or `5-7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bundle {
    first: u32,
    last: u32,
}

impl Bundle {
    /// Creates a bundle that contains only the unit with this number.
    pub fn alone(number: u32) -> Self {
        Self {
            first: number,
            last: number,
        }
    }

    /// Adds the next unit to the end of the bundle.
    pub fn grow(&mut self) {
        self.last += 1;
    }

    /// Returns the number of the unit that follows the bundle; `None` if the bundle ends with the largest `u32`.
    pub fn next(&self) -> Option<u32> {
        self.last.checked_add(1)
    }

    /// Returns the numbers of the bundle's units in ascending order.
    pub fn numbers(&self) -> RangeInclusive<u32> {
        self.first..=self.last
    }

    /// Returns how many units the bundle contains.
    pub fn count(&self) -> usize {
        (self.last - self.first) as usize + 1
    }
}

impl fmt::Display for Bundle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(out, "{}", self.first),
            false => write!(out, "{}-{}", self.first, self.last),
        }
    }
}

/// The reason why a text is not a valid bundle.
#[derive(Debug, Error)]
pub(crate) enum NoBundle {
    /// The text contains an invalid number.
    #[error(transparent)]
    Number(#[from] ParseIntError),
    /// The range is empty, too long, or not in canonical form.
    #[error("expected a number, or a range FIRST-LAST of allowed length")]
    Range,
}

impl FromStr for Bundle {
    type Err = NoBundle;

    fn from_str(text: &str) -> Result<Self, NoBundle> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (first.parse()?, last.parse()?);
        let is_short = last >= first && last - first < MOST;
        let bundle = Self { first, last };
        // A bundle must have only one spelling, because it names a subject: `+5`, `05` and `5-5` are invalid.
        match is_short && bundle.to_string() == text {
            true => Ok(bundle),
            false => Err(NoBundle::Range),
        }
    }
}

/// Measures the usual time of a unit, which determines the size of bundles.
///
/// The usual time is the longest time so far, reduced a little at each further result: one long unit makes bundles
/// short at once, and many short units make them long again.
#[derive(Debug, Default)]
pub(crate) struct Usual {
    seconds: Option<f64>,
    /// How many units were offered before the time of any unit was known.
    offered: u32,
    /// When the first unit was offered.
    since: Option<Instant>,
}

impl Usual {
    /// Records that a unit took `seconds` seconds.
    pub fn took(&mut self, seconds: f64) {
        let faded = self.seconds.unwrap_or(0.0) * FADES;
        self.seconds = Some(seconds.max(faded));
    }

    /// Returns the maximum size of the next bundle, or `None` if no bundle should be offered before the first result.
    pub fn most(&mut self) -> Option<usize> {
        if let Some(seconds) = self.seconds {
            // If the time is zero, the quotient is infinite, and the size becomes the maximum.
            return Some(((AIM.as_secs_f64() / seconds) as usize).clamp(1, MOST as usize));
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        let is_offered = self.offered < AT_FIRST || since.elapsed() >= PATIENCE;
        self.offered = self.offered.saturating_add(u32::from(is_offered));
        is_offered.then_some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_written_in_one_way() {
        for (text, count) in [
            ("0", 1),
            ("5", 1),
            ("5-7", 3),
            ("5-20", 16),
            ("4294967295", 1),
        ] {
            let bundle: Bundle = text.parse().expect(text);
            assert_eq!((bundle.to_string(), bundle.count()), (text.into(), count));
            assert_eq!(bundle.numbers().count(), count);
        }
        for text in [
            "",
            "-",
            "5-",
            "-5",
            "5-5",
            "7-5",
            "5-21",
            "0-4294967295",
            "4294967296",
            "4294967295-4294967296",
            "5-6-7",
            "+5",
            "05",
            "5-06",
            " 5",
            "5.6",
            "*",
            "five",
        ] {
            assert!(text.parse::<Bundle>().is_err(), "{text}");
        }
        assert_eq!(Bundle::alone(u32::MAX).next(), None);
    }

    #[test]
    fn units_are_offered_alone_until_it_is_known_that_they_are_short() {
        let mut usual = Usual::default();
        for _unit in 0..AT_FIRST {
            assert_eq!(usual.most(), Some(1));
        }
        assert_eq!(usual.most(), None);
        usual.took(0.02);
        assert_eq!(usual.most(), Some(5));
        // A long time has an effect at once, which then decreases slowly.
        usual.took(2.0);
        assert_eq!(usual.most(), Some(1));
        for _unit in 0..40 {
            usual.took(0.001);
        }
        assert_eq!(usual.most(), Some(1));
        for _unit in 0..100 {
            usual.took(0.001);
        }
        assert_eq!(usual.most(), Some(MOST as usize));
    }

    #[test]
    fn whatever_a_worker_says_of_the_time_a_bundle_has_units() {
        for seconds in [0.0, f64::MIN_POSITIVE, 1e300, f64::MAX] {
            let mut usual = Usual::default();
            usual.took(seconds);
            let most = usual.most().expect("a number of units");
            assert!((1..=MOST as usize).contains(&most), "{seconds}: {most}");
        }
    }

    #[test]
    fn nothing_waits_for_a_first_result_for_long() {
        let mut usual = Usual {
            offered: AT_FIRST,
            since: Instant::now().checked_sub(PATIENCE),
            ..Usual::default()
        };
        assert_eq!(usual.most(), Some(1));
    }
}
