//! `turnwise rules`: explains a game to people who do not know it.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::ensure;
use turnwise_engine::plugin::Plugin;
use turnwise_games::GAMES;
use turnwise_study::rules::{Paragraph, rules};

use super::game_options::{GameParser, known_games};
use crate::console::output::print;

/// The maximum length of a line of text, in characters. Boards may be wider.
const WIDTH: usize = 80;

fn after_help() -> String {
    let name = GAMES[0].about().name;
    format!(
        "Examples:\n  turnwise rules {name}\n  turnwise rules ./my-game    a game in a folder, from its game.toml"
    )
}

/// Arguments of `turnwise rules`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// The game: its name, or its folder
    #[arg(value_parser = GameParser)]
    game: &'static Plugin,
}

/// Prints the rules with their examples.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let about = arguments.game.about();
    let rules = rules(known_games(), about.name).map_err(anyhow::Error::new)?;
    ensure!(
        !rules.is_empty(),
        "the rules of {} are not written down; add `rules` to its game.toml",
        about.title
    );
    let mut text = format!("{}\n", about.title);
    for Paragraph { words, example } in rules {
        let _ = write!(text, "\n{}", wrapped(words, ""));
        if let Some(example) = example {
            let _ = write!(text, "\n{}\n", example.text.trim_end());
            let _ = write!(text, "{}", wrapped(example.caption, "  "));
        }
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Breaks a text into lines, which all begin with `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut line = indent.to_owned();
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            lines += &line;
            lines.push('\n');
            line = indent.to_owned();
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line += word;
    }
    lines + &line + "\n"
}
