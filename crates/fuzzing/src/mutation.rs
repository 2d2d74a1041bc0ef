//! Derives inputs from other inputs by random changes, which a seed determines. The changes flip bits, remove, repeat
//! or combine pieces of inputs, and exchange words and numbers.
//!
//! The changes are not guided by coverage. The mutator knows the formats of inputs only from the corpus. It inserts
//! words of the corpus in wrong places.

use std::ops::Range;

use rand::seq::{IndexedMutRandom, IndexedRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The maximum length of an input, in bytes. It exceeds the largest frame of any wire.
pub const LONGEST: usize = 160 << 10;

/// Numbers that often reveal faults in parsers.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "26",
    "27",
    "127",
    "128",
    "255",
    "256",
    "32767",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967294",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "0.5",
    "-0.0",
    "1e308",
    "1e999",
    "1e-999",
    "NaN",
    "inf",
    "00",
    "+1",
    "0x10",
];

/// Bytes with a meaning in some format, and bytes that should not occur in any format.
const SIGNS: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "\0",
    "\u{1b}[2J",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\u{10ffff}",
    "{",
    "}",
    "[",
    "]",
    "[[[[[[[[",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "/",
    ":",
    ";",
    ",",
    "=",
    "-",
    "|",
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
];

/// A generator of random inputs, which are derived from a corpus.
#[derive(Debug)]
pub struct Mutator {
    corpus: Vec<Vec<u8>>,
    /// The distinct words of the corpus.
    words: Vec<Vec<u8>>,
    chance: Xoshiro256PlusPlus,
}

/// Returns the positions of all words in an input. A word is a run of letters, digits and other characters that occur
/// in numbers and names.
fn words(input: &[u8]) -> Vec<Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+".contains(byte);
    let mut found = Vec::new();
    let mut at = 0;
    for run in input.chunk_by(|one, other| is_part(one) == is_part(other)) {
        if is_part(&run[0]) {
            found.push(at..at + run.len());
        }
        at += run.len();
    }
    found
}

