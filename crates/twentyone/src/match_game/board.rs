//! Replays a logged game at its table, move by move.

use std::fmt::Write;

use turnwise_engine::plugin::{Board, Moved};
use turnwise_engine::table::{PUT_OUT, Table};

use super::table::TwentyOneTable;
use crate::actions::Action;
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

/// The table of a logged game after the moves that were replayed so far.
#[derive(Clone)]
pub(super) struct LoggedBoard {
    table: TwentyOneTable,
}

impl LoggedBoard {
    /// Creates the board of a game that begins at this table.
    pub fn new(table: TwentyOneTable) -> Self {
        Self { table }
    }

    fn name(&self, id: PlayerId) -> &'static str {
        match self.table.side_of(id) {
            Some(side) => self.table.roles()[side],
            None => "house",
        }
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

impl Board for LoggedBoard {
    fn follow(&mut self, text: &str) -> Result<Moved, String> {
        let side = self.table.turn().ok_or("the game is over")?;
        let moved = Moved {
            side,
            ..Moved::default()
        };
        if text == PUT_OUT && self.table.put_out() {
            return Ok(moved);
        }
        let action: Action = text.parse()?;
        if let Some(objection) = self.table.objection(action) {
            return Err(objection);
        }
        self.table.play(action);
        Ok(moved)
    }

    fn text(&self, _coloured: bool) -> String {
        let game = &self.table.game;
        let settings = game.settings();
        let mut out = format!("round {} of {}\n", game.round(), settings.rounds);
        let dealer = game.dealer_laid_out();
        let width = match self.table.ids.len() {
            ..=2 => 6,
            _ => 9,
        };
        let dealer = format!("  {:<width$} {:>9}  {}", "dealer", "", words(&dealer));
        let _ = writeln!(out, "{}", dealer.trim_end());
        let points = game.points();
        for &id in &self.table.seating {
            let mark = if game.asked() == Some(id) { '>' } else { ' ' };
            let hands = game.laid_out(id);
            let hands = joined(hands.iter().map(|hand| words(hand)), ", ");
            let bid = match game.bid(id) {
                0 => String::new(),
                bid => format!("  bid {bid}"),
            };
            let (name, points) = (self.name(id), points[id as usize]);
            let line = format!("{mark} {name:<width$} {points:>9}  {hands}{bid}");
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    }

    fn columns(&self) -> usize {
        COLUMNS
    }

    fn letters(&self) -> String {
        let game = &self.table.game;
        let dealer = row('D', &[game.dealer_laid_out()]);
        let label = |id| match self.table.side_of(id) {
            // With more than two participants, the label is the last digit of the participant's number.
            Some(side) if self.table.ids.len() > 2 => {
                char::from_digit((side as u32 + 1) % 10, 10).unwrap_or(' ')
            }
            _ => self.name(id).chars().next().unwrap_or(' '),
        };
        let ids = self.table.seating.iter();
        let rows = ids.map(|&id| row(label(id), &game.laid_out(id)));
        dealer + &rows.collect::<String>()
    }

    fn measured(&self) -> Vec<u32> {
        let points = self.table.points.iter();
        let points = points.map(|&points| u32::try_from(points).unwrap_or(u32::MAX));
        points.collect()
    }
}
