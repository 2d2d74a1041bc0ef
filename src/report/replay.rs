//! A logged game, position by position.

use super::logs::Game;
use crate::games::entropy::palindromes::board_score;
use crate::games::entropy::rules::{Cell, Colour, Move, Phase, Position, Rules};
use crate::records::MoveRecord;

/// A position of a game and the move that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The move's number, from 1.
    pub ply: u32,
    /// The move.
    pub mv: Move,
    /// The tile that was placed; none for Order's moves.
    pub tile: Option<Colour>,
    /// The position after it.
    pub position: Position,
    /// The score of what lies on the board then.
    pub points: u32,
}

/// A game's positions, and why there are no more if a move could not be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// After each move.
    pub steps: Vec<Step>,
    /// Why the moves could not be followed to their end.
    pub broken: Option<String>,
}

/// Plays a logged game again on a board of that side.
pub fn replay(game: &Game, size: u8) -> Replay {
    // Moves that a referee let through may break the written rules; what can be carried out, is.
    let mut position = Position::new(Rules { size, pass: true });
    let mut tiles = game.record.tiles.bytes();
    let mut replay = Replay {
        steps: Vec::new(),
        broken: None,
    };
    for (ply, text) in (1..).zip(&game.record.moves) {
        match step(&mut position, &mut tiles, text) {
            Ok((mv, tile)) => replay.steps.push(Step {
                ply,
                mv,
                tile,
                points: board_score(&position),
                position: position.clone(),
            }),
            Err(why) => {
                replay.broken = Some(format!("ply {ply}, \"{text}\", cannot be shown: {why}"));
                break;
            }
        }
    }
    replay
}

fn step(
    position: &mut Position,
    tiles: &mut impl Iterator<Item = u8>,
    text: &str,
) -> Result<(Move, Option<Colour>), String> {
    if position.phase() == Phase::Over {
        return Err("the game is over".to_owned());
    }
    let mv = parse(text, position.size())?;
    let mut follow = |mv| (position.follow(mv)).map_err(|impossible| impossible.to_string());
    let mut tile = None;
    if let Move::Place(_) = mv {
        let letter = tiles.next().ok_or("the log has no tile for it")?;
        let colour = letter.wrapping_sub(b'A').wrapping_add(1);
        follow(Move::Draw(colour))?;
        tile = Some(colour);
    }
    follow(mv)?;
    Ok((mv, tile))
}

/// A move in the assignment's notation.
fn parse(text: &str, size: u8) -> Result<Move, String> {
    if text == "pass" {
        return Ok(Move::Pass);
    }
    let numbers: Vec<Cell> = (text.split_ascii_whitespace())
        .map(|word| (word.parse().ok()).filter(|&at: &Cell| at < Cell::from(size)))
        .collect::<Option<_>>()
        .unwrap_or_default();
    let cell = |row: Cell, column: Cell| row * Cell::from(size) + column;
    match numbers[..] {
        [row, column] => Ok(Move::Place(cell(row, column))),
        [row, column, to_row, to_column] => Ok(Move::Slide {
            from: cell(row, column),
            to: cell(to_row, to_column),
        }),
        _ => Err(format!(
            "expected \"row column\", \"row column row column\" or \"pass\", rows and columns \
             from 0 to {}",
            size - 1
        )),
    }
}

impl Game {
    /// What was logged of a move.
    pub fn logged(&self, ply: u32) -> Option<&MoveRecord> {
        let at = self.moves.binary_search_by_key(&ply, |mv| mv.ply).ok()?;
        self.moves.get(at)
    }

    /// How many of the first moves were the random opening.
    pub fn opening_plies(&self) -> usize {
        let opening = &self.record.opening;
        match self.record.moves.starts_with(opening) {
            true => opening.len(),
            false => 0,
        }
    }
}
