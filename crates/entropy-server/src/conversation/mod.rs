//! The player's side of one connection to an Entropy server, without I/O: messages go in, and requested actions come
//! out. Every decision can therefore be tested without a socket, a thread or a clock.
//!
//! | module | contents |
//! |---|---|
//! | `effect` | the actions that a conversation requests |
//! | `game` | one game: role, board as reported by the server, clock |
//! | [`seen`] | events of the games, for observers |
//! | `turn` | our turn: its time budget and the decision |
//! | `waiting` | messages that arrive while the agent thinks |
//! | [`book`] | log records of moves and games |

pub mod book;
mod effect;
mod game;
pub mod seen;
mod turn;
mod waiting;

use std::time::Duration;

use tracing::{info, warn};
use turnwise_engine::agent::OpponentMemory;
use turnwise_engine::clock::{Delays, GameClock, Start};
use turnwise_engine::instant::Instant;
use turnwise_engine::log_throttle::LogThrottle;
use turnwise_engine::thought::Finished;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::rules::{MAX_SIZE, MIN_SIZE, Move, Rules};
use turnwise_entropy::tracking::Breach;
use turnwise_protocol::entropy::{Answer, Line, Message, Reply, Role, Wire};
use turnwise_protocol::frame::{FrameError, Item};

use crate::PAUSE;
use crate::goodbye::Goodbye;
use book::{DecidedBy, GameBook, MoveRecord};
pub use effect::{Agent, Closing, Effect, Task};
use game::TrackedGame;
use seen::{Seen, SeenMove};
use turn::Turn;
use waiting::{Waiting, ends_the_game_at_hand};

/// The settings of a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The wire format of the connection.
    pub wire: Wire,
    /// The time on our clock for all our moves of one game.
    pub clock: Duration,
    /// When we pass as Order.
    pub pass: Passing,
    /// The network time of a round trip: from us to the server and back.
    pub latency: Duration,
    /// When this process started. Set if the clock of the first game may already have been running then.
    pub start: Option<Start>,
}

/// When the player passes as Order. A server may accept a pass although its written rules forbid it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// Whenever a pass is best.
    Always,
    /// Whenever a pass is best, once the server has accepted a pass of the opponent on this connection.
    Auto,
    /// At no time.
    Never,
}

impl Passing {
    /// All values, the most permissive first.
    pub const ALL: [Self; 3] = [Self::Always, Self::Auto, Self::Never];

    /// Returns the name on the command line and in the log.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Auto => "auto",
            Self::Never => "never",
        }
    }

    /// Returns the default for a wire. Only the Python server, which uses JSON, is known to accept passes that its
    /// written rules forbid.
    pub const fn usual(wire: Wire) -> Self {
        match wire {
            Wire::Json => Self::Auto,
            Wire::Line => Self::Never,
            Wire::Codecup => Self::Always,
        }
    }
}

/// A summary of the games that have been played on one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct History {
    /// True once we have sent a move in any game.
    pub has_moved: bool,
    /// The number of games that have started on this connection.
    pub begun: u32,
    /// The number of games that were played to their end.
    pub completed: u32,
    /// True if the end of the connection cut a game short; set by [`EntropyConversation::leave`].
    pub was_cut_short: bool,
}

/// The state of our connection to a server.
pub struct EntropyConversation {
    settings: Settings,
    /// The agent; `None` while it thinks.
    agent: Option<Agent>,
    game: Option<TrackedGame>,
    /// Events for observers that no caller has fetched yet.
    seen: Vec<Seen>,
    book: GameBook,
    /// The scheduling delays observed so far on this machine, from which the time reserve is derived.
    delays: Delays,
    /// The agent's knowledge of the opponent when it last began to think.
    opponent: OpponentMemory,
    announced_size: Option<u8>,
    waiting: Waiting,
    turn: Option<Turn>,
    /// The reply that the driver is sending; the inner option is `None` for a concession, which contains no move.
    sending: Option<Option<MoveRecord>>,
    /// Set if we must close the connection after the reply that is being sent, because the server uses another wire.
    closing: Option<Closing>,
    understood_anything: bool,
    history: History,
    /// Limits the log messages that the server can cause.
    throttle: LogThrottle,
}

impl EntropyConversation {
    /// Creates the conversation for a new connection.
    pub fn new(settings: Settings, agent: Agent) -> Self {
        Self {
            settings,
            agent: Some(agent),
            game: None,
            seen: Vec::new(),
            book: GameBook::default(),
            delays: Delays::default(),
            opponent: OpponentMemory::default(),
            announced_size: None,
            waiting: Waiting::default(),
            turn: None,
            sending: None,
            closing: None,
            understood_anything: false,
            history: History::default(),
            throttle: LogThrottle::default(),
        }
    }

