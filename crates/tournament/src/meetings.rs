//! Chooses the next pair of games in a tournament that consists of meetings between two participants.
//!
//! A meeting of two participants consists of one or more pairs. Each participant plays its meetings in the order that
//! the format determines, and its faults are counted after each meeting. As long as no participant is away, the
//! schedule therefore depends neither on how many pairs run in parallel nor on where a tournament was interrupted and
//! resumed.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use turnwise_arena::records::{DrawRecord, GameRecord};
use turnwise_arena::schedule::{MeetingNumber, Next, Pair, seed_of};
use turnwise_arena::strength::pair::PairResult;
use turnwise_engine::guest::Presence;
use turnwise_engine::plugin::Scoring;
use turnwise_ranking::pairing::{Format, Meeting, Pairing, due};

use crate::held::{Held, most_meetings};
use crate::seating::{Attendance, Roster, Seating, mixed};

/// Identifies a meeting by the indices of the two participants, in ascending order, and the number of earlier meetings
/// between the two.
type Key = (usize, usize, u32);

/// A meeting of which at least one pair has started.
#[derive(Debug, Default)]
struct Open {
    /// The indices of the pairs that have started.
    begun: BTreeSet<u32>,
    /// For each finished pair, the lead of the first participant, keyed by the index of the pair.
    results: BTreeMap<u32, f64>,
    /// The number of faults of each participant: first the first participant's, then the second's.
    faults: [u32; 2],
}

/// The meetings of a tournament in progress.
pub(crate) struct Meetings {
    scoring: Scoring,
    faults: Vec<u32>,
    /// All meetings that have been drawn, including byes.
    meetings: Vec<Meeting>,
    /// For each meeting, its index in `meetings`.
    drawn: HashMap<Key, usize>,
    /// The meetings that are not over, in the order in which they should be played.
    waiting: Vec<Key>,
    open: HashMap<Key, Open>,
    /// The indices of the two participants of each pair in progress.
    under_way: Vec<[usize; 2]>,
    attendance: Option<Attendance>,
}

impl Meetings {
    /// Returns an empty schedule. If `attendance` is given, participants may come and go. In that case, the meetings of
    /// an absent participant wait while other meetings are played, and each participant plays only one pair at a time.
    pub(crate) fn new(
        participants: usize,
        scoring: Scoring,
        attendance: Option<Attendance>,
    ) -> Self {
        Self {
            scoring,
            faults: vec![0; participants],
            meetings: Vec::new(),
            drawn: HashMap::new(),
            waiting: Vec::new(),
            open: HashMap::new(),
            under_way: Vec::new(),
            attendance,
        }
    }

    /// Stores a drawn meeting. Returns false if it is already stored, or if it exceeds the maximum number of meetings
    /// between two participants.
    fn note(&mut self, format: &Format, pairing: Pairing) -> bool {
        if let Some(key) = key(&pairing) {
            if self.drawn.contains_key(&key) || key.2 >= most_meetings(format) {
                return false;
            }
            self.drawn.insert(key, self.meetings.len());
            self.waiting.push(key);
        }
        self.meetings.push(Meeting {
            pairing,
            points: None,
        });
        true
    }

    /// Computes the result of a meeting whose pairs are all over, and counts the faults. Returns false if the meeting
    /// is unknown.
    fn end(&mut self, roster: &mut Roster, key: Key) -> bool {
        let Some((open, &at)) = self.open.remove(&key).zip(self.drawn.get(&key)) else {
            return false;
        };
        let won = |is_won: fn(f64) -> bool| {
            let mut results = open.results.values();
            results.by_ref().filter(|&&ahead| is_won(ahead)).count()
        };
        let points = match won(|ahead| ahead > 0.0).cmp(&won(|ahead| ahead < 0.0)) {
            Ordering::Greater => [1.0, 0.0],
            Ordering::Equal => [0.5, 0.5],
            Ordering::Less => [0.0, 1.0],
        };
        self.meetings[at].points = Some(points);
        self.waiting.retain(|waiting| *waiting != key);
        for (place, faults) in [key.0, key.1].into_iter().zip(open.faults) {
            self.faults[place] += faults;
            roster.judge(place, self.faults[place]);
        }
        true
    }

    /// Returns the indices of the participants that are away.
    fn away(&self, roster: &Roster) -> HashSet<usize> {
        let Some(attendance) = &self.attendance else {
            return HashSet::new();
        };
        let places = roster.names.iter().enumerate();
        let away = places.filter(|(_, name)| attendance(name) == Presence::Away);
        away.map(|(place, _)| place).collect()
    }

    /// Returns the next pair that can begin. This is the first pair, in the order of play, whose participants have no
    /// earlier meeting to finish.
    fn first_free(&self, roster: &Roster) -> Option<(Key, u32)> {
        let away = self.away(roster);
        let mut busy = HashSet::new();
        if self.attendance.is_some() {
            busy.extend(self.under_way.iter().flatten().copied());
        }
        let is_idle =
            |place: &usize| roster.is_in(*place) && !away.contains(place) && !busy.contains(place);
        let mut idle = (0..roster.names.len()).filter(is_idle).count();
        for &key in &self.waiting {
            // Fewer than two participants are idle, so no pair can begin. Stopping here saves time: the list can be
            // long, and this function runs often.
            if idle < 2 {
                return None;
            }
            let (first, second, _) = key;
            // Skips this meeting without marking its participants as busy, so that the opponent of an absent
            // participant can play other meetings.
            if away.contains(&first) || away.contains(&second) {
                continue;
            }
            // Until this meeting is over, both participants play no later meeting, even if this meeting has to wait.
            let taken = [busy.insert(first), busy.insert(second)];
            let is_begun = |pair: &u32| {
                let open = self.open.get(&key);
                open.is_some_and(|open| open.begun.contains(pair))
            };
            let pair = (0..roster.held.pairs).find(|pair| !is_begun(pair));
            if let (Some(pair), [true, true]) = (pair, taken) {
                return Some((key, pair));
            }
            idle -= taken.into_iter().filter(|&taken| taken).count();
        }
        None
    }
}

