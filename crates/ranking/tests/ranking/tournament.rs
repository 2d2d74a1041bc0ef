//! A tournament with made-up results, for the other tests.

use std::collections::{BTreeSet, HashMap};

use turnwise_ranking::pairing::{Format, Meeting, Pairing, due};

/// A tournament in progress.
#[derive(Clone)]
pub struct Tournament {
    pub format: Format,
    pub withdrawn: Vec<bool>,
    pub meetings: Vec<Meeting>,
}

/// Returns a made-up result that depends only on the pairing. The stronger participant mostly wins, and a few
/// encounters are drawn.
pub fn points(pairing: &Pairing) -> [f64; 2] {
    let Some(second) = pairing.second else {
        return [1.0, 0.0];
    };
    let mixed = (pairing.first * 7919 + second * 104_729 + pairing.repeat as usize * 31) % 10;
    match mixed {
        0..=5 => [1.0, 0.0],
        6 | 7 => [0.5, 0.5],
        _ => [0.0, 1.0],
    }
}

impl Tournament {
    pub fn new(format: Format, participants: usize) -> Self {
        Self {
            format,
            withdrawn: vec![false; participants],
            meetings: Vec::new(),
        }
    }

    pub fn due(&self) -> Vec<Pairing> {
        due(&self.format, &self.withdrawn, &self.meetings)
    }

    pub fn play(&mut self, pairing: Pairing) {
        self.meetings.push(Meeting {
            pairing,
            points: Some(points(&pairing)),
        });
    }

    /// Plays all pairings that are due. Returns false if no pairings were due.
    pub fn step(&mut self) -> bool {
        let due = self.due();
        due.iter().for_each(|&pairing| self.play(pairing));
        !due.is_empty()
    }

    pub fn finish(mut self) -> Self {
        let mut steps = 0;
        while self.step() {
            steps += 1;
            assert!(steps < 10_000, "the tournament does not end");
        }
        self
    }

    /// Returns all pairings drawn so far, in a fixed order. Asserts that no pairing was drawn twice.
    pub fn drawn(&self) -> BTreeSet<Pairing> {
        let drawn: BTreeSet<Pairing> = self.meetings.iter().map(|met| met.pairing).collect();
        assert_eq!(
            drawn.len(),
            self.meetings.len(),
            "something was drawn twice"
        );
        drawn
    }

    pub fn played(&self) -> usize {
        let encounters = self.meetings.iter();
        encounters
            .filter(|met| met.pairing.second.is_some())
            .count()
    }

    /// Returns how often every two participants have met, and how often each participant has had a bye.
    pub fn counts(&self) -> HashMap<(usize, Option<usize>), usize> {
        let mut counts = HashMap::new();
        for Meeting { pairing, .. } in &self.meetings {
            assert!(pairing.second.is_none_or(|second| pairing.first < second));
            *counts.entry((pairing.first, pairing.second)).or_default() += 1;
        }
        counts
    }

    /// Asserts that a participant appears in at most one pairing per round.
    pub fn assert_rounds_are_disjoint(&self) {
        let mut seen = BTreeSet::new();
        for Meeting { pairing, .. } in &self.meetings {
            for one in [Some(pairing.first), pairing.second].into_iter().flatten() {
                assert!(seen.insert((pairing.round, one)), "{pairing:?}");
            }
        }
    }
}
