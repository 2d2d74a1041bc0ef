//! The players of a game whose rules are a referee's: built-in agents, and programs that exchange lines.

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use turnwise_engine::cpu_time::CpuClock;
use turnwise_engine::outside::Lines;
use turnwise_engine::player::{
    Answer, AnyLastMove, AnyTurn, Failure, FaultKind, Insight, LastMove, Player, Turn,
};
use turnwise_engine::plugin::{AgentMove, AgentOptions, Asking, Studied, Studying, Told};
use turnwise_engine::search::{Limits, Stop};
use turnwise_engine::table::Action;
use turnwise_engine::words::one_line;

use crate::manifest::{Manifest, Wire};
use crate::mcts::{self, Found, Until};
use crate::referee::{Described, Moves, Values};
use crate::table::{LONGEST_MOVE, LONGEST_QUOTED, Move, Table, locked};

/// A player's knowledge of a game.
#[derive(Clone)]
pub(crate) struct Seen {
    pub table: Arc<Table>,
    pub seat: usize,
    /// The lines that begin the game for a program in this seat.
    greeting: Vec<String>,
    /// The lines of the latest question to this seat.
    pub question: Vec<String>,
}

impl Seen {
    pub fn new(table: Arc<Table>, seat: usize, greeting: Vec<String>) -> Self {
        Self {
            table,
            seat,
            greeting,
            question: Vec::new(),
        }
    }

    /// Returns the player's knowledge at a copy of the table.
    pub fn at(&self, table: Arc<Table>) -> Self {
        Self {
            table,
            ..self.clone()
        }
    }
}

/// A built-in agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Mcts,
    Greedy,
    Random,
}

impl Kind {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "mcts" => Some(Self::Mcts),
            "greedy" => Some(Self::Greedy),
            "random" => Some(Self::Random),
            _ => None,
        }
    }

    /// Returns the reason why this agent cannot play with a referee, if any.
    pub fn objection(self, manifest: &Manifest, referee: &Described) -> Option<String> {
        let title = &manifest.title;
        let lacks = |ability: &str, agent: &str| {
            let why = format!(
                "{agent} needs the ability `{ability}`, which the referee of {title} does not have"
            );
            (!referee.can(ability)).then_some(why)
        };
        match self {
            Kind::Random => lacks("moves", "random"),
            Kind::Greedy => lacks("values", "greedy"),
            Kind::Mcts if manifest.hidden && !referee.can("resample") => Some(format!(
                "mcts cannot play {title}: the players do not see everything, and the referee does not have the ability \
                 `resample`, so a search would look at hidden information"
            )),
            Kind::Mcts => lacks("rollout", "mcts"),
        }
    }

    /// Chooses a move in the position that the table is in. `None` if the referee failed or lists no move.
    fn choose(self, seen: &Seen, until: &Until, random: &mut Xoshiro256PlusPlus) -> Option<Found> {
        match self {
            Kind::Random => {
                let moves = seen.table.query::<Moves>("moves", json!({}))?.moves;
                moves.choose(random).map(|text| Found::only(text.clone()))
            }
            Kind::Greedy => {
                let Values { moves, values } = seen.table.query("values", json!({}))?;
                let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let best: Vec<&String> = moves
                    .iter()
                    .zip(&values)
                    .filter(|(_, value)| **value == best)
                    .map(|(mv, _)| mv)
                    .collect();
                best.choose(random).map(|&text| Found::only(text.clone()))
            }
            Kind::Mcts => mcts::search(seen, until, random, &mut |_| {}),
        }
    }
}

/// A built-in agent in a match.
pub(crate) struct BuiltIn {
    pub kind: Kind,
    pub nodes: Option<u64>,
    pub processes: usize,
    pub random: Xoshiro256PlusPlus,
}

/// Restores the type of a position.
fn seen(position: &dyn Any) -> &Seen {
    position.downcast_ref().expect("a position of this game")
}

impl Player for BuiltIn {
    fn begin(&mut self, _side: usize, _position: &dyn Any, _is_first: bool) -> io::Result<()> {
        Ok(())
    }

