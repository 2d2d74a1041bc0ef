//! Shows the table as people see it: open cards and possible actions.
//!
//! A hand is open once its player's turn has begun; the dealer's hidden card is open only after the round.

use turnwise_engine::table::Table;
use turnwise_engine::view::{Card, CardState, Choice, Fact, Panel, View};

use super::table::{LEFT, RIGHT, TwentyOneTable};
use crate::actions::Action;
use crate::cards::{self, joined};
use crate::player::PlayerId;
use crate::rules::{hand_value, insurance_cost};

/// Returns the table as `viewer` sees it: the side of a participant, or `None` for a spectator.
pub(super) fn of(table: &TwentyOneTable, viewer: Option<usize>) -> View {
    let game = &table.game;
    let mut panels = hands("Dealer", &[game.dealer_laid_out()], CardState::Open);
    for &id in game.seating() {
        panels.extend(hands(
            &name(table, id),
            &game.laid_out(id),
            state(table, id),
        ));
    }
    View {
        caption: caption(table, viewer),
        grid: None,
        panels,
        facts: facts(table),
        choices: match viewer.is_some() && viewer == table.mover() {
            true => game
                .legal()
                .into_iter()
                .map(|action| choice(table, action))
                .collect(),
            false => Vec::new(),
        },
    }
}

/// Returns the name of a player. The names of the house's players contain their seats.
fn name(table: &TwentyOneTable, id: PlayerId) -> String {
    match table.side_of(id) {
        Some(side) => table.roles()[side].to_owned(),
        None => {
            let seat = table.seating.iter().position(|&other| other == id);
            format!("House in seat {}", seat.map_or(0, |seat| seat + 1))
        }
    }
}

fn state(table: &TwentyOneTable, id: PlayerId) -> CardState {
    match table.side_of(id) {
        Some(LEFT) => CardState::First,
        Some(RIGHT) => CardState::Second,
        _ => CardState::Open,
    }
}

/// Returns a panel for each hand, with the hand's value if all its cards are open.
fn hands(whose: &str, hands: &[Vec<Option<cards::Card>>], state: CardState) -> Vec<Panel> {
    let panel = |(number, hand): (usize, &Vec<Option<cards::Card>>)| {
        let open: Option<Vec<cards::Card>> = hand.iter().copied().collect();
        let worth = match open.filter(|cards| !cards.is_empty()) {
            Some(cards) => format!(": {}", hand_value(&cards)),
            None => String::new(),
        };
        let which = match hands.len() {
            ..=1 => String::new(),
            several => format!(", hand {number} of {several}"),
        };
        Panel {
            title: format!("{whose}{which}{worth}"),
            cards: hand.iter().map(|card| shown(*card, state)).collect(),
        }
    };
    match hands {
        [] => vec![panel((1, &Vec::new()))],
        _ => (1..).zip(hands).map(panel).collect(),
    }
}

fn shown(card: Option<cards::Card>, state: CardState) -> Card {
    match card {
        Some(card) => Card {
            name: card.picture(),
            lines: vec![card.rank.points_in_words()],
            state,
        },
        None => Card {
            name: "?".to_owned(),
            lines: Vec::new(),
            state: CardState::Down,
        },
    }
}

fn facts(table: &TwentyOneTable) -> Vec<Fact> {
    let game = &table.game;
    let (points, rounds) = (game.points(), game.settings().rounds);
    let mut facts = vec![Fact::new("Round", format!("{} of {rounds}", game.round()))];
    for &id in game.seating() {
        let bid = match game.bid(id) {
            0 => String::new(),
            bid => format!(", {bid} bid"),
        };
        let out = if game.is_out(id) {
            ", out of the game"
        } else {
            ""
        };
        facts.push(Fact::new(
            name(table, id),
            format!("{} points{bid}{out}", points[id as usize]),
        ));
    }
    facts.push(Fact::new(
        "Cards before the next shuffle",
        game.shoe().remaining(),
    ));
    facts
}

