//! Many games of one field of players, and what they show.
//!
//! All players of a game sit at one table and meet the same shoe and the same dealer; differences
//! between two of them are therefore taken game by game. Each shoe is played again until everybody has had
//! every seat. These games are a rotation, and what a rotation shows is one observation: luck of seats falls
//! out of it, and games of the same shoe are not taken for independent ones.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::game::Game;
use super::log::GameLog;
use super::player::Player;
use super::record::{Standing, Unobserved};
use super::rules::{Settings, SettingsError};
use turnwise_engine::parallel;
use turnwise_engine::statistics::Sample;

/// Seats the players of one game.
type Seating<'a> = dyn Fn() -> Vec<Box<dyn Player>> + Sync + 'a;

/// A tournament to be played.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The same in every game.
    pub settings: Settings,
    /// How many games are played.
    pub games: u32,
    /// Seed of the first game.
    pub seed: u64,
    /// How many threads play games at the same time.
    pub threads: usize,
}

/// Seed of one game of a tournament (the finaliser of splitmix64, so that neighbours differ).
pub fn game_seed(seed: u64, game: u32) -> u64 {
    let mut mixed = seed.wrapping_add(u64::from(game).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A game that was played to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Its number in the tournament, from 0.
    pub number: u32,
    /// The standings by the players' places in their list.
    pub standings: Vec<Standing>,
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
) -> Result<Vec<Played>, SettingsError> {
    plan.settings.clone().validated()?;
    let log = Mutex::new(log);
    let play_one = |(): &mut (), number| {
        let number = number as u32;
        let mut log = match number {
            0 => log.lock().expect("taken once").take(),
            _ => None,
        };
        let mut players = seating();
        let seats = players.len() as u32;
        let seed = game_seed(plan.seed, number / seats);
        // So many seats on from where they began; the identities at the table are seats.
        let moved = number % seats;
        players.rotate_right(moved as usize);
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
        let standings = of_players(game.standings(), seats, moved);
        if let Some(log) = log {
            log.standings.clone_from(&standings);
        }
        done();
        ControlFlow::Continue(Played { number, standings })
    };
    let games = plan.games.into();
    Ok(parallel::map(games, plan.threads, || (), play_one))
}

/// The standings by players instead of seats, when they sat so many seats on.
fn of_players(mut standings: Vec<Standing>, seats: u32, moved: u32) -> Vec<Standing> {
    for standing in &mut standings {
        standing.id = (standing.id + seats - moved) % seats;
    }
    standings.sort_by_key(|standing| (standing.place, standing.id));
    standings
}

/// The games of each shoe, of games in their order; some may be missing where a tournament was ended early.
pub fn rotations(players: usize, games: &[Played]) -> impl Iterator<Item = &[Played]> {
    games.chunk_by(move |one, next| {
        let [one, next] = [one, next].map(|game| game.number as usize / players);
        one == next
    })
}

/// What the games show of one player; each observation is a rotation's mean.
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
    /// Points more than the first player of the list has in the same games.
    pub points_ahead_of_first: Sample,
    /// Places behind the first player of the list in the same games.
    pub places_behind_first: Sample,
}

/// Summaries by player, of games in their order.
pub fn summarise(players: usize, games: &[Played]) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); players];
    for rotation in rotations(players, games) {
        let mut points = vec![Sample::default(); players];
        let mut places = vec![Sample::default(); players];
        for Played { standings, .. } in rotation {
            for standing in standings {
                let sharing = standings
                    .iter()
                    .filter(|other| other.place == standing.place);
                let place = f64::from(standing.place) + (sharing.count() as f64 - 1.0) / 2.0;
                let id = standing.id as usize;
                points[id].add(standing.points as f64);
                places[id].add(place);
                summaries[id].first += u32::from(standing.place == 1);
                summaries[id].ruined += u32::from(standing.points == 0);
            }
        }
        for (id, summary) in summaries.iter_mut().enumerate() {
            let [points_ahead, places_behind] =
                [&points, &places].map(|samples| samples[id].mean() - samples[0].mean());
            summary.points.add(points[id].mean());
            summary.place.add(places[id].mean());
            summary.points_ahead_of_first.add(points_ahead);
            summary.places_behind_first.add(places_behind);
        }
    }
    summaries
}

