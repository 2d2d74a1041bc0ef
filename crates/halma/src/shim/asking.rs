//! Asks a daemon for a move, through the user's own socket or at a given address.
//!
//! The shim accepts only those parts of the answer that it can check itself.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use turnwise_engine::instant::Instant;
use turnwise_engine::own_socket::OwnFolder;
use turnwise_engine::words::printable;
use turnwise_protocol::halma::{LARGEST_FILE, Output};
use turnwise_protocol::halma_serve::{Answer, Ask};

use crate::files::{output, path};
use crate::match_game::judge::judge;
use crate::rules::Move;

use super::Question;

/// The name of the daemon's socket in the user's folder.
pub const SOCKET: &str = "halma";

/// The connection timeout. It can be short because a running daemon accepts connections at once.
const CONNECT_WITHIN: Duration = Duration::from_millis(50);

/// How far a thread's CPU time may exceed wall time where CPU time is counted in ticks, in seconds.
const TICK: f64 = 0.01;
/// The maximum rounding error when a time is converted to text and back, in seconds.
const ROUNDING: f64 = 1e-6;

/// The daemon that the shim asks for a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Daemon {
    /// The daemon that this user has started, which listens in a folder of the user.
    Own(OwnFolder),
    /// Any daemon that listens at this address.
    At(SocketAddr),
}

/// Time limits of a shim that waits for a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// The maximum silence before the daemon's first byte, or between two blanks from the daemon.
    ///
    /// A daemon sends blanks while it thinks. This is also the maximum time from the first to the last byte of the
    /// answer.
    pub silence: Duration,
    /// The maximum time from the question to the end of the answer.
    pub whole: Duration,
}

/// The reasons why the daemon gave no move. The shim then searches itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// No daemon listens at the socket or address.
    #[error("no daemon listens")]
    Absent,
    /// The listening daemon may belong to another user.
    #[error("the daemon is not trusted: {0}")]
    Untrusted(String),
    /// The daemon sent no byte.
    #[error("the daemon did not answer: {0}")]
    Silent(String),
    /// The daemon started to think, but then was silent, took too long, or disconnected.
    #[error("the daemon did not finish: {0}")]
    Broken(String),
    /// The daemon answered with an error.
    #[error("the daemon has no move: {0}")]
    Refused(String),
    /// The daemon's move is illegal, or its times are impossible.
    #[error("the daemon's answer cannot be used: {0}")]
    Wrong(String),
}

/// The daemon's answer, after the shim has checked it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The move, which is legal.
    pub mv: Move,
    /// The move as the content of `output.txt`.
    pub output: String,
    /// The CPU time that daemons have used in this game, including this move.
    pub game_cpu: Duration,
}

/// A connection to a daemon, with a time limit for each read and write.
trait Stream: Read + Write {
    /// Sets the time limit of the next read or write, which must be greater than zero.
    fn limit(&self, left: Duration) -> io::Result<()>;
}

impl Stream for TcpStream {
    fn limit(&self, left: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(left))?;
        self.set_write_timeout(Some(left))
    }
}

impl Stream for UnixStream {
    fn limit(&self, left: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(left))?;
        self.set_write_timeout(Some(left))
    }
}

fn connect(daemon: &Daemon, patience: Patience) -> Result<Box<dyn Stream>, AskError> {
    match daemon {
        Daemon::Own(folder) => match folder.connect(SOCKET) {
            Ok(Some(stream)) => Ok(Box::new(stream)),
            Ok(None) => Err(AskError::Absent),
            Err(error) => Err(AskError::Untrusted(error.to_string())),
        },
        Daemon::At(address) => {
            let within = CONNECT_WITHIN.min(patience.whole);
            let stream = TcpStream::connect_timeout(address, within);
            let stream = stream.map_err(|_refused| AskError::Absent)?;
            // An error is harmless: without this option, the question only arrives a little later.
            let _ = stream.set_nodelay(true);
            Ok(Box::new(stream))
        }
    }
}

