//! Spectators of running games: event streams, and their server during games.

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
use tokio::sync::{broadcast, oneshot};
use tokio::time::{sleep, timeout};
use turnwise_arena::records::Settings;

use crate::answers::{self, Refusal};
use crate::live::{Announcer, Live, channel};
use crate::{Config, Shared, Studio};

/// The maximum number of spectators.
pub const MOST_SPECTATORS: usize = 400;

/// The interval between keep-alive comments while no events occur.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Events within this time form one chunk, which bounds the cost of fast games.
const TOGETHER: Duration = Duration::from_millis(50);

/// The size after which a chunk ends, in bytes. The last event may exceed it.
const ENOUGH: usize = 64 << 10;

/// The delay before a dropped browser reconnects, in milliseconds.
const COME_BACK: u32 = 1000;

/// `GET /api/live`: whether this server shows running games, and the match's title.
pub(crate) async fn summary(shared: State<Arc<Shared>>) -> Response {
    let live = shared.live.as_ref();
    answers::json(&json!({
        "is_live": live.is_some(),
        "title": live.map_or("", |live| live.title()),
    }))
}

/// `GET /api/live/events`: sends the match so far, then server-sent events.
pub(crate) async fn events(shared: State<Arc<Shared>>) -> Result<Response, Refusal> {
    let not_there = || Refusal::new(StatusCode::NOT_FOUND, "no match is running here");
    let live = shared.live.as_ref().ok_or_else(not_there)?;
    let place = shared.spectators.clone().try_acquire_owned();
    let place = place.map_err(|_| {
        let why = format!("there are already {MOST_SPECTATORS} spectators; try again later");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why)
    })?;
    let (whole, changes) = live.watch();
    let first = Bytes::from(format!("retry: {COME_BACK}\n\n"));
    let begin = (vec![whole, first], changes, place);
    let events = stream::unfold(begin, |(mut first, mut changes, place)| async move {
        let told = match first.pop() {
            Some(event) => Ok(event),
            // An error closes the connection and frees its place at once.
            None => next(changes.as_mut()?).await?,
        };
        Some((told, (first, changes, place)))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((kind, Body::from_stream(events)).into_response())
}

/// The error of a spectator that reads too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the spectator reads too slowly")]
struct BehindError;

/// Waits for events and returns all of them; `None` once the match is over.
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

/// A server for spectators on its own thread, so that no player waits for it.
///
/// Dropping it stops the server after all spectators have received the end, at most after a second.
pub struct SpectatorServer {
    announcer: Announcer,
    link: String,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SpectatorServer {
    /// Serves a match with this title to spectators.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses a thread or random numbers.
    pub fn start(
        runtime: Runtime,
        listener: TcpListener,
        config: Config,
        settings: Settings,
        title: String,
    ) -> io::Result<Self> {
        let (announcer, heard) = channel();
        let live = Live::new(settings, title);
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
                    // The server also stops if the sender is dropped.
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

    /// Returns the link for spectators.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Returns the announcer for news about games.
    pub fn announcer(&self) -> &Announcer {
        &self.announcer
    }
}

impl Drop for SpectatorServer {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic has already been reported.
            let _ = thread.join();
        }
    }
}

/// Lowers the priority of the calling thread on Linux, so that players run first.
pub fn yield_to_players() {
    #[cfg(target_os = "linux")]
    {
        let this = rustix::thread::gettid();
        // The server also works without this.
        let _ = rustix::process::setpriority_process(Some(this), 10);
    }
}
