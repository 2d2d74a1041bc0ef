//! Draws how many points the moves of each player lost, separately for each role and each part of the game.

use plotters::prelude::*;
use turnwise_engine::statistics::Sample;

use super::canvas::{DrawError, panel, picture};
use super::{AGENTS, largest};

/// The share of a part's width that the bars of that part of the game take together.
const BARS: f64 = 0.8;
/// The space that is left free on either side of a bar, as a share of the bar's width.
const GAP: f64 = 0.05;

/// How many points the moves of one player lost in one role.
#[derive(Debug, Clone)]
pub struct Losses<'a> {
    /// The player's name.
    pub player: &'a str,
    /// The name of the role.
    pub role: &'a str,
    /// For each part of the game, a sample of the losses in it, with one value for each game. A game is divided into
    /// parts of equal length. The number of parts is equal for all players.
    pub parts: &'a [Sample],
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    names.fold(Vec::new(), |mut known, name| {
        if !known.contains(&name) {
            known.push(name);
        }
        known
    })
}

/// Draws the mean loss of each player in each part of the game as a bar with a 95 % interval. Each role has a panel,
/// and each player has a color; if there are more players than colors, only the first ones are shown. `unit` labels the
/// vertical axis. Returns `None` if `given` is empty.
pub fn losses(given: &[Losses], unit: &str) -> Result<Option<String>, DrawError> {
    let roles = distinct(given.iter().map(|given| given.role));
    let mut players = distinct(given.iter().map(|given| given.player));
    players.truncate(AGENTS.len());
    if players.is_empty() {
        return Ok(None);
    }
    let legend: Vec<_> = players.iter().copied().zip(AGENTS).collect();
    let samples = given.iter().flat_map(|given| given.parts);
    let top = largest(samples.map(|sample| {
        let estimate = sample.estimate();
        estimate.map_or(sample.mean(), |estimate| estimate.upper)
    }));
    let parts = given[0].parts.len();
    let whole = 100.0 / parts as f64;
    let width = BARS * whole / players.len() as f64;
    picture((1, roles.len()), &legend, |areas| {
        for (area, role) in areas.iter().zip(&roles) {
            let mut panel = panel(
                area,
                &format!("as {role}"),
                ("% of the game", 0.0..100.0),
                (unit, 0.0..(top * 1.08).max(0.1)),
            )?;
            for (number, (player, colour)) in legend.iter().enumerate() {
                let theirs =
                    (given.iter()).filter(|given| given.player == *player && given.role == *role);
                for (part, sample) in theirs.flat_map(|given| (0..).zip(given.parts)) {
                    let free = whole * (1.0 - BARS) / 2.0;
                    let left = f64::from(part) * whole + free + width * number as f64;
                    let gap = GAP * width;
                    let bar = [(left + gap, 0.0), (left + width - gap, sample.mean())];
                    panel.draw_series([Rectangle::new(bar, colour.mix(0.7).filled())])?;
                    if let Some(estimate) = sample.estimate() {
                        let middle = left + width / 2.0;
                        let interval =
                            [estimate.lower.max(0.0), estimate.upper].map(|end| (middle, end));
                        panel.draw_series(LineSeries::new(interval, colour.stroke_width(2)))?;
                    }
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_player_has_a_bar_for_each_part_in_each_role() {
        let parts = [1.0, 2.0, 0.5].map(|lost| [lost, lost + 1.0].into_iter().collect());
        let given: Vec<Losses> = [("fast", "Order"), ("slow", "Order"), ("fast", "Chaos")]
            .map(|(player, role)| Losses {
                player,
                role,
                parts: &parts,
            })
            .to_vec();
        let svg = losses(&given, "points lost").unwrap();
        let svg = svg.expect("something to draw");
        for text in ["fast", "slow", "as Order", "as Chaos", "points lost"] {
            assert!(svg.contains(text), "{text} is missing");
        }
        let bars = svg.matches("opacity=\"0.7\"").count();
        assert_eq!(bars, 3 * parts.len());
    }

    #[test]
    fn nothing_is_drawn_of_nobody() {
        assert_eq!(losses(&[], "points").unwrap(), None);
    }
}
