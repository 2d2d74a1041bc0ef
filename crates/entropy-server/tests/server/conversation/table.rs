//! Runs a conversation without sockets, threads or clocks. Text arrives in the format of a wire, only the test advances
//! time, and the agent thinks when the test says so.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use serde_json::json;
use tokio_util::codec::Decoder;
use turnwise_engine::agent::{Agent, BoxedAgent, OpponentMemory};
use turnwise_engine::clock::Start;
use turnwise_engine::search::{Control, Found, Limits};
use turnwise_engine::thought::{self, Finished, Thought};
use turnwise_entropy::rules::{Move, Phase, Position};
use turnwise_entropy_server::conversation::{Closing, Effect, Task};
use turnwise_entropy_server::conversation::{EntropyConversation, Passing, Settings};
use turnwise_protocol::entropy::{PlayerCodec, Reply, Wire};

use crate::naive_referee::{Player, Referee, codecup};

/// How a scripted agent behaves when it is asked for a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Plays a legal move that depends on the position alone.
    Steady,
    /// Plays an illegal move.
    Illegal,
    /// Panics before it has found a move.
    Panics,
    /// Publishes the last legal move as its best so far, then panics.
    PublishesAndPanics,
    /// Publishes a legal move as its best so far, and thinks until it is stopped.
    Endless,
}

/// An agent that follows a script and records its observations.
pub struct Scripted {
    pub manner: Arc<Mutex<Manner>>,
    pub observed: Arc<Mutex<Vec<Move>>>,
    pub recovered: Arc<Mutex<u32>>,
}

fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    match position.phase() {
        Phase::Place => position.placements(&mut moves),
        Phase::Slide => position.slides(&mut moves),
        other => panic!("asked to think when {other:?} is next"),
    }
    moves
}

impl Agent for Scripted {
    type Position = Position;
    type Move = Move;

    fn think(&mut self, position: &Position, _: Limits, control: &Control<Move>) -> Found<Move> {
        let moves = legal_moves(position);
        let steady = moves[(position.hash() % moves.len() as u64) as usize];
        let manner = *self.manner.lock().unwrap();
        match manner {
            Manner::Panics => panic!("scripted panic"),
            Manner::PublishesAndPanics => {
                control.publish(*moves.last().unwrap());
                panic!("scripted panic");
            }
            Manner::Endless => {
                control.publish(steady);
                while !control.stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            Manner::Steady | Manner::Illegal => {}
        }
        let illegal = Move::Place(u16::MAX);
        Found {
            best: if manner == Manner::Illegal {
                illegal
            } else {
                steady
            },
            value: 0.0,
            depth: 1,
            value_depth: 1,
            solved: false,
            nodes: 1,
            principal_variation: vec![steady],
        }
    }

    fn observe(&mut self, _: Position, played: Move, _: Duration) {
        self.observed.lock().unwrap().push(played);
    }

    fn opponent(&self) -> OpponentMemory {
        OpponentMemory::default()
    }

    fn recover(&mut self) {
        *self.recovered.lock().unwrap() += 1;
    }
}

type Thinker = BoxedAgent<Position, Move>;

pub struct Table {
    pub conversation: EntropyConversation,
    pub wire: Wire,
    codec: PlayerCodec,
    pub now: Instant,
    pub manner: Arc<Mutex<Manner>>,
    pub observed: Arc<Mutex<Vec<Move>>>,
    pub recovered: Arc<Mutex<u32>>,
    /// Replies that the test has not checked yet.
    pub sent: Vec<Reply>,
    /// The task that the agent must think about, if any.
    pub task: Option<Task>,
    pub told_to_stop: bool,
    pub closed: Option<Closing>,
    /// The time that passes while a reply is sent.
    pub sending_takes: Duration,
    /// The delay before the agent's thread starts, which is also the delay before we notice that it has ended.
    pub threads_delay: Duration,
    /// How long the reading thread waits for a core when a message arrives.
    pub wakes_late: Duration,
}

pub const CLOCK: Duration = Duration::from_secs(60);
pub const LATENCY: Duration = Duration::from_millis(2);

impl Table {
    pub fn new(wire: Wire) -> Self {
        Self::with(wire, Duration::ZERO, Passing::Never)
    }

    /// Creates a conversation whose process started `head_start` before any input could be read.
    pub fn started_before(wire: Wire, head_start: Duration) -> Self {
        Self::with(wire, head_start, Passing::Never)
    }

    /// Creates a conversation that passes as Order at these times.
    pub fn passing(wire: Wire, pass: Passing) -> Self {
        Self::with(wire, Duration::ZERO, pass)
    }

    fn with(wire: Wire, head_start: Duration, pass: Passing) -> Self {
        let now = Instant::now() + head_start;
        let manner = Arc::new(Mutex::new(Manner::Steady));
        let (observed, recovered) = (Arc::default(), Arc::default());
        let agent = Scripted {
            manner: Arc::clone(&manner),
            observed: Arc::clone(&observed),
            recovered: Arc::clone(&recovered),
        };
        let settings = Settings {
            wire,
            clock: CLOCK,
            pass,
            latency: LATENCY,
            start: Some(Start {
                began: now - head_start,
                ready: now,
            }),
        };
        Self {
            conversation: EntropyConversation::new(settings, Box::new(agent)),
            wire,
            codec: PlayerCodec::new(wire),
            now,
            manner,
            observed,
            recovered,
            sent: Vec::new(),
            task: None,
            told_to_stop: false,
            closed: None,
            sending_takes: Duration::ZERO,
            threads_delay: Duration::ZERO,
            wakes_late: Duration::ZERO,
        }
    }

