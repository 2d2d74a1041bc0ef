//! Crossings: the row and the column through a cell. Crossings that differ only by color names or by a symmetry of the
//! board count as equal.
//!
//! A tile on that cell belongs to both lines. Chaos looks for an empty cell where a tile damages both, and Order for
//! one where a tile serves both. Values of single lines cannot show this: docs/notes/entropy.md.
//!
//! A row and a column together have too many contents for one table. Each of the two is therefore looked up separately
//! first: its cells, with colors named by first appearance, and the colors behind these names. The rest of the key is
//! the set of the column's colors that have a name in the row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::patterns::LineCode;
use super::rules::{Colour, EMPTY};

/// The board size, in rows, whose evaluation can use crossings.
///
/// On larger boards, values for parts of crossings were tried, but they did not make the player stronger.
pub const ROWS: u8 = 4;

/// The number of cells in a line of a board that uses crossings.
pub(super) const SIDE: usize = ROWS as usize;

/// The maximum number of colors in a line beside the crossed cell.
const ARMS: usize = SIDE - 1;

/// The number of bits for each cell in a line code.
const BITS: usize = 3;
/// The number of symbols that [`BITS`] bits can encode.
const SYMBOLS: usize = 1 << BITS;

/// The mask that selects the lowest [`BITS`] bits, which hold one symbol or name.
const NAME: u32 = SYMBOLS as u32 - 1;

/// The number of codes of a line of [`SIDE`] cells, including unused symbols.
const CODES: usize = SYMBOLS.pow(SIDE as u32);

/// The number that identifies a crossing.
pub type CrossingId = u16;

/// A line as seen from the crossed cell, which is not part of the view.
#[derive(Debug, Clone)]
struct View {
    /// The number of cells between the crossed cell and the nearer end of the line.
    near: usize,
    /// The cells of the line without the crossed cell, starting at the nearer end.
    cells: Vec<Colour>,
}

/// A row's part of the key under which a crossing's number is stored.
#[derive(Debug, Clone, Copy)]
struct Across {
    /// The index in [`Crossings::ids`] of the first crossing with this row.
    first: u32,
    /// The name of each color in the row, with [`BITS`] bits for each color; 0 means that the color has no name.
    names: u32,
}

/// A column's part of the key under which a crossing's number is stored.
#[derive(Debug, Clone, Copy)]
struct Down {
    /// The offset from [`Across::first`] at which the crossings with this column begin.
    first: u32,
    /// For each color in the column, by first appearance, the bit offset in `Across::names` of the color's name.
    colours: [u8; ARMS],
}

/// The table of all crossings, from which the number of a crossing is looked up.
#[derive(Debug)]
pub struct Crossings {
    /// The rows' parts of the key, ordered by the position of the crossed cell in the row, then by the row's code.
    across: Vec<Across>,
    /// The columns' parts of the key, ordered by the position of the crossed cell in the column, then by the column's
    /// code.
    down: Vec<Down>,
    ids: Vec<CrossingId>,
    count: usize,
}

/// Renames the colors of cells to 1, 2, 3 in the order of appearance. Returns the renamed cells and the original
/// colors.
fn named(cells: impl IntoIterator<Item = Colour>) -> (Vec<Colour>, Vec<Colour>) {
    let mut colours = Vec::new();
    let names = cells.into_iter().map(|colour| {
        if colour == EMPTY {
            return EMPTY;
        }
        let known = colours.iter().position(|&known| known == colour);
        let at = known.unwrap_or_else(|| {
            colours.push(colour);
            colours.len() - 1
        });
        at as Colour + 1
    });
    (names.collect(), colours)
}

impl View {
    /// Splits a line at a cell: returns the tile on the cell, and the view of the other cells.
    fn of(code: usize, at: usize) -> (Colour, Self) {
        let mut cells: Vec<Colour> = (0..SIDE)
            .map(|cell| (code >> (BITS * cell)) as Colour % SYMBOLS as Colour)
            .collect();
        let tile = cells.remove(at);
        let far = ARMS - at;
        if far < at {
            cells.reverse();
        }
        let near = at.min(far);
        (tile, Self { near, cells })
    }
}

