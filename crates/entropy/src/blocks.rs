//! Blocks of two by three cells, horizontal and vertical. Blocks that differ only by color names or symmetry count as
//! equal.
//!
//! A block evaluates parts of two lines together: neighboring lines, or lines with one line between them. Two tiles of
//! a color at opposite corners of a small rectangle, with an empty cell at a third corner, become a pair by one slide.
//! A line cannot show this, because it holds only one of the two tiles; a block around them can:
//! docs/notes/entropy.md. In a split block, another line lies between the two lines of three cells.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use super::evaluation::{KeptBySize, SIZES};
use super::rules::{Cell, Colour};

/// The board sizes, in rows, whose evaluation can use blocks.
pub const ROWS: RangeInclusive<u8> = 5..=7;

/// The board sizes, in rows, whose evaluation can use split blocks. On 5 and 6 rows, split blocks bring no gain.
const ROWS_WITH_SPLIT: RangeInclusive<u8> = 7..=7;

/// The number of cells along a block's shorter side.
const SHORT: usize = 2;
/// The number of cells along a block's longer side.
const LONG: usize = 3;
/// The number of cells in a block.
const CELLS: usize = SHORT * LONG;

/// The number of blocks on the largest board, including split blocks.
pub(super) const MOST: usize = 60 + 50;
/// The maximum number of blocks, including split blocks, that overlap in one cell.
pub(super) const MOST_OF_A_CELL: usize = 2 * 2 * CELLS;

/// The number of bits for each cell in a block code.
const BITS: usize = 3;

/// The mask that selects the bits of the first cell in a block code.
const COLOUR: BlockCode = (1 << BITS) - 1;

/// The contents of a block, encoded with three bits for each cell.
pub type BlockCode = u32;

/// The number that identifies a block's pattern.
pub type BlockId = u16;

/// The place of a cell in one of the blocks that contain the cell.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The number of the block on the board.
    pub block: u8,
    /// The offset of the cell's bits in the block's code.
    shift: u8,
}

impl Place {
    /// Returns the bits that a color in the cell adds to the block's code.
    pub fn code(self, colour: Colour) -> BlockCode {
        BlockCode::from(colour) << self.shift
    }
}

/// The pattern numbers of whole blocks. The pattern number of a split block is that of an equal whole block plus
/// `count`.
#[derive(Debug)]
struct Patterns {
    /// The pattern number of each block code, indexed by the code.
    ids: Vec<BlockId>,
    count: BlockId,
}

/// The blocks of boards with a given size, and the patterns of all blocks.
#[derive(Debug)]
pub struct Blocks {
    patterns: &'static Patterns,
    /// For each cell, the blocks that contain it, with its place in each.
    places: Vec<Vec<Place>>,
    /// The number of whole (not split) blocks. Whole blocks are numbered first, then the split blocks.
    whole: usize,
    number: usize,
}

/// Returns the smallest code that renaming the colors of a block can produce.
///
/// The colors are named in the order of their appearance from the last cell to the first.
fn renamed(code: BlockCode) -> BlockCode {
    let mut names = [0; 1 << BITS];
    let mut named = 0;
    let mut renamed = 0;
    for at in (0..CELLS).rev() {
        let colour = code >> (BITS * at) & COLOUR;
        let name = &mut names[colour as usize];
        if colour != 0 && *name == 0 {
            named += 1;
            *name = named;
        }
        renamed |= *name << (BITS * at);
    }
    renamed
}

/// Returns the code of a block after exchanging its short sides, its long sides, or both.
fn turned(code: BlockCode, short: bool, long: bool) -> BlockCode {
    let cells = (0..CELLS).map(|at| {
        let (across, along) = (at / LONG, at % LONG);
        let across = if long { SHORT - 1 - across } else { across };
        let along = if short { LONG - 1 - along } else { along };
        let colour = code >> (BITS * (across * LONG + along)) & COLOUR;
        colour << (BITS * at)
    });
    cells.sum()
}

