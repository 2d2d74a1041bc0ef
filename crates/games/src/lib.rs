//! Lists the games that can be played in matches. docs/how-to/adding-a-game.md describes how to add a game.

use std::marker::PhantomData;

use turnwise_engine::plugin::{Erased, Plugin};

/// Only Entropy has a server protocol that daemons speak.
#[cfg(feature = "daemon")]
pub use turnwise_entropy_server::host::channel::start_daemon;

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
