//! Lets a participant of a tournament play the games to which the lobby calls it.

use std::io;
use std::time::Duration;

use tokio::runtime::Handle;
use turnwise_daemon::world::now;
use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Failure, FaultKind};

use super::Lobby;
use crate::host::seat::Seat;

/// The connection to a participant for the games of a pair.
///
/// The connection returns to the lobby when the pair's games are over. If the participant leaves, it returns between
/// two games.
pub struct Call {
    lobby: Lobby,
    name: String,
    seat: Option<Seat>,
}

impl Lobby {
    /// Returns a blocking channel to a guest, who is called when its game begins.
    ///
    /// The channel must not be used on the lobby's thread.
    pub fn channel(&self, name: &str) -> Box<dyn LineChannel> {
        Box::new(BlockingCall {
            runtime: self.0.runtime.clone(),
            call: self.call(name),
        })
    }

    /// Returns a channel to a guest for tasks on the lobby's runtime. The guest is called when its game begins.
    pub fn call(&self, name: &str) -> Call {
        Call {
            lobby: self.clone(),
            name: name.to_owned(),
            seat: None,
        }
    }
}

impl Call {
    /// Obtains the guest's seat and discards its old messages. `seat` stays empty if the guest does not come.
    async fn settled(&mut self) {
        let due = now();
        loop {
            if self.seat.is_none() {
                self.seat = self.lobby.wait_for(&self.name, due).await;
            }
            let Some(seat) = &mut self.seat else {
                return;
            };
            seat.settle().await;
            if !seat.is_gone() {
                return;
            }
            self.give_back();
        }
    }

    fn give_back(&mut self) {
        if let Some(seat) = self.seat.take() {
            self.lobby.take_back(seat);
        }
    }

    /// Calls the guest and announces a game to it, as [`LineChannel::begin`] does.
    ///
    /// Waits for the guest for as long as the lobby's patience lasts. If the guest does not come, each question is
    /// answered with a fault.
    pub async fn begin(&mut self, greeting: Vec<String>, is_first: bool) {
        self.settled().await;
        if let Some(seat) = &mut self.seat {
            seat.begin(greeting, is_first).await;
        }
    }

    /// Sends these lines to the guest, and waits up to `patience` for a line in return.
    pub async fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String> {
        let (said, wall) = match &mut self.seat {
            Some(seat) => seat.ask_in_lines(lines, patience).await,
            None => {
                let missed = self.lobby.0.patience;
                let reason = format!("it was not connected, and had been missing for {missed:.0?}");
                let failure = Failure::new(FaultKind::Absent, reason);
                (Err(failure), Duration::ZERO)
            }
        };
        Reply {
            said,
            wall,
            cpu: None,
            pondered: None,
            others: None,
        }
    }

    /// Ends the game: sends the guest the lines that it has not received yet.
    pub async fn finish(&mut self, news: Vec<String>) {
        if let Some(seat) = &mut self.seat {
            seat.end(news).await;
            if seat.is_gone() {
                self.give_back();
            }
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// A [`Call`] for a thread that blocks until each answer arrives.
struct BlockingCall {
    runtime: Handle,
    call: Call,
}

impl LineChannel for BlockingCall {
    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()> {
        self.runtime.block_on(self.call.begin(greeting, is_first));
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String> {
        self.runtime.block_on(self.call.ask(lines, patience))
    }

    fn finish(&mut self, news: Vec<String>, _replies: Vec<String>, _farewell: Vec<String>) {
        self.runtime.block_on(self.call.finish(news));
    }
}
