//! Which pair is played next, from the format and the results so far.
//!
//! A meeting of two participants is a number of pairs. Each participant plays its meetings in the order in
//! which the format lists them, and is judged by its faults after each of them; so what is played does not
//! depend on how many pairs run at the same time, nor on where a tournament was broken off and resumed, as long
//! as nobody is away.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use turnwise_arena::records::{DrawRecord, GameRecord, Settings};
use turnwise_arena::schedule::{MeetingNumber, Next, Pair, Schedule, seed_of};
use turnwise_arena::strength::pair::PairResult;
use turnwise_engine::hosting::Presence;
use turnwise_engine::plugin::Scoring;
use turnwise_ranking::pairing::{Format, Meeting, Pairing, due, planned, tables};

use crate::class_file::{Class, Held};
use crate::tables::Tables;

/// Rounds of a Swiss that does not say how many: enough for the most participants.
const USUAL_ROUNDS: u32 = 12;

/// Meetings of a knockout that are drawn, and played again.
const MOST_DRAWN: u32 = 16;

/// So often can the same two meet; the pairs' numbers leave room for it.
fn most_meetings(format: &Format) -> u32 {
    match *format {
        Format::RoundRobin { times } => times,
        Format::Gauntlet { .. } => 1,
        Format::Knockout {} => MOST_DRAWN,
        Format::Swiss { rounds } => rounds.unwrap_or(USUAL_ROUNDS),
        Format::SwissIntoRoundRobin { rounds, .. } => rounds.saturating_add(1),
        Format::Tables { .. } => 0,
    }
}

/// A tournament that is played: it says what is played next, and who does not play on.
pub trait Conducting: Schedule {
    /// Why participants play no further meetings, by their places.
    fn withdrawn(&self) -> &[Option<Withdrawal>];
}

/// A tournament after what a log has of it, see [`Conductor::new`] and [`Tables::new`]. With `attendance`
/// participants may come and go, see [`Conductor::ask_for_attendance`]; nobody does at tables of more than two.
pub fn conductor<'a>(
    class: &Class,
    withdrawn: Vec<Option<Withdrawal>>,
    before: Before<'_>,
    attendance: Option<Attendance>,
    watch: impl FnMut(&Progress<'_>) + Send + 'a,
) -> Box<dyn Conducting + 'a> {
    if let Format::Tables { rounds } = class.held.format {
        return Box::new(Tables::new(class, rounds, withdrawn, before, watch));
    }
    let mut conductor = Conductor::new(class, withdrawn, before, watch);
    if let Some(attendance) = attendance {
        conductor.ask_for_attendance(attendance);
    }
    Box::new(conductor)
}

/// How many meetings a tournament takes if nobody comes late or leaves, see [`planned`].
pub fn meetings(settings: &Settings, format: &Format) -> usize {
    match *format {
        Format::Tables { rounds } => {
            let tables = tables::sizes(settings.agents.len(), settings.game.0.seats());
            rounds as usize * tables.len()
        }
        _ => planned(format, settings.agents.len()),
    }
}

/// True if all pairs of a tournament of so many participants can have numbers of their own.
pub(crate) fn has_numbers(held: &Held, participants: usize) -> bool {
    let couples = (participants as u64).pow(2) / 2;
    let most = match held.format {
        Format::Tables { rounds } => u64::from(rounds).checked_mul(participants as u64),
        _ => couples.checked_mul(u64::from(most_meetings(&held.format))),
    };
    let most = most.and_then(|most| most.checked_mul(u64::from(held.pairs)));
    most.is_some_and(|most| most < u64::from(u32::MAX))
}

/// Why a participant plays no further meetings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withdrawal {
    /// It is not in the tournament's file any more, or cannot be run, as the text says.
    Absent(String),
    /// It was at fault so often.
    Faults(u32),
}

/// Two participants, the one before the other in the list, and how often they have met before.
type Key = (usize, usize, u32);

/// A meeting that can be played, or is being played.
#[derive(Debug, Default)]
struct Open {
    /// Pairs of it that have been begun.
    begun: BTreeSet<u32>,
    /// By how much the first of the two was ahead, by the number of the pair.
    results: BTreeMap<u32, f64>,
    /// How many games ended by a fault of the first of the two, and of the second.
    faults: [u32; 2],
}

/// Tells whether a participant of this name is there to play.
pub type Attendance = Box<dyn Fn(&str) -> Presence + Send>;

/// A tournament under way.
pub struct Conductor<F> {
    held: Held,
    names: Vec<String>,
    places: HashMap<String, usize>,
    scoring: Scoring,
    seed: u64,
    withdrawn: Vec<Option<Withdrawal>>,
    faults: Vec<u32>,
    /// All that was drawn, byes too.
    meetings: Vec<Meeting>,
    /// Where a meeting is among them.
    drawn: HashMap<Key, usize>,
    /// What is not over, in the order in which it is to be played.
    waiting: Vec<Key>,
    open: HashMap<Key, Open>,
    /// Who plays the pairs that have been begun and are not over.
    under_way: Vec<[usize; 2]>,
    attendance: Option<Attendance>,
    /// What has been drawn and is not in the log yet.
    to_log: Vec<DrawRecord>,
    watch: F,
}