impl Patterns {
    /// Returns the block patterns, which are the same for all boards.
    fn shared() -> &'static Self {
        static KNOWN: OnceLock<Patterns> = OnceLock::new();
        KNOWN.get_or_init(Self::new)
    }

    /// Finds all patterns and numbers them in the order of their smallest codes.
    fn new() -> Self {
        let mut ids: Vec<BlockId> = Vec::with_capacity(1 << (BITS * CELLS));
        let mut count = 0;
        for code in 0..1 << (BITS * CELLS) {
            let smallest = match renamed(code) {
                smaller if smaller < code => smaller,
                _ => [(false, true), (true, false), (true, true)]
                    .into_iter()
                    .map(|(short, long)| renamed(turned(code, short, long)))
                    .fold(code, BlockCode::min),
            };
            match ids.get(smallest as usize) {
                Some(&known) => ids.push(known),
                None => {
                    ids.push(count);
                    count += 1;
                }
            }
        }
        Self { ids, count }
    }
}

impl Blocks {
    /// Returns the shared whole blocks of boards with `size` rows, or `None` if their evaluation cannot use blocks.
    pub fn whole(size: u8) -> Option<Arc<Self>> {
        static KNOWN: KeptBySize<Blocks> = [const { OnceLock::new() }; SIZES];
        (ROWS.contains(&size)).then(|| Self::kept(&KNOWN, size, &[1]))
    }

    /// Returns the shared whole and split blocks, or `None` if the evaluation cannot use split blocks on this size.
    pub fn whole_and_split(size: u8) -> Option<Arc<Self>> {
        static KNOWN: KeptBySize<Blocks> = [const { OnceLock::new() }; SIZES];
        (ROWS_WITH_SPLIT.contains(&size)).then(|| Self::kept(&KNOWN, size, &[1, 2]))
    }

    fn kept(known: &KeptBySize<Self>, size: u8, steps: &[usize]) -> Arc<Self> {
        Arc::clone(known[usize::from(size)].get_or_init(|| Arc::new(Self::new(size, steps))))
    }

    /// Creates the blocks for each distance in `steps` between a block's lines: 1 for whole blocks, 2 for split blocks.
    fn new(size: u8, steps: &[usize]) -> Self {
        let mut blocks = Self {
            patterns: Patterns::shared(),
            places: vec![Vec::new(); usize::from(size) * usize::from(size)],
            whole: 0,
            number: 0,
        };
        for &step in steps {
            blocks.place(usize::from(size), step, false);
            blocks.place(usize::from(size), step, true);
            if step == 1 {
                blocks.whole = blocks.number;
            }
        }
        blocks
    }

    /// Adds all upright or all horizontal blocks whose two lines are `step` lines apart.
    fn place(&mut self, size: usize, step: usize, is_upright: bool) {
        let turn = |across: usize, along: usize| match is_upright {
            true => (along, across),
            false => (across, along),
        };
        let (height, width) = turn((SHORT - 1) * step + 1, LONG);
        for top in 0..=size - height {
            for left in 0..=size - width {
                for at in 0..CELLS {
                    let (down, right) = turn(at / LONG * step, at % LONG);
                    self.places[(top + down) * size + left + right].push(Place {
                        block: self.number as u8,
                        shift: (BITS * at) as u8,
                    });
                }
                self.number += 1;
            }
        }
    }

    /// Returns the number of blocks on a board.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the number of block patterns.
    pub fn count(&self) -> usize {
        let kinds = if self.number > self.whole { 2 } else { 1 };
        kinds * usize::from(self.patterns.count)
    }

    /// Returns the blocks that contain a cell, with the cell's place in each.
    pub fn places(&self, cell: Cell) -> &[Place] {
        &self.places[usize::from(cell)]
    }

    /// Returns the pattern of a block, given the block's number on the board and its code.
    pub fn id(&self, block: usize, code: BlockCode) -> BlockId {
        let behind = match block < self.whole {
            true => 0,
            false => self.patterns.count,
        };
        behind + self.patterns.ids[code as usize]
    }
}
