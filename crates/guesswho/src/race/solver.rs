//! Computes the exact value of a race on real candidates, and the best guesses.
//!
//! The solver is an alpha-beta search. Player 1 maximizes, player 2 minimizes, and the answers are chance nodes, which
//! it treats like Star1 (Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983). It stores
//! positions by shape, and `super::relaxation` provides their first bounds.

use std::collections::HashMap;

use super::super::board::{Board, Question};
use super::super::optimal::Optimal;
use super::super::table::{Split, Table, bits};
use super::relaxation::{Relaxation, Relaxed};
use super::shapes::Shapes;
use super::{decided, score_of_right_guess};

/// Scores that differ by at most this count as equal.
///
/// This value is far above the rounding error of a sum of a few hundred terms, and far below the smallest possible
/// difference between two lines of play with 63 candidates.
pub const EQUAL: f64 = 1e-11;

/// The maximum number of candidates that each player may have.
pub const MOST_CANDIDATES: usize = 63;

/// The maximum number of sets to examine when choosing each question of a plan (see `super::relaxation`).
///
/// If this does not suffice, the plan is not optimal, but it still gives a valid bound.
const NODES_FOR_A_PLAN: u64 = 500;

/// The amount of work that examining one guess counts as, chosen roughly in proportion to the time it takes.
///
/// One unit of work is one examined division, so that the work is equal on every machine.
const WORK_OF_AN_OPTION: u64 = 8;
/// The amount of work that solving one relaxed race counts as.
const WORK_OF_A_RELAXED_RACE: u64 = 16;

/// The number of stored positions at which a solver counts as full and is replaced. They take a few hundred MB.
const MOST_REMEMBERED: usize = 2_000_000;

/// The solvers, plans and shapes for the sets of one player's candidates.
#[derive(Clone, Debug)]
struct Side {
    optimal: Optimal,
    plans: HashMap<u64, u32>,
    shapes: Shapes,
}

/// The known bounds on a position's value.
#[derive(Clone, Copy, Debug)]
struct Interval {
    lower: f64,
    upper: f64,
}

impl Interval {
    fn exact(score: f64) -> Self {
        Interval {
            lower: score,
            upper: score,
        }
    }

    fn middle(self) -> f64 {
        0.5 * (self.lower + self.upper)
    }
}

/// The two sets that a question leaves; after a person guess, the second is empty.
type Parts = [u64; 2];

fn sizes(sets: [u64; 2]) -> [u32; 2] {
    sets.map(u64::count_ones)
}

/// Solves the positions of one race between two players and keeps its results for later positions.
#[derive(Clone, Debug)]
pub struct RaceSolver {
    sides: [Side; 2],
    relaxation: Relaxation,
    known: HashMap<(u64, u64, usize), Interval>,
    work_left: u64,
}

impl RaceSolver {
    /// Creates a solver for subsets of the candidates of player 1 and player 2.
    ///
    /// Returns `None` if either player has more than [`MOST_CANDIDATES`].
    pub fn new(board: &Board, candidates: [&[u32]; 2]) -> Option<Self> {
        let side = |candidates: &[u32]| {
            let table =
                (candidates.len() <= MOST_CANDIDATES).then(|| Table::new(board, candidates))??;
            Some(Side {
                optimal: Optimal::new(table),
                plans: HashMap::new(),
                shapes: Shapes::default(),
            })
        };
        Some(RaceSolver {
            sides: [side(candidates[0])?, side(candidates[1])?],
            relaxation: Relaxation::default(),
            known: HashMap::new(),
            work_left: 0,
        })
    }

