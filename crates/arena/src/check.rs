//! Checks whether a program can take part in matches.
//!
//! The check leads the program through all situations that the protocol knows, one scenario after another. For each
//! scenario, it reports the expected behavior and what the program did.

use std::io;
use std::sync::mpsc::channel;
use std::time::Duration;

use turnwise_engine::player::{FaultKind, TimeControl};
use turnwise_engine::words::counted;

use crate::agents::{Kind, Way};
use crate::child::{self, Overheard, Program};
use crate::delivery::Delivery;
use crate::lineup::Lineup;
use crate::pairs::with_players;
use crate::records::{Fault, GameSettings, MoveRecord, Settings};
use crate::referee;
use crate::schedule::{Pair, seed_of};

/// How long a program must run without output before the check sends its first input.
const BEFORE_THE_START: Duration = Duration::from_secs(1);

/// The maximum time that a program may take to exit after its input has ended.
const FAREWELL: Duration = Duration::from_secs(5);

/// The exit statuses that a shell or a supervisor reports if its program is missing or cannot run.
const NOT_STARTED: [&str; 2] = ["exit status: 126", "exit status: 127"];

/// The time on the program's clock in the scenario in which the clock has nearly run out.
const NEARLY_OUT: Duration = Duration::from_millis(500);

/// The outcome of a scenario, which is one test of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The program did what the scenario expects.
    Passed,
    /// The program did something else.
    Failed {
        /// The fault that a match would attribute to the program for this behavior.
        kind: FaultKind,
        /// A human-readable description of what the program did instead.
        came: String,
        /// Advice on the usual cause of the fault and on how to fix it.
        advice: &'static str,
        /// The last lines that the program wrote to stderr.
        stderr: Vec<String>,
    },
    /// The scenario was skipped because it does not apply to this program, for the reason given here.
    Left(&'static str),
}

/// A completed scenario of a check, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The scenario in a few words, for example `end of input`.
    pub name: String,
    /// The behavior that this scenario expects of a program.
    pub expected: &'static str,
    /// Whether the program behaved as expected.
    pub outcome: Outcome,
}

/// How the games of a scenario differ from usual games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    /// The games do not differ from usual games, and are played to the end.
    Nothing,
    /// The games end after the program's first move.
    FirstMove,
    /// After each game, the check waits for output of the program, which should not write anything then.
    TheEnd,
    /// The opponent passes whenever it may.
    Passes,
    /// Lines or files are delivered to the program in another way.
    Delivered(Delivery),
    /// The program's clock has nearly run out, and the games end after the program's first move.
    NearlyOut,
}

/// A test of a program: the games to play, and the expected behavior.
struct Scenario {
    name: String,
    expected: &'static str,
    /// The advice to give if the program commits a fault in this scenario, but not in the usual games.
    advice: Option<&'static str>,
    /// Which games of a pair are played: game 1, game 2 or both. The program is the pair's first agent.
    games: &'static [u8],
    special: Special,
}

fn scenarios([first, second]: [&str; 2]) -> Vec<Scenario> {
    let usual = |name: String, games| Scenario {
        name,
        expected: "a legal move for every question, in time, to the end of the game",
        advice: None,
        games,
        special: Special::Nothing,
    };
    let first_move = |role: &str, games| Scenario {
        expected: "a legal move for the first question",
        special: Special::FirstMove,
        ..usual(format!("the first move as {role}"), games)
    };
    let delivered = |name: &str, delivery, games, advice| Scenario {
        special: Special::Delivered(delivery),
        advice: Some(advice),
        ..usual(name.to_owned(), games)
    };
    vec![
        first_move(first, &[1]),
        first_move(second, &[2]),
        usual(format!("a game as {first}"), &[1]),
        usual(format!("a game as {second}"), &[2]),
        Scenario {
            expected: "no reply to the message that ends a game",
            special: Special::TheEnd,
            advice: Some("reply only while the game is running"),
            ..usual("the end of a game".to_owned(), &[1, 2])
        },
        usual("a game after a game".to_owned(), &[1, 2]),
        Scenario {
            special: Special::Passes,
            advice: Some("accept a move of the opponent that changes nothing"),
            ..usual("an opponent that passes".to_owned(), &[1, 2])
        },
        delivered(
            "lines that come in pieces",
            Delivery::Dripped,
            &[1],
            "a read may return part of a line: keep reading until the line feed",
        ),
        delivered(
            "lines that end with CR LF",
            Delivery::CarriageReturns,
            &[2],
            "strip white space from the ends of lines (split() in Python, >> in C++, trim() in Java and Rust)",
        ),
        delivered(
            "a file without a line feed at its end",
            Delivery::Unended,
            &[1],
            "treat the end of the file as the end of its last line",
        ),
        Scenario {
            expected: "a legal move at once when the clock is nearly out",
            special: Special::NearlyOut,
            advice: Some(
                "read the time left before you search, and answer at once if there is little",
            ),
            ..usual("half a second left".to_owned(), &[1, 2])
        },
    ]
}

