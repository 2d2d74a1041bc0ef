//! Converts cells and slides between a wire's notation (row and column) and the board's cell indices.

use turnwise_protocol::entropy as wire;

use crate::rules::{Cell, Move, Position};

/// Converts a cell on a wire to a cell of the board, or returns `None` if the cell is outside the board.
pub fn on_board(cell: wire::Cell, size: u8) -> Option<Cell> {
    (cell.row < size && cell.col < size)
        .then(|| Cell::from(cell.row) * Cell::from(size) + Cell::from(cell.col))
}

/// Converts a cell of the board to a cell on a wire.
pub fn on_wire(cell: Cell, size: u8) -> wire::Cell {
    let size = Cell::from(size);
    wire::Cell {
        row: (cell / size) as u8,
        col: (cell % size) as u8,
    }
}

/// Converts a slide on a wire to a move; equal cells mean a pass. Returns `None` if a cell is outside the board.
pub fn slide_on_board(from: wire::Cell, to: wire::Cell, size: u8) -> Option<Move> {
    let (from, to) = (on_board(from, size)?, on_board(to, size)?);
    Some(match from == to {
        true => Move::Pass,
        false => Move::Slide { from, to },
    })
}

/// Converts Order's move to a slide on a wire. A pass becomes a slide of a tile to its own cell.
pub fn slide_on_wire(mv: Move, position: &Position) -> [wire::Cell; 2] {
    let (from, to) = match mv {
        Move::Slide { from, to } => (from, to),
        _ => {
            let cells = position.cells();
            let tile = cells.iter().position(|&colour| colour != 0).unwrap_or(0);
            (tile as Cell, tile as Cell)
        }
    };
    [from, to].map(|cell| on_wire(cell, position.size()))
}
