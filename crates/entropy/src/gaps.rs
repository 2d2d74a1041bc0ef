//! Gaps: empty cells in their lines, with the tiles that can slide into them. Gaps that differ only by color names or
//! symmetry count as equal.
//!
//! The pattern of a gap in a row or column contains two cells on either side of the empty cell in that line. It also
//! contains the colors of the nearest tiles in the crossing line on either side, if these colors occur among the four
//! cells. Such a tile may slide into the gap and complete a palindrome. Neither the tile's own line nor a block shows
//! this: docs/notes/entropy.md.

use std::sync::{Arc, OnceLock};

use super::evaluation::{KeptBySize, SIZES};
use super::patterns::LineCode;

/// The board size, in rows, whose evaluation can use gaps.
pub(super) const ROWS: u8 = 7;

/// The number of bits for each cell in the code of a line or gap.
pub(super) const BITS: u32 = 3;

/// The mask that selects the bits of the first cell in a code.
const COLOUR: u32 = (1 << BITS) - 1;

/// The number of cells in a gap's code: four cells in its line, and its two hands. A hand is the nearest tile in the
/// crossing line on one side of the gap.
const CELLS: usize = 6;
const IN_LINE: usize = 4;

/// The number that identifies a gap's pattern.
pub type GapId = u16;

/// The patterns of gaps, which are looked up by code.
#[derive(Debug)]
pub struct Gaps {
    /// The pattern number of each code. A code contains four cells of the line and the two hands, three bits each.
    ids: Vec<u8>,
    count: usize,
}

/// Returns the canonical form of a gap, which all equivalent gaps share.
///
/// Colors are named by first appearance in the line. A hand whose color is not in the line counts as empty. The result
/// is the smallest of the four symmetric forms.
fn smallest(cells: [u8; CELLS]) -> [u8; CELLS] {
    let forms = [false, true].into_iter().flat_map(|from_behind| {
        [false, true].into_iter().map(move |other_hand| {
            let mut turned = cells;
            if from_behind {
                turned[..IN_LINE].reverse();
            }
            if other_hand {
                turned[IN_LINE..].reverse();
            }
            let mut names = [0; 1 << BITS];
            let mut named = 0;
            for (at, cell) in turned.iter_mut().enumerate() {
                let colour = usize::from(*cell);
                if at < IN_LINE && colour != 0 && names[colour] == 0 {
                    named += 1;
                    names[colour] = named;
                }
                *cell = names[colour];
            }
            turned
        })
    });
    forms.min().expect("four forms")
}

impl Gaps {
    /// Returns the shared gaps of boards with `size` rows, or `None` if their evaluation cannot use gaps.
    pub fn shared(size: u8) -> Option<Arc<Self>> {
        static KNOWN: KeptBySize<Gaps> = [const { OnceLock::new() }; SIZES];
        (size == ROWS)
            .then(|| Arc::clone(KNOWN[usize::from(size)].get_or_init(|| Arc::new(Self::new()))))
    }

    fn new() -> Self {
        let mut known: Vec<[u8; CELLS]> = Vec::new();
        let ids = (0u32..1 << (BITS * CELLS as u32)).map(|code| {
            let cells = std::array::from_fn(|at| (code >> (BITS * at as u32) & COLOUR) as u8);
            let form = smallest(cells);
            let at = known.iter().position(|&other| other == form);
            at.unwrap_or_else(|| {
                known.push(form);
                known.len() - 1
            }) as u8
        });
        Self {
            ids: ids.collect(),
            count: known.len(),
        }
    }

    /// Returns the number of gap patterns.
    pub fn count(&self) -> usize {
        self.count
    }

    fn id(&self, line: LineCode, at: u32, hands: LineCode) -> GapId {
        let code = beside(line, at) | hands << (BITS * IN_LINE as u32);
        GapId::from(self.ids[code as usize])
    }

