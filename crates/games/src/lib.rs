//! The games that can be played in matches. A further one is a crate of its own and a line here.

use std::marker::PhantomData;

use turnwise_engine::plugin::{Erased, Plugin};

/// All of them, the usual one first.
pub static GAMES: &[&dyn Plugin] = &[
    &Erased::<turnwise_entropy::match_game::Entropy>(PhantomData),
    &Erased::<turnwise_halma::match_game::Halma>(PhantomData),
    &Erased::<turnwise_guesswho::match_game::GuessWho>(PhantomData),
    &Erased::<turnwise_masterchef::match_game::MasterChef>(PhantomData),
    &Erased::<turnwise_twentyone::match_game::TwentyOne>(PhantomData),
    #[cfg(feature = "example")]
    &Erased::<turnwise_connect4::ConnectFour>(PhantomData),
];

/// Starts a daemon as a player of a match; one game has a server's wire that daemons speak.
///
/// # Errors
///
/// If there is no runtime to be had.
#[cfg(feature = "daemon")]
pub fn start_daemon(
    words: Vec<String>,
) -> std::io::Result<Box<dyn turnwise_engine::outside::LineChannel>> {
    turnwise_daemon::host::channel::start_daemon::<turnwise_entropy::hosting::Hosting>(words)
}
