//! Games between two people, each with a browser. One person creates a match and sends a link to a friend, who takes
//! the other seat by opening the link.
//!
//! The arena's referee plays each match on a thread of its own, with the arena's clocks, checks and records. A player's
//! browser receives events with the game as that player sees it, and sends moves. All other clients are spectators, who
//! receive the game as the public sees it.

mod playing;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{self, State as Extracted};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, watch};
use turnwise_engine::plugin::Plugin;

use crate::Shared;
use crate::access::secure;
use crate::answers::{Refusal, json, off_the_loop};
use crate::asking::read;
use crate::live::event;
use crate::spectators::{COME_BACK, SIGN_OF_LIFE, place};
use playing::{Decision, Ends, Match, Phase, Wanted};

/// The maximum number of matches that are in progress or wait for a friend.
const MOST_OPEN: usize = 32;

/// The maximum number of finished matches that clients can still see.
const MOST_OVER: usize = 32;

/// If there are too many matches, a match that both players left at least this long ago is abandoned for a new one.
const AWAY: Duration = Duration::from_secs(600);

/// The name of the cookie that contains the token of a seat.
const SEAT: &str = "turnwise-seat";

/// The time for which a browser keeps the token of a seat, in seconds.
const KEPT: u32 = 7 * 24 * 3600;

/// All matches between people, in the order of their creation.
pub struct Matches {
    games: &'static [Plugin],
    /// The folder that receives the logs of finished games; without it, they are not logged.
    folder: Option<PathBuf>,
    all: Mutex<VecDeque<Arc<Match>>>,
}

/// The request to join a match.
#[derive(Deserialize)]
pub struct Joining {
    /// The token for the guest's seat; `None` for a spectator, and for a player that returns.
    invitation: Option<String>,
    /// The player's name, which counts until the game begins.
    name: Option<String>,
}

/// A request without parameters.
#[derive(Deserialize)]
struct Empty {}

impl Matches {
    /// Creates an empty list of matches. The logs of finished games are written to `folder`.
    pub fn new(games: &'static [Plugin], folder: Option<PathBuf>) -> Self {
        Self {
            games,
            folder,
            all: Mutex::default(),
        }
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<Arc<Match>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, id: &str) -> Result<Arc<Match>, Refusal> {
        let found = self.all().iter().find(|of| of.id == id).cloned();
        let why = "there is no such match; the server forgets old matches, and all matches when it restarts";
        found.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, why))
    }

    /// Creates and adds a match. `permit` is held while the settings are checked.
    async fn create(
        &self,
        wanted: Wanted,
        permit: OwnedSemaphorePermit,
    ) -> Result<Arc<Match>, Refusal> {
        let games = self.games;
        let created = off_the_loop(move || {
            let _permit = permit;
            Match::new(wanted, games)
        });
        let created = created.await?;
        let created = created.map_err(|why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why))?;
        let created = Arc::new(created);
        self.add(created.clone())?;
        Ok(created)
    }

    /// Adds a match, and removes the oldest matches if they are too many.
    fn add(&self, of: Arc<Match>) -> Result<(), Refusal> {
        let mut all = self.all();
        if all.iter().filter(|of| of.is_open()).count() >= MOST_OPEN {
            let left_at = |of: &Match| {
                let state = of.state();
                let is_left = state.connections == [0, 0] && state.left_at.elapsed() >= AWAY;
                (is_left && state.phase != Phase::Over).then_some(state.left_at)
            };
            let left = all.iter().enumerate();
            let left = left.filter_map(|(at, of)| Some((left_at(of)?, at))).min();
            let Some((_, at)) = left else {
                let why = format!("{MOST_OPEN} matches are in progress; try again later");
                return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why));
            };
            if let Some(left) = all.remove(at) {
                left.abandon();
            }
        }
        let over = all.iter().filter(|of| !of.is_open()).count();
        for _ in MOST_OVER..over {
            if let Some(at) = all.iter().position(|of| !of.is_open()) {
                all.remove(at);
            }
        }
        all.push_back(of);
        Ok(())
    }
}

