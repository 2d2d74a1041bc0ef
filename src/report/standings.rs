//! Who is better, by how much, and how sure that is.

use std::collections::BTreeMap;

use super::Match;
use super::logs::Game;
use crate::records::Role;
use crate::statistics::Sample;

/// A pair whose two games are there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<'a> {
    /// Its number.
    pub number: u32,
    /// Order in the first game.
    pub first: &'a str,
    /// Order in the second game.
    pub second: &'a str,
    /// By how much the first agent scored more as Order than the second one.
    pub difference: f64,
}

impl Pair<'_> {
    /// The difference from an agent's side, if it took part.
    pub fn difference_for(&self, agent: &str) -> Option<f64> {
        match () {
            () if agent == self.first => Some(self.difference),
            () if agent == self.second => Some(-self.difference),
            () => None,
        }
    }
}

/// The pairs of a match whose two games are there, by number.
pub fn pairs(of: &Match) -> Vec<Pair<'_>> {
    let mut games: BTreeMap<u32, [Option<&Game>; 2]> = BTreeMap::new();
    for game in &of.games {
        games.entry(game.record.pair).or_default()[usize::from(game.record.game - 1)] = Some(game);
    }
    (games.into_iter())
        .filter_map(|(number, [one, two])| {
            let (one, two) = (&one?.record, &two?.record);
            let fit = one.first == two.first && one.second == two.second;
            fit.then(|| Pair {
                number,
                first: &one.first,
                second: &one.second,
                difference: f64::from(one.order_score) - f64::from(two.order_score),
            })
        })
        .collect()
}

/// How some pairs went for one side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// Pairs with a positive difference.
    pub won: usize,
    /// Pairs without any.
    pub drawn: usize,
    /// Pairs with a negative one.
    pub lost: usize,
    /// The mean difference.
    pub difference: Sample,
}

impl FromIterator<f64> for Tally {
    fn from_iter<I: IntoIterator<Item = f64>>(differences: I) -> Self {
        let mut tally = Self::default();
        for difference in differences {
            match difference {
                _ if difference > 0.0 => tally.won += 1,
                _ if difference < 0.0 => tally.lost += 1,
                _ => tally.drawn += 1,
            }
            tally.difference.add(difference);
        }
        tally
    }
}

/// An agent's results.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing<'a> {
    /// Its name.
    pub agent: &'a str,
    /// Games played.
    pub games: usize,
    /// Its pairs.
    pub pairs: Tally,
    /// Order's scores where it was Order: high is good.
    pub as_order: Sample,
    /// Order's scores where it was Chaos: low is good.
    pub as_chaos: Sample,
    /// Games that ended by its fault.
    pub faults: usize,
}

/// All agents, the best mean difference first.
pub fn standings(of: &Match) -> Vec<Standing<'_>> {
    let pairs = pairs(of);
    let standing = |agent| Standing {
        agent,
        games: (of.games.iter())
            .filter(|game| Role::BOTH.iter().any(|&role| player(game, role) == agent))
            .count(),
        pairs: (pairs.iter())
            .filter_map(|pair| pair.difference_for(agent))
            .collect(),
        as_order: games(of, agent, Role::Order).map(order_score).collect(),
        as_chaos: games(of, agent, Role::Chaos).map(order_score).collect(),
        faults: (of.games.iter())
            .filter(|game| (game.record.fault.as_ref()).is_some_and(|fault| fault.agent == agent))
            .count(),
    };
    let mut standings: Vec<_> = (of.header.agents.iter())
        .map(|agent| standing(agent.name.as_str()))
        .collect();
    let key = |standing: &Standing| match standing.pairs.difference {
        none if none.count() == 0 => f64::NEG_INFINITY,
        some => some.mean(),
    };
    standings.sort_by(|a, b| key(b).total_cmp(&key(a)));
    standings
}

/// The pairs of each two agents that met, from the first one's side.
pub fn pairings(of: &Match) -> Vec<(&str, &str, Tally)> {
    let mut pairings: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for pair in pairs(of) {
        pairings
            .entry((pair.first, pair.second))
            .or_default()
            .push(pair.difference);
    }
    (pairings.into_iter())
        .map(|((first, second), differences)| (first, second, differences.into_iter().collect()))
        .collect()
}

/// The agent that plays a role.
pub fn player(game: &Game, role: Role) -> &str {
    match role {
        Role::Order => &game.record.order,
        Role::Chaos => &game.record.chaos,
    }
}

/// The games in which an agent played a role.
pub fn games<'a>(of: &'a Match, agent: &'a str, role: Role) -> impl Iterator<Item = &'a Game> {
    (of.games.iter()).filter(move |game| player(game, role) == agent)
}

/// Order's score of a game.
pub fn order_score(game: &Game) -> f64 {
    f64::from(game.record.order_score)
}
