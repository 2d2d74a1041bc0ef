//! Agents that play matches with this crate's strategies and answer the other player's guesses truthfully.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::{Agent, BoxedAgent, by_function};
use turnwise_engine::game::Score;
use turnwise_engine::search::{Control, Found, Limits};

use super::table::{Move, Seen};
use crate::custom::{Custom, usual_work};
use crate::game;
use crate::lookahead;
use crate::player::{Strategy, View};
use crate::strategies::StrategyKind;

/// The work that the race solver may do before its first check of the clock.
///
/// The work between two checks doubles each time.
const FIRST_WORK: u64 = 5_000;

/// Returns the agent with this name.
pub(super) fn agent(name: &str, seed: u64) -> BoxedAgent<Seen, Move> {
    let mut kinds = StrategyKind::ALL.into_iter();
    match kinds.find(|kind| kind.name() == name) {
        Some(kind) => guesser(kind.create(), Xoshiro256PlusPlus::seed_from_u64(seed)),
        None => Box::new(Racer::default()),
    }
}

/// Returns the true answer to the other player's guess, which is the only legal move, if such a guess is open.
fn true_answer(seen: &Seen) -> Option<Found<Move>> {
    let answer = seen.board.answer(seen.asked?, seen.player.chosen());
    Some(Found::without_answer(Move::Answer(answer), 0.0, 0, 0))
}

/// Creates an agent from a strategy whose guesses take negligible time.
fn guesser(
    mut strategy: Box<dyn Strategy + Send>,
    mut random: Xoshiro256PlusPlus,
) -> BoxedAgent<Seen, Move> {
    by_function(move |seen: &Seen, _| {
        true_answer(seen).unwrap_or_else(|| {
            let mut player = seen.player.clone();
            let question = game::draw(&mut *strategy, &mut player, &seen.board, &mut random);
            let question = question.expect("it asks nobody else");
            Found::without_answer(Move::Guess(question), 0.0, 1, 1)
        })
    })
}

/// An agent with the strategy `custom`. It works until a limit is reached and reports its work as a number of nodes.
#[derive(Default)]
struct Racer {
    custom: Custom,
    /// Player 1's expected score after the last guess, if known.
    expected: Option<f64>,
}

impl Racer {
    fn guess(&mut self, view: &View, limits: Limits, control: &Control<Move>) -> Found<Move> {
        let most = usual_work(view.board).min(limits.nodes);
        let is_timed = limits.soft.is_some() || limits.cpu.is_some();
        let (mut done, mut next) = (0, if is_timed { FIRST_WORK } else { most });
        let question = self.custom.question(view, &mut || {
            if done >= most || control.stopped() || (done > 0 && limits.is_soft_over()) {
                return None;
            }
            let work = next.min(most - done);
            (done, next) = (done + work, 2 * next);
            Some(work)
        });
        self.expected = self.custom.expected_score(view);
        let value = self.expected.unwrap_or_default() as Score;
        Found::without_answer(Move::Guess(question), value, 1, done)
    }
}

impl Agent for Racer {
    type Position = Seen;
    type Move = Move;

    fn think(&mut self, seen: &Seen, limits: Limits, control: &Control<Move>) -> Found<Move> {
        true_answer(seen).unwrap_or_else(|| {
            let mut player = seen.player.clone();
            let view = player.view(&seen.board);
            control.publish(Move::Guess(lookahead::best(&seen.board, view.mine)));
            self.guess(&view, limits, control)
        })
    }

    fn forecast(&self, seen: &Seen, _found: &Found<Move>) -> Option<Score> {
        let expected = self.expected.filter(|_| seen.asked.is_none());
        expected.map(|score| score as Score)
    }

    fn recover(&mut self) {
        *self = Self::default();
    }
}
