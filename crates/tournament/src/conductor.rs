//! A tournament in progress: its participants, logged meetings, draws and withdrawals. Its `Seating` decides who
//! plays whom, either in meetings of two or at larger tables.

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

/// The part of a tournament that a log contains.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before<'a> {
    /// The meetings that were drawn, in the log's order.
    pub draws: &'a [DrawRecord],
    /// The pairs that were played.
    pub pairs: &'a [Vec<GameRecord>],
}

/// The progress of a tournament after a pair or rotation.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The games of the pair or rotation that just ended.
    pub games: &'a [GameRecord],
    /// The number of drawn meetings that are not over.
    pub waiting: usize,
}

/// A tournament in progress: schedules its games and withdraws participants.
pub struct Conductor<'a> {
    roster: Roster,
    seating: Box<dyn Seating>,
    /// Draws that are not in the log yet.
    to_log: Vec<DrawRecord>,
    watch: Box<dyn FnMut(&Progress<'_>) + Send + 'a>,
}

impl<'a> Conductor<'a> {
    /// Continues a tournament from its log; `withdrawn` gives the reasons of inactive participants. With
    /// `attendance`, participants may come and go, except at tables of more than two. `watch` is called after each
    /// pair or rotation.
    pub fn new(
        class: &Class,
        withdrawn: Vec<Option<Withdrawal>>,
        before: Before<'_>,
        attendance: Option<Attendance>,
        watch: impl FnMut(&Progress<'_>) + Send + 'a,
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

    /// Returns why participants play no further meetings, in order of place.
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
        let waiting = self.seating.waiting(&self.roster);
        (self.watch)(&Progress { games, waiting });
    }

    fn drawn(&mut self) -> Vec<DrawRecord> {
        std::mem::take(&mut self.to_log)
    }
}
