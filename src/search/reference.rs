//! The plain expectiminimax: no pruning, no table, no ordering. Every other search must equal it.

use crate::game::{Game, Score, Side, Turn};

/// The value of a position at a depth in plies of players.
pub fn value<G: Game>(game: &mut G, depth: u32) -> Score {
    match game.turn() {
        Turn::Over => game.evaluate(),
        _ if depth == 0 => game.evaluate(),
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.outcomes(&mut outcomes);
            outcomes
                .into_iter()
                .map(|(outcome, probability)| probability * after(game, outcome, depth))
                .sum()
        }
        Turn::Player(side) => {
            let mut moves = Vec::new();
            game.moves(&mut moves);
            let values = moves.into_iter().map(|mv| after(game, mv, depth - 1));
            match side {
                Side::Max => values.fold(side.worst(), Score::max),
                Side::Min => values.fold(side.worst(), Score::min),
            }
        }
    }
}

fn after<G: Game>(game: &mut G, mv: G::Move, depth: u32) -> Score {
    let undo = game.make(mv);
    let found = value(game, depth);
    game.unmake(mv, undo);
    found
}
