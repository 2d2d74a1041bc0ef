//! The web server behind `turnwise studio`, independent of the games.
//!
//! It serves the front end (compiled into this program), the engine, logs from folders, and running games.
//!
//! | module | content |
//! |---|---|
//! | [`assets`] | the front end's files |
//! | `access` | access control |
//! | [`serving`] | connections and their limits |
//! | `asking` | requests to the engine |
//! | `searches` | the queue for searches |
//! | [`folder`] | the readable logs |
//! | `matches` | logs for the browser |
//! | [`live`] | running games |
//! | [`spectators`] | event streams for spectators, and their server |
//! | `answers` | request and response bodies |

mod access;
mod answers;
mod asking;
pub mod assets;
pub mod folder;
pub mod live;
mod matches;
mod searches;
pub mod serving;
pub mod spectators;

use std::io;
use std::net::{self, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use turnwise_engine::plugin::Plugin;

use access::Access;
use asking::{Engine, LONGEST, MOST_NODES};
use assets::Asset;
use folder::Folders;
use live::Live;
use matches::Logs;
use serving::Limits;
use spectators::MOST_SPECTATORS;

/// The maximum number of engine requests in memory, in addition to the queue.
const BODIES_AT_ONCE: usize = 64;

/// The maximum number of concurrent uploads of logs.
const UPLOADS_AT_ONCE: usize = 4;

/// The default port; if it is taken, the next free port.
const USUAL_PORT: u16 = 7365;

/// The number of ports to try.
const PORTS: u16 = 100;

/// Listens on an address, or on a default port of the loopback address.
///
/// Without an address, the port is constant as long as it is free.
///
/// # Errors
///
/// Returns an error if the address or all default ports are unavailable.
pub fn listen(address: Option<SocketAddr>) -> io::Result<net::TcpListener> {
    if let Some(address) = address {
        return net::TcpListener::bind(address);
    }
    let usual = (USUAL_PORT..USUAL_PORT + PORTS).map(|port| (Ipv4Addr::LOCALHOST, port).into());
    let addresses: Vec<SocketAddr> = usual.collect();
    net::TcpListener::bind(&*addresses)
}

/// The configuration of the server.
pub struct Config {
    /// The games to play and study, and whose logs are readable.
    pub games: &'static [&'static dyn Plugin],
    /// The number of concurrent searches; with 0, requests for a search are rejected.
    pub cores: usize,
    /// The readable logs.
    pub folders: Folders,
    /// The limits on connections.
    pub limits: Limits,
}

/// The state that all requests share.
struct Shared {
    engine: Engine,
    logs: Logs,
    bodies: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    /// The maximum time for a body to arrive.
    body_within: Duration,
    live: Option<Arc<Live>>,
    spectators: Arc<Semaphore>,
}

/// A listening server.
pub struct Studio {
    listener: TcpListener,
    live: Option<Arc<Live>>,
    access: Arc<Access>,
    config: Config,
}

impl Studio {
    /// Creates a server for a listener; needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the listener is unusable, or the system provides no random numbers for a token.
    pub fn new(listener: net::TcpListener, config: Config) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let access = Access::new(listener.local_addr()?)?;
        Ok(Self {
            listener,
            live: None,
            access: Arc::new(access),
            config,
        })
    }

    /// Adds running games to the server.
    #[must_use]
    pub fn with_live(self, live: Arc<Live>) -> Self {
        let live = Some(live);
        Self { live, ..self }
    }

    /// Returns the link to the server, with the token if required.
    pub fn link(&self) -> String {
        self.access.link()
    }

    /// Serves until the future is dropped.
    pub async fn serve(self) {
        let Config {
            games,
            cores,
            folders,
            limits,
        } = self.config;
        let shared = Arc::new(Shared {
            engine: Engine::new(games, cores),
            logs: Logs::new(games, folders),
            uploads: Arc::new(Semaphore::new(UPLOADS_AT_ONCE)),
            live: self.live,
            spectators: Arc::new(Semaphore::new(MOST_SPECTATORS)),
            bodies: Arc::new(Semaphore::new(BODIES_AT_ONCE)),
            body_within: limits.body_within,
        });
        let router = Router::new()
            .route("/", get(|| async { asset("index.html") }))
            .route(
                "/web/{name}",
                get(|Path(name): Path<String>| async move { asset(&name) }),
            )
            .route("/api/about", get(about))
            .route("/api/ask", post(asking::ask))
            .route("/api/grow", post(asking::grow))
            .route("/api/logs", get(matches::list))
            .route("/api/logs/{id}", get(matches::one))
            .route("/api/log", post(matches::dropped))
            .route("/api/live", get(spectators::summary))
            .route("/api/live/events", get(spectators::events))
            .fallback(|| async { nothing() })
            .layer(from_fn_with_state(self.access, access::guard))
            .with_state(shared);
        serving::serve(self.listener, router, limits).await
    }
}

fn nothing() -> Response {
    answers::Refusal::new(StatusCode::NOT_FOUND, "not found").into_response()
}

fn asset(name: &str) -> Response {
    match Asset::named(name) {
        Some(file) => ([(header::CONTENT_TYPE, file.media_type())], file.bytes).into_response(),
        None => nothing(),
    }
}

/// `GET /api/about`: describes the server's features.
async fn about(State(shared): State<Arc<Shared>>) -> Response {
    answers::json(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "is_live": shared.live.is_some(),
        "has_logs": shared.logs.are_there(),
        "limits": { "seconds": LONGEST.as_secs(), "nodes": MOST_NODES, "upload_bytes": matches::LARGEST },
    }))
}
