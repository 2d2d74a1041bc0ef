//! Tests the command `turnwise halma` in the way in which a course's master, its referee program, runs it.

mod command;
#[path = "../../../crates/halma/tests/halma/naive.rs"]
#[allow(dead_code, reason = "the game's own tests use the rest")]
mod naive;
mod names;
mod playdata;
#[path = "../../../crates/halma/tests/halma/positions.rs"]
#[expect(dead_code, reason = "the game's own tests use the rest")]
mod positions;

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;
use turnwise_halma::files::{board, player};
use turnwise_halma::rules::{Move, Position};
use turnwise_halma::squares::Square;
use turnwise_protocol::halma::{Input, Mode, Output as Answer};

use crate::support::{folder_with, turnwise};

/// Returns the input file that a course's master writes for this position.
fn input(at: &Position, mode: Mode, seconds: f64) -> String {
    let (player, board) = (player(at.to_move()), board(at));
    Input {
        mode,
        player,
        seconds,
        board,
    }
    .to_string()
}

/// Creates a folder with a file `input.txt` that has this content.
fn folder(input: &str) -> TempDir {
    folder_with("input.txt", input)
}

/// Runs `turnwise halma` in this folder, with these arguments.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = turnwise(&["halma"]);
    let output = command.args(arguments).current_dir(folder).output();
    output.expect("the program starts")
}

/// Checks the answer that the command has written into the folder, and returns the answer's move.
///
/// Each jump must lead over an adjacent piece to an empty square, and the move must start and end legally.
fn judged(folder: &Path, at: &Position) -> Move {
    let bytes = fs::read(folder.join("output.txt")).expect("an answer");
    let answer = Answer::parse(&bytes).expect("the format");
    assert_eq!(answer.to_string().as_bytes(), bytes, "LF after every line");
    let path: Vec<Square> = answer
        .path()
        .iter()
        .map(|place| Square::at(place.x, place.y))
        .collect();
    let mv = Move {
        from: path[0],
        to: path[path.len() - 1],
    };
    assert!(at.is_legal(mv), "{mv:?} {at:?}");
    match answer {
        Answer::Step { .. } => assert!(mv.is_step()),
        Answer::Jumps(_) => {
            let cells: Vec<_> = path.iter().map(|&square| positions::cell(square)).collect();
            let naive = positions::naive(at);
            assert!(naive.is_chain(&cells));
            assert_eq!(
                naive.fewest_jumps(cells[0], cells[cells.len() - 1]),
                Some(cells.len() - 1)
            );
        }
    }
    mv
}
