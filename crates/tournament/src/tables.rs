//! Which rotation is played next where more than two sit at a table.
//!
//! In every round all participants are drawn to tables, and each table plays a number of rotations: games with the
//! same shoe, pack or whatever chance decides, in which everybody has every seat. A round is drawn when the one before
//! it is over, and only then participants are judged by their faults; so what is played does not depend on how many
//! rotations run at the same time, nor on where a tournament was broken off and resumed.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use turnwise_arena::records::{DrawRecord, GameRecord};
use turnwise_arena::schedule::{MeetingNumber, Next, Pair, Schedule, seed_of};
use turnwise_arena::strength::pair::PairResult;
use turnwise_ranking::pairing::tables::{FEWEST, draw};

use crate::class_file::{Class, Held};
use crate::schedule::{Before, Conducting, Progress, Withdrawal, mixed};

/// A table that was drawn. Its place among all of them, in the order of the draw, gives its rotations their numbers.
#[derive(Debug)]
struct Table {
    meeting: MeetingNumber,
    /// Who sits there, in the order of the seats of the first game.
    places: Vec<usize>,
    /// Rotations of it that have been begun.
    begun: BTreeSet<u32>,
    /// Those that are over.
    over: BTreeSet<u32>,
    /// Faults of those who sit there, in their order.
    faults: Vec<u32>,
}

/// A tournament at tables under way.
pub struct Tables<F> {
    held: Held,
    rounds: u32,
    seats: usize,
    seed: u64,
    names: Vec<String>,
    places: HashMap<String, usize>,
    withdrawn: Vec<Option<Withdrawal>>,
    tables: Vec<Table>,
    /// What has been drawn and is not in the log yet.
    to_log: Vec<DrawRecord>,
    watch: F,
}

