//! Draws the charts of a match as SVG.
//!
//! Every color that must change in dark mode is a constant of the module `canvas`. The page's style sheet finds these
//! colors in the SVG attributes and replaces them. Text uses the viewer's sans-serif font.

pub(super) mod canvas;
mod estimate;
mod losses;

use std::collections::BTreeMap;

use plotters::prelude::*;
use turnwise_arena::records::MoveRecord;
use turnwise_engine::plugin::{Scoring, Victory};
use turnwise_engine::statistics::Sample;

pub use canvas::DrawError;
use canvas::{INK, Points, panel, picture, shortened};
use estimate::{Observed, running_estimate};
pub use losses::{Losses, losses};

use super::Match;
use super::page::Chart;
use super::played::Played;
use super::standings::{sides, standings};

/// The colors that distinguish the agents in a chart; each is legible on light and on dark backgrounds.
const AGENTS: [RGBColor; 8] = [
    RGBColor(59, 130, 246),
    RGBColor(234, 108, 32),
    RGBColor(34, 160, 107),
    RGBColor(168, 85, 247),
    RGBColor(219, 68, 138),
    RGBColor(14, 150, 170),
    RGBColor(168, 138, 20),
    RGBColor(220, 60, 60),
];

/// The approximate maximum number of bars in a histogram.
const BARS: f64 = 24.0;

/// Draws all charts of a match.
pub fn charts(of: &Match) -> Result<Vec<Chart>, DrawError> {
    let mut charts = match of.is_at_tables() {
        true => vec![
            Chart {
                name: "estimate",
                title: "Running estimate",
                caption: "Mean points won in a game, after each rotation, with its 95 % interval. Not adjusted for \
                          the opponents at the table; the ranking is."
                    .to_owned(),
                svg: running_estimate(of, &Observed::of_rotations(of))?,
            },
            Chart {
                name: "won",
                title: "Points won",
                caption: "Distribution of the points that an agent won in a game (right is good). Broken lines: the \
                          means. Games from which a fault removed it are excluded."
                    .to_owned(),
                svg: distribution(of, "points won", won(of))?,
            },
            time(of)?,
        ],
        false => vec![
            Chart {
                name: "estimate",
                title: "Running estimate",
                caption: "Mean difference of a pair's two games in points, after each pair, with its \
                          95 % interval. Above zero is better; an interval that excludes zero is evidence of a \
                          difference, unless the match was stopped because of it."
                    .to_owned(),
                svg: running_estimate(of, &Observed::of_pairs(of))?,
            },
            results(of)?,
            time(of)?,
            Chart {
                name: "depth",
                title: "Depth of search",
                caption: "Mean number of plies searched, by ply, for agents that report it.".to_owned()
                    + limits(of),
                svg: depth(of)?,
            },
        ],
    };
    if are_too_many(of) {
        for chart in &mut charts {
            chart.caption += &format!(" The best {} agents are shown.", AGENTS.len());
        }
    }
    Ok(charts)
}

/// Returns the end of the caption of a chart that shows moves, whose records may have been kept for some games only.
fn limits(of: &Match) -> &'static str {
    match of.whole_games().count() < of.games.len() {
        true => " Only the games on this page count.",
        false => "",
    }
}