impl Drop for Matches {
    /// Ends the threads of all matches.
    fn drop(&mut self) {
        for of in &*self.all() {
            of.abandon();
        }
    }
}

/// A client's connection to a match. While it exists, the player counts as connected.
struct Connection {
    of: Arc<Match>,
    side: Option<usize>,
    known: Option<usize>,
    changes: watch::Receiver<u64>,
    link: String,
    phase: Phase,
    _place: Option<OwnedSemaphorePermit>,
}

impl Connection {
    fn count(&self, change: impl FnOnce(&mut usize)) {
        if let Some(side) = self.side {
            let mut state = self.of.state();
            let was_here = state.connections[side] > 0;
            change(&mut state.connections[side]);
            state.left_at = Instant::now();
            let is_here = state.connections[side] > 0;
            drop(state);
            if was_here != is_here {
                self.of.changed();
            }
        }
    }

    /// Waits for the next change, and returns it as an event. Returns `None` after the end of the match.
    async fn next(&mut self) -> Option<Bytes> {
        if self.phase == Phase::Over {
            return None;
        }
        if self.known.is_some() {
            let changed = tokio::time::timeout(SIGN_OF_LIFE, self.changes.changed()).await;
            if changed.is_err() {
                return Some(Bytes::from_static(b":\n\n"));
            }
        }
        self.changes.mark_unchanged();
        let (told, known, phase) = self.of.told(self.side, self.known, &self.link);
        (self.known, self.phase) = (Some(known), phase);
        Some(match phase {
            Phase::Over => [&told[..], &event("closed", "{}")].concat().into(),
            Phase::Waiting | Phase::Playing => told,
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.count(|connections| *connections -= 1);
    }
}

/// Creates a response that gives the seat on this side to a browser.
fn seated(shared: &Shared, of: &Match, side: usize) -> Response {
    let (id, token) = (&of.id, of.seats[side].reveal());
    let path = format!("/api/matches/{id}");
    let secure = secure(&shared.link);
    let cookie =
        format!("{SEAT}={token}; HttpOnly; SameSite=Strict; Max-Age={KEPT}; Path={path}{secure}");
    let seated = json(&json!({ "id": id, "side": side }));
    ([(header::SET_COOKIE, cookie)], seated).into_response()
}

/// `GET /api/matches`: lists the matches in progress.
pub async fn list(Extracted(shared): Extracted<Arc<Shared>>) -> Response {
    let all = shared.matches.all();
    let listed = all.iter().filter_map(|of| {
        let state = of.state();
        let told = json!({
            "id": of.id, "game": of.settings.game.about().name, "names": state.names,
            "moves": state.moves.len(),
        });
        (state.phase == Phase::Playing).then_some(told)
    });
    json(&json!({ "matches": listed.collect::<Vec<_>>() }))
}

/// `POST /api/matches`: creates a match, and gives the client the host's seat.
pub async fn create(
    Extracted(shared): Extracted<Arc<Shared>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    if shared.live.is_some() {
        let why = "this server only shows running games";
        return Err(Refusal::new(StatusCode::NOT_FOUND, why));
    }
    let (wanted, permit): (Wanted, _) = read(&shared, &headers, body).await?;
    let created = shared.matches.create(wanted, permit).await?;
    Ok(seated(&shared, &created, created.host))
}

/// `POST /api/matches/ID/rematch`: after the game, creates a match with the sides swapped, and gives the client the
/// host's seat there. If the opponent has created that match, returns its invitation.
pub async fn rematch(
    Extracted(shared): Extracted<Arc<Shared>>,
    extract::Path(id): extract::Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let (Empty {}, permit) = read(&shared, &headers, body).await?;
    let of = shared.matches.find(&id)?;
    let side = of.seat(&headers)?;
    if of.is_open() {
        let why = "the game is not over";
        return Err(Refusal::new(StatusCode::CONFLICT, why));
    }
    let offered = match of.offered() {
        Some(offered) => offered,
        None => {
            let created = shared.matches.create(of.rematch(side), permit).await?;
            of.offer(created)
        }
    };
    Ok(match offered.host == 1 - side {
        true => seated(&shared, &offered, offered.host),
        false => json(&json!({ "id": offered.id, "invitation": offered.invitation.reveal() })),
    })
}

/// `POST /api/matches/ID/join`: states the match's game and the client's side. With the invitation, gives the guest's
/// seat to the client and begins the game. A player's name counts until then.
pub async fn join(
    Extracted(shared): Extracted<Arc<Shared>>,
    extract::Path(id): extract::Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let (Joining { invitation, name }, _permit) = read(&shared, &headers, body).await?;
    let of = shared.matches.find(&id)?;
    let side = of.side(&headers);
    let Some(invitation) = invitation.filter(|_| side.is_none()) else {
        if let Some((side, name)) = side.zip(name) {
            of.state().call(side, &name);
        }
        let game = of.settings.game.about().name;
        return Ok(json(&json!({ "id": id, "side": side, "game": game })));
    };
    let refused = |status, why: &str| Err(Refusal::new(status, why));
    if !of.invitation.is(&invitation) {
        return refused(
            StatusCode::FORBIDDEN,
            "this link does not belong to the match",
        );
    }
    {
        let mut state = of.state();
        if state.phase != Phase::Waiting {
            return refused(StatusCode::CONFLICT, "the seat is taken; you can watch");
        }
        state.call(1 - of.host, &name.unwrap_or_default());
        state.phase = Phase::Playing;
    }
    let (playing, folder) = (of.clone(), shared.matches.folder.clone());
    let play = move || {
        let _ends = Ends(playing.clone());
        if let Err(error) = playing.play(folder.as_deref()) {
            playing.over(|state| state.note = Some(format!("The match has stopped: {error}.")));
        }
    };
    let started = thread::Builder::new().name("match".to_owned()).spawn(play);
    if started.is_err() {
        of.state().phase = Phase::Waiting;
        return refused(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server has no free thread",
        );
    }
    Ok(seated(&shared, &of, 1 - of.host))
}

/// `POST /api/matches/ID/act`: makes a player's move, or resigns the game.
pub async fn act(
    Extracted(shared): Extracted<Arc<Shared>>,
    extract::Path(id): extract::Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let (decision, permit): (Decision, _) = read(&shared, &headers, body).await?;
    let of = shared.matches.find(&id)?;
    let side = of.seat(&headers)?;
    let answer = of.decide(side, decision)?;
    drop(permit);
    match answer.await {
        Ok(Ok(())) => Ok(json(&json!({}))),
        Ok(Err(why)) => Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why)),
        Err(_) => Err(Refusal::new(StatusCode::CONFLICT, "the game is over")),
    }
}

/// `GET /api/matches/ID/events`: sends the state of a match and then its changes, as server-sent events.
pub async fn events(
    Extracted(shared): Extracted<Arc<Shared>>,
    extract::Path(id): extract::Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let of = shared.matches.find(&id)?;
    let side = of.side(&headers);
    // Spectators must not take the players' places.
    let place = match side {
        Some(_) => None,
        None => Some(place(&shared)?),
    };
    let connection = Connection {
        changes: of.changes.subscribe(),
        of,
        side,
        known: None,
        link: shared.link.clone(),
        phase: Phase::Waiting,
        _place: place,
    };
    connection.count(|connections| *connections += 1);
    let retry = Ok::<_, Infallible>(Bytes::from(format!("retry: {COME_BACK}\n\n")));
    let events = stream::unfold(connection, |mut connection| async move {
        let told = connection.next().await?;
        Some((Ok(told), connection))
    });
    let events = stream::iter([retry]).chain(events);
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((kind, Body::from_stream(events)).into_response())
}
