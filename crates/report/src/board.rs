//! A board of a logged game, as SVG.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use turnwise_engine::plugin::{Board, Look, Moved};

use super::charts::canvas::{DrawError, GRID, INK, PAPER, text};

/// The side of a cell, in pixels.
const CELL: i32 = 40;
/// The strips left and above, where rows and columns are numbered, in pixels.
const MARGIN: i32 = 28;
/// The frame of the cell that the last move went to.
const LAST: RGBColor = RGBColor(37, 99, 235);
/// The first and the second role's pieces.
const PIECES: [RGBColor; 2] = [RGBColor(32, 36, 42), RGBColor(253, 253, 251)];

/// The position on a board; the cells that the last move left and went to are marked.
///
/// # Errors
///
/// If the library that draws it fails.
pub fn board_svg(board: &dyn Board, look: Look, last: Option<Moved>) -> Result<String, DrawError> {
    let columns = board.columns() as i32;
    let letters: Vec<char> = board.letters().chars().collect();
    let rows = letters.len() as i32 / columns;
    let size = [columns, rows].map(|cells| (2 * MARGIN + CELL * cells) as u32);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size.into()).into_drawing_area();
        area.fill(&PAPER)?;
        let centred = |size| text(size).pos(Pos::new(HPos::Center, VPos::Center));
        let middle = |at: i32| MARGIN + CELL * at + CELL / 2;
        for at in 0..columns.max(rows) {
            let number = |x, y| Text::new(at.to_string(), (x, y), centred(13));
            if at < columns {
                area.draw(&number(middle(at), MARGIN / 2))?;
            }
            if at < rows {
                area.draw(&number(MARGIN / 2, middle(at)))?;
            }
        }
        for (cell, &letter) in (0..).zip(&letters) {
            let (column, row) = (cell % columns, cell / columns);
            let (left, top) = (MARGIN + CELL * column, MARGIN + CELL * row);
            let square = |inset: i32, style: ShapeStyle| {
                let far = CELL - inset;
                Rectangle::new(
                    [(left + inset, top + inset), (left + far, top + far)],
                    style,
                )
            };
            let is_letter = letter != ' ' && look.pieces.is_none();
            if is_letter {
                if letter.is_alphanumeric() {
                    area.draw(&square(1, tint(letter, columns).filled()))?;
                }
                let middle = (middle(column), middle(row));
                area.draw(&Text::new(letter.to_string(), middle, centred(20)))?;
            }
            area.draw(&square(0, GRID.stroke_width(1)))?;
            let side = look
                .pieces
                .and_then(|pieces| pieces.iter().position(|&piece| piece == letter));
            if let Some(side) = side {
                let middle = (middle(column), middle(row));
                let radius = CELL * 3 / 8;
                area.draw(&Circle::new(middle, radius, PIECES[side].filled()))?;
                area.draw(&Circle::new(middle, radius, INK.stroke_width(1)))?;
            }
            let cell = usize::try_from(cell).ok();
            let is = |marked: fn(Moved) -> Option<usize>| last.and_then(marked) == cell;
            if is(|moved| moved.to) {
                area.draw(&square(1, LAST.stroke_width(3)))?;
            } else if is(|moved| moved.from) {
                area.draw(&square(2, LAST.mix(0.5).stroke_width(1)))?;
            }
        }
        area.present()?;
    }
    Ok(svg)
}

/// Hues as far apart as the number of letters allows, light and dark in turn.
fn tint(letter: char, letters: i32) -> HSLColor {
    let index = f64::from((letter as u32).saturating_sub('A' as u32));
    let hue = (index / f64::from(letters.max(1)) + 0.02).fract();
    let lightness = if index % 2.0 == 0.0 { 0.66 } else { 0.76 };
    HSLColor(hue, 0.72, lightness)
}