fn key(pairing: &Pairing) -> Option<Key> {
    Some((pairing.first, pairing.second?, pairing.repeat))
}

/// Returns a unique number for a pair of a meeting. The numbers of existing pairs do not change when participants are
/// added.
fn number(held: &Held, (first, second, repeat): Key, pair: u32) -> u32 {
    let couple = (second * (second - 1) / 2 + first) as u32;
    let meeting = couple * most_meetings(&held.format) + repeat;
    meeting * held.pairs + pair + 1
}

fn draw_record(roster: &Roster, pairing: &Pairing) -> DrawRecord {
    DrawRecord {
        first: roster.names[pairing.first].clone(),
        second: pairing.second.map(|second| roster.names[second].clone()),
        others: Vec::new(),
        meeting: MeetingNumber {
            round: pairing.round,
            repeat: pairing.repeat,
        },
    }
}

impl Seating for Meetings {
    /// Stores a meeting that the log contains, unless the roster lacks a participant of the meeting.
    fn note_logged(&mut self, roster: &Roster, draw: &DrawRecord) {
        let (Some(one), other) = (
            roster.place(&draw.first),
            draw.second.as_ref().map(|name| roster.place(name)),
        ) else {
            return;
        };
        let (first, second) = match other {
            None => (one, None),
            Some(Some(other)) if other != one => (one.min(other), Some(one.max(other))),
            Some(_) => return,
        };
        let pairing = Pairing {
            round: draw.meeting.round,
            first,
            second,
            repeat: draw.meeting.repeat,
        };
        self.note(&roster.held.format, pairing);
    }

    /// Returns true if the meeting is now over, because new meetings may be due then.
    fn record(&mut self, roster: &mut Roster, games: &[GameRecord]) -> bool {
        let Some(first) = games.first() else {
            return false;
        };
        let [one, other] = [&first.first, &first.second].map(|name| roster.place(name));
        let is_this = |pair: &[usize; 2]| pair.map(Some) == [one, other];
        if let Some(at) = self.under_way.iter().position(is_this) {
            self.under_way.swap_remove(at);
        }
        let Some(result) = PairResult::of_meeting(self.scoring, games) else {
            return false;
        };
        let Some(((one, other), number)) = one.zip(other).zip(first.meeting) else {
            return false;
        };
        let (first, second) = (one.min(other), one.max(other));
        let pairing = Pairing {
            round: number.round,
            first,
            second: Some(second),
            repeat: number.repeat,
        };
        self.note(&roster.held.format, pairing);
        let key = (first, second, number.repeat);
        let open = self.open.entry(key).or_default();
        let pair = (games[0].pair - 1) % roster.held.pairs;
        open.begun.insert(pair);
        let ahead = match one == first {
            true => result.difference(),
            false => -result.difference(),
        };
        open.results.insert(pair, ahead);
        for fault in games.iter().flat_map(GameRecord::charged_faults) {
            open.faults[usize::from(fault.agent != roster.names[first])] += 1;
        }
        open.results.len() == roster.held.pairs as usize && self.end(roster, key)
    }

    /// Drops the meetings of withdrawn participants. If no meetings remain, draws new ones and returns them.
    fn go_on(&mut self, roster: &mut Roster) -> Vec<DrawRecord> {
        let is_played = |&(first, second, _): &Key| roster.is_in(first) && roster.is_in(second);
        self.waiting.retain(is_played);
        if !self.waiting.is_empty() {
            return Vec::new();
        }
        let withdrawn: Vec<bool> = roster.withdrawn.iter().map(Option::is_some).collect();
        let mut drawn = due(&roster.held.format, &withdrawn, &self.meetings);
        drawn.retain(|&pairing| self.note(&roster.held.format, pairing));
        let drawn = drawn.iter().map(|pairing| draw_record(roster, pairing));
        drawn.collect()
    }

    fn next(&mut self, roster: &Roster) -> Next {
        let Some((key, pair)) = self.first_free(roster) else {
            // If meetings remain although no pair is in progress, they are waiting for an absent participant.
            let is_missed = self.attendance.is_some() && !self.waiting.is_empty();
            return match self.under_way.is_empty() && !is_missed {
                true => Next::Over,
                false => Next::Wait,
            };
        };
        self.open.entry(key).or_default().begun.insert(pair);
        let (first, second, repeat) = key;
        self.under_way.push([first, second]);
        let names = [&roster.names[first], &roster.names[second]];
        Next::Pair(Pair {
            number: number(&roster.held, key, pair),
            first,
            second,
            others: Vec::new(),
            seed: seed_of(mixed(roster.seed, names, [repeat, pair])),
            pairs_before: repeat * roster.held.pairs + pair,
            meeting: Some(MeetingNumber {
                round: self.meetings[self.drawn[&key]].pairing.round,
                repeat,
            }),
        })
    }
}