    /// Returns true while a game is in progress.
    pub fn in_game(&self) -> bool {
        self.game.is_some()
    }

    /// Ends the current game, if any; returns true if it was cut short.
    fn abandon(&mut self, why: &str, now: Instant) -> bool {
        // The CodeCup server may say goodbye to Order without reporting the last placement.
        if self.settings.wire == Wire::Codecup
            && let Some(game) = &mut self.game
        {
            game.conclude();
            self.look();
            self.finish_if_over();
        }
        let Some(game) = self.game.take() else {
            return false;
        };
        self.seen.push(Seen::Abandoned {
            why: why.to_owned(),
        });
        if self.throttle.one_more(now) {
            book::abandoned(&game, why);
        }
        true
    }

    /// Ends the current game, if any, because the server starts another game.
    ///
    /// No message reports a loss on time. The first game therefore ends with a hint if such a loss is likely.
    fn abandon_for_next(&mut self, why: &str, now: Instant) {
        let first = self.game.as_ref().filter(|_| self.history.completed == 0);
        let hint = first.and_then(|game| game.hint_for_clock(now));
        self.abandon(&(why.to_owned() + &hint.unwrap_or_default()), now);
    }

    /// Moves the current game's uncollected moves to the events for observers.
    fn look(&mut self) {
        let unseen = self.game.iter_mut().flat_map(|game| game.unseen.drain(..));
        self.seen.extend(unseen.map(Seen::Moved));
    }

    fn is_busy(&self) -> bool {
        self.agent.is_none() || self.sending.is_some()
    }

    /// Queues a message that arrived while the agent thinks. Stops the agent if the message ends the current game.
    fn keep(&mut self, message: Message, now: Instant) -> Option<Effect> {
        let game_is_gone = ends_the_game_at_hand(&message);
        if game_is_gone {
            self.waiting.answer_nothing();
        }
        if !self.waiting.push(message, now) {
            return Some(Effect::Close(Closing::Flooded));
        }
        let turn = self.turn.as_mut().filter(|_| game_is_gone)?;
        turn.settled = true;
        Some(Effect::StopThinking)
    }

    fn next_waiting(&mut self, now: Instant) -> Option<Effect> {
        while !self.is_busy() {
            let (message, arrived) = self.waiting.pop()?;
            let effect = self.process(message, arrived.min(now));
            if effect.is_some() {
                return effect;
            }
        }
        None
    }

    /// Handles a frame that cannot be parsed. If it is the first frame, the server may be using another wire.
    fn bad_frame(&mut self, bad: &FrameError, arrived: Instant) -> Option<Effect> {
        if self.throttle.one_more(arrived) {
            warn!(error = %bad, "ignored a frame that cannot be read");
        }
        let ours = self.settings.wire;
        let FrameError::Garbage { preview, .. } = bad else {
            return None;
        };
        if self.understood_anything || ours != Wire::Json || preview.parse::<Line>().is_err() {
            return None;
        }
        let theirs = Wire::Line;
        self.closing = Some(Closing::WrongWire { ours, theirs });
        self.sending = Some(None);
        Some(Effect::Send(Reply::Concede(format!(
            "this player speaks the {ours} wire, not the {theirs} wire"
        ))))
    }

    fn process(&mut self, message: Message, arrived: Instant) -> Option<Effect> {
        match message {
            Message::Reset => {
                self.understood_anything = true;
                self.announced_size = None;
                self.abandon_for_next("the server reset it", arrived);
                None
            }
            Message::Kill { reason, again } => {
                let goodbye = Goodbye::of_kill(reason, again);
                Some(Effect::Close(Closing::Goodbye(goodbye)))
            }
            Message::UnknownPurpose(purpose) => {
                self.understood_anything = true;
                if self.throttle.one_more(arrived) {
                    warn!(purpose, "ignored a message of unknown purpose");
                }
                None
            }
            Message::Payload { lines, answer } => self.payload(lines, answer, arrived),
        }
    }

