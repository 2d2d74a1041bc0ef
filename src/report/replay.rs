//! A logged game, position by position.

use super::logs::Game;
use crate::records::{Course, GameSettings, HalmaRules, MoveRecord, Role};
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::picture::{self, letter};
use turnwise_entropy::rules::{Cell, Move, Phase, Position, Rules};
use turnwise_halma as halma;
use turnwise_halma::rules::Color;
use turnwise_halma::squares::Square;

/// A position of a game and the move that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The move's number, from 1.
    pub ply: u32,
    /// Who moved, by the order of [`GameSettings::roles`].
    pub side: usize,
    /// The cell that a tile or piece left, row by row; none for a placement.
    pub from: Option<usize>,
    /// The cell it is on now; none for a pass.
    pub to: Option<usize>,
    /// The letter of the tile that was placed.
    pub tile: Option<char>,
    /// The position after it.
    pub board: Board,
}

/// A position of any game.
#[derive(Debug, Clone, PartialEq)]
pub enum Board {
    /// Of Entropy.
    Entropy(Position),
    /// Of Halma, with the last move.
    Halma(halma::rules::Position, Option<halma::rules::Move>),
}

impl Board {
    /// The beginning of a game of this match.
    pub fn beginning(game: &GameSettings, course: &Course) -> Self {
        match (game, course) {
            (&GameSettings::Entropy { size, pass }, _) => {
                Board::Entropy(Position::new(Rules { size, pass }))
            }
            (GameSettings::Halma { rules, .. }, Course::Halma { begins, .. }) => {
                Self::halma(*rules, *begins)
            }
            (GameSettings::Halma { rules, .. }, _) => Self::halma(*rules, Role::Black),
        }
    }

    /// The beginning of a game of Halma.
    pub fn halma(rules: HalmaRules, begins: Role) -> Self {
        let rules = match rules {
            HalmaRules::Base => halma::rules::Rules::Base,
            HalmaRules::Addendum => halma::rules::Rules::Addendum,
        };
        let begins = match begins {
            Role::White => Color::White,
            _ => Color::Black,
        };
        Board::Halma(halma::rules::Position::start(begins, rules), None)
    }

    /// The board for a terminal; in colour if asked.
    pub fn text(&self, coloured: bool) -> String {
        match self {
            Board::Entropy(position) => picture::board(position, coloured),
            Board::Halma(position, last) => halma::picture::board(position, *last, coloured),
        }
    }

    /// The letters on the cells, row by row, with a blank for nothing.
    pub fn letters(&self) -> String {
        match self {
            Board::Entropy(position) => (position.cells().iter())
                .map(|&colour| if colour == 0 { ' ' } else { letter(colour) })
                .collect(),
            Board::Halma(position, _) => position
                .to_string()
                .chars()
                .filter(|&letter| letter != '\n')
                .map(|letter| if letter == '.' { ' ' } else { letter })
                .collect(),
        }
    }

    /// What can be measured on the board: names of the measures are [`measures`].
    pub fn measured(&self) -> Vec<u32> {
        match self {
            Board::Entropy(position) => vec![board_score(position)],
            Board::Halma(position, _) => Color::BOTH
                .map(|color| halma::picture::steps_to_go(position, color))
                .to_vec(),
        }
    }
}

/// What is measured on the boards of a game.
pub fn measures(game: &GameSettings) -> &'static [&'static str] {
    match game {
        GameSettings::Entropy { .. } => &["points on the board"],
        GameSettings::Halma { .. } => &["Black's steps to go", "White's steps to go"],
    }
}

/// A game's positions, and why there are no more if a move could not be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// Before the first move.
    pub beginning: Board,
    /// After each move.
    pub steps: Vec<Step>,
    /// Why the moves could not be followed to their end.
    pub broken: Option<String>,
}

/// Plays a logged game of a match again.
pub fn replay(game: &Game, of: &GameSettings) -> Replay {
    let beginning = Board::beginning(of, &game.record.course);
    let mut replay = Replay {
        beginning: beginning.clone(),
        steps: Vec::new(),
        broken: None,
    };
    let mut tiles = match &game.record.course {
        Course::Entropy { tiles, .. } => tiles.bytes(),
        Course::Halma { .. } => "".bytes(),
    };
    let mut board = beginning;
    for (ply, text) in (1..).zip(&game.record.moves) {
        let stepped = match &mut board {
            Board::Entropy(position) => entropy_step(position, &mut tiles, text),
            Board::Halma(position, last) => halma_step(position, last, text),
        };
        match stepped {
            Ok((side, tile, from, to)) => replay.steps.push(Step {
                ply,
                side,
                from,
                to,
                tile,
                board: board.clone(),
            }),
            Err(why) => {
                replay.broken = Some(format!("ply {ply}, \"{text}\", cannot be shown: {why}"));
                break;
            }
        }
    }
    replay
}

/// Who moved, the tile placed, and the cells left and reached.
pub type Moved = (usize, Option<char>, Option<usize>, Option<usize>);

fn entropy_step(
    position: &mut Position,
    tiles: &mut impl Iterator<Item = u8>,
    text: &str,
) -> Result<Moved, String> {
    if position.phase() == Phase::Over {
        return Err("the game is over".to_owned());
    }
    let mv = parse(text, position.size())?;
    // Moves that a referee let through may break the written rules; what can be carried out, is.
    let mut follow = |mv| (position.follow(mv)).map_err(|impossible| impossible.to_string());
    let cell = |cell: Cell| Some(usize::from(cell));
    let moved = match mv {
        Move::Place(to) => {
            let letter = tiles.next().ok_or("the log has no tile for it")?;
            let colour = letter.wrapping_sub(b'A').wrapping_add(1);
            follow(Move::Draw(colour))?;
            (1, Some(char::from(letter)), None, cell(to))
        }
        Move::Slide { from, to } => (0, None, cell(from), cell(to)),
        Move::Pass | Move::Draw(_) => (0, None, None, None),
    };
    follow(mv)?;
    Ok(moved)
}

/// A piece of the player to move goes to an empty square; whether the rules allow that is not asked.
///
/// # Errors
///
/// What was expected and what came, if it cannot.
pub fn halma_step(
    position: &mut halma::rules::Position,
    last: &mut Option<halma::rules::Move>,
    text: &str,
) -> Result<Moved, String> {
    let expected =
        || "expected \"E x,y x,y\" or \"J x,y x,y ...\", x and y from 0 to 15".to_owned();
    let path = text.strip_prefix("E ").or(text.strip_prefix("J "));
    let path = path.ok_or_else(expected)?;
    let squares: Option<Vec<Square>> = path.split(' ').map(square).collect();
    let squares = squares.filter(|squares| squares.len() >= 2);
    let squares = squares.ok_or_else(expected)?;
    let mv = halma::rules::Move {
        from: squares[0],
        to: squares[squares.len() - 1],
    };
    let mover = position.to_move();
    if !position.pieces(mover).contains(mv.from) {
        return Err(format!("{mover:?} has no piece on {}", mv.from));
    }
    if position.occupied().contains(mv.to) {
        return Err(format!("{} is occupied", mv.to));
    }
    position.play(mv);
    *last = Some(mv);
    let cell = |square: Square| Some(square.index());
    Ok((mover as usize, None, cell(mv.from), cell(mv.to)))
}

fn square(text: &str) -> Option<Square> {
    let (x, y) = text.split_once(',')?;
    let number = |text: &str| text.parse().ok().filter(|&number: &u8| number < 16);
    Some(Square::at(number(x)?, number(y)?))
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
