//! The shim: a process for every move. It asks the daemon for the move, or finds out quickly that there
//! is none and searches here, on the judge's clock.
//!
//! Without a runtime, because a shim lives for a moment and its CPU time counts. A daemon that does not
//! listen costs one refused connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use turnwise_engine::agent::Agent;
use turnwise_engine::cpu_time::{CpuClock, CpuDeadlines};
use turnwise_engine::search::{Control, Found, Limits};
use turnwise_protocol::halma::{Input, LARGEST_FILE, Mode, Output};
use turnwise_protocol::halma_serve::{Answer, Ask};

use crate::budget::{Forecast, budget};
use crate::calibration::Calibration;
use crate::files::{output, path};
use crate::playdata::Playdata;
use crate::rules::{Color, Move, Position};
use crate::search_agent::{Memory, SearchAgent};
use crate::service::cpu_time;

/// Where the daemon listens unless it is told otherwise.
pub const USUAL_ADDRESS: &str = "127.0.0.1:7361";

/// A daemon on this machine accepts at once, or does not live.
const CONNECT_WITHIN: Duration = Duration::from_millis(50);

/// The judge's charges beyond our own measurement differ by the tick of its clock; more than this is none
/// of the next move's.
const MOST_BEYOND: f64 = 0.1;

/// How long a daemon may take beyond twice the time of its search, and beyond this share of what is left:
/// a single move may be searched for six tenths of it.
const PATIENCE_LEAST: Duration = Duration::from_millis(500);
const PATIENCE_MORE: Duration = Duration::from_secs(5);
const PATIENCE_SHARE: f64 = 0.75;

/// What a master asks.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The content of `input.txt` as it was read.
    pub bytes: &'a [u8],
    /// The same, parsed.
    pub input: &'a Input,
    /// Its position, which has a legal move.
    pub position: &'a Position,
}

/// A move.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The content of `output.txt`.
    pub output: String,
    /// What the search for it found, if it was here.
    pub search: Option<Found<Move>>,
    /// In a game, what is to be written down for the next move.
    pub playdata: Option<Playdata>,
}

/// Chooses a move: that of the daemon, if one is to be asked, or one that is searched for here. Tells why
/// a daemon that listens is of no use. Known are, in a game, what was written down after the last move,
/// and what was measured of this machine.
pub fn choose(
    question: Question,
    before: Option<Playdata>,
    calibration: Calibration,
    daemon: Option<SocketAddr>,
    tell: impl Fn(NoMove),
) -> Chosen {
    let Question {
        input, position, ..
    } = question;
    // What the master charged for the last move beyond what we saw of it.
    let beyond = before.as_ref().map_or(0.0, |before| {
        (before.left - input.seconds - before.used).clamp(0.0, MOST_BEYOND)
    });
    // The judge does not see what a daemon has used; we charge it all the same.
    let spent = before
        .as_ref()
        .map_or(0.0, |before| before.elsewhere.max(0.0));
    let spent = Duration::from_secs_f64(spent);
    let memory = before.map(|before| before.memory).unwrap_or_default();
    // The processes of the moves to come take as long to start as this one did.
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
    let kept = |mv, memory, elsewhere: Duration| {
        (input.mode == Mode::Game).then(|| Playdata {
            left: input.seconds,
            used: CpuClock::Process.now().as_secs_f64(),
            elsewhere: elsewhere.as_secs_f64(),
            position: position.after(mv),
            memory,
        })
    };
    let asked = Instant::now();
    let patience = patience(input, limits(Duration::ZERO).1);
    let reply = daemon.and_then(|daemon| match ask(daemon, question, spent, patience) {
        Ok(reply) => Some(reply),
        Err(NoMove::Absent) => None,
        Err(error) => {
            tell(error);
            None
        }
    });
    if let Some(Reply {
        mv,
        output,
        game_cpu,
    }) = reply
    {
        // So that this process's successor can go on alone, should the daemon go away.
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
            playdata: kept(mv, memory, game_cpu),
        };
    }
    // What asking took is gone, and so is what waiting took: a master may look at the wall, too.
    let limits = limits(asked.elapsed());
    let deadlines = CpuDeadlines::after(CpuClock::Process, limits);
    let mut agent = SearchAgent::new(calibration.table_bytes(limits.1));
    if let Some(&answer) = memory.line.first() {
        agent.advise(position, answer);
    }
    agent.memory = memory;
    let limits = Limits {
        cpu: Some(deadlines),
        ..Limits::default()
    };
    let found = agent.think(position, limits, &Control::new());
    let output = output(position, found.best).expect("an agent's move is legal");
    Chosen {
        output: output.to_string(),
        playdata: kept(found.best, agent.memory, spent),
        search: Some(found),
    }
}

