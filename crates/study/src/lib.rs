//! What people ask about games: play against an agent, look at positions, study and review. Requests and
//! answers are values; nothing is kept between two requests, nothing is read or written, no thread is
//! started. A server answers them over HTTP, a browser's worker in WebAssembly, both by [`answer`].
//!
//! | module | what it is for |
//! |---|---|
//! | [`request`] | what can be asked |
//! | [`games`] | what there is to choose from |
//! | [`position`] | a position: a beginning and moves |
//! | [`play`] | an agent's move |
//! | [`picture`] | a position or a game as a picture |
//! | [`review`] | what the moves of a game gave away |

pub mod games;
pub mod picture;
pub mod play;
pub mod position;
pub mod request;
pub mod review;

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use turnwise_engine::instant::Instant;
use turnwise_engine::plugin::{Plugin, Studying};
use turnwise_engine::search::{Limits, Stop};

pub use request::Request;

/// What a request may cost, and what is at hand for it.
#[derive(Debug, Clone, Copy)]
pub struct Allowed<'a> {
    /// The longest that a search may take.
    pub time: Duration,
    /// The most nodes that a search may visit.
    pub nodes: u64,
    /// The folder of solved games, if there is one.
    pub solutions: Option<&'a Path>,
}

impl Allowed<'_> {
    /// Limits for what was asked for, within what is allowed.
    fn limits(&self, nodes: Option<u64>, depth: Option<u32>, seconds: Option<f64>) -> Limits {
        let asked = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let time = asked.unwrap_or(self.time).min(self.time);
        let now = Instant::now();
        Limits {
            nodes: nodes.unwrap_or(self.nodes).min(self.nodes),
            depth: depth.unwrap_or(u32::MAX),
            // Where nodes or depth were asked for alone, the answer is the same every time unless that
            // takes longer than anything may.
            soft: asked.map(|_| now + time),
            hard: Some(now + time),
            ..Limits::default()
        }
    }
}

/// Why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RefusedError(pub String);

impl From<String> for RefusedError {
    fn from(why: String) -> Self {
        Self(why)
    }
}

/// Answers a request. What grows, grows through `told`: each value replaces the one before, and the answer
/// replaces the last one.
///
/// # Errors
///
/// If there is no such game, position or move: what was expected.
pub fn answer(
    request: &Request,
    games: &[&'static dyn Plugin],
    allowed: &Allowed,
    stop: &Stop,
    told: &mut dyn FnMut(Value),
) -> Result<Value, RefusedError> {
    match request {
        Request::Games => Ok(value(&games::list(games))),
        Request::Settle { game, options } => Ok(value(&games::settle(games, game, options)?)),
        Request::View { position, viewer } => Ok(value(&position.view(games, *viewer)?)),
        Request::Think(think) => Ok(value(&play::think(think, games, allowed, stop)?)),
        Request::Study {
            position,
            top,
            nodes,
            depth,
            seconds,
        } => {
            let settled = position.settled(games)?;
            let mut open = position.open(&*settled)?;
            let how = Studying {
                top: usize::from((*top).clamp(1, request::MOST_LINES)),
                limits: allowed.limits(*nodes, *depth, *seconds),
                stop: stop.clone(),
                solutions: allowed.solutions,
            };
            let studied = open.study(&how, &mut |studied| told(value(studied)));
            let studied = studied.ok_or_else(|| RefusedError("the game is over".to_owned()))?;
            Ok(value(&studied))
        }
        Request::Picture { position, format } => {
            Ok(value(&picture::picture(position, *format, games)?))
        }
        Request::Review {
            position,
            opening,
            nodes,
        } => {
            let reviewed = review::review(position, *opening, *nodes, games, allowed, stop, told)?;
            Ok(value(&reviewed))
        }
    }
}

fn value(of: &impl serde::Serialize) -> Value {
    serde_json::to_value(of).expect("answers are plain values")
}
