//! Lets a seat play a game that is refereed elsewhere, where the referee's messages to the player are lines of text.

use std::time::Duration;

use turnwise_engine::player::{Failure, FaultKind};
use turnwise_protocol::entropy::HostMessage;

use super::seat::{NoMove, Seat};
use crate::PAUSE;

/// Returns the message that carries these lines of a referee to a player.
fn payload(lines: &[String], answer: bool) -> HostMessage {
    HostMessage::Payload {
        // A referee's own lines are always valid.
        lines: lines.iter().filter_map(|line| line.parse().ok()).collect(),
        answer,
    }
}

impl Seat {
    /// Announces a game to the player.
    ///
    /// If the player `is_first` to be asked, the announcement is sent with its first question, otherwise at once.
    pub async fn begin(&mut self, greeting: Vec<String>, is_first: bool) {
        self.greeting.clear();
        self.tell(HostMessage::Reset).await;
        tokio::time::sleep(PAUSE).await;
        match is_first {
            true => self.greeting = greeting,
            false => self.tell(payload(&greeting, false)).await,
        }
    }

    /// Sends these lines, waits for the answer, and measures how long the answer took.
    pub async fn ask_in_lines(
        &mut self,
        lines: Vec<String>,
        patience: Duration,
    ) -> (Result<String, Failure>, Duration) {
        let mut said = std::mem::take(&mut self.greeting);
        said.extend(lines);
        let (answer, took) = self.ask(payload(&said, true), patience).await;
        let answer = answer.map(|answer| answer.to_string());
        let answer = answer.map_err(|why| match why {
            NoMove::Late => Failure::silent_for(patience),
            NoMove::Gone => Failure::new(FaultKind::Crash, "it left"),
            NoMove::Said(what) => Failure::new(FaultKind::Garbage, what),
        });
        (answer, took)
    }

    /// Sends the player the lines about a finished game that it has not received yet.
    pub async fn end(&mut self, news: Vec<String>) {
        if !news.is_empty() && !self.is_gone() {
            self.tell(payload(&news, false)).await;
        }
    }
}
