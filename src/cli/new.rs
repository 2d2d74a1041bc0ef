//! `turnwise new`: writes a starter player in the chosen language.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use turnwise_games::GAMES;

use anyhow::{Context, ensure};
use clap::builder::PossibleValuesParser;

use super::files::write_whole;
use super::game_options::examples;
use super::games::STARTERS;
use super::games::starters::Starter;
use crate::console::output::print;

fn starters() -> impl Iterator<Item = &'static Starter> {
    STARTERS.iter().copied().flatten()
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
        "Examples:\n{}  cd my-player && make check

The player moves legally and looks one ply ahead. Its README explains how to build it, how to try it, and \
what to change first.",
        examples("new", GAMES)
    )
}

/// Arguments of `turnwise new`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// The game that the player plays
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
        write_whole(&folder.join(name), text.as_bytes())?;
    }
    print(&format!(
        "Wrote a player of {game} into {shown}. Try it:\n  cd {shown} && make check\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
