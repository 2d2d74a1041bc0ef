//! The shapes that make up a picture, with their positions and colors.

use super::Scene;

/// The side length of a cell, in pixels.
const CELL: i32 = 40;
/// The width of the strips around the board that show the row and column numbers, in pixels.
const MARGIN: i32 = 28;

const PAPER: Rgb = Rgb(255, 255, 255);
const INK: Rgb = Rgb(51, 55, 61);
const GRID: Rgb = Rgb(226, 229, 233);
/// The colors of the frames that mark the last move: around the cell that it went to, and around the cell that it left.
const LAST: [Rgb; 2] = [Rgb(37, 99, 235), Rgb(146, 177, 245)];
/// The colors of the first and the second role's pieces.
const PIECES: [Rgb; 2] = [Rgb(32, 36, 42), Rgb(253, 253, 251)];

/// A color, given by its red, green and blue components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// A shape of a picture. Its position is in pixels from the upper left corner of the picture, and its lengths are in
/// pixels.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A filled square; `corner` is its upper left corner.
    Square {
        corner: [i32; 2],
        side: i32,
        colour: Rgb,
    },
    /// The frame of a square, drawn inside the square's edges.
    Frame {
        corner: [i32; 2],
        side: i32,
        width: i32,
        colour: Rgb,
    },
    /// A filled circle whose edge has the color [`Drawing::ink`].
    Disc {
        middle: [i32; 2],
        radius: i32,
        colour: Rgb,
    },
    /// Text that is centered at the point `middle`.
    Text {
        middle: [i32; 2],
        size: i32,
        text: String,
        colour: Rgb,
    },
}

/// A picture that consists of shapes. Later shapes cover earlier shapes.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The width and the height of the picture, in pixels.
    pub size: [i32; 2],
    pub paper: Rgb,
    pub ink: Rgb,
    pub shapes: Vec<Shape>,
}

/// Returns the picture of a board with its last move.
pub fn drawing(scene: &Scene) -> Drawing {
    let letters: Vec<char> = scene.grid.letters.chars().collect();
    let columns = scene.grid.columns.max(1);
    let rows = letters.len().div_ceil(columns) as i32;
    let columns = columns as i32;
    let mut shapes = Vec::new();
    let middle = |at: i32| MARGIN + CELL * at + CELL / 2;
    for at in 0..columns.max(rows) {
        let mut number = |middle| {
            shapes.push(Shape::Text {
                middle,
                size: 13,
                text: at.to_string(),
                colour: INK,
            });
        };
        if at < columns {
            number([middle(at), MARGIN / 2]);
        }
        if at < rows {
            number([MARGIN / 2, middle(at)]);
        }
    }
    for (cell, &letter) in letters.iter().enumerate() {
        let (column, row) = (cell as i32 % columns, cell as i32 / columns);
        let corner = [MARGIN + CELL * column, MARGIN + CELL * row];
        let middle = [middle(column), middle(row)];
        let frame = |inset: i32, width, colour| Shape::Frame {
            corner: corner.map(|at| at + inset),
            side: CELL - 2 * inset,
            width,
            colour,
        };
        let side = scene
            .look
            .pieces
            .and_then(|pieces| pieces.iter().position(|&piece| piece == letter));
        if scene.look.pieces.is_none() && letter != ' ' {
            if letter.is_alphanumeric() {
                shapes.push(Shape::Square {
                    corner,
                    side: CELL,
                    colour: tint(letter, columns),
                });
            }
            shapes.push(Shape::Text {
                middle,
                size: 20,
                text: letter.to_string(),
                colour: INK,
            });
        }
        shapes.push(frame(0, 1, GRID));
        if let Some(side) = side {
            shapes.push(Shape::Disc {
                middle,
                radius: CELL * 3 / 8,
                colour: PIECES[side],
            });
        }
        let last = scene.last.as_ref();
        if last.and_then(|moved| moved.to) == Some(cell) {
            shapes.push(frame(1, 3, LAST[0]));
        } else if last.and_then(|moved| moved.from) == Some(cell) {
            shapes.push(frame(2, 2, LAST[1]));
        }
    }
    Drawing {
        size: [columns, rows].map(|cells| 2 * MARGIN + CELL * cells),
        paper: PAPER,
        ink: INK,
        shapes,
    }
}

/// Returns the background color for a letter. The hues of different letters are as far apart as the number of letters
/// allows, and the colors are alternately dark and light.
fn tint(letter: char, letters: i32) -> Rgb {
    let index = f64::from((letter as u32).saturating_sub('A' as u32));
    let hue = (index / f64::from(letters) + 0.02).fract();
    let lightness = if index % 2.0 == 0.0 { 0.66 } else { 0.76 };
    of_hue(hue, 0.72, lightness)
}

/// Returns the color with this hue, saturation and lightness, each from 0 to 1 (W3C CSS Color 4, section 7.1).
fn of_hue(hue: f64, saturation: f64, lightness: f64) -> Rgb {
    let part = |offset: f64| {
        let k = (offset + hue * 12.0) % 12.0;
        let spread = saturation * lightness.min(1.0 - lightness);
        let value = lightness - spread * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    Rgb(part(0.0), part(8.0), part(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hues_are_those_of_the_web() {
        assert_eq!(of_hue(0.0, 1.0, 0.5), Rgb(255, 0, 0));
        assert_eq!(of_hue(1.0 / 3.0, 1.0, 0.5), Rgb(0, 255, 0));
        assert_eq!(of_hue(2.0 / 3.0, 1.0, 0.25), Rgb(0, 0, 128));
        assert_eq!(of_hue(0.5, 0.0, 1.0), Rgb(255, 255, 255));
    }
}
