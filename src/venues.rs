//! A player that is a daemon: a process for the pair, connected by TCP to an embedded host that speaks
//! as the Python tournament server does.

use std::io;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Failure, FaultKind};
use turnwise_process::{Process, Stopwatch, Streams};
use turnwise_protocol::entropy::{HostMessage, Line, Wire};

use turnwise_daemon::host::door::Door;
use turnwise_daemon::host::seat::{NoMove, Seat};
use turnwise_entropy::hosting::{Hosting, PAUSE};
use turnwise_entropy::referee::RuleBook;

/// How long a daemon may take to connect and say its name.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// How long a daemon may take to end after goodbye.
const FAREWELL: Duration = Duration::from_secs(2);

/// What stands for the port in a daemon's words.
const PORT: &str = "{port}";

/// A daemon and its seat. Fields are dropped in order: the seat before the runtime it lives in.
struct DaemonChannel {
    words: Vec<String>,
    seat: Option<Seat<Hosting>>,
    process: Option<Process>,
    greeting: Vec<Line>,
    last_words: Vec<String>,
    runtime: Runtime,
}

/// A daemon that is started with these words when its first game begins.
pub fn start_daemon(words: Vec<String>) -> io::Result<Box<dyn LineChannel>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(Box::new(DaemonChannel {
        words,
        seat: None,
        process: None,
        greeting: Vec::new(),
        last_words: Vec::new(),
        runtime,
    }))
}

/// Lines as the wire has them; the referee's own can always be said.
fn parsed(lines: Vec<String>) -> Vec<Line> {
    lines.iter().filter_map(|line| line.parse().ok()).collect()
}

impl DaemonChannel {
    /// Starts the process and lets it in. One that does not come has no seat, which is its fault.
    fn start(&mut self, size: u8) -> io::Result<()> {
        let words = &self.words;
        let (process, seat) = self.runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let port = listener.local_addr()?.port();
            let process = Process::start(&with_port(words, port), Streams::Null)?;
            let hosting = Hosting {
                size,
                rules: RuleBook::Strict,
                pass: false,
                wire: Wire::Json,
            };
            let mut door = Door::open(Box::new(listener), hosting);
            let admitted = tokio::time::timeout(CONNECT_WITHIN, door.admit(|_refused| {})).await;
            io::Result::Ok((process, admitted.ok()))
        })?;
        self.process = Some(process);
        self.seat = seat;
        Ok(())
    }

    fn answer(&mut self, question: Vec<Line>, patience: Duration) -> Result<String, Failure> {
        let Some(seat) = &mut self.seat else {
            let reason = format!("it did not connect within {CONNECT_WITHIN:.0?}");
            return Err(Failure::new(FaultKind::Silence, reason));
        };
        let mut lines = std::mem::take(&mut self.greeting);
        lines.extend(question);
        let answer = true;
        let question = HostMessage::Payload { lines, answer };
        match self.runtime.block_on(seat.ask(question, patience)).0 {
            Ok(line) => Ok(line.to_string()),
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

impl LineChannel for DaemonChannel {
    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()> {
        let greeting = parsed(greeting);
        let [Line::Size(size), Line::Role(_)] = greeting[..] else {
            return Err(io::Error::other("daemons expect a size and a role first"));
        };
        match &mut self.seat {
            None => self.start(size)?,
            Some(seat) => self.runtime.block_on(seat.settle()),
        }
        let Some(seat) = &mut self.seat else {
            return Ok(());
        };
        // On this wire nothing is told at the door.
        self.greeting = greeting;
        let greeting = &mut self.greeting;
        self.runtime.block_on(async {
            seat.tell(HostMessage::Reset).await;
            tokio::time::sleep(PAUSE).await;
            if !is_first {
                let lines = std::mem::take(greeting);
                let answer = false;
                seat.tell(HostMessage::Payload { lines, answer }).await;
            }
        });
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String> {
        let stopwatch = Stopwatch::start(self.process.as_ref());
        let said = self.answer(parsed(lines), patience);
        let (wall, cpu) = stopwatch.read(self.process.as_ref());
        Reply { said, wall, cpu }
    }

    fn finish(&mut self, news: Vec<String>, _replies: Vec<String>, _farewell: Vec<String>) {
        if let (Some(seat), false) = (&mut self.seat, news.is_empty()) {
            let (lines, answer) = (parsed(news), false);
            let message = HostMessage::Payload { lines, answer };
            self.runtime.block_on(seat.tell(message));
        }
        // A daemon that is gone gets another start in the next game.
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
