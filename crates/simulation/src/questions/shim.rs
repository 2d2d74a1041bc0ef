//! Simulates shims. A shim asks the daemon for the moves of a game, and sometimes sends an invalid question.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};
use turnwise_halma::budget::{Forecast, budget};
use turnwise_halma::files;
use turnwise_halma::rules::{Color, Move, Position};
use turnwise_protocol::halma::{Input, Mode, Output};
use turnwise_protocol::halma_serve::{Answer, Ask, ErrorKind, Rules};

use super::PORT;
use crate::network::{SimulatedNetwork, SimulatedStream};
use crate::run::Scene;

/// How long a daemon may send nothing while it answers a question before it counts as stalled.
const SILENCE: Duration = Duration::from_millis(100);

/// How long a shim waits for an answer if its connections or its daemon may be disturbed.
const PATIENCE: Duration = Duration::from_secs(200);

/// The tolerance for reported computing times, in seconds.
const TICK: f64 = 0.01;

/// A client that plays Halma with the daemon's moves.
pub(super) struct Shim {
    network: SimulatedNetwork,
    random: Xoshiro256PlusPlus,
    /// Becomes true at the end of the run; `None` if something disturbs the shim's connections or its daemon.
    ///
    /// While the value is false, no question may fail.
    sheltered: Option<Arc<AtomicBool>>,
    scene: Scene,
    position: Position,
}

/// A question of a shim, which may be invalid.
struct Question {
    line: Vec<u8>,
    /// The position and mode of a valid question, or the error that an invalid question should cause.
    expected: Result<(Position, Mode), ErrorKind>,
    /// The maximum time that the daemon may search for the answer.
    hard: Duration,
}

impl Shim {
    pub(super) fn new(
        network: SimulatedNetwork,
        seed: u64,
        sheltered: Option<Arc<AtomicBool>>,
        scene: Scene,
    ) -> Self {
        Self {
            network,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            sheltered,
            scene,
            position: Position::start(Color::Black, Rules::default()),
        }
    }

    pub(super) async fn play(mut self) {
        let mut open: Option<SimulatedStream> = None;
        for _ in 0..self.random.random_range(1..12) {
            let stream = match open.take() {
                Some(stream) => Ok(stream),
                None => self.network.connect(PORT).await.map(|(stream, _)| stream),
            };
            match self.ask(stream).await {
                Ok(stream) => open = stream.filter(|_| self.random.random_bool(0.4)),
                Err(why) => {
                    self.scene.note(format_args!("a shim: {why}"));
                    let is_promised = |is_over: &Arc<AtomicBool>| !is_over.load(Ordering::Relaxed);
                    if self.sheltered.as_ref().is_some_and(is_promised) {
                        self.scene
                            .violated(format_args!("every question is answered in time: {why}"));
                    }
                }
            }
            if self.random.random_bool(0.3) {
                sleep(Duration::from_secs_f64(self.random.random_range(0.0..5.0))).await;
            }
        }
    }

    /// Sends one or more questions at once, and reads their answers. Returns the connection if it can be used again.
    async fn ask(
        &mut self,
        stream: io::Result<SimulatedStream>,
    ) -> Result<Option<SimulatedStream>, String> {
        let mut stream = stream.map_err(|error| format!("no connection: {error}"))?;
        let questions: Vec<_> = (0..self.random.random_range(1..4))
            .map(|_| self.question())
            .collect();
        let begun = Instant::now();
        let bytes: Vec<u8> = questions.iter().flat_map(|it| it.line.clone()).collect();
        self.send(&mut stream, &bytes)
            .await
            .map_err(|error| error.to_string())?;
        let ends_here = self.random.random_bool(0.2);
        if ends_here {
            // The shim sends nothing more on this connection, but still waits for its answers.
            let _ = stream.shutdown().await;
        }
        let mut heard = Vec::new();
        let mut most = Duration::ZERO;
        let asked = Instant::now();
        for question in questions {
            most += 2 * question.hard + Duration::from_millis(500);
            let line = self.line(&mut stream, &mut heard, asked + most).await?;
            self.judge(&line, question, begun);
        }
        // All answers have arrived, so no further bytes but blanks may come.
        let more = timeout(Duration::from_millis(50), stream.read_buf(&mut heard)).await;
        if heard.iter().any(|byte| *byte != b' ') {
            let what = String::from_utf8_lossy(&heard);
            self.scene
                .violated(format_args!("no question is answered twice: {what:?}"));
        }
        let has_ended = matches!(more, Ok(Ok(0) | Err(_)));
        Ok((!ends_here && !has_ended).then_some(stream))
    }

    /// Sends bytes, in one piece or in several pieces.
    async fn send(&mut self, stream: &mut SimulatedStream, mut bytes: &[u8]) -> io::Result<()> {
        let most = match self.random.random_bool(0.3) {
            true => 200,
            false => usize::MAX,
        };
        while !bytes.is_empty() {
            let length = bytes.len().min(self.random.random_range(1..=most));
            let (part, rest) = bytes.split_at(length);
            stream.write_all(part).await?;
            bytes = rest;
            if !bytes.is_empty() {
                sleep(Duration::from_millis(self.random.random_range(1..30))).await;
            }
        }
        Ok(())
    }

