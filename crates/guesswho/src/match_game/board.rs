//! Replays a logged game and shows the candidates of both players after each guess.

use std::sync::Arc;

use turnwise_engine::plugin::{self, Moved};

use super::ROLES;
use super::table::{GuessWhoTable, Move, read};
use crate::board::{Board, Candidates, Question};
use crate::player::Player;

/// The maximum number of persons per row of the picture that shows the candidates.
const WIDEST: usize = 12;

/// The knowledge of both players at one point in a logged game.
#[derive(Clone)]
pub(super) struct LoggedBoard {
    board: Arc<Board>,
    /// The persons of player 1 and player 2, if the log names them.
    chosen: Option<[u32; 2]>,
    /// Player 1's candidates for player 2's person, and player 2's candidates for player 1's person.
    candidates: [Candidates; 2],
    guesser: usize,
    /// The guess that is not answered yet, if any.
    open: Option<Question>,
}

impl LoggedBoard {
    /// Creates the board at the beginning of a game at this table.
    pub fn at(table: &GuessWhoTable) -> Self {
        let players = table.seen.each_ref().map(|seen| &seen.player);
        Self {
            board: table.board.clone(),
            chosen: Some(players.map(Player::chosen)),
            candidates: players.map(|player| player.candidates().to_vec()),
            guesser: table.guesser,
            open: table.open,
        }
    }

    /// Creates the board at the beginning of a game whose chosen persons are unknown.
    pub fn of_strangers(board: &Arc<Board>) -> Self {
        Self {
            board: board.clone(),
            chosen: None,
            candidates: [board.everyone(), board.everyone()],
            guesser: 0,
            open: None,
        }
    }

    fn everyone(&self) -> usize {
        self.board.configuration().persons.len()
    }

    fn name(&self, person: u32) -> &str {
        &self.board.configuration().persons[person as usize].name
    }
}

impl plugin::Board for LoggedBoard {
    fn follow(&mut self, text: &str) -> Result<Moved, String> {
        let side = match (self.open, read(&self.board, self.open.is_some(), text)?) {
            (Some(question), Move::Answer(answer)) => {
                let candidates = &mut self.candidates[self.guesser];
                *candidates = self.board.remaining(candidates, question, answer);
                self.open = None;
                self.guesser = 1 - self.guesser;
                self.guesser
            }
            (_, Move::Guess(question)) => {
                self.open = Some(question);
                self.guesser
            }
            (None, Move::Answer(_)) => unreachable!("there is nothing to answer"),
        };
        Ok(Moved {
            side,
            ..Moved::default()
        })
    }

    fn text(&self, _coloured: bool) -> String {
        let line = |player: usize| {
            let candidates = &self.candidates[player];
            let names = candidates.iter().map(|&person| self.name(person));
            let names: Vec<&str> = names.collect();
            let sought = self.chosen.map(|chosen| self.name(chosen[1 - player]));
            format!(
                "{} looks for {} among {} of {}: {}\n",
                ROLES[player],
                sought.unwrap_or("the other's person"),
                names.len(),
                self.everyone(),
                names.join(" "),
            )
        };
        line(0) + &line(1)
    }

    /// Returns the number of columns of the picture, chosen to give few rows of nearly equal length.
    fn columns(&self) -> usize {
        let rows = self.everyone().div_ceil(WIDEST);
        self.everyone().div_ceil(rows)
    }

    /// Returns the picture: a letter for each candidate, in the order of the configuration, and spaces for the others.
    ///
    /// Player 1's candidates come first, then an empty row, then player 2's candidates.
    fn letters(&self) -> String {
        let columns = self.columns();
        let part = |candidates: &Candidates| {
            let mut letters = vec![' '; self.everyone().div_ceil(columns) * columns];
            for &person in candidates {
                letters[person as usize] = letter(person);
            }
            letters.into_iter().collect::<String>()
        };
        let [first, second] = self.candidates.each_ref().map(part);
        first + &" ".repeat(columns) + &second
    }

    fn measured(&self) -> Vec<u32> {
        let sizes = self.candidates.each_ref().map(|set| set.len() as u32);
        sizes.to_vec()
    }
}

/// Returns the letter for a person. The letters run from A to Z, then from a to z, then start again.
fn letter(person: u32) -> char {
    let at = (person % 52) as u8;
    char::from(if at < 26 { b'A' + at } else { b'a' + at - 26 })
}
