//! Conducts a tournament: decides which games are played next, and withdraws participants with too many faults. An
//! implementation of `Seating` draws which participants play each other, either in meetings of two or at larger tables.

use turnwise_arena::records::{DrawRecord, GameRecord};
use turnwise_arena::schedule::{Next, Schedule};
use turnwise_arena::strength::pair::PairResult;
use turnwise_ranking::pairing::Format;

use crate::class_file::Class;
use crate::held::Withdrawal;
use crate::meetings::Meetings;
pub use crate::seating::Attendance;
use crate::seating::{Roster, Seating};
use crate::tables::Tables;

/// The part of a tournament that has already been played, as read from the log.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before<'a> {
    /// The meetings or tables that have been drawn so far, in the order of the log.
    pub draws: &'a [DrawRecord],
    /// The pairs or rotations that have been played so far, each as a list of games.
    pub pairs: &'a [Vec<GameRecord>],
}

/// Receives the games of each pair or rotation that ends.
type Watch<'a> = dyn FnMut(&[GameRecord]) + Send + 'a;

/// Conducts a tournament that is in progress: schedules its games and withdraws participants.
pub struct Conductor<'a> {
    roster: Roster,
    seating: Box<dyn Seating>,
    /// Draws that have been made but not yet written to the log.
    to_log: Vec<DrawRecord>,
    watch: Box<Watch<'a>>,
}

impl<'a> Conductor<'a> {
    /// Begins a tournament, or continues it after the part `before`. For each participant, `withdrawn` has the reason
    /// why it does not play, or `None` if it plays. If `attendance` is given, participants may come and go, except in
    /// games with more than two players. `watch` receives the games of each pair or rotation that ends.
    pub fn new(
        class: &Class,
        withdrawn: Vec<Option<Withdrawal>>,
        before: Before<'_>,
        attendance: Option<Attendance>,
        watch: impl FnMut(&[GameRecord]) + Send + 'a,
    ) -> Self {
        let settings = &class.settings;
        let seating: Box<dyn Seating> = match class.held.format {
            Format::Tables { rounds } => Box::new(Tables::new(rounds, settings.game.0.seats())),
            _ => {
                let scoring = settings.game.about().scoring;
                Box::new(Meetings::new(settings.agents.len(), scoring, attendance))
            }
        };
        let mut conductor = Self {
            roster: Roster::new(class.held.clone(), settings, withdrawn),
            seating,
            to_log: Vec::new(),
            watch: Box::new(watch),
        };
        for draw in before.draws {
            conductor.seating.note_logged(&conductor.roster, draw);
        }
        for games in before.pairs {
            conductor.seating.record(&mut conductor.roster, games);
        }
        conductor.go_on();
        conductor
    }

    /// Returns for each participant the reason why it plays no further meetings, or `None` if it plays.
    pub fn withdrawn(&self) -> &[Option<Withdrawal>] {
        &self.roster.withdrawn
    }

    fn go_on(&mut self) {
        self.to_log.extend(self.seating.go_on(&mut self.roster));
    }
}

impl Schedule for Conductor<'_> {
    fn next(&mut self) -> Next {
        self.seating.next(&self.roster)
    }

    fn take_in(&mut self, games: &[GameRecord], _result: Option<PairResult>) {
        if self.seating.record(&mut self.roster, games) {
            self.go_on();
        }
        (self.watch)(games);
    }

    fn drawn(&mut self) -> Vec<DrawRecord> {
        std::mem::take(&mut self.to_log)
    }
}
