//! Between the files of a Halma master and positions and moves.

use turnwise_protocol::halma::{Board, Input, Output, Place, Player, SIZE};

use crate::rules::{Color, Move, Position, Rules};
use crate::squares::{Square, Squares};

/// The digits behind a program's name, if it is `expected` and digits, or none of them: courses number
/// their programs by language.
pub fn numbered<'a>(name: &'a str, expected: &str) -> Option<&'a str> {
    name.strip_prefix(expected)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The player of a file.
pub fn color(player: Player) -> Color {
    match player {
        Player::Black => Color::Black,
        Player::White => Color::White,
    }
}

/// The player in a file.
pub fn player(color: Color) -> Player {
    match color {
        Color::Black => Player::Black,
        Color::White => Player::White,
    }
}

/// The position of an `input.txt` under a rule set.
pub fn position(input: &Input, rules: Rules) -> Position {
    let of = |player| -> Squares {
        let rows = (0..).zip(&input.board);
        let squares = rows.flat_map(|(y, row)| {
            (0..)
                .zip(row)
                .filter(move |&(_, &at)| at == Some(player))
                .map(move |(x, _)| Square::at(x, y))
        });
        squares.collect()
    };
    Position::new(
        of(Player::Black),
        of(Player::White),
        color(input.player),
        rules,
    )
    .expect("a square of a file holds one letter")
}

/// The board of a position for an `input.txt`.
pub fn board(position: &Position) -> Board {
    let mut board = [[None; SIZE]; SIZE];
    for color in Color::BOTH {
        for square in position.pieces(color) {
            board[usize::from(square.y())][usize::from(square.x())] = Some(player(color));
        }
    }
    board
}

/// The `output.txt` of a move, in as few jumps as possible; `None` if it is not legal.
pub fn output(position: &Position, mv: Move) -> Option<Output> {
    let path: Vec<Place> = position.path(mv)?.into_iter().map(place).collect();
    Some(if mv.is_step() {
        Output::Step {
            from: path[0],
            to: path[1],
        }
    } else {
        Output::Jumps(path)
    })
}

fn place(square: Square) -> Place {
    Place {
        x: square.x(),
        y: square.y(),
    }
}
