//! Tests whole wars between real processes. A war is two games on one connection in which the players change sides.
//!
//! Two daemons play each other on this program's tournament server and on the independent Python server.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TURNWISE: &str = env!("CARGO_BIN_EXE_turnwise");

/// The time that the servers allow each player, in seconds.
///
/// It is much more than the players use, so that no test depends on the machine's speed.
const SERVER_CLOCK: &str = "60";
const PLAYER_CLOCK: &str = "0.3";

/// A child process that is killed when the test ends, because this value is dropped.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(command: &mut Command) -> Guarded {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    Guarded(child.expect("the program can be started"))
}

fn port_from(file: &Path) -> String {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if let Ok(port) = std::fs::read_to_string(file) {
            return port.trim().to_owned();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no server wrote its port");
}

/// Starts a player that connects to this port under this name and writes its log to `log`.
fn player(port: &str, name: &str, wire: &str, log: &Path) -> Guarded {
    player_with(&["--clock", PLAYER_CLOCK], port, name, wire, log)
}

/// Starts a player like [`player`], but with two search threads.
fn threaded_player(port: &str, name: &str, wire: &str, log: &Path) -> Guarded {
    player_with(
        &["--clock", PLAYER_CLOCK, "--threads", "2"],
        port,
        name,
        wire,
        log,
    )
}

fn player_with(options: &[&str], port: &str, name: &str, wire: &str, log: &Path) -> Guarded {
    start(
        Command::new(TURNWISE)
            .args(["play", "127.0.0.1", port, "--name", name, "--wire", wire])
            .args(options)
            .args(["--reconnect", "never", "--log"])
            .arg(log)
            .env("TURNWISE_LOG", "warn"),
    )
}

/// Waits until a process exits, and returns its exit code, stdout and stderr.
fn outcome(mut process: Guarded) -> (Option<i32>, String, String) {
    let mut stdout = process.0.stdout.take().expect("piped");
    let mut stderr = process.0.stderr.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });
    let mut out = String::new();
    stdout.read_to_string(&mut out).expect("stdout is text");
    let status = process.0.wait().expect("the process ends");
    let err = reader.join().expect("no panic").expect("stderr is text");
    (status.code(), out, err)
}

fn host(folder: &Path, arguments: &[&str]) -> (Guarded, String) {
    let port_file = folder.join("port");
    let host = start(
        Command::new(TURNWISE)
            .args(["host", "--listen", "127.0.0.1:0", "--clock", SERVER_CLOCK])
            .args(arguments)
            .arg("--port-file")
            .arg(&port_file),
    );
    let port = port_from(&port_file);
    (host, port)
}

fn python_server(folder: &Path, arguments: &[&str]) -> (Guarded, String) {
    let port_file = folder.join("port");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/tournament_server.py");
    let server = start(
        Command::new("python3")
            .args([script, "0", "2", "--clock", SERVER_CLOCK])
            .args(arguments)
            .arg("--port-file")
            .arg(&port_file),
    );
    let port = port_from(&port_file);
    (server, port)
}

/// Asserts that both players exit without an error and that their logs contain all games to the end.
///
/// The only accepted warning is a lack of time, which is normal with a short clock on a busy machine.
fn all_is_well(players: [(Guarded, &Path); 2], games: usize) {
    for (player, log) in players {
        let (code, stdout, stderr) = outcome(player);
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(stdout, "");
        let lack_of_time = |line: &str| {
            line.contains("the time was up") || line.contains("this process did not run")
        };
        assert!(stderr.lines().all(lack_of_time), "{stderr}");
        let text = std::fs::read_to_string(log).expect("a log");
        let records: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect();
        let over = records.iter().filter(|record| record["event"] == "game");
        assert_eq!(over.count(), games);
    }
}

