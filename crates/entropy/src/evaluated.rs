//! A position together with what its lines are worth: what the search works on.

use std::sync::Arc;

use super::block_sums::{self, BlockSums};
use super::blocks::{BlockCode, BlockId, Blocks};
use super::crossing_sums::{self, CrossingSums};
use super::crossings::{CrossingId, Crossings};
use super::evaluation::{Evaluation, GamePhase};
use super::line_values::{POINT, line_value};
use super::palindromes::board_score;
use super::patterns::{self, LineCode, LineId};
use super::rules::{Cell, Colour, EMPTY, MAX_SIZE, Move, Phase, Position};
use turnwise_engine::game::{Game, Score, Side, Turn};
use turnwise_engine::search::{Schedule, Width};

/// A position with the codes and numbers of its lines, kept up to date move by move.
///
/// Lines are numbered rows first, then columns.
#[derive(Debug, Clone)]
pub struct Evaluated {
    position: Position,
    evaluation: Arc<Evaluation>,
    codes: Vec<LineCode>,
    ids: Vec<LineId>,
    /// Of all blocks, where they are worth something.
    blocks: Vec<BlockCode>,
    /// In hundredths of a point; only where lines are too long for patterns.
    untabled: Vec<i32>,
    /// No value of this game, now or later, lies outside.
    bounds: (Score, Score),
}

/// The lines that a move changes: at most two rows and two columns.
type Changed = [Option<usize>; 4];

impl Evaluated {
    /// The position with everything computed afresh.
    pub fn new(position: Position, evaluation: Arc<Evaluation>) -> Self {
        assert_eq!(position.size(), evaluation.size(), "values of another size");
        let size = usize::from(position.size());
        let tabled = evaluation.patterns().is_some();
        // Every run of every line: lengths 2 to size, size - length + 1 of each.
        let line_maximum: usize = (2..=size).map(|length| length * (size - length + 1)).sum();
        let mut evaluated = Self {
            codes: (0..2 * position.size())
                .map(|line| evaluation.empty_line(line))
                .collect(),
            ids: vec![0; 2 * size],
            blocks: vec![
                0;
                evaluation
                    .numbered_blocks()
                    .map_or(0, |blocks| blocks.number())
            ],
            untabled: vec![0; if tabled { 0 } else { 2 * size }],
            bounds: (0.0, (2 * size * line_maximum) as Score),
            position,
            evaluation,
        };
        for cell in 0..evaluated.position.cells().len() as Cell {
            evaluated.toggle_code(cell, evaluated.position.at(cell));
        }
        for line in 0..2 * size {
            evaluated.judge(line);
        }
        evaluated
    }

    /// Board, bag and phase.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What its lines are judged by.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The codes of all rows and then of all columns.
    pub fn line_codes(&self) -> &[LineCode] {
        &self.codes
    }

    /// What all rows and then all columns have their values by; meaningless on boards without patterns.
    pub fn line_ids(&self) -> &[LineId] {
        &self.ids
    }

    fn size(&self) -> usize {
        usize::from(self.position.size())
    }

    fn place_of(&self, cell: Cell) -> (usize, usize) {
        let cell = usize::from(cell);
        (cell / self.size(), cell % self.size())
    }

    fn lines_of(&self, mv: Move) -> Changed {
        let size = self.size();
        match mv {
            Move::Draw(_) | Move::Pass => [None; 4],
            Move::Place(cell) => {
                let (row, column) = self.place_of(cell);
                [Some(row), Some(size + column), None, None]
            }
            Move::Slide { from, to } => {
                let ((row1, column1), (row2, column2)) = (self.place_of(from), self.place_of(to));
                [
                    Some(row1),
                    Some(size + column1),
                    (row2 != row1).then_some(row2),
                    (column2 != column1).then_some(size + column2),
                ]
            }
        }
    }

