//! Blocks of two by three cells, lying and upright, up to renaming of colours and turning over: what
//! neighbouring lines are worth together.
//!
//! Two tiles of a colour at opposite corners of a small rectangle, with an empty cell at a third corner, make a
//! pair by one slide. No line shows that, for each holds only one of the two; a block around them does:
//! docs/notes/entropy.md.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use super::evaluation::{KeptBySize, SIZES};
use super::patterns::renamed;
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

/// The numbers of patterns by code, in the order of the codes, and how many there are.
fn numbered() -> (Vec<BlockId>, usize) {
    let mut known = HashMap::new();
    let ids = (0..1 << (BITS * CELLS)).map(|code: usize| {
        let cell = |at: usize| (code >> (BITS * at)) as Colour & ((1 << BITS) - 1);
        // As it is, with its short or its long sides exchanged, and with both.
        let turned = [0, 1, 2, 3].map(|turn| {
            let cells = (0..CELLS).map(|at| {
                let (across, along) = (at / LONG, at % LONG);
                let across = if turn & 1 == 1 {
                    SHORT - 1 - across
                } else {
                    across
                };
                let along = if turn & 2 == 2 {
                    LONG - 1 - along
                } else {
                    along
                };
                cell(across * LONG + along)
            });
            renamed(cells)
        });
        let pattern = turned.into_iter().min().expect("four of them");
        let next = known.len() as BlockId;
        *known.entry(pattern).or_insert(next)
    });
    (ids.collect(), known.len())
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
