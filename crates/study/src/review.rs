//! Reviews a game: the points that each move lost, its mark, the accuracy of each side, and the points gained by luck.

use serde::Serialize;
use serde_json::Value;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{
    self, AnyGame, AnyState, JudgedMove, Judging, LossJudge, MOST_SEATS, MoveJudge, Plugin,
    StudiedLine, Studying, Thresholds,
};
use turnwise_engine::search::{Limits, Stop};
use turnwise_engine::table::PUT_OUT;

use crate::position::{Beginning, Position};
use crate::request::MOST_LINES;
use crate::{Allowed, RefusedError};

/// The default number of search nodes for judging the move in each position.
pub const USUAL_NODES: u64 = 20_000;

/// The number of nodes that count as one play-out, which takes long because the rules are a program.
const NODES_OF_A_PLAY_OUT: u64 = 20;

/// The smallest difference that counts as a loss; smaller differences are rounding errors.
const NOTHING: f64 = 1e-6;

/// The review of a game: the loss of each move, and totals for each side.
#[derive(Debug, Serialize)]
pub struct Review {
    /// The names of the roles, by side.
    pub roles: &'static [&'static str],
    /// The losses from which moves have marks.
    pub thresholds: Thresholds,
    /// The reviewed moves in order.
    pub moves: Vec<ReviewedMove>,
    /// The points that the first role gained through lucky draws; `None` for a game without luck.
    pub luck: Option<f64>,
    /// The totals of each side.
    pub sides: Vec<Side>,
    /// The indices in `moves` of all mistakes and blunders, in the order of the game.
    pub stops: Vec<usize>,
}

/// A move of a reviewed game.
#[derive(Debug, Clone, Serialize)]
pub struct ReviewedMove {
    /// The loss of the move, and the best move.
    #[serde(flatten)]
    pub judged: JudgedMove,
    /// The mark of the move; `None` if it lost less than an inaccuracy, or if no player chose it.
    pub mark: Option<Mark>,
    /// True if a player chose the move: it belongs to no random opening, and the rules allowed another move.
    pub is_chosen: bool,
    /// The move in words.
    pub words: String,
    /// The best move in words.
    pub best_words: String,
}

/// The mark of a move that lost at least the [threshold](Thresholds) of the mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A move that lost a little.
    Inaccuracy,
    /// A move that lost much.
    Mistake,
    /// A move that lost very much.
    Blunder,
}

impl Mark {
    /// Returns the mark for a move with this loss, if the loss is large enough.
    pub fn of(lost: f64, thresholds: &Thresholds) -> Option<Self> {
        let mut marks = [Self::Blunder, Self::Mistake, Self::Inaccuracy].into_iter();
        marks.find(|mark| lost + NOTHING >= mark.least(thresholds))
    }

    /// Returns the smallest loss of a move with this mark.
    pub fn least(self, thresholds: &Thresholds) -> f64 {
        match self {
            Self::Inaccuracy => thresholds.inaccuracy,
            Self::Mistake => thresholds.mistake,
            Self::Blunder => thresholds.blunder,
        }
    }

    /// Returns the name of the mark in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

/// Returns the accuracy of a move with this loss, in percent.
///
/// This is the formula of lichess for percentage points of the winning chance. In games that are scored in points, the
/// threshold of a blunder counts as much as the 15 percentage points of a blunder there.
pub fn accuracy(lost: f64, thresholds: &Thresholds) -> f64 {
    let percentage_points = 100.0 * Thresholds::CHANCE.blunder * lost / thresholds.blunder;
    (103.1668 * (-0.04354 * percentage_points).exp() - 3.1668).clamp(0.0, 100.0)
}

/// The totals of one side, over the moves that it chose.
#[derive(Debug, Default, Serialize)]
pub struct Side {
    /// The number of moves that the side chose.
    pub moves: u32,
    /// The side's mean [accuracy], in percent; `None` without moves.
    pub accuracy: Option<f64>,
    /// The number of inaccuracies.
    pub inaccuracies: u32,
    /// The number of mistakes.
    pub mistakes: u32,
    /// The number of blunders.
    pub blunders: u32,
    /// The sum of the losses of the side's moves.
    pub lost: f64,
    /// The sum of the losses in the first, second and last third of the game.
    pub by_phase: [f64; 3],
}

/// A review under construction, which follows the judged moves of a game.
pub struct Reviewer {
    game: Box<dyn AnyState>,
    opening: usize,
    review: Review,
}

impl Reviewer {
    /// Starts the review of a game at `beginning` whose first `opening` moves no player chose. `result` is the game's
    /// result, and `settled` its rules.
    pub fn new(
        settled: &dyn AnyGame,
        beginning: Box<dyn AnyState>,
        result: &Fields,
        opening: usize,
    ) -> Self {
        let about = settled.about();
        let seats = settled.meaning(result).map_or(0, |of| of.won.len());
        let roles = about.roles_of(seats.min(MOST_SEATS));
        let review = Review {
            roles,
            thresholds: about.thresholds,
            moves: Vec::new(),
            luck: None,
            sides: roles.iter().map(|_| Side::default()).collect(),
            stops: Vec::new(),
        };
        Self {
            game: beginning,
            opening,
            review,
        }
    }