    /// A tile of this colour is or is no longer on a cell: an empty one adds nothing to the codes, so that
    /// putting a tile there and taking it away are the same bits turned over.
    fn toggle_code(&mut self, cell: Cell, colour: Colour) {
        let (row, column) = self.place_of(cell);
        let size = self.size();
        self.codes[row] ^= self.evaluation.code(column as u8, colour);
        self.codes[size + column] ^= self.evaluation.code(row as u8, colour);
        if let Some(blocks) = self.evaluation.numbered_blocks() {
            for place in blocks.places(cell) {
                self.blocks[usize::from(place.block)] ^= place.code(colour);
            }
        }
    }

    fn toggle_slide(&mut self, from: Cell, to: Cell) {
        let colour = self.position.at(from);
        self.toggle_code(from, colour);
        self.toggle_code(to, colour);
    }

    /// Looks a line up again after its cells have changed.
    fn judge(&mut self, line: usize) {
        if self.untabled.is_empty() {
            self.ids[line] = self.evaluation.line_id(self.codes[line]);
            return;
        }
        let (size, cells) = (self.size(), self.position.cells());
        self.untabled[line] = match line.checked_sub(size) {
            None => line_value(&cells[line * size..][..size]),
            Some(column) => {
                let mut line = [EMPTY; MAX_SIZE as usize];
                let column = cells[column..].iter().step_by(size);
                line.iter_mut()
                    .zip(column)
                    .for_each(|(at, &cell)| *at = cell);
                line_value(&line[..size])
            }
        };
    }

    fn judge_all(&mut self, lines: Changed) {
        for line in lines.into_iter().flatten() {
            self.judge(line);
        }
    }

    /// Tiles placed so far: those on the board, but where a referee let one be overwritten.
    pub fn tiles(&self) -> u16 {
        let drawn = u16::from(self.position.drawn() != EMPTY);
        self.position.cells().len() as u16 - self.position.bag_total() - drawn
    }

    /// Which of the two judgements the board stands under now.
    pub fn game_phase(&self) -> GamePhase {
        match self.position.phase() {
            Phase::Slide => GamePhase::BeforeSlide,
            Phase::Draw | Phase::Place | Phase::Over => GamePhase::BeforeDraw,
        }
    }

    /// The boards that a search of so many plies from here ends on: tiles on them, and the phase.
    pub fn horizon(&self, depth: u32) -> (u16, GamePhase) {
        let depth = depth.min(self.plies_left());
        let begins_with_slide = self.game_phase() == GamePhase::BeforeSlide;
        let placements = match begins_with_slide {
            true => depth / 2,
            false => depth.div_ceil(2),
        };
        let ends_before_slide = begins_with_slide == depth.is_multiple_of(2);
        let game_phase = match ends_before_slide {
            true => GamePhase::BeforeSlide,
            false => GamePhase::BeforeDraw,
        };
        (self.tiles() + placements as u16, game_phase)
    }

    /// The final score that a value stands for which a search of so many plies from here has found; none
    /// if that was not measured for these weights. A value that is exact is one itself.
    pub fn forecast(&self, value: Score, depth: u32, is_exact: bool) -> Option<Score> {
        if is_exact {
            return Some(value);
        }
        let forecast = self.evaluation.forecast.as_ref()?;
        let (tiles, game_phase) = self.horizon(depth);
        Some(value + forecast.gain(tiles, game_phase))
    }

    /// A schedule whose leaves lie before the draw, not before Order's slide, wherever that can be
    /// chosen: before the slide a board hangs on that one move, which values of lines do not see.
    pub fn leaves_before_draw(&self, widths: &'static [Width]) -> Schedule {
        Schedule {
            full_depth: match self.game_phase() {
                GamePhase::BeforeSlide => 1,
                GamePhase::BeforeDraw => 2,
            },
            step: 2,
            widths,
        }
    }

