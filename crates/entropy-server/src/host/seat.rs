//! The connection to one admitted player.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio_util::codec::Framed;
use turnwise_daemon::world::{ByteStream, now};
use turnwise_protocol::entropy::{HostCodec, HostMessage, Line, PlayerSays};
use turnwise_protocol::frame::Item;

use crate::goodbye::Goodbye;

/// A player that does not accept a message within this time counts as gone, because it has stopped reading.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a host waits between two games for a player's overdue answer.
///
/// The wait ensures that the answer is not mistaken for the answer to a later question. A player that stays silent for
/// longer is disconnected.
const WAIT_FOR_LATE_ANSWER: Duration = Duration::from_secs(5);

/// The number of unsolicited messages between two games after which the host disconnects a player.
const UNASKED_AT_MOST: u32 = 16;

/// The reason given to a player that sent too many messages.
const TALKED_TOO_MUCH: &str = "it sent too many messages without being asked";

/// An admitted player, and the connection to it.
pub struct Seat {
    /// The name that the player plays under; a host may have changed it to distinguish two players.
    pub name: String,
    /// The address that the player connects from.
    pub address: SocketAddr,
    stream: Framed<Box<dyn ByteStream>, HostCodec>,
    gone: bool,
    /// Why the host ended the connection, or `None` if the host has not ended it.
    pub(super) sent_away: Option<&'static str>,
    owes_answer: bool,
    /// True if the door has announced the player's first game, but this game has not begun yet.
    pub(super) is_told: bool,
    /// The lines with which a game refereed elsewhere begins, until they are sent to the player.
    pub(super) greeting: Vec<String>,
}

/// The reason why a player made no move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoMove {
    /// The time ran out.
    Late,
    /// The player has left.
    Gone,
    /// The player sent something other than a move.
    Said(String),
}

impl Seat {
    pub(super) fn new(
        name: String,
        address: SocketAddr,
        stream: Framed<Box<dyn ByteStream>, HostCodec>,
        is_told: bool,
    ) -> Self {
        Self {
            name,
            address,
            stream,
            gone: false,
            sent_away: None,
            owes_answer: false,
            is_told,
            greeting: Vec::new(),
        }
    }

    /// Returns true if the connection cannot be used anymore.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Sends a message; if that fails, the player counts as gone.
    pub async fn tell(&mut self, message: HostMessage) {
        let sent = tokio::time::timeout(SEND_TIMEOUT, self.stream.send(message)).await;
        self.gone |= !matches!(sent, Ok(Ok(())));
    }

    /// Sends a question, waits up to `limit` for the answer, and measures how long it took.
    pub async fn ask(
        &mut self,
        question: HostMessage,
        limit: Duration,
    ) -> (Result<Line, NoMove>, Duration) {
        let asked = now();
        self.tell(question).await;
        if self.gone {
            return (Err(NoMove::Gone), now() - asked);
        }
        let answer = tokio::time::timeout(limit, self.stream.next()).await;
        let took = now() - asked;
        let answer = match answer {
            Ok(Some(Ok(heard))) => answer_of(heard).map_err(NoMove::Said),
            Ok(Some(Err(_)) | None) => {
                self.gone = true;
                Err(NoMove::Gone)
            }
            Err(_late) => {
                self.owes_answer = true;
                Err(NoMove::Late)
            }
        };
        (answer, took)
    }

    /// Prepares the seat for the next game.
    ///
    /// This waits for an overdue answer, discards unsolicited messages, and checks whether the player has left.
    pub async fn settle(&mut self) {
        // Lets the runtime poll the sockets, so that messages that have arrived become visible.
        tokio::task::yield_now().await;
        if self.owes_answer {
            match tokio::time::timeout(WAIT_FOR_LATE_ANSWER, self.stream.next()).await {
                Ok(Some(Ok(_late))) => self.owes_answer = false,
                Ok(Some(Err(_)) | None) => self.gone = true,
                Err(_silent) => {
                    self.send_away("it did not send an answer that was due")
                        .await;
                    return;
                }
            }
        }
        for _ in 0..UNASKED_AT_MOST {
            match self.stream.next().now_or_never() {
                Some(Some(Ok(_unasked))) => {}
                Some(Some(Err(_)) | None) => {
                    self.gone = true;
                    return;
                }
                None => return,
            }
        }
        self.send_away(TALKED_TOO_MUCH).await;
    }

    /// Discards the player's messages until the player has left. No question may be pending.
    ///
    /// The future is cancel safe: dropping it loses no later message.
    pub(super) async fn until_it_leaves(&mut self) {
        self.settle().await;
        let mut unasked = 0;
        while !self.gone {
            match self.stream.next().await {
                Some(Ok(_unasked)) if unasked < UNASKED_AT_MOST => unasked += 1,
                Some(Ok(_unasked)) => self.send_away(TALKED_TOO_MUCH).await,
                Some(Err(_)) | None => self.gone = true,
            }
        }
    }

    /// Disconnects the player for a temporary reason, with a goodbye that invites the player to return.
    pub(super) async fn send_away(&mut self, reason: &'static str) {
        self.sent_away = Some(reason);
        // Set this before any await, because the future may be dropped there, and the seat must not be used again.
        self.gone = true;
        self.tell(Goodbye::ComeAgain(reason.to_owned()).into())
            .await;
    }

    /// Sends a goodbye because the session is over, without waiting for an answer.
    pub async fn say_goodbye(mut self) {
        self.tell(Goodbye::Over.into()).await;
    }
}

/// Extracts the answer from a player's message. If the message is not an answer, the error describes it.
fn answer_of(heard: Item<PlayerSays>) -> Result<Line, String> {
    match heard {
        Item::Message(PlayerSays::Line(line)) => line.map_err(|bad| bad.to_string()),
        Item::Message(PlayerSays::Concede(comment)) => Err(format!("it conceded: {comment:?}")),
        Item::Bad(bad) => Err(bad.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;
    use tokio::net::{TcpListener, TcpStream};
    use turnwise_protocol::entropy::Wire;

    async fn seat_and_player() -> (Seat, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let player = TcpStream::connect(address).await.expect("a listener");
        let (stream, address) = listener.accept().await.expect("a player");
        let buffer = socket2::SockRef::from(&stream).set_send_buffer_size(4096);
        buffer.expect("a socket");
        let stream: Box<dyn ByteStream> = Box::new(stream);
        let framed = Framed::new(stream, HostCodec::new(Wire::Json));
        let seat = Seat::new("player".to_owned(), address, framed, false);
        (seat, player)
    }

    /// A number of messages that is far greater than the number that the sockets' buffers hold.
    const MANY: usize = 1_000_000;

    #[tokio::test]
    async fn a_player_that_stops_reading_is_gone_when_its_buffers_are_full() {
        let (mut seat, _deaf) = seat_and_player().await;
        // From here on the runtime skips to the time-out as soon as sending blocks.
        tokio::time::pause();
        let mut told = 0;
        while !seat.is_gone() && told < MANY {
            seat.tell(HostMessage::Reset).await;
            told += 1;
        }
        assert!(seat.is_gone(), "{told} messages were taken");
    }

    #[tokio::test]
    async fn a_player_that_reads_stays() {
        let (mut seat, mut player) = seat_and_player().await;
        for _ in 0..100 {
            seat.tell(HostMessage::Reset).await;
        }
        seat.settle().await;
        assert!(!seat.is_gone());
        let mut heard = vec![0; 100 * r#"{"purpose":"reset"}"#.len()];
        player.read_exact(&mut heard).await.expect("all of them");
    }
}
