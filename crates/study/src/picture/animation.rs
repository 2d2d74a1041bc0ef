//! Writes a sequence of drawings as an animated GIF.

use std::convert::Infallible;
use std::time::Duration;

use embedded_graphics::mono_font::{MonoTextStyle, ascii};
use embedded_graphics::pixelcolor::{Gray8, GrayColor};
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{
    Circle, PrimitiveStyle, PrimitiveStyleBuilder, Rectangle, StrokeAlignment,
};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};
use gif::{Encoder, Frame, Repeat};
use thiserror::Error;

use super::Scene;
use super::drawing::{Drawing, Rgb, Shape, drawing};

/// How many times longer the last position of an animation is shown than each other position.
const LAST_SHOWN: u32 = 4;

/// The reason why an animation cannot be created.
#[derive(Debug, Error)]
pub enum AnimationError {
    /// The sequence contains no positions.
    #[error("expected at least one position")]
    Empty,
    /// A board is too large for a GIF, or the boards differ in size.
    #[error("expected boards of one size of at most 65535 pixels")]
    Size,
    /// The GIF library failed.
    #[error(transparent)]
    Encoding(#[from] gif::EncodingError),
}

/// A picture made of pixels. Each pixel is stored as the index of its color in the palette.
struct Canvas {
    size: Size,
    pixels: Vec<u8>,
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        self.size
    }
}

impl DrawTarget for Canvas {
    type Color = Gray8;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Gray8>>>(
        &mut self,
        pixels: I,
    ) -> Result<(), Infallible> {
        for Pixel(Point { x, y }, colour) in pixels {
            let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
                continue;
            };
            if x < self.size.width && y < self.size.height {
                self.pixels[(y * self.size.width + x) as usize] = colour.luma();
            }
        }
        Ok(())
    }
}

/// The colors of all drawings, sorted. A GIF allows 256 colors. More would be needed only if boards could contain more
/// different letters.
struct Palette(Vec<Rgb>);

impl Palette {
    fn of(drawings: &[Drawing]) -> Self {
        let used = drawings.iter().flat_map(|drawing| {
            let shapes = drawing.shapes.iter().map(|shape| match shape {
                Shape::Square { colour, .. }
                | Shape::Frame { colour, .. }
                | Shape::Disc { colour, .. }
                | Shape::Text { colour, .. } => *colour,
            });
            [drawing.paper, drawing.ink].into_iter().chain(shapes)
        });
        let mut colours: Vec<Rgb> = used.collect();
        colours.sort_unstable();
        colours.dedup();
        colours.truncate(256);
        Self(colours)
    }

    fn number(&self, colour: Rgb) -> Gray8 {
        Gray8::new(self.0.binary_search(&colour).unwrap_or(0) as u8)
    }

    fn bytes(&self) -> Vec<u8> {
        let bytes = self
            .0
            .iter()
            .flat_map(|&Rgb(red, green, blue)| [red, green, blue]);
        bytes.collect()
    }
}

fn painted(drawing: &Drawing, palette: &Palette) -> Canvas {
    let [width, height] = drawing.size.map(|length| length.max(0) as u32);
    let paper = palette.number(drawing.paper).luma();
    let mut canvas = Canvas {
        size: Size::new(width, height),
        pixels: vec![paper; (width * height) as usize],
    };
    for shape in &drawing.shapes {
        let Ok(()) = paint(shape, palette, palette.number(drawing.ink), &mut canvas);
    }
    canvas
}

