//! Accepting players: names, the right wire, polite refusals.
//!
//! Each newcomer is received in a task of its own, so that a silent one keeps nobody waiting.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::SinkExt;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::codec::{Framed, FramedParts};
use turnwise_protocol::entropy::{HostCodec, HostMessage, Line, MAX_NAME, Wire};

use super::Event;
use super::seat::Seat;

/// How long a player on the JSON wire may take to say its name.
const NAME_WITHIN: Duration = Duration::from_secs(5);

/// How long a line host listens for signs of another wire. A player on the line wire has nothing to
/// say before its first game.
const SIGNS_WITHIN: Duration = Duration::from_millis(500);

/// Newcomers received at the same time; more wait in the socket's queue.
const MOST_AT_THE_DOOR: usize = 16;

/// Where players come in.
pub(crate) struct Door {
    listener: TcpListener,
    wire: Wire,
    size: u8,
    report: mpsc::Sender<Newcomer>,
    received: mpsc::Receiver<Newcomer>,
    at_the_door: usize,
}

type Newcomer = Result<Seat, (SocketAddr, String)>;

impl Door {
    pub fn open(listener: TcpListener, wire: Wire, size: u8) -> Self {
        let (report, received) = mpsc::channel(MOST_AT_THE_DOOR);
        Self {
            listener,
            wire,
            size,
            report,
            received,
            at_the_door: 0,
        }
    }

    /// Waits for a player who may come in; refusals are reported. Newcomers are also received while
    /// nobody waits for them: their connection stays in the socket's queue.
    pub async fn admit(&mut self, watch: &mut impl FnMut(Event)) -> io::Result<Seat> {
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if self.at_the_door < MOST_AT_THE_DOOR => {
                    let (stream, address) = accepted?;
                    let (report, wire, size) = (self.report.clone(), self.wire, self.size);
                    self.at_the_door += 1;
                    tokio::spawn(async move {
                        let newcomer = receive(stream, address, wire, size)
                            .await
                            .map_err(|reason| (address, reason));
                        // A host that has ended needs no more players.
                        let _ = report.send(newcomer).await;
                    });
                }
                Some(newcomer) = self.received.recv() => {
                    self.at_the_door -= 1;
                    match newcomer {
                        Ok(seat) => return Ok(seat),
                        Err((address, reason)) => watch(Event::Refused { address, reason }),
                    }
                }
            }
        }
    }
}

/// Finds out whether a newcomer can be played with; the reason if not.
async fn receive(
    mut stream: TcpStream,
    address: SocketAddr,
    wire: Wire,
    size: u8,
) -> Result<Seat, String> {
    let _ = stream.set_nodelay(true);
    if wire == Wire::Codecup {
        return Err(format!("hosts do not speak {wire} over TCP"));
    }
    let codec = HostCodec::new(wire);
    let (name, verdict) = match wire {
        Wire::Json => match tokio::time::timeout(NAME_WITHIN, read_name(&mut stream)).await {
            Ok(Some(name)) => (name, Ok(())),
            Ok(None) => return Err("it left without saying its name".to_owned()),
            Err(_silent) => (
                String::new(),
                Err(format!(
                    "no name came within {} s; this host speaks the json wire: use --wire json or auto",
                    NAME_WITHIN.as_secs()
                )),
            ),
        },
        _ => (
            format!("player at {address}"),
            signs_of_json(&mut stream, size).await,
        ),
    };
    let mut framed = Framed::from_parts(FramedParts::new(stream, codec));
    match verdict {
        Ok(()) => Ok(Seat::new(name, address, framed, wire == Wire::Line)),
        Err(reason) => {
            let farewell = HostMessage::Kill {
                reason: Some(reason.clone()),
            };
            // Whether it still listens makes no difference.
            let _ = framed.send(farewell).await;
            Err(reason)
        }
    }
}

/// The raw name that a player on the JSON wire sends first, without control characters.
async fn read_name(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = [0; MAX_NAME];
    let length = stream
        .read(&mut bytes)
        .await
        .ok()
        .filter(|&read| read > 0)?;
    let text = String::from_utf8_lossy(&bytes[..length]);
    let name: String = text.chars().filter(|letter| !letter.is_control()).collect();
    Some(if name.trim().is_empty() {
        "nameless".to_owned()
    } else {
        name.trim().to_owned()
    })
}

/// Greets a player on the line wire with the size, which is how the first game begins anyway. One
/// that speaks JSON answers that with an object.
async fn signs_of_json(stream: &mut TcpStream, size: u8) -> Result<(), String> {
    let greeting = format!("{}\n", Line::Size(size));
    let mut heard = BytesMut::new();
    let listening = async {
        tokio::io::AsyncWriteExt::write_all(stream, greeting.as_bytes()).await?;
        while !heard.contains(&b'{') && heard.len() < 2 * MAX_NAME {
            if stream.read_buf(&mut heard).await? == 0 {
                break;
            }
        }
        io::Result::Ok(())
    };
    match tokio::time::timeout(SIGNS_WITHIN, listening).await {
        Err(_silent) => Ok(()),
        Ok(_) if heard.contains(&b'{') => {
            Err("this host speaks the line wire: use --wire line or auto".to_owned())
        }
        Ok(_) => Err("it left or spoke before its first game".to_owned()),
    }
}
