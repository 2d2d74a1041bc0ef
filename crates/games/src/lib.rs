//! Lists the games that can be played in matches. To add a game, write its crate and add a line here.

use std::marker::PhantomData;

use turnwise_engine::plugin::{Erased, Plugin};

/// The registered games; the default game comes first.
pub static GAMES: &[&dyn Plugin] = &[
    &Erased::<turnwise_entropy::match_game::Entropy>(PhantomData),
    &Erased::<turnwise_halma::match_game::Halma>(PhantomData),
    &Erased::<turnwise_guesswho::match_game::GuessWho>(PhantomData),
    &Erased::<turnwise_masterchef::match_game::MasterChef>(PhantomData),
    &Erased::<turnwise_twentyone::match_game::TwentyOne>(PhantomData),
    #[cfg(feature = "example")]
    &Erased::<turnwise_connect4::ConnectFour>(PhantomData),
];

/// Starts a daemon as a player of a match.
///
/// Only Entropy has a server protocol that daemons speak.
///
/// # Errors
///
/// Returns an error if the asynchronous runtime cannot be created.
#[cfg(feature = "daemon")]
pub fn start_daemon(
    words: Vec<String>,
) -> std::io::Result<Box<dyn turnwise_engine::outside::LineChannel>> {
    turnwise_entropy_server::host::channel::start_daemon::<turnwise_entropy::hosting::Hosting>(
        words,
    )
}
