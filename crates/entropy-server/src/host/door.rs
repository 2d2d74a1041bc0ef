//! Accepts players: reads their names, checks their wire, and politely refuses those that cannot play.
//!
//! Connections are accepted at all times, also during games. Each newcomer is handled in a separate task with a
//! deadline, so silent newcomers delay nobody.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::SinkExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio_util::codec::{Framed, FramedParts};
use turnwise_engine::goodbye::Goodbye;
use turnwise_engine::hosting::{HostProtocol, Welcome};
use turnwise_engine::words::is_unprintable;

use super::Hosted;
use super::seat::Seat;
use turnwise_daemon::accepting::Failures;
use turnwise_daemon::world::{ByteStream, Listener};

/// How long a player may take to send its name.
const NAME_WITHIN: Duration = Duration::from_secs(5);

/// How long a host that speaks first watches for signs that the player speaks another wire (protocol).
const SIGNS_WITHIN: Duration = Duration::from_millis(500);

/// The number of bytes at the start of the player's first answer that are searched for signs of another wire.
const MOST_SIGNS: usize = 200;

/// The maximum number of simultaneous newcomers. [`MOST_OF_AN_ADDRESS`] limits the newcomers from one address.
///
/// A further newcomer displaces the oldest one. This does no harm, because genuine players send their names at once.
const MOST_AT_THE_DOOR: usize = 256;
const MOST_OF_AN_ADDRESS: usize = 64;

/// The maximum number of admitted players that wait for a seat; further players wait in the socket.
const MOST_WAITING: usize = 64;

/// The answer to a newcomer that is not admitted, and its delay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The goodbye to send, which says why the newcomer is not admitted and whether it may come again.
    pub goodbye: Goodbye,
    /// The delay before the goodbye, which slows down newcomers that try again and again.
    pub after: Duration,
}

/// A function that maps a newcomer's address and first words to its name, or to a refusal.
pub type Admission = dyn Fn(SocketAddr, &str) -> Result<String, Refusal> + Send + Sync;

/// The entrance of a host, which admits players and refuses other clients.
pub struct Door<P: HostProtocol> {
    pub(super) protocol: Arc<P>,
    received: mpsc::Receiver<Newcomer<P>>,
    task: JoinHandle<()>,
}

impl<P: HostProtocol> Drop for Door<P> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A client that was turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The address that the client connected from.
    pub address: SocketAddr,
    /// The reason why the client was turned away, as text.
    pub reason: String,
}

type Newcomer<P> = Result<Seat<P>, Refused>;

/// The newcomers that are being handled, the oldest first.
#[derive(Default)]
struct Queue(VecDeque<(SocketAddr, AbortHandle)>);

impl Queue {
    /// Makes room for a newcomer from `address`. Returns the older newcomer displaced for this purpose, if any.
    fn make_room(&mut self, address: IpAddr) -> Option<Refused> {
        self.0.retain(|(_, task)| !task.is_finished());
        let of_it = |(of, _): &(SocketAddr, AbortHandle)| of.ip() == address;
        let at = match self.0.iter().filter(|waiting| of_it(waiting)).count() {
            MOST_OF_AN_ADDRESS.. => self.0.iter().position(of_it)?,
            _ if self.0.len() >= MOST_AT_THE_DOOR => 0,
            _ => return None,
        };
        let (address, task) = self.0.remove(at)?;
        task.abort();
        let reason = "it sent no name, and too many others were waiting".to_owned();
        Some(Refused { address, reason })
    }
}

/// Accepts connections and handles newcomers for as long as the door exists.
async fn receive_all<P: Hosted>(
    mut listener: Box<dyn Listener>,
    protocol: Arc<P>,
    admission: Arc<Admission>,
    report: mpsc::Sender<Newcomer<P>>,
) {
    let mut queue = Queue::default();
    let mut newcomers: JoinSet<Newcomer<P>> = JoinSet::new();
    let mut failures = Failures::default();
    loop {
        tokio::select! {
            biased;
            Some(newcomer) = newcomers.join_next() => {
                // A newcomer that was displaced by another has been reported already.
                if let Ok(newcomer) = newcomer
                    && report.send(newcomer).await.is_err()
                {
                    return;
                }
            }
            accepted = poll_fn(|context| listener.poll_accept(context)) => match accepted {
                Ok((stream, address)) => {
                    failures.accepted();
                    if let Some(refused) = queue.make_room(address.ip())
                        && report.send(Err(refused)).await.is_err()
                    {
                        return;
                    }
                    let (codec, welcome) = (protocol.codec(), protocol.welcome());
                    let admission = Arc::clone(&admission);
                    let task = newcomers.spawn(async move {
                        receive(stream, address, codec, welcome, &*admission)
                            .await
                            .map_err(|reason| Refused { address, reason })
                    });
                    queue.0.push_back((address, task));
                }
                Err(error) => failures.failed("a player", error).await,
            },
        }
    }
}

