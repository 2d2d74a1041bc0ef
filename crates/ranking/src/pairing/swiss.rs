//! The Swiss system: in every round, participants with similar match points meet. On this page, points are match points.
//!
//! A round is drawn by folding, as in FIDE's Dutch system (FIDE Handbook, C.04.3), but without colors, because in a
//! meeting both sides play both roles. Participants are ranked by points and then by entry. In each group of
//! participants with equal points, the first of the upper half meets the first of the lower half, and so on. A
//! participant without an opponent in its group moves to the next group and meets the best participant there. If the
//! participants of the lowest groups have all met already, as few other participants as possible change their opponents
//! (`matching`). So a meeting is repeated only if this cannot be avoided in the round. With an odd number of
//! participants, the lowest participant that has not had a bye gets a bye.

use super::Pairing;
use super::history::{Encounters, History};
use super::matching::{by_distance, enlarge};
use super::standing::standings;

/// Returns the pairings of a Swiss that must be drawn and played now; `None` once all `rounds` rounds are over.
pub(super) fn due(history: &History, rounds: u32) -> Option<Vec<Pairing>> {
    let field: Vec<usize> = history.active().collect();
    let next = match history.last_round(rounds) {
        None => 1,
        Some(round) => {
            let known = history.entered_before(round, &field);
            let draw = |field: &[usize]| draw(history, round, field);
            let rest = history.rest_of_round(round, &field, &known, draw);
            let is_over = |round: u32| {
                let mut meetings = history.round(round).iter();
                meetings.all(|meeting| meeting.points.is_some())
            };
            if !rest.is_empty() || !is_over(round) {
                return Some(rest);
            }
            round.saturating_add(1)
        }
    };
    (next <= rounds && field.len() > 1).then(|| draw(history, next, &field))
}

/// Returns the pairings of a round in which the participants in `field` play, in the order of the ranking.
fn draw(history: &History, round: u32, field: &[usize]) -> Vec<Pairing> {
    let earlier = history.between(0, round.saturating_sub(1));
    let table = standings(history.withdrawn.len(), earlier);
    let mut ranked: Vec<(f64, usize, bool)> = table
        .iter()
        .filter(|standing| field.binary_search(&standing.participant).is_ok())
        .map(|standing| (standing.points, standing.participant, standing.played > 0))
        .collect();
    // The points of the opponents do not matter here: within a group, participants are ranked in the order of entry.
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let met = Encounters::of(earlier);
    let bye = (ranked.len() % 2 == 1).then_some(ranked.len());
    let participant = |place: usize| (Some(place) != bye).then(|| ranked[place].1);
    let count = |one: usize, other: usize| {
        let [upper, lower] = [one.min(other), one.max(other)];
        let past = met.count(ranked[upper].1, participant(lower));
        // A participant that has not played yet should play rather than get a point for a bye.
        past + u32::from(Some(lower) == bye && round > 1 && !ranked[upper].2)
    };
    let mut partners = vec![None; ranked.len() + bye.map_or(0, |_| 1)];
    if let Some(bye) = bye {
        let lowest = (0..bye).rev().find(|&place| count(place, bye) == 0);
        if let Some(lowest) = lowest {
            join(&mut partners, lowest, bye);
        }
    }
    fold(&mut partners, &ranked, |one, other| count(one, other) == 0);
    // Here the remaining participants are paired, with as few repeated meetings as possible. If a repetition cannot be
    // avoided, it is between participants that have met as rarely as possible.
    let mut most = 0;
    while partners.contains(&None) {
        enlarge(&mut partners, |one, other| count(one, other) <= most);
        most += 1;
    }
    let places = partners.iter().enumerate();
    places
        .filter_map(|(place, partner)| partner.map(|partner| (place, partner)))
        .filter(|(place, partner)| place < partner)
        .map(|(place, partner)| met.next(round, ranked[place].1, participant(partner)))
        .collect()
}

/// Pairs the upper half of each group with its lower half, as far as the pairs are allowed. A group consists of
/// participants with equal points.
fn fold(
    partners: &mut [Option<usize>],
    ranked: &[(f64, usize, bool)],
    is_allowed: impl Fn(usize, usize) -> bool,
) {
    let mut floating: Vec<usize> = Vec::new();
    let mut start = 0;
    for group in ranked.chunk_by(|one, other| one.0 == other.0) {
        let end = start + group.len();
        for floater in std::mem::take(&mut floating) {
            let opponent =
                (start..end).find(|&place| partners[place].is_none() && is_allowed(floater, place));
            match opponent {
                Some(opponent) => join(partners, floater, opponent),
                None => floating.push(floater),
            }
        }
        let is_free = |place: &usize| partners[*place].is_none();
        let members: Vec<usize> = (start..end).filter(is_free).collect();
        let (upper, lower) = members.split_at(members.len() / 2);
        for (at, &place) in upper.iter().enumerate() {
            let opponent = by_distance(at, lower.len())
                .map(|at| lower[at])
                .find(|&other| partners[other].is_none() && is_allowed(place, other));
            if let Some(opponent) = opponent {
                join(partners, place, opponent);
            }
        }
        floating.extend(members.iter().filter(|&&place| partners[place].is_none()));
        start = end;
    }
}

fn join(partners: &mut [Option<usize>], one: usize, other: usize) {
    partners[one] = Some(other);
    partners[other] = Some(one);
}
