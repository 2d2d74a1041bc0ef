//! The formats whose encounters are known from the beginning: the round robin and the gauntlet.

use std::collections::HashSet;

use super::Pairing;
use super::history::{Encounters, History};
use super::standing::standings;

/// Returns the missing pairings of a round robin in which every two participants meet `times` times. The rounds follow
/// the circle method: one participant stays in place and the others rotate around a table. So all participants have
/// played about equally often at any time.
pub(super) fn round_robin(history: &History, times: u32) -> Vec<Pairing> {
    // With an odd number of participants, the last seat is empty, and the participant opposite this seat does not play.
    let seats = history.withdrawn.len().next_multiple_of(2);
    let rounds = seats.saturating_sub(1);
    let encounters = (0..times).flat_map(|repeat| {
        (0..rounds).flat_map(move |round| {
            (0..seats / 2).map(move |table| {
                let [one, other] = match table {
                    0 => [seats - 1, round],
                    _ => [round + table, round + rounds - table].map(|seat| seat % rounds),
                };
                Pairing {
                    round: (repeat as usize * rounds + round + 1) as u32,
                    first: one.min(other),
                    second: Some(one.max(other)),
                    repeat,
                }
            })
        })
    });
    missing(history, encounters)
}

/// Returns the missing pairings of a gauntlet, in which each challenger meets all other participants once.
pub(super) fn gauntlet(history: &History, challengers: usize) -> Vec<Pairing> {
    let encounters = (challengers..history.withdrawn.len()).flat_map(|other| {
        (0..challengers).map(move |challenger| Pairing {
            round: (other - challengers + 1) as u32,
            first: challenger,
            second: Some(other),
            repeat: 0,
        })
    });
    missing(history, encounters)
}

/// Returns the encounters that have not been drawn yet and in which no participant has withdrawn.
fn missing(history: &History, encounters: impl Iterator<Item = Pairing>) -> Vec<Pairing> {
    let key = |pairing: &Pairing| (pairing.first, pairing.second, pairing.repeat);
    let drawn: HashSet<_> = (history.meetings().iter())
        .map(|meeting| key(&meeting.pairing))
        .collect();
    let is_there = |one: usize| history.withdrawn.get(one) == Some(&false);
    encounters
        .filter(|pairing| pairing.participants().all(is_there) && !drawn.contains(&key(pairing)))
        .collect()
}

/// Returns the missing pairings of the round robin between the best participants of a Swiss. They all belong to one
/// additional round.
///
/// The finalists are the first participants in the standings of the Swiss, without participants that withdrew before
/// they started the round robin. So if a finalist leaves before it has played, the next participant takes its place.
pub(super) fn finals(history: &History, rounds: u32, finalists: usize) -> Vec<Pairing> {
    let swiss = history.between(0, rounds);
    let round = rounds.saturating_add(1);
    let finals = history.between(round, u32::MAX);
    let has_begun = |one| (finals.iter()).any(|met| met.pairing.participants().any(|it| it == one));
    let finalists: Vec<usize> = (standings(history.withdrawn.len(), swiss).iter())
        .map(|standing| standing.participant)
        .filter(|&one| !history.withdrawn[one] || has_begun(one))
        .take(finalists)
        .collect();
    let met_before = Encounters::of(swiss);
    let met_now = Encounters::of(finals);
    let pairs = (finalists.iter().enumerate())
        .flat_map(|(at, &one)| (finalists[at + 1..].iter()).map(move |&other| (one, other)));
    pairs
        .filter(|&(one, other)| !history.withdrawn[one] && !history.withdrawn[other])
        .filter(|&(one, other)| met_now.count(one, Some(other)) == 0)
        .map(|(one, other)| met_before.next(round, one, Some(other)))
        .collect()
}
