//! Computes the steps and chains of jumps on a board, ignoring the rules about camps.

use crate::squares::{Direction, Directions, SIZE, Square, Squares};

/// For each square, the set of neighboring squares.
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

/// Returns the total progress of the single jumps that start in each set of squares.
///
/// Only jumps towards the goal count. A jump along a row or column counts one, a diagonal jump two. A jump counts even
/// if its first square is empty. `towards` is 1 for the goal at the bottom right, -1 for the goal at the top left.
pub(crate) fn progress_of_jumps<const SETS: usize>(
    occupied: Squares,
    sets: [Squares; SETS],
    towards: i32,
) -> [i32; SETS] {
    let empty = !occupied;
    let mut sums = [0; SETS];
    for direction in Direction::ALL {
        let progress = direction.progress() * towards;
        if progress > 0 {
            let from = (occupied & empty.seen_from(direction)).seen_from(direction);
            for (sum, squares) in sums.iter_mut().zip(sets) {
                *sum += progress * (from & squares).count() as i32;
            }
        }
    }
    sums
}

/// All single jumps on a board.
#[derive(Debug, Clone, Copy)]
pub struct Jumps {
    empty: Squares,
    /// The directions of the jumps that start on each square.
    from: Directions,
    /// The squares from which a jump is possible.
    any: Squares,
}

/// The maximum number of components that [`Components`] stores. Further components are computed at each use.
const MOST_COMPONENTS: usize = 24;

/// The components of a board found so far: sets of empty squares that chains of jumps connect.
#[derive(Debug, Clone, Copy)]
pub struct Components {
    known: [Squares; MOST_COMPONENTS],
    count: usize,
}

impl Default for Components {
    fn default() -> Self {
        Self {
            known: [Squares::EMPTY; MOST_COMPONENTS],
            count: 0,
        }
    }
}

impl Components {
    /// Returns the component that contains this square.
    fn of(&mut self, landing: Square, jumps: &Jumps) -> Squares {
        let known = &self.known[..self.count];
        if let Some(&found) = known.iter().find(|known| known.contains(landing)) {
            return found;
        }
        let found = jumps.component(landing);
        if self.count < MOST_COMPONENTS {
            self.known[self.count] = found;
            self.count += 1;
        }
        found
    }
}

impl Jumps {
    /// Computes all single jumps on a board on which exactly these squares are occupied.
    pub fn new(occupied: Squares) -> Self {
        let empty = !occupied;
        let from = Direction::ALL
            .map(|direction| (occupied & empty.seen_from(direction)).seen_from(direction));
        let any = from
            .into_iter()
            .fold(Squares::EMPTY, |any, from| any | from);
        let from = Directions::new(&from);
        Self { empty, from, any }
    }

    /// Returns the squares that the piece on `from` can reach in one move.
    ///
    /// A move is one step, or one or more jumps. The piece's own square counts as empty, but it cannot be jumped over,
    /// and a return to it is no move. All pieces of one board must share one `components`.
    pub fn targets(&self, from: Square, components: &mut Components) -> Squares {
        (NEIGHBOURS[from.index()] & self.empty) | self.chains(from, components)
    }

    /// Returns the squares that the piece on `from` can reach with one or more jumps.
    pub fn chains(&self, from: Square, components: &mut Components) -> Squares {
        let mut reached = Squares::EMPTY;
        if !self.any.contains(from) {
            return reached;
        }
        for landing in self.singles(from) {
            if !reached.contains(landing) {
                reached = reached | components.of(landing, self);
            }
        }
        reached
    }

    /// Returns the empty squares that chains of jumps connect with `landing`, and `landing` itself.
    fn component(&self, landing: Square) -> Squares {
        let mut reached = Squares::of(landing);
        // A chain keeps the parities of row and column, so a quarter of the board has space for every landing.
        let mut waiting = [landing; 64];
        let mut count = usize::from(self.any.contains(landing));
        while count > 0 {
            count -= 1;
            for landing in self.singles(waiting[count]) {
                if !reached.contains(landing) {
                    reached.insert(landing);
                    if self.any.contains(landing) {
                        waiting[count] = landing;
                        count += 1;
                    }
                }
            }
        }
        reached
    }

    /// Returns the squares that one jump reaches from `square`.
    ///
    /// During a chain, the square on which the chain began still counts as occupied. So no jump lands there, as the
    /// rules require. No jump of the chain can pass over it either: a chain keeps the parities of row and column, and
    /// the first square's neighbors differ in one.
    fn singles(&self, square: Square) -> impl Iterator<Item = Square> + use<> {
        self.from.second(square)
    }

    /// Returns the squares of a shortest chain of jumps, both ends included.
    ///
    /// Returns `None` if no chain of jumps leads from `from` to `to`.
    pub fn shortest_chain(&self, from: Square, to: Square) -> Option<Vec<Square>> {
        let mut came_from = [None; 256];
        let mut layer = vec![from];
        while !layer.is_empty() && came_from[to.index()].is_none() {
            let mut next = Vec::new();
            for &square in &layer {
                for landing in self.singles(square) {
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
