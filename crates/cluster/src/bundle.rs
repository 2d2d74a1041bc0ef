//! Bundles: short units of work that travel in one message, because a message takes longer than they do.
//!
//! A bundle is a range of consecutive units. What is known of how long units take says how many go into one; as
//! long as nothing is known, or where units are long, each is a bundle of its own.

use std::fmt;
use std::num::ParseIntError;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::{Duration, Instant};

use thiserror::Error;

/// The most units of a bundle. A worker that is lost costs no more of them.
const MOST: u32 = 16;

/// A bundle is done in about so long.
const AIM: Duration = Duration::from_millis(100);

/// How much of the longest time is left after another result.
const FADES: f64 = 0.95;

/// So many units are offered alone before anything is known.
const AT_FIRST: u32 = 64;

/// The others wait so long for a first result.
const PATIENCE: Duration = Duration::from_secs(1);

/// Consecutive units, at least one and at most [`MOST`]; printed as `5` or `5-7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bundle {
    first: u32,
    last: u32,
}

impl Bundle {
    /// One unit alone.
    pub fn alone(number: u32) -> Self {
        Self {
            first: number,
            last: number,
        }
    }

    /// Has the next unit too.
    pub fn grow(&mut self) {
        self.last += 1;
    }

    /// The unit that would be next; none behind the last number there is.
    pub fn next(&self) -> Option<u32> {
        self.last.checked_add(1)
    }

    /// The numbers of its units, in their order.
    pub fn numbers(&self) -> RangeInclusive<u32> {
        self.first..=self.last
    }

    /// How many units it has.
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

/// Why a text names no bundle.
#[derive(Debug, Error)]
pub(crate) enum NoBundle {
    /// What should be a number is none.
    #[error(transparent)]
    Number(#[from] ParseIntError),
    /// The range is empty, too long, or written in another way than a bundle is printed.
    #[error("a bundle is not written like this")]
    Range,
}

impl FromStr for Bundle {
    type Err = NoBundle;

    fn from_str(text: &str) -> Result<Self, NoBundle> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (first.parse()?, last.parse()?);
        let is_short = last >= first && last - first < MOST;
        let bundle = Self { first, last };
        // One bundle has one subject: `+5`, `05` and `5-5` are none.
        match is_short && bundle.to_string() == text {
            true => Ok(bundle),
            false => Err(NoBundle::Range),
        }
    }
}

/// How long units take, and so how many go into a bundle. The longest time counts, and fades as others come: a
/// single long unit makes bundles short at once, and it takes many short ones to make them long again.
#[derive(Debug, Default)]
pub(crate) struct Usual {
    seconds: Option<f64>,
    /// Units that were offered while nothing was known.
    offered: u32,
    /// When the first of them was.
    since: Option<Instant>,
}

impl Usual {
    /// A unit has taken so many seconds.
    pub fn took(&mut self, seconds: f64) {
        let faded = self.seconds.unwrap_or(0.0) * FADES;
        self.seconds = Some(seconds.max(faded));
    }

    /// How many units the bundle may have that is offered next; none as long as a result should come first.
    pub fn most(&mut self) -> Option<usize> {
        if let Some(seconds) = self.seconds {
            // What is no number of units, after no time at all, is the most.
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
        // A long one counts at once, and is forgotten slowly.
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
