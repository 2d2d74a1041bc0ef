//! What rotations show: games of more than two at a table, in which everybody has every seat.

use std::collections::{BTreeMap, HashMap};

use turnwise_engine::statistics::Sample;

use super::Match;
use super::logs::Game;

/// A rotation whose games are all there.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotation<'a> {
    /// Its number in the tournament.
    pub number: u32,
    /// Its games, in their order.
    pub games: Vec<&'a Game>,
    /// Who sat at the table, each with what it won in a game on average, in points.
    pub won: Vec<(&'a str, f64)>,
}

/// The rotations of a match whose games are all there, by number.
pub fn rotations(of: &Match) -> Vec<Rotation<'_>> {
    let seats = of.header.game.0.seats();
    let mut all: BTreeMap<u32, Vec<&Game>> = BTreeMap::new();
    for game in of.games.iter().filter(|game| game.record.is_of_rotation()) {
        all.entry(game.record.pair).or_default().push(game);
    }
    let all = all.into_iter().filter_map(|(number, games)| {
        let (first, others) = games.split_first()?;
        let are_same = others
            .iter()
            .all(|game| game.record.agents().eq(first.record.agents()));
        if !are_same || games.len() != seats {
            return None;
        }
        let mean = |side: usize| {
            let won = games
                .iter()
                .map(|game| game.record.result.meaning.won[side]);
            won.sum::<f64>() / games.len() as f64
        };
        let players = first.record.result.players.iter().enumerate();
        let won = players.map(|(side, name)| (name.as_str(), mean(side)));
        Some(Rotation {
            number,
            won: won.collect(),
            games,
        })
    });
    all.collect()
}

/// What one agent won at tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Seated<'a> {
    /// The agent's name in the match.
    pub agent: &'a str,
    /// What it won in a game, in points; a rotation is an observation.
    pub won: Sample,
    /// Games in whole rotations.
    pub games: usize,
    /// Games in which nobody won more.
    pub first: usize,
    /// Its faults in all games, also of rotations that are not whole.
    pub faults: usize,
}

/// All agents at tables, who won most first.
pub fn seated(of: &Match) -> Vec<Seated<'_>> {
    let agents = of.header.agents.iter().map(|agent| &*agent.name);
    let places: HashMap<&str, usize> = agents.clone().zip(0..).collect();
    let mut all: Vec<Seated> = agents
        .map(|agent| Seated {
            agent,
            won: Sample::default(),
            games: 0,
            first: 0,
            faults: 0,
        })
        .collect();
    for rotation in rotations(of) {
        for (side, &(agent, won)) in rotation.won.iter().enumerate() {
            let Some(&place) = places.get(agent) else {
                continue;
            };
            all[place].won.add(won);
            all[place].games += rotation.games.len();
            let is_first = |game: &&&Game| {
                let won = &game.record.result.meaning.won;
                won.iter().all(|&other| other <= won[side])
            };
            all[place].first += rotation.games.iter().filter(is_first).count();
        }
    }
    for fault in of
        .games
        .iter()
        .flat_map(|game| game.record.charged_faults())
    {
        if let Some(&place) = places.get(&*fault.agent) {
            all[place].faults += 1;
        }
    }
    let mean = |seated: &Seated| match seated.won.count() {
        0 => f64::NEG_INFINITY,
        _ => seated.won.mean(),
    };
    all.sort_by(|one, other| mean(other).total_cmp(&mean(one)));
    all
}
