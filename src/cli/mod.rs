//! The command line. Each subcommand has a file, which parses the arguments and makes one library call.
//!
//! The subcommands that belong to a single game are in that game's folder below [`games`].
//!
//! Exit codes: 0 for success, 1 for a failure, 2 for incorrect usage or malformed input, 3 if the connection is
//! permanently lost, 4 if stdout cannot be written, and 130 and 143 if SIGINT or SIGTERM ended the program.

mod adapters;
mod arena;
pub mod budget;
mod check;
#[cfg(feature = "cluster")]
mod cluster;
mod commands;
mod completions;
#[cfg(test)]
mod documented;
mod files;
mod game_options;
pub mod games;
mod isolation;
#[cfg(feature = "cluster")]
mod judging;
mod man;
mod new;
mod pairing_json;
mod puzzles;
#[cfg(all(test, feature = "cluster"))]
mod reference;
mod replay;
mod report;
mod review;
mod rules;
mod schema;
mod studio;
mod tournament;
mod transcripts;
#[cfg(feature = "cluster")]
mod worker;

use std::ffi::{OsStr, OsString};
use std::future::Future;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, Resettable, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser};

use anyhow::{Context, anyhow};

use crate::console::{note, output, terminal};
use commands::{Command, implied};
use games::moved;
use turnwise_daemon::logging::{self, Logging};
use turnwise_daemon::runtime::runtime;
use turnwise_daemon::world::seed_of_now;
use turnwise_engine::player::{allowed_times, is_time};
use turnwise_engine::words::{printable_lines, shortened};
use turnwise_process::isolation::Isolation;

/// The exit code if the connection to the server is permanently lost.
const EXIT_LOST: u8 = 3;

/// The exit code if results could not be written to stdout, for example because the disk is full.
const EXIT_UNWRITTEN: u8 = 4;

/// Plays tournament games, and runs matches, tournaments and a browser studio.
#[derive(Debug, Parser)]
#[command(
    name = "turnwise",
    version,
    arg_required_else_help = true,
    max_term_width = 80,
    help_template = commands::help_template()
)]
#[command(after_help = "\
Examples:
  turnwise arena human turnwise   you against it; --game picks another game
  turnwise arena turnwise random  which agent is stronger, with proof
  turnwise COMMAND --help         the help of a command, with examples")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Returns the process's arguments. If the name of the program implies further arguments, these are inserted in front.
fn with_implied(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let stem = arguments.first().map(Path::new).and_then(Path::file_stem);
    let words = stem.and_then(OsStr::to_str).map_or(&[][..], implied);
    if !words.is_empty() {
        let words = ["turnwise"].iter().chain(words);
        arguments.splice(..1, words.map(OsString::from));
    }
    arguments
}

/// Returns the parser of a command line. If the words name a game, the commands for all games show the agents and
/// settings of this game in their help, and accept only values that this game has.
fn parser(words: &[OsString]) -> clap::Command {
    // The referee of a game may start when the game is loaded, so the walls around it come first.
    if words.iter().any(|word| word == "--isolate") {
        turnwise_outside::isolate(Isolation::default());
    }
    let game = game_options::asked(words);
    Arguments::command()
        .mut_subcommand("arena", |arena| arena::help_of(arena, game))
        .mut_subcommand("check", |check| check::help_of(check, game))
}

/// Returns the parser of a command line, with formatted help texts: short ones if the words contain `-h`.
fn command(words: &[OsString]) -> clap::Command {
    let layout = match words.iter().any(|word| word == "-h") {
        true => in_short,
        false => laid_out,
    };
    parser(words).mut_subcommands(layout)
}

/// The ends of the first clause of an option's help.
const CLAUSE_ENDS: [&str; 9] = [
    "; ",
    ", ",
    ". ",
    ": ",
    " (",
    " and ",
    " if ",
    " once ",
    " instead ",
];

/// Shortens the help of a command and of all its subcommands to the usage and one line for each option.
fn in_short(command: clap::Command) -> clap::Command {
    let command = match command.get_after_help() {
        Some(_) => command.after_help("Run with --help for examples and details."),
        None => command,
    };
    let command = command.mut_args(|arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let ends = CLAUSE_ENDS.iter().filter_map(|end| help.find(end));
        let clause = help[..ends.min().unwrap_or(help.len())].to_owned();
        let has_value = arg.get_action().takes_values();
        arg.help(clause)
            .hide_possible_values(has_value)
            .hide_default_value(has_value)
    });
    command.mut_subcommands(in_short)
}

