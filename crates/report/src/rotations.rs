//! Computes the results of rotations. A rotation is a series of games with more than two players, in which each player
//! takes every seat once.

use std::collections::BTreeMap;

use turnwise_engine::statistics::Sample;

use super::Match;
use super::played::Table;

/// A rotation whose games have all been played.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotation<'a> {
    /// The games of the rotation, in order.
    games: Vec<&'a Table>,
    /// The names of the players, each with the mean number of points that it won per game of the rotation.
    pub won: Vec<(&'a str, f64)>,
}

/// Returns the complete rotations of a match, in the order of their numbers.
pub fn rotations(of: &Match) -> Vec<Rotation<'_>> {
    let seats = of.header.game.0.seats();
    let mut all: BTreeMap<u32, Vec<&Table>> = BTreeMap::new();
    for game in &of.games {
        if let Some(table) = game.table() {
            all.entry(game.pair).or_default().push(table);
        }
    }
    let all = all.into_values().filter_map(|games| {
        let (first, others) = games.split_first()?;
        let are_same = others.iter().all(|game| game.players == first.players);
        if !are_same || games.len() != seats {
            return None;
        }
        let mean = |side: usize| {
            let won = games.iter().map(|game| game.won[side]);
            won.sum::<f64>() / games.len() as f64
        };
        let players = first.players.iter().enumerate();
        let won = players.map(|(side, &player)| (of.name(player), mean(side)));
        Some(Rotation {
            won: won.collect(),
            games,
        })
    });
    all.collect()
}

/// The results of one agent in games with more than two players.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seated<'a> {
    /// The agent's name in the match.
    pub agent: &'a str,
    /// The number of points that the agent won per game. Each rotation is one observation: the mean over its games.
    pub won: Sample,
    /// The number of games that the agent played in complete rotations.
    pub games: usize,
    /// The number of games in which no other player won more points than the agent.
    pub first: usize,
    /// The number of faults charged to the agent in all games, including incomplete rotations.
    pub faults: usize,
}

/// Returns the results of all agents in games with more than two players; the agent with the highest mean winnings
/// comes first.
pub fn seated(of: &Match) -> Vec<Seated<'_>> {
    let mut all: Vec<Seated> = (of.header.agents.iter())
        .map(|agent| Seated {
            agent: &agent.name,
            ..Seated::default()
        })
        .collect();
    for rotation in rotations(of) {
        for (side, &(agent, won)) in rotation.won.iter().enumerate() {
            let Some(place) = of.place(agent) else {
                continue;
            };
            all[place].won.add(won);
            all[place].games += rotation.games.len();
            let is_first = |game: &&&Table| game.won.iter().all(|&other| other <= game.won[side]);
            all[place].first += rotation.games.iter().filter(is_first).count();
        }
    }
    for (place, count) in of.charged_faults().into_iter().enumerate() {
        all[place].faults = count;
    }
    let mean = |seated: &Seated| match seated.won.count() {
        0 => f64::NEG_INFINITY,
        _ => seated.won.mean(),
    };
    all.sort_by(|one, other| mean(other).total_cmp(&mean(one)));
    all
}
