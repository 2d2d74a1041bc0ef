//! Computes the value of a guess, which is player 1's expected score after the guess. A tie counts half.
//!
//! While neither player has more than [`MOST_CANDIDATES`](super::race::solver::MOST_CANDIDATES) candidates, the race
//! solver computes the value. The value is exact if the work limit suffices; otherwise, the solver gives bounds. With
//! more candidates, the value is an estimate from the numbers of candidates alone, as if questions could divide the
//! candidates in every proportion.

use super::board::{Board, Question};
use super::lookahead;
use super::race::ideal::IdealRace;
use super::race::score_if_first_is_right;
use super::race::solver::{EQUAL, RaceSolver};

/// The work limit of the first look at a guess, that is, of the first attempt to compute its value. The constant below
/// is the largest work limit of any later look.
///
/// Each look at a guess has twice the work limit of the look before. During a look, the solver does not check whether
/// it should stop.
const FIRST_WORK: u64 = 5_000;
const MOST_WORK: u64 = 1_000_000;

/// The maximum number of candidates per player in an ideal race.
///
/// If a number is larger, both players' numbers are halved until they fit. This changes the value little, because a
/// good question halves a player's candidates.
const LARGEST_IDEAL: usize = 128;

/// The maximum number of attribute questions to compare, and also the maximum number of person guesses.
///
/// If there are more questions, only the most even divisions are compared.
const MOST_OF_A_KIND: usize = 1_000;

/// A position before a guess, with the knowledge of both players.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The persons and their attributes, which both players know.
    pub board: &'a Board,
    /// The candidates of player 1 and of player 2. Each list has at least one person.
    pub candidates: [&'a [u32]; 2],
    /// The player that guesses, 0 or 1.
    pub turn: usize,
    /// True if player 1 named the right person in this round. Then player 2 must guess and can at best reach a tie.
    pub first_is_right: bool,
}

/// Bounds on player 1's expected score, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    lower: f64,
    upper: f64,
    /// True if the bounds are proven, false if they are only an estimate.
    is_proven: bool,
}

impl Worth {
    /// Returns the value of a position whose score is exactly known.
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

    /// Returns this value, but marked as an estimate if `is_proven` is false.
    pub fn proven_if(self, is_proven: bool) -> Self {
        Self {
            is_proven: self.is_proven && is_proven,
            ..self
        }
    }

    /// Returns true if the bounds are proven and equal, so that the exact score is known.
    pub fn is_exact(&self) -> bool {
        self.is_proven && self.upper - self.lower <= EQUAL
    }

    /// Returns player 1's score if it is known, otherwise the middle between the bounds.
    pub fn score(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }

    /// Returns the best score that the guesser, player `turn`, can still hope for: its upper bound, from 0 to 1.
    fn hope(&self, turn: usize) -> f64 {
        match turn {
            0 => self.upper,
            _ => 1.0 - self.lower,
        }
    }

    /// Returns the score from the point of view of the guesser, player `turn` (0 or 1), from 0 to 1.
    pub fn score_of(&self, turn: usize) -> f64 {
        match turn {
            0 => self.score(),
            _ => 1.0 - self.score(),
        }
    }
}

/// The best guesses of a position with their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The guesses, best for the guesser first.
    pub guesses: Vec<(Question, Worth)>,
    /// True if it is proven that these guesses are the best ones, and their scores are exact.
    pub is_proven: bool,
    /// The work done for this ranking, counted in examined divisions.
    pub work: u64,
}

/// Computes the values of guesses on one board and keeps its results for later calls.
#[derive(Default)]
pub struct Appraiser {
    race: Option<RaceSolver>,
    ideal: Option<IdealRace>,
}

impl Appraiser {
    /// Returns the value of a guess for player 1, computed within the work limit, and the work done.
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

    /// Estimates player 1's score from the sizes of the parts that a guess leaves, without the solver.
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

    /// Returns the `top` best guesses with their values. It returns at least one guess.
    ///
    /// Compares at most a thousand attribute questions and a thousand person guesses.
    ///
    /// The function `left` receives the work done so far and returns how much more work is allowed. The function `told`
    /// receives the intermediate results.
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
            // A look whose limit suffices for nothing counts as work, or the comparison would repeat it forever.
            looks.work += done.max(u64::from(next.is_open()));
            if looks.all.iter().all(|look| look.worth.is_some()) {
                told(&looks.ranking());
            }
        }
    }
}

/// The knowledge about one guess in a comparison.
struct Look {
    question: Question,
    worth: Option<Worth>,
    /// The work limit of the next look at this guess.
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

    /// Returns true if more work can bring the bounds on the guess's value closer together.
    fn is_open(&self) -> bool {
        self.worth
            .is_none_or(|worth| worth.is_proven && !worth.is_exact())
    }
}

/// A comparison of all guesses in a position. It repeatedly looks at the guess that promises most.
struct Looks {
    all: Vec<Look>,
    turn: usize,
    top: usize,
    /// True if the comparison includes all guesses of the position, false if these are too many.
    are_all: bool,
    /// The work done so far.
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

    /// Returns, of the `top` guesses with the highest hopes, the first one whose value is not yet exact.
    ///
    /// A guess whose value is an estimate is never looked at again.
    fn most_hopeful_open(&mut self) -> Option<&mut Look> {
        let most_hopeful = self.all.iter_mut().take(self.top);
        most_hopeful.into_iter().find(|look| look.is_open())
    }

    /// Ranks the guesses that have a value so far. The ranking is proven if no other guess can be better.
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
