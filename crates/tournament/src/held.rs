//! The rules of a tournament, and what follows from the rules: the number of meetings, whether all pairs can be
//! numbered, and why a participant is withdrawn.

use serde::{Deserialize, Serialize};
use turnwise_ranking::pairing::{Format, planned, tables};
use turnwise_ranking::ties::TieBreak;

/// The maximum number of rounds in a Swiss tournament if the tournament file does not state one. It suffices for the
/// largest possible tournament.
const USUAL_ROUNDS: u32 = 12;

/// The maximum number of meetings between two participants in a knockout. They meet again if their meeting is drawn.
const MOST_DRAWN: u32 = 16;

/// Returns the maximum number of meetings between two participants. The numbering of pairs reserves this many numbers.
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

/// The rules of a tournament. The header of the log stores them together with the settings of the match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// How the tournament chooses opponents.
    pub format: Format,
    /// The number of pairs of games in each meeting, or of rotations at each table.
    pub pairs: u32,
    /// The number of faults after which a participant plays no further meetings.
    pub faults: u32,
    /// The rules that separate participants with equal ratings, in the order in which they apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tie_break: Vec<TieBreak>,
    /// The texts of the heading.
    #[serde(flatten)]
    pub heading: Heading,
}

/// The texts above the ranking. They do not affect the games, so the tournament file may change them at any time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The name of the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The class or course that plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The date, as in ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl Held {
    /// Returns true if 32 bits suffice to give every pair of the tournament a different number.
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

/// Returns the number of meetings or tables that a tournament has if no participant enters late or leaves early. See
/// also [`planned`].
pub fn meetings(format: &Format, participants: usize, seats: usize) -> usize {
    match *format {
        Format::Tables { rounds } => rounds as usize * tables::sizes(participants, seats).len(),
        _ => planned(format, participants),
    }
}

/// The reason why a participant plays no further meetings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withdrawal {
    /// The participant is missing from the tournament's file or cannot be run; the text gives the reason.
    Absent(String),
    /// The participant reached this number of faults.
    Faults(u32),
}
