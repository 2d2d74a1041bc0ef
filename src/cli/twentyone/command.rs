//! A player that is another program, one line a call on its standard streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use turnwise_process::{Process, Streams};
use turnwise_protocol::twentyone::LINE_LIMIT;

use turnwise_twentyone::player::{Fault, Player, REPLY_LIMIT, Reply, View};
use turnwise_twentyone::wire;

/// A program that is being run; it is ended with its player.
struct Running {
    _process: Process,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// A player that is another program.
pub struct CommandPlayer {
    /// The program, or why there is none.
    running: Result<Running, String>,
    started: bool,
}

/// A program may take longer before its first answer: it has to start.
const START_LIMIT: Duration = Duration::from_secs(10);

impl CommandPlayer {
    /// Starts `command` in a shell.
    pub fn new(command: &str) -> CommandPlayer {
        CommandPlayer {
            running: start(command).map_err(|error| format!("cannot start {command:?}: {error}")),
            started: false,
        }
    }
}

fn start(command: &str) -> std::io::Result<Running> {
    let words = ["sh", "-c", &format!("exec {command}")].map(str::to_owned);
    let mut process = Process::start(&words, Streams::PipedBesideStderr)?;
    let (input, output) = process.streams().expect("pipes were asked for");
    let (send, lines) = sync_channel(4);
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut line = Vec::new();
            let read = output
                .by_ref()
                .take(LINE_LIMIT as u64 + 1)
                .read_until(b'\n', &mut line);
            // Nothing more comes, or nobody listens any more.
            if !matches!(read, Ok(1..)) || send.send(String::from_utf8_lossy(&line).into()).is_err()
            {
                break;
            }
        }
    });
    Ok(Running {
        _process: process,
        input,
        lines,
    })
}

impl Player for CommandPlayer {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        let running = self
            .running
            .as_mut()
            .map_err(|reason| Fault::Failed(reason.clone()))?;
        let call = serde_json::to_string(&wire::call_of(view)).expect("plain data");
        // A program that has left is noticed when its answer does not come.
        let _ = writeln!(running.input, "{call}").and_then(|()| running.input.flush());
        let limit = match std::mem::replace(&mut self.started, true) {
            true => REPLY_LIMIT,
            false => START_LIMIT,
        };
        let line = running
            .lines
            .recv_timeout(limit)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => Fault::TooSlow(limit),
                RecvTimeoutError::Disconnected => {
                    Fault::Failed("the program has ended".to_string())
                }
            })?;
        wire::reply_of(line.trim_end()).map_err(Fault::Failed)
    }

    fn is_timed(&self) -> bool {
        self.started
    }
}
