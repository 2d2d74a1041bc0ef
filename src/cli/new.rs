//! `turnwise new`: writes a starter player or a small game in the chosen language.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use turnwise_games::GAMES;

use anyhow::{Context, ensure};
use clap::builder::PossibleValuesParser;

use super::adapters::LIBRARY;
use super::files::write_whole;
use super::game_options::examples;
use super::games::STARTERS;
use super::games::starters::{Starter, file};
use crate::console::output::print;

/// The name of the templates for a new game, and of the template for a game that another program plays as a whole.
const GAME: &str = "game";
const WHOLE_GAME: &str = "whole-game";

/// Creates the template of a game in a language. The files are relative to the language's folder in `templates/game`;
/// the files that all languages share are added.
macro_rules! template {
    ($language:literal, $($file:literal),+) => {
        Starter {
            game: GAME,
            language: $language,
            run: "RUN",
            files: &[
                $(($file, file!("templates/game", $language, $file)),)+
                template!(shared "README.md"),
                template!(shared "players/python/Makefile"),
                template!(shared "players/python/player.py"),
                template!(shared "players/java/Makefile"),
                template!(shared "players/java/Json.java"),
                template!(shared "players/java/Player.java"),
                template!(shared "players/cpp/Makefile"),
                template!(shared "players/cpp/json.hpp"),
                template!(shared "players/cpp/player.cpp"),
                template!(shared "players/rust/Makefile"),
                template!(shared "players/rust/json.rs"),
                template!(shared "players/rust/player.rs"),
            ],
        }
    };
    (shared $file:literal) => {
        ($file, file!("templates/game", $file))
    };
    (whole $file:literal) => {
        ($file, file!("templates/whole-game", $file))
    };
}

static TEMPLATES: [Starter; 3] = [
    template!(
        "python",
        "game.toml",
        "referee.py",
        "turnwise_referee.py",
        "Makefile"
    ),
    template!(
        "java",
        "game.toml",
        "Referee.java",
        "TurnwiseReferee.java",
        "Makefile"
    ),
    Starter {
        game: WHOLE_GAME,
        language: "python",
        run: "RUN",
        files: &[
            template!(whole "README.md"),
            template!(whole "Makefile"),
            template!(whole "game.toml"),
            template!(whole "referee.py"),
            template!(whole "play_game.py"),
            template!(whole "player.py"),
            LIBRARY,
        ],
    },
];

fn starters() -> impl Iterator<Item = &'static Starter> {
    STARTERS.iter().flatten().chain(&TEMPLATES)
}

fn known(of: fn(&Starter) -> &'static str) -> PossibleValuesParser {
    let mut names: Vec<&str> = Vec::new();
    for name in starters().map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    PossibleValuesParser::new(names)
}

fn after_help() -> String {
    format!(
        "Examples:\n{}  turnwise new game --lang python my-game
      a small game of your own: its rules, and players in four languages
  turnwise new whole-game my-contest
      a contest whose program plays whole games, as for cg-brutaltester
  cd my-player && make check

The player moves legally and looks one ply ahead. Its README explains how to build it, how to try it, and \
what to change first.",
        examples("new", GAMES)
    )
}

/// Arguments of `turnwise new`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// The game that the player plays, `game` for a new game, or `whole-game`
    #[arg(value_parser = known(|starter| starter.game))]
    game: String,
    /// The programming language of the player
    #[arg(long, value_name = "LANGUAGE", default_value = "python", value_parser = known(|starter| starter.language))]
    lang: String,
    /// The new folder for the player
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the chosen starter player into a new folder, and prints how to run it.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { game, lang, folder } = arguments;
    let starter = starters().find(|starter| starter.game == game && starter.language == lang);
    let starter =
        starter.with_context(|| format!("there is no starter player of {game} in {lang} yet"))?;
    let shown = folder.display();
    let is_free = match fs::read_dir(&folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !folder.exists(),
    };
    ensure!(
        is_free,
        "expected a new or empty folder, but {shown} is neither"
    );
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {shown}"))?;
    for (name, text) in starter.files {
        let text = text.replace("RUN", starter.run);
        let path = folder.join(name);
        let parent = path
            .parent()
            .context("internal error: a file in no folder")?;
        fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
        write_whole(&path, text.as_bytes())?;
    }
    let what = match game.as_str() {
        GAME | WHOLE_GAME => "a game".to_owned(),
        _ => format!("a player of {game}"),
    };
    print(&format!(
        "Wrote {what} into {shown}. Try it:\n  cd {shown} && make check\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
