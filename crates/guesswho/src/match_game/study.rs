//! Finds the best guesses of a position, and judges how much each guess of a game lost.
//!
//! The value of a position or guess is player 1's expected score, where a tie counts half. It is computed from the
//! knowledge of both players.

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{
    GameRules, JudgedMove, LossJudge, MoveJudge, Studied, StudiedLine, Studying, Told,
};
use turnwise_engine::table::Table;

use super::Settings;
use super::table::{GuessWhoTable, Move};
use crate::worth::{Appraiser, Ranking, Standing, Worth};

/// Returns the best guesses, or, if a guess is unanswered, the true answer, which is then the only legal move.
///
/// It counts the work of the race solver as nodes.
pub(super) fn study(table: &GuessWhoTable, how: &Studying, told: Told) -> Studied {
    let limits = &how.limits;
    let mut left = |work: u64| {
        let is_over = how.stop.stopped() || limits.is_hard_over() || limits.is_soft_over();
        if is_over {
            0
        } else {
            limits.nodes.saturating_sub(work)
        }
    };
    let mut appraiser = Appraiser::default();
    let answer = table
        .legal_moves()
        .into_iter()
        .find(|mv| matches!(mv, Move::Answer(_)));
    if let Some(answer) = answer {
        let mut after = table.clone();
        after.play(answer);
        let (worth, nodes) = value(&mut appraiser, &after, &mut left);
        return Studied {
            depth: 1,
            nodes,
            is_exact: worth.is_exact(),
            lines: vec![line(table, answer, &worth)],
        };
    }
    let studied = |ranking: &Ranking| Studied {
        depth: 1,
        nodes: ranking.work,
        is_exact: ranking.is_proven,
        lines: (ranking.guesses.iter())
            .map(|(question, worth)| line(table, Move::Guess(*question), worth))
            .collect(),
    };
    let ranking = appraiser.rank(&standing(table), how.top, &mut left, &mut |ranking| {
        told(&studied(ranking));
    });
    studied(&ranking)
}

fn line(table: &GuessWhoTable, mv: Move, worth: &Worth) -> StudiedLine {
    StudiedLine {
        moves: vec![table.notation(mv)],
        value: worth.score(),
        score: Some(worth.score()),
        to_go: None,
    }
}

/// Converts a table at which a player must guess into the form that the [`Appraiser`] takes.
fn standing(table: &GuessWhoTable) -> Standing<'_> {
    Standing {
        board: &table.board,
        candidates: table.seen.each_ref().map(|seen| seen.player.candidates()),
        turn: table.guesser,
        first_is_right: table.found[0],
    }
}

/// Returns the value of a position in which a player must guess, and the work done to compute it.
fn value(
    appraiser: &mut Appraiser,
    table: &GuessWhoTable,
    left: &mut dyn FnMut(u64) -> u64,
) -> (Worth, u64) {
    match table.mover() {
        None => (Worth::exact(table.result().0), 0),
        Some(_) => {
            let best = appraiser.rank(&standing(table), 1, left, &mut |_| {});
            (best.guesses[0].1.proven_if(best.is_proven), best.work)
        }
    }
}

/// The work of the race solver that counts as one node of a review.
///
/// A judge with a limit of N nodes per position may do N times this work.
const WORK_OF_A_NODE: u64 = 50;

/// Judges guesses: a guess's loss is the best guess's value minus its own value, from the guesser's point of view.
///
/// The race solver computes the values. Answers lose nothing, because only the true answer is legal.
pub(super) struct Judge {
    settings: Settings,
    work: u64,
    appraiser: Appraiser,
}

impl Judge {
    /// Creates a judge that searches at most `nodes` nodes for each position.
    pub(super) fn new(settings: Settings, nodes: u64) -> Self {
        Self {
            settings,
            work: nodes.saturating_mul(WORK_OF_A_NODE),
            appraiser: Appraiser::default(),
        }
    }

    /// Judges a legal move of player `side`. `progress` is the share of the game that was played before the move.
    fn judged(
        &mut self,
        table: &GuessWhoTable,
        mv: Move,
        (side, progress): (usize, f64),
    ) -> JudgedMove {
        let work = self.work;
        let mut left = |done: u64| work.saturating_sub(done);
        let made = table.notation(mv);
        let Move::Guess(question) = mv else {
            let mut after = table.clone();
            after.play(mv);
            let (worth, _) = value(&mut self.appraiser, &after, &mut left);
            return JudgedMove {
                side,
                progress,
                lost: 0.0,
                is_exact: true,
                best: made,
                score: Some(worth.score()),
            };
        };
        let at = standing(table);
        let ranking = self.appraiser.rank(&at, 1, &mut left, &mut |_| {});
        let (best, value) = ranking.guesses[0];
        let (worth, _) = self.appraiser.guess(&at, question, work);
        let lost = value.score_of(at.turn) - worth.score_of(at.turn);
        let is_best = best == question || lost < NOTHING;
        JudgedMove {
            side,
            progress,
            lost: if is_best { 0.0 } else { lost },
            is_exact: ranking.is_proven && worth.is_exact(),
            best: if is_best {
                made
            } else {
                table.notation(Move::Guess(best))
            },
            score: Some(worth.score()),
        }
    }
}

/// The bound below which a difference between two values counts as zero, because it comes from rounding.
const NOTHING: f64 = 1e-9;

impl LossJudge for Judge {
    fn game(
        &mut self,
        result: &Fields,
        played: &[String],
        plies: usize,
    ) -> Result<MoveJudge<'_>, String> {
        let mut table = self.settings.begun_and_played(result, played)?;
        let mut ply = played.len() as u32;
        Ok(Box::new(move |text| {
            let side = table.turn().ok_or("the game is over")?;
            let mv = table.parse(text)?;
            if !table.is_legal(mv) {
                return Err(format!("`{text}`: {}", table.objection(mv)));
            }
            let latest = self.judged(&table, mv, (side, f64::from(ply) / plies as f64));
            table.play(mv);
            ply += 1;
            Ok(latest)
        }))
    }
}
