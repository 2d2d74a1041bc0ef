//! Plays random games, for the tests in the crates of the games.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::plugin::AnyState;

/// Plays random moves until the game is over or `plies` moves have been played, and returns the moves.
pub fn played(
    open: &mut dyn AnyState,
    plies: usize,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<String> {
    let mut moves = Vec::new();
    while moves.len() < plies
        && let Some(side) = open.turn()
    {
        let choices = open.view(Some(side)).choices;
        let choice = &choices[random.random_range(0..choices.len())];
        moves.push(open.play(&choice.notation).expect("a choice is legal"));
    }
    moves
}
