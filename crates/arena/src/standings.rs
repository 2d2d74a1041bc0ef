//! The results of a match so far, and the conclusion that they support, in one sentence.

use std::collections::BTreeMap;

use turnwise_engine::statistics::{Estimate, difference_of_means};
use turnwise_engine::words::counted;

use crate::records::{Settings, Sprt, Unit};
use crate::schedule::pairings;
use crate::strength::pair::{FaultNote, PairResult};
use crate::strength::sprt::{Running, Verdict};
use crate::strength::tally::{Pondered, Score, Tally, pondered};

/// The results of a match so far.
#[derive(Debug, Clone)]
pub struct Standings {
    /// The settings of the match.
    pub settings: Settings,
    /// The number of pairs counted.
    pub done: u32,
    /// The sequential test of the match, if any.
    pub test: Option<Running>,
    /// The first fault of each agent at fault, keyed by the agent's name. The numbers of pair and game decide which
    /// fault is the first.
    pub faults: BTreeMap<String, FaultNote>,
    pairings: Vec<(usize, usize)>,
    results: Vec<Tally>,
    /// Results that the sequential test must not receive yet, because pairs with lower numbers are unfinished.
    waiting: BTreeMap<u32, PairResult>,
    next: u32,
}

/// An agent's line in the table of a league, which is a match of three or more agents.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// The agent's name in the match.
    pub agent: &'a str,
    /// The results of the agent's pairs against all its opponents.
    pub score: Score,
    /// The number of games that the agent forfeited.
    pub faults: u32,
}

/// The two best agents of a league, and the distance between them.
#[derive(Debug, Clone, Copy)]
pub struct Lead<'a> {
    /// The name of the agent in first place.
    pub leader: &'a str,
    /// The name of the agent in second place.
    pub runner_up: &'a str,
    have_met: bool,
    /// The leader's advantage over the runner-up in points per pair, if there are enough pairs for an estimate.
    ///
    /// The estimate is based on the pairs between the two if they have met, otherwise on all pairs of each.
    pub points: Option<Estimate>,
}

impl Standings {
    pub(crate) fn new(settings: &Settings) -> Self {
        let pairings = pairings(settings.agents.len(), settings.gauntlet);
        Self {
            settings: settings.clone(),
            done: 0,
            test: settings.sprt.map(Running::new),
            faults: BTreeMap::new(),
            results: vec![Tally::default(); pairings.len()],
            pairings,
            waiting: BTreeMap::new(),
            next: 1,
        }
    }

    /// Returns the standings after these pairs, each with the names of both agents.
    ///
    /// A sequential test receives the pairs in this order. A pair is ignored if its two agents are not one of the
    /// match's pairings.
    pub fn of<'a>(
        settings: &Settings,
        pairs: impl Iterator<Item = ([&'a str; 2], PairResult)>,
    ) -> Self {
        let mut standings = Self::new(settings);
        let met = standings.pairings.iter().zip(0..);
        let met = met.map(|(&(first, second), at)| {
            let name = |place: usize| settings.agents[place].name.as_str();
            ([name(first), name(second)], at)
        });
        let met: BTreeMap<_, usize> = met.collect();
        for (names, result) in pairs {
            if let Some(&at) = met.get(&names) {
                standings.count(at, &result);
                if let Some(test) = &mut standings.test {
                    test.add(result.difference(), result.category);
                }
            }
        }
        standings
    }

    /// Adds the result of a pair.
    ///
    /// A sequential test receives pairs in the order of their numbers, even if they finish in another order. Its
    /// verdict therefore depends neither on the number of jobs nor on the duration of games.
    pub(crate) fn add(&mut self, result: PairResult) {
        let at = (result.number as usize - 1) % self.pairings.len();
        self.count(at, &result);
        let Some(test) = &mut self.test else {
            return;
        };
        self.waiting.insert(result.number, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            test.add(result.difference(), result.category);
            self.next += 1;
        }
    }

    fn count(&mut self, at: usize, result: &PairResult) {
        self.done += 1;
        self.results[at].add(result);
        for fault in &result.fault_notes {
            let known = self.faults.entry(fault.agent.clone());
            let earliest = known.or_insert_with(|| fault.clone());
            if fault.game < earliest.game {
                earliest.clone_from(fault);
            }
        }
    }

    /// Returns the name of the agent with this index in the settings.
    pub fn name(&self, place: usize) -> &str {
        &self.settings.agents[place].name
    }

    /// Returns the mean difference of a score in points, with its 95 % interval. See [`Score::estimate`].
    pub fn estimate(&self, score: &Score) -> Option<Estimate> {
        score.estimate(self.settings.game.about().scoring)
    }

    /// Returns all pairings: the names of both agents, and their results.
    pub fn pairings(&self) -> impl Iterator<Item = (&str, &str, &Tally)> {
        (self.pairings.iter().zip(&self.results))
            .map(|(&(first, second), result)| (self.name(first), self.name(second), result))
    }

    /// Returns the agents that computed while their opponents were to move. See [`pondered`].
    pub fn pondered(&self) -> Vec<Pondered<'_>> {
        let pairings = self.pairings();
        pondered(pairings.map(|(first, second, tally)| (first, second, *tally)))
    }

    /// Returns the sums of both numbers of [`Tally::busy`] over all pairings.
    pub fn busy(&self) -> [u32; 2] {
        let of = |at: usize| self.results.iter().map(|tally| tally.busy[at]).sum();
        [0, 1].map(of)
    }

    /// Returns how many games left at most one move to the agents after their random opening.
    pub fn unplayed(&self) -> u32 {
        self.results.iter().map(|tally| tally.unplayed).sum()
    }

