//! Plays a short game between built-in agents, for a picture of the game.

use turnwise_engine::plugin::{AgentOptions, Asking, Beginning, Plugin};
use turnwise_engine::search::Stop;
use turnwise_engine::view::{CardState, View};

use crate::games::{find, for_people};
use crate::{Allowed, RefusedError};

/// The maximum number of plies of the game.
const MOST_PLIES: usize = 60;

/// The maximum number of search nodes per move.
const NODES: u64 = 100;

/// The maximum time per move, in seconds. Only rules in a slow program need as much.
const SECONDS: f64 = 0.1;

/// The seed of the game and the agents. It is fixed, so that a game always has the same picture.
const SEED: u64 = 7;

/// Returns a position from the middle of a game, as the first role sees it, without its moves. Among these positions,
/// it has the most pieces, tiles and open cards. The game has the settings that a form offers first.
///
/// # Errors
///
/// Returns an error if the game is unknown, or if its rules or its agent fail.
pub fn scene(
    name: &str,
    games: &'static [Plugin],
    allowed: &Allowed,
    stop: &Stop,
) -> Result<View, RefusedError> {
    let settled = for_people(find(games, |game| game.about().name == name)?)?;
    let mut open = settled.open(Beginning::Seed {
        seed: SEED,
        meetings: 0,
    })?;
    let agent = settled.about().agents.first();
    let agent = agent.ok_or_else(|| RefusedError("the game has no agent".to_owned()))?;
    let options = AgentOptions::default();
    let resources = settled.resources(agent.name, &options)?;
    let mut views = vec![open.view(Some(0))];
    while open.turn().is_some() && views.len() < MOST_PLIES {
        let answer = open.ask(Asking {
            name: agent.name,
            options: &options,
            resources: &resources,
            seed: SEED,
            limits: allowed.limits(Some(NODES), None, Some(SECONDS)),
            stop: stop.clone(),
        })?;
        open.play(&answer.notation)?;
        views.push(open.view(Some(0)));
    }
    let middle = views.len() / 3..=2 * views.len() / 3;
    let view = views.drain(middle).max_by_key(filling);
    Ok(View {
        choices: Vec::new(),
        ..view.expect("the middle contains a position")
    })
}

/// Returns the number of pieces, tiles and open cards that a view shows.
fn filling(view: &View) -> usize {
    let letters = view.grid.iter().flat_map(|grid| grid.letters.chars());
    let cards = view.panels.iter().flat_map(|panel| &panel.cards);
    letters.filter(|&letter| letter != ' ').count()
        + cards.filter(|card| card.state != CardState::Down).count()
}
