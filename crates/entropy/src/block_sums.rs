//! What the blocks of a board are worth, and of boards with one tile more or less: only the blocks around that
//! tile are looked at again.

use super::blocks::{BlockCode, Blocks, MOST, MOST_OF_A_CELL};
use super::rules::{Cell, Colour};

/// What the blocks of a board are worth, and of boards with one tile more or less.
pub struct BlockSums<'a> {
    blocks: &'a Blocks,
    values: &'a [i16],
    codes: [BlockCode; MOST],
    /// In hundredths of a point, as all values here.
    worth: [i32; MOST],
    /// All of them together.
    pub total: i32,
    /// What the blocks around the tile that was taken away were worth, and all together.
    worth_before: [i32; MOST_OF_A_CELL],
    total_before: i32,
}

fn value(blocks: &Blocks, values: &[i16], code: BlockCode) -> i32 {
    i32::from(values[usize::from(blocks.id(code))])
}

/// What blocks with such codes are worth together, in hundredths of a point.
pub fn total(blocks: &Blocks, values: &[i16], codes: &[BlockCode]) -> i32 {
    let values = codes.iter().map(|&code| value(blocks, values, code));
    values.sum()
}

impl<'a> BlockSums<'a> {
    /// Of a board whose blocks have such codes, by a value for each pattern.
    pub fn new(blocks: &'a Blocks, values: &'a [i16], codes: &[BlockCode]) -> Self {
        let mut sums = Self {
            blocks,
            values,
            codes: [0; MOST],
            worth: [0; MOST],
            total: 0,
            worth_before: [0; MOST_OF_A_CELL],
            total_before: 0,
        };
        sums.codes[..codes.len()].copy_from_slice(codes);
        for (worth, &code) in sums.worth.iter_mut().zip(codes) {
            *worth = value(blocks, values, code);
            sums.total += *worth;
        }
        sums
    }

    fn value(&self, code: BlockCode) -> i32 {
        value(self.blocks, self.values, code)
    }

    /// Takes a tile of this colour away, until it is [put back](Self::put_back).
    pub fn take_away(&mut self, cell: Cell, colour: Colour) {
        self.total_before = self.total;
        for (number, &place) in self.blocks.places(cell).iter().enumerate() {
            let at = usize::from(place.block);
            self.codes[at] ^= place.code(colour);
            let worth = self.value(self.codes[at]);
            self.worth_before[number] = self.worth[at];
            self.total += worth - self.worth[at];
            self.worth[at] = worth;
        }
    }

    /// Puts the tile back that was taken away from this cell.
    pub fn put_back(&mut self, cell: Cell, colour: Colour) {
        for (&place, &worth) in self.blocks.places(cell).iter().zip(&self.worth_before) {
            let at = usize::from(place.block);
            self.codes[at] ^= place.code(colour);
            self.worth[at] = worth;
        }
        self.total = self.total_before;
    }

    /// The total if there were a tile of this colour on an empty cell.
    pub fn with(&self, cell: Cell, colour: Colour) -> i32 {
        let more = self.blocks.places(cell).iter().map(|&place| {
            let at = usize::from(place.block);
            self.value(self.codes[at] ^ place.code(colour)) - self.worth[at]
        });
        self.total + more.sum::<i32>()
    }
}