impl<F: FnMut(&Progress<'_>) + Send> Tables<F> {
    /// A tournament of these participants in so many rounds, of which some do not play for the reasons given, after
    /// what a log has of it. `watch` hears of each rotation that is over.
    pub fn new(
        class: &Class,
        rounds: u32,
        withdrawn: Vec<Option<Withdrawal>>,
        before: Before<'_>,
        watch: F,
    ) -> Self {
        let settings = &class.settings;
        let names: Vec<String> = settings.agents.iter().map(|it| it.name.clone()).collect();
        let mut tables = Self {
            held: class.held.clone(),
            rounds,
            seats: settings.game.0.seats(),
            seed: settings.seed,
            places: names.iter().cloned().zip(0..).collect(),
            names,
            withdrawn,
            tables: Vec::new(),
            to_log: Vec::new(),
            watch,
        };
        for draw in before.draws {
            tables.note(draw);
        }
        for games in before.pairs {
            tables.record(games);
        }
        tables.go_on();
        tables
    }

    /// Notes a table of the log. One that cannot be has its numbers and is not played.
    fn note(&mut self, draw: &DrawRecord) {
        let others = draw.second.iter().chain(&draw.others);
        let names = [&draw.first].into_iter().chain(others);
        let places: Option<Vec<usize>> = names.map(|name| self.places.get(name).copied()).collect();
        let is_table = |places: &Vec<usize>| {
            let all: BTreeSet<&usize> = places.iter().collect();
            (FEWEST..=self.seats).contains(&places.len()) && all.len() == places.len()
        };
        let places = places.filter(is_table).unwrap_or_default();
        self.seat(places, draw.meeting);
    }

    fn seat(&mut self, places: Vec<usize>, meeting: MeetingNumber) {
        self.tables.push(Table {
            meeting,
            begun: BTreeSet::new(),
            over: BTreeSet::new(),
            faults: vec![0; places.len()],
            places,
        });
    }

    /// The rotation of this number, counted from 1: its table, and which of its rotations it is, from 0.
    fn rotation(&self, number: u32) -> (usize, u32) {
        let at = number.saturating_sub(1);
        ((at / self.held.pairs) as usize, at % self.held.pairs)
    }

    /// Takes in the games of a rotation; those of others are passed over.
    fn record(&mut self, games: &[GameRecord]) {
        let Some(first) = games.first() else { return };
        let (at, rotation) = self.rotation(first.pair);
        let Some(table) = self.tables.get_mut(at) else {
            return;
        };
        let names = table.places.iter().map(|&place| &self.names[place]);
        if !names.eq(first.agents()) || !table.over.insert(rotation) {
            return;
        }
        table.begun.insert(rotation);
        for fault in games.iter().flat_map(GameRecord::faults) {
            let mut places = table.places.iter();
            if let Some(at) = places.position(|&place| self.names[place] == fault.agent) {
                table.faults[at] += 1;
            }
        }
    }

    /// True if a table is played: nobody has left who sits there.
    fn is_played(&self, table: &Table) -> bool {
        let is_there = |&place: &usize| self.withdrawn[place].is_none();
        !table.places.is_empty() && table.places.iter().all(is_there)
    }

    /// The round that was drawn last; 0 before the first.
    fn round(&self) -> u32 {
        self.tables.last().map_or(0, |table| table.meeting.round)
    }

    /// The tables of the round that was drawn last, by their places among all.
    fn current(&self) -> Range<usize> {
        let round = self.round();
        let earlier = |table: &Table| table.meeting.round != round;
        let first = self.tables.iter().rposition(earlier);
        first.map_or(0, |last| last + 1)..self.tables.len()
    }

    /// Rotations of a table that are still to be played to their end.
    fn left(&self, table: &Table) -> usize {
        match self.is_played(table) {
            true => (self.held.pairs as usize).saturating_sub(table.over.len()),
            false => table.begun.len().saturating_sub(table.over.len()),
        }
    }

    /// Judges everybody and draws the next round once all of this one is over.
    fn go_on(&mut self) {
        while self.round() < self.rounds && self.waiting() == 0 {
            self.judge();
            if !self.draw() {
                return;
            }
        }
    }

    fn waiting(&self) -> usize {
        let current = self.tables[self.current()].iter();
        current.map(|table| self.left(table)).sum()
    }

    /// Sends away who was at fault too often.
    fn judge(&mut self) {
        let mut faults = vec![0; self.names.len()];
        for table in &self.tables {
            for (&place, more) in table.places.iter().zip(&table.faults) {
                faults[place] += more;
            }
        }
        for (withdrawn, faults) in self.withdrawn.iter_mut().zip(faults) {
            if faults >= self.held.faults && withdrawn.is_none() {
                *withdrawn = Some(Withdrawal::Faults(faults));
            }
        }
    }

    /// Draws the next round; false if those who are left fill no table.
    fn draw(&mut self) -> bool {
        let round = self.round() + 1;
        let mut often = vec![0; self.names.len()];
        for place in self.tables.iter().flat_map(|table| &table.places) {
            often[*place] += 1;
        }
        let there =
            (often.into_iter().enumerate()).filter(|&(place, _)| self.withdrawn[place].is_none());
        let there: Vec<(usize, u32)> = there.collect();
        let lot = |place: usize| mixed(self.seed, [&self.names[place]], [round, 0]);
        let tables = draw(&there, self.seats, lot);
        let is_drawn = !tables.is_empty();
        for (repeat, places) in (0..).zip(tables) {
            let meeting = MeetingNumber { round, repeat };
            let mut names = places.iter().map(|&place| self.names[place].clone());
            self.to_log.push(DrawRecord {
                first: names.next().unwrap_or_default(),
                second: names.next(),
                others: names.collect(),
                meeting,
            });
            self.seat(places, meeting);
        }
        is_drawn
    }
}

impl<F: FnMut(&Progress<'_>) + Send> Conducting for Tables<F> {
    fn withdrawn(&self) -> &[Option<Withdrawal>] {
        &self.withdrawn
    }
}

impl<F: FnMut(&Progress<'_>) + Send> Schedule for Tables<F> {
    fn next(&mut self) -> Next {
        let mut found = None;
        for at in self.current() {
            let table = &self.tables[at];
            let mut rotations = 0..self.held.pairs;
            if self.is_played(table)
                && let Some(rotation) = rotations.find(|it| !table.begun.contains(it))
            {
                found = Some((at, rotation));
                break;
            }
        }
        let Some((at, rotation)) = found else {
            return match self.waiting() {
                0 => Next::Over,
                _ => Next::Wait,
            };
        };
        self.tables[at].begun.insert(rotation);
        let table = &self.tables[at];
        let names = table.places.iter().map(|&place| &self.names[place]);
        let numbers = [table.meeting.round, rotation];
        Next::Pair(Pair {
            number: (at as u32).saturating_mul(self.held.pairs) + rotation + 1,
            first: table.places[0],
            second: table.places[1],
            others: table.places[2..].to_vec(),
            seed: seed_of(mixed(self.seed, names, numbers)),
            pairs_before: 0,
            meeting: Some(table.meeting),
        })
    }

    fn take_in(&mut self, games: &[GameRecord], _result: Option<PairResult>) {
        self.record(games);
        self.go_on();
        let waiting = self.waiting();
        (self.watch)(&Progress { games, waiting });
    }

    fn drawn(&mut self) -> Vec<DrawRecord> {
        std::mem::take(&mut self.to_log)
    }
}
