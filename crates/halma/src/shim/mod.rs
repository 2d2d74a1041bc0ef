//! The shim: a process that starts for every move and asks the daemon.
//!
//! If no daemon runs, the shim notices this quickly and searches itself, on the judge's clock.
//!
//! It uses no async runtime, because a shim is short-lived and its CPU time counts. A missing daemon costs one refused
//! connection; a daemon that stalls costs a tenth of a second.
//!
//! | module | content |
//! |---|---|
//! | [`asking`] | asks a daemon, and checks the answer |

pub mod asking;

use std::time::Duration;

use turnwise_engine::agent::Agent;
use turnwise_engine::cpu_time::{CpuClock, CpuDeadlines};
use turnwise_engine::instant::Instant;
use turnwise_engine::search::{Control, Found, Limits};
use turnwise_protocol::halma::{Input, Mode};

use crate::budget::{Forecast, budget};
use crate::calibration::Calibration;
use crate::files::output;
use crate::playdata::Playdata;
use crate::rules::{Color, Move, Position};
use crate::search_agent::{Memory, SearchAgent};
use asking::{AskError, Daemon, Patience, Reply, ask};

/// The greatest expected excess of the judge's charge for a move over our own measurement, in seconds.
///
/// We expect the difference at the last move to recur. Usually, its cause is the tick of the judge's clock; a greater
/// difference will not recur.
const MOST_BEYOND: f64 = 0.1;

/// The limits on waiting for a daemon's answer.
///
/// The answer may take `PATIENCE_LEAST` longer than the longest search, but at most `PATIENCE_SHARE` of the remaining
/// time plus `PATIENCE_MORE`. The search for a move may take six tenths of the remaining time.
const PATIENCE_LEAST: Duration = Duration::from_millis(500);
const PATIENCE_MORE: Duration = Duration::from_secs(5);
const PATIENCE_SHARE: f64 = 0.75;

/// The maximum silence before a daemon's first byte, or between two blanks from the daemon.
///
/// A daemon sends blanks while it thinks. This is also the maximum time from the first to the last byte of an answer.
const SILENCE_MOST: Duration = Duration::from_millis(100);

/// The master's question: which move to make in a position.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The content of `input.txt`.
    pub input: &'a Input,
    /// The position of the input, which has a legal move.
    pub position: &'a Position,
}

/// The answer to a question, ready to be written.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The content of `output.txt`.
    pub output: String,
    /// The result of the search, if this process searched.
    pub search: Option<Found<Move>>,
    /// The data to store for the next move; `None` if this is not a move of a game.
    pub playdata: Option<Playdata>,
}

