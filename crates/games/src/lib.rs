//! Lists the games that can be played in matches. docs/how-to/adding-a-game.md describes how to add a game.
//!
//! ```
//! for game in turnwise_games::GAMES {
//!     let about = game.about();
//!     println!("{}: {}; the strongest agent is {}", about.name, about.title, about.agents[0].name);
//! }
//! ```

use turnwise_engine::plugin::Plugin;

/// Only Entropy has a server protocol that daemons speak.
#[cfg(feature = "daemon")]
pub use turnwise_entropy_server::host::channel::start_daemon;

/// The registered games; the default game comes first.
pub static GAMES: &[Plugin] = &[
    Plugin::of::<turnwise_entropy::match_game::Entropy>(),
    Plugin::of::<turnwise_halma::match_game::Halma>(),
    Plugin::of::<turnwise_guesswho::match_game::GuessWho>(),
    Plugin::of::<turnwise_masterchef::match_game::MasterChef>(),
    Plugin::of::<turnwise_twentyone::match_game::TwentyOne>(),
    #[cfg(feature = "example")]
    Plugin::of::<turnwise_connect4::ConnectFour>(),
];

/// Returns the puzzles of the game with this name, as `turnwise puzzles` writes them; `None` if the game has none.
pub fn puzzles(game: &str) -> Option<&'static str> {
    Some(match game {
        "entropy" => include_str!("../puzzles/entropy.json"),
        "guesswho" => include_str!("../puzzles/guesswho.json"),
        "halma" => include_str!("../puzzles/halma.json"),
        "masterchef" => include_str!("../puzzles/masterchef.json"),
        "twentyone" => include_str!("../puzzles/twentyone.json"),
        _ => return None,
    })
}