    fn choose(&mut self, turn: AnyTurn) -> io::Result<Answer<u64>> {
        let began = Instant::now();
        let seen = seen(turn.position);
        // Without a clock, CPU time need not be measured.
        let cpu = || Some(CpuClock::Thread.now() + seen.table.cpu()?);
        let before = turn.allowance.budget.and_then(|_| cpu());
        let until = Until {
            nodes: self.nodes,
            deadline: turn.allowance.budget.map(|(soft, _)| began + soft),
            stop: Stop::default(),
            processes: self.processes,
        };
        let found = self.kind.choose(seen, &until, &mut self.random);
        let wall = began.elapsed();
        let cpu = before.and_then(|before| Some(cpu()?.saturating_sub(before)));
        let insight = found.as_ref().map(|found| Insight {
            depth: found.depth,
            nodes: found.nodes,
            value: found.score().unwrap_or_default(),
            score: found.score(),
        });
        let mv = found.and_then(|found| seen.table.own_move(&found.best));
        *locked(&seen.table.listed) = mv;
        let mv = mv.map(Action::code);
        let mv = mv.ok_or_else(|| Failure::new(FaultKind::Crash, "the referee lists no move"));
        Ok(Answer {
            insight,
            // Either this thread or the referee computes all the time, unless other programs use the cores.
            others: cpu
                .map(|cpu| wall.as_secs_f64() - cpu.as_secs_f64())
                .filter(|_| self.processes == 1),
            ..Answer::from_outside(mv, wall, cpu)
        })
    }

    fn finish(&mut self, _last: Option<AnyLastMove>) {}
}

/// Asks a built-in agent for a move in an open game.
pub(crate) fn ask(seen: &Seen, asking: Asking) -> Result<AgentMove, String> {
    let began = Instant::now();
    let kind = Kind::named(asking.name).ok_or("no such agent")?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(asking.seed);
    let until = Until::of(&asking.limits, asking.stop, processes(asking.options));
    let found = kind.choose(seen, &until, &mut random);
    let found = found.ok_or_else(|| match seen.table.failure() {
        Some(failure) => failure.to_string(),
        None => format!("the referee does not have what {} needs", asking.name),
    })?;
    Ok(AgentMove {
        depth: found.depth,
        nodes: found.nodes,
        value: found.score().unwrap_or_default(),
        score: found.score(),
        notation: found.best,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// Searches for the best moves by tree search, or lists the legal moves without values if the referee has no play-outs.
pub(crate) fn study(seen: &Seen, how: &Studying, told: Told) -> Option<Studied> {
    let until = Until::of(&how.limits, how.stop.clone(), 1);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let found = mcts::search(seen, &until, &mut random, &mut |found| {
        told(&found.studied(how.top))
    });
    let found = found.or_else(|| Kind::Random.choose(seen, &until, &mut random))?;
    Some(found.studied(how.top))
}

impl Until {
    fn of(limits: &Limits, stop: Stop, processes: usize) -> Self {
        Self {
            nodes: Some(limits.nodes).filter(|&nodes| nodes < u64::MAX),
            deadline: limits.soft.or(limits.hard),
            stop,
            processes,
        }
    }
}

/// Returns the number of processes in which an agent searches.
pub(crate) fn processes(options: &AgentOptions) -> usize {
    options
        .processes
        .map_or(1, |processes| processes.get().into())
}

/// The lines that a program exchanges with the arena. The referee formulates them.
pub(crate) struct OwnLines {
    pub wire: Wire,
    pub farewell: Vec<String>,
}

impl Lines<Seen, Move> for OwnLines {
    fn greeting(&self, _side: usize, seen: &Seen) -> Vec<String> {
        seen.greeting.clone()
    }

    fn question(&self, turn: &Turn<Seen, Move>) -> Vec<String> {
        turn.position.question.clone()
    }

    fn news(&self, _last: &LastMove<Seen, Move>) -> Vec<String> {
        Vec::new()
    }

    fn farewell(&self) -> Vec<String> {
        self.farewell.clone()
    }

    fn answer(&self, line: &str, seen: &Seen) -> Result<Move, Failure> {
        let garbage = |expected: &str| {
            let got = one_line(line, LONGEST_QUOTED);
            Failure::new(
                FaultKind::Garbage,
                format!("expected {expected}, got `{got}`"),
            )
        };
        let text = match self.wire {
            Wire::Lines => line.trim().to_owned(),
            Wire::Json => {
                let answer: Option<Value> = serde_json::from_str(line).ok();
                match answer.as_ref().and_then(|answer| answer.get("move")) {
                    Some(Value::String(text)) => text.clone(),
                    Some(Value::Number(number)) => number.to_string(),
                    _ => return Err(garbage("an object such as {\"move\":\"...\"}")),
                }
            }
        };
        let parsed = locked(&seen.table.texts).parse(&text);
        parsed.map_err(|_| {
            garbage(&format!(
                "a move of at most {LONGEST_MOVE} printable characters"
            ))
        })
    }
}
