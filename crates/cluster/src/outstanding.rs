//! Keeps the outstanding units of a run, which have been started and have no result yet, and bundles them for the
//! workers.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::bundle::{Bundle, Usual};

/// The units for whose results a coordinator waits.
#[derive(Default)]
pub(crate) struct Outstanding {
    /// The lines of JSON that describe the outstanding units, keyed by unit number.
    lines: BTreeMap<u32, String>,
    /// The units that must still be sent to the server.
    unoffered: BTreeSet<u32>,
    /// The units that must not be bundled with others.
    alone: BTreeSet<u32>,
    usual: Usual,
}

impl Outstanding {
    /// Returns the number of outstanding units.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Adds the unit with this number, which the line of JSON `line` describes.
    pub fn begin(&mut self, number: u32, line: String) {
        self.lines.insert(number, line);
        self.unoffered.insert(number);
    }

    /// Returns true if the unit with this number has no result yet.
    pub fn has(&self, number: u32) -> bool {
        self.lines.contains_key(&number)
    }

    /// Removes a unit because it has a result or will never have one. Returns false if it was not outstanding.
    pub fn settle(&mut self, number: u32) -> bool {
        self.unoffered.remove(&number);
        self.alone.remove(&number);
        self.lines.remove(&number).is_some()
    }

    /// Records that a unit took `seconds` seconds.
    pub fn took(&mut self, seconds: f64) {
        self.usual.took(seconds);
    }

    /// Returns the numbers of the bundle's units that are still outstanding.
    pub fn left_of(&self, bundle: Bundle) -> Vec<u32> {
        let numbers = bundle.numbers();
        numbers.filter(|&number| self.has(number)).collect()
    }

    /// Returns the next bundle to offer, and the message for it, which begins with the hash `task`.
    ///
    /// Returns `None` if all units have been offered, or if no further units should be offered before the first result.
    pub fn next(&mut self, task: &str) -> Option<(Bundle, Bytes)> {
        let first = *self.unoffered.first()?;
        let most = match self.alone.contains(&first) {
            true => 1,
            false => self.usual.most()?,
        };
        self.unoffered.remove(&first);
        let mut bundle = Bundle::alone(first);
        while bundle.count() < most
            && let Some(next) = bundle.next()
            && !self.alone.contains(&next)
            && self.unoffered.remove(&next)
        {
            bundle.grow();
        }
        let mut message = task.to_owned();
        for number in bundle.numbers() {
            message.push('\n');
            message.push_str(&self.lines[&number]);
        }
        Some((bundle, message.into()))
    }

    /// Marks a bundle's outstanding units to be offered again, because the server has not stored the bundle.
    pub fn offer_again(&mut self, bundle: Bundle) {
        let left = self.left_of(bundle);
        self.unoffered.extend(left);
    }

    /// Marks a bundle's outstanding units to be offered again, each as a separate bundle.
    pub fn part(&mut self, bundle: Bundle) {
        self.alone.extend(self.left_of(bundle));
        self.offer_again(bundle);
    }

    /// Marks all outstanding units to be offered again, except the units in `standing`, which the server still stores.
    pub fn offer_all_but(&mut self, standing: &BTreeSet<u32>) {
        let numbers = self.lines.keys().copied();
        self.unoffered = numbers.filter(|it| !standing.contains(it)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a set of `units` outstanding units, each so short that sixteen of them fit into a bundle.
    fn short(units: u32) -> Outstanding {
        let mut outstanding = Outstanding::default();
        outstanding.took(0.001);
        (1..=units).for_each(|number| outstanding.begin(number, format!("line {number}")));
        outstanding
    }

    fn offered(outstanding: &mut Outstanding) -> Vec<String> {
        let next = || Some(outstanding.next("task")?.0.to_string());
        std::iter::from_fn(next).collect()
    }

    fn bundle(text: &str) -> Bundle {
        text.parse().expect("a bundle")
    }

    #[test]
    fn consecutive_units_share_a_bundle() {
        let mut outstanding = short(40);
        assert!(outstanding.settle(20));
        assert!(!outstanding.settle(20));
        assert_eq!(
            offered(&mut outstanding),
            ["1-16", "17-19", "21-36", "37-40"]
        );
        outstanding.offer_again(bundle("19-21"));
        let (pair, message) = outstanding.next("task").expect("one is left");
        assert_eq!((pair, &*message), (bundle("19"), &b"task\nline 19"[..]));
        let (pair, message) = outstanding.next("task").expect("one is left");
        assert_eq!((pair, &*message), (bundle("21"), &b"task\nline 21"[..]));
        outstanding.offer_again(bundle("1-2"));
        let (_, message) = outstanding.next("task").expect("two are left");
        assert_eq!(&*message, b"task\nline 1\nline 2");
    }

    #[test]
    fn a_bundle_that_is_parted_is_offered_as_units() {
        let mut outstanding = short(8);
        assert_eq!(offered(&mut outstanding), ["1-8"]);
        outstanding.settle(5);
        // Units that are not outstanding are ignored.
        outstanding.part(bundle("3-9"));
        assert_eq!(offered(&mut outstanding), ["3", "4", "6", "7", "8"]);
        outstanding.offer_again(bundle("1-4"));
        assert_eq!(offered(&mut outstanding), ["1-2", "3", "4"]);
        outstanding.begin(9, "line 9".to_owned());
        outstanding.begin(10, "line 10".to_owned());
        assert_eq!(offered(&mut outstanding), ["9-10"]);
    }

    #[test]
    fn what_stands_is_not_offered_again() {
        let mut outstanding = short(6);
        outstanding.offer_all_but(&[2, 3, 7].into());
        assert_eq!(offered(&mut outstanding), ["1", "4-6"]);
        outstanding.settle(5);
        outstanding.offer_all_but(&[1].into());
        assert_eq!(offered(&mut outstanding), ["2-4", "6"]);
    }
}