    /// Returns the solver stored in `kept`, and the masks that stand for the candidates in that solver.
    ///
    /// If the stored solver is full, or was created without some of the candidates, a new one replaces it. Returns
    /// `None` if either player has more than [`MOST_CANDIDATES`].
    pub fn serving<'a>(
        kept: &'a mut Option<Self>,
        board: &Board,
        candidates: [&[u32]; 2],
    ) -> Option<(&'a mut Self, [u64; 2])> {
        let usable = |race: &Self| !race.is_full() && race.masks(candidates).is_some();
        if !kept.as_ref().is_some_and(usable) {
            *kept = Self::new(board, candidates);
        }
        let race = kept.as_mut()?;
        let sets = race.masks(candidates)?;
        Some((race, sets))
    }

    /// Returns the masks of the candidates, or `None` if the solver does not know a candidate.
    pub fn masks(&self, candidates: [&[u32]; 2]) -> Option<[u64; 2]> {
        let mask = |player: usize| self.table(player).mask(candidates[player]);
        Some([mask(0)?, mask(1)?])
    }

    /// Returns player 1's exact expected score, or `None` if `most_work` does not suffice to compute it.
    ///
    /// Player `turn` (0 or 1) must guess, and player 1 has not named the right person in this round. Work is counted in
    /// examined divisions.
    pub fn value(&mut self, sets: [u64; 2], turn: usize, most_work: u64) -> Option<f64> {
        self.work_left = most_work;
        self.solve(sets, turn, f64::NEG_INFINITY, f64::INFINITY)
    }

    /// Returns the lower and upper bound on player 1's expected score that are known without further search.
    pub fn bounds(&mut self, sets: [u64; 2], turn: usize) -> (f64, f64) {
        let interval = self.interval(sets, turn);
        (interval.lower, interval.upper)
    }

    /// Returns all best guesses of player `turn`, or `None` if `most_work` does not suffice to find them.
    ///
    /// The guesses are in alphabetical order, person guesses last.
    pub fn best(&mut self, sets: [u64; 2], turn: usize, most_work: u64) -> Option<Vec<Question>> {
        let score = self.value(sets, turn, most_work)?;
        if sets[turn].count_ones() == 1 {
            let last = self.table(turn).person(sets[turn].trailing_zeros());
            return Some(vec![Question::Person(last)]);
        }
        let mut best = Vec::new();
        for (question, parts) in self.questions(sets, turn) {
            let reached =
                self.option(sets, turn, parts, score - 2.0 * EQUAL, score + 2.0 * EQUAL)?;
            if (reached - score).abs() <= EQUAL {
                best.push(question);
            }
        }
        Some(best)
    }

    fn table(&self, player: usize) -> &Table {
        self.sides[player].optimal.table()
    }

    /// Returns the most promising guess: the middle between the guess's bounds is best for player `turn`.
    ///
    /// It is not proven to be the best guess.
    ///
    /// The guesser must have at least two candidates.
    pub fn promising(&mut self, sets: [u64; 2], turn: usize) -> Question {
        let mut best: Option<(f64, Question)> = None;
        for (question, parts) in self.questions(sets, turn) {
            let promise = self.option_bounds(sets, turn, parts).middle();
            if best.is_none_or(|(known, _)| {
                known != promise && super::better(turn, known, promise) == promise
            }) {
                best = Some((promise, question));
            }
        }
        best.expect("a person can always be guessed").1
    }

    /// Returns every non-redundant guess with the parts that it leaves. The guesser has at least two candidates.
    ///
    /// The order is alphabetical, person guesses last.
    fn questions(&self, sets: [u64; 2], turn: usize) -> Vec<(Question, Parts)> {
        let table = self.table(turn);
        let set = sets[turn];
        let divisions = table.splits().iter();
        let divisions = divisions
            .map(|&Split { yes, question }| (question, [set & yes, set & !yes]))
            .filter(|(_, parts)| !parts.contains(&0));
        let guesses =
            bits(set).map(|bit| (Question::Person(table.person(bit)), [set & !(1 << bit), 0]));
        divisions.chain(guesses).collect()
    }

    /// Returns true once the stored positions take too much memory.
    pub fn is_full(&self) -> bool {
        self.known.len() + self.relaxation.solved() as usize >= MOST_REMEMBERED
    }

    /// Returns the lower and upper bound on player 1's expected score after this guess, and the work done.
    ///
    /// Player `turn` makes the guess, which may be any guess on the board; then both play well. The two bounds are
    /// equal if `most_work` suffices for the exact score.
    pub fn guess(
        &mut self,
        board: &Board,
        sets: [u64; 2],
        turn: usize,
        question: Question,
        most_work: u64,
    ) -> ((f64, f64), u64) {
        self.work_left = most_work;
        let table = self.table(turn);
        let fits = |&bit: &u32| board.answer(question, table.person(bit));
        let yes = bits(sets[turn])
            .filter(fits)
            .fold(0, |set, bit| set | 1 << bit);
        let no = sets[turn] & !yes;
        let is_person = matches!(question, Question::Person(_));
        let parts = match (yes, no) {
            (_, 0) if is_person => {
                let score = score_of_right_guess(sizes(sets), turn);
                return ((score, score), 0);
            }
            // The answer is equal for all candidates, so the guess reveals nothing.
            (0, _) | (_, 0) => None,
            _ if is_person => Some([no, 0]),
            _ => Some([yes, no]),
        };
        const OPEN: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
        let value = match parts {
            Some(parts) => self.option(sets, turn, parts, OPEN[0], OPEN[1]),
            None => self.solve(sets, 1 - turn, OPEN[0], OPEN[1]),
        };
        let bounds = match (value, parts) {
            (Some(value), _) => Interval::exact(value),
            (None, Some(parts)) => self.option_bounds(sets, turn, parts),
            (None, None) => self.interval(sets, 1 - turn),
        };
        ((bounds.lower, bounds.upper), most_work - self.work_left)
    }

    /// Returns the solver that minimizes the expected number of rounds for the player `player` (0 or 1).
    pub fn optimal(&mut self, player: usize) -> &mut Optimal {
        &mut self.sides[player].optimal
    }

    fn key(&mut self, sets: [u64; 2], turn: usize) -> (u64, u64, usize) {
        let [first, second] = &mut self.sides;
        let first = first.shapes.key(first.optimal.table(), sets[0]);
        let second = second.shapes.key(second.optimal.table(), sets[1]);
        (first, second, turn)
    }

    fn interval(&mut self, sets: [u64; 2], turn: usize) -> Interval {
        if let Some(score) = decided(sizes(sets), turn) {
            return Interval::exact(score);
        }
        let key = self.key(sets, turn);
        if let Some(&interval) = self.known.get(&key) {
            return interval;
        }
        let work_before = self.work_of_bounds();
        let nodes_for_a_plan = if self.work_left > 0 {
            NODES_FOR_A_PLAN
        } else {
            0
        };
        let mut bound = |strong: usize| {
            let side = &mut self.sides[1 - strong];
            let plan = self.relaxation.plans.of(
                sets[1 - strong],
                &mut side.optimal,
                &mut side.plans,
                nodes_for_a_plan,
            );
            let table = self.sides[strong].optimal.table();
            self.relaxation.value(Relaxed {
                strong,
                size: sets[strong].count_ones(),
                minority: table.largest_minority(sets[strong]),
                plan,
                turn,
            })
        };
        let interval = Interval {
            lower: bound(1),
            upper: bound(0),
        };
        self.known.insert(key, interval);
        self.work_left = self
            .work_left
            .saturating_sub(self.work_of_bounds() - work_before);
        interval
    }

    /// Returns the total work done so far to compute the positions' first bounds, with plans and relaxed races.
    fn work_of_bounds(&self) -> u64 {
        let plans = self
            .sides
            .iter()
            .map(|side| side.optimal.examined() * side.optimal.table().splits().len() as u64);
        plans.sum::<u64>() + WORK_OF_A_RELAXED_RACE * self.relaxation.solved()
    }

    /// Returns the value of a position, or `None` if the work is used up.
    ///
    /// A value between `alpha` and `beta` is exact; a value of at most `alpha` is an upper bound, a value of at least
    /// `beta` a lower bound.
    fn solve(&mut self, sets: [u64; 2], turn: usize, alpha: f64, beta: f64) -> Option<f64> {
        let known = self.interval(sets, turn);
        if known.upper - known.lower <= EQUAL {
            return Some(known.middle());
        }
        if known.upper <= alpha {
            return Some(known.upper);
        }
        if known.lower >= beta {
            return Some(known.lower);
        }
        let splits = self.table(turn).splits().len() as u64;
        self.work_left = self
            .work_left
            .checked_sub(WORK_OF_AN_OPTION * (splits + 1))?;

        let (alpha, beta) = (
            alpha.max(known.lower - EQUAL),
            beta.min(known.upper + EQUAL),
        );
        let mut options = self.options(sets, turn);
        match turn {
            0 => options.sort_by(|first, second| second.1.middle().total_cmp(&first.1.middle())),
            _ => options.sort_by(|first, second| first.1.middle().total_cmp(&second.1.middle())),
        }
        let mut best = if turn == 0 {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        let (mut low, mut high) = (alpha, beta);
        for (parts, bounds) in options {
            // An option that cannot beat the best option so far needs no search: its bound serves as its value.
            let hopeless = if turn == 0 {
                bounds.upper <= low
            } else {
                bounds.lower >= high
            };
            let value = match (hopeless, turn) {
                (true, 0) => bounds.upper,
                (true, _) => bounds.lower,
                (false, _) => self.option(sets, turn, parts, low, high)?,
            };
            best = super::better(turn, best, value);
            if turn == 0 {
                low = low.max(best);
            } else {
                high = high.min(best);
            }
            if low >= high {
                break;
            }
        }
        let key = self.key(sets, turn);
        let entry = self
            .known
            .get_mut(&key)
            .expect("the interval was just looked up");
        if best > alpha {
            entry.lower = entry.lower.max(best.min(entry.upper));
        }
        if best < beta {
            entry.upper = entry.upper.min(best.max(entry.lower));
        }
        Some(best)
    }

    /// Returns, for each guess worth trying, the parts that it leaves and bounds on player 1's score after it.
    fn options(&mut self, sets: [u64; 2], turn: usize) -> Vec<(Parts, Interval)> {
        let mut seen = std::collections::HashSet::new();
        let mut options = Vec::new();
        for (_, parts) in self.questions(sets, turn) {
            // A question that separates one candidate gives only the information that guessing the candidate gives.
            if parts[1] != 0 && sizes(parts).contains(&1) {
                continue;
            }
            let side = &mut self.sides[turn];
            let [first, second] = parts.map(|part| match part {
                0 => 0,
                part => side.shapes.key(side.optimal.table(), part),
            });
            if seen.insert((first.min(second), first.max(second))) {
                options.push((parts, self.option_bounds(sets, turn, parts)));
            }
        }
        options
    }

    fn option_bounds(&mut self, sets: [u64; 2], turn: usize, parts: Parts) -> Interval {
        let mut total = Interval::exact(0.0);
        for (_, weight, bounds) in self.children(sets, turn, parts) {
            total.lower += weight * bounds.lower;
            total.upper += weight * bounds.upper;
        }
        total
    }

    /// Returns the positions after the two answers to a guess, each with its probability and bounds.
    ///
    /// No position follows the answer yes to a person guess, because the guesser has then found the person.
    fn children(
        &mut self,
        sets: [u64; 2],
        turn: usize,
        parts: Parts,
    ) -> [(Option<[u64; 2]>, f64, Interval); 2] {
        let size = f64::from(sets[turn].count_ones());
        parts.map(|part| {
            if part == 0 {
                let score = score_of_right_guess(sizes(sets), turn);
                return (None, 1.0 / size, Interval::exact(score));
            }
            let mut sets = sets;
            sets[turn] = part;
            let weight = f64::from(part.count_ones()) / size;
            (Some(sets), weight, self.interval(sets, 1 - turn))
        })
    }

    /// Returns the value of one guess. [`Self::solve`] describes the meaning of `alpha` and `beta`.
    fn option(
        &mut self,
        sets: [u64; 2],
        turn: usize,
        parts: Parts,
        alpha: f64,
        beta: f64,
    ) -> Option<f64> {
        let [first, second] = self.children(sets, turn, parts);
        let mut value = first.1 * first.2.middle();
        if let Some(child) = first.0 {
            let low = (alpha - second.1 * second.2.upper) / first.1;
            let high = (beta - second.1 * second.2.lower) / first.1;
            let found = self.solve(child, 1 - turn, low, high)?;
            if found <= low {
                return Some(first.1 * found + second.1 * second.2.upper);
            }
            if found >= high {
                return Some(first.1 * found + second.1 * second.2.lower);
            }
            value = first.1 * found;
        }
        match second.0 {
            None => Some(value + second.1 * second.2.middle()),
            Some(child) => {
                let found = self.solve(
                    child,
                    1 - turn,
                    (alpha - value) / second.1,
                    (beta - value) / second.1,
                )?;
                Some(value + second.1 * found)
            }
        }
    }
}
