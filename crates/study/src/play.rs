//! Lets a built-in agent choose a move in a position.

use std::time::Duration;

use turnwise_engine::instant::Instant;
use turnwise_engine::plugin::{AgentMove, AgentOptions, Asking, Plugin};
use turnwise_engine::search::Stop;

use crate::request::Think;
use crate::{Allowed, RefusedError};

/// Asks a built-in agent for a move of the side to move.
///
/// # Errors
///
/// Returns an error if the position is invalid or the agent is unknown.
pub fn think(
    think: &Think,
    games: &'static [Plugin],
    allowed: &Allowed,
    stop: &Stop,
) -> Result<AgentMove, RefusedError> {
    let settled = think.position.settled(games)?;
    let mut known = settled.about().agents.iter().map(|agent| agent.name);
    if !known.any(|name| name == think.agent) {
        let names: Vec<_> = (settled.about().agents.iter())
            .map(|agent| agent.name)
            .collect();
        return Err(format!("no such agent; expected one of {}", names.join(", ")).into());
    }
    let mut open = think.position.open(&*settled)?;
    let options = AgentOptions {
        level: think.level,
        ..AgentOptions::default()
    };
    let resources = settled.resources(&think.agent, &options)?;
    let mut limits = allowed.limits(think.nodes, think.depth, None);
    if let (Some(time), Some(left)) = (think.time, think.left) {
        let left = Duration::try_from_secs_f64(left).unwrap_or_default();
        let (soft, hard) = open.budget(time, left);
        let now = Instant::now();
        limits.soft = Some(now + soft.min(allowed.time));
        limits.hard = Some(now + hard.min(allowed.time));
    }
    let answer = open.ask(Asking {
        name: &think.agent,
        options: &options,
        resources: &resources,
        // With one seed for all moves, a random agent would always choose alike.
        seed: think.seed.wrapping_add(think.position.moves.len() as u64),
        limits,
        stop: stop.clone(),
    });
    Ok(answer?)
}
