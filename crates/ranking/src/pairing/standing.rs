//! The standings of a tournament: points and tie-breaks.

use super::{Meeting, Pairing};

/// A participant's line in the standings of a tournament.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The participant, by its place in the order of entry.
    pub participant: usize,
    /// Match points; a bye counts as a full point.
    pub points: f64,
    /// The points of all opponents, each counted once per meeting: Buchholz's tie-break.
    pub opponents: f64,
    /// Meetings played, including byes.
    pub played: usize,
}

/// Returns the standings, best first. Ties are broken by the opponents' points, then by the order of entry.
///
/// Unfinished meetings do not count. Each meeting may appear only once, and its two participants must differ.
pub fn standings(participants: usize, meetings: &[Meeting]) -> Vec<Standing> {
    let mut meetings: Vec<&Meeting> = meetings.iter().collect();
    // Sums of fractions depend on the order of their terms.
    meetings.sort_by_key(|meeting| meeting.pairing);
    let mut table: Vec<Standing> = (0..participants)
        .map(|participant| Standing {
            participant,
            points: 0.0,
            opponents: 0.0,
            played: 0,
        })
        .collect();
    let mut met = Vec::new();
    for Meeting { pairing, points } in meetings {
        let Pairing { first, second, .. } = *pairing;
        match (second, points) {
            (None, _) => {
                table[first].points += 1.0;
                table[first].played += 1;
            }
            (Some(second), Some(points)) => {
                for (one, points) in [first, second].into_iter().zip(points) {
                    table[one].points += points;
                    table[one].played += 1;
                }
                met.extend([(first, second), (second, first)]);
            }
            (Some(_), None) => {}
        }
    }
    for (one, opponent) in met {
        table[one].opponents += table[opponent].points;
    }
    table.sort_by(|one, other| {
        (other.points.total_cmp(&one.points))
            .then(other.opponents.total_cmp(&one.opponents))
            .then(one.participant.cmp(&other.participant))
    });
    table
}
