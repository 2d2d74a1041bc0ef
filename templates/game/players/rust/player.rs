//! A player of Tic-Tac-Toe that values each cell. It reads and writes lines of JSON.

mod json;

use json::Json;
use std::io::{self, BufRead, Write};

const ROWS: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

// ------------------------------------------------------------------ what to change first

/// Returns how good a cell is: it completes a row, prevents the opponent's row, or lies in many rows.
fn value(board: &[u8], piece: u8, cell: usize) -> u32 {
    let rows = ROWS.iter().filter(|row| row.contains(&cell));
    let values = rows.map(|row| {
        let others: Vec<u8> = row.iter().filter(|&&other| other != cell).map(|&other| board[other]).collect();
        if others == [piece, piece] {
            100
        } else if others[0] == others[1] && others[0] != b'.' {
            10
        } else {
            1
        }
    });
    values.sum()
}

/// Returns the legal move with the highest value.
fn choose_move<'a>(moves: &'a [Json], state: &Json) -> &'a str {
    let board = state.get("board").text().as_bytes();
    let piece = state.get("piece").text().as_bytes()[0];
    let moves = moves.iter().map(Json::text);
    // If several moves have the highest value, `max_by_key` returns the last one.
    let best = moves.rev().max_by_key(|cell| value(board, piece, cell.parse().expect("a move is a cell")));
    best.expect("a player to move has a move")
}

// ----------------------------------------------------------------------------------------

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let message = Json::read(&line?).map_err(io::Error::other)?;
        // Other messages need no answer.
        if message.get("type").text() == "move" {
            let chosen = choose_move(message.get("moves").items(), message.get("state"));
            println!("{{\"move\":\"{chosen}\"}}");
            // Without a flush, the line may wait in a buffer while the clock runs.
            io::stdout().flush()?;
        }
    }
    Ok(())
}
