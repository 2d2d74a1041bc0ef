//! Sends logs to the browser: the list of logs, a log from a folder, or a log that the browser has uploaded.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use turnwise_engine::plugin::Plugin;
use turnwise_report::Match;
use turnwise_report::page::data::MatchData;

use crate::Shared;
use crate::answers::{Refusal, body, json, off_the_loop};
use crate::folder::{Folders, ShowError, shown};

/// The maximum size of an uploaded log, in bytes.
pub const LARGEST: usize = 16 << 20;

/// The maximum number of logs that are read or sent to browsers in parallel.
const AT_ONCE: usize = 3;

/// The maximum time that a browser may take to receive a log.
const TAKEN_WITHIN: Duration = Duration::from_secs(120);

/// The size of the pieces in which a log is sent, in bytes.
const PIECE: usize = 64 << 10;

/// Gives access to the logs in the named folders, and limits how many logs are read in parallel.
pub struct Logs {
    games: &'static [Plugin],
    folders: Arc<Folders>,
    readers: Arc<Semaphore>,
}

impl Logs {
    /// Creates a value that gives access to the logs in these folders.
    pub fn new(games: &'static [Plugin], folders: Folders) -> Self {
        Self {
            games,
            folders: Arc::new(folders),
            readers: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Returns true if the user named any logs or folders.
    pub fn are_there(&self) -> bool {
        !self.folders.is_empty()
    }

    async fn permit(&self) -> OwnedSemaphorePermit {
        let permit = self.readers.clone().acquire_owned().await;
        permit.expect("it is never closed")
    }
}

/// `GET /api/logs`: lists the logs; the log that was changed last comes first.
pub async fn list(State(shared): State<Arc<Shared>>) -> Result<Response, Refusal> {
    let logs = &shared.logs;
    let permit = logs.permit().await;
    let (folders, games) = (logs.folders.clone(), logs.games);
    let listed = off_the_loop(move || {
        let _permit = permit;
        folders.list(games)
    })
    .await?;
    Ok(json(
        &json!({ "folders": logs.are_there(), "logs": listed }),
    ))
}

/// `GET /api/logs/ID`: sends the match in a log, in the format that the front end reads.
pub async fn one(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let logs = &shared.logs;
    let permit = logs.permit().await;
    let (folders, games) = (logs.folders.clone(), logs.games);
    page(
        permit,
        move || folders.read(&id, games),
        |of| MatchData::studied(of),
    )
    .await
}

/// `GET /api/logs/ID/PAIR`: sends the games of one pair of the match in a log, quickly even if the log is large.
pub async fn pair(
    State(shared): State<Arc<Shared>>,
    Path((id, pair)): Path<(String, u32)>,
) -> Result<Response, Refusal> {
    let logs = &shared.logs;
    let permit = logs.permit().await;
    let (folders, games) = (logs.folders.clone(), logs.games);
    let read = move || folders.read_pair(&id, pair, games);
    page(permit, read, |of| MatchData::of_pair(of)).await
}

/// `POST /api/log`: receives a log, and responds with its match in the format that the front end reads. The log is not
/// stored.
pub async fn dropped(
    State(shared): State<Arc<Shared>>,
    request: Body,
) -> Result<Response, Refusal> {
    let games = shared.logs.games;
    let (bytes, upload) = body(request, (LARGEST, shared.body_within), &shared.uploads).await?;
    let permit = shared.logs.permit().await;
    let read = move || {
        let _upload = upload;
        shown("log", &*bytes, games)
    };
    page(permit, read, |of| MatchData::studied(of)).await
}

/// Reads a match, and responds with the match in the format that the front end reads.
async fn page(
    permit: OwnedSemaphorePermit,
    read: impl FnOnce() -> Result<Match, ShowError> + Send + 'static,
    shown: for<'a> fn(&'a Match) -> MatchData<'a>,
) -> Result<Response, Refusal> {
    let data = off_the_loop(move || {
        let of = read().map_err(refusal)?;
        let data = serde_json::to_vec(&shown(&of));
        Ok(Bytes::from(data.expect("a match is plain values")))
    });
    Ok(in_pieces(data.await??, permit))
}

fn refusal(error: ShowError) -> Refusal {
    let status = match error {
        ShowError::Unknown | ShowError::NoPair(_) => StatusCode::NOT_FOUND,
        ShowError::Io(_) | ShowError::NoLog(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    Refusal::new(status, error.to_string())
}

/// Creates a response that sends the bytes in pieces, as fast as the client reads them. The permit is released after
/// the last piece.
fn in_pieces(bytes: Bytes, permit: OwnedSemaphorePermit) -> Response {
    let until = Instant::now() + TAKEN_WITHIN;
    let pieces = stream::unfold((bytes, permit), move |(mut rest, permit)| async move {
        let is_late = Instant::now() > until;
        let piece = rest.split_to(rest.len().min(PIECE));
        let is_there = !piece.is_empty() && !is_late;
        is_there.then_some((Ok::<_, Infallible>(piece), (rest, permit)))
    });
    (
        [(header::CONTENT_TYPE, "application/json")],
        Body::from_stream(pieces),
    )
        .into_response()
}
