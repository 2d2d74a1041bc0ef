//! A player that is a daemon: a process for the pair, connected by TCP to the embedded host.

use std::io;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use turnwise_protocol::entropy::{HostMessage, Line, Wire};

use super::words::{move_of, news, question, wire_role};
use super::{Ask, Last};
use crate::arena::player::{Answer, FOREVER, Failure, Player};
use crate::arena::process::{Process, Stopwatch, Streams};
use crate::host::door::Door;
use crate::host::game::PAUSE;
use crate::host::seat::{NoMove, Seat};
use crate::records::{FaultKind, Role};
use turnwise_entropy::rules::{Move, Position};

/// How long a daemon may take to connect and say its name.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// How long a daemon may take to end after goodbye.
const FAREWELL: Duration = Duration::from_secs(2);

/// What stands for the port in a daemon's words.
const PORT: &str = "{port}";

/// A daemon and its seat. Fields are dropped in order: the seat before the runtime it lives in.
pub(super) struct DaemonPlayer {
    words: Vec<String>,
    seat: Option<Seat>,
    process: Option<Process>,
    greeting: Vec<Line>,
    last_lines: Vec<String>,
    runtime: Runtime,
}

impl DaemonPlayer {
    pub fn new(words: Vec<String>) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(Self {
            words,
            seat: None,
            process: None,
            greeting: Vec::new(),
            last_lines: Vec::new(),
            runtime,
        })
    }

    /// Starts the process and lets it in. One that does not come has no seat, which is its fault.
    fn start(&mut self, size: u8) -> io::Result<()> {
        let words = &self.words;
        let (process, seat) = self.runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let port = listener.local_addr()?.port();
            let process = Process::start(&with_port(words, port), Streams::Null)?;
            let mut door = Door::open(listener, Wire::Json, size);
            let mut turned_away = |_event| {};
            let admitted = tokio::time::timeout(CONNECT_WITHIN, door.admit(&mut turned_away)).await;
            io::Result::Ok((process, admitted.ok().transpose()?))
        })?;
        self.process = Some(process);
        self.seat = seat;
        Ok(())
    }

    fn ask(&mut self, turn: &Ask) -> Result<Move, Failure> {
        let Some(seat) = &mut self.seat else {
            let reason = format!("it did not connect within {CONNECT_WITHIN:.0?}");
            return Err(Failure::new(FaultKind::Silence, reason));
        };
        let mut lines = std::mem::take(&mut self.greeting);
        lines.extend(question(turn));
        let patience = turn.allowance.patience.unwrap_or(FOREVER);
        match self.runtime.block_on(seat.ask(lines, patience)).0 {
            Ok(line) => move_of(line, turn.position),
            Err(NoMove::Late) => Err(Failure::silent_for(patience)),
            Err(NoMove::Gone) => Err(Failure::new(FaultKind::Crash, "it left")),
            Err(NoMove::Said(what)) => Err(Failure::new(FaultKind::Garbage, what)),
        }
    }
}

/// The words with the port in its place, or the address behind them.
fn with_port(words: &[String], port: u16) -> Vec<String> {
    let port = port.to_string();
    let mut filled: Vec<String> = words.iter().map(|word| word.replace(PORT, &port)).collect();
    if filled == words {
        filled.extend(["127.0.0.1".to_owned(), port]);
    }
    filled
}

impl Player<Position, Move> for DaemonPlayer {
    fn begin(&mut self, role: Role, position: &Position) -> io::Result<()> {
        match &mut self.seat {
            None => self.start(position.size())?,
            Some(seat) => self.runtime.block_on(seat.settle()),
        }
        let Some(seat) = &mut self.seat else {
            return Ok(());
        };
        self.greeting = seat.greeting(position.size(), wire_role(role));
        let greeting = &mut self.greeting;
        self.runtime.block_on(async {
            seat.tell(HostMessage::Reset).await;
            tokio::time::sleep(PAUSE).await;
            if role == Role::Order {
                let lines = std::mem::take(greeting);
                let answer = false;
                seat.tell(HostMessage::Payload { lines, answer }).await;
            }
        });
        Ok(())
    }

    fn choose(&mut self, turn: Ask) -> io::Result<Answer<Move>> {
        let stopwatch = Stopwatch::start(self.process.as_ref());
        let mv = self.ask(&turn);
        let (wall, cpu) = stopwatch.read(self.process.as_ref());
        if mv.is_err() {
            let last_lines = self.process.as_mut().map(Process::last_lines);
            self.last_lines = last_lines.unwrap_or_default();
        }
        Ok(Answer::from_outside(mv, wall, cpu))
    }

    fn finish(&mut self, last: Option<&Last>) {
        if let (Some(seat), Some(last)) = (&mut self.seat, last) {
            let lines = vec![news(last)];
            let answer = false;
            let message = HostMessage::Payload { lines, answer };
            self.runtime.block_on(seat.tell(message));
        }
        // A daemon that is gone gets another start in the next game.
        if self.seat.as_ref().is_some_and(Seat::is_gone) {
            self.seat = None;
            self.process = None;
        }
    }

    fn stderr(&self) -> Vec<String> {
        self.last_lines.clone()
    }
}

impl Drop for DaemonPlayer {
    fn drop(&mut self) {
        if let Some(seat) = self.seat.take() {
            self.runtime.block_on(seat.say_goodbye());
        }
        if let Some(process) = &mut self.process {
            process.ended_within(FAREWELL);
        }
    }
}
