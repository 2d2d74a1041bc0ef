//! Questions and answers in the words that players outside understand.

use turnwise_protocol::entropy::{self as wire, Line, Tile};

use super::{Ask, Last};
use crate::arena::player::Failure;
use crate::records::{FaultKind, Role};
use turnwise_entropy::rules::{Cell, Move, Phase, Position};

/// A part on the wire.
pub(super) fn wire_role(role: Role) -> wire::Role {
    match role {
        Role::Chaos => wire::Role::Chaos,
        _ => wire::Role::Order,
    }
}

fn wire_cell(cell: Cell, size: u8) -> wire::Cell {
    wire::Cell {
        row: (cell / Cell::from(size)) as u8,
        col: (cell % Cell::from(size)) as u8,
    }
}

fn board_cell(cell: wire::Cell, size: u8) -> Option<Cell> {
    (cell.row < size && cell.col < size)
        .then(|| Cell::from(cell.row) * Cell::from(size) + Cell::from(cell.col))
}

/// The opponent's move in a player's words.
pub(super) fn news(last: &Last) -> Line {
    let size = last.before.size();
    let cell = |cell| wire_cell(cell, size);
    match last.played {
        Move::Place(to) => Line::Placed(cell(to), Tile(last.before.drawn() - 1)),
        Move::Slide { from, to } => Line::Slide {
            from: cell(from),
            to: cell(to),
        },
        Move::Pass | Move::Draw(_) => {
            let cells = last.before.cells();
            let tile = cells.iter().position(|&colour| colour != 0).unwrap_or(0);
            let at = cell(tile as Cell);
            Line::Slide { from: at, to: at }
        }
    }
}

/// A question in a player's words, without what begins a game.
pub(super) fn question(turn: &Ask) -> Vec<Line> {
    let mut lines: Vec<Line> = turn.last.iter().map(news).collect();
    if turn.position.phase() == Phase::Place {
        lines.push(Line::Draw(Tile(turn.position.drawn() - 1)));
    }
    lines
}

/// An answer as a move on this board.
pub(super) fn move_of(line: Line, position: &Position) -> Result<Move, Failure> {
    let size = position.size();
    let off_board = || Failure::new(FaultKind::Illegal, format!("`{line}` is not on the board"));
    match (position.phase(), line) {
        (Phase::Place, Line::Place(cell)) => board_cell(cell, size)
            .map(Move::Place)
            .ok_or_else(off_board),
        (Phase::Slide, Line::Slide { from, to }) => {
            let from = board_cell(from, size).ok_or_else(off_board)?;
            let to = board_cell(to, size).ok_or_else(off_board)?;
            Ok(match from == to {
                true => Move::Pass,
                false => Move::Slide { from, to },
            })
        }
        (phase, _) => {
            let expected = match phase {
                Phase::Place => "`row col`",
                _ => "`row col row col`",
            };
            Err(Failure::new(
                FaultKind::Garbage,
                format!("expected {expected}, got `{line}`"),
            ))
        }
    }
}