    /// Adds the next move of the game, which the judge has accepted.
    pub fn add(&mut self, made: &str, judged: JudgedMove) {
        let review = &mut self.review;
        let at = review.moves.len();
        let side = self.game.turn();
        let view = self.game.view(side);
        let is_forced = made == PUT_OUT || view.choices.len() == 1 && view.amount.is_none();
        let is_chosen = at >= self.opening && !is_forced;
        let words = |notation: &str| {
            let mut choices = view.choices.iter();
            let choice = choices.find(|choice| choice.notation == notation);
            choice.map_or_else(|| notation.to_owned(), |choice| choice.words.clone())
        };
        let mv = ReviewedMove {
            mark: Mark::of(judged.lost, &review.thresholds).filter(|_| is_chosen),
            is_chosen,
            words: words(made),
            best_words: words(&judged.best),
            judged,
        };
        // If the move cannot be followed, later moves are shown in the notation of logs.
        let _ = self.game.follow(made);
        if let Some(side) = review.sides.get_mut(mv.judged.side).filter(|_| is_chosen) {
            side.count(&mv, &review.thresholds);
        }
        if mv.mark >= Some(Mark::Mistake) {
            review.stops.push(at);
        }
        review.moves.push(mv);
    }

    /// Returns the review of the moves so far.
    pub fn review(&self) -> &Review {
        &self.review
    }

    /// Returns the review of the whole game, including `luck` if the game involves luck.
    pub fn finish(self, luck: Option<f64>) -> Review {
        Review {
            luck,
            ..self.review
        }
    }
}

impl Side {
    fn count(&mut self, mv: &ReviewedMove, thresholds: &Thresholds) {
        let JudgedMove { lost, progress, .. } = mv.judged;
        let sum = self.accuracy.unwrap_or_default() * f64::from(self.moves);
        self.moves += 1;
        self.accuracy = Some((sum + accuracy(lost, thresholds)) / f64::from(self.moves));
        match mv.mark {
            Some(Mark::Inaccuracy) => self.inaccuracies += 1,
            Some(Mark::Mistake) => self.mistakes += 1,
            Some(Mark::Blunder) => self.blunders += 1,
            None => {}
        }
        self.lost += lost;
        self.by_phase[((progress * 3.0) as usize).min(2)] += lost;
    }
}

/// The limits of a review.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// The number of search nodes for each position, if the request limits it.
    pub nodes: Option<u64>,
    /// The limits of the server.
    pub allowed: &'a Allowed<'a>,
    /// The flag that stops the review.
    pub stop: &'a Stop,
}

impl<'a> Effort<'a> {
    fn judging(&self) -> Judging<'a> {
        Judging {
            solutions: self.allowed.solutions,
            nodes: self.nodes.unwrap_or(USUAL_NODES).min(self.allowed.nodes),
        }
    }
}

/// Reviews a game whose first `opening` moves no player chose.
///
/// # Errors
///
/// Returns an error if the game is invalid or its moves cannot be reviewed.
pub fn review(
    position: &Position,
    opening: usize,
    games: &'static [Plugin],
    effort: Effort,
    told: &mut dyn FnMut(Value),
) -> Result<Review, RefusedError> {
    let settled = position.settled(games)?;
    let result = result(position, &*settled)?;
    let mut reviewer = Reviewer::new(&*settled, position.begin(&*settled)?, &result, opening);
    let mut judge = loss_judge(&*settled, &effort.judging(), effort.stop)?;
    let mut next = judge.game(&result, &[], position.moves.len())?;
    for made in &position.moves {
        reviewer.add(made, next(made)?);
        told(crate::value(reviewer.review()));
        if effort.stop.stopped() {
            break;
        }
    }
    let luck = settled
        .luck_judge()
        .and_then(|mut judge| judge.luck(&result, &position.moves, None));
    Ok(reviewer.finish(luck))
}

/// Reviews only the last move of a position.
///
/// # Errors
///
/// Returns an error if the position has no moves, or if they are illegal or cannot be reviewed.
pub fn judge_last(
    position: &Position,
    games: &'static [Plugin],
    effort: Effort,
) -> Result<ReviewedMove, RefusedError> {
    let (made, before) = (position.moves.split_last())
        .ok_or_else(|| RefusedError("expected a position with at least one move".to_owned()))?;
    let settled = position.settled(games)?;
    let result = result(position, &*settled)?;
    let mut judge = loss_judge(&*settled, &effort.judging(), effort.stop)?;
    let judged = judge.game(&result, before, position.moves.len())?(made)?;
    let beginning = position.up_to(before.len()).open(&*settled)?;
    let mut reviewer = Reviewer::new(&*settled, beginning, &result, 0);
    reviewer.add(made, judged);
    let last = reviewer.review.moves.pop();
    Ok(last.expect("a move was added"))
}

