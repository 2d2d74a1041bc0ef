//! Accepting players: names, the right wire, polite refusals.
//!
//! Each newcomer is received in a task of its own, so that a silent one keeps nobody waiting.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::SinkExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::codec::{Framed, FramedParts};
use turnwise_engine::hosting::{HostProtocol, MessageOf, Welcome};

use super::seat::Seat;
use crate::codec::Codec;

/// How long a player may take to say its name.
const NAME_WITHIN: Duration = Duration::from_secs(5);

/// How long a host that speaks first listens for signs of another wire.
const SIGNS_WITHIN: Duration = Duration::from_millis(500);

/// Bytes of an answer to its first words in which they are looked for.
const MOST_SIGNS: usize = 200;

/// Newcomers received at the same time; more wait in the socket's queue.
const MOST_AT_THE_DOOR: usize = 16;

/// Where players come in.
pub struct Door<P: HostProtocol> {
    pub(super) listener: TcpListener,
    pub(super) protocol: P,
    report: mpsc::Sender<Newcomer<P>>,
    received: mpsc::Receiver<Newcomer<P>>,
    at_the_door: usize,
}

/// A client that was turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Where it connected from.
    pub address: SocketAddr,
    /// Why.
    pub reason: String,
}

type Newcomer<P> = Result<Seat<P>, Refused>;

impl<P: HostProtocol<Codec: Codec<P::Heard, MessageOf<P>>> + 'static> Door<P> {
    /// Lets players in who connect to this socket.
    pub fn open(listener: TcpListener, protocol: P) -> Self {
        let (report, received) = mpsc::channel(MOST_AT_THE_DOOR);
        Self {
            listener,
            protocol,
            report,
            received,
            at_the_door: 0,
        }
    }

    /// Waits for a player who may come in; refusals are reported. Newcomers are also received while
    /// nobody waits for them: their connection stays in the socket's queue.
    pub async fn admit(&mut self, mut refused: impl FnMut(Refused)) -> io::Result<Seat<P>> {
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if self.at_the_door < MOST_AT_THE_DOOR => {
                    let (stream, address) = accepted?;
                    let (report, codec) = (self.report.clone(), self.protocol.codec());
                    let welcome = self.protocol.welcome();
                    self.at_the_door += 1;
                    tokio::spawn(async move {
                        let newcomer = receive(stream, address, codec, welcome)
                            .await
                            .map_err(|reason| Refused { address, reason });
                        // A host that has ended needs no more players.
                        let _ = report.send(newcomer).await;
                    });
                }
                Some(newcomer) = self.received.recv() => {
                    self.at_the_door -= 1;
                    match newcomer {
                        Ok(seat) => return Ok(seat),
                        Err(newcomer) => refused(newcomer),
                    }
                }
            }
        }
    }
}

/// Finds out whether a newcomer can be played with; the reason if not.
async fn receive<P: HostProtocol<Codec: Codec<P::Heard, MessageOf<P>>>>(
    mut stream: TcpStream,
    address: SocketAddr,
    codec: P::Codec,
    welcome: Welcome,
) -> Result<Seat<P>, String> {
    let _ = stream.set_nodelay(true);
    let is_told = matches!(welcome, Welcome::Words { .. });
    let (name, verdict) = match welcome {
        Welcome::Name { most, hint } => {
            match tokio::time::timeout(NAME_WITHIN, read_name(&mut stream, most)).await {
                Ok(Some(name)) => (name, Ok(())),
                Ok(None) => return Err("it left without saying its name".to_owned()),
                Err(_silent) => {
                    let within = NAME_WITHIN.as_secs();
                    let reason = format!("no name came within {within} s; {hint}");
                    (String::new(), Err(reason))
                }
            }
        }
        Welcome::Words { words, foreign } => (
            format!("player at {address}"),
            understands(&mut stream, &words, foreign).await,
        ),
    };
    let mut framed = Framed::from_parts(FramedParts::new(stream, codec));
    match verdict {
        Ok(()) => Ok(Seat::new(name, address, framed, is_told)),
        Err(reason) => {
            // Whether it still listens makes no difference.
            let _ = framed.send(P::goodbye(Some(reason.clone()))).await;
            Err(reason)
        }
    }
}

/// The raw name that a player sends first, without control characters.
async fn read_name(stream: &mut TcpStream, most: usize) -> Option<String> {
    let mut bytes = vec![0; most];
    let length = stream.read(&mut bytes).await.ok()?;
    if length == 0 {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes[..length]);
    let name: String = text.chars().filter(|letter| !letter.is_control()).collect();
    Some(match name.trim() {
        "" => "nameless".to_owned(),
        name => name.to_owned(),
    })
}

/// Says the first words, and hears whether the player answers as one does that speaks another wire.
async fn understands(
    stream: &mut TcpStream,
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
