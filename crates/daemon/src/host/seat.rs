//! One player's connection.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio_util::codec::Framed;
use turnwise_engine::goodbye::Goodbye;
use turnwise_engine::hosting::{AnswerOf, HostProtocol, MessageOf};

use super::Hosted;
use crate::world::{ByteStream, now};

/// A player that does not take what it is sent within this time has stopped reading.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// After a player was late, its answer may still come; it must not be taken for the answer to a later
/// question. A player that stays silent for so long is sent away.
const WAIT_FOR_LATE_ANSWER: Duration = Duration::from_secs(5);

/// A player that says so many things unasked between two games is sent away.
const UNASKED_AT_MOST: u32 = 16;

/// Why it is sent away then.
const TALKED_TOO_MUCH: &str = "it talked too much unasked";

/// A player that was let in, and the connection to it.
pub struct Seat<P: HostProtocol> {
    /// The name it plays under, which a host may have changed to tell two players apart.
    pub name: String,
    /// Where it connects from.
    pub address: SocketAddr,
    stream: Framed<Box<dyn ByteStream>, P::Codec>,
    gone: bool,
    /// Why the host ended the connection, if it was not the player.
    pub(super) sent_away: Option<&'static str>,
    owes_answer: bool,
    /// Whether the player has been told at the door how its first game begins, which it has not yet.
    pub(super) is_told: bool,
    /// What begins a game that is judged elsewhere, until the player is told.
    pub(super) greeting: Vec<String>,
}

/// Why there is no move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoMove {
    /// The time was up.
    Late,
    /// The player has left.
    Gone,
    /// It said something else.
    Said(String),
}

impl<P: Hosted> Seat<P> {
    pub(super) fn new(
        name: String,
        address: SocketAddr,
        stream: Framed<Box<dyn ByteStream>, P::Codec>,
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

    /// True once the connection is of no more use.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Sends a message; if that fails, the player is gone.
    pub async fn tell(&mut self, message: MessageOf<P>) {
        let sent = tokio::time::timeout(SEND_TIMEOUT, self.stream.send(message)).await;
        self.gone |= !matches!(sent, Ok(Ok(())));
    }

    /// Sends a question and waits for the answer, at most for `limit`; says how long that took.
    pub async fn ask(
        &mut self,
        question: MessageOf<P>,
        limit: Duration,
    ) -> (Result<AnswerOf<P>, NoMove>, Duration) {
        let asked = now();
        self.tell(question).await;
        if self.gone {
            return (Err(NoMove::Gone), now() - asked);
        }
        let answer = tokio::time::timeout(limit, self.stream.next()).await;
        let took = now() - asked;
        let answer = match answer {
            Ok(Some(Ok(heard))) => P::answer(heard).map_err(NoMove::Said),
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

    /// Between games: waits for an answer that came too late, throws away what was not asked for, and
    /// notices if the player has left.
    pub async fn settle(&mut self) {
        // Lets the runtime look at the sockets, so that what has arrived can be seen.
        tokio::task::yield_now().await;
        if self.owes_answer {
            match tokio::time::timeout(WAIT_FOR_LATE_ANSWER, self.stream.next()).await {
                Ok(Some(Ok(_late))) => self.owes_answer = false,
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
        self.send_away(TALKED_TOO_MUCH).await;
    }

    /// As long as nothing is asked of it: throws away what it says, and returns when it has left. Can be
    /// dropped at any time, and loses nothing of what it says later.
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

    /// Ends the session for this reason, which may have passed when the player comes again.
    pub(super) async fn send_away(&mut self, reason: &'static str) {
        self.sent_away = Some(reason);
        // Before anything waits: what is dropped then is not to be seated again.
        self.gone = true;
        self.tell(P::goodbye(Goodbye::ComeAgain(reason.to_owned())))
            .await;
    }

    /// Ends the session; nobody waits for an answer.
    pub async fn say_goodbye(mut self) {
        self.tell(P::goodbye(Goodbye::Over)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;
    use tokio::net::{TcpListener, TcpStream};
    use turnwise_entropy::hosting::Hosting;
    use turnwise_entropy::referee::RuleBook;
    use turnwise_protocol::entropy::{HostMessage, Wire};

    async fn seat_and_player() -> (Seat<Hosting>, TcpStream) {
        let hosting = Hosting {
            size: 2,
            rules: RuleBook::Strict,
            pass: false,
            wire: Wire::Json,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let player = TcpStream::connect(address).await.expect("a listener");
        let (stream, address) = listener.accept().await.expect("a player");
        let buffer = socket2::SockRef::from(&stream).set_send_buffer_size(4096);
        buffer.expect("a socket");
        let stream: Box<dyn ByteStream> = Box::new(stream);
        let framed = Framed::new(stream, hosting.codec());
        let seat = Seat::new("player".to_owned(), address, framed, false);
        (seat, player)
    }

    /// Many more messages than the sockets' buffers hold.
    const MANY: usize = 1_000_000;

    #[tokio::test]
    async fn a_player_that_stops_reading_is_gone_when_its_buffers_are_full() {
        let (mut seat, _deaf) = seat_and_player().await;
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