    fn total(&self) -> i32 {
        if !self.untabled.is_empty() {
            return match self.position.phase() {
                Phase::Over => board_score(&self.position) as i32 * POINT,
                _ => self.untabled.iter().sum(),
            };
        }
        let (tiles, game_phase) = (self.tiles(), self.game_phase());
        let table = self.evaluation.table(tiles, game_phase);
        let value = |&id: &LineId| i32::from(table[usize::from(id)]);
        let mut total: i32 = self.ids.iter().map(value).sum();
        if let Some((crossings, values)) = self.evaluation.crossings(tiles, game_phase) {
            total += crossing_sums::total(crossings, values, self.codes.split_at(self.size()));
        }
        if let Some((blocks, values)) = self.evaluation.blocks(tiles, game_phase) {
            total += block_sums::total(blocks, values, &self.blocks);
        }
        total
    }

    /// The crossings of a board that is as large as theirs.
    pub fn crossings(&self, crossings: &Crossings) -> impl Iterator<Item = CrossingId> {
        let size = self.size();
        let (across, down) = self.codes.split_at(size);
        (0..size * size).map(move |cell| {
            let (row, column) = (cell / size, cell % size);
            crossings.id([row, column], [across[row], down[column]])
        })
    }

    /// The patterns of the blocks of a board that is as large as theirs.
    pub fn block_ids(&self, blocks: &Blocks) -> impl Iterator<Item = BlockId> {
        let mut codes = vec![0; blocks.number()];
        for (cell, &colour) in (0..).zip(self.position.cells()) {
            for place in blocks.places(cell) {
                codes[usize::from(place.block)] |= place.code(colour);
            }
        }
        codes.into_iter().map(|code| blocks.id(code))
    }

