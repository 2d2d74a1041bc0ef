//! Draws the canvas, the legend and the axes of all charts.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

// If a color is changed here, it must also be changed in the page's style sheet, which replaces these colors in dark
// mode.
pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);
pub(super) const INK: RGBColor = RGBColor(51, 55, 61);
pub(super) const GRID: RGBColor = RGBColor(226, 229, 233);

/// The width of all charts, in pixels.
const WIDTH: u32 = 960;
/// The height of a row of panels, in pixels.
const ROW: u32 = 270;
/// The height of the legend above the panels, in pixels.
const LEGEND: u32 = 34;
/// The reason why a chart cannot be drawn.
pub type DrawError = DrawingAreaErrorKind<std::io::Error>;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Panel<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
pub(super) type Points = Vec<(f64, f64)>;

/// Draws a chart with a legend and a grid of `rows` by `columns` panels, and returns it as SVG. `fill` draws into the
/// areas of the panels.
pub(super) fn picture(
    (rows, columns): (usize, usize),
    legend: &[(&str, RGBColor)],
    fill: impl FnOnce(&[Area]) -> Result<(), DrawError>,
) -> Result<Option<String>, DrawError> {
    let mut svg = String::new();
    let height = LEGEND + ROW * rows as u32;
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        area.fill(&PAPER)?;
        let (top, body) = area.split_vertically(LEGEND);
        draw_legend(&top, legend)?;
        fill(&body.split_evenly((rows, columns)))?;
        area.present()?;
    }
    Ok(Some(svg))
}

pub(super) fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size)
        .into_text_style(&(WIDTH, ROW))
        .color(&INK)
}

fn draw_legend(area: &Area, entries: &[(&str, RGBColor)]) -> Result<(), DrawError> {
    let mut left = 60;
    for (name, colour) in entries {
        let name = shortened(name);
        area.draw(&Rectangle::new(
            [(left, 14), (left + 14, 24)],
            colour.filled(),
        ))?;
        let style = text(14).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(name.clone(), (left + 20, 20), style))?;
        left += 44 + 8 * name.chars().count() as i32;
    }
    Ok(())
}

/// Shortens a long agent name, so that the legend has room for the other names.
pub(super) fn shortened(name: &str) -> String {
    const LONGEST: usize = 24;
    match name.chars().count() {
        ..=LONGEST => name.to_owned(),
        _ => name.chars().take(LONGEST - 1).chain(['…']).collect(),
    }
}

/// Draws the title, the axes and the grid of a panel. `x` and `y` are the labels of the axes.
pub(super) fn panel<'a>(
    area: &Area<'a>,
    title: &str,
    (x, x_range): (&str, Range<f64>),
    (y, y_range): (&str, Range<f64>),
) -> Result<Panel<'a>, DrawError> {
    let mut panel = ChartBuilder::on(area)
        .caption(title, text(15))
        .margin(10)
        .x_label_area_size(38)
        .y_label_area_size(56)
        .build_cartesian_2d(wide(x_range), wide(y_range.clone()))?;
    let digits = match y_range.end - y_range.start {
        ..2.0 => 2,
        ..5.0 => 1,
        _ => 0,
    };
    panel
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(text(12))
        .axis_desc_style(text(13))
        .x_labels(10)
        .y_labels(6)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| {
            let label = format!("{y:.digits$}");
            // Removes the minus sign from "-0.0" and similar labels.
            match label.trim_start_matches(['-', '0', '.']) {
                "" => label.trim_start_matches('-').to_owned(),
                _ => label,
            }
        })
        .x_desc(x)
        .y_desc(y)
        .draw()?;
    Ok(panel)
}

fn wide(range: Range<f64>) -> Range<f64> {
    match range.end - range.start {
        width if width > 1e-9 * range.end.abs().max(1.0) => range,
        _ => range.start - 0.5..range.end + 0.5,
    }
}
