//! Numbers all boards consecutively. Boards that differ only by a rotation, a reflection or the names of their colors
//! have equal values, and usually an equal number.
//!
//! To number a board, the set of occupied cells is rotated or reflected to the smallest of its at most eight images.
//! The colors on the cells are then named by first appearance, in the order of the cells. Every possible result has
//! exactly one number. If a set is its own image under a symmetry, equivalent boards can have several numbers.

use crate::rules::{EMPTY, Position};

/// The largest board that can be numbered, in rows.
pub const LARGEST: u8 = 4;

/// The number of cells of the largest board.
const CELLS: usize = LARGEST as usize * LARGEST as usize;

/// The number of rotations and reflections of a square.
const SYMMETRIES: usize = 8;

/// A board, encoded with four bits for each cell, row by row; 0 means no tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    cells: u64,
    /// The set of cells with a tile, as bits.
    occupied: u16,
}

impl Board {
    /// The empty board.
    pub const EMPTY: Self = Self {
        cells: 0,
        occupied: 0,
    };

    /// Returns the board of a position with at most [`LARGEST`] rows.
    pub fn of(position: &Position) -> Self {
        let cells = position.cells().iter().enumerate();
        cells.fold(Self::EMPTY, |board, (cell, &colour)| match colour {
            EMPTY => board,
            _ => board.with(cell, colour),
        })
    }

    /// Returns the board with a tile added on an empty cell.
    pub fn with(self, cell: usize, colour: u8) -> Self {
        Self {
            cells: self.cells | u64::from(colour) << (4 * cell),
            occupied: self.occupied | 1 << cell,
        }
    }

    /// Returns the board with the tile on `from` moved to the empty cell `to`.
    pub fn moved(self, from: usize, to: usize) -> Self {
        let colour = self.at(from);
        Self {
            cells: self.cells & !(15 << (4 * from)),
            occupied: self.occupied & !(1 << from),
        }
        .with(to, colour)
    }

    /// Returns the color on a cell, or 0 if it is empty.
    pub fn at(self, cell: usize) -> u8 {
        (self.cells >> (4 * cell)) as u8 & 15
    }

    /// Returns the number of tiles on the board.
    pub fn tiles(self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// Returns true if the cell has a tile.
    pub fn is_occupied(self, cell: usize) -> bool {
        self.occupied >> cell & 1 == 1
    }
}

/// The numbering of all boards with a given number of tiles.
#[derive(Debug)]
pub struct Layer {
    size: u8,
    /// For each set of occupied cells, the index in `sets` of its canonical set, and the symmetry that maps
    /// the set to the canonical set.
    turned: Vec<(u16, u8)>,
    /// The canonical sets of occupied cells. A set is canonical if it is the smallest of its images under the
    /// symmetries.
    sets: Vec<u16>,
    /// For each symmetry and each cell of the image, the cell of the original board that is mapped to it.
    sources: [[u8; CELLS]; SYMMETRIES],
    /// The [`Step`] for each state of the naming and each possible name of the next tile.
    steps: Vec<[Step; LARGEST as usize]>,
    /// The number of ways to color a set of cells, up to renaming of the colors.
    colourings: usize,
}

/// The effect of naming the color of one more tile.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    /// The next state, which counts the tiles of each name so far.
    state: u16,
    /// The number of colorings that start with the same names but have a lower name for this tile.
    before: u32,
}

/// Returns the target of each cell under each symmetry.
fn symmetries(size: u8) -> [[u8; CELLS]; SYMMETRIES] {
    let mut all = [[0; CELLS]; SYMMETRIES];
    for (number, cells) in all.iter_mut().enumerate() {
        for row in 0..size {
            for column in 0..size {
                let (mut to_row, mut to_column) = (row, column);
                for _ in 0..number % 4 {
                    (to_row, to_column) = (to_column, size - 1 - to_row);
                }
                if number >= 4 {
                    to_column = size - 1 - to_column;
                }
                cells[usize::from(row * size + column)] = to_row * size + to_column;
            }
        }
    }
    all
}

/// All states that occur while the colors of a board are named. A state consists of the number of tiles with each name
/// so far, in the order of the names.
struct Naming {
    size: u8,
    states: Vec<Vec<u8>>,
}

impl Naming {
    fn new(size: u8) -> Self {
        let mut naming = Self {
            size,
            states: vec![Vec::new()],
        };
        let mut at = 0;
        while at < naming.states.len() {
            for name in 0..usize::from(size) {
                if let Some(next) = naming.after(at, name)
                    && !naming.states.contains(&next)
                {
                    naming.states.push(next);
                }
            }
            at += 1;
        }
        naming
    }

    /// Returns the state after another tile with this name, or `None` if the name is used up or skips another name.
    fn after(&self, state: usize, name: usize) -> Option<Vec<u8>> {
        let mut next = self.states[state].clone();
        let named = next.len();
        match next.get_mut(name) {
            Some(count) if *count < self.size => *count += 1,
            None if name == named => next.push(1),
            _ => return None,
        }
        Some(next)
    }

