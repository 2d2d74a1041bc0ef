//! Shows the table as people see it: open cards and possible actions.
//!
//! A hand is open once its player's turn has begun; the dealer's hidden card is open only after the round.

use turnwise_engine::table::Table;
use turnwise_engine::view::{Amount, Card, CardState, Choice, Fact, Named, Panel, Standing, View};

use super::table::{LEFT, RIGHT, TwentyOneTable};
use crate::actions::Action;
use crate::cards::{self, joined};
use crate::player::PlayerId;
use crate::rules::{HandValue, hand_value, insurance_cost};

/// Returns the table as `viewer` sees it: the side of a participant, or `None` for a spectator.
pub(super) fn of(table: &TwentyOneTable, viewer: Option<usize>) -> View {
    let game = &table.game;
    let mut panels = hands(0, "Dealer", &[game.dealer_laid_out()], CardState::Open);
    // The order of play changes from round to round, but nobody moves to another seat.
    for (seat, &id) in (1..).zip(&table.seating) {
        let mut laid = hands(
            seat,
            &name(table, id, viewer),
            &game.laid_out(id),
            state(table, id),
        );
        if let Some(first) = laid.first_mut() {
            first.note = note(table, id);
        }
        panels.extend(laid);
    }
    let is_to_act = viewer.is_some() && viewer == table.mover();
    let legal = match is_to_act {
        true => game.legal(),
        false => Vec::new(),
    };
    let bids = legal.iter().filter_map(|action| match action {
        Action::Bid(points) => Some(*points),
        _ => None,
    });
    let points = game.points();
    let standings = table.ids.iter().map(|&id| {
        let out = if game.is_out(id) { ", out" } else { "" };
        Standing::new(format!("{} points{out}", points[id as usize]))
    });
    View {
        caption: caption(table, viewer),
        news: news(table, viewer),
        standings: standings.collect(),
        panels,
        facts: facts(table),
        amount: bids
            .clone()
            .min()
            .zip(bids.max())
            .map(|(least, most)| Amount {
                before: "Bid ".to_owned(),
                least,
                most,
            }),
        choices: legal
            .into_iter()
            .map(|action| choice(table, action))
            .collect(),
        ..View::default()
    }
}

/// Returns the bid of a player, and the points of a player of the house, whose points no standing shows.
fn note(table: &TwentyOneTable, id: PlayerId) -> String {
    let game = &table.game;
    let points = match table.side_of(id) {
        Some(_) => None,
        None if game.is_out(id) => Some("out of the game".to_owned()),
        None => Some(format!("{} points", game.points()[id as usize])),
    };
    let bid = Some(game.bid(id)).filter(|&bid| bid > 0);
    let bid = bid.map(|bid| format!("bid {bid}"));
    joined(points.into_iter().chain(bid), ", ")
}

/// Reports the result of the last round until somebody plays a hand of the next round.
fn news(table: &TwentyOneTable, viewer: Option<usize>) -> Option<String> {
    let game = &table.game;
    let dealer: Option<Vec<cards::Card>> = game.dealer_laid_out().into_iter().collect();
    let dealer = dealer.filter(|cards| !cards.is_empty())?;
    let changes = table.changes.iter().enumerate().map(|(side, change)| {
        let player = listed(table, side, viewer);
        match change {
            0 => player.does("keep your points", "keeps its points"),
            1.. => format!("{} {change}", player.does("win", "wins")),
            _ => format!("{} {}", player.does("lose", "loses"), change.unsigned_abs()),
        }
    });
    let value = match hand_value(&dealer) {
        HandValue::Bust => "is bust".to_owned(),
        HandValue::Combo => "has a Combo".to_owned(),
        value => format!("has {value}"),
    };
    let (round, changes) = (table.settled(), joined(changes, ", "));
    Some(format!("Round {round}: the dealer {value}. {changes}."))
}

/// Names a participant in a sentence that lists all participants.
fn listed(table: &TwentyOneTable, side: usize, viewer: Option<usize>) -> Named {
    let player = Named::new(viewer, side, table.roles());
    match side {
        LEFT => player,
        _ => player.in_sentence(),
    }
}

/// Returns the name of a player. The names of the house's players contain their seats.
fn name(table: &TwentyOneTable, id: PlayerId, viewer: Option<usize>) -> String {
    match table.side_of(id) {
        Some(side) => Named::new(viewer, side, table.roles()).to_string(),
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
fn hands(
    seat: usize,
    whose: &str,
    hands: &[Vec<Option<cards::Card>>],
    state: CardState,
) -> Vec<Panel> {
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
            seat: Some(seat),
            ..Panel::default()
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
            ..Card::default()
        },
        None => Card {
            name: "?".to_owned(),
            state: CardState::Down,
            ..Card::default()
        },
    }
}

fn facts(table: &TwentyOneTable) -> Vec<Fact> {
    let game = &table.game;
    let rounds = game.settings().rounds;
    vec![
        Fact::new("Round", format!("{} of {rounds}", game.round())),
        Fact::new("Cards before the next shuffle", game.shoe().remaining()),
    ]
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
        label: Some(match action {
            Action::Bid(points) => points.to_string(),
            Action::Hit => "Hit".to_owned(),
            Action::Stand => "Stand".to_owned(),
            Action::DoubleDown => "Double".to_owned(),
            Action::Split => "Split".to_owned(),
            Action::Insurance => "Insurance".to_owned(),
        }),
        ..Choice::plain(table.notation(action))
    }
}

fn caption(table: &TwentyOneTable, viewer: Option<usize>) -> String {
    let game = &table.game;
    let all = game.points();
    let points = table.ids.iter().map(|&id| all[id as usize]);
    let points = points.enumerate().map(|(side, points)| {
        let has = listed(table, side, viewer).does("have", "has");
        format!("{has} {points}")
    });
    let points = joined(points, ", ");
    let Some(side) = table.mover() else {
        return format!(
            "The game is over after round {}. {points} points.",
            game.round()
        );
    };
    let player = Named::new(viewer, side, table.roles());
    let seen = &table.seen_by(side).seen;
    match seen.up_card {
        None => format!(
            "{} in round {} of {}. {points} points.",
            player.does("bid", "bids"),
            game.round(),
            game.settings().rounds
        ),
        Some(up_card) => format!(
            "{} {} ({}) against the dealer's {}. {points} points left.",
            player.does("hold", "holds"),
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

    #[test]
    fn the_result_of_a_round_is_news_until_a_hand_is_played() {
        for mut table in tables() {
            let mut rounds = 0;
            while let Some(side) = table.turn() {
                let view = table.view(Some(side));
                let is_bidding = view.amount.is_some();
                assert_eq!(view.news.is_some(), is_bidding && table.settled() > 0);
                if let Some(news) = view.news {
                    assert!(news.starts_with(&format!("Round {}:", table.settled())));
                    rounds = table.settled();
                }
                let actions = table.game.legal();
                table.play(actions[rounds as usize % actions.len()]);
            }
            assert!(rounds > 0);
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
