//! The position that the search works on, with the current values of its lines. The module `looks` evaluates moves
//! without making them.

mod looks;

use std::sync::Arc;

use super::block_sums;
use super::blocks::{BlockCode, BlockId, Blocks};
use super::crossing_sums;
use super::crossings::{CrossingId, Crossings};
use super::evaluation::{Evaluation, GamePhase};
use super::gaps::{GapId, Gaps};
use super::line_values::{POINT, line_value};
use super::local::{Local, LocalId};
use super::palindromes::board_score;
use super::patterns::{LineCode, LineId};
use super::rules::{Cell, Colour, EMPTY, MAX_SIZE, Move, Phase, Position};
use turnwise_engine::game::{Game, Score, Side, Turn};
use turnwise_engine::search::{Schedule, Width};

/// A position with the codes and pattern numbers of all its lines, which every move updates.
///
/// Lines are numbered: first the rows, then the columns.
#[derive(Debug, Clone)]
pub struct Evaluated {
    position: Position,
    evaluation: Arc<Evaluation>,
    codes: Vec<LineCode>,
    ids: Vec<LineId>,
    /// The codes of all blocks; empty if blocks have no values.
    blocks: Vec<BlockCode>,
    /// The value of each line in hundredths of a point if lines are too long for patterns; otherwise empty.
    untabled: Vec<i32>,
    /// The lower and upper bounds on the values of the current position and of all later positions.
    bounds: (Score, Score),
}

/// The numbers of the lines that a move changes: at most two rows and two columns.
type Changed = [Option<usize>; 4];

impl Evaluated {
    /// Computes all codes and numbers of a position from scratch.
    pub fn new(position: Position, evaluation: Arc<Evaluation>) -> Self {
        assert_eq!(position.size(), evaluation.size(), "values of another size");
        let size = usize::from(position.size());
        let tabled = evaluation.patterns().is_some();
        // The total length of a line's runs: there are size - length + 1 runs of each length from 2 to size.
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

    /// Returns the position: board, bag and phase.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the evaluation that supplies the line values.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Returns the codes of all rows and then of all columns.
    pub fn line_codes(&self) -> &[LineCode] {
        &self.codes
    }

    /// Returns the pattern numbers of all rows and then of all columns. They are meaningless if lines are too long for
    /// patterns.
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

    /// Adds a tile on a cell to the codes, or removes it. Both operations flip the same bits, because an empty cell has
    /// only zero bits in the codes.
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

    /// Updates a line's pattern number or value after its cells have changed.
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

    /// Returns the number of tiles placed so far.
    ///
    /// The board may have fewer tiles, because a referee may let a player overwrite a tile.
    pub fn tiles(&self) -> u16 {
        let drawn = u16::from(self.position.drawn() != EMPTY);
        self.position.cells().len() as u16 - self.position.bag_total() - drawn
    }

    /// Returns the phase whose values currently apply to the board.
    pub fn game_phase(&self) -> GamePhase {
        match self.position.phase() {
            Phase::Slide => GamePhase::BeforeSlide,
            Phase::Draw | Phase::Place | Phase::Over => GamePhase::BeforeDraw,
        }
    }

    /// Returns the number of tiles on the board and the phase at the leaves of a search of `depth` plies from here.
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

    /// Returns the expected final score, given a search's value and depth. An exact value is returned unchanged.
    /// Returns `None` if the weights are not calibrated.
    pub fn forecast(&self, value: Score, depth: u32, is_exact: bool) -> Option<Score> {
        if is_exact {
            return Some(value);
        }
        let forecast = self.evaluation.forecast.as_ref()?;
        let (tiles, game_phase) = self.horizon(depth);
        Some(value + forecast.gain(tiles, game_phase))
    }

    /// Returns a schedule whose leaves lie before the draw where possible. Before Order's slide, the value of a board
    /// depends on the slide that follows, which line values do not take into account.
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
        if let Some((gaps, values)) = self.evaluation.gaps(tiles, game_phase) {
            let (rows, columns) = self.codes.split_at(self.size());
            total += gaps.total(values, rows, columns);
        }
        total
    }

    /// Returns the crossing in each cell. `crossings` must be for boards of this size.
    pub fn crossings<'a>(
        &'a self,
        crossings: &'a Crossings,
    ) -> impl Iterator<Item = CrossingId> + 'a {
        let size = self.size();
        let (across, down) = self.codes.split_at(size);
        (0..size * size).map(move |cell| {
            let (row, column) = (cell / size, cell % size);
            crossings.id([row, column], [across[row], down[column]])
        })
    }

    /// Returns the pattern of each block on the board. `blocks` must be for boards of this size.
    pub fn block_ids<'a>(&self, blocks: &'a Blocks) -> impl Iterator<Item = BlockId> + 'a {
        let mut codes = vec![0; blocks.number()];
        for (cell, &colour) in (0..).zip(self.position.cells()) {
            for place in blocks.places(cell) {
                codes[usize::from(place.block)] |= place.code(colour);
            }
        }
        let codes = codes.into_iter().enumerate();
        codes.map(|(block, code)| blocks.id(block, code))
    }

    /// Returns the pattern of each gap on the board. `gaps` must be for boards of this size.
    pub fn gap_ids(&self, gaps: &Gaps) -> Vec<GapId> {
        let (rows, columns) = self.codes.split_at(self.size());
        let mut ids = Vec::new();
        gaps.each(rows, columns, |id| ids.push(id));
        ids
    }

    /// Returns the patterns of the board's blocks and gaps that have values in the current phase. `local` must be for
    /// boards of this size.
    pub fn local_ids(&self, local: &Local) -> Vec<LocalId> {
        let game_phase = self.game_phase();
        let mut ids: Vec<LocalId> = self.block_ids(local.blocks(game_phase)).collect();
        if let Some(gaps) = local.gaps(game_phase) {
            let behind_blocks = local.all_blocks().count() as LocalId;
            ids.extend(self.gap_ids(gaps).into_iter().map(|id| behind_blocks + id));
        }
        ids
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
            self.add_local(moves);
        }
    }

    /// Appends the possible draws with their probabilities. Colors of which no tile was drawn differ only in name, so
    /// the first such color represents them all.
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
