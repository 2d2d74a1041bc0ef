//! `turnwise check`: tests a program in several scenarios, to find out whether it can take part in a match.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::anyhow;
use clap::Command;
use serde_json::{Value, json};
use turnwise_arena::agents::{Kind, Spec, Way};
use turnwise_arena::check::{Checked, Event, Outcome, check};
use turnwise_arena::lineup::Lineup;
use turnwise_arena::records::{Contestant, Settings};
use turnwise_engine::player::{Ponder, TimeControl};
use turnwise_engine::plugin::{AgentOptions, Plugin};
use turnwise_engine::words::{printable, shortened};
use turnwise_games::{GAMES, start_daemon};
use turnwise_outside::{Folder, contract};
use turnwise_process::isolation::{Isolation, is_everybodys};

use super::arena::{checked, guarded};
use super::game_options::{AllGames, GameOptions, GameParser, examples, folder_of};
use super::isolation::report_of_machine;
use super::transcripts::TranscriptArguments;
use super::{WrongUsage, parse_clock};
use crate::console::output::print;
use crate::console::progress::Slow;

/// The exit code if the program fails a scenario.
const EXIT_FAILED: u8 = 1;

/// The maximum length of the description of a referee's behavior, in characters.
const LONGEST_GOT: usize = 1000;

const EXPLANATION: &str = "\
The program runs as in turnwise tournament: isolated, in a read-only view of its folder, with HOME and TMPDIR for \
its output. Without --folder, its folder is the current folder if the command names a file in it.

The check runs the program through scenarios, one after another: the program starts; its input ends; it is asked \
for a first move in each role; it plays whole games against a random agent; the opponent passes, if the game has \
passes; lines arrive in pieces or end with CR LF; a file lacks its last line feed; half a second is left on the \
clock, if the program receives its clock. If the program must answer the end of a game, the check waits for that \
answer. For each failed scenario it reports what was expected, what came and the usual fix; for each skipped \
scenario, the reason. A scenario that takes longer than two seconds is named on stderr.

Exit codes: 0 everything passed, 1 something failed, 2 wrong usage, 4 stdout could not be written.";

/// Restricts the help of this command to one game.
pub(super) fn help_of(command: Command, game: &'static Plugin) -> Command {
    let examples = examples("check", [game]);
    GameOptions::<AllGames>::help_of(command, game).after_help(format!(
        "Examples:\n{examples}  turnwise check 'cmd:python3 player.py' --folder submissions/ada\n\n{EXPLANATION}"
    ))
}

/// Arguments of `turnwise check`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The program, as in turnwise arena: cmd:WORDS, cmd/WIRE:WORDS or daemon:WORDS; without it, --game DIR checks the
    /// game's referee
    #[arg(required_unless_present_any = ["machine", "game"])]
    program: Option<String>,
    /// Report how this machine can isolate programs, and exit
    #[arg(long, exclusive = true)]
    machine: bool,
    /// The game that the program plays, or its folder; --help with it shows its settings
    #[arg(long, value_parser = GameParser, default_value = GAMES[0].about().name)]
    game: &'static Plugin,
    /// Run the program in this folder, which contains its files
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Run the program as yourself, with your files and your network
    #[arg(long)]
    no_isolate: bool,
    /// Set the program's time in each game
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_clock)]
    clock: Duration,
    /// Print JSON instead of text: one object for each scenario, and one at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    transcript: TranscriptArguments,
    #[command(flatten)]
    options: GameOptions<AllGames>,
}

/// Tests a program in all scenarios, and reports the outcomes.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Some(program) = &arguments.program else {
        return match (arguments.machine, folder_of(arguments.game)) {
            (true, _) => Ok(print(&report_of_machine()?).map(|()| ExitCode::SUCCESS)?),
            (false, Some(folder)) => {
                arguments.options.settings(arguments.game)?;
                referee(folder, &arguments)
            }
            (false, None) => Err(WrongUsage(anyhow!(
                "expected a program such as 'cmd:python3 player.py', or the folder of a game as --game DIR"
            ))
            .into()),
        };
    };
    let game = arguments.options.settings(arguments.game)?;
    let about = game.about();
    let wrong = |why: &str| WrongUsage(anyhow!("{why}"));
    let spec = Spec::read(about, program).map_err(|error| WrongUsage(error.into()))?;
    if !matches!(spec.kind, Kind::Program { .. }) {
        return Err(wrong(
            "expected a program such as 'cmd:python3 player.py', got an agent without a command",
        )
        .into());
    }
    let folder = match (arguments.folder, spec.folder) {
        (Some(_), Some(_)) => {
            return Err(wrong("expected --folder or folder= in the program, got both").into());
        }
        (option, of_spec) => option.or(of_spec),
    };
    let is_isolated =
        cfg!(target_os = "linux") && !arguments.no_isolate && !comes_itself(&spec.kind);
    let folder = match is_isolated && names_files_here(&spec.kind) {
        true => folder.or_else(|| Some(".".into())),
        false => folder,
    };
    let contestant = |name: &str, spec: String, folder| Contestant {
        name: name.to_owned(),
        spec,
        folder,
    };
    // If no agent of ours can play the game, the program plays against itself.
    let random = about.random_agent;
    let opponent = match game.0.resources(random, &AgentOptions::default()) {
        Ok(_) => contestant("opponent", random.to_owned(), None),
        Err(_) => contestant("opponent", spec.kind.to_string(), folder.clone()),
    };
    let agents = vec![
        contestant("program", spec.kind.to_string(), folder),
        opponent,
    ];
    let time = TimeControl::clock(arguments.clock);
    let settings = checked(Ok(Settings {
        isolation: is_isolated.then(Isolation::default),
        ponder: match is_isolated {
            true => Ponder::Freeze,
            false => Ponder::Allow,
        },
        ..Settings::new(game, agents, time)
    }))?;
    let mut lineup =
        Lineup::of(&settings, start_daemon).map_err(|error| WrongUsage(error.into()))?;
    let recording = arguments.transcript.open()?;
    if let Some(recording) = &recording {
        lineup.record_in(recording.0.clone());
    }
    let _guard = guarded(&settings, &mut lineup);
    let mut running = None;
    let mut report = Report::new(arguments.json);
    let all_passed = check(&settings, &mut lineup, &mut |event| match event {
        Event::Begins(scenario) => running = Some(Slow::new(format!("checking: {scenario}"))),
        Event::Over(checked) => {
            drop(running.take());
            report.print(&json(checked));
        }
    })?;
    report.conclude(
        "can_take_part",
        all_passed,
        ["It can take part.", "It cannot take part yet."],
    )
}

