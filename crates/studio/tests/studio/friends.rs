//! Tests games between two people at two browsers, over HTTP.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};
use turnwise_engine::plugin::Plugin;
use turnwise_games::GAMES;
use turnwise_report::logs;
use turnwise_studio::Config;
use turnwise_studio::folder::Folders;

use crate::live::events;
use crate::support::{Answer, Server, config, start};

/// A browser at a match, with its cookie if it has a seat.
struct Browser<'a> {
    server: &'a Server,
    id: String,
    cookie: String,
}

/// A stream of a match's events.
struct Stream(Box<dyn Iterator<Item = (String, Value)>>);

impl Stream {
    /// Returns the data of the next event that fulfills the condition.
    fn until(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        let mut told = self.0.by_ref().map(|(_, data)| data);
        told.find(|data| is_meant(data)).expect("it comes")
    }

    /// Returns the state after this number of moves, when the next player is to move or the game is over.
    fn after(&mut self, moves: usize) -> Value {
        self.until(|told| {
            let is_waited_for = told["turn"].is_number() || told["phase"] == "over";
            moves_of(told) == moves && is_waited_for
        })
    }
}

/// Returns the number of moves so far.
fn moves_of(told: &Value) -> usize {
    let new = told["moves"].as_array().map_or(0, Vec::len);
    told["known"].as_u64().unwrap_or_default() as usize + new
}

fn post(server: &Server, path: &str, cookie: &str, body: &Value) -> Answer {
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{cookie}\
         Content-Length: {}\r\n",
        server.address,
        body.len()
    );
    server.ask(&head, &body)
}

/// Returns the line of a request that sends the answer's cookie back.
fn cookie(answer: &Answer) -> String {
    let set = answer.header("set-cookie").expect("a cookie");
    let (value, attributes) = set.split_once(';').expect("attributes");
    for attribute in ["httponly", "samesite=strict", "path=/api/matches/"] {
        assert!(attributes.contains(attribute), "{set}");
    }
    format!("Cookie: {value}\r\n")
}

fn conditions(game: &str, options: &[(&str, &str)], time: &Value) -> Value {
    let named = |plugin: &&Plugin| plugin.about().name == game;
    let plugin = GAMES.iter().find(named).expect("a game");
    let value = |name: &str| {
        let mut options = options.iter();
        let option = options.find(|(option, _)| *option == name);
        option.map(|(_, value)| (*value).to_owned())
    };
    let settings = plugin.by_options(&value).expect("settings").fields();
    json!({ "game": game, "settings": settings, "side": 1, "time": time })
}

fn without_clock() -> Value {
    json!({ "kind": "nodes", "nodes": 1 })
}

/// Creates a match. Returns the host's browser, and the invitation for the guest.
fn create<'a>(server: &'a Server, conditions: &Value) -> (Browser<'a>, String) {
    let created = post(server, "/api/matches", "", conditions);
    assert_eq!(created.status, 200, "{created:?}");
    let host = Browser {
        server,
        id: created.json()["id"].as_str().expect("an id").to_owned(),
        cookie: cookie(&created),
    };
    let waiting = host.watch().until(|_| true);
    assert_eq!(
        (&waiting["phase"], &waiting["side"]),
        (&json!("waiting"), &json!(1))
    );
    let invitation = waiting["invitation"].as_str().expect("a token").to_owned();
    assert_eq!(invitation.len(), 32);
    (host, invitation)
}

/// Creates a match and takes the guest's seat.
fn begin<'a>(server: &'a Server, conditions: &Value) -> [Browser<'a>; 2] {
    let (host, invitation) = create(server, conditions);
    let mut guest = host.stranger();
    let joined = guest.join(Some(&invitation));
    assert_eq!((joined.status, &joined.json()["side"]), (200, &json!(0)));
    guest.cookie = cookie(&joined);
    [guest, host]
}

impl<'a> Browser<'a> {
    /// Returns a browser without a seat at the same match.
    fn stranger(&self) -> Browser<'a> {
        Browser {
            server: self.server,
            id: self.id.clone(),
            cookie: String::new(),
        }
    }

    fn join(&self, invitation: Option<&str>) -> Answer {
        self.post("join", &json!({ "invitation": invitation }))
    }

    fn post(&self, what: &str, body: &Value) -> Answer {
        let path = format!("/api/matches/{}/{what}", self.id);
        post(self.server, &path, &self.cookie, body)
    }

    fn play(&self, ply: usize, text: &str) -> Answer {
        self.post("act", &json!({ "ply": ply, "act": { "play": text } }))
    }

    fn resign(&self, ply: usize) -> Answer {
        self.post("act", &json!({ "ply": ply, "act": "resign" }))
    }

    fn watch(&self) -> Stream {
        let mut stream = self.server.connect();
        let request = format!(
            "GET /api/matches/{}/events HTTP/1.1\r\nHost: {}\r\n{}Connection: close\r\n\r\n",
            self.id, self.server.address, self.cookie
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        Stream(Box::new(events(stream)))
    }
}