    /// What the crossings are worth with so many tiles at a phase, if they are worth anything then.
    fn crossing_sums(&self, tiles: u16, game_phase: GamePhase) -> Option<CrossingSums<'_>> {
        let (crossings, values) = self.evaluation.crossings(tiles, game_phase)?;
        let codes = self.codes.split_at(self.size());
        Some(CrossingSums::new(crossings, values, codes))
    }

    /// What the blocks are worth with so many tiles at a phase, if they are worth anything then.
    fn block_sums(&self, tiles: u16, game_phase: GamePhase) -> Option<BlockSums<'_>> {
        let (blocks, values) = self.evaluation.blocks(tiles, game_phase)?;
        Some(BlockSums::new(blocks, values, &self.blocks))
    }

    /// Placements with what all lines and crossings are worth after them, without what blocks are: in hundredths of
    /// a point, exactly.
    fn glance_at_placements(&self, out: &mut Vec<(Score, Move)>) {
        let size = self.size();
        let colour = self.position.drawn();
        let (tiles, game_phase) = (self.tiles() + 1, GamePhase::BeforeSlide);
        let table = self.evaluation.table(tiles, game_phase);
        let crossings = self.crossing_sums(tiles, game_phase);
        let value = |id: LineId| i32::from(table[usize::from(id)]);
        let total: i32 = self.ids.iter().map(|&id| value(id)).sum();
        for row in 0..size {
            let without_row = total - value(self.ids[row]);
            for column in 0..size {
                let cell = (row * size + column) as Cell;
                if self.position.at(cell) != EMPTY {
                    continue;
                }
                let along = self.codes[row] + self.evaluation.code(column as u8, colour);
                let across = self.codes[size + column] + self.evaluation.code(row as u8, colour);
                let mut after = without_row - value(self.ids[size + column])
                    + value(self.evaluation.line_id(along))
                    + value(self.evaluation.line_id(across));
                if let Some(crossings) = &crossings {
                    after += crossings.after(&[(row, along)], &[(column, across)]);
                }
                out.push((after as Score, Move::Place(cell)));
            }
        }
    }

    /// True of a tile without an empty cell beside it.
    fn is_stuck(&self, row: usize, column: usize) -> bool {
        let (size, cells) = (self.size(), self.position.cells());
        let at = row * size + column;
        !((row > 0 && cells[at - size] == EMPTY)
            || (row + 1 < size && cells[at + size] == EMPTY)
            || (column > 0 && cells[at - 1] == EMPTY)
            || (column + 1 < size && cells[at + 1] == EMPTY))
    }

    /// Slides with what all lines and crossings are worth after them, without what blocks are: in hundredths of
    /// a point, exactly.
    fn glance_at_slides(&self, out: &mut Vec<(Score, Move)>) {
        let size = self.size();
        let cells = self.position.cells();
        let (tiles, game_phase) = (self.tiles(), GamePhase::BeforeDraw);
        let table = self.evaluation.table(tiles, game_phase);
        let crossings = self.crossing_sums(tiles, game_phase);
        let value = |id: LineId| i32::from(table[usize::from(id)]);
        let ids = self.evaluation.line_ids();
        let of_code = |code: LineCode| value(ids[code as usize]);
        let code = patterns::code;
        let total: i32 = self.ids.iter().map(|&id| value(id)).sum();
        let before = out.len();
        for (from, &colour) in cells.iter().enumerate() {
            let (row, column) = (from / size, from % size);
            if colour == EMPTY || self.is_stuck(row, column) {
                continue;
            }
            let here_in_row = code(column as u8, colour);
            let here_in_column = code(row as u8, colour);
            let row_left = self.codes[row] - here_in_row;
            let column_left = self.codes[size + column] - here_in_column;
            let others = total - value(self.ids[row]) - value(self.ids[size + column]);
            // Without the tile; looked up only if it can move that way at all.
            let mut row_left_value = None;
            let mut column_left_value = None;
            let push = |to: usize, after: i32, out: &mut Vec<(Score, Move)>| {
                let mv = Move::Slide {
                    from: from as Cell,
                    to: to as Cell,
                };
                out.push((after as Score, mv));
            };
            let mut vertical = |to_row: usize, out: &mut Vec<(Score, Move)>| {
                let left = *row_left_value.get_or_insert_with(|| of_code(row_left));
                let moved = column_left + code(to_row as u8, colour);
                let entered = self.codes[to_row] + here_in_row;
                let mut after =
                    others + left + of_code(moved) - value(self.ids[to_row]) + of_code(entered);
                if let Some(crossings) = &crossings {
                    let rows = [(row, row_left), (to_row, entered)];
                    after += crossings.after(&rows, &[(column, moved)]);
                }
                push(to_row * size + column, after, out);
            };
            let empty_row = |to_row: &usize| cells[to_row * size + column] == EMPTY;
            (0..row)
                .rev()
                .take_while(empty_row)
                .for_each(|to| vertical(to, out));
            let mut horizontal = |to_column: usize, out: &mut Vec<(Score, Move)>| {
                let left = *column_left_value.get_or_insert_with(|| of_code(column_left));
                let moved = row_left + code(to_column as u8, colour);
                let entered = self.codes[size + to_column] + here_in_column;
                let mut after = others + left + of_code(moved) - value(self.ids[size + to_column])
                    + of_code(entered);
                if let Some(crossings) = &crossings {
                    let columns = [(column, column_left), (to_column, entered)];
                    after += crossings.after(&[(row, moved)], &columns);
                }
                push(row * size + to_column, after, out);
            };
            let empty_column = |to_column: &usize| cells[row * size + to_column] == EMPTY;
            (0..column)
                .rev()
                .take_while(empty_column)
                .for_each(|to| horizontal(to, out));
            (column + 1..size)
                .take_while(empty_column)
                .for_each(|to| horizontal(to, out));
            (row + 1..size)
                .take_while(empty_row)
                .for_each(|to| vertical(to, out));
        }
        if self.position.rules().pass || out.len() == before {
            let total = total + crossings.map_or(0, |crossings| crossings.total);
            out.push((total as Score, Move::Pass));
        }
    }

    /// Adds what blocks are worth after placements or slides, and makes points of it all.
    fn add_blocks(&self, moves: &mut [(Score, Move)]) {
        let mut blocks = match self.position.phase() {
            Phase::Slide => self.block_sums(self.tiles(), GamePhase::BeforeDraw),
            _ => self.block_sums(self.tiles() + 1, GamePhase::BeforeSlide),
        };
        for (value, mv) in moves {
            let mut after = *value as i32;
            if let Some(blocks) = &mut blocks {
                after += match *mv {
                    Move::Place(cell) => blocks.with(cell, self.position.drawn()),
                    Move::Slide { from, to } => {
                        blocks.after_slide(from, to, self.position.at(from))
                    }
                    Move::Draw(_) | Move::Pass => blocks.total(),
                };
            }
            *value = self.within_bounds(after);
        }
    }

    fn within_bounds(&self, hundredths: i32) -> Score {
        (hundredths as Score / POINT as Score).clamp(self.bounds.0, self.bounds.1)
    }
}