    fn question(&mut self) -> Question {
        let not = |kind, line: Vec<u8>| Question {
            line: [line, b"\n".to_vec()].concat(),
            expected: Err(kind),
            hard: Duration::ZERO,
        };
        // The time is between a tenth of a second and a minute, uniformly distributed on a logarithmic scale.
        let seconds = 0.1 * 600_f64.powf(self.random.random_range(0.0..1.0));
        let mode = match self.random.random_bool(0.3) {
            true => Mode::Single,
            false => Mode::Game,
        };
        let input = Input {
            mode,
            player: files::player(self.position.to_move()),
            seconds,
            board: files::board(&self.position),
        };
        let ask = |input: String, spent_s| {
            let ask = Ask::Move {
                rules: self.position.rules(),
                input,
                spent_s,
            };
            ask.to_line().expect("a question is JSON")
        };
        let without_end = |mut line: Vec<u8>| {
            line.pop();
            line
        };
        match self.random.random_range(0..12) {
            0 => not(ErrorKind::Frame, b"a move, please".to_vec()),
            1 => not(
                ErrorKind::Frame,
                vec![b'x'; self.random.random_range(1025..9000)],
            ),
            2 => not(ErrorKind::Frame, b"\xff\xfe".to_vec()),
            3 => not(ErrorKind::Frame, without_end(ask(input.to_string(), -1.0))),
            4 => not(
                ErrorKind::Input,
                without_end(ask("GAME\nGREEN\n".to_owned(), 0.0)),
            ),
            _ => {
                let left = Duration::from_secs_f64(seconds);
                Question {
                    line: ask(input.to_string(), 0.0),
                    expected: Ok((self.position, mode)),
                    hard: budget(left, mode, &self.position, Forecast::default()).1,
                }
            }
        }
    }

    /// Reads the next line, and removes the blanks before it, which are signs of life.
    async fn line(
        &self,
        stream: &mut SimulatedStream,
        heard: &mut Vec<u8>,
        until: Instant,
    ) -> Result<Vec<u8>, String> {
        let (silence, until) = match self.sheltered {
            Some(_) => (SILENCE, until),
            None => (PATIENCE, Instant::now() + PATIENCE),
        };
        loop {
            let blanks = heard.iter().take_while(|&&byte| byte == b' ').count();
            heard.drain(..blanks);
            if let Some(end) = heard.iter().position(|&byte| byte == b'\n') {
                return Ok(heard.drain(..=end).collect());
            }
            if Instant::now() > until {
                return Err("its time is up".to_owned());
            }
            match timeout(silence, stream.read_buf(heard)).await {
                Ok(Ok(0)) => return Err("the daemon hung up".to_owned()),
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(error.to_string()),
                Err(_silent) => return Err(format!("silence for {silence:?}")),
            }
        }
    }

    fn judge(&mut self, line: &[u8], question: Question, begun: Instant) {
        let said = String::from_utf8_lossy(line);
        let answer = match Answer::from_line(line) {
            Ok(answer) => answer,
            Err(error) => {
                self.scene
                    .violated(format_args!("an answer is one: {said:?}: {error}"));
                return;
            }
        };
        match (answer, question.expected) {
            (Answer::Move { output, cpu_s, .. }, Ok((position, mode))) => {
                let passed = begun.elapsed().as_secs_f64();
                if cpu_s > passed + TICK {
                    self.scene.violated(format_args!(
                        "an answer can be true: {cpu_s} s of CPU time in {passed} s"
                    ));
                }
                match legal(&output, &position) {
                    Some(mv) if mode == Mode::Game && position == self.position => self.go_on(mv),
                    Some(_) => {}
                    None => self
                        .scene
                        .violated(format_args!("every answer is legal: {output:?}")),
                }
            }
            // These errors are allowed: the daemon may have no room for another game or connection, and a search may
            // panic.
            (
                Answer::Error {
                    kind: ErrorKind::Busy,
                    ..
                },
                _,
            )
            | (
                Answer::Error {
                    kind: ErrorKind::Failed,
                    ..
                },
                Ok(_),
            ) => {}
            (Answer::Error { kind, .. }, Err(expected)) if kind == expected => {}
            (_, expected) => self.scene.violated(format_args!(
                "answers come in the order of the questions: {said:?} instead of {expected:?}"
            )),
        }
    }

    /// Plays the daemon's move, and then a random reply of the opponent.
    fn go_on(&mut self, mv: Move) {
        let mut next = self.position.after(mv);
        let replies = next.moves();
        if !replies.is_empty() {
            next.play(replies[self.random.random_range(0..replies.len())]);
        }
        self.position = match next.has_moves() && !replies.is_empty() {
            true => next,
            false => Position::start(Color::Black, Rules::default()),
        };
    }
}

/// Returns the move that an output contains, if the move is legal in this position.
fn legal(output: &str, position: &Position) -> Option<Move> {
    let said = Output::parse(output.as_bytes()).ok()?;
    let mv = Move::along(&files::path(&said));
    files::output(position, mv).map(|_| mv)
}
