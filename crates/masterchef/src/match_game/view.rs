//! Shows the table to people: the teams, the pool, grouped by last digits, and the possible picks.

use turnwise_engine::view::{Card, CardState, Choice, Named, Panel, Standing, View};

use crate::rules::{BONUS, Captain, Draft, TEAM_SIZE};

/// The number of different last digits.
const DIGITS: usize = 10;

const ORDINALS: [&str; TEAM_SIZE] = ["first", "second", "third", "fourth", "fifth"];

/// Returns the view for the captain on the side `viewer`, or for spectators if it is `None`.
pub(super) fn of(draft: &Draft, viewer: Option<usize>) -> View {
    let everyone = 0..draft.contestants().len();
    let gains = everyone.flat_map(|index| Captain::BOTH.map(|captain| gain(draft, index, captain)));
    let most = gains.fold(f64::MIN_POSITIVE, f64::max);
    let mut panels: Vec<Panel> = Captain::BOTH
        .map(|captain| team(draft, captain, most, viewer))
        .into();
    let may_pick = draft.turn().map(Captain::index) == viewer && viewer.is_some();
    let mut choices = Vec::new();
    for digit in 0..DIGITS {
        let mut cards = Vec::new();
        for (index, contestant) in draft.contestants().iter().enumerate() {
            if contestant.digit() != digit || draft.owner(index).is_some() {
                continue;
            }
            if may_pick {
                choices.push(Choice {
                    words: format!("pick {}", contestant.id),
                    card: Some([panels.len(), cards.len()]),
                    ..Choice::plain(contestant.id.to_string())
                });
            }
            cards.push(card(draft, index, most, viewer));
        }
        if !cards.is_empty() {
            panels.push(Panel {
                title: format!("IDs that end in {digit}"),
                cards,
                ..Panel::default()
            });
        }
    }
    let standings = Captain::BOTH.map(|captain| {
        let worth = worth(draft, captain);
        Standing::new(format!("{worth:.2} points"))
    });
    View {
        caption: caption(draft, viewer),
        standings: standings.into(),
        panels,
        choices,
        ..View::default()
    }
}

/// Returns the points that a contestant adds to a captain's team.
fn gain(draft: &Draft, index: usize, captain: Captain) -> f64 {
    let gain = draft.contestants()[index].gain[captain.index()];
    draft.points(gain).approximate()
}

/// Returns the card of a contestant; `most` is the largest gain of all contestants.
fn card(draft: &Draft, index: usize, most: f64, viewer: Option<usize>) -> Card {
    let gains = Captain::BOTH.map(|captain| (captain, gain(draft, index, captain)));
    Card {
        name: draft.contestants()[index].id.to_string(),
        lines: gains
            .map(|(captain, gain)| format!("{} {gain:.2}", short(captain, viewer)))
            .into(),
        bars: gains.map(|(_, gain)| gain / most).into(),
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

/// Names a captain for a viewer.
fn named(captain: Captain, viewer: Option<usize>) -> Named {
    Named::new(viewer, captain.index(), &Captain::BOTH.map(Captain::name))
}

/// Names a captain for a viewer, briefly enough for a card.
fn short(captain: Captain, viewer: Option<usize>) -> &'static str {
    match viewer {
        Some(own) if own == captain.index() => "You",
        Some(_) => "They",
        None => captain.name(),
    }
}

fn team(draft: &Draft, captain: Captain, most: f64, viewer: Option<usize>) -> Panel {
    let everyone = 0..draft.contestants().len();
    let members = everyone.filter(|&index| draft.owner(index) == Some(captain));
    let cards: Vec<Card> = members
        .map(|index| card(draft, index, most, viewer))
        .collect();
    let note = match draft.digits(captain) {
        Some(_) if cards.len() == TEAM_SIZE => {
            format!("Last digits all different: bonus of {BONUS}")
        }
        Some(_) => format!("Last digits all different: the bonus of {BONUS} is possible"),
        None => "Two IDs end in the same digit: no bonus".to_owned(),
    };
    Panel {
        title: format!("{} team", named(captain, viewer).whose()),
        cards,
        note,
        slots: TEAM_SIZE,
        ..Panel::default()
    }
}

fn caption(draft: &Draft, viewer: Option<usize>) -> String {
    let [a, bob] = Captain::BOTH.map(|captain| worth(draft, captain));
    let [whose, others] = Captain::BOTH.map(|captain| named(captain, viewer));
    let (whose, others) = (whose.whose(), others.in_sentence().whose());
    let worth = format!("{whose} team is worth {a:.2} points and {others} {bob:.2}.");
    match draft.turn() {
        None => format!("Both teams are complete. {worth}"),
        Some(captain) => {
            let who = named(captain, viewer).does("make", "makes");
            let pick = ORDINALS[draft.team(captain).count()];
            format!("{who} the {pick} pick of {TEAM_SIZE}. {worth}")
        }
    }
}
