//! The root of the search: iterative deepening, during which the best move found so far is always available.

use super::node::{Aborted, Searcher, ThreadIndex, Window, put_best_first, put_known_first};
use super::table::{Access, Table};
use super::{Control, Found, Limits, Width};
use crate::game::{Game, Score, Side, Turn};

/// The number of moves searched at the root, as a multiple of the number that the [`Width`] allows in other positions.
const ROOT_WIDTHS: usize = 2;

/// Searches a position in iterations of increasing depth until a limit is reached or the game is solved.
///
/// Publishes a legal move through `control` before the first node is searched, and every better move as soon as it is
/// found, so that the caller can reply at any moment. The result of an unfinished iteration still counts. Its first
/// move is the best move of the previous iteration, and all moves that it completed were searched to equal depth.
///
/// # Panics
///
/// Panics if no player is to move.
pub fn search<G: Game>(
    game: &mut G,
    table: &mut Table<G::Move>,
    limits: Limits,
    control: &Control<G::Move>,
) -> Found<G::Move> {
    table.next_age();
    search_with(game, table, limits, control, ThreadIndex::ALONE)
}

/// The result of [`compare`]: what a search found, and the value of another move at equal depth and [`Width`].
#[derive(Debug, Clone, PartialEq)]
pub struct Compared<M> {
    /// The result of the search for the best move.
    pub found: Found<M>,
    /// The value of the other move. If the search left moves out, this value may exceed the value of the best move
    /// found.
    pub other: Score,
    /// True if both values are exact because every line was searched to the end of the game.
    pub is_exact: bool,
}

/// Compares the legal move `other` with the best move that [`search`] finds within `limits`. Afterwards, evaluates
/// `other` without limits, which takes about as long as the evaluation of the best move.
///
/// # Panics
///
/// Panics if no player is to move.
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
        // The limits did not allow the search to evaluate even one move, but the comparison needs values.
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

/// Runs the search on one thread among several that may share the table. Does not start a new age of the table.
pub(super) fn search_with<G: Game, T: Access<G::Move>>(
    game: &mut G,
    table: T,
    limits: Limits,
    control: &Control<G::Move>,
    thread: ThreadIndex,
) -> Found<G::Move> {
    explore(game, table, limits, control, thread).0
}

/// Runs the search. Returns its result, and the [`Width`] of the iteration that found the best move.
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
            // The last iteration at this depth left out no moves, so a greater width would change nothing.
            continue;
        }
        // If only one move is legal, one iteration is enough. It is needed only to find the value of the move.
        let forced = root.moves.len() == 1 && root.depth > 0;
        if forced || root.iterate(&mut searcher, depth, width).is_err() || limits.is_soft_over() {
            break;
        }
    }
    // The principal variation is read from the entries of the iteration that found the best move.
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

/// The state of the root between two iterations: the legal moves, best first, and the results so far.
struct Root<M> {
    side: Side,
    moves: Vec<(Score, M)>,
    value: Score,
    /// The depth of the iteration that produced `value`, whether it was completed or not.
    value_depth: u32,
    depth: u32,
    /// The [`Width`] of the iteration that found the best move; `None` if it searched every move.
    width: Option<Width>,
    /// True if the last completed iteration left out moves because of its [`Width`], which limits the number of moves.
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
        // The values of this iteration decide which moves later iterations leave out, so the value of each move must be
        // exact.
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
                // Another move may have a bound that equals the value of the best move.
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
    /// Returns `best` and the moves that are expected to follow it according to the table, up to the first chance
    /// event.
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
            next = next.filter(|&mv| self.game.is_legal(mv));
        }
        for (&mv, undo) in line.iter().zip(undos).rev() {
            self.game.unmake(mv, undo);
        }
        line
    }
}
