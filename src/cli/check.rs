//! `turnwise check`: whether a program can take part, scenario by scenario.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use turnwise_arena::agents::Spec;
use turnwise_arena::check::{Checked, Outcome, check};
use turnwise_arena::lineup::Lineup;
use turnwise_arena::records::{Contestant, FORMAT, Settings, Via};
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::Plugin;
use turnwise_engine::words::printable;
use turnwise_games::{GAMES, start_daemon};

use super::arena::{checked, guard};
use super::game_options::{GameOptions, Offered, names, plugin};
use super::parse_clock;
use crate::console::output::{self, print};

/// The exit code for a program that fails.
const EXIT_FAILED: u8 = 1;

/// Arguments of `turnwise check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise check 'cmd:python3 player.py' --game entropy
  turnwise check 'cmd:./player' --game halma --clock 20
  turnwise check 'cmd/codecup:./player' --game entropy --size 7
  turnwise check 'cmd:python3 player.py' --folder submissions/ada

It starts the program, ends its input, asks for a first move in each role, and plays whole games against an
agent that moves at random, one after another. It listens whether the end of a game is answered, lets the
opponent pass where the game has passes, sends lines in pieces and lines that end with CR LF, leaves the last
line feed of a file out, and half a second on the clock where the program is told its clock. For each it says
what was expected, what came, and what mostly helps; and why a scenario is left out. --max-plies of Halma
keeps its games short.
Exit codes: 0 everything passed, 1 something failed, 2 wrong usage, 4 stdout could not be written.")]
pub struct Arguments {
    /// The program, as in turnwise arena: cmd:WORDS, cmd/WIRE:WORDS or daemon:WORDS
    program: String,
    /// What it plays
    #[arg(long, value_parser = names(), default_value = GAMES[0].about().name)]
    game: String,
    /// Where its files are; it runs there
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Its time in each game
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_clock)]
    clock: Duration,
    #[command(flatten)]
    options: GameOptions<AnyGame>,
}

#[derive(Debug, Clone)]
struct AnyGame;

impl Offered for AnyGame {
    fn games() -> &'static [&'static dyn Plugin] {
        GAMES
    }
}

/// Leads a program through all scenarios.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let game = plugin(&arguments.game).context("no such game")?;
    let game = arguments.options.settings(game)?;
    let about = game.about();
    let spec = Spec::read(about, &arguments.program)?;
    if spec.kind.is_built_in() {
        bail!("expected a program such as 'cmd:python3 player.py', got an agent of turnwise");
    }
    let opponent = ["random", about.agents[0].name];
    let opponent = opponent
        .into_iter()
        .find(|name| about.agents.iter().any(|agent| agent.name == *name));
    let contestant = |name: &str, spec: String, folder| Contestant {
        name: name.to_owned(),
        spec,
        folder,
    };
    let agents = vec![
        contestant("program", spec.kind.to_string(), arguments.folder),
        contestant(
            "opponent",
            opponent.context("the game has no agents")?.to_owned(),
            None,
        ),
    ];
    let settings = checked(Ok(Settings {
        format: FORMAT,
        turnwise: env!("CARGO_PKG_VERSION").to_owned(),
        counts: about.counts,
        game,
        agents,
        seed: 1,
        pairs: 1,
        opening_plies: 0,
        time: TimeControl::Clock {
            seconds: arguments.clock.as_secs_f64(),
            increment: 0.0,
        },
        via: Via::Process,
        jobs: 1,
        gauntlet: None,
        tournament: None,
        sprt: None,
        isolation: None,
    }))?;
    let _guard = guard(&settings);
    let mut lineup = Lineup::of(&settings, start_daemon)?;
    lineup.prepare(&settings, &output::note);
    let mut unwritten = Ok(());
    let all_passed = check(&settings, &mut lineup, &mut |checked| {
        if unwritten.is_ok() {
            unwritten = print(&told(checked));
        }
    })?;
    unwritten?;
    Ok(match all_passed {
        true => {
            print("It can take part.\n")?;
            ExitCode::SUCCESS
        }
        false => {
            print("It cannot take part yet.\n")?;
            ExitCode::from(EXIT_FAILED)
        }
    })
}

fn told(checked: &Checked) -> String {
    let Checked {
        name,
        expected,
        outcome,
    } = checked;
    match outcome {
        Outcome::Passed => format!("ok       {name}\n"),
        Outcome::Left(why) => format!("left out {name}: {why}\n"),
        Outcome::Failed {
            came,
            advice,
            stderr,
        } => {
            let mut text = format!(
                "FAILED   {name}\n         expected: {expected}\n         came: {}\n         try: {advice}\n",
                printable(came)
            );
            for line in stderr {
                text += &format!("         its stderr: {}\n", printable(line));
            }
            text
        }
    }
}