fn paint(
    shape: &Shape,
    palette: &Palette,
    ink: Gray8,
    canvas: &mut Canvas,
) -> Result<(), Infallible> {
    let square = |[x, y]: [i32; 2], side: i32| {
        Rectangle::new(Point::new(x, y), Size::new_equal(side.max(0) as u32))
    };
    let inside = |colour, width| {
        PrimitiveStyleBuilder::new()
            .stroke_color(colour)
            .stroke_width(width)
            .stroke_alignment(StrokeAlignment::Inside)
    };
    match shape {
        Shape::Square {
            corner,
            side,
            colour,
        } => {
            let style = PrimitiveStyle::with_fill(palette.number(*colour));
            square(*corner, *side).into_styled(style).draw(canvas)
        }
        Shape::Frame {
            corner,
            side,
            width,
            colour,
        } => {
            let style = inside(palette.number(*colour), *width as u32).build();
            square(*corner, *side).into_styled(style).draw(canvas)
        }
        Shape::Disc {
            middle: [x, y],
            radius,
            colour,
        } => {
            let style = inside(ink, 1).fill_color(palette.number(*colour)).build();
            let circle = Circle::with_center(Point::new(*x, *y), *radius as u32 * 2);
            circle.into_styled(style).draw(canvas)
        }
        Shape::Text {
            middle: [x, y],
            size,
            text,
            colour,
        } => {
            let font = match size {
                0..16 => &ascii::FONT_7X13,
                _ => &ascii::FONT_10X20,
            };
            let style = TextStyleBuilder::new()
                .alignment(Alignment::Center)
                .baseline(Baseline::Middle)
                .build();
            let letters = MonoTextStyle::new(font, palette.number(*colour));
            Text::with_text_style(text, Point::new(*x, *y), letters, style).draw(canvas)?;
            Ok(())
        }
    }
}

/// Creates a GIF that shows each position for the time `each` and repeats forever.
///
/// # Errors
///
/// Returns an [`AnimationError`] if `scenes` is empty, or if the boards have an unsuitable size.
pub fn gif(scenes: &[Scene], each: Duration) -> Result<Vec<u8>, AnimationError> {
    let drawings: Vec<Drawing> = scenes.iter().map(drawing).collect();
    let size = drawings.first().ok_or(AnimationError::Empty)?.size;
    if drawings.iter().any(|drawing| drawing.size != size) {
        return Err(AnimationError::Size);
    }
    let [Ok(width), Ok(height)] = size.map(u16::try_from) else {
        return Err(AnimationError::Size);
    };
    let palette = Palette::of(&drawings);
    let mut out = Vec::new();
    {
        let mut encoder = Encoder::new(&mut out, width, height, &palette.bytes())?;
        encoder.set_repeat(Repeat::Infinite)?;
        // GIF files state times in hundredths of a second.
        let hundredths = u16::try_from(each.as_millis() / 10).unwrap_or(u16::MAX);
        let last = drawings.len() - 1;
        let mut before: Option<Canvas> = None;
        for (at, drawing) in drawings.iter().enumerate() {
            let canvas = painted(drawing, &palette);
            let mut frame = changed(before.as_ref(), &canvas);
            frame.delay = match at == last {
                true => hundredths.saturating_mul(LAST_SHOWN as u16),
                false => hundredths,
            };
            encoder.write_frame(&frame)?;
            before = Some(canvas);
        }
    }
    Ok(out)
}

/// Returns a GIF frame with the smallest rectangle that contains all pixels that differ from the picture `before`.
fn changed(before: Option<&Canvas>, now: &Canvas) -> Frame<'static> {
    let width = now.size.width as usize;
    let differs = |at: usize| before.is_none_or(|before| before.pixels[at] != now.pixels[at]);
    let places = (0..now.pixels.len()).filter(|&at| differs(at));
    let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::MAX, 0);
    for at in places {
        let (column, row) = (at % width, at / width);
        (left, right) = (left.min(column), right.max(column));
        (top, bottom) = (top.min(row), bottom.max(row));
    }
    if left > right {
        (left, right, top, bottom) = (0, 0, 0, 0);
    }
    let rows = now.pixels.chunks(width).take(bottom + 1).skip(top);
    let pixels: Vec<u8> = rows.flat_map(|row| row[left..=right].to_vec()).collect();
    Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        buffer: pixels.into(),
        ..Frame::default()
    }
}
