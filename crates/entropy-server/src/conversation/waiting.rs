//! Queues the messages that arrive while the agent thinks.

use std::collections::VecDeque;

use turnwise_engine::instant::Instant;
use turnwise_protocol::entropy::{Answer, Line, Message};

/// The maximum number of queued messages, counting each line of a payload. A server that sends more without waiting
/// for our answer is permanently out of step.
const MOST: usize = 256;

/// A queue of messages with the times of their arrival, oldest first.
#[derive(Default)]
pub(super) struct Waiting {
    messages: VecDeque<(Message, Instant)>,
    /// The number of queued messages, where each line of a payload counts as one message.
    lines: usize,
}

impl Waiting {
    /// Queues a message; returns false if the queue is full.
    pub fn push(&mut self, message: Message, arrived: Instant) -> bool {
        self.lines += lines_of(&message);
        let has_room = self.lines <= MOST;
        if has_room {
            self.messages.push_back((message, arrived));
        }
        has_room
    }

    pub fn pop(&mut self) -> Option<(Message, Instant)> {
        let oldest = self.messages.pop_front()?;
        self.lines -= lines_of(&oldest.0);
        Some(oldest)
    }

    /// Marks all queued messages as needing no answer. They are still processed, because they report how the game
    /// continued.
    pub fn answer_nothing(&mut self) {
        for (message, _) in &mut self.messages {
            if let Message::Payload { answer, .. } = message {
                *answer = Answer::Forbidden;
            }
        }
    }
}

/// Returns true if the message ends the current game, so that earlier messages need no answer.
pub(super) fn ends_the_game_at_hand(message: &Message) -> bool {
    match message {
        Message::Reset => true,
        Message::Payload { lines, .. } => {
            lines.iter().any(|line| matches!(line, Ok(Line::Size(_))))
        }
        _ => false,
    }
}

fn lines_of(message: &Message) -> usize {
    match message {
        Message::Payload { lines, .. } => lines.len().max(1),
        _ => 1,
    }
}
