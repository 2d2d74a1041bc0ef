//! Many games of one field of players, and what they show.
//!
//! All players of a game sit at one table and meet the same shoe and the same dealer; differences
//! between two of them are therefore taken game by game. Each shoe is played again until everybody has had
//! every seat. These games are a rotation, and what a rotation shows is one observation: luck of seats falls
//! out of it, and games of the same shoe are not taken for independent ones.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::game::Game;
use super::log::GameLog;
use super::player::{Fault, Player, PlayerId};
use super::record::{Observer, RoundRecord, Standing, TurnRecord};
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
    /// How many games it has.
    pub games: u32,
    /// Those that have been played already, in the order of their numbers.
    pub known: Vec<Played>,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// Its number in the tournament, from 0.
    pub number: u32,
    /// The standings by the players' places in their list.
    pub standings: Vec<Standing>,
    /// Who was put out, in the order in which that happened.
    pub faults: Vec<PutOut>,
}

impl Played {
    /// True if it can be a game of so many players: each has a place.
    pub fn is_of(&self, players: usize) -> bool {
        let mut ids: Vec<usize> = self.standings.iter().map(|it| it.id as usize).collect();
        ids.sort_unstable();
        let mut faults = self.faults.iter();
        ids.into_iter().eq(0..players) && faults.all(|it| (it.player as usize) < players)
    }
}

/// A player was put out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PutOut {
    /// The player's place in the list.
    pub player: PlayerId,
    /// In which round, from 1.
    pub round: u32,
    /// The fault that put it out, in words.
    pub reason: String,
}

/// Notes who is put out, by seats, and passes all on to a log if there is one.
struct Watch<'a> {
    log: Option<&'a mut GameLog>,
    faults: Vec<PutOut>,
}

impl Observer for Watch<'_> {
    fn turn(&mut self, turn: &TurnRecord) {
        self.log.iter_mut().for_each(|log| log.turn(turn));
    }

    fn round(&mut self, round: &RoundRecord) {
        self.log.iter_mut().for_each(|log| log.round(round));
    }

    fn fault(&mut self, round: u32, player: PlayerId, fault: &Fault) {
        self.log
            .iter_mut()
            .for_each(|log| log.fault(round, player, fault));
        let reason = fault.to_string();
        self.faults.push(PutOut {
            player,
            round,
            reason,
        });
    }
}

/// Plays all games that are not known, or as many as are finished when `is_stopped`, which is asked before every
/// round; `done` hears of each, and `log` records the first. The result, with those known, is in the order of the
/// games and does not depend on the number of threads.
pub fn play(
    plan: &Plan,
    seating: &Seating<'_>,
    is_stopped: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn(&Played) + Sync),
    log: Option<&mut GameLog>,
) -> Result<Vec<Played>, SettingsError> {
    plan.settings.clone().validated()?;
    let log = Mutex::new(log);
    let known: HashSet<u32> = plan.known.iter().map(|game| game.number).collect();
    let missing: Vec<u32> = (0..plan.games)
        .filter(|number| !known.contains(number))
        .collect();
    let play_one = |(): &mut (), at| {
        let number = missing[at as usize];
        let mut watch = Watch {
            log: match number {
                0 => log.lock().expect("taken once").take(),
                _ => None,
            },
            faults: Vec::new(),
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
            game.play_round(&mut players, &mut watch);
        }
        let mut standings = game.standings();
        for standing in &mut standings {
            standing.id = player_in(standing.id, seats, moved);
        }
        standings.sort_by_key(|standing| (standing.place, standing.id));
        let Watch { log, mut faults } = watch;
        for fault in &mut faults {
            fault.player = player_in(fault.player, seats, moved);
        }
        if let Some(log) = log {
            log.standings.clone_from(&standings);
        }
        let played = Played {
            number,
            standings,
            faults,
        };
        done(&played);
        ControlFlow::Continue(played)
    };
    let mut games = parallel::map(missing.len() as u64, plan.threads, || (), play_one);
    games.extend(plan.known.iter().cloned());
    games.sort_by_key(|game| game.number);
    Ok(games)
}

/// Who sits in a seat when everybody sits so many seats on.
fn player_in(seat: u32, seats: u32, moved: u32) -> PlayerId {
    (seat + seats - moved) % seats
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
    /// Games in which it was put out.
    pub faults: u32,
}

/// Summaries by player, of games in their order.
pub fn summarise(players: usize, games: &[Played]) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); players];
    for rotation in rotations(players, games) {
        let mut points = vec![Sample::default(); players];
        let mut places = vec![Sample::default(); players];
        for Played {
            standings, faults, ..
        } in rotation
        {
            for fault in faults {
                summaries[fault.player as usize].faults += 1;
            }
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

/// Which two players are not proved to differ in points, by their places in the list: the 95 % interval of the
/// difference in the same games, a rotation an observation, holds 0, or there is none yet.
pub fn not_told_apart(players: usize, games: &[Played]) -> Vec<(usize, usize)> {
    let means = rotations(players, games).map(|rotation| {
        let mut points = vec![0.0; players];
        for standing in rotation.iter().flat_map(|game| &game.standings) {
            points[standing.id as usize] += standing.points as f64 / rotation.len() as f64;
        }
        points
    });
    let means: Vec<Vec<f64>> = means.collect();
    let are_alike = |&(one, other): &(usize, usize)| {
        let mut differences = Sample::default();
        means
            .iter()
            .for_each(|points| differences.add(points[one] - points[other]));
        let estimate = differences.estimate();
        estimate.is_none_or(|estimate| estimate.lower <= 0.0 && estimate.upper >= 0.0)
    };
    let all = (0..players).flat_map(|one| (one + 1..players).map(move |other| (one, other)));
    all.filter(are_alike).collect()
}

#[cfg(test)]
mod tests {
    use super::super::player::{Reply, View};
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
                faults: Vec::new(),
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

    #[test]
    fn players_are_told_apart_by_what_they_won_in_the_same_games() {
        // Three shoes that differ far more than the players do on each.
        let games: [&[Points]; 6] = [
            &[105, 100],
            &[105, 100],
            &[1006, 1000],
            &[1006, 1000],
            &[304, 300],
            &[304, 300],
        ];
        assert_eq!(not_told_apart(2, &played(&games)), []);
        assert_eq!(
            not_told_apart(2, &played(&games[..2])),
            [(0, 1)],
            "one observation"
        );
        let level = not_told_apart(2, &played(&[&[7, 5], &[5, 7], &[9, 7], &[7, 9]]));
        assert_eq!(level, [(0, 1)]);
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
            known: Vec::new(),
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
            let games = play(&plan, &seating(bids), &|| false, &|_| (), None).expect("settings");
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
