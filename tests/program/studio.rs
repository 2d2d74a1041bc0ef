//! Tests the Studio's server as a process, and the live view of games that other commands play.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::support::{folder_with, run, stderr, turnwise};

/// The time limit for every wait, much longer than any wait should take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Sends a request to a server. Returns a reader for the answer, which ends when the server closes the connection.
fn ask(address: &str, path: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    BufReader::new(stream)
}

/// Sends a request to a server and returns the whole answer.
fn get(address: &str, path: &str) -> String {
    let mut text = String::new();
    let mut answer = ask(address, path);
    answer.read_to_string(&mut text).expect("text");
    text
}

/// Returns the address that follows the text `before` in the first lines that a child process prints.
fn address(lines: impl Read, before: &str) -> String {
    let mut lines = BufReader::new(lines).lines().map_while(Result::ok);
    let link = lines.find_map(|line| Some(line.split_once(before)?.1.to_owned()));
    let link = link.expect("a link");
    link.trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned()
}

#[test]
fn the_studio_serves_a_folder_until_it_is_stopped() {
    let log = include_str!("../data/golden/entropy.jsonl");
    let folder = folder_with("war.jsonl", log);
    let mut studio = turnwise(&["studio", "--no-browser", "--listen", "127.0.0.1:0"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let address = address(studio.stdout.take().expect("a pipe"), "The studio is at ");
    assert!(get(&address, "/").contains("<!DOCTYPE html>"));
    let about = get(&address, "/api/about");
    assert!(
        about.contains("\"has_logs\":true") && about.contains("\"is_live\":false"),
        "{about}"
    );
    assert!(get(&address, "/api/logs").contains("\"name\":\"war.jsonl\""));
    let id = Pid::from_child(&studio);
    kill_process(id, Signal::INT).expect("it runs");
    assert_eq!(studio.wait().expect("it ends").code(), Some(130));
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let output = run(&["studio", "--no-browser", "nowhere"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("cannot read nowhere"),
        "{}",
        stderr(&output)
    );
}

/// Returns the name and the data of each event in a server's answer.
///
/// The body of the answer arrives in pieces, each of which is an event.
fn events(text: &str) -> Vec<(String, Value)> {
    let mut name = String::new();
    let events = text.lines().filter_map(|line| {
        if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut name);
        }
        let data = line.strip_prefix("data: ")?;
        Some((name.clone(), serde_json::from_str(data).expect("JSON")))
    });
    events.collect()
}

/// Watches a command's games as a spectator. Returns all events received and the command's output.
fn watched(mut child: Child) -> (Vec<(String, Value)>, String) {
    let address = address(child.stderr.take().expect("a pipe"), "watch at ");
    let events = events(&get(&address, "/api/live/events"));
    let mut said = String::new();
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_to_string(&mut said).expect("text");
    assert!(child.wait().expect("it ends").success(), "{said}");
    (events, said)
}

fn ended(events: &[(String, Value)]) -> Vec<&Value> {
    let ended = events.iter().filter(|(name, _)| name == "ended");
    ended.map(|(_, game)| game).collect()
}

#[test]
fn a_demonstration_is_watched_to_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let demo = turnwise(&["demo", "--clock", "3", "--seed", "2", "--live=127.0.0.1:0"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let (events, said) = watched(demo.expect("the program starts"));
    assert_eq!(events.last().expect("events").0, "closed");
    let games = ended(&events);
    assert_eq!(games.len(), 2);
    for game in games {
        let score = game["score"].as_f64().expect("a score");
        assert!(
            said.contains(&format!("Order's score: {score}\n")),
            "{said}"
        );
        assert_eq!(game["moves"].as_array().map(Vec::len), Some(49));
        assert_eq!(game["broken"], Value::Null);
        let points = game["measures"][0].as_array().expect("points");
        assert_eq!(
            points.last(),
            Some(&game["score"].as_f64().map(|it| it as u64).into())
        );
    }
}

/// Waits until a host has written its port into this file, and returns the port.
fn port(file: &Path) -> String {
    loop {
        match fs::read_to_string(file) {
            Ok(port) => return port.trim().to_owned(),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Returns the command for a daemon that plays under this name at the server on this port.
fn daemon(name: &str, port: &str, more: &[&str]) -> Command {
    let mut daemon = turnwise(&["play", "127.0.0.1", port, "--name", name, "--clock", "2"]);
    daemon
        .args(["--reconnect", "never"])
        .args(more)
        .env("TURNWISE_LOG", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    daemon
}

#[test]
fn a_daemon_s_own_games_are_watched_as_the_host_s_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let port_file = folder.path().join("port");
    let words = "host --listen 127.0.0.1:0 --size 4 --wars 2 --seed 5 --live=127.0.0.1:0";
    let host = turnwise(&words.split(' ').collect::<Vec<_>>())
        .arg("--port-file")
        .arg(&port_file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let port = port(&port_file);
    let host = thread::spawn(move || watched(host).0);
    let alpha = daemon("alpha", &port, &["--live=127.0.0.1:0"]).spawn();
    let alpha = alpha.expect("the program starts");
    let alpha = thread::spawn(move || watched(alpha).0);
    let omega = daemon("omega", &port, &["--agent", "greedy"]).output();
    assert!(omega.expect("the program starts").status.success());
    let [host, alpha] = [host, alpha].map(|thread| thread.join().expect("no panic"));
    assert_eq!(alpha.last().expect("events").0, "closed");
    assert!(alpha.iter().any(|(name, _)| name == "moved"));
    let (hosted, seen) = (ended(&host), ended(&alpha));
    assert_eq!((hosted.len(), seen.len()), (4, 4));
    for (hosted, seen) in hosted.into_iter().zip(seen) {
        for field in [
            "id", "moves", "tiles", "sides", "from", "to", "measures", "score", "fault", "broken",
        ] {
            assert_eq!(hosted[field], seen[field], "{field}");
        }
        // The daemon does not know its opponent's name, but it knows more about its own moves than the host does.
        let ours = (0..2).find(|&side| hosted["players"][side] == "alpha");
        let ours = ours.expect("it plays");
        assert_eq!(seen["players"][ours], "alpha");
        assert_eq!(seen["players"][1 - ours], "opponent");
        assert_eq!(seen["measured_side"], 1 - ours);
        let clocks = seen["clock"].as_array().expect("a list").iter();
        let of_opponent = clocks.zip(seen["sides"].as_array().expect("a list"));
        let of_opponent = of_opponent.filter(|(clock, side)| **side != ours && clock.is_number());
        let of_opponent: Vec<f64> = of_opponent
            .filter_map(|(clock, _)| clock.as_f64())
            .collect();
        assert!(of_opponent.len() > 10 && of_opponent.is_sorted_by(|one, next| one >= next));
        for name in ["clock", "soft", "hard", "used", "nodes", "value"] {
            let figures = seen[name].as_array().expect("a list");
            let sides = seen["sides"].as_array().expect("a list");
            assert_eq!(figures.len(), sides.len());
            for (figure, side) in figures.iter().zip(sides) {
                // Of the opponent's moves, the daemon knows only the times.
                let is_measured = ["clock", "used"].contains(&name);
                assert!(*side == ours || is_measured || figure.is_null(), "{figure}");
            }
            assert!(figures.iter().any(Value::is_number));
        }
    }
}

#[test]
fn a_game_that_a_server_leaves_has_no_result() {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = server.local_addr().expect("an address").port().to_string();
    let daemon = daemon("alpha", &port, &["--wire", "line", "--live=127.0.0.1:0"]).spawn();
    let mut daemon = daemon.expect("the program starts");
    let address = address(daemon.stderr.take().expect("a pipe"), "watch at ");
    let (mut stream, _) = server.accept().expect("it comes");
    stream.write_all(b"3\nCHAOS\nB\n").expect("it reads");
    let mut answer = String::new();
    let mut replies = BufReader::new(stream);
    replies.read_line(&mut answer).expect("a move");
    // The spectator must connect before the game ends, because the server accepts no spectators afterwards.
    let mut watched = ask(&address, "/api/live/events");
    let mut told = String::new();
    while !told.contains("\ndata: ") {
        assert_ne!(watched.read_line(&mut told).expect("text"), 0, "{told}");
    }
    drop(replies);
    watched.read_to_string(&mut told).expect("text");
    let events = events(&told);
    let (_, whole) = &events[0];
    assert_eq!(whole["match"]["settings"]["size"], 3);
    let games = ended(&events);
    let [game] = games[..] else {
        panic!("{told}");
    };
    assert_eq!(game["live"], false);
    assert_eq!(game["players"], json!(["opponent", "alpha"]));
    assert_eq!(
        (&game["score"], &game["tiles"]),
        (&Value::Null, &json!(["B"]))
    );
    assert_eq!(game["broken"], "the server closed the connection");
    assert_eq!(game["moves"], json!([answer.trim()]));
    assert_eq!(daemon.wait().expect("it ends").code(), Some(3));
}

#[test]
fn a_match_is_watched_while_it_is_played_and_its_output_is_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let words =
        "arena turnwise greedy --pairs 2 --jobs 1 --clock 1 --seed 3 --quiet --live=127.0.0.1:0";
    let arena = turnwise(&words.split(' ').collect::<Vec<_>>())
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let (events, said) = watched(arena.expect("the program starts"));
    assert_eq!(events[0].0, "games");
    assert_eq!(events[0].1["match"]["title"], "turnwise against greedy");
    assert!(!ended(&events).is_empty());
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn the_rehearsal_of_a_final_says_where_to_watch_it() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/rehearse-final");
    let rehearsal = Command::new("sh")
        .arg(script)
        .args(["entropy", "0.1"])
        .env("TURNWISE", env!("CARGO_BIN_EXE_turnwise"))
        .output()
        .expect("the script starts");
    let said = String::from_utf8_lossy(&rehearsal.stdout);
    let (port, rest) = said
        .split_once("Open on the projector: http://127.0.0.1:")
        .and_then(|(_, rest)| rest.split_once('/'))
        .expect(&said);
    assert!(port.parse::<u16>().is_ok(), "{said}");
    assert!(rest.starts_with("#/live?projector\n"), "{said}");
}
