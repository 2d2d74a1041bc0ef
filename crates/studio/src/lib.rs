//! The web server behind `turnwise studio`, which works for every game.
//!
//! It serves the front end, whose files are compiled into the program. It also answers requests to the engine, and
//! shows logs from folders and running games.
//!
//! | module | content |
//! |---|---|
//! | [`assets`] | the front end's files |
//! | `access` | access control |
//! | [`serving`] | connections, and limits on them |
//! | `asking` | answers to requests to the engine |
//! | `searches` | the queue of searches that wait for a core |
//! | [`folder`] | the logs that clients can read |
//! | `matches` | sending logs to the browser |
//! | [`live`] | running games |
//! | `friends` | games between two people at two browsers |
//! | [`spectators`] | event streams for spectators, and the server for spectators |
//! | `answers` | request and response bodies |
//!
//! Clients see the logs in the files and folders that the user names, and nothing else:
//!
//! ```
//! use turnwise_games::GAMES;
//! use turnwise_studio::folder::{Folders, ShowError};
//!
//! let logs = Folders::new(vec!["games".into()]);
//! let unknown = logs.read("../secret.jsonl", GAMES);
//! assert!(matches!(unknown, Err(ShowError::Unknown)));
//! ```

mod access;
mod answers;
mod asking;
pub mod assets;
pub mod folder;
mod friends;
pub mod live;
mod matches;
mod searches;
pub mod serving;
pub mod spectators;

use std::io;
use std::net::{self, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{self, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use turnwise_engine::plugin::Plugin;

use access::Access;
pub use access::PublicUrl;
use asking::{Engine, LONGEST, MOST_NODES};
use assets::Asset;
use folder::Folders;
use friends::Matches;
use live::Live;
use matches::Logs;
use serving::Limits;
use spectators::MOST_SPECTATORS;

/// The maximum number of requests to the engine that are in memory, not counting requests in the queue for searches.
const BODIES_AT_ONCE: usize = 64;

/// The maximum number of logs that are uploaded in parallel.
const UPLOADS_AT_ONCE: usize = 4;

/// The first port to try by default; if it is in use, the following ports are tried.
const USUAL_PORT: u16 = 7365;

/// The number of consecutive ports to try by default.
const PORTS: u16 = 100;

/// Listens on the given address, or by default on the first free default port of the loopback address.
///
/// Without an address, the first default port is used whenever it is free, so the link to the server rarely changes.
///
/// # Errors
///
/// Returns an error if the address is unavailable or, without an address, if all default ports are in use.
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
    /// The games that clients can play and analyze, and whose logs they can read.
    pub games: &'static [Plugin],
    /// Returns the puzzles of the game with a name as JSON, if there are any.
    pub puzzles: fn(&str) -> Option<&'static str>,
    /// The maximum number of searches that run in parallel. If it is 0, requests that need a search are rejected.
    pub cores: usize,
    /// The logs that clients can read.
    pub folders: Folders,
    /// The limits on connections.
    pub limits: Limits,
    /// The address at which a proxy offers the server.
    pub public: Option<PublicUrl>,
}

/// The state that all requests share.
struct Shared {
    engine: Engine,
    logs: Logs,
    matches: Matches,
    /// The link to this server.
    link: String,
    bodies: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    /// The maximum time that the body of a request may take to arrive.
    body_within: Duration,
    live: Option<Arc<Live>>,
    spectators: Arc<Semaphore>,
}

/// A server that already listens, but does not answer yet.
pub struct Studio {
    listener: TcpListener,
    live: Option<Arc<Live>>,
    access: Arc<Access>,
    config: Config,
}

impl Studio {
    /// Creates a server that accepts connections from `listener`. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the listener cannot be used, or if the system provides no random numbers for the token.
    pub fn new(listener: net::TcpListener, config: Config) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let access = Access::new(listener.local_addr()?, config.public.clone())?;
        Ok(Self {
            listener,
            live: None,
            access: Arc::new(access),
            config,
        })
    }

    /// Adds running games to the server, which clients can then watch.
    #[must_use]
    pub fn with_live(self, live: Arc<Live>) -> Self {
        let live = Some(live);
        Self { live, ..self }
    }

    /// Returns the link to the server, with the token if clients need one.
    pub fn link(&self) -> String {
        self.access.link()
    }

    /// Answers requests until the future is dropped.
    pub async fn serve(self) {
        let Config {
            games,
            puzzles,
            cores,
            folders,
            limits,
            public: _,
        } = self.config;
        let shared = Arc::new(Shared {
            engine: Engine::new(games, cores),
            matches: Matches::new(games, folders.first_folder().map(Path::to_owned)),
            link: self.access.link(),
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
                get(
                    move |extract::Path(name): extract::Path<String>| async move {
                        let game = name.strip_prefix("puzzles-");
                        let game = game.and_then(|game| game.strip_suffix(".json"));
                        match game.and_then(puzzles) {
                            Some(set) => json_text(set),
                            None => asset(&name),
                        }
                    },
                ),
            )
            .route("/api/about", get(about))
            .route("/api/ask", post(asking::ask))
            .route("/api/grow", post(asking::grow))
            .route("/api/logs", get(matches::list))
            .route("/api/logs/{id}", get(matches::one))
            .route("/api/logs/{id}/{pair}", get(matches::pair))
            .route("/api/log", post(matches::dropped))
            .route("/api/matches", get(friends::list).post(friends::create))
            .route("/api/matches/{id}/join", post(friends::join))
            .route("/api/matches/{id}/act", post(friends::act))
            .route("/api/matches/{id}/rematch", post(friends::rematch))
            .route("/api/matches/{id}/events", get(friends::events))
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

fn json_text(text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn asset(name: &str) -> Response {
    match Asset::named(name) {
        Some(file) => ([(header::CONTENT_TYPE, file.media_type())], file.bytes).into_response(),
        None => nothing(),
    }
}

/// `GET /api/about`: states this server's version, features and limits.
async fn about(State(shared): State<Arc<Shared>>) -> Response {
    answers::json(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "is_live": shared.live.is_some(),
        "has_logs": shared.logs.are_there(),
        "limits": { "seconds": LONGEST.as_secs(), "nodes": MOST_NODES, "upload_bytes": matches::LARGEST },
    }))
}
