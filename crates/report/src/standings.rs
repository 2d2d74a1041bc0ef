//! Computes which agent is stronger, by how much, and with what confidence.

use std::collections::BTreeMap;

use turnwise_engine::plugin::Scoring;
use turnwise_engine::statistics::Sample;

use super::Match;
use super::played::Played;
use turnwise_arena::strength::pair::PairResult;
use turnwise_arena::strength::sprt::Running;
use turnwise_arena::strength::tally::{Pondered, Score, Tally, pondered};

/// A pair whose two games have both been played.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    /// The agent that had the first role in the first game.
    pub first: &'a str,
    /// The agent that had the first role in the second game.
    pub second: &'a str,
    /// The result of both games, from the point of view of `first`.
    pub result: PairResult,
    /// The part of the pair's difference in points that is due to chance; `None` before a luck analysis.
    pub luck: Option<f64>,
}

impl Pair<'_> {
    /// Returns the difference in points and the pentanomial category of this pair, from the agent's point of view.
    /// Returns `None` if the agent did not play the pair.
    pub fn seen_by(&self, agent: &str) -> Option<(f64, usize)> {
        let (difference, category) = (self.result.difference(), self.result.category);
        if agent == self.first {
            Some((difference, category))
        } else {
            (agent == self.second).then_some((-difference, 4 - category))
        }
    }
}

/// Returns the complete pairs of a match, in the order of their numbers. Games with more than two players are omitted.
pub fn pairs(of: &Match) -> impl Iterator<Item = Pair<'_>> {
    let scoring = of.header.game.about().scoring;
    // The games are sorted by number, so the games of a pair are neighbors.
    of.games.windows(2).filter_map(move |games| {
        let [one, two] = [&games[0], &games[1]];
        let is_pair =
            (one.game, two.game) == (1, 2) && (one.pair, one.agents) == (two.pair, two.agents);
        let is_of_two = one.table().is_none() && two.table().is_none();
        let luck = |game: &Played| game.whole.as_ref()?.luck;
        let [first, second] = one.agents.map(|agent| of.name(agent));
        (is_pair && is_of_two).then(|| Pair {
            first,
            second,
            result: PairResult::of_outcomes(scoring, one.pair, [one.outcome, two.outcome]),
            luck: luck(one).zip(luck(two)).map(|(one, two)| one - two),
        })
    })
}

/// The results of one agent against all opponents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing<'a> {
    /// The agent's name in the match.
    pub agent: &'a str,
    /// The number of games that the agent played.
    pub games: usize,
    /// The results of the agent's complete pairs, from the agent's point of view.
    pub pairs: Score,
    /// The mean scores of the agent's games in the first role and in the second role. In games for points, a score
    /// always belongs to the first role, so an agent in the second role wants a low score. In games that are won or
    /// lost, a score is the agent's own.
    pub by_role: [Sample; 2],
    /// The number of games that ended because the agent committed a fault.
    pub faults: usize,
}

/// Returns the results of all agents in games with two players; the agent with the best mean difference comes first.
pub fn standings(of: &Match) -> Vec<Standing<'_>> {
    let mut standings: Vec<Standing> = (of.header.agents.iter())
        .map(|agent| Standing {
            agent: &agent.name,
            ..Standing::default()
        })
        .collect();
    let scoring = of.header.game.about().scoring;
    for game in of.games.iter().filter(|game| game.table().is_none()) {
        for (side, place) in game.by_role().into_iter().enumerate() {
            standings[place].games += 1;
            standings[place].by_role[side].add(own(scoring, side, game.outcome.score));
        }
        let charged = game.faults().iter().find(|fault| fault.is_charged);
        if let Some(place) = charged.and_then(|fault| of.place(&fault.agent)) {
            standings[place].faults += 1;
        }
    }
    for pair in pairs(of) {
        for agent in [pair.first, pair.second] {
            if let Some((place, (difference, category))) = of.place(agent).zip(pair.seen_by(agent))
            {
                standings[place].pairs.add(difference, category);
            }
        }
    }
    standings.sort_by(|one, other| one.pairs.best_first(&other.pairs));
    standings
}

/// The results of the pairs that two agents played against each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairing<'a> {
    /// The agent from whose point of view the results are given.
    pub first: &'a str,
    /// The name of the other agent.
    pub second: &'a str,
    /// The results of all pairs between the two agents, from the point of view of `first`.
    pub tally: Tally,
    /// For each pair whose luck was analyzed, two numbers of points: the difference between the agents, and the part of
    /// this difference that is due to luck.
    pub judged: Vec<(f64, f64)>,
}

/// Returns the results of every two agents that played each other; one entry for each two agents.
pub fn pairings(of: &Match) -> Vec<Pairing<'_>> {
    let mut pairings: BTreeMap<(&str, &str), Pairing> = BTreeMap::new();
    for pair in pairs(of) {
        let (first, second) = (pair.first, pair.second);
        let pairing = pairings.entry((first, second)).or_insert_with(|| Pairing {
            first,
            second,
            tally: Tally::default(),
            judged: Vec::new(),
        });
        pairing.tally.add(&pair.result);
        let luck = pair.luck.map(|luck| (pair.result.difference(), luck));
        pairing.judged.extend(luck);
    }
    pairings.into_values().collect()
}

/// Returns the agents that computed while their opponents were to move. An agent is included if the CPU time that it
/// used then is more than 1 % of the time during which its opponents were to move.
pub fn pondering(of: &Match) -> Vec<Pondered<'_>> {
    let pairings = pairings(of).into_iter();
    pondered(pairings.map(|met| (met.first, met.second, met.tally)))
}

/// Returns the state of the match's sequential test after all pairs played so far; `None` if the match has no such
/// test.
pub fn test(of: &Match) -> Option<Running> {
    let mut running = Running::new(of.header.sprt?);
    for pair in pairs(of) {
        running.add(pair.result.difference(), pair.result.category);
    }
    Some(running)
}

/// Converts the score of a game to the value that [`Standing::by_role`] contains for the agent with the role `side`.
fn own(scoring: Scoring, side: usize, score: f64) -> f64 {
    match scoring {
        Scoring::Win if side == 1 => 1.0 - score,
        _ => score,
    }
}

/// Returns the two sides of a game, each as an index with the name of the role.
pub(crate) fn sides(of: &Match) -> [(usize, &'static str); 2] {
    let [first, second] = of.header.game.roles();
    [(0, first), (1, second)]
}
