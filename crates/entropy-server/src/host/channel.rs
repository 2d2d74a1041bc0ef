//! Lets a daemon play in a match: a process that plays the games of a pair over TCP with a host in this process.

use std::io;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use turnwise_daemon::runtime::runtime;
use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Failure, FaultKind};
use turnwise_process::{Process, Streams};
use turnwise_protocol::entropy::Line;

use super::Hosting;
use super::door::Door;
use super::seat::Seat;

/// How long a daemon may take to connect and send its name.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// How long a daemon may take to exit after the goodbye.
const FAREWELL: Duration = Duration::from_secs(2);

/// The placeholder for the port in a daemon's command line.
const PORT: &str = "{port}";

/// A daemon and its seat.
///
/// Fields are dropped in order, so the seat is dropped before its runtime.
struct DaemonChannel {
    words: Vec<String>,
    seat: Option<Seat>,
    process: Option<Process>,
    last_words: Vec<String>,
    runtime: Runtime,
}

/// Creates a channel to a daemon, which is started with this command line when its first game begins.
///
/// # Errors
///
/// Returns an error if the runtime cannot be created.
pub fn start_daemon(words: Vec<String>) -> io::Result<Box<dyn LineChannel>> {
    let runtime = runtime()?;
    Ok(Box::new(DaemonChannel {
        words,
        seat: None,
        process: None,
        last_words: Vec::new(),
        runtime,
    }))
}

impl DaemonChannel {
    /// Starts the process and admits it as a player. A daemon that does not connect gets no seat and is at fault.
    fn start(&mut self) -> io::Result<()> {
        let words = &self.words;
        let (process, seat) = self.runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let port = listener.local_addr()?.port();
            let process = Process::start(&with_port(words, port), Streams::Null)?;
            let mut door = Door::open(Box::new(listener), Hosting::judged_elsewhere());
            let admitted = tokio::time::timeout(CONNECT_WITHIN, door.admit(|_refused| {})).await;
            io::Result::Ok((process, admitted.ok()))
        })?;
        self.process = Some(process);
        self.seat = seat;
        Ok(())
    }
}

/// Replaces the placeholder in a command line with the port. Without a placeholder, appends the address and port.
fn with_port(words: &[String], port: u16) -> Vec<String> {
    let port = port.to_string();
    let mut filled: Vec<String> = words.iter().map(|word| word.replace(PORT, &port)).collect();
    if filled == words {
        filled.extend(["127.0.0.1".to_owned(), port]);
    }
    filled
}

/// Returns true if these lines begin a game on the JSON wire.
fn is_opening(greeting: &[String]) -> bool {
    let lines: Vec<_> = greeting.iter().map(|line| line.parse()).collect();
    matches!(lines[..], [Ok(Line::Size(_)), Ok(Line::Role(_))])
}

impl LineChannel for DaemonChannel {
    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()> {
        if !is_opening(&greeting) {
            let reason = format!("daemons cannot start a game with {greeting:?}");
            return Err(io::Error::other(reason));
        }
        match &mut self.seat {
            None => self.start()?,
            Some(seat) => self.runtime.block_on(seat.settle()),
        }
        if let Some(seat) = &mut self.seat {
            self.runtime.block_on(seat.begin(greeting, is_first));
        }
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String> {
        let Some(process) = &mut self.process else {
            return Reply::of_failure(Failure::new(FaultKind::Crash, "it is not running"));
        };
        let turn = process.begin_turn();
        let said = match &mut self.seat {
            Some(seat) => self.runtime.block_on(seat.ask_in_lines(lines, patience)).0,
            None => {
                let reason = format!("it did not connect within {CONNECT_WITHIN:.0?}");
                Err(Failure::new(FaultKind::Silence, reason))
            }
        };
        // The arena never suspends a daemon, because a daemon keeps its connection alive.
        let (wall, cpu, _) = process.end_turn(&turn);
        Reply {
            said,
            wall,
            cpu,
            pondered: turn.pondered,
            others: None,
        }
    }

    fn finish(&mut self, news: Vec<String>, _replies: Vec<String>, _farewell: Vec<String>) {
        if let Some(seat) = &mut self.seat {
            self.runtime.block_on(seat.end(news));
        }
        // If the daemon has left, it is started again for the next game.
        if self.seat.as_ref().is_some_and(|seat| seat.is_gone()) {
            self.seat = None;
            self.process = None;
        }
    }

    fn keep_last_words(&mut self) {
        let last_words = self.process.as_mut().map(Process::last_lines);
        self.last_words = last_words.unwrap_or_default();
    }

    fn last_words(&self) -> &[String] {
        &self.last_words
    }
}

impl Drop for DaemonChannel {
    fn drop(&mut self) {
        if let Some(seat) = self.seat.take() {
            self.runtime.block_on(seat.say_goodbye());
        }
        if let Some(process) = &mut self.process {
            process.ended_within(FAREWELL);
        }
    }
}