impl Game for Evaluated {
    type Move = Move;
    type Undo = ();

    fn turn(&self) -> Turn {
        match self.position.phase() {
            Phase::Draw => Turn::Chance,
            Phase::Place => Turn::Player(Side::Min),
            Phase::Slide => Turn::Player(Side::Max),
            Phase::Over => Turn::Over,
        }
    }

    fn moves(&self, out: &mut Vec<Move>) {
        self.position.moves(out);
    }

    fn look(&mut self, out: &mut Vec<(Score, Move)>) {
        let before = out.len();
        self.glance(out);
        self.look_closer(&mut out[before..]);
    }

    fn glance(&mut self, out: &mut Vec<(Score, Move)>) {
        match self.position.phase() {
            Phase::Draw | Phase::Over => {}
            _ if !self.untabled.is_empty() => self.look_by_making(out),
            Phase::Place => self.glance_at_placements(out),
            Phase::Slide => self.glance_at_slides(out),
        }
    }

    fn look_closer(&mut self, moves: &mut [(Score, Move)]) {
        if self.untabled.is_empty() {
            self.add_blocks(moves);
        }
    }

    /// Colours of which no tile has been drawn yet differ in nothing but their names: the first of
    /// them stands for all.
    fn outcomes(&self, out: &mut Vec<(Move, Score)>) {
        let total = Score::from(self.position.bag_total());
        let mut first_unseen: Option<usize> = None;
        for colour in 1..=self.position.size() {
            let count = self.position.in_bag(colour);
            let probability = Score::from(count) / total;
            let is_unseen = count == self.position.size();
            match first_unseen {
                Some(at) if is_unseen => out[at].1 += probability,
                _ if count > 0 => {
                    if is_unseen {
                        first_unseen = Some(out.len());
                    }
                    out.push((Move::Draw(colour), probability));
                }
                _ => {}
            }
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv)
    }

    fn make(&mut self, mv: Move) {
        match mv {
            Move::Place(cell) => self.toggle_code(cell, self.position.drawn()),
            Move::Slide { from, to } => self.toggle_slide(from, to),
            Move::Draw(_) | Move::Pass => {}
        }
        self.position.make(mv);
        self.judge_all(self.lines_of(mv));
    }

    fn unmake(&mut self, mv: Move, _undo: ()) {
        match mv {
            Move::Place(cell) => self.toggle_code(cell, self.position.at(cell)),
            Move::Slide { from, to } => self.toggle_slide(to, from),
            Move::Draw(_) | Move::Pass => {}
        }
        self.position.unmake(mv);
        self.judge_all(self.lines_of(mv));
    }

    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn plies_left(&self) -> u32 {
        self.position.plies_left()
    }

    fn bounds(&self) -> (Score, Score) {
        self.bounds
    }

    fn evaluate(&self) -> Score {
        self.within_bounds(self.total())
    }
}
