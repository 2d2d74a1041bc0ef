//! Tests the texts that describe agents, random openings, busy machines, and the statistics over pairs of games.

mod agents;
mod arithmetic;
mod busy;
mod openings;

use turnwise_engine::plugin::Plugin;
use turnwise_games::GAMES;

/// Returns the game with this name.
fn game(name: &str) -> &'static Plugin {
    let mut games = GAMES.iter();
    games
        .find(|game| game.about().name == name)
        .expect("a game")
}