    fn payload(
        &mut self,
        lines: Vec<Result<Line, turnwise_protocol::entropy::LineError>>,
        answer: Answer,
        arrived: Instant,
    ) -> Option<Effect> {
        // Only a JSON server sends a readable JSON envelope, even if the payload in it is invalid.
        self.understood_anything |= self.settings.wire == Wire::Json;
        let mut asked = false;
        for line in lines {
            match line {
                Ok(line) => {
                    self.understood_anything = true;
                    asked |= self.line(line, arrived);
                }
                Err(bad) => {
                    if self.throttle.one_more(arrived) {
                        warn!(error = %bad, "ignored a line that cannot be read");
                    }
                    if !self.understood_anything && bad.preview.trim_start().starts_with('{') {
                        return Some(Effect::Close(Closing::WrongWire {
                            ours: self.settings.wire,
                            theirs: Wire::Json,
                        }));
                    }
                }
            }
        }
        self.finish_if_over();
        match answer {
            Answer::Forbidden => None,
            Answer::ByTurn if asked => self.answer(arrived),
            Answer::ByTurn => None,
            Answer::Required => self.answer(arrived).or_else(|| self.concede(arrived)),
        }
    }

    /// Processes a line. Returns true if the rules of the game require us to answer it.
    fn line(&mut self, line: Line, arrived: Instant) -> bool {
        match line {
            Line::Size(size) => {
                self.abandon_for_next("the server began another game", arrived);
                self.announced_size =
                    Some(size).filter(|size| (MIN_SIZE..=MAX_SIZE).contains(size));
                if self.announced_size.is_none() && self.throttle.one_more(arrived) {
                    warn!(
                        size,
                        "ignored a board size that is not between {MIN_SIZE} and {MAX_SIZE}"
                    );
                }
                false
            }
            Line::Role(role) => {
                self.begin(role, arrived);
                false
            }
            _ => self.report(line, arrived),
        }
    }

    fn begin(&mut self, role: Role, arrived: Instant) {
        let Some(size) = self.announced_size.take() else {
            if self.throttle.one_more(arrived) {
                warn!(%role, "ignored a role without a board size before it");
            }
            return;
        };
        self.history.begun += 1;
        let mut clock = GameClock::new(self.settings.clock);
        if let Some(start) = self.settings.start.take() {
            clock.charge(start.charge(arrived, self.settings.clock));
        }
        if role == Role::Chaos && self.settings.wire == Wire::Json {
            // The Python server pauses before its first message, and Chaos's clock runs during this pause.
            clock.charge(PAUSE.min(self.settings.clock / 2));
        }
        let rules = Rules {
            size,
            pass: self.settings.pass == Passing::Always,
        };
        if self.throttle.one_more(arrived) {
            info!(game = self.history.begun, size, %role, "game begins");
        }
        self.seen.push(Seen::Begun { role, rules });
        self.game = Some(TrackedGame::new(
            self.history.begun,
            role,
            rules,
            clock,
            arrived,
        ));
        self.book = GameBook::default();
    }

    fn report(&mut self, line: Line, arrived: Instant) -> bool {
        let Some(game) = &mut self.game else {
            if self.throttle.one_more(arrived) {
                warn!(%line, "ignored a line outside any game");
            }
            return false;
        };
        match game.report(line, arrived) {
            Ok(reported) => {
                if matches!(line, Line::Slide { .. })
                    && reported.breach == Some(Breach::Passed)
                    && self.settings.pass == Passing::Auto
                {
                    self.settings.pass = Passing::Always;
                    game.position.allow_pass();
                    info!(
                        game = game.number,
                        "the server accepted a pass; as Order, we pass from now on if that is best (--pass=auto)"
                    );
                } else if let Some(breach) = reported.breach
                    && self.throttle.one_more(arrived)
                {
                    warn!(
                        game = game.number,
                        by = %game.role.other(),
                        %line,
                        %breach,
                        "the server let a move through that breaks the written rules; followed it"
                    );
                }
                if let (Some((before, played)), Some(agent)) = (reported.opponent, &mut self.agent)
                {
                    agent.observe(before, played, game.opponent_time(arrived));
                }
            }
            Err(impossible) if self.throttle.one_more(arrived) => {
                warn!(
                    game = game.number,
                    %line,
                    %impossible,
                    "ignored a line that cannot be carried out"
                );
            }
            Err(_) => {}
        }
        let is_asked = game.is_asked_by(line);
        self.look();
        is_asked
    }

    /// Answers the server even if its message made no sense. Returns `None` if no move is possible.
    fn answer(&mut self, arrived: Instant) -> Option<Effect> {
        let game = self.game.as_mut()?;
        if !game.is_our_turn() {
            let guessed = game.assume_our_turn();
            if self.throttle.one_more(arrived) {
                let impossible = guessed.err().map(tracing::field::display);
                warn!(
                    game = game.number,
                    impossible, "asked for a move out of turn; guessed what happened"
                );
            }
        }
        let is_our_turn = game.is_our_turn();
        self.look();
        if is_our_turn {
            return self.think(arrived);
        }
        self.finish_if_over();
        None
    }

