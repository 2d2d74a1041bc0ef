//! Defines the player for Entropy's tournament servers: its wire, its settings and its agent.

use std::num::NonZeroUsize;
use std::time::Duration;

use turnwise_engine::agent::BoxedAgent;
use turnwise_engine::clock::Start;
use turnwise_engine::conversation::{Closing, ServerProtocol};
use turnwise_engine::goodbye::Goodbye;
use turnwise_protocol::entropy::{PlayerCodec, Wire};

use super::EntropyConversation;
use crate::agents::{BuiltIn, Resources};
use crate::rules::{Move, Position};

/// The settings of a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The wire format of the connection.
    pub wire: Wire,
    /// The time on our clock for all our moves of one game.
    pub clock: Duration,
    /// Whether the rules in force allow Order to pass.
    pub pass: bool,
    /// The network time of a round trip: from us to the server and back.
    pub latency: Duration,
    /// When this process started. Set if the clock of the first game may already have been running then.
    pub start: Option<Start>,
}

/// A player for Entropy's tournament servers.
#[derive(Debug, Clone)]
pub struct ServerPlayer {
    /// The wire format; `None` to detect it from the server's first message.
    pub wire: Option<Wire>,
    /// The agent that chooses the moves.
    pub agent: BuiltIn,
    /// The number of search threads.
    pub threads: NonZeroUsize,
    /// The seed for agents that make random choices.
    pub seed: u64,
    /// The time on our clock for all our moves of one game.
    pub clock: Duration,
    /// Whether the rules allow Order to pass.
    pub pass: bool,
}

impl ServerProtocol for ServerPlayer {
    type Wire = Wire;
    type Codec = PlayerCodec;
    type Conversation = EntropyConversation;

    fn settled_wire(&self) -> Option<Wire> {
        self.wire
    }

    fn wire_of_first_byte(byte: u8) -> Wire {
        Wire::of_first_byte(byte)
    }

    fn begins_with_name(wire: Wire) -> bool {
        wire == Wire::Json
    }

    fn has_goodbye(wire: Wire) -> bool {
        wire != Wire::Line
    }

    fn codec(wire: Wire) -> PlayerCodec {
        PlayerCodec::new(wire)
    }

    fn agent(&self) -> BoxedAgent<Position, Move> {
        let resources = Resources {
            threads: self.threads,
            ..Resources::default()
        };
        self.agent.start(self.seed, resources)
    }

    fn conversation(
        &self,
        wire: Wire,
        latency: Duration,
        agent: BoxedAgent<Position, Move>,
    ) -> EntropyConversation {
        let settings = Settings {
            wire,
            clock: self.clock,
            pass: self.pass,
            latency,
            // Not needed: this process started long before the server started our clock.
            start: None,
        };
        EntropyConversation::new(settings, agent)
    }
}

/// Describes why we close the connection to a server that uses a different wire from ours.
pub(super) fn wrong_wire(ours: Wire, theirs: Wire) -> Closing {
    Closing::WrongWire {
        ours: ours.to_string(),
        theirs: theirs.to_string(),
    }
}

/// Describes why we close the connection after the server's goodbye.
pub(super) fn said_goodbye(reason: Option<String>, again: bool) -> Closing {
    Closing::Goodbye(match (reason, again) {
        (None, false) => Goodbye::Over,
        (Some(reason), false) => Goodbye::Because(reason),
        (reason, true) => {
            Goodbye::ComeAgain(reason.unwrap_or_else(|| "it gave no reason".to_owned()))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wire_begins_with_a_name_and_one_ends_without_goodbye() {
        for (wire, has_name, has_goodbye) in [
            (Wire::Json, true, true),
            (Wire::Codecup, false, true),
            (Wire::Line, false, false),
        ] {
            assert_eq!(ServerPlayer::begins_with_name(wire), has_name, "{wire}");
            assert_eq!(ServerPlayer::has_goodbye(wire), has_goodbye, "{wire}");
        }
    }
}
