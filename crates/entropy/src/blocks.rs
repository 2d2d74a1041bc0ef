//! Blocks of two by three cells, lying and upright, up to renaming of colours and turning over: what lines
//! next to each other, or next but one, are worth together.
//!
//! Two tiles of a colour at opposite corners of a small rectangle, with an empty cell at a third corner, make a
//! pair by one slide. No line shows that, for each holds only one of the two; a block around them does:
//! docs/notes/entropy.md. In a split block the two lines of three cells have another line between them.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use super::evaluation::{KeptBySize, SIZES};
use super::rules::{Cell, Colour};

/// Rows of the boards whose blocks are numbered.
pub const ROWS: RangeInclusive<u8> = 5..=7;

/// Rows of the boards whose split blocks are numbered, too; on 5 and 6 rows they do not pay.
const ROWS_WITH_SPLIT: RangeInclusive<u8> = 7..=7;

/// Cells of a block's shorter and longer side.
const SHORT: usize = 2;
const LONG: usize = 3;
const CELLS: usize = SHORT * LONG;

/// Blocks of the largest board with those that are split, and those that one cell lies in at most.
pub(super) const MOST: usize = 60 + 50;
pub(super) const MOST_OF_A_CELL: usize = 2 * 2 * CELLS;

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

/// The numbers of the patterns of blocks that are not split; those of split ones are numbered behind them in the same
/// order.
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
    /// By cell, the blocks that it lies in.
    places: Vec<Vec<Place>>,
    /// How many blocks are not split; the others have their numbers behind them.
    whole: usize,
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

impl Patterns {
    /// The same for all boards, made when first asked for.
    fn shared() -> &'static Self {
        static KNOWN: OnceLock<Patterns> = OnceLock::new();
        KNOWN.get_or_init(Self::new)
    }

    /// In the order of their smallest codes.
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
    /// The blocks of a board of so many rows but those that are split; those of each size are made when first asked
    /// for and kept for all who ask again. None if its blocks are not numbered.
    pub fn whole(size: u8) -> Option<Arc<Self>> {
        static KNOWN: KeptBySize<Blocks> = [const { OnceLock::new() }; SIZES];
        (ROWS.contains(&size)).then(|| Self::kept(&KNOWN, size, &[1]))
    }

    /// The same with those that are split; none if theirs are not numbered.
    pub fn whole_and_split(size: u8) -> Option<Arc<Self>> {
        static KNOWN: KeptBySize<Blocks> = [const { OnceLock::new() }; SIZES];
        (ROWS_WITH_SPLIT.contains(&size)).then(|| Self::kept(&KNOWN, size, &[1, 2]))
    }

    fn kept(known: &KeptBySize<Self>, size: u8, steps: &[usize]) -> Arc<Self> {
        Arc::clone(known[usize::from(size)].get_or_init(|| Arc::new(Self::new(size, steps))))
    }

    /// With `steps` from one line of a block to the other.
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

    /// Places all blocks that lie one way on a board of so many rows, with a step from one line to the other.
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

    /// How many blocks a board has.
    pub fn number(&self) -> usize {
        self.number
    }

    /// How many patterns there are.
    pub fn count(&self) -> usize {
        let kinds = if self.number > self.whole { 2 } else { 1 };
        kinds * usize::from(self.patterns.count)
    }

    /// The blocks that a cell lies in.
    pub fn places(&self, cell: Cell) -> &[Place] {
        &self.places[usize::from(cell)]
    }

    /// The pattern of the block of this number.
    pub fn id(&self, block: usize, code: BlockCode) -> BlockId {
        let behind = match block < self.whole {
            true => 0,
            false => self.patterns.count,
        };
        behind + self.patterns.ids[code as usize]
    }
}
