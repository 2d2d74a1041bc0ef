//! The other end: ask the daemon, or find out quickly that there is none.
//!
//! Without a runtime, because a shim lives for a moment and its CPU time counts. A daemon that does not
//! listen costs one refused connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use turnwise_protocol::halma::{Input, LARGEST_FILE, Output};
use turnwise_protocol::halma_serve::{Answer, Ask, MOST_SECONDS, Rules as WireRules};

use turnwise_halma::rules::{Move, Position, Rules};
use turnwise_halma::squares::Square;

/// Where the daemon listens unless it is told otherwise.
pub const USUAL_ADDRESS: &str = "127.0.0.1:7361";

/// A daemon on this machine accepts at once, or does not live.
const CONNECT_WITHIN: Duration = Duration::from_millis(50);

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    /// Its move, which is legal.
    pub mv: Move,
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
    input: &Input,
    position: &Position,
    spent: Duration,
    within: Duration,
) -> Result<Reply, NoMove> {
    let begun = Instant::now();
    let connected = TcpStream::connect_timeout(&address, CONNECT_WITHIN.min(within));
    let mut stream = connected.map_err(|_refused| NoMove::Absent)?;
    let question = Ask::Move {
        rules: match position.rules() {
            Rules::Base => WireRules::Base,
            Rules::Addendum => WireRules::Addendum,
        },
        input: input.to_string(),
        spent_s: spent.as_secs_f64(),
    };
    let line = exchange(&mut stream, &question, begun, within)
        .map_err(|error| NoMove::Silent(error.to_string()))?;
    let wrong = |error: String| NoMove::Wrong(error);
    match Answer::from_line(&line).map_err(|error| wrong(error.to_string()))? {
        // A stranger may listen there, and the reason goes to a terminal.
        Answer::Error { reason, .. } => Err(NoMove::Refused(
            reason.replace(char::is_control, "\u{fffd}"),
        )),
        Answer::Move {
            output, game_cpu_s, ..
        } => {
            let game_cpu = cpu_time(game_cpu_s)
                .ok_or_else(|| wrong(format!("game_cpu_s {game_cpu_s} is no time")))?;
            let output = Output::parse(output.as_bytes());
            let path = output.map_err(|error| wrong(error.to_string()))?.path();
            let [from, to] =
                [path[0], path[path.len() - 1]].map(|place| Square::at(place.x, place.y));
            let mv = Move { from, to };
            match position.is_legal(mv) {
                true => Ok(Reply { mv, game_cpu }),
                false => Err(wrong(format!("{mv:?} is not legal"))),
            }
        }
    }
}

/// A CPU time in seconds as either end may tell it.
pub(super) fn cpu_time(seconds: f64) -> Option<Duration> {
    (0.0..=MOST_SECONDS)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
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
