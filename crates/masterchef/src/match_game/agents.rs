//! The agents that this program offers as captains in a match.

use std::ops::ControlFlow;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::{Agent, BoxedAgent, by_function};
use turnwise_engine::game::Score;
use turnwise_engine::search::{Control, Found, Limits};

use super::table::Position;
use crate::answer::{Answer, Progress};
use crate::literal::{self, Algorithm};
use crate::rules::Draft;
use crate::solver;

/// The size of the solver's memory in bytes. It is small, because several searches may run at once.
///
/// The hardest known pool needs a third of this memory.
pub(super) const TABLE_BYTES: usize = 64 << 20;

/// A captain that searches all ways in which the draft can continue, up to its end.
pub(super) enum Searcher {
    /// Uses the exact solver. When stopped, it makes the best pick that the solver has found so far.
    Exact,
    /// Uses an algorithm of the assignment. When stopped, it makes the greedy pick.
    Literal(Algorithm),
}

impl Agent for Searcher {
    type Position = Position;
    type Move = u32;

    fn think(&mut self, position: &Position, limits: Limits, control: &Control<u32>) -> Found<u32> {
        let draft = &position.draft;
        let greedy = greedy(draft);
        control.publish(position.id(greedy));
        let mut watch = |progress: &Progress| {
            let is_over =
                progress.nodes >= limits.nodes || control.stopped() || limits.is_hard_over();
            match is_over {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let answer = match *self {
            Searcher::Exact => solver::solve_within(draft, TABLE_BYTES, &mut watch),
            Searcher::Literal(algorithm) => {
                let answer = literal::search(draft, algorithm, &mut watch);
                let pick = if answer.proven { answer.pick } else { greedy };
                Answer { pick, ..answer }
            }
        };
        found(position, &answer)
    }

    fn forecast(&self, _position: &Position, found: &Found<u32>) -> Option<Score> {
        found.solved.then_some(found.value)
    }
}

/// Converts an engine's answer into an agent's result.
///
/// If the answer is not proven, the result's value is the present advantage.
fn found(position: &Position, answer: &Answer) -> Found<u32> {
    let draft = &position.draft;
    let value = answer.value.filter(|_| answer.proven);
    let value = draft.points(value.unwrap_or_else(|| draft.advantage()));
    let depth = if answer.proven { draft.picks_left() } else { 0 };
    Found {
        solved: answer.proven,
        ..Found::without_answer(
            position.id(answer.pick),
            value.approximate() as Score,
            depth as u32,
            answer.nodes,
        )
    }
}

/// Creates a captain that always picks the contestant that adds most to the team's present power.
///
/// Ties go to the smallest ID.
pub(super) fn greedy_captain() -> BoxedAgent<Position, u32> {
    by_function(|position: &Position, _| {
        let draft = &position.draft;
        let pick = greedy(draft);
        let value = draft.points(draft.advantage()).approximate() as Score;
        Found::without_answer(position.id(pick), value, 1, draft.free().count() as u64)
    })
}

/// Returns the pick that makes the picking captain's team strongest.
///
/// The strength includes the bonus as long as all members of the team have different last digits.
pub(super) fn greedy(draft: &Draft) -> usize {
    let captain = draft.turn().expect("somebody is to move");
    let power_with = |index: usize| {
        let mut after = draft.clone();
        after.pick(index);
        after.power(captain)
    };
    let mut free: Vec<usize> = draft.free().collect();
    free.sort_by_cached_key(|&index| -power_with(index));
    free[0]
}

/// Creates a captain that picks a free contestant at random.
pub(super) fn random_captain(seed: u64) -> BoxedAgent<Position, u32> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |position: &Position, _| {
        let free: Vec<usize> = position.draft.free().collect();
        let &pick = free.choose(&mut random).expect("somebody is free");
        Found::without_answer(position.id(pick), 0.0, 0, 1)
    })
}