    /// Returns the steps for boards with `tiles` tiles, and the number of colorings.
    fn steps(&self, tiles: usize) -> (Vec<[Step; LARGEST as usize]>, usize) {
        let count = self.states.len();
        let mut steps = vec![[Step::default(); LARGEST as usize]; count];
        let mut completions = vec![0u32; count];
        // The successors of a state have higher indices than the state.
        for state in (0..count).rev() {
            let named: usize = self.states[state]
                .iter()
                .map(|&count| usize::from(count))
                .sum();
            if named >= tiles {
                completions[state] = u32::from(named == tiles);
                continue;
            }
            let mut before = 0;
            let names = steps[state].iter_mut().take(usize::from(self.size));
            for (name, step) in names.enumerate() {
                let Some(next) = self.after(state, name) else {
                    continue;
                };
                let next = self.states.iter().position(|known| *known == next);
                let next = next.expect("all states are known");
                *step = Step {
                    state: next as u16,
                    before,
                };
                before += completions[next];
            }
            completions[state] = before;
        }
        (steps, completions[0] as usize)
    }
}

impl Layer {
    /// Numbers the boards with `size` rows (at most [`LARGEST`]) and `tiles` tiles.
    pub fn new(size: u8, tiles: usize) -> Self {
        let cells = usize::from(size) * usize::from(size);
        let symmetries = symmetries(size);
        let turn = |set: u16, symmetry: &[u8; CELLS]| {
            let cells = (0..cells).filter(|cell| set >> cell & 1 == 1);
            cells.fold(0u16, |turned, cell| turned | 1 << symmetry[cell])
        };
        let mut sets = Vec::new();
        let mut turned = vec![(0, 0); 1 << cells];
        for set in 0..=(u16::MAX >> (CELLS - cells)) {
            if set.count_ones() as usize != tiles {
                continue;
            }
            let images = symmetries.iter().map(|symmetry| turn(set, symmetry));
            let (symmetry, least) = (0..)
                .zip(images)
                .min_by_key(|&(_, image)| image)
                .expect("eight");
            // The smallest image of a set is visited before the other images.
            if least == set {
                sets.push(set);
            }
            let number = sets.binary_search(&least).expect("it came before");
            turned[usize::from(set)] = (number as u16, symmetry);
        }
        let mut sources = [[0; CELLS]; SYMMETRIES];
        for (symmetry, sources) in symmetries.iter().zip(&mut sources) {
            for cell in 0..cells {
                sources[usize::from(symmetry[cell])] = cell as u8;
            }
        }
        let (steps, colourings) = Naming::new(size).steps(tiles);
        Self {
            size,
            turned,
            sets,
            sources,
            steps,
            colourings,
        }
    }

    /// Returns how many board numbers the layer has.
    pub fn boards(&self) -> usize {
        self.sets.len() * self.colourings
    }

    /// Returns the number of canonical sets. Each set has [`Layer::colourings`] consecutive boards.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Returns the number of boards that share a canonical set.
    pub fn colourings(&self) -> usize {
        self.colourings
    }

    /// Returns the number that identifies a board in the layer.
    pub fn number(&self, board: Board) -> usize {
        let (set, symmetry) = self.turned[usize::from(board.occupied)];
        let sources = &self.sources[usize::from(symmetry)];
        let mut names = [u8::MAX; LARGEST as usize + 1];
        let (mut named, mut state, mut number) = (0, 0, 0);
        let mut left = self.sets[usize::from(set)];
        while left != 0 {
            let cell = left.trailing_zeros() as usize;
            left &= left - 1;
            let name = &mut names[usize::from(board.at(usize::from(sources[cell])))];
            if *name == u8::MAX {
                *name = named;
                named += 1;
            }
            let step = self.steps[usize::from(state)][usize::from(*name)];
            number += step.before as usize;
            state = step.state;
        }
        usize::from(set) * self.colourings + number
    }

    /// Visits the boards with a canonical set in the order of their numbers.
    ///
    /// Colors are named by first appearance, starting at 1.
    pub fn each(&self, set: usize, visit: &mut dyn FnMut(Board)) {
        self.colour(
            self.sets[set],
            Board::EMPTY,
            &mut [0; LARGEST as usize],
            visit,
        );
    }

    fn colour(&self, left: u16, board: Board, counts: &mut [u8], visit: &mut dyn FnMut(Board)) {
        if left == 0 {
            return visit(board);
        }
        let cell = left.trailing_zeros() as usize;
        for name in 0..usize::from(self.size) {
            let is_new = counts[name] == 0;
            if counts[name] < self.size {
                counts[name] += 1;
                let colour = name as u8 + 1;
                self.colour(left & (left - 1), board.with(cell, colour), counts, visit);
                counts[name] -= 1;
            }
            if is_new {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_its_own_number_and_they_are_without_gaps() {
        for size in 2..=3 {
            for tiles in 0..=usize::from(size * size) {
                let layer = Layer::new(size, tiles);
                let mut expected = 0;
                for set in 0..layer.sets() {
                    layer.each(set, &mut |board| {
                        assert_eq!(layer.number(board), expected);
                        expected += 1;
                    });
                }
                assert_eq!(expected, layer.boards());
            }
        }
    }

    #[test]
    fn four_rows_have_as_many_numbers_as_counted_otherwise() {
        // The number of sets follows from Burnside's lemma, and the number of colorings from recursively counted
        // restricted growth strings.
        let counted = |tiles| Layer::new(4, tiles).boards();
        assert_eq!(counted(8), 1674 * 2450);
        assert_eq!(counted(13), 77 * 725_725);
        assert_eq!(counted(16), 2_627_625);
    }
}
