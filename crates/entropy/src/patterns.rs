//! Lines of a board up to renaming of colours and reversal: what all of them are worth alike.
//!
//! A line of seven cells has two million contents but only some two thousand patterns, few enough to
//! learn a value for each of them in each phase of the game.

use super::rules::{Colour, EMPTY};

/// The longest line whose patterns are numbered: 2 million contents, 4 MiB.
pub const LONGEST: u8 = 7;

/// Bits of a line code that one cell takes.
const BITS: u32 = 3;

/// Symbols that a cell can hold: seven colours or none.
const SYMBOLS: usize = 1 << BITS;

/// A line as a number: three bits a cell, the first cell lowest; above them, where that counts, the line's
/// distance from the edge.
pub type LineCode = u32;

/// What a line has its value by: the number of its pattern among those of its length and, where that counts,
/// its distance from the edge. All patterns at the edge come first, then those one line further in, and so on.
pub type LineId = u16;

/// What a colour on a cell adds to its line's code.
pub fn code(at: u8, colour: Colour) -> LineCode {
    LineCode::from(colour) << (BITS * u32::from(at))
}

/// The code of a line of so many empty cells, so far from the edge.
pub fn empty_line(length: u8, distance: usize) -> LineCode {
    (distance as LineCode) << (BITS * u32::from(length))
}

/// The patterns of all lines of one length.
#[derive(Debug)]
pub struct Patterns {
    ids: Vec<LineId>,
    lines: Vec<Vec<Colour>>,
    /// At how many distances from the edge lines have numbers of their own.
    distances: usize,
}

impl Patterns {
    /// The patterns of lines of this length, numbered in the order of their first representatives:
    /// colours named by first appearance, compared cell by cell.
    ///
    /// # Panics
    ///
    /// If the length is more than [`LONGEST`].
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

    /// The same, with numbers of their own for lines at each of so many distances from the edge.
    pub fn at_distances(mut self, distances: usize) -> Self {
        let further_in = self.ids.len() * (distances - 1);
        for at in 0..further_in {
            self.ids.push(self.ids[at] + self.count() as LineId);
        }
        self.distances = distances;
        self
    }

    /// How many numbers lines have.
    pub fn number_of_ids(&self) -> usize {
        self.distances * self.count()
    }

    /// How many patterns there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The number of a line.
    pub fn id(&self, code: LineCode) -> LineId {
        self.ids[code as usize]
    }

    /// A line of each pattern, in the order of their numbers.
    pub fn lines(&self) -> &[Vec<Colour>] {
        &self.lines
    }
}

/// A node of the tree of named lines: its children by the symbol that follows, then itself's pattern
/// if the line is complete.
#[derive(Debug, Clone, Copy)]
enum Node {
    Inner([u32; SYMBOLS]),
    Leaf(LineId),
}

/// Adds all named lines that begin with `prefix`, numbers those that come before their reversal, and
/// returns the place of the prefix's node.
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
            // Lines are met in their order, so the smaller of the two is there already.
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

/// The line with its colours named 1, 2, 3 in the order in which they appear.
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

/// Fills in the patterns of all lines that continue the one read so far, from the last cell to the
/// first, so that neighbouring codes are written one after the other.
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
