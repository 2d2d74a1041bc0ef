//! Uses the exact solver to find the best picks of a position, and to judge how much each pick of a game lost.

use std::cell::Cell;
use std::ops::ControlFlow;

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{
    GameRules, JudgedMove, LossJudge, MoveJudge, Studied, StudiedLine, Studying, Told,
};
use turnwise_engine::search::Stop;
use turnwise_engine::table::Table;

use super::Settings;
use super::agents::{TABLE_BYTES, greedy};
use super::table::hundredths;
use crate::answer::Progress;
use crate::rules::{Captain, Draft, TEAM_SIZE};
use crate::solver::{self, Ranking};

/// Returns the best picks with their exact values and the perfect picks that follow.
///
/// If the limits do not suffice to value a single pick, returns the greedy pick. Its value is then the result if both
/// captains pick greedily to the end.
pub(super) fn study(draft: &Draft, how: &Studying, told: Told) -> Studied {
    // The number of positions that the searches may still visit.
    let left = Cell::new(how.limits.nodes);
    let mut watch = |progress: &Progress| {
        let is_over = progress.nodes >= left.get() || how.stop.stopped();
        match is_over || how.limits.is_hard_over() || how.limits.is_soft_over() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let top = how.top.min(draft.free().count());
    let ranking = solver::rank(draft, top, TABLE_BYTES, &mut watch, &mut |ranking| {
        told(&studied(draft, ranking));
    });
    let mut studied = studied(draft, &ranking);
    left.set(how.limits.nodes.saturating_sub(ranking.nodes));
    for (line, ranked) in studied.lines.iter_mut().zip(&ranking.picks) {
        let (picks, is_proven) = solver::line(draft, ranked.pick, TABLE_BYTES, &mut watch);
        if !is_proven {
            break;
        }
        line.moves = picks.into_iter().map(|pick| id(draft, pick)).collect();
    }
    studied
}

fn id(draft: &Draft, index: usize) -> String {
    draft.contestants()[index].id.to_string()
}

fn studied(draft: &Draft, ranking: &Ranking) -> Studied {
    let line = |pick: usize, value: f64, score: Option<f64>| StudiedLine {
        moves: vec![id(draft, pick)],
        value,
        score,
        to_go: None,
    };
    let mut lines: Vec<StudiedLine> = (ranking.picks.iter())
        .map(|ranked| {
            let points = draft.points(ranked.value);
            line(ranked.pick, points.approximate(), Some(hundredths(points)))
        })
        .collect();
    if lines.is_empty() {
        let value = draft.points(played_greedily(draft)).approximate();
        lines.push(line(greedy(draft), value, None));
    }
    Studied {
        depth: if ranking.proven {
            draft.picks_left() as u32
        } else {
            0
        },
        nodes: ranking.nodes,
        is_exact: ranking.proven,
        lines,
    }
}

/// Returns A's advantage at the end if both captains pick greedily from now on.
fn played_greedily(draft: &Draft) -> i64 {
    let mut draft = draft.clone();
    while draft.turn().is_some() {
        draft.pick(greedy(&draft));
    }
    draft.advantage()
}

/// The value of a draft under perfect play.
struct Valued {
    /// The best pick, or `None` if both teams are complete.
    pick: Option<usize>,
    /// A's advantage at the end of the draft.
    value: i64,
    is_exact: bool,
}

/// Judges a pick by comparing the draft's value before and after it, under perfect play.
///
/// If the node limit does not suffice for a value, an estimate replaces the value: an advantage that the captain to
/// move can be sure to reach, or the result of greedy picks.
pub(super) struct Judge {
    settings: Settings,
    nodes: u64,
}

impl Judge {
    /// Creates a judge that searches at most about `nodes` nodes for the value of each draft.
    pub(super) fn new(settings: Settings, nodes: u64) -> Self {
        Self { settings, nodes }
    }

    fn valued(&self, draft: &Draft) -> Valued {
        if draft.turn().is_none() {
            return Valued {
                pick: None,
                value: draft.advantage(),
                is_exact: true,
            };
        }
        let stop = Stop::current();
        let mut watch = |progress: &Progress| match progress.nodes >= self.nodes || stop.stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let answer = solver::solve_within(draft, TABLE_BYTES, &mut watch);
        Valued {
            pick: Some(answer.pick),
            value: answer.value.unwrap_or_else(|| played_greedily(draft)),
            is_exact: answer.proven,
        }
    }
}

impl LossJudge for Judge {
    fn game(
        &mut self,
        result: &Fields,
        played: &[String],
        _plies: usize,
    ) -> Result<MoveJudge<'_>, String> {
        let mut table = self.settings.begun_and_played(result, played)?;
        let mut before = self.valued(&table.position().draft);
        Ok(Box::new(move |text| {
            let draft = &table.position().draft;
            let captain = draft.turn().ok_or("both teams are complete")?;
            let best = before
                .pick
                .map(|pick| table.position().id(pick).to_string());
            let progress = 1.0 - draft.picks_left() as f64 / (2 * TEAM_SIZE) as f64;
            let id = table.parse(text)?;
            if !table.is_legal(id) {
                return Err(format!("`{text}`: {}", table.objection(id)));
            }
            table.play(id);
            let draft = &table.position().draft;
            let after = self.valued(draft);
            let lost = match captain {
                Captain::A => before.value - after.value,
                Captain::B => after.value - before.value,
            };
            let lost = hundredths(draft.points(lost.max(0)));
            let latest = JudgedMove {
                side: captain.index(),
                progress,
                lost,
                is_exact: before.is_exact && after.is_exact,
                best: best
                    .filter(|_| lost > 0.0)
                    .unwrap_or_else(|| text.to_owned()),
                score: after
                    .is_exact
                    .then(|| hundredths(draft.points(after.value))),
            };
            before = after;
            Ok(latest)
        }))
    }
}
