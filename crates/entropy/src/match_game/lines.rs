//! Converts questions, moves and answers to and from the lines that external programs use.

use turnwise_engine::outside::Lines;
use turnwise_engine::player::{Failure, FaultKind, LastMove, Turn};
use turnwise_protocol::entropy::{HostMessage, Line, PlayerSays, Tile, Wire, codecup, line};

use crate::referee::ROLES;
use crate::rules::{Move, Phase, Position};
use crate::wire_cells::{on_board, on_wire, slide_on_board, slide_on_wire};

/// Converts messages to and from the lines of one wire.
pub(super) struct EntropyLines {
    pub wire: Wire,
}

impl EntropyLines {
    /// Converts lines to the text that this wire uses. Some wires omit some lines.
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
        self.said(&[Line::Size(position.size()), Line::Role(ROLES[side])])
    }

    fn question(&self, turn: &Turn<Position, Move>) -> Vec<String> {
        match turn.position.phase() {
            Phase::Place => self.said(&[Line::Draw(Tile(turn.position.drawn() - 1))]),
            _ => Vec::new(),
        }
    }

    fn news(&self, last: &LastMove<Position, Move>) -> Vec<String> {
        let before = &last.before;
        self.said(&[match last.played {
            Move::Place(to) => Line::Placed(on_wire(to, before.size()), Tile(before.drawn() - 1)),
            mv => {
                let [from, to] = slide_on_wire(mv, before);
                Line::Slide { from, to }
            }
        }])
    }

    fn farewell(&self) -> Vec<String> {
        self.text(&HostMessage::Kill {
            reason: None,
            again: false,
        })
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

/// Converts a player's answer to a move in this position.
fn move_of(line: Line, position: &Position) -> Result<Move, Failure> {
    let size = position.size();
    let mv = match (position.phase(), line) {
        (Phase::Place, Line::Place(cell)) => on_board(cell, size).map(Move::Place),
        (Phase::Slide, Line::Slide { from, to }) => slide_on_board(from, to, size),
        (phase, _) => {
            let expected = match phase {
                Phase::Place => "`row col`",
                _ => "`row col row col`",
            };
            let reason = format!("expected {expected}, got `{line}`");
            return Err(Failure::new(FaultKind::Garbage, reason));
        }
    };
    mv.ok_or_else(|| Failure::new(FaultKind::Illegal, format!("`{line}` is not on the board")))
}
