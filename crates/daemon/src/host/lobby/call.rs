//! A participant as a player of the games that it is called to.

use std::io;
use std::time::Duration;

use turnwise_engine::hosting::HostedLines;
use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Failure, FaultKind};

use super::Lobby;
use crate::host::Hosted;
use crate::host::seat::Seat;
use crate::world::now;

/// The way to a participant for the games of a pair. Between its games it goes back to the lobby, once it
/// has left or when the pair is over.
struct Call<P: Hosted + HostedLines> {
    lobby: Lobby<P>,
    name: String,
    seat: Option<Seat<P>>,
}

impl<P: Hosted + HostedLines> Lobby<P> {
    /// A way to a guest, who is called when its game begins. Its games are to be played by a thread that is
    /// not the lobby's.
    pub fn channel(&self, name: &str) -> Box<dyn LineChannel> {
        Box::new(Call {
            lobby: self.clone(),
            name: name.to_owned(),
            seat: None,
        })
    }
}

impl<P: Hosted + HostedLines> Call<P> {
    /// A seat whose player has nothing to say; none if nobody came.
    async fn settled(&mut self) {
        let due = now();
        loop {
            if self.seat.is_none() {
                self.seat = self.lobby.call(&self.name, due).await;
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
}

impl<P: Hosted + HostedLines> LineChannel for Call<P> {
    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()> {
        let runtime = self.lobby.0.runtime.clone();
        runtime.block_on(async {
            self.settled().await;
            if let Some(seat) = &mut self.seat {
                seat.begin(greeting, is_first).await;
            }
        });
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String> {
        let runtime = self.lobby.0.runtime.clone();
        let (said, wall) = match &mut self.seat {
            Some(seat) => runtime.block_on(seat.ask_in_lines(lines, patience)),
            None => {
                let missed = self.lobby.0.patience;
                let reason = format!("it was not there, and had been missed for {missed:.0?}");
                let failure = Failure::new(FaultKind::Absent, reason);
                (Err(failure), Duration::ZERO)
            }
        };
        Reply {
            said,
            wall,
            cpu: None,
        }
    }

    fn finish(&mut self, news: Vec<String>, _replies: Vec<String>, _farewell: Vec<String>) {
        let runtime = self.lobby.0.runtime.clone();
        if let Some(seat) = &mut self.seat {
            runtime.block_on(seat.end(news));
            if seat.is_gone() {
                self.give_back();
            }
        }
    }

    fn keep_last_words(&mut self) {}

    fn last_words(&self) -> &[String] {
        &[]
    }
}

impl<P: Hosted + HostedLines> Drop for Call<P> {
    fn drop(&mut self) {
        self.give_back();
    }
}
