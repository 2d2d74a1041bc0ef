//! What all ways to seat the participants of a tournament share: who they are, and what a way to seat them must do.

use std::collections::HashMap;

use turnwise_arena::records::{DrawRecord, GameRecord, Settings};
use turnwise_arena::schedule::Next;
use turnwise_engine::hosting::Presence;

use crate::held::{Held, Withdrawal};

/// Tells whether a participant of this name is there to play.
pub type Attendance = Box<dyn Fn(&str) -> Presence + Send>;

/// Who takes part in a tournament, by their places in its list.
pub(crate) struct Roster {
    pub(crate) held: Held,
    pub(crate) seed: u64,
    pub(crate) names: Vec<String>,
    places: HashMap<String, usize>,
    pub(crate) withdrawn: Vec<Option<Withdrawal>>,
}

impl Roster {
    /// The participants of a tournament, of whom some do not play for the reasons given.
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

    /// The place of the participant of this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// True for whoever still plays.
    pub(crate) fn is_in(&self, place: usize) -> bool {
        self.withdrawn[place].is_none()
    }

    /// Sends a participant away who was at fault too often, so many times in all.
    pub(crate) fn judge(&mut self, place: usize, faults: u32) {
        if faults >= self.held.faults && self.is_in(place) {
            self.withdrawn[place] = Some(Withdrawal::Faults(faults));
        }
    }
}

/// Who sits down with whom, and when: what was drawn, what of it is played, what follows.
pub(crate) trait Seating: Send {
    /// Notes what a log says was drawn.
    fn note_logged(&mut self, roster: &Roster, draw: &DrawRecord);

    /// Takes in the games of a pair or rotation, and sends away whom they show to be at fault too often. Games of
    /// strangers are passed over. True if something new can follow, see [`Self::go_on`].
    fn record(&mut self, roster: &mut Roster, games: &[GameRecord]) -> bool;

    /// Draws what follows if nothing is left of what was drawn before.
    fn go_on(&mut self, roster: &mut Roster) -> Vec<DrawRecord>;

    /// What is played next; it counts as begun.
    fn next(&mut self, roster: &Roster) -> Next;

    /// How much is drawn and not over.
    fn waiting(&self, roster: &Roster) -> usize;
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