/// Returns the result from which a judge can open the game again.
fn result(position: &Position, settled: &dyn AnyGame) -> Result<Fields, RefusedError> {
    Ok(match &position.beginning {
        Beginning::Logged(result) => result.clone(),
        Beginning::Seed(_) | Beginning::Text(_) => position.open(settled)?.outcome(None, None),
    })
}

/// Returns the judge of a game's moves: the game's own, or else one that studies each position.
///
/// # Errors
///
/// Returns an error if the moves of the game cannot be judged.
pub fn loss_judge<'a>(
    settled: &'a dyn AnyGame,
    by: &Judging,
    stop: &Stop,
) -> Result<Box<dyn LossJudge + 'a>, String> {
    match settled.loss_judge(by)? {
        Some(judge) => Ok(judge),
        None if settled.about().lacks.contains(&"study") => Err(cannot(settled)),
        None => Ok(Box::new(ByStudy {
            settled,
            how: Studying {
                top: MOST_LINES.into(),
                limits: Limits::of_nodes((by.nodes / NODES_OF_A_PLAY_OUT).max(1)),
                stop: stop.clone(),
                solutions: None,
            },
        })),
    }
}

fn cannot(settled: &dyn AnyGame) -> String {
    format!("moves of {} cannot be judged", settled.about().title)
}

/// A judge that studies each position, for a game without a judge of its own.
struct ByStudy<'a> {
    settled: &'a dyn AnyGame,
    how: Studying<'a>,
}

impl LossJudge for ByStudy<'_> {
    fn game(
        &mut self,
        result: &Fields,
        played: &[String],
        plies: usize,
    ) -> Result<MoveJudge<'_>, String> {
        let cannot = || cannot(self.settled);
        // A study has a score of the first role only, which says nothing about the sides of a table.
        if self.settled.meaning(result)?.won.len() > 2 {
            return Err(cannot() + " with more than two players");
        }
        let mut game = self.settled.open(plugin::Beginning::Logged(result))?;
        for text in played {
            game.play(text)?;
        }
        let mut ply = played.len();
        Ok(Box::new(move |text| {
            let side = game.turn().ok_or("the game is over")?;
            let studied = game.study(&self.how, &mut |_| {});
            let lines = studied.ok_or_else(cannot)?.lines;
            let made = game.play(text)?;
            let score = |line: &StudiedLine| line.score.ok_or_else(cannot);
            let best = &lines[0];
            let line = lines.iter().find(|line| line.moves[0] == made);
            let score_of_made = score(line.ok_or_else(cannot)?)?;
            let lead = score(best)? - score_of_made;
            let lost = (if side == 0 { lead } else { -lead }).max(0.0);
            let progress = ply as f64 / plies as f64;
            ply += 1;
            Ok(JudgedMove {
                side,
                progress,
                lost,
                is_exact: false,
                best: match lost < NOTHING {
                    true => made,
                    false => best.moves[0].clone(),
                },
                score: Some(score_of_made),
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_begins_at_its_threshold() {
        let thresholds = Thresholds::new(1.0, 2.0, 4.0);
        for (lost, mark) in [
            (0.0, None),
            (0.999, None),
            (1.0 - 1e-9, Some(Mark::Inaccuracy)),
            (1.0, Some(Mark::Inaccuracy)),
            (1.999, Some(Mark::Inaccuracy)),
            (2.0, Some(Mark::Mistake)),
            (3.999, Some(Mark::Mistake)),
            (4.0, Some(Mark::Blunder)),
            (f64::INFINITY, Some(Mark::Blunder)),
        ] {
            assert_eq!(Mark::of(lost, &thresholds), mark, "{lost}");
        }
    }

    #[test]
    fn accuracy_follows_the_formula_of_lichess() {
        let near = |lost, thresholds: &Thresholds, expected: f64| {
            let got = accuracy(lost, thresholds);
            assert!(
                (got - expected).abs() < 0.05,
                "{lost}: {got}, expected {expected}"
            );
        };
        // https://lichess.org/page/accuracy
        for (lost, expected) in [
            (0.0, 100.0),
            (0.05, 79.8),
            (0.1, 63.6),
            (0.15, 50.5),
            (1.0, 0.0),
        ] {
            near(lost, &Thresholds::CHANCE, expected);
        }
        // A blunder in points counts as much.
        near(4.0, &Thresholds::new(1.0, 2.0, 4.0), 50.5);
        near(2.0, &Thresholds::new(1.0, 2.0, 4.0), 71.26);
    }
}
