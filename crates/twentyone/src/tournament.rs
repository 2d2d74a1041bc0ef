//! Many games of one field of players, and what they show.
//!
//! All players of a game sit at one table and meet the same shoe and the same dealer; differences
//! between two of them are therefore taken game by game.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::game::Game;
use super::log::GameLog;
use super::player::Player;
use super::record::{Standing, Unobserved};
use super::rules::{Points, Settings, SettingsError};
use turnwise_engine::parallel;
use turnwise_engine::statistics::Sample;

/// Seats the players of one game.
type Seating<'a> = dyn Fn() -> Vec<Box<dyn Player>> + Sync + 'a;

/// A tournament to be played.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The same in every game.
    pub settings: Settings,
    /// Number of games.
    pub games: u32,
    /// Seed of the first game.
    pub seed: u64,
    /// Threads that play.
    pub threads: usize,
}

/// Seed of one game of a tournament (the finaliser of splitmix64, so that neighbours differ).
pub fn game_seed(seed: u64, game: u32) -> u64 {
    let mut mixed = seed.wrapping_add(u64::from(game).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// Plays all games, or as many as are finished when `is_stopped`, which is asked before every round; `done` is
/// called after each game, and `log` records the first. The result is in the order of the games and does not
/// depend on the number of threads.
pub fn play(
    plan: &Plan,
    seating: &Seating<'_>,
    is_stopped: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn() + Sync),
    log: Option<&mut GameLog>,
) -> Result<Vec<Vec<Standing>>, SettingsError> {
    plan.settings.clone().validated()?;
    let log = Mutex::new(log);
    let play_one = |(): &mut (), number| {
        let mut log = match number {
            0 => log.lock().expect("taken once").take(),
            _ => None,
        };
        let seed = game_seed(plan.seed, number as u32);
        let mut players = seating();
        let game = Game::new(plan.settings.clone(), players.len(), seed);
        let mut game = game.expect("the settings are checked");
        while !game.is_over() {
            if is_stopped() {
                return ControlFlow::Break(());
            }
            match &mut log {
                Some(log) => game.play_round(&mut players, *log),
                None => game.play_round(&mut players, &mut Unobserved),
            }
        }
        let standings = game.standings();
        if let Some(log) = log {
            log.standings.clone_from(&standings);
        }
        done();
        ControlFlow::Continue(standings)
    };
    let games = plan.games.into();
    Ok(parallel::map(games, plan.threads, || (), play_one))
}

/// What the games show of one player.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Points at the end.
    pub points: Sample,
    /// Place; players that share places are given the mean of them.
    pub place: Sample,
    /// Games won outright or shared.
    pub first: u32,
    /// Games that ended without points.
    pub ruined: u32,
    /// Points more than the first player of the list has in the same game.
    pub points_ahead_of_first: Sample,
    /// Places behind the first player of the list in the same game.
    pub places_behind_first: Sample,
}

/// Summaries by player id.
pub fn summarise(players: usize, games: &[Vec<Standing>]) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); players];
    for standings in games {
        let mut by_id: Vec<(Points, f64)> = vec![(0, 0.0); players];
        for standing in standings {
            let sharing = standings.iter();
            let sharing = sharing
                .filter(|other| other.place == standing.place)
                .count();
            let place = f64::from(standing.place) + (sharing as f64 - 1.0) / 2.0;
            by_id[standing.id as usize] = (standing.points, place);
            let summary = &mut summaries[standing.id as usize];
            summary.points.add(standing.points as f64);
            summary.place.add(place);
            summary.first += u32::from(standing.place == 1);
            summary.ruined += u32::from(standing.points == 0);
        }
        for (summary, &(points, place)) in summaries.iter_mut().zip(&by_id) {
            summary
                .points_ahead_of_first
                .add(points as f64 - by_id[0].0 as f64);
            summary.places_behind_first.add(place - by_id[0].1);
        }
    }
    summaries
}

#[cfg(test)]
mod tests {
    use super::super::record::standings;
    use super::*;

    #[test]
    fn shared_places_count_as_their_mean() {
        let games = [standings(&[(5, None), (5, None), (9, None)])];
        let summaries = summarise(3, &games);
        assert_eq!(summaries[0].place.mean(), 2.5);
        assert_eq!(summaries[2].first, 1);
        assert_eq!(summaries[2].points_ahead_of_first.mean(), 4.0);
        assert_eq!(summaries[2].places_behind_first.mean(), -1.5);
    }
}
