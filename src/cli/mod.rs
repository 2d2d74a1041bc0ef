//! The command line: one file per subcommand, each turning arguments into one call of the library.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage or malformed input, 3 connection lost for good, 4 stdout
//! could not be written, 130 and 143 ended by SIGINT and SIGTERM.

mod analyse;
mod arena;
pub mod budget;
mod calibrate;
mod check;
mod demo;
mod files;
mod game_options;
mod guesswho;
mod halma;
mod halma_master;
mod help;
mod host;
mod masterchef;
mod new;
mod pairing_json;
mod play;
mod regret;
mod replay;
mod report;
mod serve;
mod solve;
mod stdio;
mod tournament;
mod train;
mod twentyone;

use std::ffi::{OsStr, OsString};
use std::future::Future;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use anyhow::Context;

use crate::console::{note, output, terminal};
use turnwise_daemon::client::seed_of_now;
use turnwise_daemon::host::HostError;
use turnwise_daemon::logging::{self, LogFile, Logging};
use turnwise_daemon::shutdown;
use turnwise_engine::player::is_time;
use turnwise_engine::words::printable_lines;
use turnwise_halma::files::numbered;

/// The exit code for a connection that is lost for good.
const EXIT_LOST: u8 = 3;

/// The exit code for results that could not be written to stdout, as on a full disk.
const EXIT_UNWRITTEN: u8 = 4;

/// A persistent game-agent daemon: it connects to a tournament server, remembers opponent, board
/// and clock from turn to turn, and thinks within its time budget.
#[derive(Debug, Parser)]
#[command(name = "turnwise", version, arg_required_else_help = true)]
#[command(after_help = "\
Try it:
  ./run.sh                           a whole match on this machine: host, two players, one war
  turnwise play localhost 10000      a player for the tournament server on that port
  turnwise host                      the tournament server itself
  turnwise COMMAND --help            what a command does, with examples

The log goes to stderr; TURNWISE_LOG=warn (or debug) sets how much of it.
Exit codes: 0 done, 1 failed, 2 wrong usage, 4 stdout could not be written, as on a full disk. That
nobody reads it any more is no failure.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Each variant's documentation is its line in `turnwise --help`.
#[derive(Debug, Subcommand)]
enum Command {
    /// Play on a tournament server: turnwise play SERVER PORT
    Play(play::Arguments),
    /// Run the tournament server, for two players or for a class: turnwise host --wars 3
    Host(host::Arguments),
    /// Play matches between agents and say who is better: turnwise arena turnwise holes
    Arena(arena::Arguments),
    /// Play a class's tournament and rank it: turnwise tournament class.toml
    Tournament(tournament::Arguments),
    /// Write a starter player: turnwise new entropy --lang python my-player
    New(new::Arguments),
    /// Say whether a program can take part, and what is wrong: turnwise check 'cmd:python3 player.py'
    Check(check::Arguments),
    /// Say what the moves of a board are worth: turnwise analyse board.txt
    Analyse(analyse::Arguments),
    /// Solve a small game and keep the value of every board: turnwise solve entropy --size 4
    Solve(solve::Arguments),
    /// Show how a player spent its time: turnwise budget LOG
    Budget(budget::Arguments),
    /// Play a whole match on this machine and show it
    Demo(demo::Arguments),
    /// Play on stdin and stdout: turnwise stdio entropy|codecup|twentyone|guesswho
    Stdio(stdio::Arguments),
    /// TwentyOne: tournaments, a seat at the table, reports, values of hands
    Twentyone(twentyone::Arguments),
    /// Guess Who: games of the course's players, the optimal one and you; decision trees
    Guesswho(guesswho::Arguments),
    /// Run a game of Halma between two commands, as the course's master does: turnwise halma-master A B
    HalmaMaster(halma_master::Arguments),
    /// Run the daemon behind turnwise halma, which remembers its games
    Serve(serve::Arguments),
    /// Sum up an arena's logs, with pictures and a page: turnwise report LOG --out DIR
    Report(report::Arguments),
    /// Say what the moves of logged games gave away: turnwise regret LOG
    Regret(regret::Arguments),
    /// Learn weights from self-play: turnwise train entropy --size 7 --out new.weights
    Train(train::Arguments),
    /// Measure what final scores the values of weights stand for: turnwise calibrate new.weights
    Calibrate(calibrate::Arguments),
    /// Step through a game of an arena's log: turnwise replay LOG --game 3
    Replay(replay::Arguments),
    /// Pick the next contestant of a MasterChef team: turnwise masterchef [--explain]
    Masterchef(masterchef::Arguments),
    /// Play a move of Halma: reads input.txt, writes output.txt
    Halma(halma::Arguments),
}

