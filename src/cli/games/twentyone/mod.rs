//! The commands of TwentyOne: `turnwise twentyone value` evaluates a hand, `turnwise stdio twentyone` plays,
//! `turnwise export twentyone-haskell` writes the player in Haskell.

pub(super) mod export;
mod value;

use std::io::{stdin, stdout};
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::Context;

use crate::console::lines;
use turnwise_protocol::twentyone::LINE_LIMIT;
use turnwise_twentyone::rules::{Points, RuleSet, Settings};
use turnwise_twentyone::wire::reply_line;

/// Arguments of `turnwise twentyone`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise twentyone value --rules engine
      the value of a hand
  turnwise arena human turnwise --game twentyone
      you against turnwise
  turnwise arena turnwise chart basic --game twentyone --tables --seats 3
      who is stronger at a table of three, and at what confidence")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Evaluate a hand: exactly, by simulation and by counting cards; also the risk of ruin by stack
    Value(value::Arguments),
}

/// Evaluates a hand.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Command::Value(arguments) = arguments.command;
    value::run(arguments)
}

/// Plays on stdin and stdout until the input ends. Each line of the input is a call, which is answered with one line.
///
/// The settings in the arguments apply to each call that contains no settings itself.
pub fn run_stdio(arguments: &SettingsArguments) -> anyhow::Result<ExitCode> {
    let settings = arguments.settings()?;
    let reply = |line: Option<&[u8]>| ControlFlow::Continue(reply_line(&settings, line));
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    lines::serve(&mut input, &mut output, LINE_LIMIT, reply)
        .context("cannot read stdin or write stdout")?;
    Ok(ExitCode::SUCCESS)
}

/// Parameters of a game; the rule set provides the defaults.
#[derive(Debug, Clone, clap::Args)]
pub struct SettingsArguments {
    /// Follow the assignment text, or the course's engine where it differs
    #[arg(long, default_value = "text", value_name = "text|engine")]
    rules: RuleSet,
    /// Set each player's points at the start [default: 10000]
    #[arg(long, value_name = "POINTS")]
    starting_points: Option<Points>,
    /// Set the smallest bid [default: 10]
    #[arg(long, value_name = "POINTS")]
    min_bid: Option<Points>,
    /// Set the largest bid [default: 1000 (text), 100 (engine)]
    #[arg(long, value_name = "POINTS")]
    max_bid: Option<Points>,
    /// Set the number of rounds in a game [default: 1000 (text), 100 (engine)]
    #[arg(long)]
    rounds: Option<u32>,
    /// Set the number of decks in the shoe [default: 3]
    #[arg(long)]
    decks: Option<u8>,
}

impl SettingsArguments {
    /// Returns the settings of a game. The rule set provides all settings that the user does not state. Returns an
    /// error if the settings are invalid.
    fn settings(&self) -> anyhow::Result<Settings> {
        let of_rules = Settings::of(self.rules);
        let settings = Settings {
            rules: self.rules,
            starting_points: self.starting_points.unwrap_or(of_rules.starting_points),
            min_bid: self.min_bid.unwrap_or(of_rules.min_bid),
            max_bid: self.max_bid.unwrap_or(of_rules.max_bid),
            rounds: self.rounds.unwrap_or(of_rules.rounds),
            decks: self.decks.unwrap_or(of_rules.decks),
        };
        Ok(settings.validated()?)
    }
}
