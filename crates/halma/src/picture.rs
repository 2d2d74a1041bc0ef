//! Formats a board as text.

use std::fmt::Write;
use std::str::FromStr;

use crate::rules::{Color, Move, Position};
use crate::squares::{SIZE, Square, Squares};

/// Formats the board with its coordinates, one line per row.
///
/// Empty squares are `,` in the camps and `.` elsewhere. The last move, if any, is shown by `*` on its first square and
/// a small letter on its last square. The text is colored if `coloured` is true.
pub fn board(position: &Position, last: Option<Move>, coloured: bool) -> String {
    let mut text = String::from("    ");
    for x in 0..SIZE {
        let _ = write!(text, "{x:>2} ");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    for y in 0..SIZE {
        let _ = write!(text, "{y:>2}  ");
        for x in 0..SIZE {
            let square = Square::at(x, y);
            let shown = letter(position, last, square);
            let _ = match (shown, coloured) {
                ('B' | 'b', true) => write!(text, " \x1b[1;38;5;39m{shown}\x1b[0m "),
                ('W' | 'w', true) => write!(text, " \x1b[1;38;5;208m{shown}\x1b[0m "),
                _ => write!(text, " {shown} "),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

fn letter(position: &Position, last: Option<Move>, square: Square) -> char {
    let is_new = last.is_some_and(|mv| mv.to == square);
    match position.at(square) {
        Some(Color::Black) if is_new => 'b',
        Some(Color::Black) => 'B',
        Some(Color::White) if is_new => 'w',
        Some(Color::White) => 'W',
        None if last.is_some_and(|mv| mv.from == square) => '*',
        None if (Color::Black.camp() | Color::White.camp()).contains(square) => ',',
        None => '.',
    }
}

/// Returns a letter for each square, row by row: `B`, `W`, or a blank for an empty square.
pub fn letters(position: &Position) -> String {
    let squares = (0..=u8::MAX).map(Square::from_index);
    squares
        .map(|square| match position.at(square) {
            Some(Color::Black) => 'B',
            Some(Color::White) => 'W',
            None => ' ',
        })
        .collect()
}

/// Formats a position and the number of plies left, as [`parse`](super::parse::parse) reads them.
pub fn position(position: &Position, plies_left: u32) -> String {
    let mover = position.to_move();
    format!("to move: {mover:?}\nplies left: {plies_left}\n{position}")
}

/// Formats a move for logs: a step as `E x,y x,y`, a shortest chain of jumps as `J x,y x,y ...`.
pub fn notation(position: &Position, mv: Move) -> String {
    let letter = if mv.is_step() { 'E' } else { 'J' };
    let path = position.path(mv).unwrap_or_else(|| vec![mv.from, mv.to]);
    let squares = path.iter().map(|square| format!(" {square}"));
    letter.to_string() + &squares.collect::<String>()
}

/// The error for a text that is not a move in the form of [`notation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected \"E x,y x,y\" or \"J x,y x,y ...\", x and y from 0 to 15")]
pub struct MoveError;

/// Reads a move in the form of [`notation`], even if the move is illegal.
impl FromStr for Move {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Self, MoveError> {
        let path = text.strip_prefix("E ").or(text.strip_prefix("J "));
        let squares = path.ok_or(MoveError)?.split(' ').map(Square::parse);
        let squares: Option<Vec<Square>> = squares.collect();
        let squares = squares.filter(|squares| squares.len() >= 2);
        Ok(Move::along(&squares.ok_or(MoveError)?))
    }
}

/// Returns how many steps a player's pieces are away from the goal in total.
///
/// Counts for each piece the steps to the nearest goal square, without jumps, even if that square is occupied.
pub fn steps_to_go(position: &Position, color: Color) -> u32 {
    steps_from(position.pieces(color), color)
}

/// Returns how many steps a player's pieces are away from the goal in total at the beginning of a game.
pub fn steps_at_first(color: Color) -> u32 {
    steps_from(color.camp(), color)
}

fn steps_from(pieces: Squares, color: Color) -> u32 {
    let goal = color.goal();
    (pieces & !goal)
        .into_iter()
        .filter_map(|piece| goal.into_iter().map(|square| piece.steps_to(square)).min())
        .map(u32::from)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn the_board_shows_where_the_last_move_went() {
        let start = Position::start(Color::White, Rules::Base);
        let mv = Move {
            from: Square::at(12, 15),
            to: Square::at(10, 13),
        };
        let text = board(&start.after(mv), Some(mv), false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1],
            " 0   B  B  B  B  B  .  .  .  .  .  .  .  .  .  .  ."
        );
        assert_eq!(
            lines[14],
            "13   .  .  .  .  .  .  .  .  .  .  w  .  W  W  W  W"
        );
        assert_eq!(
            lines[16],
            "15   .  .  .  .  .  .  .  .  .  .  .  W  *  W  W  W"
        );
        assert!(board(&start, None, true).contains("\x1b[1;38;5;39mB\x1b[0m"));
    }

    #[test]
    fn both_have_the_same_way_at_the_start_and_none_at_the_end() {
        let start = Position::start(Color::White, Rules::Base);
        let way = steps_to_go(&start, Color::Black);
        assert_eq!(way, steps_to_go(&start, Color::White));
        assert!((19 * 9..19 * 15).contains(&way), "{way}");
        let camps = [Color::White, Color::Black].map(Color::camp);
        let end = Position::new(camps[0], camps[1], Color::Black, Rules::Base).expect("apart");
        assert_eq!(steps_to_go(&end, Color::Black), 0);
    }
}