/// Checks the referee of the game in a folder.
fn referee(folder: &Folder, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let _recording = arguments.transcript.open()?;
    let mut report = Report::new(arguments.json);
    let given = |name: &str| arguments.options.given(name);
    let all_passed = folder.check(&given, &mut |finding| {
        let mut object = json!({ "scenario": finding.name, "expected": finding.expected });
        let outcome = match finding.outcome {
            contract::Outcome::Passed => json!({ "outcome": "passed" }),
            contract::Outcome::Skipped(why) => json!({ "outcome": "skipped", "why": why }),
            contract::Outcome::Failed { got, advice } => json!({
                "outcome": "failed", "got": shortened(&got, LONGEST_GOT), "advice": advice,
            }),
        };
        extend(&mut object, outcome);
        report.print(&object);
    });
    let verdicts = ["The game can be played.", "The game needs corrections."];
    report.conclude("can_be_played", all_passed, verdicts)
}

/// Prints the outcomes of scenarios, as text or as JSON.
struct Report {
    is_json: bool,
    printed: io::Result<()>,
}

impl Report {
    fn new(is_json: bool) -> Self {
        Self {
            is_json,
            printed: Ok(()),
        }
    }

    /// Prints a scenario and its outcome.
    fn print(&mut self, scenario: &Value) {
        if self.printed.is_ok() {
            self.printed = match self.is_json {
                true => print(&format!("{scenario}\n")),
                false => print(&told(scenario)),
            };
        }
    }

    /// Prints the verdict, and returns the exit code. `verdicts` are the texts for success and failure.
    fn conclude(
        self,
        key: &str,
        all_passed: bool,
        verdicts: [&str; 2],
    ) -> anyhow::Result<ExitCode> {
        self.printed?;
        let [success, failure] = verdicts;
        print(&match (self.is_json, all_passed) {
            (true, _) => format!("{}\n", json!({ key: all_passed })),
            (false, true) => format!("{success}\n"),
            (false, false) => format!("{failure}\n"),
        })?;
        Ok(match all_passed {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(EXIT_FAILED),
        })
    }
}

/// Returns true for a program that connects to the arena over the network. Isolation would block that connection.
fn comes_itself(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Program {
            way: Way::Daemon,
            ..
        }
    )
}

/// Returns true if the command contains the path of the current folder or of a file in this folder.
fn names_files_here(kind: &Kind) -> bool {
    let Kind::Program { words, .. } = kind else {
        return false;
    };
    let is_here = |word: &String| {
        let path = Path::new(word.strip_prefix("./").unwrap_or(word));
        word == "." || (path.components().count() == 1 && path.is_relative() && path.is_file())
    };
    !is_everybodys(Path::new(".")) && words.iter().any(is_here)
}

/// Returns a scenario and its outcome as a JSON object.
fn json(checked: &Checked) -> Value {
    let mut object = json!({ "scenario": checked.name, "expected": checked.expected });
    let outcome = match &checked.outcome {
        Outcome::Passed => json!({ "outcome": "passed" }),
        Outcome::Left(why) => json!({ "outcome": "skipped", "why": why }),
        Outcome::Failed {
            kind,
            came,
            advice,
            stderr,
        } => json!({
            "outcome": "failed", "fault": kind.name(), "got": came, "advice": advice, "stderr": stderr,
        }),
    };
    extend(&mut object, outcome);
    object
}

/// Adds the members of one JSON object to another.
fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

/// Returns a scenario and its outcome as text.
fn told(scenario: &Value) -> String {
    let text = |name: &str| printable(scenario[name].as_str().unwrap_or_default());
    let name = text("scenario");
    match scenario["outcome"].as_str() {
        Some("passed") => format!("ok       {name}\n"),
        Some("skipped") => format!("skipped  {name}: {}\n", text("why")),
        _ => {
            let mut told = format!(
                "FAILED   {name}\n         expected: {}\n         got: {}\n         try: {}\n",
                text("expected"),
                text("got"),
                text("advice")
            );
            for line in scenario["stderr"].as_array().into_iter().flatten() {
                let line = printable(line.as_str().unwrap_or_default());
                told += &format!("         its stderr: {line}\n");
            }
            told
        }
    }
}
