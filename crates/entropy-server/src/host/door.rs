//! Accepts players: reads their names, checks their wire, and rejects players that cannot play, with a reason.
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
use tokio::task::{AbortHandle, JoinHandle, JoinSet, yield_now};
use tokio_util::codec::{Framed, FramedParts};
use turnwise_daemon::accepting::Failures;
use turnwise_daemon::world::{ByteStream, Listener};
use turnwise_engine::words::is_unprintable;
use turnwise_protocol::entropy::{HostCodec, HostMessage, Line, MAX_NAME, Wire, is_name};

use super::Hosting;
use super::seat::Seat;
use crate::goodbye::Goodbye;

/// How long a player may take to send its name.
const NAME_WITHIN: Duration = Duration::from_secs(5);

/// How long a host that speaks first watches for signs that the player speaks another wire (protocol).
const SIGNS_WITHIN: Duration = Duration::from_millis(500);

/// The byte that only a player on the JSON wire sends.
const JSON: u8 = b'{';

/// The number of bytes at the start of the player's first answer that are searched for signs of another wire.
const MOST_SIGNS: usize = 200;

/// The maximum number of simultaneous newcomers. [`MOST_OF_AN_ADDRESS`] limits the newcomers from one address.
///
/// A further newcomer displaces the oldest one. This does no harm, because genuine players send their names at once.
const MOST_AT_THE_DOOR: usize = 256;
const MOST_OF_AN_ADDRESS: usize = 64;

/// The maximum number of admitted players that wait for a seat; further players wait in the socket.
const MOST_WAITING: usize = 64;

/// The delay before the goodbye to a rejected newcomer, which slows down newcomers that try again and again.
const KEPT_WAITING: Duration = Duration::from_secs(1);

/// A function that maps a newcomer's address and first words to its name, or to the goodbye with which it is rejected.
pub type Admission = dyn Fn(SocketAddr, &str) -> Result<String, Goodbye> + Send + Sync;

/// The entrance of a host, which admits players and refuses other clients.
pub struct Door {
    received: mpsc::Receiver<Newcomer>,
    task: JoinHandle<()>,
}

impl Drop for Door {
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

type Newcomer = Result<Seat, Refused>;

/// The newcomers that are being handled, the oldest first.
#[derive(Default)]
struct Queue(VecDeque<(SocketAddr, AbortHandle)>);

impl Queue {
    /// Returns the index of the newcomer that must make room for one from `address`; `None` if there is room.
    fn in_the_way(&mut self, address: IpAddr) -> Option<usize> {
        self.0.retain(|(_, task)| !task.is_finished());
        let of_it = |(of, _): &(SocketAddr, AbortHandle)| of.ip() == address;
        match self.0.iter().filter(|waiting| of_it(waiting)).count() {
            MOST_OF_AN_ADDRESS.. => self.0.iter().position(of_it),
            _ => (self.0.len() >= MOST_AT_THE_DOOR).then_some(0),
        }
    }