/// The command that a course calls for by this name of a program, without its extension: linked or copied so,
/// this program is that command.
fn implied(name: &str) -> &'static [&'static str] {
    match name {
        "project2cs360s2020" => &["masterchef"],
        // The course's master measures this process: a daemon has to be asked for.
        _ if numbered(name, "homework").is_some() => &["halma", "--daemon", "off"],
        _ if numbered(name, "calibrate").is_some() => &["halma", "--calibrate"],
        _ => &[],
    }
}

/// The process's arguments, with the command put in if the program's own name implies it.
fn with_implied(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let stem = arguments.first().map(Path::new).and_then(Path::file_stem);
    let words = stem.and_then(OsStr::to_str).map_or(&[][..], implied);
    if !words.is_empty() {
        let words = ["turnwise"].iter().chain(words);
        arguments.splice(..1, words.map(OsString::from));
    }
    arguments
}

/// The exit code for work that the user has stopped.
const EXIT_INTERRUPTED: u8 = 130;

/// The exit code for what the command line asks and cannot be.
const EXIT_WRONG_USAGE: u8 = 2;

/// What the command line asks cannot be, found only after it was parsed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct WrongUsage(#[from] anyhow::Error);

/// Parses the process's arguments, runs the command, and reports an error once, with its causes.
pub fn main() -> ExitCode {
    if let Some(code) = turnwise_process::helper::run(std::env::args_os().skip(1)) {
        return code;
    }
    let arguments = with_implied(std::env::args_os().collect());
    // Laying out all help takes milliseconds, which a command that is run for every move has not.
    let parsed = Arguments::command()
        .try_get_matches_from(&arguments)
        .or_else(|_| help::fitted(Arguments::command()).try_get_matches_from(&arguments))
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(shown) => return exit_code(show_help(&shown)),
    };
    let result = match arguments.command {
        Command::Play(arguments) => play::run(arguments),
        Command::Host(arguments) => host::run(arguments),
        Command::Arena(arguments) => arena::run(arguments),
        Command::Tournament(arguments) => tournament::run(arguments),
        Command::New(arguments) => new::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Analyse(arguments) => analyse::run(arguments),
        Command::Solve(arguments) => solve::run(arguments),
        Command::Budget(arguments) => budget::run(arguments),
        Command::Demo(arguments) => demo::run(arguments),
        Command::Stdio(arguments) => stdio::run(arguments),
        Command::Twentyone(arguments) => twentyone::run(arguments),
        Command::Guesswho(arguments) => guesswho::run(arguments),
        Command::HalmaMaster(arguments) => halma_master::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Regret(arguments) => regret::run(arguments),
        Command::Train(arguments) => train::run(arguments),
        Command::Calibrate(arguments) => calibrate::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Masterchef(arguments) => masterchef::run(arguments),
        Command::Halma(arguments) => halma::run(arguments),
    };
    exit_code(result)
}

/// Shows help, which was asked for, or what is wrong with the arguments.
fn show_help(shown: &clap::Error) -> anyhow::Result<ExitCode> {
    match shown.use_stderr() {
        // Stderr may be gone.
        true => drop(shown.print()),
        false => shown.print().map_err(output::of_stdout)?,
    }
    Ok(ExitCode::from(shown.exit_code() as u8))
}

/// The exit code of a command that has ended so. Errors are told, and what stdout has lost.
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

