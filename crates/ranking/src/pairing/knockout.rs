//! The knockout: the loser of each encounter leaves the tournament.
//!
//! In every round, the participants are in the order of entry. The first meets the last, the second meets the last but
//! one, and so on. In the first round, the first participants have byes, so that afterwards the number of participants
//! is a power of two. A drawn encounter is repeated. If the repetitions are also drawn, the participant that entered
//! earlier advances.

use super::history::{Encounters, History};
use super::{Meeting, Pairing};

/// The maximum number of repetitions of a drawn encounter.
const MOST_REPETITIONS: usize = 2;

/// The state of an encounter in a knockout, including its repetitions.
enum State {
    Open,
    /// The encounter ended in a draw and must be repeated.
    Undecided,
    Won(usize),
    /// Both participants have withdrawn without a winner, so that neither advances.
    Void,
}

/// Returns the pairings of a knockout that must be drawn and played now.
pub(super) fn due(history: &History) -> Vec<Pairing> {
    let Some(round) = history.last_round(u32::MAX) else {
        return draw(history, 1, &history.active().collect::<Vec<_>>());
    };
    let field = match round {
        0 | 1 => history.active().collect(),
        _ => survivors(history, round - 1),
    };
    let draw_this = |field: &[usize]| draw(history, round, field);
    let mut due = history.rest_of_round(round, &field, &field, draw_this);
    let met = Encounters::of(history.between(0, round));
    let mut is_over = true;
    for encounter in encounters(history.round(round)) {
        match state(history, encounter) {
            State::Open => is_over = false,
            State::Undecided => {
                let Pairing { first, second, .. } = encounter[0].pairing;
                due.push(met.next(round, first, second));
            }
            State::Won(_) | State::Void => {}
        }
    }
    if !is_over || !due.is_empty() || round == u32::MAX {
        return due;
    }
    draw(history, round + 1, &survivors(history, round))
}

/// Groups the meetings of a round into encounters: a meeting of two participants together with its repetitions.
fn encounters(round: &[Meeting]) -> impl Iterator<Item = &[Meeting]> {
    round.chunk_by(|one, other| {
        (one.pairing.first, one.pairing.second) == (other.pairing.first, other.pairing.second)
    })
}

fn state(history: &History, encounter: &[Meeting]) -> State {
    let Pairing { first, second, .. } = encounter[0].pairing;
    let Some(second) = second else {
        return State::Won(first);
    };
    for meeting in encounter {
        match meeting.points {
            None => return State::Open,
            Some([one, other]) if one > other => return State::Won(first),
            Some([one, other]) if one < other => return State::Won(second),
            Some(_) => {}
        }
    }
    match [first, second].map(|one| history.withdrawn[one]) {
        [true, true] => State::Void,
        [true, false] => State::Won(second),
        [false, true] => State::Won(first),
        [false, false] if encounter.len() <= MOST_REPETITIONS => State::Undecided,
        [false, false] => State::Won(first),
    }
}

/// Returns the participants that advance after this round and have not withdrawn, in the order of entry.
fn survivors(history: &History, round: u32) -> Vec<usize> {
    let mut survivors: Vec<usize> = encounters(history.round(round))
        .filter_map(|encounter| match state(history, encounter) {
            State::Won(winner) => Some(winner),
            State::Open | State::Undecided | State::Void => None,
        })
        .filter(|&winner| !history.withdrawn[winner])
        .collect();
    survivors.sort_unstable();
    survivors
}

/// Returns the pairings of a round in which the participants in `field` play.
fn draw(history: &History, round: u32, field: &[usize]) -> Vec<Pairing> {
    let byes = match field.len() {
        0 => return Vec::new(),
        // A single participant left in a round advances; if no round has been drawn, it has won the tournament.
        1 if history.round(round).is_empty() => return Vec::new(),
        1 => 1,
        players => players.next_power_of_two() - players,
    };
    let met = Encounters::of(history.between(0, round.saturating_sub(1)));
    let (byes, playing) = field.split_at(byes);
    let half = playing.len() / 2;
    let pairs = (playing[..half].iter()).zip(playing[half..].iter().rev());
    (byes.iter().map(|&one| met.next(round, one, None)))
        .chain(pairs.map(|(&one, &other)| met.next(round, one, Some(other))))
        .collect()
}
