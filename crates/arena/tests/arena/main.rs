//! Agents, openings, and what pairs of games prove.

mod agents;
mod arithmetic;
mod busy;
mod openings;

use turnwise_engine::plugin::Plugin;
use turnwise_games::GAMES;

/// The game of this name.
fn game(name: &str) -> &'static dyn Plugin {
    let mut games = GAMES.iter();
    *games
        .find(|game| game.about().name == name)
        .expect("a game")
}
