//! Tests requests to the engine.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use serde_json::{Value, json};
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{About, AnyGame, Plugin, Registered, UnplayableError};
use turnwise_games::GAMES;

use crate::support::{config, start};

fn study(seconds: f64) -> Value {
    let position =
        json!({ "game": "entropy", "settings": { "size": 5 }, "beginning": { "seed": 7 } });
    json!({ "ask": "study", "position": position, "top": 1, "seconds": seconds })
}

#[test]
fn answers_and_refusals_are_json() {
    let server = start(config());
    let games = server.post("/api/ask", "{\"ask\":\"games\"}").json();
    assert_eq!(games["answer"].as_array().map(Vec::len), Some(GAMES.len()));
    let malformed = server.post("/api/ask", "{\"ask\":");
    assert_eq!(malformed.status, 400);
    assert!(malformed.error().starts_with("invalid request: "));
    let unknown = json!({ "ask": "view", "position": {
        "game": "chess", "settings": {}, "beginning": { "seed": 1 } } });
    let unknown = server.post("/api/ask", &unknown.to_string());
    assert_eq!(unknown.status, 422);
    assert!(unknown.error().starts_with("no such game"));
    assert_eq!(server.get("/api/ask").status, 405);
}

#[test]
fn what_grows_ends_in_an_answer() {
    let server = start(config());
    let answer = server.post("/api/grow", &study(0.05).to_string());
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> = (answer.body.lines())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let (last, others) = lines.split_last().expect("an answer");
    assert!(last["answer"]["lines"][0]["moves"][0].is_string(), "{last}");
    for line in others {
        assert!(
            line["grown"].is_object() || line["waiting"].is_u64(),
            "{line}"
        );
    }
    let refused = server.post(
        "/api/grow",
        &study(0.05).to_string().replace("entropy", "chess"),
    );
    let line: Value = serde_json::from_str(&refused.body).expect("one line");
    assert!(line["error"].is_string());
}

#[test]
fn a_search_that_nobody_waits_for_any_more_leaves_its_core() {
    let server = start(config());
    let body = study(59.0).to_string();
    let head = format!(
        "POST /api/grow HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    let mut first = server.connect();
    first.write_all(head.as_bytes()).expect("it reads");
    // Once the server reports that the second search waits, it is certain that the first search has the core.
    let mut second = server.connect();
    second.write_all(head.as_bytes()).expect("it reads");
    let mut lines = BufReader::new(&second).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "{\"waiting\":0}"));
    drop(lines);
    drop(second);
    drop(first);
    // The answer arrives long before the first search would have finished, so that search has left the core.
    let answer = server.post("/api/ask", &study(0.05).to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// A game whose settings cause a panic, which imitates an internal error of the engine.
struct Broken;

impl Registered for Broken {
    fn about(&self) -> &'static About {
        GAMES[0].about()
    }

    fn by_options(
        &self,
        given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn AnyGame>, String> {
        GAMES[0].by_options(given)
    }

    fn by_fields(&self, _fields: &Fields) -> Result<Arc<dyn AnyGame>, UnplayableError> {
        panic!("this is what the test is about")
    }
}

#[test]
fn an_engine_that_panics_is_an_answer_and_no_end() {
    let mut config = config();
    config.games = &[Plugin(&Broken)];
    let server = start(config);
    for _ in 0..3 {
        let answer = server.post("/api/ask", &study(0.05).to_string());
        assert_eq!(answer.status, 500);
        assert!(answer.error().contains("internal error"));
        let grown = server.post("/api/grow", &study(0.05).to_string());
        assert!(grown.body.contains("internal error"), "{grown:?}");
    }
    assert_eq!(server.get("/api/about").status, 200);
}

#[test]
fn where_games_are_played_their_players_have_the_engine() {
    let mut config = config();
    config.cores = 0;
    let server = start(config);
    let answer = server.post("/api/ask", &study(0.05).to_string());
    assert_eq!(answer.status, 429);
    assert_eq!(server.post("/api/ask", "{\"ask\":\"games\"}").status, 200);
}
