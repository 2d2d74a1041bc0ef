//! Writes a drawing as SVG.

use std::fmt::Write;

use super::drawing::{Drawing, Rgb, Shape};

fn hex(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Escapes the special characters of XML in a text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Returns the drawing as the text of an SVG file.
pub fn written(drawing: &Drawing) -> String {
    let [width, height] = drawing.size;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" text-anchor=\"middle\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        hex(drawing.paper)
    );
    let ink = hex(drawing.ink);
    for shape in &drawing.shapes {
        let written = match shape {
            Shape::Square {
                corner: [x, y],
                side,
                colour,
            } => writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" fill=\"{}\"/>",
                hex(*colour)
            ),
            Shape::Frame {
                corner: [x, y],
                side,
                width,
                colour,
            } => {
                let half = f64::from(*width) / 2.0;
                let [x, y] = [x, y].map(|&at| f64::from(at) + half);
                writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{inner}\" height=\"{inner}\" fill=\"none\" \
                     stroke=\"{}\" stroke-width=\"{width}\"/>",
                    hex(*colour),
                    inner = side - width,
                )
            }
            Shape::Disc {
                middle: [x, y],
                radius,
                colour,
            } => writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\" stroke=\"{ink}\"/>",
                hex(*colour)
            ),
            Shape::Text {
                middle: [x, y],
                size,
                text,
                colour,
            } => writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" dy=\"0.35em\" font-size=\"{size}\" fill=\"{}\">{}</text>",
                hex(*colour),
                escaped(text)
            ),
        };
        written.expect("memory does not refuse");
    }
    out + "</svg>\n"
}