/// Returns the reason why a scenario does not apply to a program, if any.
///
/// The reason depends on how the arena communicates with the program (`way`).
fn inapplicable(special: Special, way: Way, game: &GameSettings) -> Option<&'static str> {
    match (special, way) {
        (Special::Nothing | Special::FirstMove, _) => None,
        (Special::Passes, _) => game
            .0
            .with_passes()
            .is_none()
            .then_some("nobody passes in this game"),
        (Special::TheEnd, Way::Files) => Some("it is not run after the end of a game"),
        (Special::TheEnd | Special::Delivered(_), Way::Daemon) => {
            Some("it plays through turnwise's server")
        }
        (Special::Delivered(Delivery::Dripped), Way::Files) => {
            Some("it reads files, which are always complete")
        }
        (Special::Delivered(Delivery::Unended), Way::Lines(_) | Way::UsualLines(_)) => {
            Some("it reads no files")
        }
        (Special::TheEnd | Special::Delivered(_), _) => None,
        (Special::NearlyOut, Way::Files) => {
            let venue = game.0.file_venue();
            let is_told = venue.is_some_and(|venue| venue.tells_time);
            (!is_told).then_some("its file does not contain the time left")
        }
        (Special::NearlyOut, _) => Some("its wire does not send the time left"),
    }
}

