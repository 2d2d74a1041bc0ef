//! The code that meetings of two and larger tables have in common: the list of participants, and the trait [`Seating`].

use std::collections::HashMap;

use turnwise_arena::records::{DrawRecord, GameRecord, Settings};
use turnwise_arena::schedule::Next;
use turnwise_engine::guest::Presence;
use turnwise_engine::words::fnv1a;

use crate::held::{Held, Withdrawal};

/// A function that takes the name of a participant and returns whether the participant is present.
pub type Attendance = Box<dyn Fn(&str) -> Presence + Send>;

/// The participants of a tournament. Everywhere in this crate, the place of a participant is its index in this list.
pub(crate) struct Roster {
    pub(crate) held: Held,
    pub(crate) seed: u64,
    pub(crate) names: Vec<String>,
    places: HashMap<String, usize>,
    pub(crate) withdrawn: Vec<Option<Withdrawal>>,
}

impl Roster {
    /// Returns the participants of a tournament. `withdrawn` has one entry for each participant: the reason why it does
    /// not play, or `None` if it plays.
    pub(crate) fn new(held: Held, settings: &Settings, withdrawn: Vec<Option<Withdrawal>>) -> Self {
        let names: Vec<String> = settings.agents.iter().map(|it| it.name.clone()).collect();
        Self {
            held,
            seed: settings.seed,
            places: names.iter().cloned().zip(0..).collect(),
            names,
            withdrawn,
        }
    }

    /// Returns the place of the participant with this name; `None` if the list contains no such name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Returns true if the participant has not withdrawn.
    pub(crate) fn is_in(&self, place: usize) -> bool {
        self.withdrawn[place].is_none()
    }

    /// Withdraws a participant if its total number of faults has reached the limit.
    pub(crate) fn judge(&mut self, place: usize, faults: u32) {
        if faults >= self.held.faults && self.is_in(place) {
            self.withdrawn[place] = Some(Withdrawal::Faults(faults));
        }
    }
}

/// Decides which participants play each other, and in which order.
pub(crate) trait Seating: Send {
    /// Stores a meeting or table that the log contains because it was drawn in an earlier run.
    fn note_logged(&mut self, roster: &Roster, draw: &DrawRecord);

    /// Records the games of a finished pair or rotation, unless a player is unknown. May withdraw participants with too
    /// many faults. Returns true if new draws may be due, so that [`Self::go_on`] should be called.
    fn record(&mut self, roster: &mut Roster, games: &[GameRecord]) -> bool;

    /// Draws the next meetings or tables if all earlier ones are over, and returns these new draws.
    fn go_on(&mut self, roster: &mut Roster) -> Vec<DrawRecord>;

    /// Returns the next pair or rotation to play, and marks it as started.
    fn next(&mut self, roster: &Roster) -> Next;
}

/// Returns a hash of the tournament's seed, the players' names and two numbers. Games are seeded and tables are drawn
/// with it, so that neither depends on which other participants exist. The hash is FNV-1a over all bytes, with a zero
/// byte after each name.
pub(crate) fn mixed<'a>(
    seed: u64,
    names: impl IntoIterator<Item = &'a String>,
    numbers: [u32; 2],
) -> u64 {
    let texts = names.into_iter().flat_map(|name| name.bytes().chain([0]));
    let numbers = numbers.into_iter().flat_map(u32::to_le_bytes);
    fnv1a(seed.to_le_bytes().into_iter().chain(texts).chain(numbers))
}
