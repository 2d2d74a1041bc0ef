//! Squares of the board, and sets of squares as bitboards.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// The number of rows and columns of the board.
pub const SIZE: u8 = 16;

/// A square, numbered row by row from the top left: `16 y + x`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns the square in this column and row.
    ///
    /// # Panics
    ///
    /// Panics if the square is off the board.
    pub const fn at(x: u8, y: u8) -> Self {
        assert!(x < SIZE && y < SIZE, "a square lies on the board");
        Self(y * SIZE + x)
    }

    /// Parses a square in the form `x,y`: its column, then its row, both counted from 0.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (x, y) = text.split_once(',')?;
        let (x, y) = (x.parse().ok()?, y.parse().ok()?);
        (x < SIZE && y < SIZE).then(|| Self::at(x, y))
    }

    /// Returns the column plus the row: 0 in Black's corner of the board, 30 in White's corner.
    pub(crate) const fn progress(self) -> i32 {
        self.x() as i32 + self.y() as i32
    }

    /// Returns the square with this number; every number is valid.
    pub const fn from_index(index: u8) -> Self {
        Self(index)
    }

    /// Returns the square's number, from 0 to 255; [`Square::from_index`] is the inverse.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the column, counted from the left.
    pub const fn x(self) -> u8 {
        self.0 % SIZE
    }

    /// Returns the row, counted from the top.
    pub const fn y(self) -> u8 {
        self.0 / SIZE
    }

    /// Returns the opposite square: this square's place after the board is turned by 180 degrees.
    pub const fn mirrored(self) -> Self {
        Self(255 - self.0)
    }

    /// Returns the number of moves that a king in chess needs to another square.
    pub const fn steps_to(self, other: Self) -> u8 {
        let dx = self.x().abs_diff(other.x());
        let dy = self.y().abs_diff(other.y());
        if dx > dy { dx } else { dy }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{}", self.x(), self.y())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// One of the eight directions in which pieces step and jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Direction {
    dx: i8,
    dy: i8,
}

impl Direction {
    pub const ALL: [Self; 8] = [
        Self { dx: 1, dy: 1 },
        Self { dx: 1, dy: 0 },
        Self { dx: 0, dy: 1 },
        Self { dx: -1, dy: 1 },
        Self { dx: 1, dy: -1 },
        Self { dx: -1, dy: 0 },
        Self { dx: 0, dy: -1 },
        Self { dx: -1, dy: -1 },
    ];

    /// Returns the amount to add to a square's number, modulo 256, to get its neighbor in this direction.
    const fn stride(self) -> u8 {
        (self.dy * SIZE as i8 + self.dx) as u8
    }

    /// Returns how much a step in this direction changes the column plus the row.
    pub(crate) const fn progress(self) -> i32 {
        self.dx as i32 + self.dy as i32
    }

    /// Returns the square two steps away in this direction, which must be on the board.
    pub(crate) const fn second(self, square: Square) -> Square {
        Square(square.0.wrapping_add(self.stride().wrapping_mul(2)))
    }
}

/// For each square, a set of directions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Directions([[u64; 8]; 4]);

impl Directions {
    /// Creates the map from the set of squares for each direction, in the order of [`Direction::ALL`].
    pub(crate) fn new(squares: &[Squares; 8]) -> Self {
        Self([0, 1, 2, 3].map(|word| squares.map(|squares| squares.0[word])))
    }

    /// Returns the square two steps away in each direction of `square`. Every such square must be on the board.
    #[inline]
    pub(crate) fn second(&self, square: Square) -> impl Iterator<Item = Square> + use<> {
        let words = &self.0[square.index() >> 6];
        let bit = |at: usize| (words[at] >> (square.index() & 63) & 1) << at;
        let mut left = (0..8).fold(0, |mask, at| mask | bit(at));
        std::iter::from_fn(move || {
            let at = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(Direction::ALL[at as usize].second(square))
        })
    }
}

