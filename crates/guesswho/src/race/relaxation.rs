//! Computes bounds on the value of a race by replacing one player with a strong and the other with a weak player.
//!
//! A *strong* player has an ideal board, which offers every division whose minority is at most `m`. No real player with
//! that largest minority can do better. A *weak* player follows one fixed question tree or, from any moment on, guesses
//! only persons. A real player that plays well does at least as well as a weak one. The race of a strong player against
//! a weak one depends only on the number of the strong player's candidates, on `m` and on the shape of the weak
//! player's tree, so one solution serves very many positions. A race of a strong player 1 against a weak player 2
//! bounds the value from above, and a race of a weak player 1 against a strong player 2 bounds it from below.

use std::collections::HashMap;

use super::super::optimal::Optimal;
use super::super::table::Table;
use super::{better, decided, score_of_right_guess};

/// A plan, which is a question tree: the question at the root, and the numbers of the plans that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Plan {
    /// Names the only candidate.
    Last,
    /// Names a person, then continues with the plan for the other candidates.
    Guess(u32),
    /// Asks an attribute question, then continues with the plan for the part that the answer leaves.
    Divide(u32, u32),
}

/// All plans created so far. All plans of equal shape share a number.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    plans: Vec<(Plan, u32)>,
    numbers: HashMap<Plan, u32>,
}

impl Plans {
    fn number(&mut self, plan: Plan) -> u32 {
        let size = match plan {
            Plan::Last => 1,
            Plan::Guess(rest) => self.size(rest) + 1,
            Plan::Divide(yes, no) => self.size(yes) + self.size(no),
        };
        let plans = &mut self.plans;
        *self.numbers.entry(plan).or_insert_with(|| {
            plans.push((plan, size));
            plans.len() as u32 - 1
        })
    }

    fn size(&self, plan: u32) -> u32 {
        self.plans[plan as usize].1
    }

    /// Returns the number of the plan that names one person after another, without attribute questions.
    fn guesses_only(&mut self, size: u32) -> u32 {
        (1..size).fold(self.number(Plan::Last), |rest, _| {
            self.number(Plan::Guess(rest))
        })
    }

    /// Returns the number of the plan that needs the fewest rounds on average for `set`.
    ///
    /// If the solver cannot find a best question of the plan by examining `most_nodes` sets, the plan uses the most
    /// even division instead. `known` stores the number of the plan for each set.
    pub fn of(
        &mut self,
        set: u64,
        optimal: &mut Optimal,
        known: &mut HashMap<u64, u32>,
        most_nodes: u64,
    ) -> u32 {
        if let Some(&plan) = known.get(&set) {
            return plan;
        }
        let parts = optimal
            .best_parts(set, most_nodes)
            .or_else(|| most_even(optimal.table(), set));
        let plan = match parts {
            None => self.guesses_only(set.count_ones()),
            Some((rest, 0)) => {
                let rest = self.of(rest, optimal, known, most_nodes);
                self.number(Plan::Guess(rest))
            }
            Some((yes, no)) => {
                let yes = self.of(yes, optimal, known, most_nodes);
                let no = self.of(no, optimal, known, most_nodes);
                self.number(Plan::Divide(yes.min(no), yes.max(no)))
            }
        };
        known.insert(set, plan);
        plan
    }
}

/// Returns the parts of the most even division, if a division exists.
fn most_even(table: &Table, set: u64) -> Option<(u64, u64)> {
    table
        .splits()
        .iter()
        .map(|split| (set & split.yes, set & !split.yes))
        .filter(|&(yes, no)| yes != 0 && no != 0)
        .min_by_key(|(yes, no)| yes.count_ones().abs_diff(no.count_ones()))
}

/// A race between the strong player, whose index is `strong` (0 or 1), and a weak player with a plan.
///
/// The strong player has `size` candidates, and its questions give every division with a minority of at most
/// `minority`. Player `turn` must guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Relaxed {
    pub strong: usize,
    pub size: u32,
    pub minority: u32,
    pub plan: u32,
    pub turn: usize,
}

/// Computes the values of relaxed races and stores them, so that each race is solved only once.
#[derive(Clone, Debug, Default)]
pub struct Relaxation {
    /// The plans that weak players follow in these races.
    pub plans: Plans,
    known: HashMap<Relaxed, f64>,
}

impl Relaxation {
    /// Returns the number of races solved so far, a measure of work.
    pub fn solved(&self) -> u64 {
        self.known.len() as u64
    }

    /// Returns player 1's expected score in this race, from 0 to 1.
    pub fn value(&mut self, race: Relaxed) -> f64 {
        let (strong, size, turn) = (race.strong, race.size, race.turn);
        let (plan, plan_size) = self.plans.plans[race.plan as usize];
        let mut sizes = [plan_size; 2];
        sizes[strong] = size;
        if let Some(score) = decided(sizes, turn) {
            return score;
        }
        // No division has a minority above half the size, so all larger values of `minority` share one key.
        let race = Relaxed {
            minority: race.minority.min(size / 2),
            ..race
        };
        if let Some(&value) = self.known.get(&race) {
            return value;
        }
        let right = score_of_right_guess(sizes, turn);
        let next = Relaxed {
            turn: 1 - turn,
            ..race
        };
        let value = if turn == strong {
            let mut after =
                |part: u32| f64::from(part) * self.value(Relaxed { size: part, ..next });
            let guess = right + after(size - 1);
            let most = race.minority;
            let best = (2..=most)
                .map(|part| after(part) + after(size - part))
                .fold(guess, |a, b| better(turn, a, b));
            best / f64::from(size)
        } else {
            let guesses_only = self.plans.guesses_only(plan_size - 1);
            let mut after =
                |plan: u32| f64::from(self.plans.size(plan)) * self.value(Relaxed { plan, ..next });
            let planned = match plan {
                Plan::Last => unreachable!("a state with one candidate to move is decided"),
                Plan::Guess(rest) => right + after(rest),
                Plan::Divide(yes, no) => after(yes) + after(no),
            };
            let guess = right + after(guesses_only);
            better(turn, planned, guess) / f64::from(plan_size)
        };
        self.known.insert(race, value);
        value
    }
}
