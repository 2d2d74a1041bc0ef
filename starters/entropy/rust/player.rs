//! A player of Entropy that looks one ply ahead. It reads and writes plain lines on standard input and output.

use std::cmp::Reverse;
use std::io::{self, BufRead, Write};

const EMPTY: char = '.';

type Board = Vec<Vec<char>>;
type Cell = (usize, usize);

/// Counts the tiles of all palindromes of two or more tiles in a row or column, for each palindrome separately.
fn line_score(line: &[char]) -> i32 {
    let mut total = 0;
    for start in 0..line.len() {
        for end in start + 1..line.len() {
            let part = &line[start..=end];
            if part.contains(&EMPTY) {
                break;
            }
            if part.iter().eq(part.iter().rev()) {
                total += part.len() as i32;
            }
        }
    }
    total
}

fn score(board: &Board) -> i32 {
    let column = |number: usize| board.iter().map(|row| row[number]).collect::<Vec<_>>();
    let rows: i32 = board.iter().map(|row| line_score(row)).sum();
    rows + (0..board.len()).map(|number| line_score(&column(number))).sum::<i32>()
}

fn empty_cells(board: &Board) -> Vec<Cell> {
    let cells = (0..board.len()).flat_map(|row| (0..board.len()).map(move |column| (row, column)));
    cells.filter(|&(row, column)| board[row][column] == EMPTY).collect()
}

/// Returns all moves of Order: from, to. A tile slides over empty cells along its row or column.
fn slides(board: &Board) -> Vec<(Cell, Cell)> {
    let size = board.len() as i32;
    let mut moves = Vec::new();
    for (row, line) in (0..).zip(board) {
        for (column, _) in (0..).zip(line).filter(|&(_, &tile)| tile != EMPTY) {
            for (down, right) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                let (mut to_row, mut to_column) = (row + down, column + right);
                while (0..size).contains(&to_row)
                    && (0..size).contains(&to_column)
                    && board[to_row as usize][to_column as usize] == EMPTY
                {
                    moves.push(((row as usize, column as usize), (to_row as usize, to_column as usize)));
                    to_row += down;
                    to_column += right;
                }
            }
        }
    }
    moves
}

fn slide(board: &mut Board, from: Cell, to: Cell) {
    let tile = std::mem::replace(&mut board[from.0][from.1], EMPTY);
    board[to.0][to.1] = tile;
}

// ------------------------------------------------------------------ what to change first

/// Chooses the slide after which the board has the most points for palindromes.
fn choose_slide(board: &Board) -> (Cell, Cell) {
    let value = |&(from, to): &(Cell, Cell)| {
        let mut after = board.clone();
        slide(&mut after, from, to);
        score(&after)
    };
    let best = slides(board).into_iter().min_by_key(|slide| Reverse(value(slide)));
    best.expect("a tile lies on the board and it is not full")
}

/// Chooses the empty cell where the tile makes the fewest points.
fn choose_cell(board: &Board, tile: char) -> Cell {
    let value = |&(row, column): &Cell| {
        let mut after = board.clone();
        after[row][column] = tile;
        score(&after)
    };
    empty_cells(board).into_iter().min_by_key(value).expect("the board is not full")
}

// ----------------------------------------------------------------------------------------

fn say(numbers: &[usize]) -> io::Result<()> {
    let line: Vec<String> = numbers.iter().map(usize::to_string).collect();
    println!("{}", line.join(" "));
    // Without a flush, the line may wait in a buffer while the clock runs.
    io::stdout().flush()
}

fn main() -> io::Result<()> {
    let mut board: Board = Vec::new();
    let mut is_order = false;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words[at].parse::<usize>().expect("the protocol has numbers here");
        let letter = |at: usize| words[at].chars().next().expect("words are not empty");
        match words.len() {
            1 if words[0] == "ORDER" || words[0] == "CHAOS" => is_order = words[0] == "ORDER",
            1 if letter(0).is_ascii_digit() => board = vec![vec![EMPTY; number(0)]; number(0)],
            1 => {
                let (row, column) = choose_cell(&board, letter(0));
                board[row][column] = letter(0);
                say(&[row, column])?;
            }
            3 => {
                board[number(0)][number(1)] = letter(2);
                if is_order && !empty_cells(&board).is_empty() {
                    let (from, to) = choose_slide(&board);
                    slide(&mut board, from, to);
                    say(&[from.0, from.1, to.0, to.1])?;
                }
            }
            4 => slide(&mut board, (number(0), number(1)), (number(2), number(3))),
            _ => {}
        }
    }
    Ok(())
}