#[test]
fn ten_wars_on_the_same_connections_against_our_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = ["a", "b"].map(|name| folder.path().join(name));
    let hosted = folder.path().join("hosted.jsonl");
    let hosted = hosted.to_str().expect("text");
    let arguments = ["--wars", "10", "--seed", "1", "--log", hosted];
    let (host, port) = host(folder.path(), &arguments);
    let first = player(&port, "first", "auto", &logs[0]);
    let second = player(&port, "second", "json", &logs[1]);
    all_is_well([(first, &logs[0]), (second, &logs[1])], 20);
    let (code, stdout, stderr) = outcome(host);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!stdout.contains("FAULT"), "{stdout}");
    assert!(stdout.contains("after 10 wars:"), "{stdout}");
    // The host and both players have logged the same games, except for the names that the players do not know.
    let games = |log: &str| -> Vec<(serde_json::Value, serde_json::Value)> {
        let text = std::fs::read_to_string(log).expect("a log");
        let records = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("a record"));
        let games = records.filter(|record: &serde_json::Value| record["event"] == "game");
        games
            .map(|game| (game["moves"].clone(), game["order_score"].clone()))
            .collect()
    };
    for log in &logs {
        assert_eq!(games(log.to_str().expect("text")), games(hosted));
    }
    let report = Command::new(TURNWISE).args(["report", hosted]).output();
    let report = report.expect("it starts");
    assert!(report.stderr.is_empty(), "{report:?}");
    let tables = String::from_utf8(report.stdout).expect("text");
    assert!(tables.contains("20 games"), "{tables}");
}

#[test]
fn ten_wars_on_the_same_connections_against_the_python_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = ["a", "b"].map(|name| folder.path().join(name));
    let (server, port) = python_server(folder.path(), &["--wars", "10", "--seed", "1"]);
    let first = player(&port, "first", "json", &logs[0]);
    let second = threaded_player(&port, "second", "auto", &logs[1]);
    all_is_well([(first, &logs[0]), (second, &logs[1])], 20);
    let (code, stdout, stderr) = outcome(server);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("\"faults\": []"), "{stdout}");
}

#[test]
fn wars_on_the_line_wire_with_a_json_player_turned_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = ["a", "b", "c"].map(|name| folder.path().join(name));
    let (host, port) = host(folder.path(), &["--wars", "2", "--wire", "line"]);
    let stranger = player(&port, "stranger", "json", &logs[2]);
    let (code, _, stderr) = outcome(stranger);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("speak the line wire"), "{stderr}");
    let first = player(&port, "first", "line", &logs[0]);
    let second = threaded_player(&port, "second", "auto", &logs[1]);
    all_is_well([(first, &logs[0]), (second, &logs[1])], 4);
    let (code, stdout, stderr) = outcome(host);
    assert_eq!(code, Some(0), "{stderr}");
    // On a busy machine, the player's first words may arrive only after the host has admitted it. The host then
    // rejects the player at the table.
    let turned_away = ["refused", " left\n"];
    assert!(
        turned_away.iter().any(|&word| stdout.contains(word)),
        "{stdout}"
    );
    assert!(!stdout.contains("FAULT"), "{stdout}");
}

#[test]
fn a_line_player_is_turned_away_by_a_json_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = ["a", "b", "c"].map(|name| folder.path().join(name));
    let (host, port) = host(folder.path(), &["--wars", "1", "--size", "3"]);
    let first = player(&port, "first", "json", &logs[0]);
    let (code, _, stderr) = outcome(player(&port, "stranger", "line", &logs[2]));
    assert_eq!(code, Some(1));
    assert!(stderr.contains("--wire json"), "{stderr}");
    let second = player(&port, "second", "auto", &logs[1]);
    all_is_well([(first, &logs[0]), (second, &logs[1])], 2);
    let (code, stdout, stderr) = outcome(host);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("refused"), "{stdout}");
}

#[test]
fn a_player_that_leaves_costs_itself_the_game_and_not_the_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = ["a", "b", "c"].map(|name| folder.path().join(name));
    let (host, port) = host(folder.path(), &["--wars", "1", "--size", "4"]);
    let first = player(&port, "first", "json", &logs[0]);
    // This client sends its name and leaves once the game has begun.
    {
        use std::io::Write;
        let mut leaver = std::net::TcpStream::connect(format!("127.0.0.1:{port}")).expect("a host");
        leaver.write_all(b"leaver").expect("a name");
        let mut heard = [0; 16];
        leaver.read_exact(&mut heard).expect("the game begins");
    }
    // This player takes the free seat.
    let second = player(&port, "second", "json", &logs[1]);
    for process in [first, second] {
        let (code, _, stderr) = outcome(process);
        assert_eq!(code, Some(0), "{stderr}");
    }
    let (code, stdout, stderr) = outcome(host);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("FAULT of leaver"), "{stdout}");
    assert!(stdout.contains("second ("), "{stdout}");
}

