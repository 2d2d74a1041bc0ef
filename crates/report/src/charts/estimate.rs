//! Draws how an agent's mean result and its confidence interval develop during a match.

use plotters::prelude::*;
use turnwise_engine::statistics::Sample;

use super::canvas::{DrawError, INK, Points, panel, picture, shortened};
use super::{agents, band, largest};
use crate::Match;
use crate::rotations::rotations;
use crate::standings::pairs;

/// The results of a match in the order of play; each pair or rotation is one observation.
pub(super) struct Observed<'a> {
    /// The label of the horizontal axis: `pairs` or `rotations`.
    unit: &'static str,
    /// The label of the vertical axis, for example `Points a pair`.
    points: &'static str,
    /// For each observation, the names of the participants, each with the number of points that it won.
    all: Vec<Vec<(&'a str, f64)>>,
}

impl<'a> Observed<'a> {
    /// Returns the results with one observation for each pair of games. For each of the two agents, the observation
    /// states how many points more than its opponent it scored in both games together.
    pub fn of_pairs(of: &'a Match) -> Self {
        let pairs = pairs(of).map(|pair| {
            let difference = pair.result.difference();
            vec![(pair.first, difference), (pair.second, -difference)]
        });
        Self {
            unit: "pairs",
            points: "Points a pair",
            all: pairs.collect(),
        }
    }

    /// Returns the results with one observation for each rotation: for each agent, the mean number of points that it
    /// won per game of the rotation.
    pub fn of_rotations(of: &'a Match) -> Self {
        let rotations = rotations(of).into_iter().map(|rotation| rotation.won);
        Self {
            unit: "rotations",
            points: "Points won a game",
            all: rotations.collect(),
        }
    }

    /// Computes an agent's mean result after each observation, and both ends of the confidence interval as soon as it
    /// exists.
    fn course(&self, agent: &str) -> Course {
        let mut course = Course::default();
        let mut mean = Sample::default();
        for (at, observation) in (1..).zip(&self.all) {
            let Some((_, won)) = observation.iter().find(|(known, _)| *known == agent) else {
                continue;
            };
            mean.add(*won);
            let (x, y) = (f64::from(at), mean.mean());
            course.middle.push((x, y));
            let half = mean.half_width();
            if half.is_finite() {
                course.low.push((x, y - half));
                course.high.push((x, y + half));
            }
        }
        course
    }
}

#[derive(Default)]
struct Course {
    low: Points,
    middle: Points,
    high: Points,
}

/// Draws for each agent how its mean result and the 95 % confidence interval of the mean develop with every
/// observation.
pub(super) fn running_estimate(
    of: &Match,
    observed: &Observed,
) -> Result<Option<String>, DrawError> {
    let count = observed.all.len() as f64;
    if observed.all.is_empty() {
        return Ok(None);
    }
    // With two agents, the second agent's line would be a mirror image of the first agent's, so only the first line is
    // drawn.
    let shown = match agents(of) {
        shown if shown.len() == 2 => shown[..1].to_vec(),
        shown => shown,
    };
    let courses: Vec<_> = (shown.iter())
        .map(|&(agent, colour)| (observed.course(agent), colour))
        .collect();
    // The first quarter of the intervals is ignored when the range of the axis is chosen. These intervals are so wide
    // that the later ones would look like a single line.
    let seen = || {
        (courses.iter()).flat_map(|(Course { low, middle, high }, _)| {
            let late = low.len() / 4;
            let ends = low.iter().skip(late).chain(high.iter().skip(late));
            middle.iter().chain(ends).map(|&(_, y)| y)
        })
    };
    let (bottom, top) = (-largest(seen().map(|y| -y)), largest(seen()));
    let margin = ((top - bottom) * 0.1).max(0.5);
    let (bottom, top) = (bottom - margin, top + margin);
    let title = match &shown[..] {
        [(agent, _)] => format!("{} for {}", observed.points, shortened(agent)),
        _ => observed.points.to_owned(),
    };
    picture((1, 1), &shown, |areas| {
        let mut panel = panel(
            &areas[0],
            &title,
            (observed.unit, 0.0..count),
            ("points", bottom..top),
        )?;
        panel.draw_series(LineSeries::new(
            [(0.0, 0.0), (count, 0.0)],
            INK.stroke_width(1),
        ))?;
        for (Course { low, middle, high }, colour) in courses {
            let inside = |line: Points| -> Points {
                let clamped = |(x, y): (f64, f64)| (x, y.clamp(bottom, top));
                line.into_iter().map(clamped).collect()
            };
            let (low, high) = (inside(low), inside(high));
            panel.draw_series([band(&low, &high, colour)])?;
            panel.draw_series(LineSeries::new(inside(middle), colour.stroke_width(2)))?;
        }
        Ok(())
    })
}
