//! The results so far, and the sentence that says what they prove.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::schedule::pairings;
use crate::records::{ByRole, Course, GameRecord, Role, Settings, Sprt};
use crate::statistics::{Estimate, Sample};

use super::sprt::{Running, Verdict};
use super::statistics::Pentanomial;

/// What both players of a game used, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Wall time.
    pub wall: ByRole,
    /// CPU time.
    pub cpu: ByRole,
}

impl Times {
    /// What the log says, which leaves them out where there are no clocks.
    pub fn logged(game: &GameRecord) -> Option<Self> {
        let (wall, cpu) = game.used_s.zip(game.cpu_s)?;
        Some(Self { wall, cpu })
    }
}

/// The result of a pair, for its first agent.
#[derive(Debug, Clone, PartialEq)]
pub struct PairResult {
    /// The pair's number.
    pub number: u32,
    /// What the first role scored in both games: the first agent has it in one, the second in the other.
    pub scores: [f64; 2],
    /// Games won, drawn and lost by the first agent.
    pub games: [u64; 3],
    /// The pentanomial category.
    pub category: usize,
    /// Faults of the first agent and of the second.
    pub faults: [u32; 2],
    /// What both games took, if that is known.
    pub times: Option<[Times; 2]>,
}

impl PairResult {
    /// Sums up the two games of a pair.
    pub fn of(games: [&GameRecord; 2], times: Option<[Times; 2]>) -> Self {
        let [one, two] = games;
        let faults_of = |name: &str| {
            let faults = games.iter().flat_map(|game| &game.fault);
            faults.filter(|fault| fault.agent == name).count() as u32
        };
        let scores = [one.course.score(), two.course.score()];
        let (games, category) = match one.course {
            // Both games of a pair are won by whoever won the pair, so two categories stay empty.
            Course::Entropy { .. } => match scores[0].total_cmp(&scores[1]) {
                Ordering::Less => ([0, 0, 2], 0),
                Ordering::Equal => ([0, 2, 0], 2),
                Ordering::Greater => ([2, 0, 0], 4),
            },
            Course::Halma { .. } => {
                let points = [scores[0], 1.0 - scores[1]];
                let count = |result| points.iter().filter(|&&point| point == result).count() as u64;
                let category = (2.0 * (points[0] + points[1])).clamp(0.0, 4.0) as usize;
                ([1.0, 0.5, 0.0].map(count), category)
            }
        };
        Self {
            number: one.pair,
            scores,
            games,
            category,
            faults: [faults_of(&one.first), faults_of(&one.second)],
            times,
        }
    }

    /// The same of games in the log.
    pub fn logged(games: &[GameRecord; 2]) -> Self {
        let [one, two] = games;
        let times = Times::logged(one).zip(Times::logged(two));
        Self::of([one, two], times.map(|(one, two)| [one, two]))
    }

    /// What the first agent scored more in the first role.
    pub fn difference(&self) -> f64 {
        self.scores[0] - self.scores[1]
    }
}

/// The results of one pairing, for its first agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pairing {
    /// Differences in points.
    pub points: Sample,
    /// Pairs won, drawn and lost.
    pub pairs: Pentanomial,
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// Sums of what the first role scored where the first agent had it, and where the second had it.
    pub role_points: [f64; 2],
    /// Faults of both.
    pub faults: [u32; 2],
    /// Pairs whose times are known: all that were played just now, and those whose log has them.
    pub timed: u64,
    /// Wall seconds of both.
    pub wall_s: [f64; 2],
    /// CPU seconds of both.
    pub cpu_s: [f64; 2],
}

/// All results of a match.
#[derive(Debug, Clone)]
pub struct Standings {
    names: Vec<String>,
    first_role: Role,
    pairings: Vec<(usize, usize)>,
    results: Vec<Pairing>,
    /// Pairs that a test must not look at yet, because earlier ones are still being played.
    waiting: BTreeMap<u32, PairResult>,
    next: u32,
    test: Option<Running>,
    wanted: u32,
    done: u32,
}

/// An agent's line in a league.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// Its name.
    pub agent: &'a str,
    /// Differences in points against all it met.
    pub points: Sample,
    /// Pairs won, drawn and lost.
    pub pairs: [u64; 3],
    /// Its faults.
    pub faults: u32,
}

impl Standings {
    /// Standings without results.
    pub fn new(settings: &Settings) -> Self {
        let pairings = pairings(settings.agents.len(), settings.gauntlet);
        Self {
            names: settings
                .agents
                .iter()
                .map(|agent| agent.name.clone())
                .collect(),
            first_role: settings.game.roles()[0],
            results: vec![Pairing::default(); pairings.len()],
            pairings,
            waiting: BTreeMap::new(),
            next: 1,
            test: settings.sprt.map(Running::new),
            wanted: settings.pairs,
            done: 0,
        }
    }