/// Tells an error; its exit code.
fn told(error: &anyhow::Error) -> ExitCode {
    if let Some(HostError::Signal(signal)) = error.downcast_ref() {
        return ExitCode::from(shutdown::exit_code(*signal));
    }
    let unwritten = error.chain().find_map(output::unwritten);
    if unwritten.is_some_and(output::Unwritten::is_closed) {
        return ExitCode::SUCCESS;
    }
    // It may quote a file, which is no reason to believe its escape characters.
    note!("turnwise: {}", printable_lines(&format!("{error:#}")));
    match unwritten {
        Some(_) => ExitCode::from(EXIT_UNWRITTEN),
        None if error.is::<WrongUsage>() => ExitCode::from(EXIT_WRONG_USAGE),
        None => ExitCode::FAILURE,
    }
}

/// Runs a network task to its end: on this thread, and on others for searches and standard streams. Does
/// not wait for a blocking read of stdin, which may never end.
fn block_on<T>(task: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build()?;
    let result = runtime.block_on(task);
    runtime.shutdown_background();
    result
}

/// Where a player's records go.
#[derive(Debug, Default, clap::Args)]
struct LogArguments {
    /// Append a record of every move and game to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Start a new file before that one exceeds this size, in MiB; the previous one is kept as FILE.1
    #[arg(long, value_name = "MB", requires = "log",
          value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    log_limit: Option<u64>,
}

/// Starts the log of a daemon, with records in a file if one is named. To be kept until the command ends.
#[must_use = "the last lines are written when it is dropped"]
fn start_log(arguments: &LogArguments) -> anyhow::Result<Logging> {
    let file = arguments.log.as_deref();
    let limit = arguments.log_limit.map(|limit| limit << 20);
    let records = file.map(|path| LogFile { path, limit });
    logging::start(records, terminal::has_colours(&std::io::stderr())).with_context(|| {
        let name = file.unwrap_or(Path::new("stderr"));
        format!("cannot open the log {}", name.display())
    })
}

/// What the user has typed, for files that tell how they were made.
fn command_line() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    format!("turnwise {}", words.join(" "))
}

/// How many things can be done at the same time.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// More would only wait for each other.
const MOST_THREADS: usize = 64;

/// Reads a number of searching threads.
fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok();
    number
        .filter(|threads: &NonZeroUsize| threads.get() <= MOST_THREADS)
        .ok_or_else(|| format!("expected a number of threads from 1 to {MOST_THREADS}"))
}

/// A time in seconds, with a fraction if need be.
fn parse_clock(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds| is_time(seconds));
    let seconds = seconds.map(Duration::from_secs_f64);
    seconds.ok_or_else(|| "expected a positive number of seconds, such as 60 or 0.5".to_owned())
}

/// Reads one of these words, each with its line of help and what it stands for.
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

#[cfg(test)]
mod tests {
    use turnwise_engine::own_socket::OwnFolder;
    use turnwise_halma::shim::asking::Daemon;

    use super::*;

    /// The daemon that a call asks, if it asks any.
    fn daemon(words: &[&str]) -> Option<Daemon> {
        let words = words.iter().map(OsString::from).collect();
        match Arguments::try_parse_from(with_implied(words)).expect("arguments") {
            Arguments {
                command: Command::Halma(arguments),
            } => arguments.daemon,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn under_the_names_of_the_course_no_daemon_is_asked_unless_it_is_asked_for() {
        let own = Some(Daemon::Own(OwnFolder::usual()));
        assert_eq!(daemon(&["turnwise", "halma"]), own);
        assert_eq!(daemon(&["turnwise", "halma", "--daemon", "off"]), None);
        for name in ["homework", "./homework11", "/a/homework3.x"] {
            assert_eq!(daemon(&[name]), None, "{name}");
            assert_eq!(daemon(&[name, "--rules", "base"]), None, "{name}");
            assert_eq!(daemon(&[name, "--daemon", "own"]), own, "{name}");
            let asked = daemon(&[name, "--daemon", "127.0.0.1:7400"]);
            let named = "127.0.0.1:7400".parse().expect("an address");
            assert_eq!(asked, Some(Daemon::At(named)), "{name}");
        }
    }
}