/// How long a daemon may take whose search ends after `hard` at the latest. It keeps to CPU time; on a
/// busy machine it takes longer than that.
fn patience(input: &Input, hard: Duration) -> Duration {
    let given =
        Duration::try_from_secs_f64(input.seconds * PATIENCE_SHARE).unwrap_or(Duration::MAX);
    (hard.saturating_mul(2) + PATIENCE_LEAST).min(given.saturating_add(PATIENCE_MORE))
}

/// Who has won, if the game is over. No master asks for a move then, but another judge may, and takes
/// no answer for a fault; so a legal move is searched for all the same.
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
        // Only a move of its own wins.
        Some(format!(
            "{opponent:?}'s camp is full: the game is over, unless {opponent:?} has just filled it itself"
        ))
    } else {
        None
    }
}

/// How the question ended without a move of the daemon's; the shim searches itself then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMove {
    /// Nobody listens.
    #[error("no daemon listens")]
    Absent,
    /// It did not answer in time, or the connection broke.
    #[error("the daemon did not answer: {0}")]
    Silent(String),
    /// It said that it cannot.
    #[error("the daemon has no move: {0}")]
    Refused(String),
    /// What it said is no legal move here.
    #[error("the daemon's answer cannot be used: {0}")]
    Wrong(String),
}

/// What the daemon answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its move, which is legal.
    pub mv: Move,
    /// The move as the content of `output.txt`.
    pub output: String,
    /// CPU time that daemons have used in this game, this move included.
    pub game_cpu: Duration,
}

/// The daemon's move in this position, if it gives a legal one within so much wall time. Waiting takes
/// hardly any CPU time. Daemons have `spent` so much in this game so far.
///
/// # Errors
///
/// [`NoMove`], at once where nobody listens; the caller has to search itself then.
pub fn ask(
    address: SocketAddr,
    question: Question,
    spent: Duration,
    within: Duration,
) -> Result<Reply, NoMove> {
    let begun = Instant::now();
    let connected = TcpStream::connect_timeout(&address, CONNECT_WITHIN.min(within));
    let mut stream = connected.map_err(|_refused| NoMove::Absent)?;
    let asked = Ask::Move {
        rules: question.position.rules(),
        input: String::from_utf8_lossy(question.bytes).into_owned(),
        spent_s: spent.as_secs_f64(),
    };
    let line = exchange(&mut stream, &asked, begun, within)
        .map_err(|error| NoMove::Silent(error.to_string()))?;
    let wrong = |error: String| NoMove::Wrong(error);
    match Answer::from_line(&line).map_err(|error| wrong(error.to_string()))? {
        // A stranger may listen there, and the reason goes to a terminal.
        Answer::Error { reason, .. } => Err(NoMove::Refused(
            reason.replace(char::is_control, "\u{fffd}"),
        )),
        Answer::Move {
            output: text,
            game_cpu_s,
            ..
        } => {
            let game_cpu = cpu_time(game_cpu_s)
                .ok_or_else(|| wrong(format!("game_cpu_s {game_cpu_s} is no time")))?;
            let said = Output::parse(text.as_bytes()).map_err(|error| wrong(error.to_string()))?;
            let mv = Move::along(&path(&said));
            let output = match output(question.position, mv) {
                None => return Err(wrong(format!("{mv:?} is not legal"))),
                Some(own) if own == said => text,
                // Another way to the same square, which need not be open.
                Some(own) => own.to_string(),
            };
            Ok(Reply {
                mv,
                output,
                game_cpu,
            })
        }
    }
}

/// Sends the question and reads one line.
fn exchange(
    stream: &mut TcpStream,
    question: &Ask,
    begun: Instant,
    within: Duration,
) -> std::io::Result<Vec<u8>> {
    let late = || std::io::Error::from(std::io::ErrorKind::TimedOut);
    let left = || {
        let left = within.saturating_sub(begun.elapsed());
        (!left.is_zero()).then_some(left).ok_or_else(late)
    };
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(left()?))?;
    stream.write_all(&question.to_line()?)?;
    let mut line = Vec::new();
    let mut chunk = [0; 1024];
    let mut taken = 0;
    while !line.contains(&b'\n') {
        if taken > LARGEST_FILE {
            return Err(std::io::Error::other("its line does not end"));
        }
        stream.set_read_timeout(Some(left()?))?;
        let read = match stream.read(&mut chunk) {
            // What a read whose time is up is called depends on the system.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Err(late()),
            read => read?,
        };
        taken += read;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        // Blanks before a line say that the daemon still thinks.
        let is_blank = |&&byte: &&u8| line.is_empty() && byte == b' ';
        let blanks = chunk[..read].iter().take_while(is_blank).count();
        line.extend_from_slice(&chunk[blanks..read]);
    }
    Ok(line)
}
