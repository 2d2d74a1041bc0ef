//! Draws the table as a grid and as a list.

use std::fmt::Write;

use turnwise_engine::view::Grid;

use super::table::TwentyOneTable;
use crate::cards::{Card, joined};
use crate::player::PlayerId;
use crate::rules::hand_value;

/// The number of cells in a row of the picture. A row shows the owner, a blank, then the ranks of the cards.
///
/// Hands are separated by a blank.
const COLUMNS: usize = 18;

/// The mark in the last cell of a row that is too short for all its cards.
const MORE: char = '+';

/// The letter for a card that lies face down.
const FACE_DOWN: char = '?';

fn name(table: &TwentyOneTable, id: PlayerId) -> &'static str {
    match table.side_of(id) {
        Some(side) => table.roles()[side],
        None => "house",
    }
}

/// Returns a row of the picture: a player's label and hands.
fn row(label: char, hands: &[Vec<Option<Card>>]) -> String {
    let ranks = |hand: &Vec<Option<Card>>| -> String {
        let rank = |card: &Option<Card>| card.map_or(FACE_DOWN, |card| card.rank.letter());
        hand.iter().map(rank).collect()
    };
    let mut text = format!("{label} {}", joined(hands.iter().map(ranks), " "));
    if text.len() > COLUMNS {
        text.truncate(COLUMNS - 1);
        text.push(MORE);
    }
    format!("{text:COLUMNS$}")
}

/// Returns the cards of a hand as text, with the hand's value if no card is face down.
fn words(hand: &[Option<Card>]) -> String {
    let cards: Option<Vec<Card>> = hand.iter().copied().collect();
    let texts = hand.iter().map(|card| match card {
        Some(card) => card.to_string(),
        None => FACE_DOWN.to_string(),
    });
    let value = cards.filter(|cards| !cards.is_empty());
    let value = value.map(|cards| format!(" = {}", hand_value(&cards)));
    joined(texts, " ") + &value.unwrap_or_default()
}

/// Lists the dealer and the players with their points, hands and bids.
pub(super) fn list(table: &TwentyOneTable) -> String {
    let game = &table.game;
    let settings = game.settings();
    let mut out = format!("round {} of {}\n", game.round(), settings.rounds);
    let dealer = game.dealer_laid_out();
    let width = match table.ids.len() {
        ..=2 => 6,
        _ => 9,
    };
    let dealer = format!("  {:<width$} {:>9}  {}", "dealer", "", words(&dealer));
    let _ = writeln!(out, "{}", dealer.trim_end());
    let points = game.points();
    for &id in &table.seating {
        let mark = if game.asked() == Some(id) { '>' } else { ' ' };
        let hands = game.laid_out(id);
        let hands = joined(hands.iter().map(|hand| words(hand)), ", ");
        let bid = match game.bid(id) {
            0 => String::new(),
            bid => format!("  bid {bid}"),
        };
        let (name, points) = (name(table, id), points[id as usize]);
        let line = format!("{mark} {name:<width$} {points:>9}  {hands}{bid}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Returns the grid: a row for the dealer, and one for each player in the order of seats.
pub(super) fn grid(table: &TwentyOneTable) -> Grid {
    let game = &table.game;
    let dealer = row('D', &[game.dealer_laid_out()]);
    let label = |id| match table.side_of(id) {
        // With more than two participants, the label is the last digit of the participant's number.
        Some(side) if table.ids.len() > 2 => {
            char::from_digit((side as u32 + 1) % 10, 10).unwrap_or(' ')
        }
        _ => name(table, id).chars().next().unwrap_or(' '),
    };
    let ids = table.seating.iter();
    let rows = ids.map(|&id| row(label(id), &game.laid_out(id)));
    Grid {
        columns: COLUMNS,
        letters: dealer + &rows.collect::<String>(),
        ..Grid::default()
    }
}
