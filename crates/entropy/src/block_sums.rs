//! Computes the total value of a board's blocks, now and after one tile is added or slides. After a change, only the
//! values of the blocks that contain the tile are looked up again.

use super::blocks::{BlockCode, Blocks, MOST, MOST_OF_A_CELL};
use super::rules::{Cell, Colour};

/// The values of a board's blocks, from which the total after adding or sliding one tile can be computed.
pub struct BlockSums<'a> {
    blocks: &'a Blocks,
    values: &'a [i16],
    codes: [BlockCode; MOST],
    /// The value of each block. All values in this struct are in hundredths of a point.
    worth: [i32; MOST],
    /// The sum of the values of all blocks.
    total: i32,
    /// The tile that is off the board while its slides are evaluated.
    lifted: Option<(Cell, Colour)>,
    /// The values of the lifted tile's blocks, and the total, before the tile was lifted.
    worth_before: [i32; MOST_OF_A_CELL],
    total_before: i32,
}

fn value(blocks: &Blocks, values: &[i16], block: usize, code: BlockCode) -> i32 {
    i32::from(values[usize::from(blocks.id(block, code))])
}

/// Returns the total value of a board's blocks, in hundredths of a point. `codes` may contain further codes after
/// those of the blocks.
pub fn total(blocks: &Blocks, values: &[i16], codes: &[BlockCode]) -> i32 {
    let codes = codes[..blocks.number()].iter().enumerate();
    codes
        .map(|(block, &code)| value(blocks, values, block, code))
        .sum()
}

impl<'a> BlockSums<'a> {
    /// Sums the values of a board's blocks, given their codes and a value for each pattern. The blocks' codes come
    /// first in `codes`; any further codes are ignored.
    pub fn new(blocks: &'a Blocks, values: &'a [i16], codes: &[BlockCode]) -> Self {
        let mut sums = Self {
            blocks,
            values,
            codes: [0; MOST],
            worth: [0; MOST],
            total: 0,
            lifted: None,
            worth_before: [0; MOST_OF_A_CELL],
            total_before: 0,
        };
        let codes = &codes[..blocks.number()];
        sums.codes[..codes.len()].copy_from_slice(codes);
        for (block, (worth, &code)) in sums.worth.iter_mut().zip(codes).enumerate() {
            *worth = value(blocks, values, block, code);
            sums.total += *worth;
        }
        sums
    }

    fn value(&self, block: usize, code: BlockCode) -> i32 {
        value(self.blocks, self.values, block, code)
    }

    /// Returns the total after a tile on `from` slides to the empty cell `to`. For speed, make all calls for a tile in
    /// a row: the board without the tile is kept until another tile slides.
    pub fn after_slide(&mut self, from: Cell, to: Cell, colour: Colour) -> i32 {
        if self.lifted != Some((from, colour)) {
            self.put_back();
            self.lift(from, colour);
        }
        self.with(to, colour)
    }

    /// Returns the total value of the unchanged board's blocks.
    pub fn total(&mut self) -> i32 {
        self.put_back();
        self.total
    }

    fn lift(&mut self, cell: Cell, colour: Colour) {
        self.lifted = Some((cell, colour));
        self.total_before = self.total;
        for (number, &place) in self.blocks.places(cell).iter().enumerate() {
            let at = usize::from(place.block);
            self.codes[at] ^= place.code(colour);
            let worth = self.value(at, self.codes[at]);
            self.worth_before[number] = self.worth[at];
            self.total += worth - self.worth[at];
            self.worth[at] = worth;
        }
    }

    fn put_back(&mut self) {
        let Some((cell, colour)) = self.lifted.take() else {
            return;
        };
        for (&place, &worth) in self.blocks.places(cell).iter().zip(&self.worth_before) {
            let at = usize::from(place.block);
            self.codes[at] ^= place.code(colour);
            self.worth[at] = worth;
        }
        self.total = self.total_before;
    }

    /// Returns the total value after a tile is added on an empty cell.
    pub fn with(&self, cell: Cell, colour: Colour) -> i32 {
        let more = self.blocks.places(cell).iter().map(|&place| {
            let at = usize::from(place.block);
            self.value(at, self.codes[at] ^ place.code(colour)) - self.worth[at]
        });
        self.total + more.sum::<i32>()
    }
}
