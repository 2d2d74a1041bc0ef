//! A player that is another program. Each call is a line on the program's stdin, and each reply is a line on its
//! stdout.

use std::time::Duration;

use turnwise_arena::child::{ChildChannel, Program};
use turnwise_engine::outside::LineChannel;
use turnwise_engine::player::{Failure, FaultKind};
use turnwise_twentyone::player::{Fault, Player, REPLY_LIMIT, Reply, View};
use turnwise_twentyone::wire;

/// A player that is another program. Dropping this value ends the program.
pub struct CommandPlayer {
    /// The channel to the program, or the reason why the program could not be started.
    channel: Result<ChildChannel, String>,
    started: bool,
}

/// The time limit for the first answer of a program, which includes its start.
const START_LIMIT: Duration = Duration::from_secs(10);

impl CommandPlayer {
    /// Starts a program as a player. If it cannot be started, this is reported as a failure of every action of the
    /// player.
    pub fn new(program: Program) -> CommandPlayer {
        let mut channel = ChildChannel::new(program);
        let begun = channel.begin(Vec::new(), true);
        let begun = begun.map_err(|error| error.to_string());
        CommandPlayer {
            channel: begun.map(|()| channel),
            started: false,
        }
    }
}

impl Player for CommandPlayer {
    fn act(&mut self, view: &View<'_>) -> Result<Reply, Fault> {
        let channel = self.channel.as_mut();
        let channel = channel.map_err(|reason| Fault::Failed(reason.clone()))?;
        let call = serde_json::to_string(&wire::call_of(view)).expect("plain data");
        let limit = match std::mem::replace(&mut self.started, true) {
            true => REPLY_LIMIT,
            false => START_LIMIT,
        };
        match channel.ask(vec![call], limit).said {
            Ok(line) => wire::reply_of(line.trim_end()).map_err(Fault::Failed),
            Err(failure) if failure.kind == FaultKind::Silence => Err(Fault::TooSlow(limit)),
            Err(failure) => Err(Fault::Failed(in_its_words(failure, channel))),
        }
    }

    fn is_timed(&self) -> bool {
        self.started
    }
}

/// Returns the reason for a failure, followed by the last line that the program wrote to stderr.
fn in_its_words(failure: Failure, channel: &mut ChildChannel) -> String {
    channel.finish(Vec::new(), Vec::new(), Vec::new());
    match channel.last_words().last() {
        Some(line) => format!("{}; its last words: {line}", failure.reason),
        None => failure.reason,
    }
}
