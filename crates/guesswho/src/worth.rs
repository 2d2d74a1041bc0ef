//! Computes the value of guesses: player 1's expected score, a tie counting half.
//!
//! While neither player has more than [`MOST_CANDIDATES`](super::race::solver::MOST_CANDIDATES) candidates, the race
//! solver computes the value: exactly with enough work, otherwise as bounds. Above that, the value is an estimate from
//! the sizes alone, as if every division were available.

use super::board::{Board, Question};
use super::lookahead;
use super::race::ideal::IdealRace;
use super::race::score_if_first_is_right;
use super::race::solver::{EQUAL, RaceSolver};

/// The work of the first look at a guess, and the maximum work of a later look.
///
/// Each look at a guess doubles the work. The solver does not check for a stop during a look.
const FIRST_WORK: u64 = 5_000;
const MOST_WORK: u64 = 1_000_000;

/// The largest size of an ideal race.
///
/// A race of half the size replaces a larger one, because a good question halves both sides.
const LARGEST_IDEAL: usize = 128;

/// The maximum number of questions, the most even first, and of persons to compare.
const MOST_OF_A_KIND: usize = 1_000;

/// A position before a guess, with the knowledge of both players.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The persons and their attributes, which both players know.
    pub board: &'a Board,
    /// The candidates of player 1 and player 2, at least one each.
    pub candidates: [&'a [u32]; 2],
    /// The player that guesses, 0 or 1.
    pub turn: usize,
    /// Whether player 1 was right in this round, so that only a right guess still ties.
    pub first_is_right: bool,
}

/// Bounds on player 1's expected score, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    lower: f64,
    upper: f64,
    /// False for an estimate, which is no bound.
    is_proven: bool,
}

impl Worth {
    /// Returns a known score.
    pub fn exact(score: f64) -> Self {
        Self::between((score, score))
    }

    fn between((lower, upper): (f64, f64)) -> Self {
        Self {
            lower,
            upper,
            is_proven: true,
        }
    }

    fn estimate(score: f64) -> Self {
        Self {
            is_proven: false,
            ..Self::exact(score)
        }
    }

    /// Returns the value, as an estimate unless `is_proven`.
    pub fn proven_if(self, is_proven: bool) -> Self {
        Self {
            is_proven: self.is_proven && is_proven,
            ..self
        }
    }

    /// Returns true if the score is known.
    pub fn is_exact(&self) -> bool {
        self.is_proven && self.upper - self.lower <= EQUAL
    }

    /// Returns the score, or the middle between the bounds.
    pub fn score(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }

    /// Returns the best possible score for the guesser, from 0 to 1.
    fn hope(&self, turn: usize) -> f64 {
        match turn {
            0 => self.upper,
            _ => 1.0 - self.lower,
        }
    }

    /// Returns the score for the guesser, from 0 to 1.
    pub fn score_of(&self, turn: usize) -> f64 {
        match turn {
            0 => self.score(),
            _ => 1.0 - self.score(),
        }
    }
}

/// Guesses and their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The guesses, best for the guesser first.
    pub guesses: Vec<(Question, Worth)>,
    /// True if the guesses are the best ones and their scores are exact.
    pub is_proven: bool,
    /// The work done, in examined divisions.
    pub work: u64,
}

/// Computes the values of guesses. It serves one board and keeps its results.
#[derive(Default)]
pub struct Appraiser {
    race: Option<RaceSolver>,
    ideal: Option<IdealRace>,
}

impl Appraiser {
    /// Returns a guess's value for player 1 within a work limit, and the work done.
    pub fn guess(&mut self, at: &Standing, question: Question, work: u64) -> (Worth, u64) {
        let mine = at.candidates[at.turn];
        let yes = at.board.remaining(mine, question, true).len();
        if at.first_is_right {
            let is_chance = matches!(question, Question::Person(_)) && yes > 0;
            let ties = score_if_first_is_right(mine.len() as u32);
            return (Worth::exact(if is_chance { ties } else { 1.0 }), 0);
        }
        match RaceSolver::serving(&mut self.race, at.board, at.candidates) {
            Some((race, sets)) => {
                let (bounds, done) = race.guess(at.board, sets, at.turn, question, work);
                (Worth::between(bounds), done)
            }
            None => (Worth::estimate(self.by_size(at, question, yes)), 0),
        }
    }

    /// Estimates player 1's score from the parts that a guess leaves, without the solver.
    fn by_size(&mut self, at: &Standing, question: Question, yes: usize) -> f64 {
        let sizes = at.candidates.map(<[u32]>::len);
        let all = sizes[at.turn];
        let mut after = |part: usize| {
            let mut sizes = sizes;
            sizes[at.turn] = part;
            part as f64 / all as f64 * self.ideal(sizes, 1 - at.turn)
        };
        match (question, yes) {
            (Question::Person(_), 1..) => {
                let right = match at.turn {
                    0 => score_if_first_is_right(sizes[1] as u32),
                    _ => 0.0,
                };
                let wrong = if all > 1 { after(all - 1) } else { 0.0 };
                right / all as f64 + wrong
            }
            (_, 0) => after(all),
            _ if yes == all => after(all),
            _ => after(yes) + after(all - yes),
        }
    }

