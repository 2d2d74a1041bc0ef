//! Draws the candidates of both players.

use turnwise_engine::view::Grid;

use super::ROLES;
use super::table::GuessWhoTable;
use crate::player::Player;

/// The maximum number of persons per row of the picture that shows the candidates.
const WIDEST: usize = 12;

/// Returns the picture: a letter for each candidate, in the order of the configuration, and spaces for the others.
///
/// Player 1's candidates come first, then an empty row, then player 2's candidates. The rows are few and of nearly
/// equal length.
pub(super) fn grid(table: &GuessWhoTable) -> Grid {
    let everyone = table.board.configuration().persons.len();
    let columns = everyone.div_ceil(everyone.div_ceil(WIDEST));
    let part = |player: &Player| {
        let mut letters = vec![' '; everyone.div_ceil(columns) * columns];
        for &person in player.candidates() {
            letters[person as usize] = letter(person);
        }
        letters.into_iter().collect::<String>()
    };
    let [first, second] = table.seen.each_ref().map(|seen| part(&seen.player));
    Grid {
        columns,
        letters: first + &" ".repeat(columns) + &second,
        ..Grid::default()
    }
}

/// Returns a line for each player, which names the player's candidates.
pub(super) fn lines(table: &GuessWhoTable) -> String {
    let persons = &table.board.configuration().persons;
    let name = |person: u32| persons[person as usize].name.as_str();
    let line = |player: usize| {
        let candidates = table.seen[player].player.candidates();
        let names: Vec<&str> = candidates.iter().map(|&person| name(person)).collect();
        format!(
            "{} looks for {} among {} of {}: {}\n",
            ROLES[player],
            name(table.seen[1 - player].player.chosen()),
            names.len(),
            persons.len(),
            names.join(" "),
        )
    };
    line(0) + &line(1)
}

/// Returns the letter for a person. The letters run from A to Z, then from a to z, then start again.
fn letter(person: u32) -> char {
    let at = (person % 52) as u8;
    char::from(if at < 26 { b'A' + at } else { b'a' + at - 26 })
}
