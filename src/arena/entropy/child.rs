//! A player that is a process on stdin and stdout, one process a game.

use std::io::{self, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::Duration;

use bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder};
use turnwise_protocol::entropy::{HostCodec, HostMessage, Line, PlayerSays, Wire};
use turnwise_protocol::frame::Item;

use super::words::{move_of, news, question, wire_role};
use super::{Ask, Last};
use crate::arena::player::{Answer, FOREVER, Failure, Player};
use crate::arena::process::{Process, Stopwatch, Streams};
use crate::records::{FaultKind, Role};
use turnwise_entropy::rules::{Move, Position};

/// Lines that wait to be heard; a child that says more waits itself.
const MOST_WAITING: usize = 16;

/// How long a child may take to end once the game is over, or once it has closed its stdout.
const FAREWELL: Duration = Duration::from_secs(2);

/// A command that is started for each game.
pub(super) struct ChildPlayer {
    words: Vec<String>,
    wire: Wire,
    game: Option<Game>,
    last_lines: Vec<String>,
}

struct Game {
    process: Process,
    stdin: ChildStdin,
    said: Receiver<Item<PlayerSays>>,
    codec: HostCodec,
    /// What is to be said before the first question.
    greeting: Vec<Line>,
}

impl ChildPlayer {
    pub fn new(words: Vec<String>, wire: Wire) -> Self {
        Self {
            words,
            wire,
            game: None,
            last_lines: Vec::new(),
        }
    }
}

/// Reads what the child says until it closes its stdout or nobody listens any more.
fn listen(mut stdout: ChildStdout, wire: Wire, said: SyncSender<Item<PlayerSays>>) {
    let mut codec = HostCodec::new(wire);
    let mut heard = BytesMut::new();
    let mut chunk = [0; 4096];
    loop {
        let read = stdout.read(&mut chunk).unwrap_or(0);
        heard.extend_from_slice(&chunk[..read]);
        loop {
            let item = match read {
                0 => codec.decode_eof(&mut heard),
                _ => codec.decode(&mut heard),
            };
            let Ok(Some(item)) = item else { break };
            if said.send(item).is_err() {
                return;
            }
        }
        if read == 0 {
            return;
        }
    }
}

impl Game {
    fn start(words: &[String], wire: Wire, greeting: Vec<Line>) -> io::Result<Self> {
        let mut process = Process::start(words, Streams::Piped)?;
        let (stdin, stdout) = process
            .streams()
            .ok_or_else(|| io::Error::other("the child's streams are missing"))?;
        let (send, said) = sync_channel(MOST_WAITING);
        thread::spawn(move || listen(stdout, wire, send));
        Ok(Self {
            process,
            stdin,
            said,
            codec: HostCodec::new(wire),
            greeting,
        })
    }

    fn tell(&mut self, message: HostMessage) -> io::Result<()> {
        let mut bytes = BytesMut::new();
        self.codec.encode(message, &mut bytes)?;
        self.stdin.write_all(&bytes)?;
        self.stdin.flush()
    }

    fn ask(&mut self, turn: &Ask) -> Result<Move, Failure> {
        match self.said.try_recv() {
            Ok(item) => {
                let what = match interpret(item) {
                    Ok(line) => format!("`{line}`"),
                    Err(failure) => failure.reason,
                };
                return Err(Failure::new(
                    FaultKind::Garbage,
                    format!("it spoke without being asked: {what}"),
                ));
            }
            Err(TryRecvError::Disconnected) => return Err(self.crash()),
            Err(TryRecvError::Empty) => {}
        }
        let mut lines = std::mem::take(&mut self.greeting);
        lines.extend(question(turn));
        let answer = true;
        if self.tell(HostMessage::Payload { lines, answer }).is_err() {
            return Err(self.crash());
        }
        let patience = turn.allowance.patience.unwrap_or(FOREVER);
        match self.said.recv_timeout(patience) {
            Ok(item) => interpret(item).and_then(|line| move_of(line, turn.position)),
            Err(RecvTimeoutError::Disconnected) => Err(self.crash()),
            Err(RecvTimeoutError::Timeout) => Err(Failure::silent_for(patience)),
        }
    }

    fn crash(&mut self) -> Failure {
        let how = match self.process.ended_within(FAREWELL) {
            Some(status) => format!("the process ended: {status}"),
            None => "it closed its stdout".to_owned(),
        };
        Failure::new(FaultKind::Crash, how)
    }
}

fn interpret(item: Item<PlayerSays>) -> Result<Line, Failure> {
    let garbage = |reason: String| Failure::new(FaultKind::Garbage, reason);
    match item {
        Item::Message(PlayerSays::Line(line)) => line.map_err(|bad| garbage(bad.to_string())),
        Item::Message(PlayerSays::Concede(comment)) => Err(garbage(format!("conceded: {comment}"))),
        Item::Bad(bad) => Err(garbage(bad.to_string())),
    }
}

impl Player<Position, Move> for ChildPlayer {
    fn begin(&mut self, role: Role, position: &Position) -> io::Result<()> {
        self.last_lines.clear();
        let greeting = vec![Line::Size(position.size()), Line::Role(wire_role(role))];
        self.game = Some(Game::start(&self.words, self.wire, greeting)?);
        Ok(())
    }

    fn choose(&mut self, turn: Ask) -> io::Result<Answer<Move>> {
        let Some(game) = &mut self.game else {
            let mv = Err(Failure::new(FaultKind::Crash, "it does not run"));
            return Ok(Answer::from_outside(mv, Duration::ZERO, None));
        };
        let stopwatch = Stopwatch::start(Some(&game.process));
        let mv = game.ask(&turn);
        let (wall, cpu) = stopwatch.read(Some(&game.process));
        Ok(Answer::from_outside(mv, wall, cpu))
    }

    fn finish(&mut self, last: Option<&Last>) {
        let Some(mut game) = self.game.take() else {
            return;
        };
        let lines: Vec<Line> = last.map(news).into_iter().collect();
        let answer = false;
        // A child that has ended by itself needs no goodbye.
        let _ = game.tell(HostMessage::Payload { lines, answer });
        let _ = game.tell(HostMessage::Kill { reason: None });
        let Game {
            mut process, stdin, ..
        } = game;
        drop(stdin);
        process.ended_within(FAREWELL);
        self.last_lines = process.last_lines();
    }

    fn stderr(&self) -> Vec<String> {
        self.last_lines.clone()
    }
}
