//! Simulates the programs of a match that communicate in lines, without processes.
//!
//! A program answers each question at once, and reports a simulated duration.

use std::io;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder};
use turnwise_daemon::world::seed_of_now;
use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Failure, FaultKind};
use turnwise_engine::search::Control;
use turnwise_entropy::agents::{BuiltIn, Resources};
use turnwise_entropy_server::client::ServerPlayer;
use turnwise_entropy_server::conversation::Effect;
use turnwise_entropy_server::conversation::EntropyConversation;
use turnwise_protocol::entropy::{PlayerCodec, Wire};

use super::called;
use crate::world::{GRACE, thought};

/// The behavior of a simulated program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// It plays, and uses a tenth of the remaining time for each move, unless the program is slow.
    Steady,
    /// It exits instead of answering.
    Crash,
    /// It stops answering.
    Hang,
    /// It answers with a text that is not a move.
    Garbage,
    /// It answers with a long text that is not a move.
    Flood,
    /// It answers after its time is over.
    Late,
    /// It answers with a move that leads off the board.
    Illegal,
}

impl Manner {
    pub(super) const ALL: [Self; 7] = [
        Self::Steady,
        Self::Crash,
        Self::Hang,
        Self::Garbage,
        Self::Flood,
        Self::Late,
        Self::Illegal,
    ];

    /// Returns true if a program with this manner may commit this fault.
    pub(super) fn is_to_blame_for(self, fault: FaultKind) -> bool {
        match self {
            Self::Steady => false,
            Self::Crash => fault == FaultKind::Crash,
            Self::Hang => fault == FaultKind::Silence,
            Self::Garbage | Self::Flood => fault == FaultKind::Garbage,
            Self::Late => fault == FaultKind::Overtime,
            Self::Illegal => matches!(fault, FaultKind::Illegal | FaultKind::Garbage),
        }
    }
}

/// Starts a program, given its command line: its name, its manner, the number `at`, and its random seed.
///
/// From question number `at` of each game, the program behaves as its manner says. A further argument plants a bug.
pub(super) fn start(words: Vec<String>) -> io::Result<Box<dyn LineChannel>> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidInput, "no such program");
    let [_program, manner, at, seed, rest @ ..] = &words[..] else {
        return Err(wrong());
    };
    let (at, seed) = (at.parse().ok(), seed.parse().ok());
    Ok(Box::new(Program {
        manner: called(manner, Manner::ALL).ok_or_else(wrong)?,
        at: at.ok_or_else(wrong)?,
        seed: seed.ok_or_else(wrong)?,
        is_slow: rest.iter().any(|word| word == "slow"),
        drifts: rest.iter().any(|word| word == "drift"),
        asked: 0,
        player: None,
    }))
}

struct Program {
    manner: Manner,
    at: u32,
    seed: u64,
    /// True if a bug makes the program use more time than it has.
    is_slow: bool,
    /// True if a bug makes the program's moves independent of the seed.
    drifts: bool,
    /// The number of questions that the program has received in the current game.
    asked: u32,
    player: Option<Player>,
}

/// A player that answers the arena with the daemon's own code for conversations. Its clock does not advance.
struct Player {
    conversation: EntropyConversation,
    codec: PlayerCodec,
    now: Instant,
}

impl Player {
    fn new(seed: u64) -> Self {
        let player = ServerPlayer {
            wire: Some(Wire::Line),
            agent: BuiltIn::Random,
            resources: Resources::default(),
            seed,
            clock: Duration::from_secs(1000),
            pass: None,
        };
        Self {
            conversation: player.conversation(Wire::Line, Duration::ZERO, player.agent()),
            codec: PlayerCodec::new(Wire::Line),
            now: Instant::now(),
        }
    }

    /// Passes these lines to the conversation, and returns its answer, if it answers.
    fn hear(&mut self, lines: &[String]) -> Option<String> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut bytes = BytesMut::from(text.as_str());
        let mut said = BytesMut::new();
        while let Ok(Some(message)) = self.codec.decode(&mut bytes) {
            let mut effect = self.conversation.receive(message, self.now);
            while let Some(next) = effect.take() {
                match next {
                    Effect::Think(task) => {
                        let finished = thought(task.agent, &task.position, &Control::new());
                        effect = self.conversation.finished(finished, self.now);
                    }
                    Effect::Send(reply) => {
                        self.codec.encode(reply, &mut said).ok()?;
                        effect = self.conversation.sent(self.now);
                    }
                    Effect::StopThinking | Effect::Close(_) => {}
                }
            }
        }
        let said = String::from_utf8_lossy(&said).trim_end().to_owned();
        (!said.is_empty()).then_some(said)
    }
}

impl LineChannel for Program {
    fn begin(&mut self, greeting: Vec<String>, _is_first: bool) -> io::Result<()> {
        let seed = match self.drifts {
            true => seed_of_now(),
            false => self.seed,
        };
        let mut player = Player::new(seed);
        player.hear(&greeting);
        (self.asked, self.player) = (0, Some(player));
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String> {
        self.asked += 1;
        let left = patience.saturating_sub(GRACE);
        let move_ = self.player.as_mut().and_then(|player| player.hear(&lines));
        let crash = || Failure::new(FaultKind::Crash, "the process ended");
        let move_ = move_.ok_or_else(crash);
        let manner = match self.asked >= self.at {
            true => self.manner,
            false => Manner::Steady,
        };
        let (said, wall) = match manner {
            Manner::Steady if self.is_slow => (move_, patience),
            Manner::Steady => (move_, left / 10),
            Manner::Crash => (Err(crash()), Duration::ZERO),
            Manner::Hang => (Err(Failure::silent_for(patience)), patience),
            Manner::Garbage => (Ok("\u{1b}[2J}{".to_owned()), Duration::ZERO),
            Manner::Flood => (Ok("0 ".repeat(500)), Duration::ZERO),
            Manner::Late => (move_, left + GRACE / 2),
            Manner::Illegal => (Ok("25 25".to_owned()), Duration::ZERO),
        };
        Reply {
            said,
            wall,
            cpu: None,
            pondered: None,
            others: None,
        }
    }

    fn finish(&mut self, _news: Vec<String>, _replies: Vec<String>, _farewell: Vec<String>) {
        self.player = None;
    }
}
