//! Which agent is stronger, by how much, and with what confidence.

use std::collections::{BTreeMap, HashMap};

use turnwise_engine::plugin::Scoring;
use turnwise_engine::statistics::Sample;

use super::Match;
use super::logs::Game;
use turnwise_arena::strength::pair::PairResult;
use turnwise_arena::strength::sprt::Running;
use turnwise_arena::strength::tally::{Pondered, Score, Tally, pondered};

/// A pair with both games.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    /// The agent with the first role in the first game.
    pub first: &'a str,
    /// The agent with the first role in the second game.
    pub second: &'a str,
    /// The result of both games, from the side of `first`.
    pub result: PairResult,
    /// The part of the difference that is due to draws, after a luck analysis.
    pub luck: Option<f64>,
}

impl Pair<'_> {
    /// Returns the difference and the pentanomial category from an agent's side. The difference is in points. `None`
    /// if the agent did not take part.
    pub fn seen_by(&self, agent: &str) -> Option<(f64, usize)> {
        let (difference, category) = (self.result.difference(), self.result.category);
        if agent == self.first {
            Some((difference, category))
        } else {
            (agent == self.second).then_some((-difference, 4 - category))
        }
    }
}

/// Returns the complete pairs of a match, by number, without rotations.
pub fn pairs(of: &Match) -> Vec<Pair<'_>> {
    let scoring = of.header.game.about().scoring;
    let mut games: BTreeMap<u32, [Option<&Game>; 2]> = BTreeMap::new();
    for game in of.games.iter().filter(|game| !game.record.is_of_rotation()) {
        games.entry(game.record.pair).or_default()[usize::from(game.record.game - 1)] = Some(game);
    }
    (games.into_values())
        .filter_map(|[one, two]| {
            let (one, two) = (one?, two?);
            let (first, second) = (&one.record.first, &one.record.second);
            let fit = *first == two.record.first && *second == two.record.second;
            fit.then(|| Pair {
                first,
                second,
                result: PairResult::logged(scoring, [&one.record, &two.record]),
                luck: (one.luck.zip(two.luck)).map(|(one, two)| one - two),
            })
        })
        .collect()
}

/// The results of one agent against all opponents.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing<'a> {
    /// The agent's name in the match.
    pub agent: &'a str,
    /// The number of games.
    pub games: usize,
    /// The results of the agent's pairs.
    pub pairs: Score,
    /// The mean scores in either role. Points are the first role's, so high is good in that role and low in the
    /// other; if games are won and lost, scores are the agent's own.
    pub by_role: [Sample; 2],
    /// The number of games that ended by the agent's fault.
    pub faults: usize,
}

/// Returns all agents in games of two, best mean difference first.
pub fn standings(of: &Match) -> Vec<Standing<'_>> {
    let mut standings: Vec<Standing> = (of.header.agents.iter())
        .map(|agent| Standing {
            agent: &agent.name,
            games: 0,
            pairs: Score::default(),
            by_role: [Sample::default(); 2],
            faults: 0,
        })
        .collect();
    let places = of.header.agents.iter().map(|agent| &*agent.name).zip(0..);
    let places: HashMap<&str, usize> = places.collect();
    let scoring = of.header.game.about().scoring;
    let records = of.games.iter().map(|game| &game.record);
    for record in records.filter(|record| !record.is_of_rotation()) {
        let score = record.result.score();
        for (side, player) in record.result.players.iter().enumerate() {
            if let Some(&place) = places.get(&**player) {
                standings[place].games += 1;
                standings[place].by_role[side].add(own(scoring, side, score));
            }
        }
        let at_fault = record.charged_faults().map(|fault| &*fault.agent).next();
        if let Some(&place) = at_fault.and_then(|agent| places.get(agent)) {
            standings[place].faults += 1;
        }
    }
    for pair in pairs(of) {
        for agent in [pair.first, pair.second] {
            let place = places.get(agent).copied();
            if let Some((place, (difference, category))) = place.zip(pair.seen_by(agent)) {
                standings[place].pairs.add(difference, category);
            }
        }
    }
    standings.sort_by(|one, other| one.pairs.best_first(&other.pairs));
    standings
}

/// The pairs of two agents that met.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairing<'a> {
    /// The agent from whose side results are given.
    pub first: &'a str,
    /// The opponent's name.
    pub second: &'a str,
    /// All pairs of the two agents.
    pub pairs: Vec<Pair<'a>>,
}

impl Pairing<'_> {
    /// Returns the results from the side of `first`.
    pub fn tally(&self) -> Tally {
        self.pairs.iter().map(|pair| &pair.result).collect()
    }
}

/// Returns every two agents that met.
pub fn pairings(of: &Match) -> Vec<Pairing<'_>> {
    let mut pairings: BTreeMap<(&str, &str), Vec<Pair>> = BTreeMap::new();
    for pair in pairs(of) {
        let met = (pair.first, pair.second);
        pairings.entry(met).or_default().push(pair);
    }
    let pairings = pairings
        .into_iter()
        .map(|((first, second), pairs)| Pairing {
            first,
            second,
            pairs,
        });
    pairings.collect()
}

/// Returns the agents that used over 1 % of their opponents' turns as CPU time.
pub fn pondering(of: &Match) -> Vec<Pondered<'_>> {
    let pairings = pairings(of);
    let tallies = pairings
        .iter()
        .map(|met| (met.first, met.second, met.tally()));
    pondered(tallies)
}

/// Returns the sequential test from the header, updated with all pairs in order.
pub fn test(of: &Match) -> Option<Running> {
    let mut running = Running::new(of.header.sprt?);
    for pair in pairs(of) {
        running.add(pair.result.difference(), pair.result.category);
    }
    Some(running)
}

/// Returns a game's score as in [`Standing::by_role`].
fn own(scoring: Scoring, side: usize, score: f64) -> f64 {
    match scoring {
        Scoring::Win if side == 1 => 1.0 - score,
        _ => score,
    }
}

/// Returns the games in which an agent had the role of `side`.
pub(crate) fn games<'a>(
    of: &'a Match,
    agent: &'a str,
    side: usize,
) -> impl Iterator<Item = &'a Game> {
    let of_two = of.games.iter().filter(|game| !game.record.is_of_rotation());
    of_two.filter(move |game| game.record.result.players[side] == agent)
}

/// Returns both sides of the match with their roles.
pub(crate) fn sides(of: &Match) -> [(usize, &'static str); 2] {
    let [first, second] = of.header.game.roles();
    [(0, first), (1, second)]
}
