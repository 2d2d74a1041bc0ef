//! `turnwise completions`: prints a script with which a shell completes commands, games and agents.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::builder::PossibleValuesParser;
use clap_complete::{Shell, generate};
use turnwise_arena::agents::HUMAN;
use turnwise_games::GAMES;

use crate::console::output::print;

/// Arguments of `turnwise completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise completions bash
      in ~/.bashrc: source <(turnwise completions bash)
  turnwise completions zsh
      in ~/.zshrc, after compinit: source <(turnwise completions zsh)
  turnwise completions fish
      in ~/.config/fish/config.fish: turnwise completions fish | source")]
pub struct Arguments {
    /// The shell that reads the script
    shell: Shell,
}

/// Prints the script.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let agents = GAMES.iter().flat_map(|game| game.about().agents);
    let agents: BTreeSet<&str> = agents.map(|agent| agent.name).chain([HUMAN]).collect();
    let known = |arg: clap::Arg| arg.value_parser(PossibleValuesParser::new(&agents));
    let mut command = super::Arguments::command().mut_subcommand("arena", |arena| {
        arena.mut_arg("agents", known).mut_arg("versus", known)
    });
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "turnwise", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
