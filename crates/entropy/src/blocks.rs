//! Blocks of two by three cells, horizontal and vertical, up to renaming of colors and symmetry.
//!
//! A block values neighboring lines, or lines with one line between them, together. Two tiles of a color at opposite
//! corners of a small rectangle, with an empty cell at a third corner, become a pair by one slide. A line cannot show
//! this, because it holds only one of the two tiles; a block around them can: docs/notes/entropy.md. In a split block,
//! another line lies between the two lines of three cells.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use super::evaluation::{KeptBySize, SIZES};
use super::rules::{Cell, Colour};

/// The numbers of rows of boards with numbered blocks.
pub const ROWS: RangeInclusive<u8> = 5..=7;

/// The numbers of rows of boards with numbered split blocks. On 5 and 6 rows, split blocks bring no gain.
const ROWS_WITH_SPLIT: RangeInclusive<u8> = 7..=7;

/// The number of cells of a block's shorter and longer side.
const SHORT: usize = 2;
const LONG: usize = 3;
const CELLS: usize = SHORT * LONG;

/// The number of blocks of the largest board, including split blocks, and the maximum number of blocks with one cell.
pub(super) const MOST: usize = 60 + 50;
pub(super) const MOST_OF_A_CELL: usize = 2 * 2 * CELLS;

/// The number of bits of a cell in a block code.
const BITS: usize = 3;

/// The bits of one cell.
const COLOUR: BlockCode = (1 << BITS) - 1;

/// A block as a number, with three bits for each cell.
pub type BlockCode = u32;

/// The number of a block's pattern.
pub type BlockId = u16;

/// A cell's place in a block.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The number of the block on the board.
    pub block: u8,
    /// The offset of the cell's bits in the block's code.
    shift: u8,
}

impl Place {
    /// Returns the contribution of a color on the cell to the block's code.
    pub fn code(self, colour: Colour) -> BlockCode {
        BlockCode::from(colour) << self.shift
    }
}

/// The numbers of the patterns of whole blocks. Patterns of split blocks follow in the same order.
#[derive(Debug)]
struct Patterns {
    /// By code.
    ids: Vec<BlockId>,
    count: BlockId,
}

/// The blocks of a board, and the patterns of all blocks.
#[derive(Debug)]
pub struct Blocks {
    patterns: &'static Patterns,
    /// For each cell, its places in blocks.
    places: Vec<Vec<Place>>,
    /// The number of whole blocks. Split blocks have the numbers after them.
    whole: usize,
    number: usize,
}

/// Returns the smallest code of all renamings: colors are renamed from the last cell to the first.
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

/// Returns the block with its short sides, its long sides, or both exchanged.
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
    /// Returns the patterns, which all boards share.
    fn shared() -> &'static Self {
        static KNOWN: OnceLock<Patterns> = OnceLock::new();
        KNOWN.get_or_init(Self::new)
    }

    /// Numbers the patterns in the order of their smallest codes.
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
    /// Returns the shared whole blocks of boards with `size` rows, or `None` if these blocks have no numbers.
    pub fn whole(size: u8) -> Option<Arc<Self>> {
        static KNOWN: KeptBySize<Blocks> = [const { OnceLock::new() }; SIZES];
        (ROWS.contains(&size)).then(|| Self::kept(&KNOWN, size, &[1]))
    }

    /// Returns the shared whole and split blocks, or `None` if split blocks have no numbers on this size.
    pub fn whole_and_split(size: u8) -> Option<Arc<Self>> {
        static KNOWN: KeptBySize<Blocks> = [const { OnceLock::new() }; SIZES];
        (ROWS_WITH_SPLIT.contains(&size)).then(|| Self::kept(&KNOWN, size, &[1, 2]))
    }

    fn kept(known: &KeptBySize<Self>, size: u8, steps: &[usize]) -> Arc<Self> {
        Arc::clone(known[usize::from(size)].get_or_init(|| Arc::new(Self::new(size, steps))))
    }

    /// Creates the blocks with each of these `steps` from one line of a block to the other.
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

    /// Adds all blocks of one orientation, with a `step` from one line of a block to the other.
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

    /// Returns the number of patterns.
    pub fn count(&self) -> usize {
        let kinds = if self.number > self.whole { 2 } else { 1 };
        kinds * usize::from(self.patterns.count)
    }

    /// Returns the places of a cell in blocks.
    pub fn places(&self, cell: Cell) -> &[Place] {
        &self.places[usize::from(cell)]
    }

    /// Returns the pattern of the block with this number.
    pub fn id(&self, block: usize, code: BlockCode) -> BlockId {
        let behind = match block < self.whole {
            true => 0,
            false => self.patterns.count,
        };
        behind + self.patterns.ids[code as usize]
    }
}
