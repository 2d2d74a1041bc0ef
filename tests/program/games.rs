//! Settings of games for tests of what names no game.

use turnwise_arena::records::GameSettings;
use turnwise_games::GAMES;

/// The game of this name with these options; a switch has an empty value.
pub fn settled(name: &str, options: &[(&str, &str)]) -> GameSettings {
    let mut games = GAMES.iter();
    let game = games
        .find(|game| game.about().name == name)
        .expect("a game");
    let given = |wanted: &str| {
        let mut options = options.iter();
        let option = options.find(|(name, _)| *name == wanted);
        option.map(|&(_, value)| value.to_owned())
    };
    GameSettings(game.by_options(&given).expect("settings"))
}

/// Entropy on a board of this size, without passing.
pub fn entropy(size: u8) -> GameSettings {
    settled("entropy", &[("size", &size.to_string())])
}
