//! The pairings drawn so far, in a canonical order that does not depend on the order of input.

use std::collections::{BTreeSet, HashMap};

use super::{Meeting, Pairing};

/// The valid meetings of a tournament in a canonical order, without duplicates. Open meetings of withdrawn participants
/// are left out.
pub(super) struct History<'a> {
    /// For each participant, true if the participant must not be paired again.
    pub withdrawn: &'a [bool],
    /// All valid meetings, sorted by round, participants and repeat. The first participant of each meeting is the one
    /// that comes earlier in the list of entries.
    meetings: Vec<Meeting>,
}

impl<'a> History<'a> {
    pub fn new(withdrawn: &'a [bool], meetings: &[Meeting]) -> Self {
        let participants = 0..withdrawn.len();
        let is_theirs = |pairing: &Pairing| {
            let is_bye_or_theirs =
                (pairing.second).is_none_or(|second| participants.contains(&second));
            participants.contains(&pairing.first)
                && is_bye_or_theirs
                && pairing.second != Some(pairing.first)
        };
        let falls_away = |meeting: &Meeting| {
            meeting.points.is_none() && meeting.pairing.participants().any(|one| withdrawn[one])
        };
        let mut meetings: Vec<Meeting> = meetings
            .iter()
            .filter(|meeting| is_theirs(&meeting.pairing))
            .map(|meeting| meeting.in_order())
            .filter(|meeting| !falls_away(meeting))
            .collect();
        // If a pairing occurs with and without points, the copy with points is sorted first, so that it is kept.
        meetings.sort_by(|one, other| {
            let bits = |meeting: &Meeting| meeting.points.map(|points| points.map(f64::to_bits));
            (one.pairing.cmp(&other.pairing)).then_with(|| bits(other).cmp(&bits(one)))
        });
        meetings.dedup_by_key(|meeting| meeting.pairing);
        Self {
            withdrawn,
            meetings,
        }
    }

    /// Returns all valid meetings, sorted by round.
    pub fn meetings(&self) -> &[Meeting] {
        &self.meetings
    }

    /// Returns the valid meetings of a round, sorted by participants.
    pub fn round(&self, round: u32) -> &[Meeting] {
        self.between(round, round)
    }

    /// Returns the valid meetings of the rounds from `first` to `last`, including both rounds.
    pub fn between(&self, first: u32, last: u32) -> &[Meeting] {
        let from = (self.meetings).partition_point(|meeting| meeting.pairing.round < first);
        let to = (self.meetings).partition_point(|meeting| meeting.pairing.round <= last);
        &self.meetings[from..to.max(from)]
    }

    /// Returns the last round up to `most` in which a pairing was drawn.
    pub fn last_round(&self, most: u32) -> Option<u32> {
        (self.between(0, most).last()).map(|meeting| meeting.pairing.round)
    }

    /// Returns all participants that may still be paired.
    pub fn active(&self) -> impl Iterator<Item = usize> {
        (0..self.withdrawn.len()).filter(|&one| !self.withdrawn[one])
    }

    /// Returns the members of `field` that had certainly entered the tournament when this round was drawn: all members
    /// up to the last one, in the order of entry, that was paired in this round or earlier.
    pub fn entered_before(&self, round: u32, field: &[usize]) -> Vec<usize> {
        let last = (self.between(0, round).iter())
            .flat_map(|meeting| meeting.pairing.participants())
            .max();
        let is_known = |one: &usize| last.is_none_or(|last| *one <= last);
        field.iter().copied().filter(is_known).collect()
    }

