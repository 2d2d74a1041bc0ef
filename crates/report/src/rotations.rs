//! The results of rotations: games of more than two at a table, in which each player has every seat.

use std::collections::{BTreeMap, HashMap};

use turnwise_engine::statistics::Sample;

use super::Match;
use super::logs::Game;

/// A complete rotation.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotation<'a> {
    /// The rotation's number in the tournament.
    pub number: u32,
    /// The games in order.
    pub games: Vec<&'a Game>,
    /// The players at the table, each with its mean winnings in a game, in points.
    pub won: Vec<(&'a str, f64)>,
}

/// Returns the complete rotations of a match, by number.
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

/// One agent's results at tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Seated<'a> {
    /// The agent's name in the match.
    pub agent: &'a str,
    /// The winnings in a game, in points; each rotation is one observation.
    pub won: Sample,
    /// The number of games in complete rotations.
    pub games: usize,
    /// The number of games in which no player won more.
    pub first: usize,
    /// The number of faults in all games, including incomplete rotations.
    pub faults: usize,
}

/// Returns all agents at tables, highest winnings first.
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