    fn ideal(&mut self, mut sizes: [usize; 2], turn: usize) -> f64 {
        while sizes.iter().any(|&size| size > LARGEST_IDEAL) {
            sizes = sizes.map(|size| size.div_ceil(2));
        }
        let ideal = (self.ideal).get_or_insert_with(|| IdealRace::new(LARGEST_IDEAL));
        ideal.value(sizes.map(|size| size as u32), turn)
    }

    /// Ranks the `top` best guesses, at least one, of up to a thousand of each kind.
    ///
    /// `left` returns the remaining work after the given work, and `told` receives the intermediate results.
    pub fn rank(
        &mut self,
        at: &Standing,
        top: usize,
        left: &mut dyn FnMut(u64) -> u64,
        told: &mut dyn FnMut(&Ranking),
    ) -> Ranking {
        let mut looks = Looks::new(at, top);
        let mut is_first = true;
        loop {
            looks.put_most_hopeful_first();
            let work = looks.work;
            let Some(next) = looks.most_hopeful_open() else {
                return looks.ranking();
            };
            let may = left(work);
            let is_full = (self.race.as_ref()).is_some_and(RaceSolver::is_full);
            if (may == 0 && !is_first) || (is_full && next.worth.is_some()) {
                return looks.ranking();
            }
            is_first = false;
            let (worth, done) = self.guess(at, next.question, next.work.min(may));
            next.worth = Some(worth);
            next.work = (2 * next.work).min(MOST_WORK);
            looks.work += done;
            if looks.all.iter().all(|look| look.worth.is_some()) {
                told(&looks.ranking());
            }
        }
    }
}

/// The state of a guess in the comparison.
struct Look {
    question: Question,
    worth: Option<Worth>,
    /// The work of the next look.
    work: u64,
}

impl Look {
    fn new(question: Question) -> Self {
        Self {
            question,
            worth: None,
            work: FIRST_WORK,
        }
    }

    fn hope(&self, turn: usize) -> f64 {
        self.worth.map_or(1.0, |worth| worth.hope(turn))
    }

    /// Returns true if more work can improve the value.
    fn is_open(&self) -> bool {
        self.worth
            .is_none_or(|worth| worth.is_proven && !worth.is_exact())
    }
}

/// All guesses in the comparison.
struct Looks {
    all: Vec<Look>,
    turn: usize,
    top: usize,
    /// False if the comparison omits guesses.
    are_all: bool,
    /// The work done.
    work: u64,
}

impl Looks {
    fn new(at: &Standing, top: usize) -> Self {
        let mine = at.candidates[at.turn];
        let divisions = lookahead::most_even(at.board, mine, MOST_OF_A_KIND);
        let persons = mine.iter().copied().take(MOST_OF_A_KIND);
        let are_all = divisions.len().max(mine.len()) < MOST_OF_A_KIND;
        let guesses = (divisions.into_iter()).chain(persons.map(Question::Person));
        Self {
            all: guesses.map(Look::new).collect(),
            turn: at.turn,
            top,
            are_all,
            work: 0,
        }
    }

    fn put_most_hopeful_first(&mut self) {
        let turn = self.turn;
        self.all
            .sort_by(|one, other| other.hope(turn).total_cmp(&one.hope(turn)));
    }

    /// Returns the first of the most hopeful guesses whose value can still improve.
    fn most_hopeful_open(&mut self) -> Option<&mut Look> {
        let most_hopeful = self.all.iter_mut().take(self.top);
        most_hopeful.into_iter().find(|look| look.is_open())
    }

    /// Ranks the guesses with a value. Proven if no other guess can be better.
    fn ranking(&self) -> Ranking {
        let turn = self.turn;
        let looked = self
            .all
            .iter()
            .filter_map(|look| Some((look.question, look.worth?)));
        let mut guesses: Vec<(Question, Worth)> = looked.collect();
        guesses.sort_by(|one, other| other.1.score_of(turn).total_cmp(&one.1.score_of(turn)));
        guesses.truncate(self.top);
        let last = guesses.last().map_or(0.0, |last| last.1.score_of(turn));
        let is_hopeless = |look: &Look| {
            let is_ranked = guesses
                .iter()
                .any(|(question, _)| *question == look.question);
            is_ranked || look.hope(turn) <= last + EQUAL
        };
        let are_exact = guesses.iter().all(|(_, worth)| worth.is_exact());
        Ranking {
            is_proven: self.are_all && are_exact && self.all.iter().all(is_hopeless),
            guesses,
            work: self.work,
        }
    }
}
