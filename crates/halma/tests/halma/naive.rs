//! A second implementation of the rules, based on nothing but the assignment's text.
//!
//! It uses a board of letters and recursive jumps. It is slow and shares no code with the library.

use std::collections::BTreeSet;

pub type Cell = (i32, i32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub letters: Vec<Vec<char>>,
    pub mover: char,
    pub addendum: bool,
}

pub fn other(player: char) -> char {
    if player == 'B' { 'W' } else { 'B' }
}

/// Black's camp: rows 0 to 4 of the picture in the assignment.
const CORNER: [&str; 5] = ["#####", "#####", "####", "###", "##"];

pub fn in_camp(player: char, (x, y): Cell) -> bool {
    let (x, y) = if player == 'B' {
        (x, y)
    } else {
        (15 - x, 15 - y)
    };
    CORNER
        .get(y as usize)
        .is_some_and(|row| (x as usize) < row.len())
}

impl Board {
    pub fn parse(text: &str, mover: char, addendum: bool) -> Board {
        let letters: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        assert_eq!(letters.len(), 16);
        assert!(letters.iter().all(|row| row.len() == 16));
        Board {
            letters,
            mover,
            addendum,
        }
    }

    fn letter(&self, (x, y): Cell) -> Option<char> {
        if !(0..16).contains(&x) || !(0..16).contains(&y) {
            return None;
        }
        Some(self.letters[y as usize][x as usize])
    }

    fn set(&mut self, (x, y): Cell, letter: char) {
        self.letters[y as usize][x as usize] = letter;
    }

    pub fn cells(&self, player: char) -> Vec<Cell> {
        let all = (0..16).flat_map(|y| (0..16).map(move |x| (x, y)));
        all.filter(|&cell| self.letter(cell) == Some(player))
            .collect()
    }

    fn follow_jumps(&self, at: Cell, seen: &mut BTreeSet<Cell>) {
        for dy in -1..=1 {
            for dx in -1..=1 {
                let over = self.letter((at.0 + dx, at.1 + dy));
                let landing = (at.0 + 2 * dx, at.1 + 2 * dy);
                let jumpable = matches!(over, Some('B' | 'W'));
                if jumpable && self.letter(landing) == Some('.') && seen.insert(landing) {
                    self.follow_jumps(landing, seen);
                }
            }
        }
    }

    /// Returns the cells that a piece can reach in a move, ignoring the clauses about camps.
    fn reach(&self, from: Cell) -> BTreeSet<Cell> {
        let mut lifted = self.clone();
        lifted.set(from, '.');
        let mut reached = BTreeSet::new();
        lifted.follow_jumps(from, &mut reached);
        for dy in -1..=1 {
            for dx in -1..=1 {
                let to = (from.0 + dx, from.1 + dy);
                if lifted.letter(to) == Some('.') {
                    reached.insert(to);
                }
            }
        }
        reached.remove(&from);
        reached
    }

    pub fn moves(&self) -> Vec<(Cell, Cell)> {
        let me = self.mover;
        let mut all = Vec::new();
        for from in self.cells(me) {
            for to in self.reach(from) {
                let leaves_goal = in_camp(other(me), from) && !in_camp(other(me), to);
                let comes_home = !in_camp(me, from) && in_camp(me, to);
                let forbidden = leaves_goal || self.addendum && comes_home;
                if !forbidden {
                    all.push((from, to));
                }
            }
        }
        if self.addendum && self.cells(me).iter().any(|&cell| in_camp(me, cell)) {
            let out: Vec<_> = all
                .iter()
                .copied()
                .filter(|&(from, to)| in_camp(me, from) && !in_camp(me, to))
                .collect();
            if !out.is_empty() {
                return out;
            }
            let sign = if me == 'B' { 1 } else { -1 };
            let away: Vec<_> = all
                .iter()
                .copied()
                .filter(|&(from, to)| {
                    let further_x = (to.0 - from.0) * sign;
                    let further_y = (to.1 - from.1) * sign;
                    in_camp(me, from) && further_x >= 0 && further_y >= 0
                })
                .collect();
            if !away.is_empty() {
                return away;
            }
        }
        all
    }

    pub fn play(&self, (from, to): (Cell, Cell)) -> Board {
        let mut next = self.clone();
        next.set(from, '.');
        next.set(to, self.mover);
        next.mover = other(self.mover);
        next
    }

    /// Returns true if the last move has won the game.
    pub fn won(&self) -> bool {
        let player = other(self.mover);
        let all = (0..16).flat_map(|y| (0..16).map(move |x| (x, y)));
        let goal: Vec<Cell> = all.filter(|&cell| in_camp(self.mover, cell)).collect();
        let open = goal
            .iter()
            .filter(|&&cell| self.letter(cell) != Some(self.mover));
        open.clone().all(|&cell| self.letter(cell) == Some(player)) && open.count() > 0
    }

    /// Counts the leaves of the game tree that is `depth` plies deep. A won position is always a leaf.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 || self.won() {
            return 1;
        }
        let after = self.moves().into_iter().map(|mv| self.play(mv));
        after.map(|next| next.perft(depth - 1)).sum()
    }

    /// Returns true if a piece can jump along these cells, each time over one piece.
    pub fn is_chain(&self, path: &[Cell]) -> bool {
        let mut lifted = self.clone();
        lifted.set(path[0], '.');
        path.windows(2).all(|jump| {
            let (dx, dy) = (jump[1].0 - jump[0].0, jump[1].1 - jump[0].1);
            let straight = [0, 2].contains(&dx.abs()) && [0, 2].contains(&dy.abs());
            let over = lifted.letter((jump[0].0 + dx / 2, jump[0].1 + dy / 2));
            straight && matches!(over, Some('B' | 'W')) && lifted.letter(jump[1]) == Some('.')
        })
    }

    /// Returns the minimum number of jumps from one cell to another, by breadth-first search.
    pub fn fewest_jumps(&self, from: Cell, to: Cell) -> Option<usize> {
        let mut lifted = self.clone();
        lifted.set(from, '.');
        let mut layer = BTreeSet::from([from]);
        for jumps in 0..256 {
            if layer.contains(&to) {
                return Some(jumps);
            }
            let mut next = layer.clone();
            for &cell in &layer {
                for (dx, dy) in [
                    (-2, -2),
                    (-2, 0),
                    (-2, 2),
                    (0, -2),
                    (0, 2),
                    (2, -2),
                    (2, 0),
                    (2, 2),
                ] {
                    let landing = (cell.0 + dx, cell.1 + dy);
                    let path = [cell, landing];
                    let over = lifted.letter((cell.0 + dx / 2, cell.1 + dy / 2));
                    if lifted.letter(landing) == Some('.') && matches!(over, Some('B' | 'W')) {
                        next.insert(path[1]);
                    }
                }
            }
            layer = next;
        }
        None
    }
}