    /// Returns true once the sequential test, if any, has reached a verdict.
    pub(crate) fn is_decided(&self) -> bool {
        self.test.is_some_and(|test| test.verdict().is_some())
    }

    /// Returns the results of the only pairing, if the match has two agents.
    pub fn duel(&self) -> Option<&Tally> {
        match &self.results[..] {
            [duel] => Some(duel),
            _ => None,
        }
    }

    /// Returns one sentence that names the stronger agent, if the results are significant.
    pub fn verdict(&self) -> String {
        let verdict = match (&self.test, self.duel()) {
            (Some(test), _) => return self.sequential_verdict(test),
            (None, Some(duel)) => self.duel_verdict(duel),
            (None, None) => self.lead().and_then(league_verdict),
        };
        verdict.unwrap_or_else(|| match self.done {
            0 | 1 => "too few pairs for a verdict".to_owned(),
            _ => "the pairs are too few or too similar for a verdict".to_owned(),
        })
    }

    fn duel_verdict(&self, duel: &Tally) -> Option<String> {
        let [first, second] = [0, 1].map(|place| self.name(place));
        let points = self.estimate(&duel.score)?;
        let text = signed(points, 2);
        Some(if points.lower > 0.0 {
            format!("{first} is better than {second}: {text} points a pair")
        } else if points.upper < 0.0 {
            let text = signed(self.estimate(&duel.score.reversed())?, 2);
            format!("{second} is better than {first}: {text} points a pair")
        } else {
            format!(
                "no difference proved between {first} and {second}: {text} points a pair for {first}"
            )
        })
    }

    fn sequential_verdict(&self, test: &Running) -> String {
        let Sprt {
            unit, lower, upper, ..
        } = test.test;
        let claim = |difference: f64, other: f64| {
            let [first, second] = [0, 1].map(|place| self.name(place));
            let unit = self::unit(unit);
            format!("{first} is ahead of {second} by {difference} rather than {other} {unit}")
        };
        match test.verdict() {
            Some((verdict, pairs)) => {
                let (accepted, claim) = match verdict {
                    Verdict::Upper => ("H1", claim(upper, lower)),
                    Verdict::Lower => ("H0", claim(lower, upper)),
                };
                format!(
                    "{accepted} accepted after {}: {claim}",
                    counted(pairs, "pair")
                )
            }
            None => format!(
                "neither H0 nor H1 accepted yet, whether {}; more pairs are needed",
                claim(lower, upper).replace(" rather than ", " or by ")
            ),
        }
    }

    /// Returns the two best agents of a league of three or more agents, once both have played a pair.
    pub fn lead(&self) -> Option<Lead<'_>> {
        let league = self.league();
        let [leader, runner_up, _, ..] = &league[..] else {
            return None;
        };
        if runner_up.score.count() == 0 {
            return None;
        }
        let meeting = self.pairings().find_map(|(first, second, tally)| {
            if (first, second) == (leader.agent, runner_up.agent) {
                Some(tally.score)
            } else {
                let is_theirs = (second, first) == (leader.agent, runner_up.agent);
                is_theirs.then(|| tally.score.reversed())
            }
        });
        Some(Lead {
            leader: leader.agent,
            runner_up: runner_up.agent,
            have_met: meeting.is_some(),
            points: match meeting {
                Some(score) => self.estimate(&score),
                None => difference_of_means(&leader.score.points, &runner_up.score.points),
            },
        })
    }

    /// Returns every agent's results against all its opponents, with the best agent first.
    pub fn league(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line> = (self.settings.agents.iter())
            .map(|agent| Line {
                agent: &agent.name,
                score: Score::default(),
                faults: 0,
            })
            .collect();
        for (&(first, second), result) in self.pairings.iter().zip(&self.results) {
            for (agent, side, score) in [
                (first, 0, result.score),
                (second, 1, result.score.reversed()),
            ] {
                lines[agent].score.merge(&score);
                lines[agent].faults += result.faults[side];
            }
        }
        lines.sort_by(|one, two| one.score.best_first(&two.score));
        lines
    }
}

/// Formats an estimate as `+1.23 (+0.50 to +1.96)`, with `digits` decimal places.
pub fn signed(estimate: Estimate, digits: usize) -> String {
    let Estimate {
        value,
        lower,
        upper,
    } = estimate;
    let [value, lower, upper] = [value, lower, upper].map(|number| plus(number, digits));
    format!("{value} ({lower} to {upper})")
}

/// Formats a number with its sign and `digits` decimal places. A number that rounds to zero is `+0`.
pub fn plus(number: f64, digits: usize) -> String {
    let text = format!("{number:+.digits$}");
    let is_zero = text.bytes().all(|byte| b"+-.0".contains(&byte));
    if is_zero {
        text.replace('-', "+")
    } else {
        text
    }
}

/// Returns the name of the unit of a sequential test's hypotheses, for use in a sentence.
pub fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Elo => "Elo",
        Unit::Points => "points a pair",
    }
}

fn league_verdict(lead: Lead) -> Option<String> {
    let Lead {
        leader, runner_up, ..
    } = lead;
    let points = lead.points?;
    let claim = if points.lower > 0.0 {
        format!("{leader} leads and is better than the runner-up, {runner_up}")
    } else if points.upper < 0.0 {
        format!("{leader} leads, but the runner-up, {runner_up}, is better in their own pairs")
    } else {
        format!("{leader} leads, but no difference is proved to the runner-up, {runner_up}")
    };
    let against = match lead.have_met {
        true => "",
        false => ", each against the others",
    };
    let text = signed(points, 2);
    Some(format!(
        "{claim}: {text} points a pair for {leader}{against}"
    ))
}
