//! Patterns of lines. Lines that differ only by color names or reversal have the same pattern and thus the same value.
//!
//! A line of seven cells has two million contents but only some two thousand patterns. A value can therefore be learned
//! for each pattern in each phase of the game.

use super::rules::{Colour, EMPTY};

/// The length of the longest lines with patterns. They have 2 million possible contents, whose table takes 4 MiB.
pub const LONGEST: u8 = 7;

/// The number of bits for each cell in a line code.
const BITS: u32 = 3;

/// The number of possible contents of a cell: seven colors or none.
const SYMBOLS: usize = 1 << BITS;

/// The contents of a line, encoded with three bits for each cell. The first cell has the lowest bits.
///
/// The bits above the cells hold the line's distance from the edge, if values depend on the distance.
pub type LineCode = u32;

/// The key of a line's value: the pattern's number and, where it matters, the line's distance from the edge.
///
/// All patterns at the edge come first, then all patterns one line further in, and so on.
pub type LineId = u16;

/// Returns the bits that a color in a cell adds to its line's code.
pub fn code(at: u8, colour: Colour) -> LineCode {
    LineCode::from(colour) << (BITS * u32::from(at))
}

/// Returns the code of an empty line, given its length and its distance from the edge.
pub fn empty_line(length: u8, distance: usize) -> LineCode {
    (distance as LineCode) << (BITS * u32::from(length))
}

/// The patterns of all lines of one length.
#[derive(Debug)]
pub struct Patterns {
    ids: Vec<LineId>,
    lines: Vec<Vec<Colour>>,
    /// The number of distances from the edge at which lines have their own IDs.
    distances: usize,
}

impl Patterns {
    /// Creates the patterns of lines with `length` cells.
    ///
    /// The lines of a pattern are compared cell by cell after their colors are named by first appearance. Patterns are
    /// numbered in the order of their smallest lines.
    ///
    /// # Panics
    ///
    /// Panics if the length exceeds [`LONGEST`].
    pub fn new(length: u8) -> Self {
        assert!(
            length <= LONGEST,
            "no patterns for lines of {length} cells: at most {LONGEST}"
        );
        let (mut tree, mut lines) = (Vec::new(), Vec::new());
        let cells = usize::from(length);
        grow(&mut Vec::new(), cells, 0, &mut tree, &mut lines);
        let mut ids = vec![0; SYMBOLS.pow(u32::from(length))];
        if length > 0 {
            let mut names = [EMPTY; SYMBOLS];
            fill(&tree, tree.len() - 1, 0, length, &mut names, 0, &mut ids);
        }
        Self {
            ids,
            lines,
            distances: 1,
        }
    }

    /// Returns the patterns with separate IDs for lines at each of `distances` distances from the edge.
    pub fn at_distances(mut self, distances: usize) -> Self {
        let further_in = self.ids.len() * (distances - 1);
        for at in 0..further_in {
            self.ids.push(self.ids[at] + self.count() as LineId);
        }
        self.distances = distances;
        self
    }

    /// Returns the number of distinct line IDs.
    pub fn number_of_ids(&self) -> usize {
        self.distances * self.count()
    }

    /// Returns the number of patterns.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the ID of a line, given its code.
    pub fn id(&self, code: LineCode) -> LineId {
        self.ids[code as usize]
    }

    /// Returns one line for each pattern, the smallest, in the order of the pattern numbers.
    pub fn lines(&self) -> &[Vec<Colour>] {
        &self.lines
    }
}

/// A node of the tree of renamed lines: an inner node has a child for each next symbol, and a leaf holds the pattern of
/// a complete line.
#[derive(Debug, Clone, Copy)]
enum Node {
    Inner([u32; SYMBOLS]),
    Leaf(LineId),
}

/// Adds all renamed lines that start with `prefix`, and returns the index of the prefix's node.
///
/// A line that is not greater than its reversal gets a new number; any other line gets the number of its reversal.
fn grow(
    prefix: &mut Vec<Colour>,
    length: usize,
    named: Colour,
    tree: &mut Vec<Node>,
    lines: &mut Vec<Vec<Colour>>,
) -> u32 {
    let node = if prefix.len() == length {
        let reversed = renamed(prefix.iter().rev().copied());
        let id = if *prefix <= reversed {
            lines.push(prefix.clone());
            lines.len() - 1
        } else {
            // Lines are visited in order, so the smaller of the two already has a number.
            lines.binary_search(&reversed).expect("met before")
        };
        Node::Leaf(id as LineId)
    } else {
        let mut children = [0; SYMBOLS];
        for symbol in 0..=(named + 1).min(SYMBOLS as Colour - 1) {
            prefix.push(symbol);
            let child = grow(prefix, length, named.max(symbol), tree, lines);
            children[usize::from(symbol)] = child;
            prefix.pop();
        }
        Node::Inner(children)
    };
    tree.push(node);
    tree.len() as u32 - 1
}

/// Returns the line with its colors named 1, 2, 3 in the order of appearance.
fn renamed(line: impl Iterator<Item = Colour>) -> Vec<Colour> {
    let mut names = [EMPTY; SYMBOLS];
    let mut named = 0;
    line.map(|colour| {
        if colour == EMPTY {
            return EMPTY;
        }
        let name = &mut names[usize::from(colour)];
        if *name == EMPTY {
            named += 1;
            *name = named;
        }
        *name
    })
    .collect()
}

/// Fills in the pattern numbers of all lines that end with the cells read so far.
///
/// Cells are read from last to first, so that neighboring codes are written one after the other.
fn fill(
    tree: &[Node],
    at: usize,
    read: LineCode,
    unread: u8,
    names: &mut [Colour; SYMBOLS],
    named: Colour,
    ids: &mut [LineId],
) {
    let children = match &tree[at] {
        Node::Leaf(id) => {
            ids[read as usize] = *id;
            return;
        }
        Node::Inner(children) => children,
    };
    for colour in 0..SYMBOLS as Colour {
        let known = names[usize::from(colour)];
        let new = colour != EMPTY && known == EMPTY;
        let name = if new { named + 1 } else { known };
        if new {
            names[usize::from(colour)] = name;
        }
        let child = children[usize::from(name)] as usize;
        let read = read | code(unread - 1, colour);
        fill(tree, child, read, unread - 1, names, named.max(name), ids);
        if new {
            names[usize::from(colour)] = EMPTY;
        }
    }
}
