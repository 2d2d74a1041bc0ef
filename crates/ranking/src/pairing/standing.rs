//! The standings of a tournament: match points and tie-breaks.

use super::{Meeting, Pairing};

/// A participant's line in the standings of a tournament.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The participant, given as its place in the order of entry, starting at 0.
    pub participant: usize,
    /// The number of match points of the participant. A bye counts as a full point.
    pub points: f64,
    /// The sum of the points of all opponents, where each opponent counts once for each meeting (Buchholz's tie-break).
    pub opponents: f64,
    /// The number of meetings that the participant has finished, including byes.
    pub played: usize,
}

/// Returns the standings, best first. Ties are broken by the opponents' points, then by the order of entry.
///
/// Unfinished meetings do not count. Each meeting may appear only once, and its two participants must differ.
pub fn standings(participants: usize, meetings: &[Meeting]) -> Vec<Standing> {
    let mut meetings: Vec<&Meeting> = meetings.iter().collect();
    // The meetings are sorted because rounding makes a sum depend on the order of the terms.
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
