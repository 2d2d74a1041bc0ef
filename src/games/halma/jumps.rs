//! Where pieces can go on a given board, whatever the rules about camps: steps and chains of jumps.

use super::squares::{Direction, SIZE, Square, Squares};

/// The neighbours of every square.
const NEIGHBOURS: [Squares; 256] = neighbours();

const fn neighbours() -> [Squares; 256] {
    let mut table = [Squares::EMPTY; 256];
    let mut index = 0;
    while index < 256 {
        let square = Square::from_index(index as u8);
        let mut y = square.y().saturating_sub(1);
        while y < SIZE && y <= square.y() + 1 {
            let mut x = square.x().saturating_sub(1);
            while x < SIZE && x <= square.x() + 1 {
                if x != square.x() || y != square.y() {
                    table[index].insert(Square::at(x, y));
                }
                x += 1;
            }
            y += 1;
        }
        index += 1;
    }
    table
}

/// All single jumps of a board at once: for each direction the squares from which one is possible.
#[derive(Debug, Clone, Copy)]
pub struct Jumps {
    empty: Squares,
    from: [Squares; 8],
    any: Squares,
}

impl Jumps {
    /// The jumps of a board with these squares occupied.
    pub fn new(occupied: Squares) -> Self {
        let empty = !occupied;
        let from = Direction::ALL
            .map(|direction| (occupied & empty.seen_from(direction)).seen_from(direction));
        let any = from
            .into_iter()
            .fold(Squares::EMPTY, |any, from| any | from);
        Self { empty, from, any }
    }

    /// The progress of all single jumps from these squares that lead towards a goal, in half jumps: one
    /// along a row or column counts one, one along the diagonal two. `towards` is 1 for the goal at the
    /// bottom right, -1 for the one at the top left.
    pub(super) fn progress(&self, squares: Squares, towards: i32) -> i32 {
        Direction::ALL
            .into_iter()
            .zip(self.from)
            .map(|(direction, from)| {
                (direction.progress() * towards).max(0) * (from & squares).count() as i32
            })
            .sum()
    }

    /// Everywhere the piece on `from` can go in one move: one step, or one or more jumps. Its own
    /// square counts as empty: it cannot be jumped over, and coming back to it is no move.
    pub fn targets(&self, from: Square) -> Squares {
        (NEIGHBOURS[from.index()] & self.empty) | self.chains(from)
    }

    /// Everywhere the piece on `from` can get by one or more jumps.
    pub fn chains(&self, from: Square) -> Squares {
        let mut reached = Squares::EMPTY;
        if !self.any.contains(from) {
            return reached;
        }
        let mut waiting = Squares::of(from);
        while let Some(square) = waiting.pop() {
            for landing in self.singles(square, from) {
                if !reached.contains(landing) {
                    reached.insert(landing);
                    if self.any.contains(landing) {
                        waiting.insert(landing);
                    }
                }
            }
        }
        reached
    }

    /// Where one jump takes a piece from `square` in a chain that began on `start`. The start looks
    /// occupied here: so nothing lands on it, but jumps over it have to be left out.
    fn singles(&self, square: Square, start: Square) -> impl Iterator<Item = Square> {
        Direction::ALL
            .into_iter()
            .zip(&self.from)
            .filter(move |(direction, from)| {
                from.contains(square) && direction.next(square) != start
            })
            .map(move |(direction, _)| direction.second(square))
    }

    /// The squares of a chain with the fewest jumps, both ends included; `None` if there is none.
    pub fn shortest_chain(&self, from: Square, to: Square) -> Option<Vec<Square>> {
        let mut came_from = [None; 256];
        let mut layer = vec![from];
        while !layer.is_empty() && came_from[to.index()].is_none() {
            let mut next = Vec::new();
            for &square in &layer {
                for landing in self.singles(square, from) {
                    if came_from[landing.index()].is_none() {
                        came_from[landing.index()] = Some(square);
                        next.push(landing);
                    }
                }
            }
            layer = next;
        }
        let mut chain = vec![to];
        let mut at = to;
        while at != from {
            at = came_from[at.index()]?;
            chain.push(at);
        }
        chain.reverse();
        (chain.len() > 1).then_some(chain)
    }
}