    /// Returns the patterns of both gaps of an empty cell, given the cell's two lines in either order.
    ///
    /// Each line is given with the offset of the cell's bits in the line's code. The gap in the first line is returned
    /// first.
    #[inline]
    pub(super) fn of_cell(
        &self,
        (one, at_one): (&Line, u32),
        (other, at_other): (&Line, u32),
    ) -> [GapId; 2] {
        [
            self.id(one.code, at_one, hands(other.nearest, at_other)),
            self.id(other.code, at_other, hands(one.nearest, at_one)),
        ]
    }

    /// Calls `each` with the pattern of every gap of a board, given the codes of its rows and columns.
    ///
    /// The empty cells are visited row by row. The two gaps of a cell follow each other.
    pub fn each(&self, rows: &[LineCode], columns: &[LineCode], mut each: impl FnMut(GapId)) {
        let columns: [Line; ROWS as usize] = std::array::from_fn(|at| Line::new(columns[at]));
        for (at_row, &code) in (0..).step_by(BITS as usize).zip(rows) {
            let row = Line::new(code);
            for at_column in row.empty_cells() {
                let column = &columns[(at_column / BITS) as usize];
                let both = self.of_cell((&row, at_column), (column, at_row));
                both.into_iter().for_each(&mut each);
            }
        }
    }

    /// Returns the sum of the values of the board's gaps, given a value for each pattern.
    pub fn total(&self, values: &[i16], rows: &[LineCode], columns: &[LineCode]) -> i32 {
        let mut total = 0;
        self.each(rows, columns, |id| {
            total += i32::from(values[usize::from(id)])
        });
        total
    }
}

/// A line of a board, with the tiles that can slide along it into its empty cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub code: LineCode,
    /// For each empty cell, the nearest tile before it (lower 32 bits) and behind it (upper 32 bits).
    nearest: u64,
}

impl Line {
    pub fn new(code: LineCode) -> Self {
        let nearest = nearest(code);
        Self { code, nearest }
    }

    /// Returns, for each empty cell of the line, the offset of the cell's bits in the line's code.
    #[inline]
    pub fn empty_cells(&self) -> impl Iterator<Item = u32> {
        let mut empty = EACH_CELL & !occupied(self.code);
        std::iter::from_fn(move || {
            let at = (empty != 0).then(|| empty.trailing_zeros());
            empty &= empty.wrapping_sub(1);
            at
        })
    }
}

/// A mask with the lowest bit of each cell in a line code.
const EACH_CELL: LineCode = 0o1_111_111;

/// Returns a mask with the lowest bit of each cell that has a tile.
fn occupied(code: LineCode) -> LineCode {
    (code | code >> 1 | code >> 2) & EACH_CELL
}

/// Returns the contents of the two cells on either side of the cell whose bits start at offset `at`.
fn beside(code: LineCode, at: u32) -> LineCode {
    let around = code << (2 * BITS) >> at;
    (around & 0o77) | (around >> BITS & 0o7700)
}

/// Returns the nearest tiles on either side of the cell whose bits start at offset `at`.
fn hands(nearest: u64, at: u32) -> LineCode {
    let hands = nearest >> at;
    (hands & 0o7 | hands >> (32 - BITS) & 0o70) as LineCode
}

/// Returns, for each empty cell of a line, the nearest tile before it (lower 32 bits) and behind it (upper 32 bits).
fn nearest(code: LineCode) -> u64 {
    let empty = (EACH_CELL & !occupied(code)) * COLOUR;
    let (mut before, mut reach) = (code, empty);
    before |= reach & before << BITS;
    reach &= reach << BITS;
    before |= reach & before << (2 * BITS);
    reach &= reach << (2 * BITS);
    before |= reach & before << (4 * BITS);
    let (mut behind, mut reach) = (code, empty);
    behind |= reach & behind >> BITS;
    reach &= reach >> BITS;
    behind |= reach & behind >> (2 * BITS);
    reach &= reach >> (2 * BITS);
    behind |= reach & behind >> (4 * BITS);
    u64::from(before) | u64::from(behind) << 32
}
