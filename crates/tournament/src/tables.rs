//! Chooses the next rotation in a tournament whose games have more than two players.
//!
//! In every round, the participants are distributed over tables by lot, and each table plays a number of rotations. All
//! games of a rotation begin with an identical shoe, pack or other source of chance, and every participant takes every
//! seat. Faults are counted, and the next round is drawn, only when a round is over. The schedule therefore depends
//! neither on how many rotations run in parallel nor on where a tournament was interrupted and resumed.

use std::collections::BTreeSet;
use std::ops::Range;

use turnwise_arena::records::{DrawRecord, GameRecord};
use turnwise_arena::schedule::{MeetingNumber, Next, Pair, seed_of};
use turnwise_ranking::pairing::tables::{FEWEST, draw};

use crate::held::Held;
use crate::seating::{Roster, Seating, mixed};

/// A table that has been drawn. The index among all drawn tables determines which numbers the rotations have.
#[derive(Debug)]
struct Table {
    meeting: MeetingNumber,
    /// The participants at the table, in the order of their seats in the first game.
    places: Vec<usize>,
    /// The indices of the rotations that have started.
    begun: BTreeSet<u32>,
    /// The indices of the rotations that are over.
    over: BTreeSet<u32>,
    /// The number of faults of each participant at this table, in the order of `places`.
    faults: Vec<u32>,
}

/// The tables of a tournament in progress.
pub(crate) struct Tables {
    rounds: u32,
    seats: usize,
    tables: Vec<Table>,
    /// The index of the first table that may still lack rotations.
    first_open: usize,
}

impl Tables {
    /// Returns an empty schedule for `rounds` rounds at tables with `seats` seats.
    pub(crate) fn new(rounds: u32, seats: usize) -> Self {
        Self {
            rounds,
            seats,
            tables: Vec::new(),
            first_open: 0,
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

    /// Returns the number of the latest round; 0 before the first round.
    fn round(&self) -> u32 {
        self.tables.last().map_or(0, |table| table.meeting.round)
    }

    /// Returns the indices of the tables that belong to the latest round.
    fn current(&self) -> Range<usize> {
        let round = self.round();
        let earlier = |table: &Table| table.meeting.round != round;
        let first = self.tables.iter().rposition(earlier);
        first.map_or(0, |last| last + 1)..self.tables.len()
    }

    /// Returns the indices of the tables that may lack rotations. Usually, these are tables of the latest round, but
    /// the log of an earlier run may also lack a rotation of an earlier round.
    fn open(&self) -> Range<usize> {
        self.first_open..self.tables.len()
    }

    /// Returns true if a table lacks rotations.
    fn is_any_open(&self, roster: &Roster) -> bool {
        self.tables[self.open()]
            .iter()
            .any(|table| left(roster, table) > 0)
    }

    /// Skips the tables that lack no rotation.
    fn skip_full(&mut self, roster: &Roster) {
        while (self.tables.get(self.first_open)).is_some_and(|table| left(roster, table) == 0) {
            self.first_open += 1;
        }
    }

    /// Counts each participant's faults at all tables, and withdraws participants with too many.
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

    /// Draws the tables of a round. Tables of this round that are already known are left out. Returns an empty list if
    /// too few participants remain for a table.
    fn draw(&mut self, roster: &Roster, round: u32) -> Vec<DrawRecord> {
        let mut often = vec![0; roster.names.len()];
        let earlier = self
            .tables
            .iter()
            .filter(|table| table.meeting.round < round);
        for place in earlier.flat_map(|table| &table.places) {
            often[*place] += 1;
        }
        let there = (often.into_iter().enumerate()).filter(|&(place, _)| roster.is_in(place));
        let there: Vec<(usize, u32)> = there.collect();
        let lot = |place: usize| mixed(roster.seed, [&roster.names[place]], [round, 0]);
        let tables = draw(&there, self.seats, lot);
        let known = self
            .tables
            .iter()
            .filter(|table| table.meeting.round == round);
        let known: Vec<&Vec<usize>> = known.map(|table| &table.places).collect();
        if !tables.iter().take(known.len()).eq(known.iter().copied()) {
            return Vec::new();
        }
        let known = known.len();
        let mut drawn = Vec::new();
        for (repeat, places) in (0..).zip(tables).skip(known) {
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

    /// Draws the tables that the latest round lacks because an earlier run stopped while it wrote the draw to the log.
    /// No game of the round has begun in this case.
    fn complete_draw(&mut self, roster: &Roster) -> Vec<DrawRecord> {
        let current = &self.tables[self.current()];
        let has_begun = current.iter().any(|table| !table.begun.is_empty());
        match self.round() {
            0 => Vec::new(),
            _ if has_begun => Vec::new(),
            round => self.draw(roster, round),
        }
    }
}

/// Returns true if games are still played at the table. This is false once a participant at the table has been
/// withdrawn.
fn is_played(roster: &Roster, table: &Table) -> bool {
    !table.places.is_empty() && table.places.iter().all(|&place| roster.is_in(place))
}

/// Returns the number of rotations that must still be finished at a table.
fn left(roster: &Roster, table: &Table) -> usize {
    match is_played(roster, table) {
        true => (roster.held.pairs as usize).saturating_sub(table.over.len()),
        false => table.begun.len().saturating_sub(table.over.len()),
    }
}

/// Converts the number of a rotation, starting at 1, to the index of its table and the index of the rotation at that
/// table.
fn rotation(held: &Held, number: u32) -> (usize, u32) {
    let at = number.saturating_sub(1);
    ((at / held.pairs) as usize, at % held.pairs)
}

impl Seating for Tables {
    /// Stores a table that the log contains. At an invalid table, no games are played, but it keeps its index, so that
    /// the numbers of later rotations do not change.
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

    /// Once the current round is over, counts all faults and draws the next round.
    fn go_on(&mut self, roster: &mut Roster) -> Vec<DrawRecord> {
        let mut all = self.complete_draw(roster);
        self.skip_full(roster);
        while self.round() < self.rounds && !self.is_any_open(roster) {
            self.judge(roster);
            let drawn = self.draw(roster, self.round() + 1);
            if drawn.is_empty() {
                break;
            }
            all.extend(drawn);
            self.skip_full(roster);
        }
        all
    }

    fn next(&mut self, roster: &Roster) -> Next {
        let mut found = None;
        for at in self.open() {
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
            return match self.is_any_open(roster) {
                true => Next::Wait,
                false => Next::Over,
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
}
