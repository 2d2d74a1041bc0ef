//! The best guesses with the chance to win, and what the guesses of a game gave away.
//!
//! Values are player 1's score to expect as both players know the position, a tie counting half.

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{
    JudgedMove, MatchGame, MoveJudge, RegretJudge, Studied, StudiedLine, Studying, Told,
};
use turnwise_engine::table::Table;

use super::Settings;
use super::table::{GuessWhoTable, Move};
use crate::worth::{Appraiser, Ranking, Standing, Worth};

/// The best guesses; or the true answer, which is all that is allowed, with what it leaves to be expected. Work
/// of the race solver is counted as nodes.
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
    }
}

/// What both players know when a guess is to be made.
fn standing(table: &GuessWhoTable) -> Standing<'_> {
    Standing {
        board: &table.board,
        candidates: table.seen.each_ref().map(|seen| seen.player.candidates()),
        turn: table.guesser,
        first_is_right: table.found[0],
    }
}

/// What the position is worth in which a guess is to be made or the game is over, and the work that was done.
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

/// What the race solver works on one of its positions, roughly: a search of so many nodes may do as many times
/// as much.
const WORK_OF_A_NODE: u64 = 50;

/// Judges guesses by what the race solver says of the best one and of the one that was made. Answers give
/// nothing away: only the true one is allowed.
pub(super) struct Judge {
    settings: Settings,
    work: u64,
    appraiser: Appraiser,
}

impl Judge {
    /// Searches so many nodes for each position.
    pub(super) fn new(settings: Settings, nodes: u64) -> Self {
        Self {
            settings,
            work: nodes.saturating_mul(WORK_OF_A_NODE),
            appraiser: Appraiser::default(),
        }
    }

    /// A legal move of this side, when so much of the game is over.
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

/// Differences below this are rounding.
const NOTHING: f64 = 1e-9;

impl RegretJudge for Judge {
    fn game(&mut self, result: &Fields, plies: usize) -> Result<MoveJudge<'_>, String> {
        let mut table = self.settings.begun(result)?;
        let mut ply = 0;
        Ok(Box::new(move |text| {
            let side = table.turn().ok_or("the game is over")?;
            let mv = table.parse(text)?;
            if !table.is_legal(mv) {
                let why = table.objection(mv);
                return Err(why.unwrap_or_else(|| format!("`{text}` breaks the rules")));
            }
            let latest = self.judged(&table, mv, (side, f64::from(ply) / plies as f64));
            table.play(mv);
            ply += 1;
            Ok(latest)
        }))
    }
}