/// A set of squares, with one bit per square. Each of the four words holds four rows of 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Squares([u64; 4]);

/// The bits of the leftmost column in a word of four rows; `RIGHT` is the rightmost column.
const LEFT: u64 = 0x0001_0001_0001_0001;
const RIGHT: u64 = LEFT << 15;

impl Squares {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 4]);

    /// Returns the set that contains only this square.
    pub const fn of(square: Square) -> Self {
        Self::EMPTY.with(square)
    }

    /// Returns the set with this square added.
    pub const fn with(mut self, square: Square) -> Self {
        self.0[square.index() >> 6] |= 1 << (square.index() & 63);
        self
    }

    /// Adds a square to this set.
    pub const fn insert(&mut self, square: Square) {
        *self = self.with(square);
    }

    /// Removes a square from this set.
    pub const fn remove(&mut self, square: Square) {
        self.0[square.index() >> 6] &= !(1 << (square.index() & 63));
    }

    /// Returns true if the square is in the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0[square.index() >> 6] >> (square.index() & 63) & 1 == 1
    }

    /// Returns the number of squares.
    pub const fn count(self) -> u32 {
        let [a, b, c, d] = self.0;
        a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()
    }

    /// Returns true if the set is empty.
    pub const fn is_empty(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// Returns true if all squares of this set are also in the other set.
    pub fn is_within(self, other: Self) -> bool {
        (self & !other).is_empty()
    }

    /// Returns the set's only square, or `None` if the set does not have exactly one square.
    pub(crate) fn only(self) -> Option<Square> {
        let mut squares = self.into_iter();
        squares.next().filter(|_| squares.next().is_none())
    }

    /// Formats the set as 64 hexadecimal digits, each for four squares, the first in the highest bit.
    pub(crate) fn to_hex(self) -> String {
        let words = self.0.map(|word| format!("{:016x}", word.reverse_bits()));
        words.concat()
    }

    /// Parses a set from the digits that [`Squares::to_hex`] returns.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let is_hex = text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let word = |at: usize| u64::from_str_radix(&text[16 * at..16 * (at + 1)], 16);
        is_hex
            .then(|| [0, 1, 2, 3].map(|at| word(at).unwrap_or_default().reverse_bits()))
            .map(Self)
    }

    /// Returns the squares whose neighbor in the given direction is in the set.
    pub(crate) fn seen_from(self, direction: Direction) -> Self {
        let mut words = self.0;
        match direction.dx {
            1 => words
                .iter_mut()
                .for_each(|word| *word = *word >> 1 & !RIGHT),
            -1 => words.iter_mut().for_each(|word| *word = *word << 1 & !LEFT),
            _ => {}
        }
        let [a, b, c, d] = words;
        match direction.dy {
            1 => Self([
                a >> 16 | b << 48,
                b >> 16 | c << 48,
                c >> 16 | d << 48,
                d >> 16,
            ]),
            -1 => Self([
                a << 16,
                b << 16 | a >> 48,
                c << 16 | b >> 48,
                d << 16 | c >> 48,
            ]),
            _ => Self(words),
        }
    }
}

impl BitAnd for Squares {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
}

impl BitOr for Squares {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }
}

impl Not for Squares {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl IntoIterator for Squares {
    type Item = Square;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        Iter {
            words: self.0,
            at: 0,
        }
    }
}

impl FromIterator<Square> for Squares {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for Squares {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(*self).finish()
    }
}

/// Iterates over the squares of a set in the order of their numbers.
pub struct Iter {
    words: [u64; 4],
    /// The index of the first word that may have squares left.
    at: usize,
}

impl Iterator for Iter {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        let mut word = *self.words.get(self.at)?;
        while word == 0 {
            self.at += 1;
            word = *self.words.get(self.at)?;
        }
        self.words[self.at] = word & (word - 1);
        Some(Square((self.at as u32 * 64 + word.trailing_zeros()) as u8))
    }
}
