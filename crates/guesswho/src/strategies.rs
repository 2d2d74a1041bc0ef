//! The strategies `random`, `binary`, `optimal` and `lookahead`; the strategy `custom` is in [`super::custom`].

use super::board::{Board, Question};
use super::custom::Custom;
use super::lookahead;
use super::optimal::Optimal as Solver;
use super::player::{Strategy, View};
use super::table::Table;

/// A strategy that needs no other program. The order of the variants is the order in which the help lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StrategyKind {
    /// Asks a random question that is not redundant for the remaining candidates.
    Random,
    /// Asks the question that divides the candidates most evenly.
    Binary,
    /// The strongest strategy: it plays for the best score in the race against the opponent.
    Custom,
    /// Asks the questions with which it finds the person in the fewest rounds on average.
    Optimal,
    /// Looks ahead by at most two questions, without an exact solver.
    Lookahead,
}

impl StrategyKind {
    /// All strategies, in the order of their declaration.
    pub const ALL: [StrategyKind; 5] = [
        StrategyKind::Random,
        StrategyKind::Binary,
        StrategyKind::Custom,
        StrategyKind::Optimal,
        StrategyKind::Lookahead,
    ];

    /// Returns the name that the strategy has on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StrategyKind::Random => "random",
            StrategyKind::Binary => "binary",
            StrategyKind::Custom => "custom",
            StrategyKind::Optimal => "optimal",
            StrategyKind::Lookahead => "lookahead",
        }
    }

    /// Creates a strategy of this kind.
    pub fn create(self) -> Box<dyn Strategy + Send> {
        match self {
            StrategyKind::Random => Box::new(Random),
            StrategyKind::Binary => Box::new(Binary),
            StrategyKind::Custom => Box::new(Custom::default()),
            StrategyKind::Optimal => Box::new(Optimal::default()),
            StrategyKind::Lookahead => Box::new(Lookahead),
        }
    }
}

/// The course's random player, which draws a question uniformly.
///
/// It asks about an attribute-value pair that some but not all of the remaining candidates have.
///
/// The assignment also lets it draw pairs that all candidates share. But questions about such pairs are redundant,
/// which the assignment forbids, so this player never asks them. If no question separates the remaining candidates, it
/// names a candidate at random, with equal probabilities.
struct Random;

impl Strategy for Random {
    fn choices(&mut self, view: &View<'_>) -> Vec<Question> {
        let splits = view.board.splits(view.mine);
        match splits.is_empty() {
            true => view.mine.iter().copied().map(Question::Person).collect(),
            false => splits.into_iter().map(|(question, _)| question).collect(),
        }
    }
}

/// The course's binary search player, which asks the question that divides the candidates most evenly.
///
/// The question is about an attribute-value pair. Ties go to the first pair in alphabetical order. If no pair divides
/// the candidates, the player names a person.
pub struct Binary;

impl Strategy for Binary {
    fn choices(&mut self, view: &View<'_>) -> Vec<Question> {
        let mut question = lookahead::most_even(view.board, view.mine, 1);
        if question.is_empty() {
            question.push(Question::Person(view.mine[0]));
        }
        question
    }
}

/// The number of sets that the exact solver may examine per question. If it needs more, the look-ahead replaces it.
///
/// On the boards of the course, a question needs only a few hundred sets.
pub(super) const NODES_FOR_A_QUESTION: u64 = 20_000;

/// The player that needs the fewest rounds on average.
///
/// It is exact for up to 64 candidates, unless the board is built to defeat the exact solver. In all other cases, it
/// uses [`lookahead`].
#[derive(Clone, Debug, Default)]
pub struct Optimal {
    solver: Option<Solver>,
}

impl Optimal {
    /// Returns the question that leads to the lowest expected number of rounds.
    ///
    /// An `Optimal` serves one board and keeps its results from call to call.
    pub fn question(&mut self, board: &Board, candidates: &[u32]) -> Question {
        let fits = |solver: &Solver| solver.table().mask(candidates).is_some();
        if !self.solver.as_ref().is_some_and(fits) {
            self.solver = Table::new(board, candidates).map(Solver::new);
        }
        let exact = self.solver.as_mut().and_then(|solver| {
            let set = solver.table().mask(candidates)?;
            solver.best(set, NODES_FOR_A_QUESTION)
        });
        exact.unwrap_or_else(|| lookahead::best(board, candidates))
    }
}

impl Strategy for Optimal {
    fn choices(&mut self, view: &View<'_>) -> Vec<Question> {
        vec![self.question(view.board, view.mine)]
    }
}

/// The strategy that always uses [`lookahead`], as `optimal` does only on boards that are too large to solve.
struct Lookahead;

impl Strategy for Lookahead {
    fn choices(&mut self, view: &View<'_>) -> Vec<Question> {
        vec![lookahead::best(view.board, view.mine)]
    }
}
