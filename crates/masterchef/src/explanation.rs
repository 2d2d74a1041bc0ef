//! Explains a pick: its value, the picks that follow, and the cost of the search.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use serde::Serialize;

use turnwise_engine::words::counted;

use super::answer::{Answer, Control, Progress};
use super::decision::Decision;
use super::literal::{self, Algorithm};
use super::rules::{Captain, Draft};
use super::solver;
use super::units::Units;

/// The name of the exact solver in an explanation, where it appears next to the algorithms' names.
const SOLVER: &str = "solver";

/// The node limit for an algorithm of the assignment that runs only so that its nodes can be counted.
const COUNTED_NODES: u64 = 5_000_000;

/// The explanation of a pick, to be printed as text or JSON. Powers are decimal text, which keeps them exact.
#[derive(Debug, Serialize)]
pub struct Explanation {
    pick: u32,
    proven: bool,
    /// A's advantage at the end of the draft after this pick.
    ///
    /// If it is not proven, this is an advantage that the captain to move can be sure to reach.
    advantage: Option<String>,
    searched_with: &'static str,
    nodes: u64,
    milliseconds: f64,
    continuation: Vec<Step>,
    continuation_proven: bool,
    teams: [Team; 2],
    algorithms: Vec<Count>,
}

#[derive(Debug, Serialize)]
struct Step {
    captain: &'static str,
    pick: u32,
}

#[derive(Debug, Serialize)]
struct Team {
    captain: &'static str,
    members: Vec<u32>,
    strength: String,
    diversity: String,
    power: String,
}

#[derive(Debug, Serialize)]
struct Count {
    algorithm: &'static str,
    nodes: u64,
    finished: bool,
}

impl Explanation {
    /// Creates an explanation: plays the draft to its end and counts the nodes of every algorithm.
    pub fn new<U: Units>(
        draft: &Draft<U>,
        found: &Decision<U>,
        elapsed: Duration,
        control: &mut Control,
    ) -> Self {
        let answer = &found.answer;
        let (continuation, end, continuation_proven) = play_out(draft, answer, control);
        let counts = Algorithm::ALL.map(|algorithm| count(draft, algorithm, control));
        let solver = Count {
            algorithm: SOLVER,
            nodes: found.solver.nodes,
            finished: found.solver.proven,
        };
        Explanation {
            pick: draft.contestants()[answer.pick].id,
            proven: answer.proven,
            advantage: answer.value.map(|value| draft.points(value).to_string()),
            searched_with: found.by.map_or(SOLVER, Algorithm::name),
            nodes: answer.nodes,
            milliseconds: (elapsed.as_secs_f64() * 1e6).round() / 1e3,
            continuation,
            continuation_proven,
            teams: Captain::BOTH.map(|captain| Team::new(&end, captain)),
            algorithms: counts.into_iter().chain([solver]).collect(),
        }
    }
}

/// Makes the answer's pick and plays the draft to its end with perfect picks ([`solver::line`]).
///
/// Returns the picks, the draft in which both teams are complete, and true if every pick after the first is proven to
/// be perfect.
fn play_out<U: Units>(
    draft: &Draft<U>,
    answer: &Answer<U>,
    control: &mut Control,
) -> (Vec<Step>, Draft<U>, bool) {
    let (picks, proven) = solver::line(draft, answer.pick, solver::TABLE_BYTES, control);
    let mut end = draft.clone();
    let mut steps = Vec::new();
    for pick in picks {
        let captain = end.turn().expect("a line ends with the draft");
        steps.push(Step {
            captain: captain.name(),
            pick: end.contestants()[pick].id,
        });
        end.pick(pick);
    }
    (steps, end, proven)
}

fn count<U: Units>(draft: &Draft<U>, algorithm: Algorithm, control: &mut Control) -> Count {
    let mut counting = |progress: &Progress| match progress.nodes {
        COUNTED_NODES.. => ControlFlow::Break(()),
        _ => control(progress),
    };
    let answer = literal::search(draft, algorithm, &mut counting);
    Count {
        algorithm: algorithm.name(),
        nodes: answer.nodes,
        finished: answer.proven,
    }
}

impl Team {
    fn new<U: Units>(end: &Draft<U>, captain: Captain) -> Team {
        Team {
            captain: captain.name(),
            members: end.members(captain).collect(),
            strength: end.points(end.strength(captain)).to_string(),
            diversity: end.points(end.diversity(captain)).to_string(),
            power: end.points(end.power(captain)).to_string(),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "Pick {} ({}, {}, {} ms)",
            self.pick,
            self.searched_with,
            counted(self.nodes, "node"),
            self.milliseconds
        )?;
        match (&self.advantage, self.proven) {
            (Some(advantage), true) => {
                writeln!(formatter, "Advantage {advantage} under perfect play")?
            }
            (Some(advantage), false) => writeln!(
                formatter,
                "Advantage of at least {advantage}; not proven to be optimal"
            )?,
            (None, _) => writeln!(formatter, "Not proven to be optimal")?,
        }
        let caution = match self.continuation_proven {
            true => "",
            false => " (not proven)",
        };
        writeln!(formatter, "\nBest continuation{caution}")?;
        for round in self.continuation.chunks(2) {
            let picks = round.iter();
            let picks: Vec<String> = picks
                .map(|step| format!("{} {}", step.captain, step.pick))
                .collect();
            writeln!(formatter, "  {}", picks.join(", "))?;
        }
        writeln!(formatter, "\nTeams at the end")?;
        for team in &self.teams {
            let members: Vec<String> = team.members.iter().map(u32::to_string).collect();
            writeln!(formatter, "  {:<3}  {}", team.captain, members.join(" "))?;
            writeln!(
                formatter,
                "       power {} = {} + diversity {}",
                team.power, team.strength, team.diversity
            )?;
        }
        writeln!(formatter, "\nNodes")?;
        for count in &self.algorithms {
            let stopped = match count.finished {
                true => "",
                false => " and not finished",
            };
            writeln!(
                formatter,
                "  {:<8} {:>10}{stopped}",
                count.algorithm, count.nodes
            )?;
        }
        Ok(())
    }
}
