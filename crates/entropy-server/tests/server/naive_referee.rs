//! A naive referee of Entropy for tests, which shares no code with the library. It draws tiles, makes random moves
//! for the opponent, and rejects every move of ours that the written rules forbid.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The side of the player under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Order,
    Chaos,
}

/// The player under test, on any wire.
pub trait Player {
    /// Sends lines in the assignment's format to the player. If `asked` is true, the player must answer.
    fn tell(&mut self, lines: &str, asked: bool);
    /// Returns the numbers in the player's answer. Panics if the player did not answer exactly once.
    fn answer(&mut self) -> Vec<usize>;
    /// Compares the player's board with the referee's board, if the test can see the player's board.
    fn sees(&self, _referee: &Referee) {}
}

pub struct Referee {
    pub size: usize,
    /// The rows of the board. A cell contains a color, where 0 means `A`, or `None` if it is empty.
    pub board: Vec<Vec<Option<u8>>>,
    bag: Vec<u8>,
    /// Whether Order may pass, as in CodeCup's rules.
    passing: bool,
    random: Xoshiro256PlusPlus,
}

impl Referee {
    pub fn new(size: usize, seed: u64, passing: bool) -> Self {
        Self {
            size,
            passing,
            board: vec![vec![None; size]; size],
            bag: (0..size * size).map(|tile| (tile / size) as u8).collect(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    pub fn draw(&mut self) -> u8 {
        let at = self.random.random_range(0..self.bag.len());
        self.bag.swap_remove(at)
    }

    pub fn bag_is_empty(&self) -> bool {
        self.bag.is_empty()
    }

    fn random_place(&mut self) -> (usize, usize) {
        loop {
            let cell = self.random_cell();
            if self.board[cell.0][cell.1].is_none() {
                return cell;
            }
        }
    }

    fn random_cell(&mut self) -> (usize, usize) {
        let size = self.size;
        (
            self.random.random_range(0..size),
            self.random.random_range(0..size),
        )
    }

    fn random_slide(&mut self) -> [usize; 4] {
        loop {
            let (from, to) = (self.random_cell(), self.random_cell());
            if self.slide_is_legal(from, to) {
                return [from.0, from.1, to.0, to.1];
            }
        }
    }

    fn slide_is_legal(&self, from: (usize, usize), to: (usize, usize)) -> bool {
        let straight = (from.0 == to.0) != (from.1 == to.1);
        let (rows, columns) = (
            from.0.min(to.0)..=from.0.max(to.0),
            from.1.min(to.1)..=from.1.max(to.1),
        );
        let mut path = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
        straight
            && self.board[from.0][from.1].is_some()
            && path.all(|cell| cell == from || self.board[cell.0][cell.1].is_none())
    }

    /// Places the drawn tile on the cell with these coordinates. Panics if the placement is illegal.
    pub fn place(&mut self, numbers: &[usize], tile: u8) {
        let [row, column] = *numbers else {
            panic!("expected a placement, got {numbers:?}");
        };
        let cell = &mut self.board[row][column];
        assert_eq!(*cell, None, "placed on a tile");
        *cell = Some(tile);
    }

    /// Makes the slide with these coordinates. Panics if it is illegal.
    pub fn slide(&mut self, numbers: &[usize]) {
        let [row1, column1, row2, column2] = *numbers else {
            panic!("expected a slide, got {numbers:?}");
        };
        let (from, to) = ((row1, column1), (row2, column2));
        if from == to && self.passing {
            return;
        }
        assert!(
            self.slide_is_legal(from, to),
            "{numbers:?} on {:?}",
            self.board
        );
        self.board[row2][column2] = self.board[row1][column1].take();
    }
}

pub fn letter(tile: u8) -> char {
    char::from(b'A' + tile)
}

/// Translates a line from the assignment's format to CodeCup's format, which omits the size.
pub fn codecup(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let cell = |row: &str, column: &str| {
        let character = |first: u8, word: &str| char::from(first + word.parse::<u8>().unwrap());
        format!("{}{}", character(b'A', row), character(b'a', column))
    };
    let digit = |tile: &str| char::from(tile.as_bytes()[0] - b'A' + b'1');
    match words[..] {
        ["7"] | ["ORDER"] => String::new(),
        ["CHAOS"] => "Start\n".to_owned(),
        [tile] => format!("{}\n", digit(tile)),
        [row, column, tile] => format!("{}{}\n", digit(tile), cell(row, column)),
        [row1, column1, row2, column2] => {
            format!("{}{}\n", cell(row1, column1), cell(row2, column2))
        }
        _ => panic!("no word for {line:?}"),
    }
}

/// Plays up to `turns` turns of a game, or the whole game if it is shorter.
///
/// On a board of 7 by 7, Order may pass, as at CodeCup.
pub fn play(player: &mut impl Player, side: Side, size: usize, seed: u64, turns: usize) {
    let mut referee = Referee::new(size, seed, size == 7);
    let referee = &mut referee;
    let mut opening = format!("{size}\n{side:?}\n").to_uppercase();
    if side == Side::Order {
        player.tell(&opening, false);
        opening.clear();
    }
    for _ in 0..turns {
        if referee.bag_is_empty() {
            return;
        }
        let tile = referee.draw();
        match side {
            Side::Order => {
                let (row, column) = referee.random_place();
                referee.place(&[row, column], tile);
                let last = referee.bag_is_empty();
                player.tell(&format!("{row} {column} {}\n", letter(tile)), !last);
                if !last {
                    player.sees(referee);
                    referee.slide(&player.answer());
                }
            }
            Side::Chaos => {
                let lines = format!("{opening}{}\n", letter(tile));
                player.tell(&lines, true);
                player.sees(referee);
                referee.place(&player.answer(), tile);
                if !referee.bag_is_empty() {
                    let slide = referee.random_slide();
                    referee.slide(&slide);
                    let words: Vec<_> = slide.iter().map(usize::to_string).collect();
                    opening = format!("{}\n", words.join(" "));
                }
            }
        }
    }
}
