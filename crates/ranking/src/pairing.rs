//! Determines the encounters that the format of a tournament still requires.
//!
//! | module | purpose |
//! |---|---|
//! | `history` | the pairings drawn so far, in a canonical order |
//! | `everybody` | the round robin and the gauntlet |
//! | `swiss` | the Swiss: participants with similar match points meet |
//! | `matching` | the largest set of pairs in which no participant occurs twice |
//! | `knockout` | the knockout: losers leave |
//! | [`standing`] | the standings: match points and tie-breaks |
//! | [`tables`] | the assignment to tables for more than two participants |
//!
//! The pairings depend only on the participants and on the set of meetings so far. The order in which results arrive
//! does not matter, and an interrupted tournament continues where it stopped.

mod everybody;
mod history;
mod knockout;
mod matching;
pub mod standing;
mod swiss;
pub mod tables;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use history::History;

/// Returns the default number of meetings between two participants in a round robin.
fn once() -> u32 {
    1
}

/// The format of a tournament, which determines the pairings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Every participant meets every other participant equally often.
    RoundRobin {
        /// The number of meetings between every two participants, by default 1; 2 is a double round robin.
        #[serde(default = "once")]
        times: u32,
    },
    /// The challengers, which are the first participants, meet all others once, but not each other.
    Gauntlet {
        /// The number of challengers.
        challengers: usize,
    },
    /// In every round, participants with similar match points meet. Two participants do not meet twice if this can be
    /// avoided.
    Swiss {
        /// The number of rounds; by default as many as a knockout of all participants would take.
        rounds: Option<u32>,
    },
    /// The loser of each encounter leaves the tournament.
    Knockout {},
    /// A Swiss, followed by a round robin of the best participants.
    SwissIntoRoundRobin {
        /// The number of rounds of the Swiss.
        rounds: u32,
        /// The number of participants in the round robin.
        finalists: usize,
    },
    /// In every round, participants are assigned to tables for more than two; see [`tables`].
    Tables {
        /// The number of rounds. In each round, a participant sits at one table at most.
        rounds: u32,
    },
}

/// An encounter of two participants that the format requires, or a bye.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pairing {
    /// The number of the round, starting at 1. In a round robin and a gauntlet, rounds only suggest an order of play.
    pub round: u32,
    /// The first participant, given as its place in the order of entry, starting at 0.
    pub first: usize,
    /// The opponent, which entered later than `first`. `None` for a bye, which needs no games.
    pub second: Option<usize>,
    /// The number of earlier encounters of the two participants.
    pub repeat: u32,
}

/// A pairing that was drawn, and its result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// The pairing as it was drawn: the two participants and the round.
    pub pairing: Pairing,
    /// The match points of both participants: 1, 0.5 or 0 for each. `None` until the encounter ends. Ignored for a bye,
    /// which counts as a full point as soon as it is drawn.
    pub points: Option<[f64; 2]>,
}

/// Returns the pairings that must be drawn and played now, in the best order of play. They do not include the pairings
/// in `meetings`.
///
/// `withdrawn` has an entry for each participant, in the order of entry: true if the participant has left or was
/// disqualified. Such a participant is not paired again and its open encounters are dropped, but its finished
/// encounters count. Participants that enter late are added at the end. In a round robin and a gauntlet, the encounters
/// of late participants become due. A Swiss admits them without points in the next round, and a knockout admits them
/// only during the first round.
///
/// `meetings` contains all known pairings that were drawn, in any order. Record the pairings that this function returns
/// at once, including byes, and add the points of each after it was played. If a pairing is lost before it is played,
/// it is drawn again, and it is drawn unchanged unless a participant has joined or left. Duplicates and meetings of
/// unknown participants are ignored.
///
/// A call takes about as long as reading all meetings, or longer if a new round of a Swiss must be drawn. Call this
/// function when all drawn pairings have been played, not after every game.
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

/// Returns the number of meetings in a tournament with this format if no participant enters late or leaves early. Byes
/// are not counted, and neither are the repetitions of drawn encounters in a knockout.
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

/// Returns the requested number of rounds of a Swiss. By default, this is the number of rounds of a knockout.
fn swiss_rounds(rounds: Option<u32>, participants: usize) -> u32 {
    rounds.unwrap_or_else(|| participants.next_power_of_two().trailing_zeros())
}
