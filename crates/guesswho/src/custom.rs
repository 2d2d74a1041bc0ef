//! The strongest strategy, `custom`, which plays to find the person before the opponent does.
//!
//! It does not merely minimize its own number of rounds. While neither player has more than
//! [`solver::MOST_CANDIDATES`] candidates, it makes the guess with the best exact score against a perfect opponent
//! ([`super::race`]). Among equally good guesses, it chooses the guess with the fewest expected rounds, because this
//! guess gains the most from an imperfect opponent. On larger boards, and on boards built to defeat the solver, it
//! uses a bounded look-ahead.

use std::iter;

use super::board::{Board, Question};
use super::lookahead;
use super::player::{Seat, Strategy, View};
use super::race::ideal::IdealRace;
use super::race::solver::{self, RaceSolver};
use super::strategies::{NODES_FOR_A_QUESTION, Optimal};

/// The maximum number of persons on a board for which the strategy may spend a second or two on an exact guess.
const EXACT_AT_LEISURE: usize = 30;
/// The work limit of the race solver per guess on a board of at most [`EXACT_AT_LEISURE`] persons.
const WORK_AT_LEISURE: u64 = 10_000_000;
/// The work limit of the race solver per guess on a board of more than [`EXACT_AT_LEISURE`] persons.
///
/// This work takes about a tenth of a second.
const WORK_IN_HASTE: u64 = 100_000;

/// The strategy `custom`. A `Custom` is bound to one board and keeps its results from game to game.
#[derive(Clone, Debug, Default)]
pub struct Custom {
    race: Option<RaceSolver>,
    ideal: Option<IdealRace>,
    optimal: Optimal,
}

/// Returns the work that the race solver may usually do per guess on this board.
pub fn usual_work(board: &Board) -> u64 {
    match board.configuration().persons.len() {
        ..=EXACT_AT_LEISURE => WORK_AT_LEISURE,
        _ => WORK_IN_HASTE,
    }
}

impl Strategy for Custom {
    fn choices(&mut self, view: &View<'_>) -> Vec<Question> {
        let mut work = Some(usual_work(view.board));
        vec![self.question(view, &mut || work.take())]
    }
}

impl Custom {
    /// Chooses a guess. The race solver continues as long as `patience` returns another work limit.
    pub fn question(
        &mut self,
        view: &View<'_>,
        patience: &mut dyn FnMut() -> Option<u64>,
    ) -> Question {
        // A single candidate must be the person. If player 1 has named the right person in this round, player 2 can
        // still reach a tie, but only by naming the right person now.
        if view.opponent_finished || view.mine.len() == 1 {
            return Question::Person(view.mine[0]);
        }
        if let Some(question) = self.race_question(view, patience) {
            return question;
        }
        self.question_by_size(view)
            .unwrap_or_else(|| self.optimal.question(view.board, view.mine))
    }

    /// Returns the race solver's best guess, or `None` if there are too many candidates for the solver.
    fn race_question(
        &mut self,
        view: &View<'_>,
        patience: &mut dyn FnMut() -> Option<u64>,
    ) -> Option<Question> {
        let (turn, candidates) = race_of(view);
        let (race, sets) = RaceSolver::serving(&mut self.race, view.board, candidates)?;
        let best = iter::from_fn(patience).find_map(|work| race.best(sets, turn, work));
        let Some(best) = best else {
            return Some(race.promising(sets, turn));
        };
        best.into_iter().min_by_key(|&question| {
            let mut cost = |answer| {
                let part = view.board.remaining(view.mine, question, answer);
                let optimal = race.optimal(turn);
                let set = optimal.table().mask(&part)?;
                optimal.cost(set, NODES_FOR_A_QUESTION)
            };
            let right = matches!(question, Question::Person(_));
            let yes = if right { Some(0) } else { cost(true) };
            yes.zip(cost(false)).map_or(u32::MAX, |(yes, no)| yes + no)
        })
    }

    /// Returns player 1's expected score before this player's guess, or `None` if the race solver cannot handle the
    /// position.
    ///
    /// The score is exact if the solver has solved the position; otherwise it is the middle between the known bounds.
    pub fn expected_score(&mut self, view: &View<'_>) -> Option<f64> {
        if view.opponent_finished {
            let mine = view.mine.len() as u32;
            return Some(super::race::score_if_first_is_right(mine));
        }
        let (turn, candidates) = race_of(view);
        let race = self.race.as_mut()?;
        let sets = race.masks(candidates)?;
        let (lower, upper) = race.bounds(sets, turn);
        Some(0.5 * (lower + upper))
    }

    /// Chooses a guess from the numbers of candidates alone, as if a question could divide them in any proportion.
    ///
    /// A player that is far behind on a large board must take more risk, and the numbers tell how much. Returns `None`
    /// if this player has more than [`MOST_BY_SIZE`] candidates or the opponent has too many for the solver.
    fn question_by_size(&mut self, view: &View<'_>) -> Option<Question> {
        let (mine, theirs) = (view.mine.len(), view.theirs.len());
        if mine > MOST_BY_SIZE || theirs > solver::MOST_CANDIDATES {
            return None;
        }
        let ideal = self
            .ideal
            .get_or_insert_with(|| IdealRace::new(MOST_BY_SIZE));
        let after = |part: u32| {
            let score = match view.seat {
                Seat::First => ideal.value([part, theirs as u32], 1),
                Seat::Second => 1.0 - ideal.value([theirs as u32, part], 0),
            };
            f64::from(part) * score
        };
        let right = match view.seat {
            Seat::First => super::race::score_if_first_is_right(theirs as u32),
            Seat::Second => 1.0,
        };
        let mine = mine as u32;
        let guess = (right + after(mine - 1), Question::Person(view.mine[0]));
        let best = lookahead::most_even(view.board, view.mine, usize::MAX)
            .into_iter()
            .map(|question| {
                let yes = view.board.remaining(view.mine, question, true).len() as u32;
                (after(yes) + after(mine - yes), question)
            });
        let best = best.chain([guess]).reduce(|best, other| {
            if other.0 > best.0 + solver::EQUAL {
                other
            } else {
                best
            }
        });
        best.map(|(_, question)| question)
    }
}

/// Returns the race solver's input from a view: the player to guess (0 or 1), and both players' candidates.
fn race_of<'a>(view: &View<'a>) -> (usize, [&'a [u32]; 2]) {
    match view.seat {
        Seat::First => (0, [view.mine, view.theirs]),
        Seat::Second => (1, [view.theirs, view.mine]),
    }
}

/// The maximum number of candidates with which the guesser may choose a guess from the numbers of candidates alone.
const MOST_BY_SIZE: usize = 128;
