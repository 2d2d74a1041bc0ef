//! Evaluates actions in points, and computes how many points the actions of a game lost.
//!
//! In a hand, the value of an action is the expected gain of the hand, computed from the cards that an attentive player
//! has not seen. Effects on later rounds are ignored. The value of a bid is its expected gain minus the long-run cost
//! of the risk. In the last rounds, it is the expected gain plus the value of the places that the bid is likely to win,
//! weighed as the strong player weighs them.

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{GameRules, JudgedMove, LossJudge, MoveJudge, Studied, StudiedLine};
use turnwise_engine::table::{PUT_OUT, Table};

use super::TwentyOne;
use super::table::{LEFT, TwentyOneTable};
use crate::actions::Action;
use crate::bidding::Situation;
use crate::cards::Rank;
use crate::memory::Double;
use crate::strong::{decide, decision};

/// The evaluation of the actions of the participant to act.
struct Weighed {
    /// The recommended action.
    best: Action,
    worth: Worth,
    /// True if `worth` holds the exact expected gains of a hand.
    is_exact: bool,
}

/// The values of actions, in points, from the point of view of the acting player.
enum Worth {
    /// Each legal action with its value, if a hand is in play.
    Hand(Vec<(Action, f64)>),
    /// The facts from which the value of any bid can be computed, if a bid is due.
    Bid(Situation),
}

impl Worth {
    fn of(&self, action: Action) -> Option<f64> {
        match (self, action) {
            (Worth::Hand(values), _) => {
                let value = values.iter().find(|(known, _)| *known == action);
                value.map(|&(_, value)| value)
            }
            (Worth::Bid(situation), Action::Bid(bid)) => Some(situation.worth(bid)),
            (Worth::Bid(_), _) => None,
        }
    }
}

/// Evaluates the possible actions of the participant to act.
fn weighed(table: &TwentyOneTable, side: usize) -> Weighed {
    let (view, memory) = table.remembered(side);
    let thought = decide(&view, memory.clone());
    let best = thought.action;
    if let Some(situation) = thought.bidding {
        return Weighed {
            best,
            worth: Worth::Bid(situation),
            is_exact: false,
        };
    }
    let up_card = view.up_card.expect("a hand is played against a card");
    let ranks: Vec<Rank> = view.hand.iter().map(|card| card.rank).collect();
    let mut decision = decision(&view, up_card.rank, &ranks, memory);
    let one_shoe = decision.unseen.dealer.is_none();
    let bid = memory.turn.bid as f64;
    let (values, is_split) = match thought.values {
        Some(values) => (values.listed(), values.split.is_some()),
        None => {
            // After a double down, only one action is left. Its value is the value of a double down, for which the
            // player has already paid.
            decision.points = decision.bid;
            decision.first_action = false;
            let values = decision.values();
            let value = match memory.turn.double {
                Double::HitDue => values.double_down.unwrap_or(2.0 * values.hit),
                Double::StandDue | Double::None => 2.0 * values.stand,
            };
            (vec![(best, value)], false)
        }
    };
    let in_points = values
        .into_iter()
        .map(|(action, value)| (action, bid * value));
    Weighed {
        best,
        worth: Worth::Hand(in_points.collect()),
        is_exact: one_shoe && !is_split,
    }
}

/// Returns the best actions, best first: every action of a hand, or some of the bids.
pub(super) fn study(table: &TwentyOneTable, top: usize) -> Studied {
    let side = table.mover().expect("a participant is asked");
    let weighed = weighed(table, side);
    let mut lines: Vec<(Action, f64)> = match &weighed.worth {
        Worth::Hand(values) => values.clone(),
        Worth::Bid(_) => {
            let others = table.game.legal().into_iter();
            let others = others.filter(|action| *action != weighed.best);
            with_worth(&weighed, [weighed.best].into_iter().chain(others))
        }
    };
    let nodes = lines.len() as u64;
    // The recommended action comes before actions of equal value.
    lines.sort_by_key(|(action, _)| *action != weighed.best);
    lines.sort_by(|one, other| other.1.total_cmp(&one.1));
    lines.truncate(top);
    let lines = lines.into_iter().map(|(action, worth)| StudiedLine {
        moves: vec![table.notation(action)],
        value: for_left(table, side, worth),
        score: None,
        to_go: None,
    });
    Studied {
        depth: 1,
        nodes,
        is_exact: weighed.is_exact,
        lines: lines.collect(),
    }
}

fn with_worth(weighed: &Weighed, actions: impl IntoIterator<Item = Action>) -> Vec<(Action, f64)> {
    let actions = actions.into_iter();
    actions
        .filter_map(|action| Some((action, weighed.worth.of(action)?)))
        .collect()
}

/// Converts points of a side to Left's point of view.
///
/// With more than two participants, the points stay unchanged.
fn for_left(table: &TwentyOneTable, side: usize, points: f64) -> f64 {
    if side == LEFT || table.ids.len() > 2 {
        points
    } else {
        -points
    }
}

/// Differences in value below this limit are rounding errors.
const NOTHING: f64 = 1e-9;

/// Judges each action by the number of points that it loses compared with an attentive player's best action.
pub(super) struct Judge(pub TwentyOne);

impl LossJudge for Judge {
    fn game(
        &mut self,
        result: &Fields,
        played: &[String],
        _plies: usize,
    ) -> Result<MoveJudge<'_>, String> {
        let mut table = self.0.begun_and_played(result, played)?;
        let rounds = f64::from(table.game.settings().rounds);
        Ok(Box::new(move |text| {
            let side = table.turn().ok_or("the game is over")?;
            let progress = f64::from(table.game.round() - 1) / rounds;
            if text == PUT_OUT && table.put_out() {
                return Ok(JudgedMove {
                    side,
                    progress,
                    lost: 0.0,
                    is_exact: true,
                    best: text.to_owned(),
                    score: None,
                });
            }
            let action = table.parse(text)?;
            if !table.is_legal(action) {
                return Err(format!("`{text}`: {}", table.objection(action)));
            }
            let weighed = weighed(&table, side);
            let [best, made] = [weighed.best, action].map(|action| weighed.worth.of(action));
            let lost = match (best, made) {
                (Some(best), Some(made)) => best - made,
                _ => 0.0,
            };
            let is_best = action == weighed.best || lost < NOTHING;
            let latest = JudgedMove {
                side,
                progress,
                lost: if is_best { 0.0 } else { lost },
                is_exact: weighed.is_exact,
                best: match is_best {
                    true => text.to_owned(),
                    false => table.notation(weighed.best),
                },
                score: None,
            };
            table.play(action);
            Ok(latest)
        }))
    }
}