impl<P: Hosted> Door<P> {
    /// Opens a door that admits players from this listener under any name. Needs a tokio runtime.
    pub fn open(listener: Box<dyn Listener>, protocol: P) -> Self {
        Self::open_for(listener, protocol, Arc::new(|_, name| Ok(name.to_owned())))
    }

    /// Opens a door that admits players whose first words pass `admission`. Needs a tokio runtime.
    pub fn open_for(listener: Box<dyn Listener>, protocol: P, admission: Arc<Admission>) -> Self {
        let protocol = Arc::new(protocol);
        let (report, received) = mpsc::channel(MOST_WAITING);
        let task = tokio::spawn(receive_all(
            listener,
            Arc::clone(&protocol),
            admission,
            report,
        ));
        Self {
            protocol,
            received,
            task,
        }
    }

    /// Waits for the next admitted player, and meanwhile passes refused clients to `refused`.
    pub async fn admit(&mut self, mut refused: impl FnMut(Refused)) -> Seat<P> {
        loop {
            match self.received.recv().await {
                Some(Ok(seat)) => return seat,
                Some(Err(newcomer)) => refused(newcomer),
                // The task that accepts connections has panicked, so no further players can come.
                None => std::future::pending().await,
            }
        }
    }
}

/// Admits a newcomer, or says goodbye to it and returns the reason why it cannot play.
async fn receive<P: Hosted>(
    mut stream: Box<dyn ByteStream>,
    address: SocketAddr,
    codec: P::Codec,
    welcome: Welcome,
    admission: &Admission,
) -> Result<Seat<P>, String> {
    let is_told = matches!(welcome, Welcome::Words { .. });
    let (name, verdict) = match welcome {
        Welcome::Name { most, hint } => {
            match tokio::time::timeout(NAME_WITHIN, read_name(&mut *stream, most)).await {
                Ok(Some(said)) => match admission(address, &said) {
                    Ok(name) => (name, Ok(())),
                    Err(refusal) => {
                        tokio::time::sleep(refusal.after).await;
                        (String::new(), Err(refusal.goodbye))
                    }
                },
                Ok(None) => return Err("it disconnected before sending its name".to_owned()),
                Err(_silent) => {
                    let within = NAME_WITHIN.as_secs();
                    let reason = format!("no name came within {within} s; {hint}");
                    // The newcomer's process may have been stopped, so it may come again.
                    (String::new(), Err(Goodbye::ComeAgain(reason)))
                }
            }
        }
        Welcome::Words { words, foreign } => (
            format!("player at {address}"),
            (understands(&mut *stream, &words, foreign).await).map_err(Goodbye::Because),
        ),
    };
    let mut framed = Framed::from_parts(FramedParts::new(stream, codec));
    match verdict {
        Ok(()) => Ok(Seat::new(name, address, framed, is_told)),
        Err(goodbye) => {
            let reason = goodbye.reason().unwrap_or_default().to_owned();
            // It makes no difference whether the newcomer still reads.
            let _ = framed.send(P::goodbye(goodbye)).await;
            Err(reason)
        }
    }
}

/// Reads the name that a player sends first, and removes unprintable characters from it.
async fn read_name(stream: &mut dyn ByteStream, most: usize) -> Option<String> {
    let mut bytes = vec![0; most];
    let length = stream.read(&mut bytes).await.ok()?;
    if length == 0 {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes[..length]);
    let name: String = text
        .chars()
        .filter(|&letter| !is_unprintable(letter))
        .collect();
    Some(match name.trim() {
        "" => "nameless".to_owned(),
        name => name.to_owned(),
    })
}

/// Sends the host's first words, and checks that the player does not answer on another wire.
async fn understands(
    stream: &mut dyn ByteStream,
    words: &[u8],
    (foreign, hint): (u8, String),
) -> Result<(), String> {
    let mut heard = BytesMut::new();
    let listening = async {
        stream.write_all(words).await?;
        while !heard.contains(&foreign) && heard.len() < MOST_SIGNS {
            if stream.read_buf(&mut heard).await? == 0 {
                break;
            }
        }
        io::Result::Ok(())
    };
    match tokio::time::timeout(SIGNS_WITHIN, listening).await {
        Err(_silent) => Ok(()),
        Ok(_) if heard.contains(&foreign) => Err(hint),
        Ok(_) => Err("it disconnected or sent a message before its first game".to_owned()),
    }
}
