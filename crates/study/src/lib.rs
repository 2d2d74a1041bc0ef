//! Answers requests about games: to choose an agent's move, view a position, rank moves or review a game.
//!
//! Requests and answers are values. Answering a request leaves no state behind, performs no file or network I/O and
//! starts no thread. A server calls [`answer`] for HTTP requests, and a browser calls it in a WebAssembly worker.
//!
//! | module | purpose |
//! |---|---|
//! | [`request`] | the requests |
//! | [`games`] | the available games and settings |
//! | [`position`] | a position: a beginning and moves |
//! | [`play`] | an agent's move |
//! | [`picture`] | a position or a game as a picture |
//! | [`puzzles`] | positions with one good move |
//! | [`review`] | the loss and the mark of each move of a game |
//! | [`rules`] | the rules of a game, with positions |
//! | [`scene`] | a position from the middle of a game, for a picture |
//!
//! The three best first moves of a game with its usual settings:
//!
//! ```
//! use std::error::Error;
//! use std::time::Duration;
//!
//! use serde_json::{Value, from_value, json};
//! use turnwise_engine::search::Stop;
//! use turnwise_games::GAMES;
//! use turnwise_study::{Allowed, answer};
//!
//! let allowed = Allowed { time: Duration::from_secs(60), nodes: 1000, solutions: None };
//! let ask = |request: Value| -> Result<Value, Box<dyn Error>> {
//!     Ok(answer(&from_value(request)?, GAMES, &allowed, &Stop::default(), &mut |_| {})?)
//! };
//! let game = GAMES[0].about().name;
//! let settings = ask(json!({"ask": "settle", "game": game}))?;
//! let position = json!({"game": game, "settings": settings, "beginning": {"seed": 1}});
//! let study = ask(json!({"ask": "study", "position": position, "top": 3}))?;
//! for line in study["lines"].as_array().into_iter().flatten() {
//!     println!("{}: {}", line["moves"][0], line["value"]);
//! }
//! # assert_eq!(study["lines"].as_array().map(Vec::len), Some(3));
//! # Ok::<(), Box<dyn Error>>(())
//! ```

pub mod games;
pub mod picture;
pub mod play;
pub mod position;
pub mod puzzles;
pub mod request;
pub mod review;
pub mod rules;
pub mod scene;

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use turnwise_engine::instant::Instant;
use turnwise_engine::plugin::{Plugin, Studying};
use turnwise_engine::search::{Limits, Stop};

pub use request::Request;
use review::Effort;

/// The limits of a request, and the resources that it may use.
#[derive(Debug, Clone, Copy)]
pub struct Allowed<'a> {
    /// The maximum time of a search.
    pub time: Duration,
    /// The maximum number of nodes of a search.
    pub nodes: u64,
    /// The folder that contains the solutions of solved games, if the server has one.
    pub solutions: Option<&'a Path>,
}

impl Allowed<'_> {
    /// Returns the requested limits, capped by the allowed limits.
    fn limits(&self, nodes: Option<u64>, depth: Option<u32>, seconds: Option<f64>) -> Limits {
        let asked = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let time = asked.unwrap_or(self.time).min(self.time);
        let now = Instant::now();
        Limits {
            nodes: nodes.unwrap_or(self.nodes).min(self.nodes),
            depth: depth.unwrap_or(u32::MAX),
            // A request that limits only nodes or depth has no soft deadline, so its answer is reproducible unless the
            // search reaches the hard deadline.
            soft: asked.map(|_| now + time),
            hard: Some(now + time),
            ..Limits::default()
        }
    }
}

/// The reason why a request was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RefusedError(pub String);

impl From<String> for RefusedError {
    fn from(why: String) -> Self {
        Self(why)
    }
}

/// Answers a request and streams partial results through `told`.
///
/// Each value passed to `told` replaces the previous one, and the returned answer replaces the last one.
///
/// # Errors
///
/// Returns an error that names the expected values if the game, the position or a move is unknown.
pub fn answer(
    request: &Request,
    games: &'static [Plugin],
    allowed: &Allowed,
    stop: &Stop,
    told: &mut dyn FnMut(Value),
) -> Result<Value, RefusedError> {
    let effort = |&nodes: &Option<u64>| Effort {
        nodes,
        allowed,
        stop,
    };
    match request {
        Request::Games => Ok(value(&games::list(games))),
        Request::Rules { game } => Ok(value(&rules::rules(games, game)?)),
        Request::Scene { game } => Ok(value(&scene::scene(game, games, allowed, stop)?)),
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
            let studied = studied.ok_or_else(|| {
                RefusedError("the game is over, or its rules list no moves".to_owned())
            })?;
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
            let reviewed = review::review(position, *opening, games, effort(nodes), told)?;
            Ok(value(&reviewed))
        }
        Request::Judge { position, nodes } => {
            Ok(value(&review::judge_last(position, games, effort(nodes))?))
        }
    }
}

fn value(of: &impl serde::Serialize) -> Value {
    serde_json::to_value(of).expect("answers are plain values")
}
