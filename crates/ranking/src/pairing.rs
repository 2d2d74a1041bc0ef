//! Who plays whom: the encounters that a tournament's format asks for and that are not drawn yet.
//!
//! | module | what it is for |
//! |---|---|
//! | `history` | what was drawn, in one order whatever order it came in |
//! | `everybody` | round robin and gauntlet |
//! | `swiss` | rounds by score groups |
//! | `matching` | the largest set of disjoint pairs |
//! | `knockout` | the loser leaves |
//! | [`standing`] | points and tie-breaks |
//! | [`tables`] | more than two at a table |
//!
//! Everything follows from the set of meetings and from who takes part: the order of results does not
//! matter, and a tournament that is broken off goes on where it was.

mod everybody;
mod history;
mod knockout;
mod matching;
pub mod standing;
mod swiss;
pub mod tables;

use serde::{Deserialize, Serialize};

use history::History;

/// How a tournament chooses who plays whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Every participant meets every other one equally often.
    RoundRobin {
        /// How often: 2 is a double round robin.
        times: u32,
    },
    /// The first participants meet all the others once, and not each other.
    Gauntlet {
        /// How many are the first.
        challengers: usize,
    },
    /// In every round participants with like points meet, and nobody meets the same opponent again while
    /// that can be avoided.
    Swiss {
        /// How many rounds; without it as many as a knockout of all participants would take.
        rounds: Option<u32>,
    },
    /// Who loses an encounter is out of the tournament.
    Knockout {},
    /// A Swiss, whose best then meet each other once more.
    SwissIntoRoundRobin {
        /// Rounds of the Swiss.
        rounds: u32,
        /// How many play the round robin.
        finalists: usize,
    },
    /// In every round all participants are drawn to tables of more than two, see [`tables`].
    Tables {
        /// How many rounds; in each, nobody sits at more than one table.
        rounds: u32,
    },
}

/// An encounter of two participants that the format asks for, or a bye.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pairing {
    /// The round, from 1. In a round robin and a gauntlet it only says in what order they are best played.
    pub round: u32,
    /// A participant by its place in the order of entry, from 0.
    pub first: usize,
    /// Its opponent, a later one; `None` is a bye, where there is nothing to play.
    pub second: Option<usize>,
    /// Which encounter of these two it is, from 0.
    pub repeat: u32,
}

/// A pairing that was drawn, and how it ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// The two participants and the round, as they were drawn.
    pub pairing: Pairing,
    /// The match points of both, 1, 0.5 or 0; `None` while it is being played. Those of a bye do not
    /// matter: it is a full point from the moment it is drawn.
    pub points: Option<[f64; 2]>,
}

/// All pairings of two that can be played now and are not among `meetings`, in the order in which they are best
/// played.
///
/// `withdrawn` has an entry for each participant in the order of entry: true if it has left or was
/// disqualified. It is not paired again, its open encounters fall away, and what it has played counts.
/// Who enters late is at the end of that order: in a round robin and a gauntlet exactly its encounters
/// are due then, a Swiss takes it in without points from the next round on, and a knockout while the
/// first round is being played.
///
/// `meetings` are all pairings that were drawn and are known still, in any order: note what this function
/// returns at once, byes with it, and give it points when it was played. Whatever was drawn and then
/// forgotten before it was played is drawn again, alike unless somebody came or left. A meeting of
/// somebody who is not a participant, and the second copy of the same, are left out of account.
///
/// It takes about as long as it takes to read all meetings, or to draw a round of a Swiss when one begins: ask
/// when there is nothing left to play, not after every game.
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

/// How many meetings of two a format takes with so many participants if nobody comes late or leaves, without
/// byes and without the repetitions of drawn encounters in a knockout.
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

/// The rounds of a Swiss: as many as are asked for, else as many as it takes to tell one winner from all
/// the others.
fn swiss_rounds(rounds: Option<u32>, participants: usize) -> u32 {
    rounds.unwrap_or_else(|| participants.next_power_of_two().trailing_zeros())
}
