//! The web server behind `turnwise studio`: a front end that is part of this program, requests to the engine,
//! logs of a folder, games under way. Names no game.
//!
//! | module | what it is for |
//! |---|---|
//! | [`assets`] | the front end's files |
//! | `access` | who may ask |
//! | [`serving`] | connections and their limits |
//! | `asking` | requests to the engine |
//! | `searches` | the queue in front of it |
//! | [`folder`] | the logs that may be read |
//! | `matches` | logs for the browser |
//! | [`live`] | games under way |
//! | [`spectators`] | streams of events for those who watch them, and their server |
//! | `answers` | bodies in and out |

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

/// So many requests to the engine are held at the same time, besides those in its queue.
const BODIES_AT_ONCE: usize = 64;

/// The same of logs that are dropped onto the page.
const UPLOADS_AT_ONCE: usize = 4;

/// Where it listens unless it is told otherwise; if that is taken, on the next port that is free.
const USUAL_PORT: u16 = 7365;

/// So many ports are tried.
const PORTS: u16 = 100;

/// Listens on an address, or on a port of this machine's own address that is the same every time if it is free.
///
/// # Errors
///
/// If the address, or all of those ports, cannot be listened on.
pub fn listen(address: Option<SocketAddr>) -> io::Result<net::TcpListener> {
    if let Some(address) = address {
        return net::TcpListener::bind(address);
    }
    let usual = (USUAL_PORT..USUAL_PORT + PORTS).map(|port| (Ipv4Addr::LOCALHOST, port).into());
    let addresses: Vec<SocketAddr> = usual.collect();
    net::TcpListener::bind(&*addresses)
}

/// What the server serves.
pub struct Config {
    /// The games that people can play and study, and whose logs are read.
    pub games: &'static [&'static dyn Plugin],
    /// Searches at the same time; without any, only what needs no search is answered.
    pub cores: usize,
    /// The logs that may be read.
    pub folders: Folders,
    /// What connections may cost.
    pub limits: Limits,
}

/// What all requests share.
struct Shared {
    engine: Engine,
    logs: Logs,
    bodies: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    /// How long a body may take to arrive.
    body_within: Duration,
    live: Option<Arc<Live>>,
    spectators: Arc<Semaphore>,
}

/// A server that listens.
pub struct Studio {
    listener: TcpListener,
    live: Option<Arc<Live>>,
    access: Arc<Access>,
    config: Config,
}

impl Studio {
    /// A server for a listener; needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// If the listener cannot be used, or the system gives no random numbers for a token.
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

    /// The same with games under way.
    #[must_use]
    pub fn with_live(self, live: Arc<Live>) -> Self {
        let live = Some(live);
        Self { live, ..self }
    }

    /// The link to it, with the token if one is needed.
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
    answers::Refusal::new(StatusCode::NOT_FOUND, "there is nothing here").into_response()
}

fn asset(name: &str) -> Response {
    match Asset::named(name) {
        Some(file) => ([(header::CONTENT_TYPE, file.media_type())], file.bytes).into_response(),
        None => nothing(),
    }
}

/// `GET /api/about`: what this server offers.
async fn about(State(shared): State<Arc<Shared>>) -> Response {
    answers::json(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "is_live": shared.live.is_some(),
        "has_logs": shared.logs.are_there(),
        "limits": { "seconds": LONGEST.as_secs(), "nodes": MOST_NODES, "upload_bytes": matches::LARGEST },
    }))
}
