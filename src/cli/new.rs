//! `turnwise new`: a player to begin with, in the language of one's choice.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::builder::PossibleValuesParser;

use super::files::write_whole;
use crate::console::output::print;

/// A player to begin with.
struct Starter {
    game: &'static str,
    language: &'static str,
    /// How it is run once it is built.
    run: &'static str,
    files: &'static [(&'static str, &'static str)],
}

macro_rules! starter {
    ($game:literal, $language:literal, $run:literal, $($file:literal),+) => {
        Starter {
            game: $game,
            language: $language,
            run: $run,
            files: &[
                ("README.md", include_str!(concat!("../../starters/", $game, "/README.md"))),
                $(($file, include_str!(concat!("../../starters/", $game, "/", $language, "/", $file)))),+
            ],
        }
    };
}

/// All that there are.
const STARTERS: &[Starter] = &[
    starter!(
        "entropy",
        "python",
        "python3 player.py",
        "player.py",
        "Makefile"
    ),
    starter!("entropy", "cpp", "./player", "player.cpp", "Makefile"),
    starter!(
        "entropy",
        "java",
        "java -cp . Player",
        "Player.java",
        "Makefile"
    ),
    starter!("entropy", "rust", "./player", "player.rs", "Makefile"),
    starter!(
        "halma",
        "python",
        "python3 player.py",
        "player.py",
        "Makefile"
    ),
    starter!("halma", "cpp", "./player", "player.cpp", "Makefile"),
    starter!(
        "halma",
        "java",
        "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . Player",
        "Player.java",
        "Makefile"
    ),
    starter!("halma", "rust", "./player", "player.rs", "Makefile"),
    starter!(
        "masterchef",
        "python",
        "python3 player.py",
        "player.py",
        "Makefile"
    ),
    starter!("masterchef", "cpp", "./player", "player.cpp", "Makefile"),
    starter!(
        "masterchef",
        "java",
        "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . Player",
        "Player.java",
        "Makefile"
    ),
    starter!("masterchef", "rust", "./player", "player.rs", "Makefile"),
    starter!(
        "guesswho",
        "python",
        "python3 player.py",
        "player.py",
        "Makefile"
    ),
    starter!("guesswho", "cpp", "./player", "player.cpp", "Makefile"),
    starter!(
        "guesswho",
        "java",
        "java -cp . Player",
        "Player.java",
        "Makefile"
    ),
    starter!("guesswho", "rust", "./player", "player.rs", "Makefile"),
    starter!(
        "twentyone",
        "python",
        "python3 player.py",
        "player.py",
        "Makefile"
    ),
    starter!(
        "twentyone",
        "cpp",
        "./player",
        "player.cpp",
        "json.hpp",
        "Makefile"
    ),
    starter!(
        "twentyone",
        "java",
        "java -cp . Player",
        "Player.java",
        "Json.java",
        "Makefile"
    ),
    starter!(
        "twentyone",
        "rust",
        "./player",
        "player.rs",
        "json.rs",
        "Makefile"
    ),
];

fn known(of: fn(&Starter) -> &'static str) -> PossibleValuesParser {
    let mut names: Vec<&str> = Vec::new();
    for name in STARTERS.iter().map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    PossibleValuesParser::new(names)
}

/// Arguments of `turnwise new`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise new entropy --lang python my-player
  turnwise new halma --lang java my-player
  cd my-player && make check

The player moves legally and looks one ply ahead. Its README says how to build it, to try it, and what to
change first.")]
pub struct Arguments {
    /// What it plays
    #[arg(value_parser = known(|starter| starter.game))]
    game: String,
    /// What it is written in
    #[arg(long, value_name = "LANGUAGE", default_value = "python", value_parser = known(|starter| starter.language))]
    lang: String,
    /// A new folder for it
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes a player into a new folder.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { game, lang, folder } = arguments;
    let mut starters = STARTERS.iter();
    let starter = starters.find(|starter| starter.game == game && starter.language == lang);
    let starter = starter.with_context(|| format!("there is no player of {game} in {lang} yet"))?;
    let shown = folder.display();
    let is_free = match fs::read_dir(&folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !folder.exists(),
    };
    ensure!(
        is_free,
        "expected a new or an empty folder, and there is something at {shown}"
    );
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {shown}"))?;
    for (name, text) in starter.files {
        let text = text.replace("RUN", starter.run);
        write_whole(&folder.join(name), text.as_bytes())?;
    }
    print(&format!(
        "Wrote a player of {game} into {shown}. Try it:\n  cd {shown} && make check\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
