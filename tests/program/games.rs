//! Creates the settings of games for tests that do not belong to one particular game.

use turnwise_arena::records::GameSettings;
use turnwise_games::GAMES;

/// Returns the settings of the game with this name that result from these options. A switch has an empty value.
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

/// Returns settings for Entropy on a board of size `size`, without passes.
pub fn entropy(size: u8) -> GameSettings {
    settled("entropy", &[("size", &size.to_string())])
}
