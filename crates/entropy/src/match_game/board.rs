//! Replays a logged game on a board, move by move.

use std::vec::IntoIter;

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{Board, MatchGame, Moved, SET_UP};

use super::table::Kept;
use crate::palindromes::board_score;
use crate::picture;
use crate::referee::{CHAOS, ORDER};
use crate::rules::{Cell, Colour, Move, Phase, Position, Rules};

/// A position of a logged game, with the tiles that are still to be drawn according to the log.
#[derive(Clone)]
pub(super) struct LoggedBoard {
    pub position: Position,
    tiles: IntoIter<u8>,
}

impl LoggedBoard {
    /// Returns the board at the beginning of a logged game, given the result fields of its log. Fails if the start
    /// position is invalid.
    pub fn of(rules: Rules, result: &Fields) -> Result<Self, String> {
        if result.get(SET_UP).is_some() {
            let (position, tiles) = rules.begun(result)?.beginning();
            return Ok(Self {
                position,
                tiles: tiles.into_bytes().into_iter(),
            });
        }
        // The log of a running game does not contain the tiles, because the later tiles are not known yet.
        let tiles = (result.read::<Kept>()).map_or_else(|_| Vec::new(), |it| it.tiles.into_bytes());
        Ok(Self {
            position: Position::new(rules),
            tiles: tiles.into_iter(),
        })
    }

    /// Returns the board at the beginning of a game whose tiles are unknown.
    pub fn empty(rules: Rules) -> Self {
        Self {
            position: Position::new(rules),
            tiles: Vec::new().into_iter(),
        }
    }

    /// Returns the position in which a player chose `mv`, the next move of the game. Before a placement, this function
    /// draws the tile.
    pub fn asked(&self, mv: Move) -> Result<Position, String> {
        let mut position = self.position.clone();
        if let (Phase::Draw, Move::Place(_)) = (position.phase(), mv) {
            let follow = position.follow(Move::Draw(self.next_colour()?));
            follow.map_err(|impossible| impossible.to_string())?;
        }
        Ok(position)
    }

    /// Returns the color of the next tile to be drawn, according to the log.
    pub fn next_colour(&self) -> Result<Colour, String> {
        let letter = self.tiles.as_slice().first();
        let letter = letter.ok_or("the log has no tile for it")?;
        Ok(letter.wrapping_sub(b'A').wrapping_add(1))
    }
}

impl Board for LoggedBoard {
    fn follow(&mut self, text: &str) -> Result<Moved, String> {
        let drawn = self.next_colour();
        let position = &mut self.position;
        if position.phase() == Phase::Over {
            return Err("the game is over".to_owned());
        }
        let mv = parse(text, position.size())?;
        let (phase, placed) = (position.phase(), position.drawn());
        let mut follow = |mv| (position.follow(mv)).map_err(|impossible| impossible.to_string());
        let cell = |cell: Cell| Some(usize::from(cell));
        let (side, tile, from, to) = match mv {
            Move::Place(to) => {
                // A start position may include a drawn tile.
                let colour = match phase {
                    Phase::Place => placed,
                    _ => {
                        let colour = drawn?;
                        follow(Move::Draw(colour))?;
                        self.tiles.next();
                        colour
                    }
                };
                (CHAOS, Some(picture::letter(colour)), None, cell(to))
            }
            Move::Slide { from, to } => (ORDER, None, cell(from), cell(to)),
            Move::Pass | Move::Draw(_) => (ORDER, None, None, None),
        };
        follow(mv)?;
        Ok(Moved {
            side,
            tile,
            from,
            to,
        })
    }

    fn reveal(&mut self, tile: &str) {
        if self.tiles.as_slice().is_empty() {
            self.tiles = tile.to_owned().into_bytes().into_iter();
        }
    }

    fn text(&self, coloured: bool) -> String {
        picture::board(&self.position, coloured)
    }

    fn columns(&self) -> usize {
        usize::from(self.position.size())
    }

    fn letters(&self) -> String {
        picture::letters(&self.position)
    }

    fn measured(&self) -> Vec<u32> {
        vec![board_score(&self.position)]
    }
}

/// Parses a move in the assignment's notation.
pub(super) fn parse(text: &str, size: u8) -> Result<Move, String> {
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
