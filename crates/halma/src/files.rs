//! Converts between the files of the course's master and this program's positions and moves.

use turnwise_protocol::halma::{Board, Input, Output, Place, Player};

use crate::rules::{Color, Move, Position, Rules};
use crate::squares::{Square, Squares};

/// Returns the digits after a program's name, if the name is `expected` followed by any number of digits.
///
/// In the course, this number at the end of a program's name stands for its language.
pub fn numbered<'a>(name: &'a str, expected: &str) -> Option<&'a str> {
    name.strip_prefix(expected)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Converts a player, as named in a file, to a color.
pub fn color(player: Player) -> Color {
    match player {
        Player::Black => Color::Black,
        Player::White => Color::White,
    }
}

/// Converts a color to the player's name in a file.
pub fn player(color: Color) -> Player {
    match color {
        Color::Black => Player::Black,
        Color::White => Player::White,
    }
}

/// Returns the position in an `input.txt`, to be played under the given rule set.
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

/// Returns the board of a position, as an `input.txt` contains it.
pub fn board(position: &Position) -> Board {
    let at = |x, y| position.at(Square::at(x as u8, y as u8)).map(player);
    std::array::from_fn(|y| std::array::from_fn(|x| at(x, y)))
}

/// Returns the content of `output.txt` for a move, in as few jumps as possible.
///
/// Returns `None` if the move is not legal.
pub fn output(position: &Position, mv: Move) -> Option<Output> {
    let path: Vec<Place> = position.path(mv)?.into_iter().map(Place::from).collect();
    Some(if mv.is_step() {
        Output::Step {
            from: path[0],
            to: path[1],
        }
    } else {
        Output::Jumps(path)
    })
}

impl From<Square> for Place {
    fn from(square: Square) -> Self {
        let (x, y) = (square.x(), square.y());
        Self { x, y }
    }
}

impl From<Place> for Square {
    fn from(place: Place) -> Self {
        Square::at(place.x, place.y)
    }
}

/// Returns the squares of the move in an `output.txt`.
pub fn path(output: &Output) -> Vec<Square> {
    output.path().into_iter().map(Square::from).collect()
}