    /// Takes in a pair. A test sees pairs in the order of their numbers, whatever order they come in,
    /// so its verdict depends neither on the number of jobs nor on which games are short.
    pub fn add(&mut self, result: PairResult) {
        self.done += 1;
        let at = (result.number as usize - 1) % self.pairings.len();
        let pairing = &mut self.results[at];
        pairing.points.add(result.difference());
        pairing.pairs.0[result.category] += 1;
        for (sum, count) in pairing.games.iter_mut().zip(result.games) {
            *sum += count;
        }
        for side in [0, 1] {
            pairing.role_points[side] += result.scores[side];
            pairing.faults[side] += result.faults[side];
        }
        if let Some([one, two]) = result.times {
            pairing.timed += 1;
            // The first agent has the first role in the first game, the other in the second.
            for (sum, one, two) in [
                (&mut pairing.wall_s, one.wall, two.wall),
                (&mut pairing.cpu_s, one.cpu, two.cpu),
            ] {
                let (one, two) = (one.both(), two.both());
                sum[0] += one[0] + two[1];
                sum[1] += one[1] + two[0];
            }
        }
        let Some(test) = &mut self.test else {
            return;
        };
        self.waiting.insert(result.number, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            test.add(result.difference(), result.category);
            self.next += 1;
        }
    }

    /// The names of all agents.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The role whose scores are compared.
    pub fn first_role(&self) -> Role {
        self.first_role
    }

    /// All pairings: the names of both agents, and their results.
    pub fn pairings(&self) -> impl Iterator<Item = (&str, &str, &Pairing)> {
        let names = self.pairings.iter();
        (names.zip(&self.results))
            .map(|(&(first, second), result)| (&*self.names[first], &*self.names[second], result))
    }

    /// The test under way, if there is one.
    pub fn test(&self) -> Option<&Running> {
        self.test.as_ref()
    }

    /// Pairs of the whole match.
    pub fn wanted(&self) -> u32 {
        self.wanted
    }

    /// Pairs taken in.
    pub fn pairs(&self) -> u32 {
        self.done
    }

    /// True once a test has come to a verdict.
    pub fn is_decided(&self) -> bool {
        self.test.is_some_and(|test| test.verdict().is_some())
    }

    /// The results of the only pairing, if there are two agents.
    pub fn duel(&self) -> Option<&Pairing> {
        match &self.results[..] {
            [duel] => Some(duel),
            _ => None,
        }
    }

    /// The verdict in one sentence.
    pub fn verdict(&self) -> String {
        if let Some(test) = &self.test {
            return sequential_verdict(test);
        }
        match self.duel() {
            Some(duel) => self.duel_verdict(duel),
            None => match self
                .league()
                .first()
                .map(|line| (line, line.points.estimate()))
            {
                Some((line, Some(points))) => {
                    format!("{} leads with {} points a pair", line.agent, signed(points))
                }
                _ => "too few pairs for a verdict".to_owned(),
            },
        }
    }

    fn duel_verdict(&self, duel: &Pairing) -> String {
        let [first, second] = [&self.names[0], &self.names[1]];
        match duel.points.estimate() {
            Some(points) if points.lower > 0.0 => {
                format!(
                    "{first} is better than {second}: {} points a pair",
                    signed(points)
                )
            }
            Some(points) if points.upper < 0.0 => {
                format!(
                    "{second} is better than {first}: {} points a pair for {first}",
                    signed(points)
                )
            }
            Some(points) => format!(
                "no difference proved between {first} and {second}: {} points a pair for {first}",
                signed(points)
            ),
            None => "too few pairs for a verdict".to_owned(),
        }
    }

    /// Every agent's results against all it met, best first.
    pub fn league(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line> = (self.names.iter())
            .map(|agent| Line {
                agent,
                points: Sample::default(),
                pairs: [0; 3],
                faults: 0,
            })
            .collect();
        for (&(first, second), result) in self.pairings.iter().zip(&self.results) {
            let [won, drawn, lost] = result.pairs.wins_draws_losses();
            for (agent, side, pairs, points) in [
                (first, 0, [won, drawn, lost], result.points),
                (second, 1, [lost, drawn, won], result.points.negated()),
            ] {
                let line = &mut lines[agent];
                line.points.merge(&points);
                line.faults += result.faults[side];
                for (sum, count) in line.pairs.iter_mut().zip(pairs) {
                    *sum += count;
                }
            }
        }
        lines.sort_by(|one, two| two.points.mean().total_cmp(&one.points.mean()));
        lines
    }
}

/// `+1.23 (+0.50 to +1.96)`.
pub fn signed(estimate: Estimate) -> String {
    let Estimate {
        value,
        lower,
        upper,
    } = estimate;
    format!("{value:+.2} ({lower:+.2} to {upper:+.2})")
}

fn sequential_verdict(test: &Running) -> String {
    let Sprt {
        unit, lower, upper, ..
    } = test.test();
    let unit = unit.name();
    match test.verdict() {
        Some((Verdict::Upper, pairs)) => {
            format!("H1 accepted after {pairs} pairs: {upper} {unit} rather than {lower}")
        }
        Some((Verdict::Lower, pairs)) => {
            format!("H0 accepted after {pairs} pairs: {lower} {unit} rather than {upper}")
        }
        None => format!("neither {lower} nor {upper} {unit} accepted yet; more pairs are needed"),
    }
}
