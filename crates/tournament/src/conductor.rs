//! A tournament under way: who takes part, what a log has of it, what is drawn and who is sent away. Who sits down
//! with whom is a matter of its `Seating`: two that meet, or tables of more.

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

/// What a log has of a tournament.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before<'a> {
    /// The meetings that were drawn, in the log's order.
    pub draws: &'a [DrawRecord],
    /// The pairs that were played.
    pub pairs: &'a [Vec<GameRecord>],
}

/// How far a tournament has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The games of the pair or rotation that is over.
    pub games: &'a [GameRecord],
    /// Meetings that are drawn and not over.
    pub waiting: usize,
}

/// A tournament under way: it says what is played next, and who does not play on.
pub struct Conductor<'a> {
    roster: Roster,
    seating: Box<dyn Seating>,
    /// What has been drawn and is not in the log yet.
    to_log: Vec<DrawRecord>,
    watch: Box<dyn FnMut(&Progress<'_>) + Send + 'a>,
}

impl<'a> Conductor<'a> {
    /// A tournament after what a log has of it, of whose participants some do not play for the reasons given. With
    /// `attendance` participants may come and go; nobody does at tables of more than two. `watch` hears of each pair or
    /// rotation that is over.
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

    /// Why participants play no further meetings, by their places.
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
