//! Converts a position to the view of players and spectators.

use turnwise_engine::view::{Choice, Grid, ScoringRun, Standing, Stock, View};
use turnwise_engine::words::counted;

use crate::palindromes::{board_score, scoring_runs};
use crate::picture::{letter, letters, notation};
use crate::rules::{Cell, EMPTY, Move, Phase, Position};

/// Returns the view of a position for a player or a spectator. Nothing is hidden. Only players get the legal moves.
pub(super) fn view(position: &Position, viewer: Option<usize>) -> View {
    let mut moves = Vec::new();
    if viewer.is_some() {
        position.moves(&mut moves);
    }
    View {
        caption: caption(position),
        standings: vec![
            Standing::new(counted(board_score(position), "point")),
            Standing::default(),
        ],
        grid: Some(grid(position)),
        hand: (position.drawn() != EMPTY).then(|| letter(position.drawn())),
        stock: stock(position),
        choices: moves.into_iter().map(|mv| choice(mv, position)).collect(),
        ..View::default()
    }
}

/// Returns the board of a position.
pub(super) fn grid(position: &Position) -> Grid {
    let runs = scoring_runs(position).into_iter().map(|cells| ScoringRun {
        points: cells.len() as u32,
        cells,
    });
    Grid {
        columns: position.size().into(),
        letters: letters(position),
        scoring: runs.collect(),
        palette: (1..=position.size()).map(letter).collect(),
        ..Grid::default()
    }
}

fn caption(position: &Position) -> String {
    let score = counted(board_score(position), "point");
    let happens = match position.phase() {
        Phase::Draw => "A tile is drawn".to_owned(),
        Phase::Place => format!("Chaos has drawn {} and places it", letter(position.drawn())),
        Phase::Slide if position.rules().pass => "Order slides a tile or passes".to_owned(),
        Phase::Slide => "Order slides a tile".to_owned(),
        Phase::Over => return format!("The board is full. Order has {score}."),
    };
    let bag = counted(position.bag_total(), "tile");
    format!("{happens}. Order has {score}; {bag} in the bag.")
}

fn stock(position: &Position) -> Vec<Stock> {
    let kinds = (1..=position.size()).map(|colour| Stock {
        letter: letter(colour),
        count: position.in_bag(colour).into(),
    });
    kinds.collect()
}

fn choice(mv: Move, position: &Position) -> Choice {
    let size = position.size();
    let place = |cell: Cell| (cell / Cell::from(size), cell % Cell::from(size));
    let words = |cell: Cell| {
        let (row, column) = place(cell);
        format!("row {row}, column {column}")
    };
    let plain = Choice::plain(notation(mv, size));
    match mv {
        Move::Place(to) => Choice {
            words: format!("place {} on {}", letter(position.drawn()), words(to)),
            to: Some(to.into()),
            ..plain
        },
        Move::Slide { from, to } => Choice {
            words: format!(
                "slide {} from {} to {}",
                letter(position.at(from)),
                words(from),
                match (place(from), place(to)) {
                    ((old, _), (row, column)) if old == row => format!("column {column}"),
                    (_, (row, _)) => format!("row {row}"),
                }
            ),
            from: Some(from.into()),
            to: Some(to.into()),
            path: between(from, to, position),
            ..plain
        },
        Move::Pass => Choice {
            words: "leave the board as it is".to_owned(),
            ..plain
        },
        Move::Draw(_) => plain,
    }
}

/// Returns the cells that a slide passes, in order.
fn between(from: Cell, to: Cell, position: &Position) -> Vec<usize> {
    let step = position.step(from, to).map_or(1, usize::from);
    let (from, to) = (usize::from(from), usize::from(to));
    match from < to {
        true => (from + step..to).step_by(step).collect(),
        false => (to + step..from).step_by(step).rev().collect(),
    }
}