#[test]
fn the_same_seed_and_same_tiles_deal_the_same_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let deal = |seed: &str, same: bool| {
        let _ = std::fs::remove_file(folder.path().join("port"));
        let mut arguments = vec!["--wars", "1", "--size", "2", "--seed", seed];
        if same {
            arguments.push("--same-tiles");
        }
        let (host, port) = host(folder.path(), &arguments);
        let logs = ["a", "b"].map(|name| folder.path().join(name));
        // On 2x2, both players play perfectly, so the games are repeatable.
        let players = [
            player_with(&["--clock", "60"], &port, "first", "json", &logs[0]),
            player_with(&["--clock", "60"], &port, "second", "json", &logs[1]),
        ];
        for process in players {
            outcome(process);
        }
        let (_, stdout, _) = outcome(host);
        let boards: Vec<String> = stdout
            .split("(cols)\n")
            .skip(1)
            .map(|text| text.lines().take(2).collect())
            .collect();
        assert_eq!(boards.len(), 2, "{stdout}");
        boards
    };
    assert_eq!(deal("5", false), deal("5", false));
    let boards = deal("5", true);
    assert_eq!(boards[0], boards[1]);
}

/// Plays two wars on a host with these rules between a player with these options that passes whenever it may, and a
/// player that always passes. Returns what the first player's log holds for each game in which it was Order: whether the
/// opponent had passed before, and whether it passed itself. Also returns the first player's messages.
fn passes(rules: &str, options: &[&str]) -> (Vec<[bool; 2]>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("log.jsonl");
    let (host, port) = host(
        folder.path(),
        &["--wars", "2", "--size", "3", "--rules", rules],
    );
    let player = |name: &str, options: &[&str]| {
        let mut command = Command::new(TURNWISE);
        command.args([
            "play",
            "127.0.0.1",
            &port,
            "--agent",
            "passer",
            "--name",
            name,
        ]);
        command.args(options).args(["--reconnect", "never"]);
        start(command.env("TURNWISE_LOG", "info"))
    };
    let log_path = log.to_str().expect("text");
    let ours = player("ours", &[options, &["--log", log_path]].concat());
    let theirs = player("theirs", &["--pass"]);
    let (_, _, stderr) = outcome(ours);
    outcome(theirs);
    outcome(host);
    let text = std::fs::read_to_string(&log).expect("a log");
    let mut has_passed = false;
    let mut games: Vec<(String, [bool; 2])> = Vec::new();
    for line in text.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if record["event"] != "move" || record["role"] != "ORDER" {
            continue;
        }
        let passes = record["move"] == "pass";
        if record["agent"] != "ours" {
            has_passed |= passes;
            continue;
        }
        let game = format!("{} {}", record["pair"], record["game"]);
        match games.last_mut() {
            Some((last, known)) if *last == game => known[1] |= passes,
            _ => games.push((game, [has_passed, passes])),
        }
    }
    (games.into_iter().map(|(_, game)| game).collect(), stderr)
}

#[test]
fn order_passes_on_a_lax_host_once_the_opponent_has_passed_and_never_on_a_strict_one() {
    let (games, stderr) = passes("server", &[]);
    assert_eq!(games.len(), 2, "{stderr}");
    assert_eq!(games[1], [true, true]);
    assert_eq!(games[0][0], games[0][1]);
    assert!(stderr.contains("pass=\"auto\""), "{stderr}");
    assert!(stderr.contains("the server accepted a pass"), "{stderr}");
    let (games, stderr) = passes("server", &["--pass=never"]);
    assert!(games.iter().all(|&[_, passes]| !passes), "{games:?}");
    assert!(stderr.contains("breaks the written rules"), "{stderr}");
    let (games, stderr) = passes("strict", &[]);
    assert_eq!(games, [[false, false]; 2], "{stderr}");
    let (games, _) = passes("server", &["--pass=always"]);
    assert!(games.iter().all(|&[_, passes]| passes), "{games:?}");
}
