//! Which rotation is played next where more than two sit at a table.
//!
//! In every round all participants are drawn to tables, and each table plays a number of rotations: games with the
//! same shoe, pack or whatever chance decides, in which everybody has every seat. A round is drawn when the one before
//! it is over, and only then participants are judged by their faults; so what is played does not depend on how many
//! rotations run at the same time, nor on where a tournament was broken off and resumed.

use std::collections::BTreeSet;
use std::ops::Range;

use turnwise_arena::records::{DrawRecord, GameRecord};
use turnwise_arena::schedule::{MeetingNumber, Next, Pair, seed_of};
use turnwise_ranking::pairing::tables::{FEWEST, draw};

use crate::held::Held;
use crate::seating::{Roster, Seating, mixed};

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

/// The tables of a tournament under way.
pub(crate) struct Tables {
    rounds: u32,
    seats: usize,
    tables: Vec<Table>,
}

impl Tables {
    /// None yet of so many rounds, in a game whose tables have so many seats.
    pub(crate) fn new(rounds: u32, seats: usize) -> Self {
        Self {
            rounds,
            seats,
            tables: Vec::new(),
        }
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

    /// Sends away who was at fault too often.
    fn judge(&self, roster: &mut Roster) {
        let mut faults = vec![0; roster.names.len()];
        for table in &self.tables {
            for (&place, more) in table.places.iter().zip(&table.faults) {
                faults[place] += more;
            }
        }
        for (place, faults) in faults.into_iter().enumerate() {
            roster.judge(place, faults);
        }
    }

    /// Draws the next round; nothing if those who are left fill no table.
    fn draw(&mut self, roster: &Roster) -> Vec<DrawRecord> {
        let round = self.round() + 1;
        let mut often = vec![0; roster.names.len()];
        for place in self.tables.iter().flat_map(|table| &table.places) {
            often[*place] += 1;
        }
        let there = (often.into_iter().enumerate()).filter(|&(place, _)| roster.is_in(place));
        let there: Vec<(usize, u32)> = there.collect();
        let lot = |place: usize| mixed(roster.seed, [&roster.names[place]], [round, 0]);
        let mut drawn = Vec::new();
        for (repeat, places) in (0..).zip(draw(&there, self.seats, lot)) {
            let meeting = MeetingNumber { round, repeat };
            let mut names = places.iter().map(|&place| roster.names[place].clone());
            drawn.push(DrawRecord {
                first: names.next().unwrap_or_default(),
                second: names.next(),
                others: names.collect(),
                meeting,
            });
            self.seat(places, meeting);
        }
        drawn
    }
}

/// True if a table is played: nobody has left who sits there.
fn is_played(roster: &Roster, table: &Table) -> bool {
    !table.places.is_empty() && table.places.iter().all(|&place| roster.is_in(place))
}

/// Rotations of a table that are still to be played to their end.
fn left(roster: &Roster, table: &Table) -> usize {
    match is_played(roster, table) {
        true => (roster.held.pairs as usize).saturating_sub(table.over.len()),
        false => table.begun.len().saturating_sub(table.over.len()),
    }
}

/// The rotation of this number, counted from 1: its table, and which of its rotations it is, from 0.
fn rotation(held: &Held, number: u32) -> (usize, u32) {
    let at = number.saturating_sub(1);
    ((at / held.pairs) as usize, at % held.pairs)
}

impl Seating for Tables {
    /// A table that cannot be has its numbers and is not played.
    fn note_logged(&mut self, roster: &Roster, draw: &DrawRecord) {
        let others = draw.second.iter().chain(&draw.others);
        let names = [&draw.first].into_iter().chain(others);
        let places: Option<Vec<usize>> = names.map(|name| roster.place(name)).collect();
        let is_table = |places: &Vec<usize>| {
            let all: BTreeSet<&usize> = places.iter().collect();
            (FEWEST..=self.seats).contains(&places.len()) && all.len() == places.len()
        };
        let places = places.filter(is_table).unwrap_or_default();
        self.seat(places, draw.meeting);
    }

    fn record(&mut self, roster: &mut Roster, games: &[GameRecord]) -> bool {
        let Some(first) = games.first() else {
            return false;
        };
        let (at, rotation) = rotation(&roster.held, first.pair);
        let Some(table) = self.tables.get_mut(at) else {
            return false;
        };
        let names = table.places.iter().map(|&place| &roster.names[place]);
        if !names.eq(first.agents()) || !table.over.insert(rotation) {
            return false;
        }
        table.begun.insert(rotation);
        for fault in games.iter().flat_map(GameRecord::charged_faults) {
            let mut places = table.places.iter();
            if let Some(at) = places.position(|&place| roster.names[place] == fault.agent) {
                table.faults[at] += 1;
            }
        }
        true
    }

    /// Judges everybody and draws the next round once all of this one is over.
    fn go_on(&mut self, roster: &mut Roster) -> Vec<DrawRecord> {
        let mut all = Vec::new();
        while self.round() < self.rounds && self.waiting(roster) == 0 {
            self.judge(roster);
            let drawn = self.draw(roster);
            if drawn.is_empty() {
                break;
            }
            all.extend(drawn);
        }
        all
    }

    fn next(&mut self, roster: &Roster) -> Next {
        let mut found = None;
        for at in self.current() {
            let table = &self.tables[at];
            let mut rotations = 0..roster.held.pairs;
            if is_played(roster, table)
                && let Some(rotation) = rotations.find(|it| !table.begun.contains(it))
            {
                found = Some((at, rotation));
                break;
            }
        }
        let Some((at, rotation)) = found else {
            return match self.waiting(roster) {
                0 => Next::Over,
                _ => Next::Wait,
            };
        };
        self.tables[at].begun.insert(rotation);
        let table = &self.tables[at];
        let names = table.places.iter().map(|&place| &roster.names[place]);
        let numbers = [table.meeting.round, rotation];
        Next::Pair(Pair {
            number: (at as u32).saturating_mul(roster.held.pairs) + rotation + 1,
            first: table.places[0],
            second: table.places[1],
            others: table.places[2..].to_vec(),
            seed: seed_of(mixed(roster.seed, names, numbers)),
            pairs_before: 0,
            meeting: Some(table.meeting),
        })
    }

    fn waiting(&self, roster: &Roster) -> usize {
        let current = self.tables[self.current()].iter();
        current.map(|table| left(roster, table)).sum()
    }
}