/// Encodes a crossing as a number.
///
/// The number contains the position of the crossed cell in both lines, then all cells with colors named by first
/// appearance.
fn written(tile: Colour, one: &View, other: &View) -> u64 {
    let mut names = [0; 2 * SYMBOLS];
    let mut next = 1;
    let mut written = (one.near << 2 | other.near) as u64;
    for &colour in [tile].iter().chain(&one.cells).chain(&other.cells) {
        let name = &mut names[usize::from(colour)];
        if colour != EMPTY && *name == 0 {
            *name = next;
            next += 1;
        }
        written = written << 4 | *name;
    }
    written
}

/// Returns the smaller of the two encodings of a crossing. Transposing the board exchanges its row and its column.
fn least(tile: Colour, row: &View, column: &View) -> u64 {
    written(tile, row, column).min(written(tile, column, row))
}

impl Crossings {
    fn new() -> Self {
        let places = || (0..SIDE).flat_map(|at| (0..CODES).map(move |code| (at, code)));
        let with_tile =
            |tile: Colour, cells: &[Colour]| named([tile].into_iter().chain(cells.iter().copied()));
        let (mut rows, mut columns) = (BTreeSet::new(), BTreeSet::new());
        for (at, code) in places() {
            let (tile, View { near, cells }) = View::of(code, at);
            rows.insert((near, with_tile(tile, &cells).0));
            columns.insert((near, named(cells).0));
        }
        let most = |cells: &[Colour]| cells.iter().copied().max().map_or(0, usize::from);
        let mut width = 0;
        let columns: BTreeMap<_, usize> = (columns.into_iter())
            .map(|column| {
                let first = width;
                width += SYMBOLS.pow(most(&column.1) as u32);
                (column, first)
            })
            .collect();
        let rows: BTreeMap<_, usize> = (rows.into_iter().enumerate())
            .map(|(number, row)| (row, number * width))
            .collect();
        let (mut across, mut down) = (Vec::new(), Vec::new());
        for (at, code) in places() {
            let (tile, View { near, cells }) = View::of(code, at);
            let (row, colours) = with_tile(tile, &cells);
            let names = (1..)
                .zip(&colours)
                .map(|(name, &colour)| name << (BITS * usize::from(colour)));
            across.push(Across {
                first: rows[&(near, row)] as u32,
                names: names.sum(),
            });
            let (column, known) = named(cells);
            let mut colours = [0; ARMS];
            (colours.iter_mut().zip(known)).for_each(|(at, colour)| *at = BITS as u8 * colour);
            down.push(Down {
                first: columns[&(near, column)] as u32,
                colours,
            });
        }
        let mut known: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut ids = vec![0; rows.len() * width];
        for ((near, row), first) in &rows {
            let (near, tile, cells) = (*near, row[0], row[1..].to_vec());
            let view = View { near, cells };
            for ((near, column), behind) in &columns {
                let colours = most(column);
                for names_in_row in 0..SYMBOLS.pow(colours as u32) {
                    let name = |at: usize| names_in_row >> (BITS * at) & NAME as usize;
                    // Colors without a name in the row get names above all names of the row.
                    let shared = (0..colours).filter(|&at| name(at) > 0).count();
                    let twice = (1..colours)
                        .any(|at| name(at) > 0 && (0..at).any(|one| name(one) == name(at)));
                    let unknown = (0..colours).any(|at| name(at) > most(row));
                    if twice || unknown || most(row) + colours - shared > SIDE {
                        continue;
                    }
                    let named = |cell: Colour| match (cell, usize::from(cell)) {
                        (EMPTY, _) => EMPTY,
                        (_, number) if name(number - 1) > 0 => name(number - 1) as Colour,
                        (_, number) => (SYMBOLS + number) as Colour,
                    };
                    let (near, cells) = (*near, column.iter().map(|&cell| named(cell)).collect());
                    let crossing = least(tile, &view, &View { near, cells });
                    (known.entry(crossing).or_default()).push(first + behind + names_in_row);
                }
            }
        }
        for (id, places) in (0..).zip(known.values()) {
            places.iter().for_each(|&place| ids[place] = id);
        }
        Self {
            across,
            down,
            ids,
            count: known.len(),
        }
    }

