//! Blocks of two by three cells, lying and upright, up to renaming of colours and turning over: what
//! neighbouring lines are worth together.
//!
//! Two tiles of a colour at opposite corners of a small rectangle, with an empty cell at a third corner, make a
//! pair by one slide. No line shows that, for each holds only one of the two; a block around them does:
//! docs/notes/entropy.md.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use super::evaluation::{KeptBySize, SIZES};
use super::rules::{Cell, Colour};

/// Rows of the boards whose blocks are numbered.
pub const ROWS: RangeInclusive<u8> = 5..=7;

/// Cells of a block's shorter and longer side.
const SHORT: usize = 2;
const LONG: usize = 3;
const CELLS: usize = SHORT * LONG;

/// Blocks of the largest board, and those that one cell lies in at most.
pub(super) const MOST: usize = 60;
pub(super) const MOST_OF_A_CELL: usize = 2 * CELLS;

/// Bits of a block code that one cell takes.
const BITS: usize = 3;

/// The bits of one cell.
const COLOUR: BlockCode = (1 << BITS) - 1;

/// A block as a number: three bits a cell.
pub type BlockCode = u32;

/// The number of a block's pattern.
pub type BlockId = u16;

/// A block that a cell lies in.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The number of the block on the board.
    pub block: u8,
    /// Where the cell's bits begin in the block's code.
    shift: u8,
}

impl Place {
    /// What a colour on the cell adds to the block's code.
    pub fn code(self, colour: Colour) -> BlockCode {
        BlockCode::from(colour) << self.shift
    }
}

/// The blocks of a board, and the patterns of all blocks.
#[derive(Debug)]
pub struct Blocks {
    /// By code.
    ids: Vec<BlockId>,
    count: usize,
    /// By cell, the blocks that it lies in.
    places: Vec<Vec<Place>>,
    number: usize,
}

/// The colours named anew from the last cell to the first, which makes the smallest code of all its renamings.
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

/// The block with its short sides exchanged, its long ones, or both.
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

/// The numbers of patterns by code, in the order of their smallest codes, and how many there are.
fn numbered() -> (Vec<BlockId>, usize) {
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
    (ids, usize::from(count))
}

impl Blocks {
    /// The blocks of a board of so many rows; those of each size are made when first asked for and kept for all
    /// who ask again. None if its blocks are not numbered.
    pub fn shared(size: u8) -> Option<Arc<Self>> {
        static KNOWN: KeptBySize<Blocks> = [const { OnceLock::new() }; SIZES];
        ROWS.contains(&size).then(|| {
            let known = KNOWN[usize::from(size)].get_or_init(|| Arc::new(Self::new(size)));
            Arc::clone(known)
        })
    }

    fn new(size: u8) -> Self {
        let size = usize::from(size);
        let (ids, count) = numbered();
        let mut places = vec![Vec::new(); size * size];
        let mut number = 0;
        for is_upright in [false, true] {
            let (height, width) = if is_upright {
                (LONG, SHORT)
            } else {
                (SHORT, LONG)
            };
            for top in 0..=size - height {
                for left in 0..=size - width {
                    for at in 0..CELLS {
                        let (across, along) = (at / LONG, at % LONG);
                        let (down, right) = if is_upright {
                            (along, across)
                        } else {
                            (across, along)
                        };
                        places[(top + down) * size + left + right].push(Place {
                            block: number as u8,
                            shift: (BITS * at) as u8,
                        });
                    }
                    number += 1;
                }
            }
        }
        Self {
            ids,
            count,
            places,
            number,
        }
    }

    /// How many blocks a board has.
    pub fn number(&self) -> usize {
        self.number
    }

    /// How many patterns there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The blocks that a cell lies in.
    pub fn places(&self, cell: Cell) -> &[Place] {
        &self.places[usize::from(cell)]
    }

    /// The pattern of a block.
    pub fn id(&self, code: BlockCode) -> BlockId {
        self.ids[code as usize]
    }
}
