//! Sends events to the spectators of running games, and runs a server for them while games are played.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{OwnedSemaphorePermit, broadcast, oneshot};
use tokio::time::{sleep, timeout};
use turnwise_report::Match;

use crate::answers::{self, Refusal};
use crate::live::{Announcer, Live, channel};
use crate::{Config, Shared, Studio};

/// The maximum number of spectators at a time.
pub const MOST_SPECTATORS: usize = 400;

/// While no events occur, a comment is sent at this interval to keep the connection alive.
pub(crate) const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Events that occur within this time are sent together, so that fast games do not cause too much work.
const TOGETHER: Duration = Duration::from_millis(50);

/// Once the events that are sent together reach this size in bytes, no further event is added to them.
const ENOUGH: usize = 64 << 10;

/// The time that a browser waits before it reconnects, in milliseconds.
pub(crate) const COME_BACK: u32 = 1000;

/// `GET /api/live`: states whether this server shows running games, and the title of the match.
pub(crate) async fn summary(shared: State<Arc<Shared>>) -> Response {
    let live = shared.live.as_ref();
    answers::json(&json!({
        "is_live": live.is_some(),
        "title": live.map_or("", |live| live.title()),
    }))
}

/// `GET /api/live/events`: sends the match so far, and then a stream of server-sent events.
pub(crate) async fn events(shared: State<Arc<Shared>>) -> Result<Response, Refusal> {
    let not_there = || Refusal::new(StatusCode::NOT_FOUND, "no match is running here");
    let live = shared.live.as_ref().ok_or_else(not_there)?;
    let place = place(&shared)?;
    let (whole, changes) = live.watch();
    let first = Bytes::from(format!("retry: {COME_BACK}\n\n"));
    let begin = (vec![whole, first], changes, place);
    let events = stream::unfold(begin, |(mut first, mut changes, place)| async move {
        let told = match first.pop() {
            Some(event) => Ok(event),
            // If the spectator reads too slowly, this error closes the connection at once, so that its place is free
            // for another spectator.
            None => next(changes.as_mut()?).await?,
        };
        Some((told, (first, changes, place)))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((kind, Body::from_stream(events)).into_response())
}

/// Reserves the place of a spectator.
pub(crate) fn place(shared: &Shared) -> Result<OwnedSemaphorePermit, Refusal> {
    let place = shared.spectators.clone().try_acquire_owned();
    place.map_err(|_| {
        let why = format!("there are already {MOST_SPECTATORS} spectators; try again later");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why)
    })
}

/// The error that ends the stream of a spectator that reads too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the spectator reads too slowly")]
struct BehindError;

/// Waits for the next event, and returns it together with the other events that have already arrived. If no event
/// occurs for a while, returns a comment that keeps the connection alive. Returns `None` once the match is over.
async fn next(changes: &mut broadcast::Receiver<Bytes>) -> Option<Result<Bytes, BehindError>> {
    sleep(TOGETHER).await;
    let mut told = match timeout(SIGN_OF_LIFE, changes.recv()).await {
        Err(_) => return Some(Ok(Bytes::from_static(b":\n\n"))),
        Ok(Err(RecvError::Closed)) => return None,
        Ok(Err(RecvError::Lagged(_))) => return Some(Err(BehindError)),
        Ok(Ok(event)) if changes.is_empty() => return Some(Ok(event)),
        Ok(Ok(event)) => BytesMut::from(&event[..]),
    };
    while told.len() < ENOUGH {
        match changes.try_recv() {
            Ok(event) => told.extend_from_slice(&event),
            Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            Err(TryRecvError::Lagged(_)) => return Some(Err(BehindError)),
        }
    }
    Some(Ok(told.freeze()))
}

/// A server for spectators. It runs on its own thread, so that no player waits for it.
///
/// Dropping this value stops the server as soon as all spectators have received the last event, but after a second at
/// the latest.
pub struct SpectatorServer {
    announcer: Announcer,
    link: String,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SpectatorServer {
    /// Starts a server that shows the games of a match to spectators; `title` is the title that they see. The games that
    /// the match already has count in the standings.
    ///
    /// # Errors
    ///
    /// Returns an error if the listener cannot be used, or if the system provides no thread or no random numbers.
    pub fn start(
        runtime: Runtime,
        listener: TcpListener,
        config: Config,
        of: Match,
        title: String,
    ) -> io::Result<Self> {
        let (announcer, heard) = channel();
        let live = Live::new(of, title);
        let studio = {
            let _inside = runtime.enter();
            Studio::new(listener, config)?.with_live(live.clone())
        };
        let link = studio.link();
        let (end, ended) = oneshot::channel();
        let serve = move || {
            yield_to_players();
            runtime.block_on(async {
                let ends = async {
                    // This fails if the sender is dropped, which also means that the server should stop.
                    let _ = ended.await;
                };
                tokio::select! {
                    _ = studio.serve() => {}
                    () = live.run(heard, ends) => {}
                }
            });
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("spectators".to_owned());
        Ok(Self {
            announcer,
            link,
            end: Some(end),
            thread: Some(thread.spawn(serve)?),
        })
    }

    /// Returns the link that spectators open.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Returns the announcer, which sends news about the games to the spectators.
    pub fn announcer(&self) -> &Announcer {
        &self.announcer
    }
}

impl Drop for SpectatorServer {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // This fails if the thread panicked, and the panic has already been reported.
            let _ = thread.join();
        }
    }
}

/// On Linux, lowers the priority of the calling thread, so that players run first.
pub fn yield_to_players() {
    #[cfg(target_os = "linux")]
    {
        let this = rustix::thread::gettid();
        // If the priority cannot be changed, the server works anyway.
        let _ = rustix::process::setpriority_process(Some(this), 10);
    }
}