    /// Makes room for a newcomer from `address`. Returns the older newcomer displaced for this purpose, if any.
    async fn make_room(&mut self, address: IpAddr) -> Option<Refused> {
        self.in_the_way(address)?;
        // In a burst of connections, names may have arrived that the tasks could not read yet. They read them now.
        yield_now().await;
        let at = self.in_the_way(address)?;
        let (address, task) = self.0.remove(at)?;
        task.abort();
        let reason = "it sent no name, and too many others were waiting".to_owned();
        Some(Refused { address, reason })
    }
}

/// Accepts connections and handles newcomers for as long as the door exists.
async fn receive_all(
    mut listener: Box<dyn Listener>,
    hosting: Hosting,
    admission: Arc<Admission>,
    report: mpsc::Sender<Newcomer>,
) {
    let mut queue = Queue::default();
    let mut newcomers: JoinSet<Newcomer> = JoinSet::new();
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
                    if let Some(refused) = queue.make_room(address.ip()).await
                        && report.send(Err(refused)).await.is_err()
                    {
                        return;
                    }
                    let admission = Arc::clone(&admission);
                    let task = newcomers.spawn(async move {
                        receive(stream, address, hosting, &*admission)
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

impl Door {
    /// Opens a door that admits players from this listener under any name. Needs a tokio runtime.
    pub fn open(listener: Box<dyn Listener>, hosting: Hosting) -> Self {
        let admission = |_, said: &str| match is_name(said) {
            true => Ok(said.to_owned()),
            false => Err(Goodbye::Because(
                "expected a name: one line with a letter or a digit, not beginning with a brace"
                    .to_owned(),
            )),
        };
        Self::open_for(listener, hosting, Arc::new(admission))
    }

    /// Opens a door that admits players whose first words pass `admission`. Needs a tokio runtime.
    pub fn open_for(
        listener: Box<dyn Listener>,
        hosting: Hosting,
        admission: Arc<Admission>,
    ) -> Self {
        let (report, received) = mpsc::channel(MOST_WAITING);
        let task = tokio::spawn(receive_all(listener, hosting, admission, report));
        Self { received, task }
    }

    /// Waits for the next admitted player, and meanwhile passes refused clients to `refused`.
    pub async fn admit(&mut self, mut refused: impl FnMut(Refused)) -> Seat {
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
///
/// On the JSON wire, the player sends its name first. On the other wires, the host sends the board size, and the player
/// sends nothing before its first game; a player that answers with `{` uses the JSON wire.
async fn receive(
    mut stream: Box<dyn ByteStream>,
    address: SocketAddr,
    hosting: Hosting,
    admission: &Admission,
) -> Result<Seat, String> {
    let wire = hosting.wire;
    let hint = |auto: &str| format!("this host speaks the {wire} wire: use {auto}");
    let (name, verdict) = match wire {
        Wire::Json => {
            match tokio::time::timeout(NAME_WITHIN, read_name(&mut *stream)).await {
                Ok(Some(said)) => match admission(address, &said) {
                    Ok(name) => (name, Ok(())),
                    Err(goodbye) => {
                        tokio::time::sleep(KEPT_WAITING).await;
                        (String::new(), Err(goodbye))
                    }
                },
                Ok(None) => return Err("it disconnected before sending its name".to_owned()),
                Err(_silent) => {
                    let within = NAME_WITHIN.as_secs();
                    let hint = hint("--wire json or auto");
                    let reason = format!("no name came within {within} s; {hint}");
                    // The newcomer's process may have been stopped, so it may come again.
                    (String::new(), Err(Goodbye::ComeAgain(reason)))
                }
            }
        }
        Wire::Line | Wire::Codecup => {
            let hint = hint("--wire line or auto");
            let verdict = understands(&mut *stream, hosting.size, hint).await;
            (
                format!("player at {address}"),
                verdict.map_err(Goodbye::Because),
            )
        }
    };
    let mut framed = Framed::from_parts(FramedParts::new::<HostMessage>(
        stream,
        HostCodec::new(wire),
    ));
    match verdict {
        Ok(()) => Ok(Seat::new(name, address, framed, wire != Wire::Json)),
        Err(goodbye) => {
            let reason = goodbye.reason().unwrap_or_default().to_owned();
            // It makes no difference whether the newcomer still reads.
            let _ = framed.send(goodbye.into()).await;
            Err(reason)
        }
    }
}

/// Reads the name that a player sends first, and removes unprintable characters from it. A line break inside stays,
/// because [`is_name`] rejects it.
async fn read_name(stream: &mut dyn ByteStream) -> Option<String> {
    let mut bytes = vec![0; MAX_NAME];
    let length = stream.read(&mut bytes).await.ok()?;
    if length == 0 {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes[..length]);
    let name: String = text
        .chars()
        .filter(|&letter| letter == '\n' || !is_unprintable(letter))
        .collect();
    Some(match name.trim() {
        "" => "nameless".to_owned(),
        name => name.to_owned(),
    })
}

/// Sends the board size, and checks that the player does not answer on the JSON wire.
///
/// `hint` is the advice for a player on the JSON wire.
async fn understands(stream: &mut dyn ByteStream, size: u8, hint: String) -> Result<(), String> {
    let words = format!("{}\n", Line::Size(size));
    let mut heard = BytesMut::new();
    let listening = async {
        stream.write_all(words.as_bytes()).await?;
        while !heard.contains(&JSON) && heard.len() < MOST_SIGNS {
            if stream.read_buf(&mut heard).await? == 0 {
                break;
            }
        }
        io::Result::Ok(())
    };
    match tokio::time::timeout(SIGNS_WITHIN, listening).await {
        Err(_silent) => Ok(()),
        Ok(_) if heard.contains(&JSON) => Err(hint),
        Ok(_) => Err("it disconnected or sent a message before its first game".to_owned()),
    }
}
