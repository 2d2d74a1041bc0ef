//! Computes the exact expected results of strategies by visiting all states that they can reach.

use std::collections::HashMap;

use turnwise_guesswho::board::{Board, Candidates, Question};
use turnwise_guesswho::player::{Seat, Strategy, View};

/// The probabilities of a game's results and the expected number of rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expectation {
    /// The probability that player 1 wins.
    pub win: f64,
    /// The probability of a tie.
    pub tie: f64,
    /// The probability that player 2 wins.
    pub loss: f64,
    /// The expected number of rounds.
    pub rounds: f64,
}

impl Expectation {
    /// Returns player 1's expected score: a win counts 1, a tie 1/2.
    pub fn score(self) -> f64 {
        self.win + 0.5 * self.tie
    }

    fn add(&mut self, weight: f64, other: Expectation) {
        self.win += weight * other.win;
        self.tie += weight * other.tie;
        self.loss += weight * other.loss;
        self.rounds += weight * other.rounds;
    }
}

/// Returns the exact expected result of a game between two strategies.
///
/// The players' persons are drawn uniformly and independently. The function visits every state that the strategies can
/// reach. This is quick for strategies that always return a single guess. For `random`, it is thousands of times
/// slower, and feasible only up to about a dozen persons.
pub fn expectation<'a>(board: &'a Board, strategies: [&'a mut dyn Strategy; 2]) -> Expectation {
    let everyone = board.everyone();
    Evaluation {
        board,
        strategies,
        known: HashMap::new(),
    }
    .round([everyone.clone(), everyone])
}

struct Evaluation<'a> {
    board: &'a Board,
    strategies: [&'a mut dyn Strategy; 2],
    known: HashMap<[Candidates; 2], Expectation>,
}

/// An entry for each answer to a guess: its probability, the remaining candidates, and whether the person is found.
type Branches = Vec<(f64, Candidates, bool)>;

impl Evaluation<'_> {
    /// Returns the expected result from the start of a round with these candidates of player 1 and player 2.
    fn round(&mut self, candidates: [Candidates; 2]) -> Expectation {
        if let Some(&known) = self.known.get(&candidates) {
            return known;
        }
        let mut total = Expectation {
            rounds: 1.0,
            ..Expectation::default()
        };
        for (first_weight, mine, first_right) in self.branches(&candidates, 0, false) {
            let between = [mine, candidates[1].clone()];
            for (second_weight, theirs, second_right) in self.branches(&between, 1, first_right) {
                let weight = first_weight * second_weight;
                match (first_right, second_right) {
                    (true, true) => total.tie += weight,
                    (true, false) => total.win += weight,
                    (false, true) => total.loss += weight,
                    (false, false) => {
                        let rest = self.round([between[0].clone(), theirs]);
                        total.add(weight, rest);
                    }
                }
            }
        }
        self.known.insert(candidates, total);
        total
    }

    fn branches(
        &mut self,
        candidates: &[Candidates; 2],
        turn: usize,
        opponent_finished: bool,
    ) -> Branches {
        let view = View {
            board: self.board,
            mine: &candidates[turn],
            theirs: &candidates[1 - turn],
            seat: if turn == 0 { Seat::First } else { Seat::Second },
            opponent_finished,
        };
        branches(self.strategies[turn], &view)
    }
}

fn branches(strategy: &mut dyn Strategy, view: &View<'_>) -> Branches {
    let choices = strategy.choices(view);
    let share = 1.0 / choices.len() as f64;
    let mut branches: HashMap<(Candidates, bool), f64> = HashMap::new();
    for question in choices {
        for answer in [true, false] {
            let left = view.board.remaining(view.mine, question, answer);
            let weight = share * left.len() as f64 / view.mine.len() as f64;
            if weight > 0.0 {
                let right = answer && matches!(question, Question::Person(_));
                *branches.entry((left, right)).or_default() += weight;
            }
        }
    }
    let mut branches: Branches = branches
        .into_iter()
        .map(|((left, right), weight)| (weight, left, right))
        .collect();
    // Sort the branches, because the order of a hash map is not defined, and a sum of floating-point numbers depends on
    // their order.
    branches.sort_by(|first, second| first.1.cmp(&second.1).then(first.2.cmp(&second.2)));
    branches
}

/// Returns the exact expected number of rounds that a strategy needs to find a uniformly drawn person.
///
/// The number of rounds includes the final person guess. The strategy is not told its own person.
pub fn expected_rounds(board: &Board, strategy: &mut dyn Strategy) -> f64 {
    fn solve(
        board: &Board,
        mine: Candidates,
        strategy: &mut dyn Strategy,
        known: &mut HashMap<Candidates, f64>,
    ) -> f64 {
        if let Some(&rounds) = known.get(&mine) {
            return rounds;
        }
        let theirs = board.everyone();
        let view = View {
            board,
            mine: &mine,
            theirs: &theirs,
            seat: Seat::First,
            opponent_finished: false,
        };
        let mut rounds = 1.0;
        for (weight, left, right) in branches(strategy, &view) {
            if !right {
                rounds += weight * solve(board, left, strategy, known);
            }
        }
        known.insert(mine, rounds);
        rounds
    }
    solve(board, board.everyone(), strategy, &mut HashMap::new())
}
