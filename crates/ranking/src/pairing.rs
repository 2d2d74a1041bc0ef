//! Pairings: the encounters that a tournament's format still requires.
//!
//! | module | purpose |
//! |---|---|
//! | `history` | the drawn pairings, in a canonical order |
//! | `everybody` | round robin and gauntlet |
//! | `swiss` | rounds by score groups |
//! | `matching` | the largest set of disjoint pairs |
//! | `knockout` | the knockout: losers leave |
//! | [`standing`] | match points and tie-breaks |
//! | [`tables`] | more than two at a table |
//!
//! The result depends only on the set of meetings and on the participants: the order of results does not matter,
//! and an interrupted tournament continues where it stopped.

mod everybody;
mod history;
mod knockout;
mod matching;
pub mod standing;
mod swiss;
pub mod tables;

use serde::{Deserialize, Serialize};

use history::History;

/// How a tournament chooses opponents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Every participant meets every other participant equally often.
    RoundRobin {
        /// The number of meetings of two participants: 2 for a double round robin.
        times: u32,
    },
    /// The first participants meet all others once, but not each other.
    Gauntlet {
        /// The number of first participants.
        challengers: usize,
    },
    /// In every round participants with similar points meet. Two participants do not meet again while that can be
    /// avoided.
    Swiss {
        /// The number of rounds; by default as many as a knockout of all participants would take.
        rounds: Option<u32>,
    },
    /// The loser of an encounter leaves the tournament.
    Knockout {},
    /// A Swiss, followed by a round robin of the best participants.
    SwissIntoRoundRobin {
        /// The number of rounds of the Swiss.
        rounds: u32,
        /// The number of participants in the round robin.
        finalists: usize,
    },
    /// In every round all participants are drawn to tables of more than two; see [`tables`].
    Tables {
        /// The number of rounds; in each, a participant sits at one table at most.
        rounds: u32,
    },
}

/// An encounter of two participants that the format requires, or a bye.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pairing {
    /// The round, from 1. In a round robin and a gauntlet it is only the best order of play.
    pub round: u32,
    /// A participant, by its place in the order of entry, from 0.
    pub first: usize,
    /// The opponent, a later entry; `None` for a bye, which needs no games.
    pub second: Option<usize>,
    /// The number of earlier encounters of the two participants.
    pub repeat: u32,
}

/// A drawn pairing and its result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// The two participants and the round, as drawn.
    pub pairing: Pairing,
    /// The match points of both, 1, 0.5 or 0; `None` until the encounter ends. Ignored for a bye, which counts as a
    /// full point from the moment it is drawn.
    pub points: Option<[f64; 2]>,
}

/// Returns all pairings to play now that are not in `meetings`, in the best order of play.
///
/// `withdrawn` has an entry for each participant in the order of entry: true if it has left or was disqualified. It
/// is not paired again and its open encounters are dropped, but its finished encounters count. Late entries come at
/// the end of that order. In a round robin and a gauntlet, their encounters become due. A Swiss admits them without
/// points in the next round, and a knockout only during the first round.
///
/// `meetings` are all known pairings that were drawn, in any order. Record the pairings that this function returns
/// at once, including byes, and add points after play. A pairing that is lost before play is drawn again,
/// unchanged unless a participant joined or left. Meetings of unknown participants and duplicates are ignored.
///
/// The cost is about that of reading all meetings, or of drawing a Swiss round when one begins. Call it when all
/// drawn pairings have been played, not after every game.
pub fn due(format: &Format, withdrawn: &[bool], meetings: &[Meeting]) -> Vec<Pairing> {
    let history = History::new(withdrawn, meetings);
    match *format {
        Format::RoundRobin { times } => everybody::round_robin(&history, times),
        Format::Gauntlet { challengers } => everybody::gauntlet(&history, challengers),
        Format::Swiss { rounds } => {
            swiss::due(&history, swiss_rounds(rounds, withdrawn.len())).unwrap_or_default()
        }
        Format::Knockout {} => knockout::due(&history),
        Format::SwissIntoRoundRobin { rounds, finalists } => swiss::due(&history, rounds)
            .unwrap_or_else(|| everybody::finals(&history, rounds, finalists)),
        Format::Tables { .. } => Vec::new(),
    }
}

/// Returns the number of meetings that a format takes, without late or early leavers. Byes and the repetitions of
/// drawn encounters in a knockout are not counted.
pub fn planned(format: &Format, participants: usize) -> usize {
    let all = |participants: usize| participants * participants.saturating_sub(1) / 2;
    let swiss = |rounds: u32| rounds as usize * (participants / 2);
    match *format {
        Format::RoundRobin { times } => times as usize * all(participants),
        Format::Gauntlet { challengers } => {
            let challengers = challengers.min(participants);
            challengers * (participants - challengers)
        }
        Format::Swiss { rounds } => swiss(swiss_rounds(rounds, participants)),
        Format::Knockout {} => participants.saturating_sub(1),
        Format::SwissIntoRoundRobin { rounds, finalists } => {
            swiss(rounds) + all(finalists.min(participants))
        }
        Format::Tables { .. } => 0,
    }
}

/// Returns the requested number of rounds of a Swiss, or else enough to find a single winner.
fn swiss_rounds(rounds: Option<u32>, participants: usize) -> u32 {
    rounds.unwrap_or_else(|| participants.next_power_of_two().trailing_zeros())
}