impl Mutator {
    /// Creates a mutator; equal seeds give equal inputs.
    ///
    /// # Panics
    ///
    /// Panics if the corpus is empty.
    pub fn new(corpus: Vec<Vec<u8>>, seed: u64) -> Self {
        assert!(!corpus.is_empty(), "a corpus has an input");
        let all = corpus.iter().flat_map(|input| {
            let words = words(input).into_iter();
            words.map(|at| input[at].to_vec())
        });
        let mut words: Vec<Vec<u8>> = all.filter(|word| word.len() <= 40).collect();
        words.sort();
        words.dedup();
        Self {
            corpus,
            words,
            chance: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Returns the next random input: an input of the corpus after some changes, cut to at most [`LONGEST`] bytes.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.any_input();
        // Usually, only a few changes are made; sometimes, many are made.
        let changes = 1 << self.chance.random_range(0..5);
        for _ in 0..self.chance.random_range(1..=changes) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn any_input(&mut self) -> Vec<u8> {
        let input = self.corpus.choose(&mut self.chance);
        input.expect("the corpus is not empty").clone()
    }

    /// Chooses a random position in an input, possibly its end.
    fn place(&mut self, input: &[u8]) -> usize {
        self.chance.random_range(0..=input.len())
    }

    /// Chooses a random piece of an input, usually a short one.
    fn piece(&mut self, input: &[u8]) -> Range<usize> {
        let begin = self.place(input);
        let rest = input.len() - begin;
        let most = match self.chance.random_ratio(1, 4) {
            true => rest,
            false => rest.min(8),
        };
        begin..begin + self.chance.random_range(0..=most)
    }

    /// Chooses a random range of complete lines in an input.
    fn lines(&mut self, input: &[u8]) -> Range<usize> {
        let Range { start, end } = self.piece(input);
        let begin = input[..start].iter().rposition(|&byte| byte == b'\n');
        let behind = input[end..].iter().position(|&byte| byte == b'\n');
        begin.map_or(0, |at| at + 1)..behind.map_or(input.len(), |at| end + at + 1)
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        match self.chance.random_range(0..14) {
            0 => self.flip(input),
            1 => {
                let at = self.piece(input);
                self.chance.fill_bytes(&mut input[at]);
            }
            2 => {
                let at = self.piece(input);
                input.drain(at);
            }
            3 => {
                let at = self.lines(input);
                input.drain(at);
            }
            4 => {
                let (piece, at) = (self.piece(input), self.place(input));
                let piece = input[piece].to_vec();
                insert(input, at, &piece);
            }
            5 => {
                let lines = self.lines(input);
                let (at, lines) = (lines.end, input[lines].to_vec());
                insert(input, at, &lines);
            }
            6 => {
                let end = self.place(input);
                input.truncate(end);
            }
            7 => self.splice(input),
            8 => {
                let sign = *SIGNS.choose(&mut self.chance).expect("there are some");
                let at = self.place(input);
                insert(input, at, sign.as_bytes());
            }
            9 => {
                let number = *NUMBERS.choose(&mut self.chance).expect("there are some");
                self.exchange_word(input, number.as_bytes());
            }
            10 => self.count(input),
            11 => {
                let mut lines: Vec<&[u8]> = input.split_inclusive(|&byte| byte == b'\n').collect();
                lines.shuffle(&mut self.chance);
                *input = lines.concat();
            }
            12 if self.chance.random_ratio(1, 20) => self.repeat(input),
            _ => {
                if let Some(word) = self.words.choose(&mut self.chance).cloned() {
                    self.exchange_word(input, &word);
                }
            }
        }
    }

    fn flip(&mut self, input: &mut [u8]) {
        if let Some(byte) = input.choose_mut(&mut self.chance) {
            *byte ^= 1 << self.chance.random_range(0..8);
        }
    }

    /// Replaces a piece of an input by a piece of another input.
    fn splice(&mut self, input: &mut Vec<u8>) {
        let other = self.any_input();
        let (from, to) = (self.piece(&other), self.piece(input));
        input.splice(to, other[from].iter().copied());
    }

    fn exchange_word(&mut self, input: &mut Vec<u8>, by: &[u8]) {
        match words(input).choose(&mut self.chance).cloned() {
            Some(at) => {
                input.splice(at, by.iter().copied());
            }
            None => input.extend_from_slice(by),
        }
    }

    /// Increments or decrements an integer in an input.
    fn count(&mut self, input: &mut Vec<u8>) {
        let text = |at: &Range<usize>| std::str::from_utf8(&input[at.clone()]).ok();
        let number = |at: Range<usize>| Some((text(&at)?.parse::<i64>().ok()?, at));
        let numbers: Vec<_> = words(input).into_iter().filter_map(number).collect();
        if let Some((number, at)) = numbers.choose(&mut self.chance).cloned() {
            let more = if self.chance.random() { 1 } else { -1 };
            let other = number.wrapping_add(more).to_string();
            input.splice(at, other.into_bytes());
        }
    }

    /// Repeats a piece of an input many times, until the input may be longer than any frame of a wire.
    fn repeat(&mut self, input: &mut Vec<u8>) {
        let piece = self.piece(input);
        let (at, piece) = (piece.end, input[piece].to_vec());
        let most = LONGEST / piece.len().max(1);
        let times = self.chance.random_range(0..=most);
        insert(input, at, &piece.repeat(times));
    }
}

/// Inserts a piece, unless the input would become longer than twice [`LONGEST`].
fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    if input.len() + piece.len() <= 2 * LONGEST {
        input.splice(at..at, piece.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_seed_gives_the_same_inputs_again_and_another_one_others() {
        let inputs = |seed| {
            let corpus = vec![b"one 1\ntwo 2\nthree 3\n".to_vec(), Vec::new()];
            let mut mutator = Mutator::new(corpus, seed);
            (0..2000).map(|_| mutator.next_input()).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        let different: BTreeSet<Vec<u8>> = inputs(1).into_iter().collect();
        assert!(different.len() > 700, "{} inputs", different.len());
        assert!(different.iter().all(|input| input.len() <= LONGEST));
        let is_long = |input: &&Vec<u8>| input.len() > 64 << 10;
        assert!(different.iter().any(|input| is_long(&input)));
    }
}
