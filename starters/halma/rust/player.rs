//! A player of Halma that looks one ply ahead. For each move it reads input.txt and writes output.txt.

use std::error::Error;
use std::fmt::Write;
use std::fs;

const SIZE: i32 = 16;
const EMPTY: u8 = b'.';
const DIRECTIONS: [(i32, i32); 8] =
    [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
const CAMP_WIDTHS: [i32; 5] = [5, 5, 4, 3, 2];

/// Column and row from the top left, as in output.txt.
type Square = (i32, i32);

/// The squares that a piece visits.
type Move = Vec<Square>;

type Board = Vec<Vec<u8>>;

fn start(path: &Move) -> Square {
    path[0]
}

fn end(path: &Move) -> Square {
    path[path.len() - 1]
}

/// Returns the square as seen from the opposite side of the board.
fn opposite((x, y): Square) -> Square {
    (SIZE - 1 - x, SIZE - 1 - y)
}

fn is_in_own_camp(player: u8, square: Square) -> bool {
    let (x, y) = if player == b'B' { square } else { opposite(square) };
    CAMP_WIDTHS.get(y as usize).is_some_and(|&width| x < width)
}

fn is_in_goal(player: u8, square: Square) -> bool {
    is_in_own_camp(player, opposite(square))
}

fn goal_corner(player: u8) -> Square {
    if player == b'B' { (SIZE - 1, SIZE - 1) } else { (0, 0) }
}

fn at(board: &Board, (x, y): Square) -> u8 {
    board[y as usize][x as usize]
}

fn is_empty(board: &Board, square: Square) -> bool {
    let is_on_line = |number| (0..SIZE).contains(&number);
    is_on_line(square.0) && is_on_line(square.1) && at(board, square) == EMPTY
}

fn all_squares() -> impl Iterator<Item = Square> {
    (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)))
}

fn squared_distance(one: Square, other: Square) -> i32 {
    (one.0 - other.0).pow(2) + (one.1 - other.1).pow(2)
}

/// Returns moves to a neighboring square.
fn steps(board: &Board, start: Square) -> Vec<Move> {
    let ends = DIRECTIONS.iter().map(|(right, down)| (start.0 + right, start.1 + down));
    ends.filter(|&end| is_empty(board, end)).map(|end| vec![start, end]).collect()
}

/// Returns chains of jumps: for each reachable square, a chain with the fewest jumps.
fn jumps(board: &Board, start: Square) -> Vec<Move> {
    let mut paths = vec![vec![start]];
    let mut reached = vec![start];
    let mut number = 0;
    // The list grows during the loop.
    while number < paths.len() {
        let (x, y) = end(&paths[number]);
        for (right, down) in DIRECTIONS {
            let (over, end) = ((x + right, y + down), (x + 2 * right, y + 2 * down));
            // The piece has left its first square, so no piece can be jumped over there.
            if over != start
                && is_empty(board, end)
                && !is_empty(board, over)
                && !reached.contains(&end)
            {
                reached.push(end);
                let mut path = paths[number].clone();
                path.push(end);
                paths.push(path);
            }
        }
        number += 1;
    }
    paths.split_off(1)
}

/// Returns true if the move leads further from the own corner in one axis and closer in none.
fn leads_away(player: u8, path: &Move) -> bool {
    let forward = if player == b'B' { 1 } else { -1 };
    let ((x, y), (to_x, to_y)) = (start(path), end(path));
    forward * (to_x - x) >= 0 && forward * (to_y - y) >= 0
}

/// Returns all moves that the addendum allows. They are also legal without it.
fn legal_moves(board: &Board, player: u8) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for start in all_squares().filter(|&square| at(board, square) == player) {
        moves.extend(steps(board, start));
        moves.extend(jumps(board, start));
    }
    let begins_at_home = |path: &Move| is_in_own_camp(player, start(path));
    let ends_at_home = |path: &Move| is_in_own_camp(player, end(path));
    let is_leaving = |path: &Move| begins_at_home(path) && !ends_at_home(path);
    let is_forward = |path: &Move| begins_at_home(path) && leads_away(player, path);
    if moves.iter().any(is_leaving) {
        moves.retain(is_leaving);
    } else if moves.iter().any(is_forward) {
        moves.retain(is_forward);
    } else {
        moves.retain(|path| match is_in_goal(player, start(path)) {
            true => is_in_goal(player, end(path)),
            false => begins_at_home(path) || !ends_at_home(path),
        });
    }
    moves
}

fn play(board: &mut Board, start: Square, end: Square) {
    board[end.1 as usize][end.0 as usize] = at(board, start);
    board[start.1 as usize][start.0 as usize] = EMPTY;
}

// ------------------------------------------------------------------ what to change first

/// Returns the sum of the squared distances from all pieces outside the goal to the target: among the goal squares
/// that the player does not hold, the square nearest the corner.
fn distance_to_go(board: &Board, player: u8) -> i32 {
    let missing =
        all_squares().filter(|&square| is_in_goal(player, square) && at(board, square) != player);
    let Some(target) = missing.min_by_key(|&square| squared_distance(square, goal_corner(player)))
    else {
        return 0;
    };
    let outside =
        all_squares().filter(|&square| at(board, square) == player && !is_in_goal(player, square));
    outside.map(|square| squared_distance(square, target)).sum()
}

/// Chooses the move after which the least distance remains. The given seconds of CPU time are for all remaining moves.
fn choose_move(board: &mut Board, player: u8, _seconds: f64) -> Option<Move> {
    legal_moves(board, player).into_iter().min_by_key(|path| {
        play(board, start(path), end(path));
        let distance = distance_to_go(board, player);
        play(board, end(path), start(path));
        distance
    })
}

// ----------------------------------------------------------------------------------------

fn is_step(path: &Move) -> bool {
    squared_distance(path[0], path[1]) <= 2
}

fn main() -> Result<(), Box<dyn Error>> {
    let input = fs::read_to_string("input.txt")?;
    // SINGLE or GAME, the color, the time left, and 16 rows.
    let mut words = input.split_whitespace().skip(1);
    let player = words.next().ok_or("input.txt has no colour")?.as_bytes()[0];
    let seconds = words.next().ok_or("input.txt has no time")?.parse()?;
    let mut board: Board = words.map(|row| row.as_bytes().to_vec()).collect();
    let path = choose_move(&mut board, player, seconds).ok_or("there is no legal move")?;
    let letter = if is_step(&path) { 'E' } else { 'J' };
    let mut output = String::new();
    for ends in path.windows(2) {
        let ((x, y), (to_x, to_y)) = (ends[0], ends[1]);
        writeln!(output, "{letter} {x},{y} {to_x},{to_y}")?;
    }
    fs::write("output.txt", output)?;
    Ok(())
}