/// Chooses a move, either with the daemon or with a local search.
///
/// If a daemon listens but gives no usable move, calls `tell` with the reason. If a daemon begins to think and does not
/// finish, the shim asks no daemon again in that game. `before` holds the data written after the last move of the game,
/// and `calibration` the measurements of the machine.
pub fn choose(
    question: Question,
    before: Option<Playdata>,
    calibration: Calibration,
    daemon: Option<Daemon>,
    tell: impl Fn(AskError),
) -> Chosen {
    let Question {
        input, position, ..
    } = question;
    // The master's charge for the last move beyond our own measurement.
    let beyond = before.as_ref().map_or(0.0, |before| {
        (before.left - input.seconds - before.used).clamp(0.0, MOST_BEYOND)
    });
    // The judge does not see the time that a daemon has used, but we deduct it from our clock anyway.
    let spent = before
        .as_ref()
        .map_or(0.0, |before| before.elsewhere.max(0.0));
    let spent = Duration::from_secs_f64(spent);
    let mut is_daemon_avoided = before
        .as_ref()
        .is_some_and(|before| before.is_daemon_avoided);
    let daemon = daemon.filter(|_| !is_daemon_avoided);
    let memory = before.map(|before| before.memory).unwrap_or_default();
    // The processes of future moves will take as long to start as this process did.
    let start = calibration.start.max(CpuClock::Process.now());
    let forecast = Forecast {
        overhead: start + calibration.late + Duration::from_secs_f64(beyond),
        late: calibration.late,
        opponent_pace: memory.opponent.steady_pace(),
    };
    let given = Duration::try_from_secs_f64(input.seconds).unwrap_or(Duration::MAX);
    let limits = |waited: Duration| {
        let gone = CpuClock::Process.now().max(waited) + spent;
        let left = given.saturating_sub(gone);
        budget(left, input.mode, position, forecast)
    };
    let kept = |mv, memory, elsewhere: Duration, is_daemon_avoided| {
        (input.mode == Mode::Game).then(|| Playdata {
            left: input.seconds,
            used: CpuClock::Process.now().as_secs_f64(),
            elsewhere: elsewhere.as_secs_f64(),
            is_daemon_avoided,
            position: position.after(mv),
            memory,
        })
    };
    let asked = Instant::now();
    let patience = Patience {
        silence: SILENCE_MOST,
        whole: patience(input, limits(Duration::ZERO).1),
    };
    let mut elsewhere = spent;
    let reply = match daemon.map(|daemon| ask(&daemon, question, spent, patience)) {
        None | Some(Err(AskError::Absent)) => None,
        Some(Ok(reply)) => Some(reply),
        Some(Err(error)) => {
            // The daemon may have computed during the whole wait. A wait may last as long as a search, so the game
            // cannot afford a second wait.
            if matches!(error, AskError::Broken(_)) {
                elsewhere += asked.elapsed();
                is_daemon_avoided = true;
            }
            tell(error);
            None
        }
    };
    if let Some(Reply {
        mv,
        output,
        game_cpu,
    }) = reply
    {
        // With this memory, the process of the next move can continue alone if the daemon disappears.
        let mut seen = memory.seen;
        seen.push(position.after(mv).hash());
        let memory = Memory {
            seen,
            opponent: memory.opponent,
            ..Memory::default()
        };
        return Chosen {
            output,
            search: None,
            playdata: kept(mv, memory, game_cpu, false),
        };
    }
    // Asking used CPU time and waiting used wall time; a master may measure either.
    let limits = limits(asked.elapsed());
    let deadlines = CpuDeadlines::after(CpuClock::Process, limits);
    let mut agent = SearchAgent::new(calibration.table_bytes(limits.1));
    if let Some(&answer) = memory.line.first() {
        agent.advise(position, answer);
    }
    agent.memory = memory;
    agent.ends_early = input.mode == Mode::Single;
    let limits = Limits {
        cpu: Some(deadlines),
        ..Limits::default()
    };
    let found = agent.think(position, limits, &Control::new());
    let output = output(position, found.best).expect("an agent's move is legal");
    Chosen {
        output: output.to_string(),
        playdata: kept(found.best, agent.memory, elsewhere, is_daemon_avoided),
        search: Some(found),
    }
}

/// Returns the maximum wait for a daemon that may use `hard` of CPU time.
///
/// Most searches end long before this limit, so a busy machine seldom makes a daemon late. A daemon that never answers
/// costs little more than a search.
fn patience(input: &Input, hard: Duration) -> Duration {
    let given =
        Duration::try_from_secs_f64(input.seconds * PATIENCE_SHARE).unwrap_or(Duration::MAX);
    hard.saturating_add(PATIENCE_LEAST)
        .min(given.saturating_add(PATIENCE_MORE))
}

/// Describes the end of the game, if the game is over.
///
/// No master asks for a move then, but another judge may, and would count a missing answer as a fault. So the shim
/// searches for a legal move anyway.
pub fn over(position: &Position) -> Option<String> {
    let mover = position.to_move();
    let opponent = mover.other();
    let won = |winner: Color| {
        let loser = winner.other();
        Some(format!(
            "the game is over: {winner:?} has filled {loser:?}'s camp"
        ))
    };
    if position.is_won() {
        won(opponent)
    } else if mover.goal().is_within(position.pieces(mover)) {
        won(mover)
    } else if position.has_filled_goal(mover) {
        // Only a player's own move wins.
        Some(format!(
            "{opponent:?}'s camp is full: the game is over, unless {opponent:?} has just filled it itself"
        ))
    } else {
        None
    }
}