    /// Returns the shared crossings of boards with `size` rows, or `None` if their evaluation cannot use crossings.
    pub fn shared(size: u8) -> Option<Arc<Self>> {
        static KNOWN: OnceLock<Arc<Crossings>> = OnceLock::new();
        (size == ROWS).then(|| Arc::clone(KNOWN.get_or_init(|| Arc::new(Self::new()))))
    }

    /// Returns the number of different crossings.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the crossing in a cell, given the cell's row and column and their codes.
    ///
    /// The codes must belong to a board with [`ROWS`] rows. For other codes, the call panics or returns a meaningless
    /// number.
    pub fn id(&self, [row, column]: [usize; 2], [across, down]: [LineCode; 2]) -> CrossingId {
        let across = self.across[column * CODES + across as usize];
        let down = self.down[row * CODES + down as usize];
        let name = |arm: usize| (across.names >> down.colours[arm] & NAME) << (BITS * arm);
        let names_in_row = name(0) | name(1) | name(2);
        self.ids[(across.first + down.first + names_in_row) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::code;

    type Cells = [[Colour; SIDE]; SIDE];

    /// Returns the numbers of all crossings of a board, sorted.
    fn crossings(board: &Cells) -> Vec<CrossingId> {
        let line = |cells: [Colour; SIDE]| -> LineCode {
            (0..).zip(cells).map(|(at, colour)| code(at, colour)).sum()
        };
        let known = Crossings::shared(ROWS).expect("a size with crossings");
        let mut found = Vec::new();
        for (row, cells) in board.iter().enumerate() {
            for column in 0..SIDE {
                let codes = [line(*cells), line(board.map(|cells| cells[column]))];
                found.push(known.id([row, column], codes));
            }
        }
        found.sort_unstable();
        found
    }

    const BOARD: Cells = [[1, 0, 2, 0], [0, 3, 0, 1], [2, 2, 0, 4], [0, 1, 3, 0]];

    #[test]
    fn turned_boards_and_renamed_colours_have_the_same_crossings() {
        let expected = crossings(&BOARD);
        let renamed = BOARD.map(|row| row.map(|colour| [0, 3, 1, 4, 2][usize::from(colour)]));
        assert_eq!(crossings(&renamed), expected);
        let mut board = BOARD;
        for turn in 0..4 {
            let before = board;
            board =
                std::array::from_fn(|row| std::array::from_fn(|column| before[ARMS - column][row]));
            assert_eq!(crossings(&board), expected, "turned {turn} times");
            let mirrored = board.map(|mut row| {
                row.reverse();
                row
            });
            assert_eq!(
                crossings(&mirrored),
                expected,
                "turned {turn} times and mirrored"
            );
        }
    }

    #[test]
    fn what_differs_otherwise_has_another_number() {
        let mut moved = BOARD;
        moved[0].swap(2, 3);
        let mut recoloured = BOARD;
        recoloured[3][2] = 4;
        for other in [moved, recoloured] {
            assert_ne!(crossings(&other), crossings(&BOARD));
        }
    }

    #[test]
    fn all_numbers_are_used() {
        let crossings = Crossings::shared(ROWS).expect("a size with crossings");
        let largest = crossings.ids.iter().max().map(|&id| usize::from(id));
        assert_eq!(largest, Some(crossings.count() - 1));
    }

    #[test]
    fn larger_boards_have_none() {
        assert!(Crossings::shared(ROWS + 1).is_none());
    }
}