    /// Passes exactly these bytes to the conversation, as if they came from the server.
    pub fn raw(&mut self, bytes: &[u8]) {
        let mut buffer = BytesMut::from(bytes);
        self.conversation.woken(self.wakes_late);
        while let Some(item) = self
            .codec
            .decode(&mut buffer)
            .expect("decoding never fails")
        {
            if self.closed.is_some() {
                return;
            }
            let effect = self.conversation.receive(item, self.now);
            self.carry_out(effect);
        }
    }

    pub fn reset(&mut self) {
        self.raw(br#"{"purpose":"reset"}"#);
    }

    pub fn update(&mut self, payload: &str) {
        self.raw(
            json!({"purpose": "update", "payload": payload})
                .to_string()
                .as_bytes(),
        );
    }

    pub fn update_only(&mut self, payload: &str) {
        self.raw(
            json!({"purpose": "update_only", "payload": payload})
                .to_string()
                .as_bytes(),
        );
    }

    /// Lets the agent think and return its move.
    pub fn think(&mut self) {
        let task = self.task.take().expect("the agent is thinking");
        let control = Control::new();
        if self.told_to_stop {
            control.stop();
        }
        let limits = task.limits();
        let finished = thought::think(task.agent, &task.position, limits, &control);
        self.comes_back(finished);
    }

    /// Lets the agent return the given move as its result.
    pub fn finds(&mut self, best: Move) {
        let task = self.task.take().expect("the agent is thinking");
        let found = Found {
            best,
            value: 0.0,
            depth: 1,
            value_depth: 1,
            solved: false,
            nodes: 1,
            principal_variation: vec![best],
        };
        self.comes_back(Finished {
            agent: task.agent,
            outcome: Ok(Thought {
                found,
                forecast: None,
                wall: Duration::ZERO,
                cpu: Duration::ZERO,
            }),
            delay: Duration::ZERO,
        });
    }

    fn comes_back(&mut self, finished: Finished<Thinker>) {
        self.told_to_stop = false;
        let finished = Finished {
            delay: self.threads_delay,
            ..finished
        };
        let effect = self.conversation.finished(finished, self.now);
        self.carry_out(effect);
    }

    /// Tells the conversation that the reply is due while the agent still thinks. `best` is the best move known so far.
    pub fn overdue(&mut self, best: Option<Move>) {
        let effect = self.conversation.overdue(best, self.now);
        self.carry_out(effect);
    }

    fn carry_out(&mut self, mut effect: Option<Effect>) {
        while let Some(next) = effect.take() {
            assert_eq!(self.closed, None, "nothing happens behind the end");
            match next {
                Effect::Think(task) => {
                    assert!(
                        self.task.is_none(),
                        "one agent thinks one thought at a time"
                    );
                    self.task = Some(task);
                }
                Effect::Send(reply) => {
                    self.sent.push(reply);
                    let now = self.now;
                    self.now += self.sending_takes;
                    effect = self.conversation.sent(now);
                }
                Effect::StopThinking => self.told_to_stop = true,
                Effect::Close(closing) => self.closed = Some(closing),
            }
        }
    }

    /// Returns the reply that was sent, which must be the only one that the test has not checked yet.
    pub fn reply(&mut self) -> Reply {
        assert_eq!(self.sent.len(), 1, "exactly one reply");
        self.sent.remove(0)
    }

    /// Returns the board that the agent thinks about, as letters, row by row; `.` means no tile.
    pub fn thinks_about(&self) -> String {
        let position = &self.task.as_ref().expect("the agent is thinking").position;
        let rows = position.cells().chunks(usize::from(position.size()));
        let letter = |&colour: &u8| match colour {
            0 => '.',
            colour => char::from(b'A' + colour - 1),
        };
        rows.map(|row| row.iter().map(letter).collect::<String>())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl Player for Table {
    fn tell(&mut self, lines: &str, asked: bool) {
        match self.wire {
            Wire::Json if asked => self.update(lines),
            Wire::Json => self.update_only(lines),
            Wire::Line => self.raw(lines.as_bytes()),
            Wire::Codecup => {
                let words: String = lines.lines().map(codecup).collect();
                self.raw(words.as_bytes());
            }
        }
        assert_eq!(
            self.task.is_some(),
            asked,
            "thinks when asked, and only then"
        );
        assert_eq!(self.sent, [], "nothing unasked");
    }

    fn answer(&mut self) -> Vec<usize> {
        self.think();
        match self.reply() {
            Reply::Place(cell) => vec![cell.row.into(), cell.col.into()],
            Reply::Slide { from, to } => {
                let numbers = [from.row, from.col, to.row, to.col];
                numbers.map(usize::from).to_vec()
            }
            Reply::Concede(comment) => panic!("conceded: {comment}"),
        }
    }

    fn sees(&self, referee: &Referee) {
        let letter = |cell: &Option<u8>| cell.map_or('.', crate::naive_referee::letter);
        let rows = referee.board.iter();
        let truth: Vec<_> = rows
            .map(|row| row.iter().map(letter).collect::<String>())
            .collect();
        assert_eq!(self.thinks_about(), truth.join(" "));
    }
}