#[cfg(test)]
mod tests {
    use super::super::player::{Fault, Reply, View};
    use super::super::record::standings;
    use super::super::rules::{Points, RuleSet};
    use super::*;
    use crate::actions::Action;

    fn played(games: &[&[Points]]) -> Vec<Played> {
        let standings = |points: &[Points]| {
            let results: Vec<_> = points.iter().map(|&points| (points, None)).collect();
            standings(&results)
        };
        (0..)
            .zip(games)
            .map(|(number, points)| Played {
                number,
                standings: standings(points),
            })
            .collect()
    }

    #[test]
    fn shared_places_count_as_their_mean() {
        let summaries = summarise(3, &played(&[&[5, 5, 9]]));
        assert_eq!(summaries[0].place.mean(), 2.5);
        assert_eq!(summaries[2].first, 1);
        assert_eq!(summaries[2].points_ahead_of_first.mean(), 4.0);
        assert_eq!(summaries[2].places_behind_first.mean(), -1.5);
    }

    #[test]
    fn a_rotation_is_one_observation() {
        let mut games = played(&[&[7, 1], &[3, 5], &[9, 9], &[4, 4]]);
        let second = &summarise(2, &games)[1];
        assert_eq!((second.points.count(), second.points.mean()), (2, 4.75));
        assert_eq!(second.points_ahead_of_first.mean(), -1.0);
        assert_eq!(second.place.mean(), 1.5);
        // One that is missing leaves the others in their rotations.
        games.remove(1);
        let second = &summarise(2, &games)[1];
        assert_eq!((second.points.count(), second.points.mean()), (2, 3.75));
    }

    /// Bids so much and stands.
    struct Flat(Points);

    impl Player for Flat {
        fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
            Ok(Reply {
                action: match view.up_card {
                    None => Action::Bid(self.0),
                    Some(_) => Action::Stand,
                },
                memory: String::new(),
            })
        }
    }

    #[test]
    fn everybody_plays_every_shoe_from_every_seat() {
        let plan = Plan {
            settings: Settings {
                rounds: 5,
                ..Settings::of(RuleSet::Engine)
            },
            games: 8,
            seed: 3,
            threads: 2,
        };
        let seating = |bids: [Points; 4]| {
            move || -> Vec<Box<dyn Player>> {
                let players = bids
                    .into_iter()
                    .map(|bid| Box::new(Flat(bid)) as Box<dyn Player>);
                players.collect()
            }
        };
        let points = |bids| {
            let games = play(&plan, &seating(bids), &|| false, &|| (), None).expect("settings");
            let by_id = |game: &Played| {
                let mut standings = game.standings.clone();
                standings.sort_by_key(|standing| standing.id);
                standings.iter().map(|standing| standing.points).collect()
            };
            games.iter().map(by_id).collect::<Vec<Vec<Points>>>()
        };
        // Cards fall alike whatever is bid, so equal players win in their seats what the seats win.
        let equal = points([20; 4]);
        for (rotation, games) in equal.chunks(4).enumerate() {
            let of_seats = &games[0];
            for (moved, game) in games.iter().enumerate() {
                let mut expected = of_seats.clone();
                expected.rotate_left(moved);
                assert_eq!(game, &expected, "rotation {rotation}, {moved} on");
            }
        }
        assert_ne!(equal[0], equal[4], "another shoe");
        // Who bids twice as much has won or lost twice as much, from whichever seat.
        let doubled = points([40, 20, 20, 20]);
        for (one, other) in equal.iter().zip(&doubled) {
            let won = |points: Points| points as i64 - 10_000;
            assert_eq!(won(other[0]), 2 * won(one[0]));
            assert_eq!(other[1..], one[1..]);
        }
    }
}
