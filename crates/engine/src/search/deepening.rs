//! The root of the search: iterative deepening, with the best move so far always available.

use super::node::{Aborted, Searcher, ThreadIndex, Window, put_best_first, put_known_first};
use super::table::{Access, Table};
use super::{Control, Found, Limits, Width};
use crate::game::{Game, Score, Side, Turn};

/// Factor on the width at the root, where more moves are searched.
const ROOT_WIDTHS: usize = 2;

/// Searches deeper and deeper until a limit is reached or the game is solved.
///
/// A legal move is published through `control` before the first node is searched, and every better move as soon as
/// it is known, so that the caller can reply at any moment. An unfinished iteration still counts: its first root
/// move is the best move of the previous iteration, and every completed move was searched to equal depth.
///
/// # Panics
///
/// If no player is to move.
pub fn search<G: Game>(
    game: &mut G,
    table: &mut Table<G::Move>,
    limits: Limits,
    control: &Control<G::Move>,
) -> Found<G::Move> {
    table.next_age();
    search_with(game, table, limits, control, ThreadIndex::ALONE)
}

/// A search result, and the value of a different move at equal depth and width.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared<M> {
    /// The result of the search itself.
    pub found: Found<M>,
    /// The value of the other move. If moves were left out, it may exceed the value of the best move found.
    pub other: Score,
    /// True if both values are exact: every line was searched to the end of the game.
    pub is_exact: bool,
}

/// Compares a legal move with the best move that [`search`] finds within `limits`. The other move is then evaluated
/// without limits, which takes about as long as evaluating the best move.
///
/// # Panics
///
/// If no player is to move.
pub fn compare<G: Game>(
    game: &mut G,
    table: &mut Table<G::Move>,
    other: G::Move,
    limits: Limits,
) -> Compared<G::Move> {
    let schedule = limits.schedule;
    let endless = Limits {
        schedule,
        ..Limits::default()
    };
    table.next_age();
    let control = Control::new();
    let (found, width) = explore(game, &mut *table, limits, &control, ThreadIndex::ALONE);
    if found.value_depth == 0 {
        // The limits did not even allow a look at every move, but the comparison needs values.
        let limits = Limits {
            depth: 1,
            ..endless
        };
        return compare(game, table, other, limits);
    }
    if other == found.best {
        return Compared {
            other: found.value,
            is_exact: found.solved,
            found,
        };
    }
    let mut searcher = Searcher::new(game, table, endless, &control, ThreadIndex::ALONE);
    searcher.set_width(width);
    let value = searcher.value_after(other, found.value_depth - 1, Window::FULL);
    Compared {
        other: value.expect("a search without limits"),
        is_exact: found.solved && !searcher.narrowed,
        found,
    }
}

/// Runs the search as one thread among several. The table may be shared, and its age does not change.
pub(super) fn search_with<G: Game, T: Access<G::Move>>(
    game: &mut G,
    table: T,
    limits: Limits,
    control: &Control<G::Move>,
    thread: ThreadIndex,
) -> Found<G::Move> {
    explore(game, table, limits, control, thread).0
}

