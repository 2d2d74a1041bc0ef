//! A position together with its running evaluation: what the search works on.

use std::sync::Arc;

use super::line_values::{LineCode, LineValues, POINT};
use super::rules::{Cell, Colour, Move, Phase, Position};
use crate::game::{Game, Score, Side, Turn};

/// A position with line codes and the sum of all line values, kept up to date move by move.
#[derive(Debug, Clone)]
pub struct Evaluated {
    position: Position,
    values: Arc<LineValues>,
    rows: Vec<LineCode>,
    columns: Vec<LineCode>,
    /// In hundredths of a point.
    total: i32,
    /// The most that a board of this size can score.
    highest: Score,
}

impl Evaluated {
    /// The position with its evaluation computed afresh.
    pub fn new(position: Position, values: Arc<LineValues>) -> Self {
        let size = usize::from(position.size());
        // Every run of every line: lengths 2 to size, size - length + 1 of each.
        let line_maximum: usize = (2..=size).map(|length| length * (size - length + 1)).sum();
        let mut evaluated = Self {
            rows: vec![0; size],
            columns: vec![0; size],
            total: 0,
            highest: (2 * size * line_maximum) as Score,
            position,
            values,
        };
        for cell in 0..evaluated.position.cells().len() as Cell {
            let (row, column) = evaluated.place_of(cell);
            let colour = evaluated.position.at(cell);
            evaluated.rows[row] += evaluated.values.code(column as u8, colour);
            evaluated.columns[column] += evaluated.values.code(row as u8, colour);
        }
        evaluated.total = (0..size)
            .map(|line| evaluated.row_value(line) + evaluated.column_value(line))
            .sum();
        evaluated
    }

    /// Board, bag and phase.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The codes of all rows and of all columns.
    pub fn line_codes(&self) -> (&[LineCode], &[LineCode]) {
        (&self.rows, &self.columns)
    }

    fn place_of(&self, cell: Cell) -> (usize, usize) {
        let size = Cell::from(self.position.size());
        (usize::from(cell / size), usize::from(cell % size))
    }

    fn row_value(&self, row: usize) -> i32 {
        let size = usize::from(self.position.size());
        let cells = &self.position.cells()[row * size..(row + 1) * size];
        self.values.value(self.rows[row], cells.iter().copied())
    }

    fn column_value(&self, column: usize) -> i32 {
        let size = usize::from(self.position.size());
        let cells = self.position.cells()[column..].iter().step_by(size);
        self.values.value(self.columns[column], cells.copied())
    }

    /// The lines that a move changes: up to two rows and two columns.
    fn lines_of(&self, mv: Move) -> ([Option<usize>; 2], [Option<usize>; 2]) {
        match mv {
            Move::Draw(_) | Move::Pass => ([None; 2], [None; 2]),
            Move::Place(cell) => {
                let (row, column) = self.place_of(cell);
                ([Some(row), None], [Some(column), None])
            }
            Move::Slide { from, to } => {
                let ((row1, column1), (row2, column2)) = (self.place_of(from), self.place_of(to));
                (
                    [Some(row1), (row2 != row1).then_some(row2)],
                    [Some(column1), (column2 != column1).then_some(column2)],
                )
            }
        }
    }

    fn value_of_lines(&self, (rows, columns): ([Option<usize>; 2], [Option<usize>; 2])) -> i32 {
        let rows: i32 = rows.iter().flatten().map(|&row| self.row_value(row)).sum();
        let columns: i32 = columns
            .iter()
            .flatten()
            .map(|&column| self.column_value(column))
            .sum();
        rows + columns
    }

    fn add_code(&mut self, cell: Cell, colour: Colour) {
        let (row, column) = self.place_of(cell);
        self.rows[row] += self.values.code(column as u8, colour);
        self.columns[column] += self.values.code(row as u8, colour);
    }

    fn remove_code(&mut self, cell: Cell, colour: Colour) {
        let (row, column) = self.place_of(cell);
        self.rows[row] -= self.values.code(column as u8, colour);
        self.columns[column] -= self.values.code(row as u8, colour);
    }
}

impl Game for Evaluated {
    type Move = Move;
    /// The evaluation before the move.
    type Undo = i32;

    fn turn(&self) -> Turn {
        match self.position.phase() {
            Phase::Draw => Turn::Chance,
            Phase::Place => Turn::Player(Side::Min),
            Phase::Slide => Turn::Player(Side::Max),
            Phase::Over => Turn::Over,
        }
    }

    fn moves(&self, out: &mut Vec<Move>) {
        match self.position.phase() {
            Phase::Place => self.position.placements(out),
            Phase::Slide => self.position.slides(out),
            Phase::Draw | Phase::Over => {}
        }
    }

    fn outcomes(&self, out: &mut Vec<(Move, Score)>) {
        let total = Score::from(self.position.bag_total());
        for colour in 1..=self.position.size() {
            let count = self.position.in_bag(colour);
            if count > 0 {
                out.push((Move::Draw(colour), Score::from(count) / total));
            }
        }
    }

    fn make(&mut self, mv: Move) -> i32 {
        let before = self.total;
        let lines = self.lines_of(mv);
        self.total -= self.value_of_lines(lines);
        match mv {
            Move::Place(cell) => self.add_code(cell, self.position.drawn()),
            Move::Slide { from, to } => {
                let colour = self.position.at(from);
                self.remove_code(from, colour);
                self.add_code(to, colour);
            }
            Move::Draw(_) | Move::Pass => {}
        }
        self.position.make(mv);
        self.total += self.value_of_lines(lines);
        before
    }

    fn unmake(&mut self, mv: Move, before: i32) {
        match mv {
            Move::Place(cell) => self.remove_code(cell, self.position.at(cell)),
            Move::Slide { from, to } => {
                let colour = self.position.at(to);
                self.remove_code(to, colour);
                self.add_code(from, colour);
            }
            Move::Draw(_) | Move::Pass => {}
        }
        self.position.unmake(mv);
        self.total = before;
    }

    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn plies_left(&self) -> u32 {
        self.position.plies_left()
    }

    fn bounds(&self) -> (Score, Score) {
        (0.0, self.highest)
    }

    fn evaluate(&self) -> Score {
        self.total as Score / POINT as Score
    }
}
