//! Questions and answers in the words that programs outside understand.

use turnwise_engine::outside::Lines;
use turnwise_engine::player::{Failure, FaultKind, LastMove, Turn};
use turnwise_protocol::entropy::{
    self as wire, HostMessage, Line, PlayerSays, Role, Tile, Wire, codecup, line,
};

use super::table::CHAOS;
use crate::rules::{Cell, Move, Phase, Position};

/// The words of a wire.
pub(super) struct EntropyLines {
    pub wire: Wire,
}

impl EntropyLines {
    /// Each line by itself, as this wire has it; some are not said on it.
    fn said(&self, lines: &[Line]) -> Vec<String> {
        let message = HostMessage::Payload {
            lines: lines.to_vec(),
            answer: true,
        };
        self.text(&message)
    }

    fn text(&self, message: &HostMessage) -> Vec<String> {
        let text = match self.wire {
            Wire::Codecup => codecup::encode_message(message),
            Wire::Line | Wire::Json => line::encode_message(message),
        };
        text.lines().map(str::to_owned).collect()
    }
}

impl Lines<Position, Move> for EntropyLines {
    fn greeting(&self, side: usize, position: &Position) -> Vec<String> {
        let role = match side {
            CHAOS => Role::Chaos,
            _ => Role::Order,
        };
        self.said(&[Line::Size(position.size()), Line::Role(role)])
    }

    fn question(&self, turn: &Turn<Position, Move>) -> Vec<String> {
        match turn.position.phase() {
            Phase::Place => self.said(&[Line::Draw(Tile(turn.position.drawn() - 1))]),
            _ => Vec::new(),
        }
    }

    fn news(&self, last: &LastMove<Position, Move>) -> Vec<String> {
        let size = last.before.size();
        let cell = |cell| wire_cell(cell, size);
        self.said(&[match last.played {
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
        }])
    }

    fn farewell(&self) -> Vec<String> {
        self.text(&HostMessage::Kill { reason: None })
    }

    fn answer(&self, text: &str, position: &Position) -> Result<Move, Failure> {
        let garbage = |reason: String| Failure::new(FaultKind::Garbage, reason);
        let said = match self.wire {
            Wire::Codecup => codecup::answer(text),
            Wire::Line | Wire::Json => PlayerSays::Line(text.parse()),
        };
        match said {
            PlayerSays::Line(Ok(line)) => move_of(line, position),
            PlayerSays::Line(Err(bad)) => Err(garbage(bad.to_string())),
            PlayerSays::Concede(comment) => Err(garbage(format!("it conceded: {comment:?}"))),
        }
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

/// An answer as a move on this board.
fn move_of(line: Line, position: &Position) -> Result<Move, Failure> {
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