/// The layout of a command's help: the examples are before the options.
const HELP: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// Lays out the help of a command and of all its subcommands.
///
/// The examples, which are the first paragraph after the options, move to the front. The descriptions of possible values
/// become part of the help of their options; otherwise, clap would write a paragraph for each option.
fn laid_out(mut command: clap::Command) -> clap::Command {
    let after = command.get_after_help().map(ToString::to_string);
    if let Some(after) = after.filter(|after| after.starts_with("Examples:")) {
        let (examples, rest) = after.split_once("\n\n").unwrap_or((&after, ""));
        let rest = match rest {
            "" => Resettable::Reset,
            rest => Resettable::Value(rest.to_owned().into()),
        };
        let examples = examples.trim_end().to_owned();
        command = command
            .before_help(examples)
            .after_help(rest)
            .help_template(HELP);
    }
    let command = command.mut_args(|arg| {
        let choices = arg.get_possible_values();
        let choice = |choice: &PossibleValue| {
            let help = choice.get_help().map(|help| format!(": {help}"));
            format!("{}{}", choice.get_name(), help.unwrap_or_default())
        };
        let is_described = choices.iter().any(|choice| choice.get_help().is_some());
        match (arg.get_help().map(ToString::to_string), is_described) {
            (Some(help), true) => {
                let choices: Vec<String> = choices.iter().map(choice).collect();
                let help = format!("{help} [{}]", choices.join("; "));
                arg.help(help).hide_possible_values(true)
            }
            _ => arg,
        }
    });
    command.mut_subcommands(laid_out)
}

/// The exit code for incorrect usage, which means that the command line cannot be executed.
const EXIT_WRONG_USAGE: u8 = 2;

/// An error in the command line that is noticed only after clap has parsed it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct WrongUsage(#[from] anyhow::Error);

/// Runs the command that the process's arguments describe. If it fails, reports the error once, with its causes.
pub fn main() -> ExitCode {
    if let Some(code) = turnwise_process::helper::run(std::env::args_os().skip(1)) {
        return code;
    }
    turnwise_outside::report_failures(|failure| note!("turnwise: {}", quotable(failure)));
    let arguments = with_implied(std::env::args_os().collect());
    let parsed = parser(&arguments).try_get_matches_from(&arguments);
    let arguments = match parsed.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Helps are laid out only when they are shown, because some players are started for each move.
            let again = command(&arguments).try_get_matches_from(&arguments);
            let shown = again.err().unwrap_or(error);
            return exit_code(match moved::replacement(&arguments) {
                Some(new) if shown.use_stderr() => {
                    Err(WrongUsage(anyhow!("this command was replaced; run: {new}")).into())
                }
                None if lacks_cluster(&shown) => Err(WrongUsage(anyhow!(
                    "this turnwise was built without the cluster; build it with: cargo install --path . --locked \
                     --features cluster"
                ))
                .into()),
                _ => show_help(&shown),
            });
        }
    };
    exit_code(arguments.command.run())
}

/// Returns true if an argument or a command is unknown because this program was built without the cluster.
fn lacks_cluster(shown: &clap::Error) -> bool {
    let is = |kind, names: &[&str]| match shown.get(kind) {
        Some(ContextValue::String(name)) => names.contains(&name.as_str()),
        _ => false,
    };
    !cfg!(feature = "cluster")
        && (is(ContextKind::InvalidArg, &["--cluster"])
            || is(ContextKind::InvalidSubcommand, &["cluster", "worker"]))
}

/// The maximum length of an error message, in bytes.
const LONGEST_ERROR: usize = 4096;

/// Removes control characters from an error message, and shortens the message if it is too long.
///
/// This is necessary because the message may quote arbitrary parts of a file or of the command line.
fn quotable(message: &str) -> String {
    shortened(&printable_lines(message), LONGEST_ERROR)
}

/// Shows the requested help, or the errors in the arguments.
fn show_help(shown: &clap::Error) -> anyhow::Result<ExitCode> {
    match shown.use_stderr() {
        true => {
            let message = shown.render().to_string();
            match message.len() <= LONGEST_ERROR {
                // Errors in printing are ignored, because stderr may be closed.
                true => drop(shown.print()),
                false => output::prompt(&quotable(&message)),
            }
        }
        false => shown.print().map_err(output::of_stdout)?,
    }
    Ok(ExitCode::from(shown.exit_code() as u8))
}

/// Returns the exit code for the result of a command. Reports the error if the command failed, or if output to stdout
/// was lost.
fn exit_code(result: anyhow::Result<ExitCode>) -> ExitCode {
    let code = result.unwrap_or_else(|error| told(&error));
    match output::lost() {
        None => code,
        Some(lost) => {
            note!("turnwise: {lost}");
            match code == ExitCode::SUCCESS {
                true => ExitCode::from(EXIT_UNWRITTEN),
                false => code,
            }
        }
    }
}

