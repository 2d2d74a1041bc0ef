//! What guesses are worth: player 1's score to expect, the chance of a win with half the chance of a tie.
//!
//! While neither player has more than [`MOST_CANDIDATES`](super::race::solver::MOST_CANDIDATES) candidates,
//! the race solver says so, exactly if it may work enough, else within bounds. Beyond that the race is
//! estimated by its sizes alone, as if every division were available.

use super::board::{Board, Question};
use super::lookahead;
use super::race::ideal::IdealRace;
use super::race::score_if_first_is_right;
use super::race::solver::{EQUAL, RaceSolver};

/// Work of the first look at a guess, and the most of a later one; each look at a guess doubles that of the
/// one before. What is stopped in between is not noticed.
const FIRST_WORK: u64 = 5_000;
const MOST_WORK: u64 = 1_000_000;

/// The largest size of an ideal race. Larger ones are judged by one that is half as large, since a good
/// question halves both sides alike.
const LARGEST_IDEAL: usize = 128;

/// The most questions and the most persons that are compared: the most even divisions of all.
const MOST_OF_A_KIND: usize = 1_000;

/// Where a guess is to be made, as both players know it.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The persons and their attributes, as both players see them.
    pub board: &'a Board,
    /// The candidates of player 1 and player 2, never none.
    pub candidates: [&'a [u32]; 2],
    /// Who is to guess, 0 or 1.
    pub turn: usize,
    /// Whether player 1 has been right in this round, so that only a right guess of player 2 still ties.
    pub first_is_right: bool,
}

/// Bounds on player 1's score to expect, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    lower: f64,
    upper: f64,
    /// False for what is an estimate, and no bound.
    is_proven: bool,
}

impl Worth {
    /// A score that is known.
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

    /// The same, an estimate unless it is proven.
    pub fn proven_if(self, is_proven: bool) -> Self {
        Self {
            is_proven: self.is_proven && is_proven,
            ..self
        }
    }

    /// True if the score is known.
    pub fn is_exact(&self) -> bool {
        self.is_proven && self.upper - self.lower <= EQUAL
    }

    /// The score, or the middle of what is possible.
    pub fn score(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }

    /// The best that the player to guess can hope for, from 0 to 1, more being better.
    fn hope(&self, turn: usize) -> f64 {
        match turn {
            0 => self.upper,
            _ => 1.0 - self.lower,
        }
    }

    /// The score as the player to guess sees it, more being better.
    pub fn score_of(&self, turn: usize) -> f64 {
        match turn {
            0 => self.score(),
            _ => 1.0 - self.score(),
        }
    }
}

/// Guesses and what they are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The best for the player to guess first.
    pub guesses: Vec<(Question, Worth)>,
    /// True if they are the best ones and their scores are exact.
    pub is_proven: bool,
    /// The work that was done, in divisions looked at.
    pub work: u64,
}

/// Says what guesses are worth. One serves one board, and keeps what it has found out.
#[derive(Default)]
pub struct Appraiser {
    race: Option<RaceSolver>,
    ideal: Option<IdealRace>,
}

impl Appraiser {
    /// What a guess, any of the board's, is worth to player 1, within so much work; and the work that was done.
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

    /// Where nobody can be solved: player 1's score by the parts that a guess leaves.
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

    /// The `top` best guesses that tell something, of up to a thousand of a kind; one at least. `left` says how
    /// much more may be done after so much work, and `told` hears of what is known between.
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

/// A guess that is looked at.
struct Look {
    question: Question,
    worth: Option<Worth>,
    /// Work of the next look.
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

    /// True if more can be found out.
    fn is_open(&self) -> bool {
        self.worth
            .is_none_or(|worth| worth.is_proven && !worth.is_exact())
    }
}

/// All guesses that are compared.
struct Looks {
    all: Vec<Look>,
    turn: usize,
    top: usize,
    /// False if there are guesses that are not compared.
    are_all: bool,
    /// The work that was done.
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

    /// The first of the most hopeful of whom more can be found out.
    fn most_hopeful_open(&mut self) -> Option<&mut Look> {
        let most_hopeful = self.all.iter_mut().take(self.top);
        most_hopeful.into_iter().find(|look| look.is_open())
    }

    /// The best of what was looked at. They are proven if nothing more is hoped for from the others.
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