/// Draws the distribution of the final scores. In games that are only won or lost, draws the number of plies to win
/// instead.
fn results(of: &Match) -> Result<Chart, DrawError> {
    let about = of.header.game.about();
    let [first, second] = about.roles;
    Ok(match (about.scoring, about.victory) {
        (Scoring::Win, Some(Victory { by, .. })) => Chart {
            name: "lengths",
            title: "Plies to win",
            caption: format!(
                "Length in plies of the games that an agent won {by}; left is good. Broken lines: the means."
            ),
            svg: distribution(of, "plies", by_role(of, plies_to_win))?,
        },
        _ => Chart {
            name: "scores",
            title: "Scores by role",
            caption: format!(
                "Distribution of {first}'s final scores, for an agent as {first} (right is good) and as {second} \
                 (left is good). Broken lines: the means. Games that ended by a fault are excluded."
            ),
            svg: distribution(
                of,
                &format!("{first}'s score"),
                by_role(of, |game, _| Some(game.outcome.score)),
            )?,
        },
    })
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// Returns the agents to show in a chart, each with its color. If there are more agents than colors, only the best are
/// shown.
fn agents(of: &Match) -> Vec<(&str, RGBColor)> {
    let mut names: Vec<&str> = of.header.agents.iter().map(|agent| &*agent.name).collect();
    if are_too_many(of) {
        names = match of.ranking() {
            Some(ranking) => ranking.ranked.iter().map(|one| &*one.agent).collect(),
            None => standings(of).iter().map(|one| one.agent).collect(),
        };
    }
    names.into_iter().zip(AGENTS).collect()
}

fn are_too_many(of: &Match) -> bool {
    of.header.agents.len() > AGENTS.len()
}

/// Returns the filled area between two lines whose points have equal x coordinates.
fn band(low: &[(f64, f64)], high: &[(f64, f64)], colour: RGBColor) -> Polygon<(f64, f64)> {
    let outline: Points = (low.iter().chain(high.iter().rev())).copied().collect();
    Polygon::new(outline, colour.mix(0.16).filled())
}

/// Returns the number of plies in a game if `side` won it on the board, that is, without a fault of the opponent;
/// otherwise `None`.
fn plies_to_win(game: &Played, side: usize) -> Option<f64> {
    let outcome = &game.outcome;
    let is_won = outcome.is_won_on_board && (outcome.score == 1.0) == (side == 0);
    is_won.then(|| outcome.plies().into())
}

/// The data of one panel of a histogram: the panel's title, and one list of values for each shown agent.
type Figures = (String, Vec<Vec<f64>>);

/// Returns one panel for each role. A panel contains the values that `figure` computes for each agent's games in that
/// role; games with faults are omitted.
fn by_role(of: &Match, figure: impl Fn(&Played, usize) -> Option<f64>) -> Vec<Figures> {
    let panels = sides(of).map(|(side, role)| {
        let figures = agents(of).into_iter().map(|(agent, _)| {
            let place = of.place(agent);
            let is_theirs = |game: &&Played| game.agent(side) == place && game.faults().is_empty();
            let theirs = of.games.iter().filter(is_theirs);
            theirs.filter_map(|game| figure(game, side)).collect()
        });
        (format!("as {role}"), figures.collect())
    });
    panels.into()
}

/// Returns the points that each agent won in each game with more than two players. A single panel suffices, because
/// each agent takes every seat.
fn won(of: &Match) -> Vec<Figures> {
    let figures = agents(of).into_iter().map(|(agent, _)| {
        let won = of.games.iter().filter_map(|game| {
            let is_out = game.faults().iter().any(|fault| fault.agent == agent);
            let table = game.table().filter(|_| !is_out)?;
            let mut players = table.players.iter();
            let side = players.position(|&player| of.name(player) == agent)?;
            table.won.get(side).copied()
        });
        won.collect()
    });
    vec![("in a game".to_owned(), figures.collect())]
}

/// Draws one histogram panel for each entry of `figures`; `name` labels the horizontal axis.
fn distribution(
    of: &Match,
    name: &str,
    figures: Vec<Figures>,
) -> Result<Option<String>, DrawError> {
    let all = || figures.iter().flat_map(|(_, agents)| agents).flatten();
    let (low, high) = match all().next() {
        None => return Ok(None),
        Some(&first) => (
            all().copied().fold(first, f64::min),
            all().copied().fold(first, f64::max),
        ),
    };
    let width = ((high - low + 1.0) / BARS).ceil().max(1.0);
    let start = (low / width).floor() * width;
    let bars = ((high - start) / width) as usize + 1;
    let histogram = |figures: &Vec<f64>| {
        let mut counts = vec![0.0; bars];
        for figure in figures {
            counts[((figure - start) / width) as usize] += 100.0 / figures.len() as f64;
        }
        let mean = figures.iter().copied().collect::<Sample>().mean();
        (counts, (!figures.is_empty()).then_some(mean))
    };
    let legend = agents(of);
    let panels: Vec<Vec<_>> = (figures.iter())
        .map(|(_, agents)| {
            let colours = legend.iter().map(|&(_, colour)| colour);
            agents.iter().map(histogram).zip(colours).collect()
        })
        .collect();
    let top =
        largest((panels.iter().flatten()).flat_map(|((counts, _), _)| counts.iter().copied()));
    let end = start + width * bars as f64;
    picture((1, figures.len()), &legend, |areas| {
        for ((area, (title, _)), agents) in areas.iter().zip(&figures).zip(panels) {
            let mut panel = panel(
                area,
                title,
                (name, start - width..end + width),
                ("% of games", 0.0..(top * 1.08).max(1.0)),
            )?;
            for ((counts, mean), colour) in agents {
                let mut outline = vec![(start, 0.0)];
                let mut left = start;
                for count in counts {
                    outline.extend([(left, count), (left + width, count)]);
                    left += width;
                }
                outline.push((end, 0.0));
                panel.draw_series([Polygon::new(outline.clone(), colour.mix(0.16).filled())])?;
                panel.draw_series(LineSeries::new(outline, colour.stroke_width(2)))?;
                if let Some(mean) = mean {
                    let middle = mean + width.min(1.0) / 2.0;
                    let line = [(middle, 0.0), (middle, top * 1.08)];
                    let style = colour.stroke_width(2);
                    panel.draw_series(DashedLineSeries::new(line, 5, 4, style))?;
                }
            }
        }
        Ok(())
    })
}

/// Returns the moves that an agent made in the role `side`, grouped by ply. If `side` is `None`, returns the agent's
/// moves in both roles. Moves of a random opening are omitted.
fn by_ply<'a>(
    of: &'a Match,
    agent: &'a str,
    side: Option<usize>,
) -> BTreeMap<u32, Vec<&'a MoveRecord>> {
    let about = of.header.game.about();
    let mut plies: BTreeMap<u32, Vec<&MoveRecord>> = BTreeMap::new();
    for game in of.whole_games() {
        let opening = game.opening_plies() as u32;
        let is_theirs = |mv: &&MoveRecord| {
            let is_in_role = side.is_none() || about.side(&mv.role) == side;
            mv.agent == agent && is_in_role
        };
        let chosen = (game.moves.iter()).filter(|mv| is_theirs(mv) && mv.ply > opening);
        for mv in chosen {
            plies.entry(mv.ply).or_default().push(mv);
        }
    }
    plies
}