/// An event of a check.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// The scenario with this name begins.
    Begins(&'a str),
    /// The scenario is over.
    Over(&'a Checked),
}

/// Checks a program, the match's first participant, in all scenarios.
///
/// The match's second participant is the opponent. `follow` receives every event. Returns true if no scenario failed.
///
/// # Errors
///
/// Returns an error if the first participant is not a program, or if the other participant cannot be started.
pub fn check(
    settings: &Settings,
    lineup: &mut Lineup,
    follow: &mut dyn FnMut(Event),
) -> io::Result<bool> {
    let kinds = settings.check().map_err(io::Error::other)?;
    let Some(Kind::Program { way, .. }) = kinds.first() else {
        return Err(io::Error::other("expected a program, got an agent"));
    };
    let program = lineup.program(settings, 0)?;
    let mut all_passed = true;
    let mut done = |follow: &mut dyn FnMut(Event), name: &str, expected, outcome: Outcome| {
        let has_failed = matches!(outcome, Outcome::Failed { .. });
        all_passed &= !has_failed;
        follow(Event::Over(&Checked {
            name: name.to_owned(),
            expected,
            outcome,
        }));
        has_failed
    };
    let name = "start";
    follow(Event::Begins(name));
    let outcome = match (&program, way) {
        (Some(program), _) => starts(program)?,
        (None, Way::Files) => Outcome::Left("it is started for each move"),
        (None, _) => Outcome::Left("it connects by itself"),
    };
    let expected = "the program starts and waits for a request";
    let has_ended = matches!(
        &outcome,
        Outcome::Failed {
            kind: FaultKind::Crash,
            ..
        }
    );
    let mut is_broken = [done(follow, name, expected, outcome); 2];
    let name = "end of input";
    follow(Event::Begins(name));
    let (outcome, usual_end) = match &program {
        Some(_) if has_ended => (Outcome::Left("it does not start; fix that first"), None),
        Some(program) => ends_with_its_input(program)?,
        None => (Outcome::Left("it reads no stdin"), None),
    };
    let expected = "the program ends by itself";
    done(follow, name, expected, outcome);
    let mut is_sound = true;
    for (number, scenario) in (1..).zip(scenarios(settings.game.roles())) {
        follow(Event::Begins(&scenario.name));
        let mut places = scenario.games.iter().map(|game| usize::from(game - 1));
        let outcome = if let Some(why) = inapplicable(scenario.special, *way, &settings.game) {
            Outcome::Left(why)
        } else if places.any(|place| is_broken[place]) {
            Outcome::Left("it makes no first move yet; fix that first")
        } else {
            let advice = scenario.advice.filter(|_| is_sound);
            let tried = try_out(
                settings,
                lineup,
                &scenario,
                *way,
                number,
                usual_end.as_deref(),
            )?;
            tried.map_or(Outcome::Passed, |trouble| trouble.failed(advice))
        };
        let has_failed = done(follow, &scenario.name, scenario.expected, outcome);
        match scenario.special {
            Special::FirstMove if has_failed => {
                for game in scenario.games {
                    is_broken[usize::from(game - 1)] = true;
                }
            }
            Special::Nothing if has_failed => is_sound = false,
            _ => {}
        }
    }
    Ok(all_passed)
}

/// The fault that a program has committed in a scenario.
struct Trouble {
    kind: FaultKind,
    came: String,
    stderr: Vec<String>,
}

impl Trouble {
    fn failed(self, of_scenario: Option<&'static str>) -> Outcome {
        Outcome::Failed {
            kind: self.kind,
            came: self.came,
            advice: of_scenario.unwrap_or_else(|| advice(self.kind)),
            stderr: self.stderr,
        }
    }
}

fn starts(program: &Program) -> io::Result<Outcome> {
    let started = child::start(program, BEFORE_THE_START)?;
    Ok(match started {
        Ok(()) => Outcome::Passed,
        Err((failure, stderr)) => {
            let kind = failure.kind;
            let came = format!("{} ({})", failure.reason, kind.name());
            Trouble { kind, came, stderr }.failed(None)
        }
    })
}

/// Plays the games of a scenario until the program commits a fault.
fn try_out(
    settings: &Settings,
    lineup: &mut Lineup,
    scenario: &Scenario,
    way: Way,
    number: u32,
    usual_end: Option<&str>,
) -> io::Result<Option<Trouble>> {
    let special = scenario.special;
    let mut settings = settings.clone();
    if special == Special::NearlyOut {
        settings.time = TimeControl::clock(NEARLY_OUT);
    }
    let mut with_passer = None;
    if special == Special::Passes
        && let Some((game, passer)) = settings.game.0.with_passes()
    {
        settings.game = GameSettings(game);
        passer.clone_into(&mut settings.agents[1].spec);
        let lineup = Lineup::of(&settings, lineup.start_daemon());
        with_passer = Some(lineup.map_err(io::Error::other)?);
    }
    let lineup = with_passer.as_mut().unwrap_or(lineup);
    let delivery = match special {
        Special::Delivered(delivery) => delivery,
        _ => Delivery::Whole,
    };
    let (listener, overheard) = channel();
    let listener = (special == Special::TheEnd).then_some(listener);
    lineup.deliver(0, delivery, settings.time, listener);
    let seed = seed_of(settings.seed.wrapping_add(number.into()));
    let pair = Pair::between(number, 0, 1, seed);
    // The file is delivered to a command in the same way at every move, so one move is enough.
    let is_short = match special {
        Special::FirstMove | Special::NearlyOut => true,
        Special::Delivered(_) => way == Way::Files,
        Special::Nothing | Special::TheEnd | Special::Passes => false,
    };
    let name = &settings.agents[0].name;
    let is_enough =
        |moves: &[MoveRecord]| is_short && moves.iter().any(|record| record.agent == *name);
    let fault = with_players(
        &settings,
        lineup,
        (&pair, scenario.games[0]),
        |players, seats| {
            for &game in scenario.games {
                let (moves, fault) =
                    referee::try_out(&settings, &pair, game, players, seats, &is_enough)?;
                let own = fault.filter(|fault: &Fault| fault.agent == *name);
                if let Some(fault) = own {
                    return Ok(Some((moves, fault)));
                }
            }
            Ok(None)
        },
    )?;
    if let Some((moves, fault)) = fault {
        let (moves, kind) = (counted(moves, "move"), fault.kind);
        return Ok(Some(Trouble {
            kind,
            came: format!("after {moves}: {} ({})", fault.reason, kind.name()),
            stderr: fault.stderr,
        }));
    }
    Ok(overheard.try_iter().find_map(|done| match done {
        Overheard::Said(line) => Some(Trouble {
            kind: FaultKind::Garbage,
            came: format!("after the end of the game, it wrote {line}"),
            stderr: Vec::new(),
        }),
        Overheard::Ended { status, stderr } => {
            let usual = usual_end.filter(|usual| *usual != status)?;
            Some(Trouble {
                kind: FaultKind::Crash,
                came: format!(
                    "after the end of the game, it ended with {status}; without a game, with {usual}"
                ),
                stderr,
            })
        }
    }))
}

fn advice(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Illegal => {
            "compare your program's board with the messages it received: print it to stderr before each move"
        }
        FaultKind::Garbage => {
            "write only the protocol's answers to stdout; write your own output to stderr"
        }
        FaultKind::Overtime => {
            "check the time left before each further iteration, and keep a reserve"
        }
        FaultKind::Silence => {
            "end every answer with a line feed and flush stdout after it (in Python print(..., flush=True)), and read \
             one line at a time"
        }
        FaultKind::Suspended => {
            "compute nothing after the answer: end or block every thread and process until the next request"
        }
        FaultKind::Busy => "run the check again when the machine is less busy",
        FaultKind::Crash | FaultKind::Absent | FaultKind::Resigned | FaultKind::Other => {
            "read what it wrote to stderr; run it by hand with the same input"
        }
    }
}

/// Checks whether a program exits when its input ends, as it should because the arena no longer needs it.
///
/// Also returns the program's exit status if the program has exited.
fn ends_with_its_input(program: &Program) -> io::Result<(Outcome, Option<String>)> {
    let (ended, stderr) = child::without_input(program, FAREWELL)?;
    let outcome = match &ended {
        Some(how) if NOT_STARTED.contains(&&**how) => {
            let came = format!("the process ended: {how}");
            let kind = FaultKind::Crash;
            Trouble { kind, came, stderr }.failed(None)
        }
        Some(_) => Outcome::Passed,
        None => Outcome::Failed {
            kind: FaultKind::Silence,
            came: format!(
                "it was still running {} s after the end of its input",
                FAREWELL.as_secs()
            ),
            advice: "leave the loop and exit when there is no line to read",
            stderr,
        },
    };
    Ok((outcome, ended))
}
