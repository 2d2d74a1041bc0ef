//! Builds what people at the table see.

use turnwise_engine::table::Table;
use turnwise_engine::view::{Choice, Fact, Grid, Standing, View};
use turnwise_engine::words::counted;

use super::table::HalmaTable;
use crate::picture::{letters, steps_at_first, steps_to_go};
use crate::rules::{Color, Move, Position};
use crate::squares::{SIZE, Square};

/// Returns a view of the whole position, and of the legal moves if the viewer is a player.
pub(super) fn view(table: &HalmaTable, viewer: Option<usize>) -> View {
    let position = table.position();
    let moves = match viewer {
        Some(_) => position.moves(),
        None => Vec::new(),
    };
    let [black, white] = Color::BOTH.map(|color| steps_to_go(position, color));
    let plies = table.plies_left();
    let caption = match table.ending() {
        Some(ending) => format!("{ending}."),
        None => format!(
            "{:?} {}. Black has {} to go, White {white}; {} left at most.",
            position.to_move(),
            duty(position, &moves),
            counted(black, "step"),
            counted(plies, "ply")
        ),
    };
    View {
        caption,
        grid: Some(grid(position)),
        standings: Color::BOTH.map(|color| standing(position, color)).into(),
        facts: vec![Fact::new("moves left", plies)],
        choices: moves.into_iter().map(|mv| choice(mv, table)).collect(),
        ..View::default()
    }
}

/// Says what the player to move must do, and whether only pieces in its own camp may move although it has others.
fn duty(position: &Position, moves: &[Move]) -> &'static str {
    let camp = position.to_move().camp();
    let is_outside = |square: Square| !camp.contains(square);
    let has_others = (position.pieces(position.to_move()).into_iter()).any(is_outside);
    match has_others && !moves.is_empty() && moves.iter().all(|mv| camp.contains(mv.from)) {
        true => "must first move the pieces out of the camp",
        false => "is to move",
    }
}

/// Describes how far a player's pieces are from the goal.
fn standing(position: &Position, color: Color) -> Standing {
    let steps = steps_to_go(position, color);
    let left = f64::from(steps) / f64::from(steps_at_first(color));
    Standing {
        text: format!("{} to go", counted(steps, "step")),
        progress: Some(1.0 - left.min(1.0)),
    }
}

/// Returns the board of a position.
pub(super) fn grid(position: &Position) -> Grid {
    Grid {
        columns: SIZE.into(),
        letters: letters(position),
        areas: camps(),
        palette: "BW".to_owned(),
        ..Grid::default()
    }
}

/// Returns a letter for each square: the player whose camp contains it, or a blank.
fn camps() -> String {
    let squares = (0..=u8::MAX).map(Square::from_index);
    squares
        .map(|square| match square {
            _ if Color::Black.camp().contains(square) => 'B',
            _ if Color::White.camp().contains(square) => 'W',
            _ => ' ',
        })
        .collect()
}

fn choice(mv: Move, table: &HalmaTable) -> Choice {
    let Move { from, to } = mv;
    let path = table.position().path(mv).unwrap_or_default();
    let between = path
        .get(1..path.len().saturating_sub(1))
        .unwrap_or_default();
    let by: Vec<String> = between.iter().map(Square::to_string).collect();
    let words = match (mv.is_step(), &by[..]) {
        (true, _) => format!("step from {from} to {to}"),
        (false, []) => format!("jump from {from} to {to}"),
        (false, by) => format!("jump from {from} via {} to {to}", by.join(" and ")),
    };
    Choice {
        words,
        from: Some(from.index()),
        to: Some(to.index()),
        path: between.iter().map(|square| square.index()).collect(),
        ..Choice::plain(table.notation(mv))
    }
}