/// What a log has of a tournament.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before<'a> {
    /// The meetings that were drawn, in the log's order.
    pub draws: &'a [DrawRecord],
    /// The pairs that were played.
    pub pairs: &'a [Vec<GameRecord>],
}

impl<F: FnMut(&Progress<'_>) + Send> Conductor<F> {
    /// A tournament of these participants, of which some do not play for the reasons given, after what a log
    /// has of it. `watch` hears of each pair that is over.
    pub fn new(
        class: &Class,
        withdrawn: Vec<Option<Withdrawal>>,
        before: Before<'_>,
        watch: F,
    ) -> Self {
        let settings = &class.settings;
        let names: Vec<String> = settings.agents.iter().map(|it| it.name.clone()).collect();
        let mut conductor = Self {
            held: class.held.clone(),
            places: names.iter().cloned().zip(0..).collect(),
            scoring: settings.game.about().scoring,
            seed: settings.seed,
            faults: vec![0; names.len()],
            names,
            withdrawn,
            meetings: Vec::new(),
            drawn: HashMap::new(),
            waiting: Vec::new(),
            open: HashMap::new(),
            under_way: Vec::new(),
            attendance: None,
            to_log: Vec::new(),
            watch,
        };
        for draw in before.draws {
            conductor.note_logged(draw);
        }
        for games in before.pairs {
            conductor.record(games);
        }
        conductor.go_on();
        conductor
    }

    /// From now on participants may come and go. Meetings with somebody who is away wait while others play, and
    /// are played without those that have been given up; and everybody plays one pair at a time.
    pub fn ask_for_attendance(&mut self, attendance: Attendance) {
        self.attendance = Some(attendance);
    }

    /// Drops what nobody plays any more, and draws anew when nothing else is left.
    fn go_on(&mut self) {
        let withdrawn: Vec<bool> = self.withdrawn.iter().map(Option::is_some).collect();
        let is_played = |&(first, second, _): &Key| !withdrawn[first] && !withdrawn[second];
        self.waiting.retain(is_played);
        if !self.waiting.is_empty() {
            return;
        }
        for pairing in due(&self.held.format, &withdrawn, &self.meetings) {
            if self.note(pairing) {
                self.to_log.push(self.draw_record(&pairing));
            }
        }
    }

    fn draw_record(&self, pairing: &Pairing) -> DrawRecord {
        DrawRecord {
            first: self.names[pairing.first].clone(),
            second: pairing.second.map(|second| self.names[second].clone()),
            others: Vec::new(),
            meeting: MeetingNumber {
                round: pairing.round,
                repeat: pairing.repeat,
            },
        }
    }

    /// Notes a pairing of the log; one of strangers is passed over.
    fn note_logged(&mut self, draw: &DrawRecord) {
        let place = |name: &String| self.places.get(name).copied();
        let (Some(one), other) = (place(&draw.first), draw.second.as_ref().map(place)) else {
            return;
        };
        let (first, second) = match other {
            None => (one, None),
            Some(Some(other)) if other != one => (one.min(other), Some(one.max(other))),
            Some(_) => return,
        };
        self.note(Pairing {
            round: draw.meeting.round,
            first,
            second,
            repeat: draw.meeting.repeat,
        });
    }

    /// Notes a pairing; false if there is no number for it, or it is noted already.
    fn note(&mut self, pairing: Pairing) -> bool {
        if let Some(key) = key(&pairing) {
            if self.drawn.contains_key(&key) || key.2 >= most_meetings(&self.held.format) {
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

    /// The number of a pair of a meeting: none has two, and a participant that comes later changes none.
    fn number(&self, (first, second, repeat): Key, pair: u32) -> u32 {
        let couple = (second * (second - 1) / 2 + first) as u32;
        let meeting = couple * most_meetings(&self.held.format) + repeat;
        meeting * self.held.pairs + pair + 1
    }

    /// Takes a pair's result in; true if its meeting is over with it.
    fn record(&mut self, games: &[GameRecord]) -> bool {
        let Some(result) = PairResult::of_meeting(self.scoring, games) else {
            return false;
        };
        let place = |name: &String| self.places.get(name).copied();
        let places = place(&games[0].first).zip(place(&games[0].second));
        let Some((places, number)) = places.zip(games[0].meeting) else {
            return false;
        };
        let (first, second) = (places.0.min(places.1), places.0.max(places.1));
        let pairing = Pairing {
            round: number.round,
            first,
            second: Some(second),
            repeat: number.repeat,
        };
        self.note(pairing);
        let key = (first, second, number.repeat);
        let open = self.open.entry(key).or_default();
        let pair = (games[0].pair - 1) % self.held.pairs;
        open.begun.insert(pair);
        let ahead = match places.0 == first {
            true => result.difference(),
            false => -result.difference(),
        };
        open.results.insert(pair, ahead);
        for fault in games.iter().filter_map(|game| game.fault.as_ref()) {
            open.faults[usize::from(fault.agent != self.names[first])] += 1;
        }
        open.results.len() == self.held.pairs as usize && self.end(key)
    }

    /// Ends a meeting all of whose pairs are over; false if there is none.
    fn end(&mut self, key: Key) -> bool {
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
            if self.faults[place] >= self.held.faults && self.withdrawn[place].is_none() {
                self.withdrawn[place] = Some(Withdrawal::Faults(self.faults[place]));
            }
        }
        true
    }

    /// Who is away, by their places.
    fn away(&self) -> HashSet<usize> {
        let Some(attendance) = &self.attendance else {
            return HashSet::new();
        };
        let places = self.names.iter().enumerate();
        let away = places.filter(|(_, name)| attendance(name) == Presence::Away);
        away.map(|(place, _)| place).collect()
    }

    /// The first pair in the order of play whose participants have nothing before it.
    fn first_free(&self) -> Option<(Key, u32)> {
        let away = self.away();
        let mut busy = HashSet::new();
        if self.attendance.is_some() {
            busy.extend(self.under_way.iter().flatten().copied());
        }
        let is_idle = |place: &usize| {
            self.withdrawn[*place].is_none() && !away.contains(place) && !busy.contains(place)
        };
        let mut idle = (0..self.names.len()).filter(is_idle).count();
        for &key in &self.waiting {
            // Nobody is left to play with: there may be many more meetings, and this is asked often.
            if idle < 2 {
                return None;
            }
            let (first, second, _) = key;
            // Whoever would wait for somebody plays others meanwhile.
            if away.contains(&first) || away.contains(&second) {
                continue;
            }
            // Both are taken until this meeting is over, whether it is played now or waits itself.
            let taken = [busy.insert(first), busy.insert(second)];
            let is_begun = |pair: &u32| {
                let open = self.open.get(&key);
                open.is_some_and(|open| open.begun.contains(pair))
            };
            let pair = (0..self.held.pairs).find(|pair| !is_begun(pair));
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

/// A number from a tournament's seed, names and two numbers: the same beginnings for the same participants
/// whoever else takes part. (FNV-1a over all bytes, a zero behind each text.)
pub(crate) fn mixed<'a>(
    seed: u64,
    names: impl IntoIterator<Item = &'a String>,
    numbers: [u32; 2],
) -> u64 {
    let texts = names.into_iter().flat_map(|name| name.bytes().chain([0]));
    let numbers = numbers.into_iter().flat_map(u32::to_le_bytes);
    let bytes = seed.to_le_bytes().into_iter().chain(texts).chain(numbers);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// How far a tournament has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The games of the pair or rotation that is over.
    pub games: &'a [GameRecord],
    /// Meetings that are drawn and not over.
    pub waiting: usize,
}

impl<F: FnMut(&Progress<'_>) + Send> Conducting for Conductor<F> {
    fn withdrawn(&self) -> &[Option<Withdrawal>] {
        &self.withdrawn
    }
}

impl<F: FnMut(&Progress<'_>) + Send> Schedule for Conductor<F> {
    fn next(&mut self) -> Next {
        let Some((key, pair)) = self.first_free() else {
            // What waits although nothing is played waits for somebody.
            let is_missed = self.attendance.is_some() && !self.waiting.is_empty();
            return match self.under_way.is_empty() && !is_missed {
                true => Next::Over,
                false => Next::Wait,
            };
        };
        self.open.entry(key).or_default().begun.insert(pair);
        let (first, second, repeat) = key;
        self.under_way.push([first, second]);
        let names = [&self.names[first], &self.names[second]];
        Next::Pair(Pair {
            number: self.number(key, pair),
            first,
            second,
            others: Vec::new(),
            seed: seed_of(mixed(self.seed, names, [repeat, pair])),
            pairs_before: repeat * self.held.pairs + pair,
            meeting: Some(MeetingNumber {
                round: self.meetings[self.drawn[&key]].pairing.round,
                repeat,
            }),
        })
    }

    fn take_in(&mut self, games: &[GameRecord], _result: Option<PairResult>) {
        let places = [&games[0].first, &games[0].second];
        let places = places.map(|name| self.places.get(name).copied());
        let is_this = |pair: &[usize; 2]| pair.map(Some) == places;
        if let Some(at) = self.under_way.iter().position(is_this) {
            self.under_way.swap_remove(at);
        }
        if self.record(games) {
            self.go_on();
        }
        (self.watch)(&Progress {
            games,
            waiting: self.waiting.len(),
        });
    }

    fn drawn(&mut self) -> Vec<DrawRecord> {
        std::mem::take(&mut self.to_log)
    }
}
