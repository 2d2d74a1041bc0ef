//! Answers requests to the engine. `/api/ask` sends only the answer; `/api/grow` also sends partial results before it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use turnwise_engine::plugin::Plugin;
use turnwise_engine::search::Stop;
use turnwise_study::{Allowed, Request};

use crate::Shared;
use crate::answers::{Refusal, body, json, off_the_loop};
use crate::searches::{BusyError, Searches};

/// The maximum size of a request body, in bytes.
///
/// This is enough for a game of [20,000 moves](turnwise_study::position).
const LARGEST: usize = 1 << 20;

/// The maximum time of a search.
pub const LONGEST: Duration = Duration::from_secs(60);

/// The maximum number of nodes of a search.
pub const MOST_NODES: u64 = 1_000_000_000;

/// The maximum number of requests without a search that are answered in parallel; further requests wait.
const QUICK_AT_ONCE: usize = 4;

/// The number of lines that are buffered for a client. If the buffer is full, new partial results are dropped.
const LINES: usize = 16;

/// The engine, with a queue for requests that need a search.
pub struct Engine {
    games: &'static [Plugin],
    searches: Arc<Searches>,
    quick: Arc<Semaphore>,
}

impl Engine {
    /// Creates an engine for these games that runs up to `cores` searches in parallel.
    pub fn new(games: &'static [Plugin], cores: usize) -> Self {
        Self {
            games,
            searches: Searches::new(cores),
            quick: Arc::new(Semaphore::new(QUICK_AT_ONCE)),
        }
    }

    /// Waits until the engine has a free core for the request, and answers it. Meanwhile, passes the request's place in
    /// the queue and partial results to `told`.
    ///
    /// Dropping the future stops the search. The permit limits the number of requests in memory. It is released when
    /// the request enters the queue, whose length is limited separately, or when the request is answered.
    async fn answer(
        &self,
        (request, permit): (Request, OwnedSemaphorePermit),
        told: impl Fn(Value) + Send + 'static,
    ) -> Result<Value, Refusal> {
        let stop = Stop::default();
        let _gone = StopWhenDropped(stop.clone());
        let games = self.games;
        let is_quick = is_quick(&request);
        let think = move |told: &mut dyn FnMut(Value)| {
            let allowed = Allowed {
                time: LONGEST,
                nodes: MOST_NODES,
                solutions: None,
            };
            turnwise_study::answer(&request, games, &allowed, &stop, told)
        };
        let answered = match is_quick {
            true => {
                let permits = (permit, self.quick.clone().acquire_owned().await);
                let work = move || {
                    let _permits = permits;
                    think(&mut |_| {})
                };
                off_the_loop(work).await?
            }
            false => {
                let busy =
                    |busy: BusyError| Refusal::new(StatusCode::TOO_MANY_REQUESTS, busy.to_string());
                let place = self.searches.queue().map_err(busy)?;
                drop(permit);
                (place.turn(|before| told(json!({ "waiting": before })))).await;
                let search = move || {
                    let _place = place;
                    think(&mut |grown| told(json!({ "grown": grown })))
                };
                off_the_loop(search).await?
            }
        };
        answered
            .map_err(|refused| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, refused.to_string()))
    }
}

/// Returns true for a request that needs no search.
fn is_quick(request: &Request) -> bool {
    matches!(
        request,
        Request::Games | Request::Settle { .. } | Request::View { .. } | Request::Picture { .. }
    )
}

/// A guard that stops a search when the guard is dropped, which happens if the client disconnects.
struct StopWhenDropped(Stop);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Reads the JSON that the body of an HTTP request contains. Returns it with the permit for keeping the body in memory.
///
/// The content type must be `application/json`. A form on another site's page cannot send this content type, so it
/// cannot send requests to the engine.
pub async fn read<T: DeserializeOwned>(
    shared: &Shared,
    headers: &HeaderMap,
    sent: Body,
) -> Result<(T, OwnedSemaphorePermit), Refusal> {
    let media_type = headers.get(header::CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|value| value.split(';').next());
    if media_type.map(str::trim) != Some("application/json") {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "expected the content type application/json",
        ));
    }
    let (bytes, permit) = body(sent, (LARGEST, shared.body_within), &shared.bodies).await?;
    let request = serde_json::from_slice(&bytes).map_err(|error| {
        Refusal::new(StatusCode::BAD_REQUEST, format!("invalid request: {error}"))
    })?;
    Ok((request, permit))
}

/// `POST /api/ask`: sends the answer as JSON.
pub async fn ask(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request = read(&shared, &headers, body).await?;
    let answer = shared.engine.answer(request, |_| {}).await?;
    Ok(json(&json!({ "answer": answer })))
}

/// `POST /api/grow`: sends lines of JSON: first the partial results, and the answer in the last line.
pub async fn grow(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let request = read(&shared, &headers, body).await?;
    let (lines, mut read) = mpsc::channel(LINES);
    tokio::spawn(async move {
        let meanwhile = lines.clone();
        let told = move |value: Value| {
            // If the buffer is full, this result is dropped. That is harmless, because later results replace it.
            let _ = meanwhile.try_send(line(&value));
        };
        let last = tokio::select! {
            answer = shared.engine.answer(request, told) => match answer {
                Ok(answer) => json!({ "answer": answer }),
                Err(refusal) => refusal.value(),
            },
            () = lines.closed() => return,
        };
        // Sending fails if the client has disconnected. In that case, nobody needs the answer.
        let _ = lines.send(line(&last)).await;
    });
    let lines = stream::poll_fn(move |context| read.poll_recv(context));
    let response = Response::builder().header(header::CONTENT_TYPE, "application/x-ndjson");
    Ok(response
        .body(Body::from_stream(lines))
        .expect("a fixed header"))
}

fn line(value: &Value) -> Result<Bytes, std::convert::Infallible> {
    Ok(Bytes::from(format!("{value}\n")))
}
