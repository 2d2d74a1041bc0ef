//! Plain expectiminimax without pruning, table or move ordering. The values of every other search must match it.

use super::Width;
use crate::game::{Game, Score, Side, Turn};

/// Returns the value of a position, searched to `depth` plies of players.
pub fn value<G: Game>(game: &mut G, depth: u32) -> Score {
    narrowed(game, depth, None)
}

/// Returns the value of a position, searched to `depth` plies without pruning, but only with the moves that a [`Width`]
/// selects. `width` contains the width and the [step](super::Schedule::step) of its schedule; `None` searches every
/// move.
pub fn narrowed<G: Game>(game: &mut G, depth: u32, width: Option<(Width, u32)>) -> Score {
    match game.turn() {
        Turn::Over => game.evaluate(),
        _ if depth == 0 => game.evaluate(),
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.outcomes(&mut outcomes);
            outcomes
                .into_iter()
                .map(|(outcome, probability)| probability * after(game, outcome, depth, width))
                .sum()
        }
        Turn::Player(side) => {
            let moves = moves(game, side, depth, width);
            let values = (moves.into_iter()).map(|mv| after(game, mv, depth - 1, width));
            match side {
                Side::Max => values.fold(side.worst(), Score::max),
                Side::Min => values.fold(side.worst(), Score::min),
            }
        }
    }
}

fn moves<G: Game>(
    game: &mut G,
    side: Side,
    depth: u32,
    width: Option<(Width, u32)>,
) -> Vec<G::Move> {
    let mut looks = Vec::new();
    if depth == 1
        && let Some((width, _)) = width
    {
        game.glance(&mut looks);
        put_best_first(side, &mut looks);
        looks.truncate(width.after_glance.unwrap_or(looks.len()));
        return looks.into_iter().map(|(_, mv)| mv).collect();
    }
    game.look_by_making(&mut looks);
    if let Some((width, step)) = width {
        put_best_first(side, &mut looks);
        let mut searched = match side {
            Side::Max => width.max,
            Side::Min => width.min,
        };
        // Here a look of one ply would end at positions that are not a whole number of steps above the leaves.
        if depth > step && depth % step != 1 % step {
            let steps = (depth - 1) / step;
            let look = depth - steps * step;
            searched = width.after_deep_look;
            for (value, mv) in &mut looks {
                *value = after(game, *mv, look - 1, Some((width, step)));
            }
            put_best_first(side, &mut looks);
        }
        looks.truncate(searched);
    }
    looks.into_iter().map(|(_, mv)| mv).collect()
}

/// Sorts moves by value, best first for this side. Moves of equal value keep their order.
fn put_best_first<M>(side: Side, looks: &mut [(Score, M)]) {
    looks.sort_by(|a, b| match side {
        Side::Max => b.0.total_cmp(&a.0),
        Side::Min => a.0.total_cmp(&b.0),
    });
}

fn after<G: Game>(game: &mut G, mv: G::Move, depth: u32, width: Option<(Width, u32)>) -> Score {
    let undo = game.make(mv);
    let found = narrowed(game, depth, width);
    game.unmake(mv, undo);
    found
}
