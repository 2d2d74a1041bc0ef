//! How a tournament is held, and what follows from that alone: how often people meet, how many meetings there are,
//! whether their pairs have numbers. And why somebody plays no further ones.

use serde::{Deserialize, Serialize};
use turnwise_arena::records::Settings;
use turnwise_ranking::pairing::{Format, planned, tables};

/// Rounds of a Swiss that does not say how many: enough for the most participants.
const USUAL_ROUNDS: u32 = 12;

/// Meetings of a knockout that are drawn, and played again.
const MOST_DRAWN: u32 = 16;

/// So often can the same two meet; the pairs' numbers leave room for it.
pub(crate) fn most_meetings(format: &Format) -> u32 {
    match *format {
        Format::RoundRobin { times } => times,
        Format::Gauntlet { .. } => 1,
        Format::Knockout {} => MOST_DRAWN,
        Format::Swiss { rounds } => rounds.unwrap_or(USUAL_ROUNDS),
        Format::SwissIntoRoundRobin { rounds, .. } => rounds.saturating_add(1),
        Format::Tables { .. } => 0,
    }
}

/// How a tournament is held: what its log's header keeps besides the settings of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// How it is chosen who meets whom.
    pub format: Format,
    /// Pairs of games each time that two meet.
    pub pairs: u32,
    /// After so many faults a participant plays no further meetings.
    pub faults: u32,
}

impl Held {
    /// True if all pairs of a tournament of so many participants can have numbers of their own.
    pub(crate) fn has_numbers(&self, participants: usize) -> bool {
        let couples = (participants as u64).pow(2) / 2;
        let most = match self.format {
            Format::Tables { rounds } => u64::from(rounds).checked_mul(participants as u64),
            _ => couples.checked_mul(u64::from(most_meetings(&self.format))),
        };
        let most = most.and_then(|most| most.checked_mul(u64::from(self.pairs)));
        most.is_some_and(|most| most < u64::from(u32::MAX))
    }
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

/// Why a participant plays no further meetings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withdrawal {
    /// It is not in the tournament's file any more, or cannot be run, as the text says.
    Absent(String),
    /// It was at fault so often.
    Faults(u32),
}
