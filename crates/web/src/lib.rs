//! Runs games and agents in a web worker of a browser: receives the JSON requests of [`turnwise_study`] and returns
//! JSON answers. Also reads logs of matches.
//!
//! | module | purpose |
//! |---|---|
//! | `page` | the interface to the worker, which exists only in WebAssembly |

#[cfg(target_family = "wasm")]
mod page;

use std::time::Duration;

use serde_json::{Value, json};
use turnwise_engine::search::Stop;
use turnwise_games::GAMES;
use turnwise_report::merging::read_for_page;
use turnwise_report::page::data::MatchData;
use turnwise_study::{Allowed, RefusedError, Request, answer};

/// The limits of a page's requests. They are generous, because searches run on the user's own computer. The page
/// cancels a search by terminating the worker.
const ALLOWED: Allowed = Allowed {
    time: Duration::from_secs(600),
    nodes: u64::MAX,
    solutions: None,
};

/// Answers a request with `{"answer": ...}` or `{"error": "..."}`.
///
/// Before that, passes each partial result to `told` as `{"grown": ...}`.
pub fn answer_text(request: &[u8], mut told: impl FnMut(&str)) -> String {
    let answered = serde_json::from_slice::<Request>(request)
        .map_err(|error| RefusedError(format!("invalid request: {error}")))
        .and_then(|request| {
            let mut grown = |value: Value| told(&json!({ "grown": value }).to_string());
            answer(&request, GAMES, &ALLOWED, &Stop::default(), &mut grown)
        });
    match answered {
        Ok(answer) => json!({ "answer": answer }).to_string(),
        Err(error) => json!({ "error": error.to_string() }).to_string(),
    }
}

/// Reads a log, and returns `{"answer": ...}` with its match as [`MatchData`], or `{"error": "..."}`.
pub fn log_text(log: &[u8]) -> String {
    match read_for_page("log", || Ok(log), GAMES) {
        Ok(of) => {
            let data = serde_json::to_string(&MatchData::studied(&of));
            format!(r#"{{"answer":{}}}"#, data.expect("a match is plain values"))
        }
        Err(error) => json!({ "error": error.to_string() }).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_and_nonsense_is_refused_in_words() {
        let games = answer_text(br#"{"ask":"games"}"#, |_| {});
        let games: Value = serde_json::from_str(&games).expect("an answer is JSON");
        let names = games["answer"].as_array().expect("there are games").iter();
        let names: Vec<&str> = names.filter_map(|game| game["name"].as_str()).collect();
        assert_eq!(names.len(), GAMES.len());
        for nonsense in [&b""[..], b"\xff", b"{}", br#"{"ask":"tea"}"#] {
            let refused = answer_text(nonsense, |_| {});
            assert!(
                refused.starts_with(r#"{"error":"invalid request"#),
                "{refused}"
            );
        }
    }

    #[test]
    fn a_log_is_read_and_nonsense_is_refused_in_words() {
        let log = include_bytes!("../../../tests/data/arena/sample.jsonl");
        let read: Value = serde_json::from_str(&log_text(log)).expect("JSON");
        assert_eq!(read["answer"]["game"], "entropy", "{read}");
        let games = read["answer"]["games"].as_array().expect("there are games");
        assert!(games[0]["moves"][0].is_string(), "{read}");
        for nonsense in [&b""[..], b"\xff", b"{}"] {
            let refused = log_text(nonsense);
            assert!(refused.starts_with(r#"{"error":"line 1 "#), "{refused}");
        }
    }
}
