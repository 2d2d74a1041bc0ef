//! One player's connection.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_util::codec::Framed;
use turnwise_protocol::entropy::{HostCodec, HostMessage, Line, PlayerSays, Role};
use turnwise_protocol::frame::Item;

/// A player that does not take what it is sent within this time has stopped reading.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// After a player was late, its answer may still come; it must not be taken for the answer to a later
/// question. A player that stays silent for so long is sent away.
const WAIT_FOR_LATE_ANSWER: Duration = Duration::from_secs(5);

/// A player that says so many things unasked between two games is sent away.
const UNASKED_AT_MOST: u32 = 16;

/// A connected player.
pub(crate) struct Seat {
    pub name: String,
    pub address: SocketAddr,
    stream: Framed<TcpStream, HostCodec>,
    gone: bool,
    sent_away: Option<&'static str>,
    owes_answer: bool,
    size_announced: bool,
}

/// Why there is no move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoMove {
    Late,
    Gone,
    Said(String),
}

impl Seat {
    /// `size_announced` says that the player already knows the size of its first game.
    pub fn new(
        name: String,
        address: SocketAddr,
        stream: Framed<TcpStream, HostCodec>,
        size_announced: bool,
    ) -> Self {
        Self {
            name,
            address,
            stream,
            gone: false,
            sent_away: None,
            owes_answer: false,
            size_announced,
        }
    }

    /// True once the connection is of no more use.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Why the host ended the connection, if it was not the player.
    pub fn sent_away(&self) -> Option<&'static str> {
        self.sent_away
    }

    /// Sends a message; if that fails, the player is gone.
    pub async fn tell(&mut self, message: HostMessage) {
        let sent = tokio::time::timeout(SEND_TIMEOUT, self.stream.send(message)).await;
        self.gone |= !matches!(sent, Ok(Ok(())));
    }

    /// Sends lines and waits for the answer, at most for `limit`; says how long that took.
    pub async fn ask(
        &mut self,
        lines: Vec<Line>,
        limit: Duration,
    ) -> (Result<Line, NoMove>, Duration) {
        let asked = Instant::now();
        self.tell(HostMessage::Payload {
            lines,
            answer: true,
        })
        .await;
        if self.gone {
            return (Err(NoMove::Gone), asked.elapsed());
        }
        let answer = tokio::time::timeout(limit, self.stream.next()).await;
        let took = asked.elapsed();
        let Ok(answer) = answer else {
            self.owes_answer = true;
            return (Err(NoMove::Late), took);
        };
        let line = match answer {
            Some(Ok(Item::Message(PlayerSays::Line(Ok(line))))) => Ok(line),
            Some(Ok(Item::Message(PlayerSays::Line(Err(bad))))) => {
                Err(NoMove::Said(bad.to_string()))
            }
            Some(Ok(Item::Message(PlayerSays::Concede(comment)))) => {
                Err(NoMove::Said(format!("it conceded: {comment:?}")))
            }
            Some(Ok(Item::Bad(bad))) => Err(NoMove::Said(bad.to_string())),
            Some(Err(_)) | None => {
                self.gone = true;
                Err(NoMove::Gone)
            }
        };
        (line, took)
    }

    /// Between games: waits for an answer that came too late, throws away what was not asked for, and
    /// notices if the player has left.
    pub async fn settle(&mut self) {
        // Lets the runtime look at the sockets, so that what has arrived can be seen.
        tokio::task::yield_now().await;
        if std::mem::take(&mut self.owes_answer) {
            match tokio::time::timeout(WAIT_FOR_LATE_ANSWER, self.stream.next()).await {
                Ok(Some(Ok(_late))) => {}
                Ok(Some(Err(_)) | None) => self.gone = true,
                Err(_silent) => {
                    self.send_away("it owed an answer and stayed silent").await;
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
        self.send_away("it talked too much unasked").await;
    }

    async fn send_away(&mut self, reason: &'static str) {
        self.sent_away = Some(reason);
        self.tell(HostMessage::Kill {
            reason: Some(reason.to_owned()),
        })
        .await;
        self.gone = true;
    }

    /// The lines that begin a game; the size is left out if the door has announced it.
    pub fn greeting(&mut self, size: u8, role: Role) -> Vec<Line> {
        let mut lines = vec![Line::Size(size), Line::Role(role)];
        if std::mem::take(&mut self.size_announced) {
            lines.remove(0);
        }
        lines
    }

    /// Ends the session; nobody waits for an answer.
    pub async fn say_goodbye(mut self) {
        self.tell(HostMessage::Kill { reason: None }).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;
    use turnwise_protocol::entropy::Wire;

    async fn seat_and_player() -> (Seat, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let player = TcpStream::connect(address).await.expect("a listener");
        let (stream, address) = listener.accept().await.expect("a player");
        let codec = HostCodec::new(Wire::Json);
        let seat = Seat::new(
            "player".to_owned(),
            address,
            Framed::new(stream, codec),
            false,
        );
        (seat, player)
    }

    /// Many more messages than the sockets' buffers hold.
    const MANY: usize = 1_000_000;

    #[tokio::test]
    async fn a_player_that_stops_reading_is_gone_when_its_buffers_are_full() {
        let (mut seat, _deaf) = seat_and_player().await;
        let socket = socket2::SockRef::from(seat.stream.get_ref());
        socket.set_send_buffer_size(4096).expect("a socket");
        // From here on the runtime jumps to the time-out as soon as nothing can be sent.
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