/// Returns the result and the width of the iteration that found the best move.
fn explore<G: Game, T: Access<G::Move>>(
    game: &mut G,
    table: T,
    limits: Limits,
    control: &Control<G::Move>,
    thread: ThreadIndex,
) -> (Found<G::Move>, Option<Width>) {
    let Turn::Player(side) = game.turn() else {
        panic!("a search needs a player to move");
    };
    let mut moves = Vec::new();
    game.moves(&mut moves);
    control.publish(moves[0]);

    let mut root = Root {
        side,
        moves: moves.into_iter().map(|mv| (side.worst(), mv)).collect(),
        value: game.evaluate(),
        value_depth: 0,
        depth: 0,
        width: None,
        narrowed: false,
    };
    let plies_left = game.plies_left();
    let mut searcher = Searcher::new(game, table, limits, control, thread);
    let deepest = limits.depth.min(plies_left);
    for (depth, width) in limits.schedule.iterations(deepest, deepest == plies_left) {
        if depth == root.depth && !root.narrowed {
            // No moves were left out, so a greater width changes nothing.
            continue;
        }
        // A single legal move needs no thought, but its value is still needed.
        let forced = root.moves.len() == 1 && root.depth > 0;
        if forced || root.iterate(&mut searcher, depth, width).is_err() || limits.is_soft_over() {
            break;
        }
    }
    searcher.set_width(root.width);
    let best = root.moves[0].1;
    let found = Found {
        best,
        value: root.value,
        depth: root.depth,
        value_depth: root.value_depth,
        solved: root.depth == plies_left && !root.narrowed,
        nodes: searcher.nodes,
        principal_variation: searcher.principal_variation(best),
    };
    (found, root.width)
}

/// The state between iterations: the root moves, best first.
struct Root<M> {
    side: Side,
    moves: Vec<(Score, M)>,
    value: Score,
    /// The depth of the iteration that produced the value, completed or not.
    value_depth: u32,
    depth: u32,
    /// The width of the iteration that found the best move.
    width: Option<Width>,
    /// True if the last completed iteration left moves out.
    narrowed: bool,
}

impl<M: Copy + Eq> Root<M> {
    fn iterate<G: Game<Move = M>, T: Access<M>>(
        &mut self,
        searcher: &mut Searcher<G, T>,
        depth: u32,
        width: Option<Width>,
    ) -> Result<(), Aborted> {
        let mut window = Window::FULL;
        let mut best: Option<(Score, usize)> = None;
        let mut outcome = Ok(());
        searcher.set_width(width);
        let schedule = searcher.limits.schedule;
        // These values decide which moves later iterations leave out, so each must be exact.
        let ranks = depth <= schedule.full_depth && !schedule.widths.is_empty();
        let mut searched = self.moves.len();
        if let Some(width) = width {
            let look = schedule.look(depth);
            searched = searched.min(ROOT_WIDTHS * width.of(self.side, look));
            searcher.narrowed = searched < self.moves.len();
        }
        for at in 0..searched {
            if at > 0 && self.depth > 0 && searcher.limits.is_soft_over() {
                outcome = Err(Aborted);
                break;
            }
            let mv = self.moves[at].1;
            let Ok(value) = searcher.value_after(mv, depth - 1, window) else {
                outcome = Err(Aborted);
                break;
            };
            self.moves[at].0 = value;
            if best.is_none_or(|(known, _)| self.side.prefers(value, known)) {
                best = Some((value, at));
                if !ranks {
                    window.narrow(self.side, value);
                }
                searcher.control.publish(mv);
            }
        }
        if let Some((value, at)) = best {
            self.value = value;
            self.value_depth = depth;
            self.width = width;
            let known = self.moves[at].1;
            if outcome.is_ok() {
                put_best_first(self.side, &mut self.moves[..searched]);
                put_known_first(Some(known), &mut self.moves[..searched]);
                self.depth = depth;
                self.narrowed = searcher.narrowed;
            } else {
                self.moves[..=at].rotate_right(1);
            }
        }
        outcome
    }
}

impl<G: Game, T: Access<G::Move>> Searcher<'_, G, T> {
    /// Returns the moves that the table expects, from the root to the first chance event.
    pub fn principal_variation(&mut self, best: G::Move) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut undos = Vec::new();
        let mut next = Some(best);
        while let Some(mv) = next {
            undos.push(self.game.make(mv));
            line.push(mv);
            next = match self.game.turn() {
                Turn::Player(_) => self.table.get(self.key()).and_then(|entry| entry.best),
                _ => None,
            };
        }
        for (&mv, undo) in line.iter().zip(undos).rev() {
            self.game.unmake(mv, undo);
        }
        line
    }
}
