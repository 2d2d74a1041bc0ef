//! Bodies in and out: JSON, refusals in words, limits.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Why a request is not answered, as `{"error": "..."}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    /// A refusal in words.
    pub fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self {
            status,
            why: why.into(),
        }
    }

    /// The words as JSON.
    pub fn value(&self) -> Value {
        json!({ "error": self.why })
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, json(&self.value())).into_response()
    }
}

/// A value as the response's body.
pub fn json(value: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(value).expect("answers are plain values");
    ([(header::CONTENT_TYPE, "application/json")], bytes).into_response()
}

/// A whole body of at most so many bytes that arrives within this time, and one of the permits, of which there are as many as bodies may be
/// held at the same time.
///
/// # Errors
///
/// If it is larger, does not arrive in time, or the client is gone.
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

/// Does work that takes longer than other connections may wait. An error if it panics.
pub async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| {
        Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "this program failed at the request; that is an error of its own",
        )
    })
}
