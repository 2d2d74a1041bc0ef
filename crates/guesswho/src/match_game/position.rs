//! Positions as text: the knowledge of both players, one item per line.
//!
//! ```text
//! round 3
//! turn 2
//! candidates 1 P2 P5 P9
//! candidates 2 P1 P4
//! asked Attribute hat red
//! ```
//!
//! White space separates words, the order of lines does not matter, and all lines are optional.
//!
//! - `turn`: 1 or 2, the player that must guess, or whose guess is still unanswered. The default is 1.
//! - `candidates 1`: the candidates for player 2's person, as far as player 1 knows; `candidates 2`: the candidates for
//!   player 1's person. By default, everybody is a candidate.
//! - `asked`: an unanswered guess, in the notation of the log.
//! - `found`: player 1 has found player 2's person in this round, and player 2 must guess.
//! - `round`: the number of the round. The default is 1.
//! - `person 1` and `person 2`: the players' own persons. Each must be a candidate of the other player. By default,
//!   they are drawn at random, but equal texts always give equal persons. This program never writes these lines.

use std::sync::Arc;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::words::{is_new, take_lines};
use turnwise_protocol::guesswho::Request;

use super::table::{GuessWhoTable, Seen};
use crate::board::{Board, Candidates, Question};
use crate::conversation::{by_index, by_names};
use crate::player::{Player, Seat};

/// The items read so far from the lines of a text.
#[derive(Default)]
struct Said {
    round: Option<u32>,
    guesser: Option<usize>,
    candidates: [Option<Candidates>; 2],
    persons: [Option<u32>; 2],
    asked: Option<Question>,
    is_found: bool,
}

impl Said {
    /// Reads a line and stores its item. Returns false if the line is invalid or repeats an item.
    fn take(&mut self, board: &Board, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let side = |text: &str| match text {
            "1" => Some(0),
            "2" => Some(1),
            _ => None,
        };
        match words.as_slice() {
            ["round", round] => is_new(&mut self.round, round.parse().ok()),
            ["turn", guesser] => is_new(&mut self.guesser, side(guesser)),
            ["candidates", of, names @ ..] => side(of).is_some_and(|side| {
                let known = names.iter().map(|name| board.configuration().person(name));
                let known: Option<Candidates> = known.collect();
                let sorted = known.filter(|known| !known.is_empty()).map(|mut known| {
                    known.sort_unstable();
                    known.dedup();
                    known
                });
                is_new(&mut self.candidates[side], sorted)
            }),
            ["person", of, name] => side(of).is_some_and(|side| {
                is_new(&mut self.persons[side], board.configuration().person(name))
            }),
            ["asked", ..] => {
                let guess = line.trim().strip_prefix("asked").unwrap_or_default();
                let request = format!("answer? {guess}").parse();
                let question = match request {
                    Ok(Request::Answer(guess)) => by_index(board, &guess),
                    _ => None,
                };
                is_new(&mut self.asked, question)
            }
            ["found"] => !std::mem::replace(&mut self.is_found, true),
            [] => true,
            _ => false,
        }
    }
}

/// Returns the table that a text describes. If the text is invalid, the error says which lines are expected.
pub(super) fn set_up(board: &Arc<Board>, text: &str) -> Result<GuessWhoTable, String> {
    let mut said = Said::default();
    let expected = "`round N`, `turn 1` or `turn 2`, `candidates 1` or `candidates 2` with names of persons, \
                    `person 1 NAME` or `person 2 NAME`, `asked GUESS` or `found`, each at most once and of \
                    this board";
    take_lines(text, expected, |line| said.take(board, line))?;
    let everyone = || board.everyone();
    let candidates = said.candidates.map(|known| known.unwrap_or_else(everyone));
    let guesser = said.guesser.unwrap_or(0);
    if said.is_found && (guesser == 0 || candidates[0].len() != 1) {
        return Err("`found`: expected `turn 2` and one of `candidates 1`".to_owned());
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut chosen = [0; 2];
    for (side, person) in chosen.iter_mut().enumerate() {
        let possible = &candidates[1 - side];
        let by_lot = possible.choose(&mut random).copied();
        *person = said.persons[side].or(by_lot).expect("there are candidates");
        if possible.binary_search(person).is_err() {
            let (own, other) = (side + 1, 2 - side);
            return Err(format!(
                "`person {own}`: expected one of `candidates {other}`"
            ));
        }
    }
    let [mine, theirs] = [candidates[0].clone(), candidates[1].clone()];
    let players = [
        Player::knowing(chosen[0], mine, theirs, Seat::First, false),
        {
            let [theirs, mine] = candidates;
            Player::knowing(chosen[1], mine, theirs, Seat::Second, said.is_found)
        },
    ];
    let mut table = GuessWhoTable::seated(board, players);
    table.guesser = guesser;
    table.found[0] = said.is_found;
    table.round = said.round.unwrap_or(1);
    if !(1..=table.most_rounds).contains(&table.round) {
        return Err(format!(
            "round {}: expected 1 to {}",
            table.round, table.most_rounds
        ));
    }
    if let Some(question) = said.asked {
        table.ask(question);
    }
    Ok(table)
}

/// Returns the text from which [`set_up`] restores this position, or `None` if the game is over.
pub(super) fn text(table: &GuessWhoTable) -> Option<String> {
    table.mover()?;
    let persons = &table.board.configuration().persons;
    let mut text = format!("round {}\nturn {}\n", table.round, table.guesser + 1);
    for (number, Seen { player, .. }) in (1..).zip(&table.seen) {
        text += &format!("candidates {number}");
        for &person in player.candidates() {
            text += " ";
            text += &persons[person as usize].name;
        }
        text += "\n";
    }
    if table.found[0] {
        text += "found\n";
    }
    if let Some(question) = table.open {
        text += &format!("asked {}\n", by_names(&table.board, question));
    }
    Some(text)
}
