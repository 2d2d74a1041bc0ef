//! Whether a program can take part: it is led through what its protocol may bring, one scenario after the
//! other, and each says what was expected and what came.

use std::io;
use std::path::Path;
use std::time::Duration;

use turnwise_engine::player::{FaultKind, TimeControl};
use turnwise_process::{Process, Streams};

use crate::agents::{Kind, Way};
use crate::child::Delivery;
use crate::lineup::Lineup;
use crate::pairs::with_players;
use crate::records::{Fault, Settings};
use crate::referee;
use crate::schedule::{Pair, seed_of};

/// How long a program may take to end once it is told nothing more.
const FAREWELL: Duration = Duration::from_secs(5);

/// What is left on the clock when it is nearly out.
const NEARLY_OUT: Duration = Duration::from_millis(500);

/// What came of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// What was expected.
    Passed,
    /// Something else.
    Failed {
        /// What.
        came: String,
        /// What it mostly comes from, and what to do about it.
        advice: &'static str,
        /// The last lines that the program wrote to stderr.
        stderr: Vec<String>,
    },
    /// There is nothing of the kind with this program, for this reason.
    Left(&'static str),
}

/// A scenario that was gone through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Its name.
    pub name: String,
    /// What a program should do in it.
    pub expected: &'static str,
    /// What it did.
    pub outcome: Outcome,
}

/// How a game of a scenario differs from a usual one.
struct Scenario {
    name: &'static str,
    expected: &'static str,
    /// The first game, the second, or both, of a pair in which the program is the first of two.
    games: &'static [u8],
    seed: u64,
    delivery: Delivery,
    /// Instead of the match's.
    time: Option<Duration>,
}

/// Leads the first participant of a match through all scenarios, against the second; `tell` hears of each.
/// True if none failed.
///
/// # Errors
///
/// If the other participant cannot be started.
pub fn check(
    settings: &Settings,
    lineup: &mut Lineup,
    tell: &mut dyn FnMut(&Checked),
) -> io::Result<bool> {
    let [first, second] = settings.game.roles();
    let is_by_lines = !settings.game.about().wires.is_empty();
    let legal = "a legal move for every question, in time, to the end of the game";
    let game = |name, games, seed| Scenario {
        name,
        expected: legal,
        games,
        seed,
        delivery: Delivery::Whole,
        time: None,
    };
    let mut all_passed = true;
    let mut done = |name: String, expected, outcome| {
        all_passed &= !matches!(outcome, Outcome::Failed { .. });
        tell(&Checked {
            name,
            expected,
            outcome,
        });
    };
    for scenario in [
        game(first, &[1], 1),
        game(second, &[2], 2),
        game("a game after a game", &[1, 2], 3),
        Scenario {
            delivery: Delivery::Dripped,
            ..game("lines that come in pieces", &[1], 4)
        },
        Scenario {
            delivery: Delivery::CarriageReturns,
            ..game("lines that end with CR LF", &[2], 5)
        },
        Scenario {
            time: Some(NEARLY_OUT),
            expected: "a legal move at once when the clock is nearly out",
            ..game("half a second for the game", &[1], 6)
        },
    ] {
        let name = match scenario.name == first || scenario.name == second {
            true => format!("a game as {}", scenario.name),
            false => scenario.name.to_owned(),
        };
        let outcome = if scenario.delivery != Delivery::Whole && !is_by_lines {
            Outcome::Left("it reads files, which are always whole")
        } else if scenario.time.is_some() && is_by_lines {
            Outcome::Left("its wire does not tell the clock")
        } else {
            play(settings, lineup, &scenario)?
        };
        done(name, scenario.expected, outcome);
    }
    let outcome = match settings.check().ok().as_deref() {
        Some(
            [
                Kind::Program {
                    words,
                    way: Way::Lines(_) | Way::UsualLines(_),
                    ..
                },
                ..,
            ],
        ) => {
            let folder = settings.agents[0].folder.as_deref();
            ends_with_its_input(words, folder.unwrap_or(Path::new(".")))
        }
        _ => Outcome::Left("it reads no stdin"),
    };
    done(
        "end of input".to_owned(),
        "the program ends by itself",
        outcome,
    );
    Ok(all_passed)
}

fn play(settings: &Settings, lineup: &mut Lineup, scenario: &Scenario) -> io::Result<Outcome> {
    let mut settings = settings.clone();
    if let Some(time) = scenario.time {
        let seconds = time.as_secs_f64();
        settings.time = TimeControl::Clock {
            seconds,
            increment: 0.0,
        };
    }
    lineup.deliver(0, scenario.delivery, settings.time);
    let pair = Pair {
        number: 1,
        first: 0,
        second: 1,
        seed: seed_of(settings.seed.wrapping_add(scenario.seed)),
        pairs_before: 0,
        meeting: None,
    };
    let fault = with_players(&settings, lineup, &pair, |players, seats| {
        for &number in scenario.games {
            let played = referee::play(&settings, &pair, number, players, seats, &|_| {})?;
            let mut faults = played.game.fault.into_iter();
            let own = |fault: &Fault| fault.agent == settings.agents[0].name;
            if let Some(fault) = faults.find(own) {
                return Ok(Some((played.moves.len(), fault)));
            }
        }
        Ok(None)
    })?;
    Ok(match fault {
        None => Outcome::Passed,
        Some((moves, fault)) => Outcome::Failed {
            came: format!(
                "after {moves} moves: {} ({})",
                fault.reason,
                fault.kind.name()
            ),
            advice: advice(fault.kind),
            stderr: fault.stderr,
        },
    })
}

fn advice(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Illegal => {
            "compare the board in your program with what was sent: print it to stderr before each move"
        }
        FaultKind::Garbage => {
            "write nothing to stdout but the answer, in the protocol's words; what is for you goes to stderr"
        }
        FaultKind::Overtime => "look at the time left before you search on, and keep a reserve",
        FaultKind::Silence => {
            "flush stdout after every line (in Python print(..., flush=True)), and read one line at a time"
        }
        FaultKind::Crash | FaultKind::Absent | FaultKind::Other => {
            "read what it wrote to stderr; run it by hand with the same input"
        }
    }
}

/// A program that is told nothing more is of no use to anybody.
fn ends_with_its_input(words: &[String], folder: &Path) -> Outcome {
    let failed = |came: String, stderr| Outcome::Failed {
        came,
        advice: "when reading a line gives none, leave the loop and end",
        stderr,
    };
    let mut process = match Process::start_in(folder, words, Streams::Piped, None) {
        Ok(process) => process,
        Err(error) => return failed(error.to_string(), Vec::new()),
    };
    drop(process.streams());
    match process.ended_within(FAREWELL) {
        Some(_) => Outcome::Passed,
        None => failed(
            format!(
                "it still ran {} s after its input had ended",
                FAREWELL.as_secs()
            ),
            process.last_lines(),
        ),
    }
}