fn choice(table: &TwentyOneTable, action: Action) -> Choice {
    let bid = table
        .mover()
        .map_or(0, |side| table.game.bid(table.ids[side]));
    let words = match action {
        Action::Bid(points) => format!("bid {points} points"),
        Action::Hit => "take a card".to_owned(),
        Action::Stand => "take no more cards".to_owned(),
        Action::DoubleDown => format!("bid {bid} more, then take one card"),
        Action::Split => format!("split the pair into two hands, {bid} more on the second"),
        Action::Insurance => format!("pay {} against a Combo of the dealer", insurance_cost(bid)),
    };
    Choice {
        words,
        group: matches!(action, Action::Bid(_)).then(|| "Bid".to_owned()),
        ..Choice::plain(table.notation(action))
    }
}

fn caption(table: &TwentyOneTable, viewer: Option<usize>) -> String {
    let game = &table.game;
    let all = game.points();
    let points = table.ids.iter().map(|&id| all[id as usize]);
    let points = table.roles().iter().zip(points);
    let points = joined(
        points.map(|(role, points)| format!("{role} has {points}")),
        ", ",
    );
    let Some(side) = table.mover() else {
        return format!(
            "The game is over after round {}. {points} points.",
            game.round()
        );
    };
    let who = match viewer == Some(side) {
        true => "You are".to_owned(),
        false => format!("{} is", table.roles()[side]),
    };
    let seen = &table.seen_by(side).seen;
    match seen.up_card {
        None => format!(
            "{who} to bid in round {} of {}. {points} points.",
            game.round(),
            game.settings().rounds
        ),
        Some(up_card) => format!(
            "{who} to play {} worth {}, against the dealer's {}. {points} points left.",
            joined(seen.hand.iter().map(|card| card.picture()), " "),
            hand_value(&seen.hand),
            up_card.picture()
        ),
    }
}

#[cfg(test)]
mod tests {
    use turnwise_engine::plugin::GameRules;

    use super::*;
    use crate::match_game::TwentyOne;

    fn tables() -> impl Iterator<Item = TwentyOneTable> {
        let games = ["text", "engine"]
            .into_iter()
            .flat_map(|rules| (0..20).map(move |seed| (rules, seed)));
        games.map(|(rules, seed)| {
            let rules = TwentyOne::by_options(&|name| match name {
                "rules" => Some(rules.to_owned()),
                "seats" => Some((2 + seed % 3).to_string()),
                "rounds" => Some("4".to_owned()),
                _ => None,
            });
            TwentyOneTable::new(&rules.expect("settings"), seed)
        })
    }

    #[test]
    fn what_is_face_down_changes_no_view() {
        let mut hidden = 0;
        for mut table in tables() {
            while table.turn().is_some() {
                let mut other = table.clone();
                hidden += other.game.exchange_what_is_hidden();
                for viewer in [None, Some(LEFT), Some(RIGHT)] {
                    assert_eq!(table.view(viewer), other.view(viewer));
                }
                let actions = table.game.legal();
                table.play(actions[hidden % actions.len()]);
            }
        }
        assert!(hidden > 1_000, "{hidden} cards");
    }

    #[test]
    fn every_choice_can_be_read_and_played_and_nobody_else_has_one() {
        for mut table in tables() {
            let mut ply = 0;
            while let Some(side) = table.turn() {
                let choices = table.view(Some(side)).choices;
                assert!(!choices.is_empty());
                for choice in &choices {
                    let action = table.parse(&choice.notation).expect("its own notation");
                    assert!(table.is_legal(action));
                    assert_eq!(table.notation(action), choice.notation);
                }
                assert!(table.view(Some(1 - side)).choices.is_empty());
                assert!(table.view(None).choices.is_empty());
                ply += 1;
                let action = table.parse(&choices[ply % choices.len()].notation);
                table.play(action.expect("its own notation"));
            }
            for text in [
                "",
                "Bid",
                "Bid -1",
                "Bid 99999999999999999999",
                "hit",
                "Hit ",
            ] {
                assert!(table.parse(text).is_err(), "{text}");
            }
        }
    }

    /// People can type bids that are not offered as choices. Such bids are legal within the bounds.
    #[test]
    fn any_bid_can_be_typed() {
        let table = tables().next().expect("one");
        let is_legal = |text: &str| table.is_legal(table.parse(text).expect("a bid"));
        assert!(is_legal("Bid 11") && is_legal("Bid 1000"));
        assert!(!is_legal("Bid 9") && !is_legal("Bid 1001"));
    }
}