/// Returns a line with one point for each ply. The value of a point is computed by `figure` from the measurements of
/// all moves at that ply; moves without a measurement are omitted.
fn line(
    plies: &BTreeMap<u32, Vec<&MoveRecord>>,
    measure: impl Fn(&MoveRecord) -> Option<f64>,
    figure: impl Fn(&mut [f64]) -> f64,
) -> Points {
    let mut points = Vec::new();
    for (&ply, moves) in plies {
        let mut values: Vec<f64> = moves.iter().filter_map(|mv| measure(mv)).collect();
        if !values.is_empty() {
            values.sort_by(f64::total_cmp);
            points.push((f64::from(ply), figure(&mut values)));
        }
    }
    points
}

fn mean(values: &mut [f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn percentile(hundredths: usize) -> impl Fn(&mut [f64]) -> f64 {
    move |sorted| sorted[(sorted.len() - 1) * hundredths / 100]
}

/// The maximum of the vertical axis in [`time_used`], as a multiple of the longest time that a move took.
const TIME_HEADROOM: f64 = 2.0;

/// The lines in one panel of the chart [`time_used`]. Each line has one point for each ply.
struct TimeLines {
    used: Points,
    low: Points,
    high: Points,
    longest: Points,
    soft: Points,
    hard: Points,
}

fn time(of: &Match) -> Result<Chart, DrawError> {
    Ok(Chart {
        name: "time",
        title: "Time used against budget",
        caption: "By ply: mean time used (line), from the 10th to the 90th percentile (band), \
                  the longest (dots), the planned time for the move (dashes) and its limit (dotted). Budgets above \
                  the chart are drawn at its top."
            .to_owned()
            + limits(of),
        svg: time_used(of)?,
    })
}

fn time_used(of: &Match) -> Result<Option<String>, DrawError> {
    let legend = agents(of);
    // The chart compares the time of a move with its budget. A budget limits the time that is charged to the clock, so
    // the chart shows the charged time.
    let used = |mv: &MoveRecord| mv.charged_ms(of.header.counts);
    let lines = |agent, side| {
        let plies = by_ply(of, agent, side);
        TimeLines {
            used: line(&plies, used, mean),
            low: line(&plies, used, percentile(10)),
            high: line(&plies, used, percentile(90)),
            longest: line(&plies, used, percentile(100)),
            soft: line(&plies, |mv| mv.soft_ms, mean),
            hard: line(&plies, |mv| mv.hard_ms, mean),
        }
    };
    let parts: Vec<_> = match of.is_at_tables() {
        true => vec![(None, String::new())],
        false => (sides(of).into_iter())
            .map(|(side, role)| (Some(side), format!(" as {role}")))
            .collect(),
    };
    let rows: Vec<_> = (legend.iter())
        .flat_map(|&(agent, colour)| {
            let row = |(side, role): &(Option<usize>, String)| {
                let title = shortened(agent) + role;
                (title, lines(agent, *side), colour)
            };
            parts.iter().map(row).collect::<Vec<_>>()
        })
        .collect();
    if rows.iter().all(|(_, lines, _)| lines.used.is_empty()) {
        return Ok(None);
    }
    let last = last_ply(rows.iter().map(|(_, lines, _)| &lines.used));
    let highest = |of: fn(&TimeLines) -> &Points| {
        largest(
            rows.iter()
                .flat_map(|(_, lines, _)| of(lines))
                .map(|&(_, y)| y),
        )
    };
    let budget = highest(|lines| &lines.hard).max(highest(|lines| &lines.soft));
    let longest = highest(|lines| &lines.longest);
    // Late moves may use only a tiny part of a large budget. If the axis extended to that budget, all other lines would
    // look flat.
    let top = budget.min(TIME_HEADROOM * longest).max(longest);
    let inside = |line: Points| line.into_iter().map(|(x, y)| (x, y.min(top * 1.05)));
    picture((legend.len(), parts.len()), &legend, |areas| {
        for (area, (title, lines, colour)) in areas.iter().zip(rows) {
            let axes = (("ply", 0.0..last), ("ms", 0.0..(top * 1.05).max(0.1)));
            let mut panel = panel(area, &title, axes.0, axes.1)?;
            panel.draw_series([band(&lines.low, &lines.high, colour)])?;
            let budget = INK.mix(0.75).stroke_width(1);
            panel.draw_series(DashedLineSeries::new(inside(lines.soft), 6, 4, budget))?;
            panel.draw_series(DashedLineSeries::new(inside(lines.hard), 2, 3, budget))?;
            let dot = |at| Circle::new(at, 2, colour.filled());
            panel.draw_series(lines.longest.into_iter().map(dot))?;
            panel.draw_series(LineSeries::new(lines.used, colour.stroke_width(2)))?;
        }
        Ok(())
    })
}

fn last_ply<'a>(lines: impl Iterator<Item = &'a Points>) -> f64 {
    largest(lines.flatten().map(|&(ply, _)| ply)).max(1.0)
}

fn depth(of: &Match) -> Result<Option<String>, DrawError> {
    let legend = agents(of);
    let panels = sides(of).map(|(side, _)| -> Vec<(Points, RGBColor)> {
        (legend.iter())
            .map(|&(agent, colour)| {
                let depths = |mv: &MoveRecord| mv.depth.map(f64::from);
                (line(&by_ply(of, agent, Some(side)), depths, mean), colour)
            })
            .collect()
    });
    let lines = || panels.iter().flatten().map(|(line, _)| line);
    if lines().all(Vec::is_empty) {
        return Ok(None);
    }
    let last = last_ply(lines());
    let top = largest(lines().flatten().map(|&(_, depth)| depth)) * 1.08;
    picture((1, 2), &legend, |areas| {
        for ((area, (_, role)), lines) in areas.iter().zip(sides(of)).zip(panels.clone()) {
            let title = format!("as {}", role);
            let axes = (("ply", 0.0..last), ("plies searched", 0.0..top.max(1.0)));
            let mut panel = panel(area, &title, axes.0, axes.1)?;
            for (line, colour) in lines {
                panel.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
            }
        }
        Ok(())
    })
}