    fn concede(&mut self, arrived: Instant) -> Option<Effect> {
        if self.throttle.one_more(arrived) {
            warn!("asked for a move outside any game; conceded");
        }
        self.sending = Some(None);
        let comment = "no game is under way".to_owned();
        Some(Effect::Send(Reply::Concede(comment)))
    }

    fn finish_if_over(&mut self) {
        if let Some(game) = self.game.take_if(|game| game.is_over()) {
            self.history.completed += 1;
            let score = board_score(&game.position);
            self.seen.push(Seen::Over { score });
            let agent = self.agent.as_ref();
            let opponent = agent.map_or(self.opponent, |agent| agent.opponent());
            self.book.summary(&game, &self.delays, opponent);
        }
    }

    /// Handles a message that was read at `now`, and returns the action that it requires, if any.
    pub fn receive(&mut self, item: Item<Message>, now: Instant) -> Option<Effect> {
        match item {
            Item::Bad(bad) => self.bad_frame(&bad, now),
            Item::Message(message) => {
                // A goodbye closes the connection, so it does not wait until the agent has finished.
                let ends_all = matches!(message, Message::Kill { .. });
                if self.is_busy() && !ends_all {
                    self.keep(message, now)
                } else {
                    self.process(message, now)
                }
            }
        }
    }

    /// Records how long the thread that reads messages waited for a core when it woke up for the next message.
    pub fn woken(&mut self, late: Duration) {
        self.delays.observe_waking(late);
    }

    /// Takes back the agent that finished thinking, together with its result.
    pub fn finished(&mut self, finished: Finished<Agent>, now: Instant) -> Option<Effect> {
        self.agent = Some(finished.agent);
        match self.turn.take() {
            Some(turn) if !turn.settled => {
                // This delay counts only if the turn is not settled. Otherwise, the process may have been suspended.
                self.delays.observe(finished.delay);
                let decided = match finished.outcome {
                    Ok(thought) => (Some(thought.found.best), DecidedBy::Search(thought)),
                    Err(best) => (best, DecidedBy::Fallback("the search panicked")),
                };
                self.decide(turn, decided.0, decided.1)
            }
            _ => self.next_waiting(now),
        }
    }

    /// Plays the best move that the agent has found so far, because the deadline for the reply has come.
    pub fn overdue(&mut self, best: Option<Move>, now: Instant) -> Option<Effect> {
        let turn = self.turn.as_mut().filter(|turn| !turn.settled)?;
        turn.settled = true;
        let turn = *turn;
        let delay = now.saturating_duration_since(turn.budget.reply);
        self.delays.observe(delay);
        self.decide(turn, best, DecidedBy::Fallback("the time was up"))
    }

    /// Records that the reply was sent.
    ///
    /// `now` is the time before the write, because the time that the write takes is not charged to us.
    pub fn sent(&mut self, now: Instant) -> Option<Effect> {
        if let (Some(Some(record)), Some(game)) = (self.sending.take(), &mut self.game) {
            let used = now.saturating_duration_since(record.turn.budget.start);
            game.used_before = game.clock.used();
            game.clock.charge(used + record.turn.on_the_way);
            game.last_reply = Some(now);
            self.throttle.earn();
            self.history.has_moved = true;
            let figures = self.book.record(game, &record, used);
            self.seen.push(Seen::Moved(SeenMove {
                role: game.role,
                mv: record.played,
                tile: record.tile,
                figures: Some(figures),
                waited: None,
            }));
        }
        if let Some(closing) = self.closing.take() {
            return Some(Effect::Close(closing));
        }
        self.finish_if_over();
        self.next_waiting(now)
    }

    /// Returns the reports that arose since this method was last called, in order.
    ///
    /// Call it after each call of another method, so that reports do not accumulate.
    pub fn seen(&mut self) -> Vec<Seen> {
        std::mem::take(&mut self.seen)
    }

    /// Prepares for the end of the connection: handles all messages received earlier, then abandons the current game,
    /// if any.
    pub fn leave(&mut self, why: &str) {
        self.waiting.answer_nothing();
        while let Some((message, arrived)) = self.waiting.pop() {
            // The connection is gone, so the message's effect cannot be carried out.
            let _ = self.process(message, arrived);
        }
        self.history.was_cut_short = self.abandon(why, Instant::now());
    }

    /// Returns a summary of the games that have been played on this connection so far.
    pub fn history(&self) -> History {
        self.history
    }
}
