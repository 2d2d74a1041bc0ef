//! Computes the values of the boards after each legal move, without making the moves. A glance sums the values of lines
//! and crossings only; a closer look adds the values of blocks and gaps.

use super::Evaluated;
use crate::block_sums::BlockSums;
use crate::crossing_sums::CrossingSums;
use crate::evaluation::GamePhase;
use crate::gap_sums::GapSums;
use crate::patterns::{self, LineCode, LineId};
use crate::rules::{Cell, EMPTY, Move, Phase};
use turnwise_engine::game::Score;

impl Evaluated {
    /// Returns the sums of the crossings' values, if crossings have values for this number of tiles and this phase.
    fn crossing_sums(&self, tiles: u16, game_phase: GamePhase) -> Option<CrossingSums<'_>> {
        let (crossings, values) = self.evaluation.crossings(tiles, game_phase)?;
        let codes = self.codes.split_at(self.size());
        Some(CrossingSums::new(crossings, values, codes))
    }

    /// Returns the sums of the blocks' values, if blocks have values for this number of tiles and this phase.
    fn block_sums(&self, tiles: u16, game_phase: GamePhase) -> Option<BlockSums<'_>> {
        let (blocks, values) = self.evaluation.blocks(tiles, game_phase)?;
        Some(BlockSums::new(blocks, values, &self.blocks))
    }

    /// Returns the sums of the gaps' values, if gaps have values for this number of tiles and this phase.
    fn gap_sums(&self, tiles: u16, game_phase: GamePhase) -> Option<GapSums<'_>> {
        let (gaps, values) = self.evaluation.gaps(tiles, game_phase)?;
        Some(GapSums::new(gaps, values, self.codes.split_at(self.size())))
    }

    /// Appends each legal placement with the exact total value of lines and crossings after it.
    ///
    /// The totals are in hundredths of a point and do not include blocks and gaps.
    pub(super) fn glance_at_placements(&self, out: &mut Vec<(Score, Move)>) {
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

    /// Returns true if the tile on a cell cannot slide, because no neighboring cell is empty.
    fn is_stuck(&self, row: usize, column: usize) -> bool {
        let (size, cells) = (self.size(), self.position.cells());
        let at = row * size + column;
        !((row > 0 && cells[at - size] == EMPTY)
            || (row + 1 < size && cells[at + size] == EMPTY)
            || (column > 0 && cells[at - 1] == EMPTY)
            || (column + 1 < size && cells[at + 1] == EMPTY))
    }

    /// Appends each legal slide with the exact total value of lines and crossings after it.
    ///
    /// The totals are in hundredths of a point and do not include blocks and gaps.
    pub(super) fn glance_at_slides(&self, out: &mut Vec<(Score, Move)>) {
        let size = self.size();
        let cells = self.position.cells();
        let (tiles, game_phase) = (self.tiles(), GamePhase::BeforeDraw);
        let table = self.evaluation.table(tiles, game_phase);
        let crossings = self.crossing_sums(tiles, game_phase);
        let value = |id: LineId| i32::from(table[usize::from(id)]);
        let patterns = self.evaluation.patterns().expect("lines with patterns");
        let of_code = |code: LineCode| value(patterns.id(code));
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
            // The values of the row and the column without the tile. Each is computed only if the tile can leave it.
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

    /// Adds the values of blocks and gaps to the value of each move, and converts the sums to points.
    pub(super) fn add_local(&self, moves: &mut [(Score, Move)]) {
        let (tiles, game_phase) = match self.position.phase() {
            Phase::Slide => (self.tiles(), GamePhase::BeforeDraw),
            _ => (self.tiles() + 1, GamePhase::BeforeSlide),
        };
        let mut blocks = self.block_sums(tiles, game_phase);
        let gaps = self.gap_sums(tiles, game_phase);
        for (value, mv) in moves {
            let mut sum = *value as i32;
            if let Some(blocks) = &mut blocks {
                sum += match *mv {
                    Move::Place(cell) => blocks.with(cell, self.position.drawn()),
                    Move::Slide { from, to } => {
                        blocks.after_slide(from, to, self.position.at(from))
                    }
                    Move::Draw(_) | Move::Pass => blocks.total(),
                };
            }
            if let Some(gaps) = &gaps {
                sum += match *mv {
                    Move::Slide { from, to } => gaps.after_slide(from, to, self.position.at(from)),
                    Move::Draw(_) | Move::Place(_) | Move::Pass => gaps.total(),
                };
            }
            *value = self.within_bounds(sum);
        }
    }
}
