//! Shows the table to people: the pool, grouped by last digits, the teams, and the possible picks.

use turnwise_engine::view::{Card, CardState, Choice, Fact, Panel, View};

use crate::rules::{BONUS, Captain, Draft, TEAM_SIZE};

/// The number of different last digits.
const DIGITS: usize = 10;

const ORDINALS: [&str; TEAM_SIZE] = ["first", "second", "third", "fourth", "fifth"];

/// Returns the view for the captain on the side `viewer`, or for spectators if it is `None`.
pub(super) fn of(draft: &Draft, viewer: Option<usize>) -> View {
    let mut panels: Vec<Panel> = (0..DIGITS)
        .map(|digit| Panel {
            title: format!("IDs that end in {digit}"),
            cards: Vec::new(),
        })
        .collect();
    let may_pick = draft.turn().map(Captain::index) == viewer && viewer.is_some();
    let mut choices = Vec::new();
    // Contestants ascend by ID, and so do the cards of each panel and the choices.
    let empty =
        |digit: usize| (draft.contestants().iter()).all(|contestant| contestant.digit() != digit);
    let place = |digit: usize| digit - (0..digit).filter(|&before| empty(before)).count();
    for (index, contestant) in draft.contestants().iter().enumerate() {
        let digit = contestant.digit();
        if may_pick && draft.owner(index).is_none() {
            choices.push(Choice {
                words: format!("pick {}", contestant.id),
                card: Some([place(digit), panels[digit].cards.len()]),
                ..Choice::plain(contestant.id.to_string())
            });
        }
        panels[digit].cards.push(card(draft, index));
    }
    panels.retain(|panel| !panel.cards.is_empty());
    View {
        caption: caption(draft, viewer),
        grid: None,
        panels,
        facts: Captain::BOTH.map(|captain| team(draft, captain)).into(),
        choices,
    }
}

fn card(draft: &Draft, index: usize) -> Card {
    let contestant = draft.contestants()[index];
    let worth = Captain::BOTH.map(|captain| {
        let gain = draft.points(contestant.gain[captain.index()]);
        format!("{} {:.2}", captain.name(), gain.approximate())
    });
    Card {
        name: contestant.id.to_string(),
        lines: worth.into(),
        state: match draft.owner(index) {
            None => CardState::Open,
            Some(Captain::A) => CardState::First,
            Some(Captain::B) => CardState::Second,
        },
    }
}

/// Returns the present power of a team, which includes the bonus only if the team is complete.
pub(super) fn worth(draft: &Draft, captain: Captain) -> f64 {
    let power = match draft.team(captain).count() {
        TEAM_SIZE => draft.power(captain),
        _ => draft.strength(captain),
    };
    draft.points(power).approximate()
}

fn team(draft: &Draft, captain: Captain) -> Fact {
    let is_complete = draft.team(captain).count() == TEAM_SIZE;
    let bonus = match (draft.digits(captain), is_complete) {
        (Some(_), true) => format!("with the bonus of {BONUS}"),
        (Some(_), false) => format!("the bonus of {BONUS} is possible"),
        (None, _) => "no bonus: two IDs end in the same digit".to_owned(),
    };
    Fact::new(
        format!("{}'s team", captain.name()),
        format!(
            "{} of {TEAM_SIZE}, {:.2} points, {bonus}",
            draft.team(captain).count(),
            worth(draft, captain)
        ),
    )
}

fn caption(draft: &Draft, viewer: Option<usize>) -> String {
    let [a, bob] = Captain::BOTH.map(|captain| worth(draft, captain));
    let worth = format!("A's team is worth {a:.2} points and Bob's {bob:.2}.");
    match draft.turn() {
        None => format!("Both teams are complete. {worth}"),
        Some(captain) => {
            let who = match viewer == Some(captain.index()) {
                true => "You are".to_owned(),
                false => format!("{} is", captain.name()),
            };
            let pick = ORDINALS[draft.team(captain).count()];
            format!("{who} to make the {pick} pick of {TEAM_SIZE}. {worth}")
        }
    }
}
