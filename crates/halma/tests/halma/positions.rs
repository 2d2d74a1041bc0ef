//! Positions for tests, and their conversion to the naive implementation of the rules.

use proptest::prelude::*;
use rand::RngExt;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::Agent;
use turnwise_engine::search::{Control, Found, Limits};
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::squares::{Square, Squares};

use super::naive::{Board, Cell};

pub fn cell(square: Square) -> Cell {
    (i32::from(square.x()), i32::from(square.y()))
}

pub fn naive(position: &Position) -> Board {
    let mover = match position.to_move() {
        Color::Black => 'B',
        Color::White => 'W',
    };
    let addendum = position.rules() == Rules::Addendum;
    Board::parse(&position.to_string(), mover, addendum)
}

pub fn parse(picture: &str, to_move: Color, rules: Rules) -> Position {
    let of = |letter| {
        let cells = picture.lines().zip(0..).flat_map(|(line, y)| {
            let letters = line.chars().zip(0..);
            letters.map(move |(found, x)| (found, Square::at(x, y)))
        });
        cells
            .filter(|&(found, _)| found == letter)
            .map(|(_, square)| square)
            .collect::<Squares>()
    };
    Position::new(of('B'), of('W'), to_move, rules).expect("a letter a square")
}

/// Returns the position after `plies` random moves from the start, or at the end of the game.
pub fn after_random_moves(seed: u64, plies: u32, rules: Rules) -> Position {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = Position::start(Color::Black, rules);
    for _ in 0..plies {
        let moves = position.moves();
        if moves.is_empty() || position.is_won() {
            break;
        }
        position.play(moves[random.random_range(0..moves.len())]);
    }
    position
}

/// Returns a position with the pieces scattered over a random square region of the board.
pub fn scattered(seed: u64, black: usize, white: usize, rules: Rules) -> Position {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let sizes = [4, 6, 8, 16];
    let size = sizes[random.random_range(0..sizes.len())];
    let corner = random.random_range(0..=16 - size);
    let mut pieces = [Squares::EMPTY; 2];
    let mut placed = 0;
    let most = usize::from(size) * usize::from(size);
    while placed < (black + white).min(most) {
        let square = Square::at(
            corner + random.random_range(0..size),
            corner + random.random_range(0..size),
        );
        if !(pieces[0] | pieces[1]).contains(square) {
            pieces[usize::from(placed >= black)].insert(square);
            placed += 1;
        }
    }
    let to_move = Color::BOTH[random.random_range(0..2)];
    Position::new(pieces[0], pieces[1], to_move, rules).expect("a piece a square")
}

pub fn rules() -> impl Strategy<Value = Rules> {
    prop_oneof![Just(Rules::Base), Just(Rules::Addendum)]
}

/// Generates positions from random games, and positions with 19 or any other number of scattered pieces a side.
pub fn any_position() -> impl Strategy<Value = Position> {
    prop_oneof![
        (any::<u64>(), 0u32..400, rules())
            .prop_map(|(seed, plies, rules)| { after_random_moves(seed, plies, rules) }),
        (any::<u64>(), rules()).prop_map(|(seed, rules)| scattered(seed, 19, 19, rules)),
        (any::<u64>(), 0usize..30, 0usize..30, rules())
            .prop_map(|(seed, black, white, rules)| scattered(seed, black, white, rules)),
    ]
}

/// Returns the result of an agent that may visit a limited number of nodes.
pub fn found(
    agent: &mut impl Agent<Position = Position, Move = Move>,
    position: &Position,
    nodes: u64,
) -> Found<Move> {
    let limits = Limits {
        nodes,
        ..Limits::default()
    };
    agent.think(position, limits, &Control::new())
}