/// Reports an error, and returns the exit code for it.
fn told(error: &anyhow::Error) -> ExitCode {
    let unwritten = error.chain().find_map(output::unwritten);
    if unwritten.is_some_and(output::Unwritten::is_closed) {
        return ExitCode::SUCCESS;
    }
    note!("turnwise: {}", quotable(&format!("{error:#}")));
    match unwritten {
        Some(_) => ExitCode::from(EXIT_UNWRITTEN),
        None if error.is::<WrongUsage>() => ExitCode::from(EXIT_WRONG_USAGE),
        None => ExitCode::FAILURE,
    }
}

/// The error message if the system provides no thread.
const NO_THREAD: &str = "cannot start a thread (see the limits of ulimit -u and -v)";

/// Runs an asynchronous task, which uses the network, until it ends.
///
/// The task runs on this thread; searches and standard streams use other threads. When the task has ended, this
/// function does not wait for a thread that is still reading stdin, because the input may never end.
fn block_on<T>(task: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = runtime()?;
    let result = runtime.block_on(task);
    runtime.shutdown_background();
    result
}

/// Starts logging for a daemon. Keep the returned value until the command ends.
#[must_use = "the last lines are written when it is dropped"]
fn start_log() -> anyhow::Result<Logging> {
    logging::start(terminal::has_colours(&std::io::stderr())).context("cannot log to stderr")
}

/// Returns the user's command line, for files that record how they were made.
///
/// Omits the address of a cluster, because it does not affect the results and may contain a password.
fn command_line() -> String {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    while let Some(at) = words.iter().position(|word| word == "--cluster") {
        words.drain(at..words.len().min(at + 2));
    }
    words.retain(|word| !word.starts_with("--cluster="));
    format!("turnwise {}", words.join(" "))
}

/// Returns the number of tasks that can run in parallel.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The maximum number of threads for a search. A larger number of threads would mostly wait for each other.
const MOST_THREADS: usize = 64;

/// Parses the number of threads for a search.
fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok();
    number
        .filter(|threads: &NonZeroUsize| threads.get() <= MOST_THREADS)
        .ok_or_else(|| format!("expected a number of threads from 1 to {MOST_THREADS}"))
}

/// Parses the name or address of a server.
///
/// Rejects common mistakes immediately. Otherwise, the program would retry for a long time, because it treats a name
/// that cannot be resolved like a server that is down.
fn parse_host(text: &str) -> Result<String, String> {
    let expected = "expected a host name or address, such as localhost";
    if let Some((_, rest)) = text.split_once("://") {
        let host = rest.split(['/', ':']).next().unwrap_or_default();
        return Err(format!("{expected}, without a scheme; try {host}"));
    }
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    if let Some((address, _)) = bare {
        return Err(format!("{expected}, without brackets; try {address}"));
    }
    if let Some((host, port)) = text.split_once(':')
        && port.parse::<u16>().is_ok()
    {
        return Err(format!(
            "{expected}, and the port as the next word; try {host} {port}"
        ));
    }
    let is_possible = |character: char| !character.is_whitespace() && character != '/';
    match !text.is_empty() && text.chars().all(is_possible) {
        true => Ok(text.to_owned()),
        false => Err(expected.to_owned()),
    }
}

/// Parses the address and port on which to listen.
fn parse_listen(text: &str) -> Result<SocketAddr, String> {
    let expected = "expected a numeric address and a port, such as 127.0.0.1:10000";
    text.parse().map_err(|_| {
        let port = text.rsplit(':').next().unwrap_or_default();
        match port.parse::<u16>() {
            Ok(port) => {
                format!("{expected}; try 127.0.0.1:{port}, or 0.0.0.0:{port} for other machines")
            }
            Err(_) => expected.to_owned(),
        }
    })
}

/// Parses a time in seconds, such as `60` or `0.5`.
fn parse_clock(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds| is_time(seconds));
    let seconds = seconds.map(Duration::from_secs_f64);
    seconds.ok_or_else(|| format!("expected {}, such as 60 or 0.5", allowed_times()))
}

/// Creates a parser for a choice between several words. Each word has a help line and a value.
fn one_of<T: Clone + Send + Sync + 'static>(
    choices: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let words = choices.iter();
    PossibleValuesParser::new(words.map(|&(word, help, _)| PossibleValue::new(word).help(help)))
        .map(|given| {
            let mut choices = choices.iter();
            let choice = choices.find(|&&(word, ..)| word == given);
            choice.expect("other words are refused").2.clone()
        })
}