    /// Returns the missing pairings of a round that has already been drawn in part. Empty once all participants in
    /// `known` are paired.
    ///
    /// `field` contains every possible participant of the round, and `known` the participants that are certainly in the
    /// round. `draw` pairs a whole round. The round is first drawn for `field`. If the result contains all pairings
    /// that were drawn earlier, it is the original draw. Otherwise a participant has joined since then, and the round
    /// is drawn for `known`. If this result also differs, a participant has left, and the participants that are not
    /// paired yet are drawn separately.
    pub fn rest_of_round(
        &self,
        round: u32,
        field: &[usize],
        known: &[usize],
        draw: impl Fn(&[usize]) -> Vec<Pairing>,
    ) -> Vec<Pairing> {
        let drawn: BTreeSet<Pairing> = (self.round(round).iter())
            .map(|meeting| meeting.pairing)
            .filter(|pairing| pairing.repeat == 0 || self.is_opening(round, pairing))
            .collect();
        let seated: BTreeSet<usize> = drawn.iter().flat_map(Pairing::participants).collect();
        let is_waiting = |one: &usize| !seated.contains(one);
        let waiting: Vec<usize> = known.iter().copied().filter(is_waiting).collect();
        if waiting.is_empty() {
            return Vec::new();
        }
        for field in [field, known] {
            let everybody: BTreeSet<usize> = field.iter().chain(&seated).copied().collect();
            let everybody: Vec<usize> = everybody.into_iter().collect();
            let pairings = draw(&everybody);
            if drawn.iter().all(|pairing| pairings.contains(pairing)) {
                let is_new = |pairing: &Pairing| !drawn.contains(pairing);
                return pairings.into_iter().filter(is_new).collect();
            }
        }
        draw(&waiting)
    }

    /// Returns true if the two participants have no earlier encounter in the round, so that this encounter is not a
    /// repetition.
    fn is_opening(&self, round: u32, pairing: &Pairing) -> bool {
        self.round(round).iter().all(|meeting| {
            let other = &meeting.pairing;
            (other.first, other.second) != (pairing.first, pairing.second)
                || other.repeat >= pairing.repeat
        })
    }
}

/// The number of times that participants have met each other or have had a bye.
pub(super) struct Encounters {
    counts: HashMap<(usize, Option<usize>), u32>,
}

impl Encounters {
    pub fn of(meetings: &[Meeting]) -> Self {
        let mut counts = HashMap::new();
        for Meeting { pairing, .. } in meetings {
            *counts.entry((pairing.first, pairing.second)).or_default() += 1;
        }
        Self { counts }
    }

    /// Returns how often two participants have met. If `other` is `None`, returns how often `one` has had a bye.
    pub fn count(&self, one: usize, other: Option<usize>) -> u32 {
        let key = match other {
            Some(other) => (one.min(other), Some(one.max(other))),
            None => (one, None),
        };
        self.counts.get(&key).copied().unwrap_or_default()
    }

    /// Returns the pairing for the next encounter of two participants, or the next bye, in this round.
    pub fn next(&self, round: u32, one: usize, other: Option<usize>) -> Pairing {
        let repeat = self.count(one, other);
        Pairing {
            round,
            first: one,
            second: other,
            repeat,
        }
        .in_order()
    }
}

impl Pairing {
    /// Iterates over the two participants, or the single participant if the pairing is a bye.
    pub fn participants(&self) -> impl Iterator<Item = usize> + use<> {
        [Some(self.first), self.second].into_iter().flatten()
    }

    /// Returns this pairing with the earlier entry as the first participant.
    fn in_order(mut self) -> Self {
        if let Some(second) = self.second.as_mut().filter(|second| **second < self.first) {
            std::mem::swap(&mut self.first, second);
        }
        self
    }
}

impl Meeting {
    fn in_order(&self) -> Self {
        let pairing = self.pairing.in_order();
        match pairing.second {
            // A bye counts as played as soon as it is drawn.
            None => Self {
                pairing,
                points: Some([1.0, 0.0]),
            },
            Some(_) if pairing.first == self.pairing.first => *self,
            Some(_) => Self {
                pairing,
                points: self.points.map(|[first, second]| [second, first]),
            },
        }
    }
}
