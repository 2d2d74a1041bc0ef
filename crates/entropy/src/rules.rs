//! The rules of Entropy for any board from 2 x 2 to 26 x 26.

/// The minimum number of rows and columns of a board.
pub const MIN_SIZE: u8 = 2;
/// The maximum number of rows and columns of a board, because each color needs a letter.
pub const MAX_SIZE: u8 = 26;

/// A tile's color, counted from 1; 0 means no tile.
pub type Colour = u8;

/// The value of an empty cell.
pub const EMPTY: Colour = 0;

/// A cell's index: row times size plus column.
pub type Cell = u16;

/// A player's move, or an outcome of the draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// A tile with this color is drawn from the bag.
    Draw(Colour),
    /// Chaos places the drawn tile on this cell.
    Place(Cell),
    /// Order slides a tile along its row or column.
    Slide {
        /// The tile's source cell.
        from: Cell,
        /// The tile's destination, which must be empty.
        to: Cell,
    },
    /// Order passes, where the rules allow it.
    Pass,
}

/// The next event that a position expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// A tile is drawn from the bag.
    Draw,
    /// Chaos places the drawn tile.
    Place,
    /// Order slides a tile, or passes where the rules allow it.
    Slide,
    /// The game is over, because all tiles are placed.
    Over,
}

/// The rules that can differ between tournaments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rules {
    /// The number of rows of the board, which is also the number of colors and the number of tiles of each color.
    pub size: u8,
    /// Whether Order may pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pass: bool,
}

/// A position: the board, the bag, the drawn tile and the next event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    rules: Rules,
    cells: Vec<Colour>,
    /// The number of tiles in the bag for each color, without the drawn tile. The index is the color minus one.
    bag: Vec<u8>,
    bag_total: u16,
    drawn: Colour,
    phase: Phase,
    hash: u64,
}

