//! Accepting players: names, the right wire, polite refusals.
//!
//! Connections are taken at all times, also during games, and each newcomer is received in a task of its
//! own with a deadline, so that silent ones keep nobody waiting.

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
use crate::accepting::Failures;
use crate::world::{ByteStream, Listener};

/// How long a player may take to say its name.
const NAME_WITHIN: Duration = Duration::from_secs(5);

/// How long a host that speaks first listens for signs of another wire.
const SIGNS_WITHIN: Duration = Duration::from_millis(500);

/// Bytes of an answer to its first words in which they are looked for.
const MOST_SIGNS: usize = 200;

/// Newcomers received at the same time, from everywhere and from one address. For one more the oldest is
/// turned away: whoever is a player has said so at once.
const MOST_AT_THE_DOOR: usize = 256;
const MOST_OF_AN_ADDRESS: usize = 64;

/// Players that wait for a seat; those behind them wait in the socket's queue.
const MOST_WAITING: usize = 64;

/// Why a newcomer is not let in, and after what pause it is told so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What it is told: why it is not let in, and whether it may come again.
    pub goodbye: Goodbye,
    /// For how long it is kept waiting, so that one that comes again and again does so slowly.
    pub after: Duration,
}

/// Finds the name of a newcomer from this address in its first words, or says why it does not come in.
pub type Admission = dyn Fn(SocketAddr, &str) -> Result<String, Refusal> + Send + Sync;

/// Where players come in.
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
    /// Where it connected from.
    pub address: SocketAddr,
    /// Why it was turned away, in words.
    pub reason: String,
}

type Newcomer<P> = Result<Seat<P>, Refused>;

/// Those who are being received, oldest first.
#[derive(Default)]
struct Queue(VecDeque<(SocketAddr, AbortHandle)>);

impl Queue {
    /// Makes room for one more from an address; the one that is turned away for it.
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
        let reason = "it was silent, and too many others were waiting".to_owned();
        Some(Refused { address, reason })
    }
}

/// Takes connections for as long as somebody waits for players.
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
                // One that was turned away in favour of another has been reported.
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
    /// Lets players in who connect to this listener, under whatever name. Needs a tokio runtime.
    pub fn open(listener: Box<dyn Listener>, protocol: P) -> Self {
        Self::open_for(listener, protocol, Arc::new(|_, name| Ok(name.to_owned())))
    }

    /// Lets those players in who are admitted by what they say first.
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

    /// Waits for a player who may come in; refusals are reported.
    pub async fn admit(&mut self, mut refused: impl FnMut(Refused)) -> Seat<P> {
        loop {
            match self.received.recv().await {
                Some(Ok(seat)) => return seat,
                Some(Err(newcomer)) => refused(newcomer),
                // The task has panicked: nobody comes in any more.
                None => std::future::pending().await,
            }
        }
    }
}

/// Finds out whether a newcomer can be played with; the reason if not.
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
                Ok(None) => return Err("it left without saying its name".to_owned()),
                Err(_silent) => {
                    let within = NAME_WITHIN.as_secs();
                    let reason = format!("no name came within {within} s; {hint}");
                    // It may have been stopped.
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
            // Whether it still listens makes no difference.
            let _ = framed.send(P::goodbye(goodbye)).await;
            Err(reason)
        }
    }
}

/// The raw name that a player sends first, without what cannot be shown.
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

/// Says the first words, and hears whether the player answers as one does that speaks another wire.
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
        Ok(_) => Err("it left or spoke before its first game".to_owned()),
    }
}