/// Returns the daemon's move in this position, if it sends a legal move in time.
///
/// Waiting takes hardly any CPU time. `spent` is the time that daemons have used in this game so far.
///
/// # Errors
///
/// Returns an [`AskError`], at once if no daemon listens. The caller must then search itself.
pub fn ask(
    daemon: &Daemon,
    question: Question,
    spent: Duration,
    patience: Patience,
) -> Result<Reply, AskError> {
    let begun = Instant::now();
    let stream = connect(daemon, patience)?;
    let asked = Ask::Move {
        rules: question.position.rules(),
        input: question.input.to_string(),
        spent_s: spent.as_secs_f64(),
    };
    let mut exchange = Exchange {
        stream,
        patience,
        begun,
        heard: None,
        line: Vec::new(),
    };
    exchange.run(&asked).map_err(|error| {
        let why = error.to_string();
        match exchange.heard {
            None => AskError::Silent(why),
            Some(_) => AskError::Broken(why),
        }
    })?;
    let passed = begun.elapsed();
    // The message goes to a terminal, so the daemon's text must be printable.
    let wrong = |error: String| AskError::Wrong(printable(&error));
    match Answer::from_line(&exchange.line).map_err(|error| wrong(error.to_string()))? {
        Answer::Error { reason, .. } => Err(AskError::Refused(printable(&reason))),
        Answer::Move {
            output: text,
            cpu_s,
            game_cpu_s,
            ..
        } => {
            for (name, claimed) in [
                ("cpu_s", cpu_s),
                ("game_cpu_s", game_cpu_s - spent.as_secs_f64()),
            ] {
                if !is_plausible(claimed, passed) {
                    return Err(wrong(format!(
                        "its {name} claims {claimed} s of computing, but only {:.3} s have passed",
                        passed.as_secs_f64()
                    )));
                }
            }
            let said = Output::parse(text.as_bytes()).map_err(|error| wrong(error.to_string()))?;
            let mv = Move::along(&path(&said));
            let output = match judge(text.as_bytes(), question.position, false) {
                Ok(_) => text,
                // The daemon's path may be blocked although a piece can reach the last square.
                Err(failure) => match output(question.position, mv) {
                    Some(own) => own.to_string(),
                    None => return Err(wrong(failure.reason)),
                },
            };
            Ok(Reply {
                mv,
                output,
                game_cpu: Duration::from_secs_f64(game_cpu_s.max(0.0)),
            })
        }
    }
}

/// Returns true if a single thread can have used the claimed seconds of CPU time within the time `passed`.
fn is_plausible(claimed: f64, passed: Duration) -> bool {
    (-ROUNDING..=passed.as_secs_f64() + TICK).contains(&claimed)
}

/// A question that was sent to a daemon and is not yet answered.
struct Exchange {
    stream: Box<dyn Stream>,
    patience: Patience,
    begun: Instant,
    /// The arrival time of the daemon's latest blank, or of the first byte of its answer.
    heard: Option<Instant>,
    /// The part of the answer that has arrived, without leading blanks.
    line: Vec<u8>,
}

impl Exchange {
    /// Sends the question and reads one line, the answer.
    fn run(&mut self, question: &Ask) -> io::Result<()> {
        self.limit()?;
        let sent = self.stream.write_all(&question.to_line()?);
        sent.map_err(|error| self.named(error))?;
        let mut chunk = [0; 1024];
        let mut taken = 0;
        while !self.line.contains(&b'\n') {
            // A thinking daemon may send blanks, but only one per millisecond on average.
            if taken > LARGEST_FILE as u128 + self.begun.elapsed().as_millis() {
                return Err(io::Error::other("its line does not end"));
            }
            self.limit()?;
            let read = self.stream.read(&mut chunk);
            let read = read.map_err(|error| self.named(error))?;
            taken += read as u128;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            // A daemon writes its answer at once, so later bytes do not extend the deadline.
            if self.line.is_empty() {
                self.heard = Some(Instant::now());
            }
            // Blanks before a line mean that the daemon is still thinking.
            let is_blank = |&&byte: &&u8| self.line.is_empty() && byte == b' ';
            let blanks = chunk[..read].iter().take_while(is_blank).count();
            self.line.extend_from_slice(&chunk[blanks..read]);
        }
        Ok(())
    }

    /// Sets the time limit of the next read or write, if time is left.
    fn limit(&self) -> io::Result<()> {
        let of_silence = self.patience.silence;
        let of_silence = of_silence.saturating_sub(self.heard.unwrap_or(self.begun).elapsed());
        let of_whole = self.patience.whole.saturating_sub(self.begun.elapsed());
        match of_silence.min(of_whole) {
            Duration::ZERO => Err(self.late()),
            left => self.stream.limit(left),
        }
    }

    /// Replaces the error of a timed-out read or write, because this error differs between systems.
    fn named(&self, error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => self.late(),
            _ => error,
        }
    }

    fn late(&self) -> io::Error {
        let Patience { silence, whole } = self.patience;
        let why = match self.begun.elapsed() < whole {
            false => format!("it took longer than {:.3} s", whole.as_secs_f64()),
            true if self.line.is_empty() => {
                format!("it was silent for {} s", silence.as_secs_f64())
            }
            true => format!("its answer took longer than {} s", silence.as_secs_f64()),
        };
        io::Error::new(io::ErrorKind::TimedOut, why)
    }
}
