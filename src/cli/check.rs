//! `turnwise check`: whether a program can take part, scenario by scenario.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use turnwise_arena::agents::Spec;
use turnwise_arena::check::{Checked, Outcome, check};
use turnwise_arena::lineup::Lineup;
use turnwise_arena::records::{Contestant, Settings};
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::Plugin;
use turnwise_engine::words::printable;
use turnwise_games::{GAMES, start_daemon};

use super::arena::{checked, guarded};
use super::game_options::{GameOptions, Offered, examples, names, plugin};
use super::isolation::report_of_machine;
use super::parse_clock;
use crate::console::output::print;

/// The exit code for a program that fails.
const EXIT_FAILED: u8 = 1;

const EXPLANATION: &str = "\
It leads the program through scenarios, one after another: the program is started; its input ends; it is asked
for a first move in each role; it plays whole games against an agent that moves at random; the opponent passes,
where the game has passes; lines come in pieces or end with CR LF; a file lacks its last line feed; half a second
is left on the clock, where the program is told its clock. Where the end of a game has to be answered, it waits
for that answer. For each scenario that fails it says what was expected, what came, and what mostly helps; for
each that is left out, why.
Exit codes: 0 everything passed, 1 something failed, 2 wrong usage, 4 stdout could not be written.";

fn after_help() -> String {
    format!(
        "Examples:\n{}  turnwise check 'cmd:python3 player.py' --folder submissions/ada\n\n{EXPLANATION}",
        examples("check")
    )
}

/// Arguments of `turnwise check`.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// The program, as in turnwise arena: cmd:WORDS, cmd/WIRE:WORDS or daemon:WORDS
    #[arg(required_unless_present = "machine")]
    program: Option<String>,
    /// Report what this machine can do to isolate programs, and stop
    #[arg(long, exclusive = true)]
    machine: bool,
    /// The game that the program plays
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
    let Some(program) = arguments.program else {
        print(&report_of_machine()?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let game = plugin(&arguments.game).context("no such game")?;
    let game = arguments.options.settings(game)?;
    let about = game.about();
    let spec = Spec::read(about, &program)?;
    if spec.kind.is_built_in() {
        bail!("expected a program such as 'cmd:python3 player.py', got an agent of turnwise");
    }
    let folder = match (arguments.folder, spec.folder) {
        (Some(_), Some(_)) => bail!("expected --folder or folder= in the program, got both"),
        (option, of_spec) => option.or(of_spec),
    };
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
        contestant("program", spec.kind.to_string(), folder),
        contestant(
            "opponent",
            opponent.context("the game has no agents")?.to_owned(),
            None,
        ),
    ];
    let time = TimeControl::clock(arguments.clock);
    let settings = checked(Ok(Settings::new(game, agents, time)))?;
    let mut lineup = Lineup::of(&settings, start_daemon)?;
    let _guard = guarded(&settings, &mut lineup);
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