/// Plays the first listed move of each position until the game is over. Returns the last event of each player and of a
/// spectator, and everything that they received before the end.
fn played(seats: &[Browser; 2]) -> ([Value; 3], String) {
    let spectator = seats[0].stranger();
    let mut streams = [seats[0].watch(), seats[1].watch(), spectator.watch()];
    let mut before = String::new();
    for ply in 0.. {
        let told = streams.each_mut().map(|stream| stream.after(ply));
        if told[0]["phase"] == "over" {
            return (told, before);
        }
        before.extend(told.iter().map(Value::to_string));
        let side = told[0]["turn"].as_u64().expect("a side") as usize;
        for other in [1 - side, 2] {
            assert_eq!(told[other]["view"]["choices"], json!([]));
        }
        let choice = &told[side]["view"]["choices"][0]["notation"];
        let answer = seats[side].play(ply, choice.as_str().expect("a move"));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    unreachable!("a game ends");
}

#[test]
fn every_game_is_played_by_two_people_and_logged() {
    for plugin in GAMES {
        let game = plugin.about().name;
        let folder = tempfile::tempdir().expect("a folder");
        let server = start(Config {
            folders: Folders::new(vec![folder.path().to_owned()]),
            ..config()
        });
        let options: &[(&str, &str)] = match game {
            "entropy" => &[("size", "3")],
            "halma" => &[("max-plies", "6")],
            "twentyone" => &[("rounds", "2")],
            _ => &[],
        };
        let seats = begin(&server, &conditions(game, options, &without_clock()));
        let (ends, before) = played(&seats);
        assert!(!before.contains("\"seed\""), "{game}: {before}");
        let name = format!("friends-{}.jsonl", seats[0].id);
        let log = fs::read(folder.path().join(&name)).expect("a log");
        let log = logs::read(&*log, GAMES).expect("a sound log");
        let [logged] = &log.games[..] else {
            panic!("{game}: {} games", log.games.len());
        };
        assert_eq!(logged.record.check_moves(&log.header), Ok(()), "{game}");
        let players = logged.record.result.players.clone();
        assert_eq!(players, ["Guest", "Host"], "{game}");
        for told in ends {
            assert_eq!(told["end"]["score"], json!(logged.record.result.score()));
            assert_eq!(told["note"], json!(format!("The log is {name}.")));
        }
    }
}

#[test]
fn players_give_names_until_the_game_begins() {
    let server = start(config());
    let (host, invitation) = create(&server, &conditions("entropy", &[], &without_clock()));
    let call = |browser: &Browser, name: &str| {
        let joined = browser.post("join", &json!({ "invitation": null, "name": name }));
        assert_eq!(joined.json()["game"], "entropy");
    };
    call(&host, "Ada \u{202e}<b>");
    call(&host.stranger(), "Nobody");
    let mut guest = host.stranger();
    let long = "long".repeat(100);
    let joined = guest.post("join", &json!({ "invitation": invitation, "name": long }));
    guest.cookie = cookie(&joined);
    call(&guest, "Later");
    let told = guest.watch().until(|told| !told["turn"].is_null());
    let names = json!(["longlonglonglonglonglon…", "Ada \u{fffd}<b>"]);
    assert_eq!(told["names"], names);
    let listed = server.get("/api/matches").json();
    assert_eq!(listed["matches"][0]["names"], names);
    // The players keep their names in a rematch.
    let mover = told["turn"].as_u64().expect("a side") as usize;
    assert_eq!([&guest, &host][mover].resign(0).status, 200);
    host.watch().until(|told| told["phase"] == "over");
    let again = host.post("rematch", &json!({}));
    let again = Browser {
        server: &server,
        id: again.json()["id"].as_str().expect("an id").to_owned(),
        cookie: cookie(&again),
    };
    let told = again.watch().until(|_| true);
    assert_eq!(told["names"], json!([names[1], names[0]]));
}

#[test]
fn nobody_sees_what_is_hidden_from_them() {
    let server = start(config());
    let seats = begin(&server, &conditions("guesswho", &[], &without_clock()));
    let titles = |browser: &Browser| -> Vec<String> {
        let told = browser.watch().after(0);
        let panels = told["view"]["panels"].as_array().expect("panels").iter();
        let title = |panel: &Value| panel["title"].as_str().expect("a title").to_owned();
        panels.map(title).collect()
    };
    let own = "Your person".to_owned();
    assert!(titles(&seats[0]).contains(&own) && titles(&seats[1]).contains(&own));
    assert!(!titles(&seats[0].stranger()).contains(&own));
    // Only the host receives the invitation, even after it has been used.
    let mut told = [&seats[0], &seats[1], &seats[0].stranger()]
        .map(|browser| browser.watch().until(|_| true)["invitation"].is_string());
    told.sort_unstable();
    assert_eq!(told, [false, false, true]);
}

#[test]
fn a_seat_is_taken_once_and_by_the_invited_browser_only() {
    let server = start(config());
    let conditions = conditions("entropy", &[], &without_clock());
    let (host, invitation) = create(&server, &conditions);
    let stranger = host.stranger();
    for wrong in ["", "x", &"0".repeat(32)] {
        assert_eq!(stranger.join(Some(wrong)).status, 403, "{wrong}");
    }
    // The host keeps its own seat, and the guest's stays free.
    let again = host.join(Some(&invitation));
    assert_eq!((again.status, &again.json()["side"]), (200, &json!(1)));
    assert_eq!(stranger.join(None).json()["side"], Value::Null);
    let joined = stranger.join(Some(&invitation));
    assert_eq!(joined.status, 200);
    let guest = Browser {
        cookie: cookie(&joined),
        ..host.stranger()
    };
    let third = stranger.join(Some(&invitation));
    assert_eq!(third.status, 409, "{third:?}");
    assert!(third.header("set-cookie").is_none());
    assert_eq!(guest.join(Some(&invitation)).json()["side"], 0);
    // The invitation is not the token of the seat, and other tokens are worth nothing.
    for token in [&*invitation, "", "x"] {
        let thief = Browser {
            cookie: format!("Cookie: turnwise-seat={token}\r\n"),
            ..host.stranger()
        };
        assert_eq!(thief.join(None).json()["side"], Value::Null);
        assert_eq!(thief.resign(0).status, 403);
    }
    let elsewhere = create(&server, &conditions).0.id;
    let guest_elsewhere = Browser {
        id: elsewhere,
        ..guest
    };
    assert_eq!(guest_elsewhere.resign(0).status, 403);
}

#[test]
fn a_rematch_swaps_the_sides_of_the_same_two_players() {
    let server = start(config());
    let conditions = conditions("entropy", &[], &without_clock());
    let [first, second] = begin(&server, &conditions);
    let rematch = |browser: &Browser| browser.post("rematch", &json!({}));
    assert_eq!(rematch(&first).status, 409);
    let mover = first.watch().until(|told| !told["turn"].is_null())["turn"].clone();
    let loser = [&first, &second][mover.as_u64().expect("a side") as usize];
    assert_eq!(loser.resign(0).status, 200);
    first.watch().until(|told| told["phase"] == "over");
    assert_eq!(rematch(&first.stranger()).status, 403);

    let at = |answer: &Answer| answer.json()["id"].as_str().expect("an id").to_owned();
    let created = rematch(&first);
    assert_eq!(created.json()["side"], 1);
    assert_eq!(at(&rematch(&first)), at(&created));
    let offered = rematch(&second);
    assert_eq!(at(&offered), at(&created));
    assert!(offered.header("set-cookie").is_none());
    let again = Browser {
        server: &server,
        id: at(&created),
        cookie: cookie(&created),
    };
    let joined = again.stranger().join(offered.json()["invitation"].as_str());
    assert_eq!((joined.status, &joined.json()["side"]), (200, &json!(0)));
    again.watch().until(|told| !told["turn"].is_null());
}

#[test]
fn two_players_who_want_a_rematch_at_once_meet() {
    let server = start(config());
    let conditions = conditions("entropy", &[], &without_clock());
    for _ in 0..10 {
        let seats = begin(&server, &conditions);
        let told = seats[0].watch().until(|told| !told["turn"].is_null());
        let mover = told["turn"].as_u64().expect("a side");
        assert_eq!(seats[mover as usize].resign(0).status, 200);
        seats[0].watch().until(|told| told["phase"] == "over");
        let [first, second] = std::thread::scope(|scope| {
            let press = |seat| scope.spawn(move || Browser::post(seat, "rematch", &json!({})));
            let pressed = [press(&seats[0]), press(&seats[1])];
            pressed.map(|answer| answer.join().expect("an answer").json())
        });
        assert_eq!(first["id"], second["id"], "{first} {second}");
        assert_ne!(first["side"].is_null(), second["side"].is_null());
    }
}

#[test]
fn only_a_legal_move_in_turn_from_the_present_position_is_made() {
    let server = start(config());
    let seats = begin(
        &server,
        &conditions("entropy", &[("size", "3")], &without_clock()),
    );
    let told = seats[1].watch().after(0);
    assert_eq!(told["turn"], 1);
    let choices = told["view"]["choices"].as_array().expect("choices").clone();
    let text = |at: usize| choices[at]["notation"].as_str().expect("a move");
    assert_eq!(seats[0].play(0, text(0)).status, 409);
    assert_eq!(seats[0].resign(0).status, 409);
    for wrong in ["", "9 9", "\u{0}", "none"] {
        let answer = seats[1].play(0, wrong);
        assert_eq!(answer.status, 422, "{wrong}");
        assert!(!answer.error().is_empty());
    }
    assert_eq!(seats[1].play(0, &"x".repeat(5000)).status, 422);
    assert_eq!(seats[1].play(1, text(0)).status, 409);
    // Two windows of the same browser hold the same seat; the second one is late.
    let mut windows = [seats[1].watch(), seats[1].watch()];
    assert_eq!(seats[1].play(0, text(0)).status, 200);
    assert_eq!(seats[1].play(0, text(1)).status, 409);
    for window in &mut windows {
        let told = window.after(1);
        assert_eq!(
            told["moves"]
                .as_array()
                .expect("moves")
                .last()
                .expect("one")["move"],
            text(0)
        );
    }
    // A browser that comes back receives the whole game.
    let told = seats[0].watch().after(1);
    assert_eq!(
        (&told["known"], &told["turn"], &told["side"]),
        (&json!(0), &json!(0), &json!(0))
    );
    assert_eq!(seats[0].resign(1).status, 200);
    let told = seats[0].watch().until(|told| told["phase"] == "over");
    assert_eq!(told["end"]["fault"], json!([0, "resigned"]));
    assert_eq!(seats[1].play(1, text(1)).status, 409);
}

#[test]
fn each_clock_runs_on_the_server_and_ends_the_game() {
    let server = start(config());
    let clock = json!({ "kind": "clock", "seconds": 0.3, "increment": 1000 });
    let seats = begin(&server, &conditions("entropy", &[], &clock));
    let mut stream = seats[1].watch();
    let told = stream.until(|told| told["turn"].is_number() || told["phase"] == "over");
    let (mut ply, mut is_over) = (0, told["phase"] == "over");
    if !is_over {
        let text = told["view"]["choices"][0]["notation"]
            .as_str()
            .expect("a move");
        // On a busy machine, this move may come too late; then the game is over.
        ply = usize::from(seats[1].play(0, text).status == 200);
        is_over = ply == 0;
    }
    let told = stream.until(|told| told["phase"] == "over");
    assert_eq!(
        told["end"]["fault"],
        json!([1 - ply, "ran out of time"]),
        "{is_over}"
    );
    if ply == 1 {
        let left = told["left"][1].as_f64().expect("a clock");
        assert!((1000.0..1000.3).contains(&left), "{left}");
    }
}

#[test]
fn strange_requests_are_refused_and_the_number_of_matches_is_bounded() {
    let server = start(config());
    let good = conditions("entropy", &[], &without_clock());
    let with = |field: &str, value: Value| {
        let mut bad = good.clone();
        bad[field] = value;
        post(&server, "/api/matches", "", &bad).status
    };
    assert_eq!(with("game", json!("chess")), 422);
    assert_eq!(with("settings", json!({})), 422);
    assert_eq!(with("side", json!(2)), 422);
    assert_eq!(with("side", json!(-1)), 400);
    for (seconds, increment) in [
        (-1.0, 0.0),
        (1e300, 0.0),
        (0.0, 0.0),
        (1.0, -1.0),
        (1.0, 1e300),
    ] {
        let clock = json!({ "kind": "clock", "seconds": seconds, "increment": increment });
        assert_eq!(with("time", clock), 422, "{seconds} {increment}");
    }
    assert_eq!(server.post("/api/matches", "{").status, 400);
    assert_eq!(server.post("/api/matches/x/join", "{}").status, 404);
    assert_eq!(server.get("/api/matches/x/events").status, 404);
    let form = format!(
        "POST /api/matches HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n",
        server.address
    );
    assert_eq!(server.ask(&form, "{}").status, 415);
    let seats = begin(&server, &good);
    let mut open = 1;
    let full = loop {
        let answer = post(&server, "/api/matches", "", &good);
        if answer.status != 200 {
            break answer;
        }
        open += 1;
        assert!(open < 1000, "there is no limit");
    };
    assert_eq!((full.status, open), (503, 32));
    assert_eq!(seats[1].resign(0).status, 200);
    seats[1].watch().until(|told| told["phase"] == "over");
    assert_eq!(post(&server, "/api/matches", "", &good).status, 200);
}
