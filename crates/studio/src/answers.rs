//! Reads request bodies within limits, and creates responses with JSON and with errors.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// An error response. Its body is the JSON object `{"error": "..."}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    /// Creates an error response with this status and message.
    pub fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self {
            status,
            why: why.into(),
        }
    }

    /// Returns the body of the error response as a JSON value.
    pub fn value(&self) -> Value {
        json!({ "error": self.why })
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, json(&self.value())).into_response()
    }
}

/// Creates a response whose body is this value as JSON.
pub fn json(value: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(value).expect("answers are plain values");
    ([(header::CONTENT_TYPE, "application/json")], bytes).into_response()
}

/// Reads the whole body of a request, and returns it with a permit.
///
/// The body must have at most `most` bytes and arrive within the time `within`. The caller keeps the permit as long as
/// the body is in memory, so that the number of permits bounds the number of bodies.
///
/// # Errors
///
/// Returns an error if the body is too large or arrives too late, or if the client disconnects.
pub async fn body(
    body: Body,
    (most, within): (usize, Duration),
    permits: &Arc<Semaphore>,
) -> Result<(Bytes, OwnedSemaphorePermit), Refusal> {
    let too_large = || {
        let why = format!("expected at most {most} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    };
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let permit = permits.clone().acquire_owned().await;
    let permit = permit.expect("it is never closed");
    match tokio::time::timeout(within, axum::body::to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok((bytes, permit)),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => Err(Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the body did not arrive within {within:?}"),
        )),
    }
}

/// Runs long work on another thread, so that the server can answer other requests meanwhile. Returns an error if the
/// work panics.
pub async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error"))
}