/// Converts a number to a well-spread 64-bit key for hashing (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014).
fn key(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn cell_key(cell: Cell, colour: Colour) -> u64 {
    key(1 << 32 | u64::from(cell) << 8 | u64::from(colour))
}

fn bag_key(colour: Colour, count: u8) -> u64 {
    key(2 << 32 | u64::from(colour) << 8 | u64::from(count))
}

fn drawn_key(colour: Colour) -> u64 {
    key(3 << 32 | u64::from(colour))
}

fn phase_key(phase: Phase) -> u64 {
    key(4 << 32 | phase as u64)
}

fn pass_key(pass: bool) -> u64 {
    key(5 << 32 | u64::from(pass))
}

impl Position {
    /// Creates the empty board with a full bag.
    ///
    /// # Panics
    ///
    /// Panics if the size is not between [`MIN_SIZE`] and [`MAX_SIZE`].
    pub fn new(rules: Rules) -> Self {
        let size = rules.size;
        assert!(
            (MIN_SIZE..=MAX_SIZE).contains(&size),
            "a board has {MIN_SIZE} to {MAX_SIZE} rows, not {size}"
        );
        let tiles = u16::from(size) * u16::from(size);
        let mut position = Self {
            rules,
            cells: vec![EMPTY; usize::from(tiles)],
            bag: vec![size; usize::from(size)],
            bag_total: tiles,
            drawn: EMPTY,
            phase: Phase::Draw,
            hash: 0,
        };
        position.hash = position.recomputed_hash();
        position
    }

    /// Returns the size of the board, and whether Order may pass.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the number of rows of the board.
    pub fn size(&self) -> u8 {
        self.rules.size
    }

    /// Returns all cells, row by row.
    pub fn cells(&self) -> &[Colour] {
        &self.cells
    }

    /// Returns the tile on a cell.
    pub fn at(&self, cell: Cell) -> Colour {
        self.cells[usize::from(cell)]
    }

    /// Returns the number of tiles of a color (from 1) in the bag.
    pub fn in_bag(&self, colour: Colour) -> u8 {
        self.bag[usize::from(colour) - 1]
    }

    /// Returns the number of tiles in the bag, without the drawn tile.
    pub fn bag_total(&self) -> u16 {
        self.bag_total
    }

    /// Returns the tile that Chaos must place, or [`EMPTY`].
    pub fn drawn(&self) -> Colour {
        self.drawn
    }

    /// Returns the next event that the position expects.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Allows Order to pass from now on.
    pub fn allow_pass(&mut self) {
        self.hash ^= pass_key(self.rules.pass) ^ pass_key(true);
        self.rules.pass = true;
    }

    /// Returns a hash of the board, the bag, the drawn tile, the phase, and whether Order may pass.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Recomputes the hash from scratch; the result always equals [`Position::hash`].
    pub fn recomputed_hash(&self) -> u64 {
        let mut hash = phase_key(self.phase) ^ pass_key(self.rules.pass);
        for (cell, &colour) in (0..).zip(&self.cells) {
            if colour != EMPTY {
                hash ^= cell_key(cell, colour);
            }
        }
        for (colour, &count) in (1..).zip(&self.bag) {
            hash ^= bag_key(colour, count);
        }
        if self.drawn != EMPTY {
            hash ^= drawn_key(self.drawn);
        }
        hash
    }

    /// Returns the number of remaining plies. The game ends after the last placement, without a slide.
    pub fn plies_left(&self) -> u32 {
        let draws = 2 * u32::from(self.bag_total);
        match self.phase {
            Phase::Over => 0,
            Phase::Draw => draws.saturating_sub(1),
            Phase::Slide => draws,
            Phase::Place => draws + 1,
        }
    }

    /// Returns the number of remaining moves of the player to move, including the current one.
    pub fn moves_left(&self) -> u32 {
        self.plies_left().div_ceil(2)
    }

    /// Appends the legal moves of the player to move.
    pub fn moves(&self, out: &mut Vec<Move>) {
        match self.phase {
            Phase::Place => self.placements(out),
            Phase::Slide => self.slides(out),
            Phase::Draw | Phase::Over => {}
        }
    }

    /// Appends every placement of the drawn tile, ordered by cell.
    pub fn placements(&self, out: &mut Vec<Move>) {
        for (cell, &colour) in (0..).zip(&self.cells) {
            if colour == EMPTY {
                out.push(Move::Place(cell));
            }
        }
    }

    /// Appends every slide, and the pass if the rules allow it or no slide is possible.
    ///
    /// Slides are ordered by tile, and then by direction: up, left, right, down.
    pub fn slides(&self, out: &mut Vec<Move>) {
        let before = out.len();
        let size = usize::from(self.rules.size);
        for (from, &colour) in self.cells.iter().enumerate() {
            if colour == EMPTY {
                continue;
            }
            let column = from % size;
            let row_start = from - column;
            let mut slide_over = |path: &mut dyn Iterator<Item = usize>| {
                for to in path.take_while(|&to| self.cells[to] == EMPTY) {
                    out.push(Move::Slide {
                        from: from as Cell,
                        to: to as Cell,
                    });
                }
            };
            slide_over(&mut (column..from).step_by(size).rev());
            slide_over(&mut (row_start..from).rev());
            slide_over(&mut (from + 1..row_start + size));
            slide_over(&mut (from + size..self.cells.len()).step_by(size));
        }
        if self.rules.pass || out.len() == before {
            out.push(Move::Pass);
        }
    }

    /// Returns true if the written rules allow Order this slide.
    ///
    /// The slide must move a tile along its row or column, over empty cells, onto an empty cell.
    pub fn slide_is_legal(&self, from: Cell, to: Cell) -> bool {
        if from == to || self.at(from) == EMPTY {
            return false;
        }
        let Some(step) = self.step(from, to) else {
            return false;
        };
        let (first, last) = if from < to {
            (from + step, to)
        } else {
            (to, from - step)
        };
        (first..=last)
            .step_by(usize::from(step))
            .all(|cell| self.at(cell) == EMPTY)
    }

    /// Returns the difference between the indices of neighboring cells in the row or column that two cells share.
    ///
    /// Returns `None` if the cells share no row or column.
    pub(super) fn step(&self, from: Cell, to: Cell) -> Option<Cell> {
        let size = Cell::from(self.rules.size);
        match (from / size == to / size, from % size == to % size) {
            (true, _) => Some(1),
            (_, true) => Some(size),
            _ => None,
        }
    }

    /// Returns true if the move is legal in this position.
    pub fn is_legal(&self, mv: Move) -> bool {
        let on_board = |cell: Cell| usize::from(cell) < self.cells.len();
        match (self.phase, mv) {
            (Phase::Draw, Move::Draw(colour)) => {
                (1..=self.rules.size).contains(&colour) && self.in_bag(colour) > 0
            }
            (Phase::Place, Move::Place(cell)) => on_board(cell) && self.at(cell) == EMPTY,
            (Phase::Slide, Move::Slide { from, to }) => {
                on_board(from) && on_board(to) && self.slide_is_legal(from, to)
            }
            (Phase::Slide, Move::Pass) => {
                self.rules.pass || {
                    let mut moves = Vec::new();
                    self.slides(&mut moves);
                    moves.contains(&Move::Pass)
                }
            }
            _ => false,
        }
    }

    /// Makes a legal move. An illegal move leaves the position in an unspecified state.
    pub fn make(&mut self, mv: Move) {
        match mv {
            Move::Draw(colour) => {
                self.take_from_bag(colour);
                self.set_drawn(colour);
                self.set_phase(Phase::Place);
            }
            Move::Place(cell) => {
                self.put(cell, self.drawn);
                self.drop_drawn();
            }
            Move::Slide { from, to } => {
                self.slide(from, to);
                self.set_phase(Phase::Draw);
            }
            Move::Pass => self.set_phase(Phase::Draw),
        }
    }

    /// Unmakes `mv`, which must be the last move made.
    pub fn unmake(&mut self, mv: Move) {
        match mv {
            Move::Draw(colour) => {
                self.set_phase(Phase::Draw);
                self.set_drawn(EMPTY);
                self.set_bag(colour, self.in_bag(colour) + 1);
            }
            Move::Place(cell) => {
                self.set_phase(Phase::Place);
                self.set_drawn(self.at(cell));
                self.put(cell, EMPTY);
            }
            Move::Slide { from, to } => {
                self.set_phase(Phase::Slide);
                self.slide(to, from);
            }
            Move::Pass => self.set_phase(Phase::Slide),
        }
    }

    fn slide(&mut self, from: Cell, to: Cell) {
        let colour = self.at(from);
        self.put(from, EMPTY);
        self.put(to, colour);
    }

    /// Sets the contents of a cell, whether or not the cell was empty.
    pub(super) fn put(&mut self, cell: Cell, colour: Colour) {
        let old = std::mem::replace(&mut self.cells[usize::from(cell)], colour);
        if old != EMPTY {
            self.hash ^= cell_key(cell, old);
        }
        if colour != EMPTY {
            self.hash ^= cell_key(cell, colour);
        }
    }

    fn set_drawn(&mut self, colour: Colour) {
        for tile in [self.drawn, colour] {
            if tile != EMPTY {
                self.hash ^= drawn_key(tile);
            }
        }
        self.drawn = colour;
    }

    fn set_phase(&mut self, phase: Phase) {
        self.hash ^= phase_key(self.phase) ^ phase_key(phase);
        self.phase = phase;
    }

    pub(super) fn take_from_bag(&mut self, colour: Colour) {
        self.set_bag(colour, self.in_bag(colour) - 1);
    }

    fn set_bag(&mut self, colour: Colour, count: u8) {
        let old = std::mem::replace(&mut self.bag[usize::from(colour) - 1], count);
        self.hash ^= bag_key(colour, old) ^ bag_key(colour, count);
        self.bag_total = self.bag_total + u16::from(count) - u16::from(old);
    }

    /// Removes the drawn tile from Chaos's hand. Order moves next, unless that tile was the last one.
    pub(super) fn drop_drawn(&mut self) {
        self.set_drawn(EMPTY);
        let over = self.bag_total == 0;
        self.set_phase(if over { Phase::Over } else { Phase::Slide });
    }

    pub(super) fn hold_drawn(&mut self, colour: Colour) {
        self.set_drawn(colour);
        self.set_phase(Phase::Place);
    }
}
