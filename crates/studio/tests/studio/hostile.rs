//! Tests hostile requests: foreign paths, giant sizes, many connections, slow clients, and scripts in names.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use serde_json::Value;
use turnwise_studio::folder::Folders;

use crate::support::{PATIENCE, answer, config, start};

const LOG: &str = include_str!("../../../../tests/data/arena/faults.jsonl");

#[test]
fn no_path_from_outside_reaches_a_file() {
    let outside = tempfile::tempdir().expect("a folder");
    let folder = outside.path().join("logs");
    fs::create_dir(&folder).expect("a folder");
    fs::write(outside.path().join("secret.jsonl"), LOG).expect("room");
    fs::write(folder.join("war.jsonl"), LOG).expect("room");
    let mut config = config();
    config.folders = Folders::new(vec![folder.clone()]);
    let server = start(config);
    let listed = server.get("/api/logs").json();
    let logs = listed["logs"].as_array().expect("a list");
    assert_eq!(logs.len(), 1, "{listed}");
    let id = logs[0]["id"].as_str().expect("a number");
    let shown = server.get(&format!("/api/logs/{id}")).json();
    assert!(shown["games"][0]["result"].is_object() && shown["games"][0]["moves"].is_array());
    let pair = server.get(&format!("/api/logs/{id}/1")).json();
    let all = shown["games"].as_array().expect("games");
    let of_pair = all.iter().filter(|game| game["pair"] == 1);
    assert!(of_pair.eq(pair["games"].as_array().expect("games")));
    for (pair, told) in [("99", "there is no pair 99 in the log"), ("-1", "")] {
        let answer = server.get(&format!("/api/logs/{id}/{pair}"));
        assert!((400..500).contains(&answer.status), "{pair}: {answer:?}");
        assert!(answer.body.contains(told), "{pair}: {answer:?}");
    }
    let secret = outside.path().join("secret.jsonl");
    let paths = [
        "/web/../Cargo.toml".to_owned(),
        "/web/..%2f..%2fCargo.toml".to_owned(),
        "/web/%2e%2e/%2e%2e/etc/passwd".to_owned(),
        "/../../../../etc/passwd".to_owned(),
        "//etc/passwd".to_owned(),
        "/api/logs/../../etc/passwd".to_owned(),
        "/api/logs/..%2fsecret.jsonl".to_owned(),
        "/api/logs/war.jsonl".to_owned(),
        format!(
            "/api/logs/{}",
            secret.display().to_string().replace('/', "%2f")
        ),
        format!("/api/logs{}", secret.display()),
        "/api/logs/%00".to_owned(),
        "/api/logs/".to_owned(),
        "/web/%ff%fe".to_owned(),
    ];
    for path in paths {
        let answer = server.get(&path);
        assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
        assert!(
            !answer.body.contains("event") && !answer.body.contains("root:"),
            "{path}"
        );
    }
}

/// Sends this piece of data repeatedly until the server stops reading. Returns the number of bytes sent, and the
/// server's answer.
fn endless(mut stream: TcpStream, piece: &[u8]) -> (usize, String) {
    let mut sent = 0;
    stream.set_write_timeout(Some(PATIENCE)).expect("a time");
    while stream.write_all(piece).is_ok() && sent < 1 << 30 {
        sent += piece.len();
    }
    let mut said = Vec::new();
    // Reading fails if the connection closes before the answer arrives.
    let _ = stream.read_to_end(&mut said);
    (sent, String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn a_giant_upload_is_refused_before_it_is_read() {
    let server = start(config());
    let address = server.address;
    for (path, most) in [
        ("/api/log", 16 << 20),
        ("/api/ask", 1 << 20),
        ("/api/grow", 1 << 20),
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n"
        );
        // If a request declares a size that is too large, the server answers before the body arrives.
        let declared = format!("{head}Content-Length: {}\r\n", most + 1);
        let refused = server.ask(&declared, "");
        assert_eq!(refused.status, 413, "{path}");
        assert!(refused.error().contains(&most.to_string()));
        // If a request declares no size, the server stops reading at the limit.
        let mut stream = server.connect();
        let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
        stream.write_all(chunked.as_bytes()).expect("it reads");
        let piece = [b"10000\r\n", &[b' '; 0x10000][..], b"\r\n"].concat();
        let (sent, _) = endless(stream, &piece);
        assert!(sent < most + (64 << 20), "{path} took {sent} bytes");
    }
    assert_eq!(server.get("/api/about").status, 200);
}

#[test]
fn an_endless_head_is_cut_off() {
    let server = start(config());
    let mut stream = server.connect();
    stream.write_all(b"GET / HTTP/1.1\r\n").expect("it reads");
    let (sent, _) = endless(stream, &[b'x'; 1024]);
    assert!(sent < 16 << 20, "{sent} bytes of a head were taken");
    assert_eq!(server.get("/api/about").status, 200);
}

/// Returns a request whose head has `bytes` bytes. The head is the text `filler`, in which `...` is replaced with as
/// many letters as necessary, or with blanks if `...` follows a blank.
fn request(filler: &str, bytes: usize) -> String {
    let (before, after) = filler.split_once("...").expect("a place");
    let end = format!("{after}\r\nConnection: close\r\n\r\n");
    let letter = match before.ends_with(' ') {
        true => " ",
        false => "x",
    };
    before.to_owned() + &letter.repeat(bytes - before.len() - end.len()) + &end
}

#[test]
fn heads_of_32_kib_are_accepted_and_larger_ones_are_not_however_they_arrive() {
    let server = start(config());
    let host = server.address;
    let fillers = [
        format!("GET /api/about?... HTTP/1.1\r\nHost: {host}"),
        format!("GET /api/about HTTP/1.1\r\nHost: {host}\r\nX: y..."),
        format!("GET /api/about HTTP/1.1\r\nHost: {host}\r\nX: ...y"),
    ];
    for filler in &fillers {
        for (bytes, is_accepted) in [
            (31 << 10, true),
            (32 << 10, true),
            ((32 << 10) + 1, false),
            (33 << 10, false),
            (40 << 10, false),
            (63 << 10, false),
        ] {
            for pieces in [1, 2, 40] {
                let request = request(filler, bytes);
                assert_eq!(request.len(), bytes);
                let mut stream = server.connect();
                stream.set_nodelay(true).expect("a socket");
                for piece in request.as_bytes().chunks(bytes.div_ceil(pieces)) {
                    // Writing fails if the server rejects the request before the last piece.
                    let _ = stream.write_all(piece);
                    std::thread::sleep(Duration::from_millis(1));
                }
                let status = answer(stream).status;
                match is_accepted {
                    true => assert_eq!(status, 200, "{bytes} bytes in {pieces}: {filler}"),
                    // The status is 0 if the client gets no answer, which happens if the server closes the connection
                    // with unread bytes.
                    false => assert!(
                        [0, 414, 431].contains(&status),
                        "{bytes} bytes in {pieces}: {filler}: {status}"
                    ),
                }
            }
        }
    }
}

#[test]
fn thousands_of_connections_leave_room_for_the_next_one() {
    let mut config = config();
    config.limits.connections = 50;
    // The server closes all silent connections within seconds.
    config.limits.head_within = Duration::from_millis(100);
    let server = start(config);
    // This process holds both ends of each connection, and must leave some files for other tests.
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let number = files.saturating_sub(1000).min(2000) as usize;
    assert!(
        number > 10 * 50 || files < 2000,
        "{files} files are too few for this test"
    );
    let connections: Vec<TcpStream> = (0..number)
        .map_while(|_| TcpStream::connect(server.address).ok())
        .collect();
    assert!(
        connections.len() > number / 2,
        "{} of {number}",
        connections.len()
    );
    // The server closes silent connections after a while, so this request succeeds, perhaps after several attempts.
    let mut attempts = std::iter::repeat_with(|| server.get("/api/about").status);
    assert!(attempts.by_ref().take(2000).any(|status| {
        std::thread::sleep(Duration::from_millis(20));
        status == 200
    }));
    drop(connections);
}

#[test]
fn a_client_that_sends_its_head_byte_by_byte_loses_its_place() {
    let mut config = config();
    config.limits.connections = 2;
    config.limits.head_within = Duration::from_millis(300);
    let server = start(config);
    let mut slow = server.connect();
    // The client sends slowly: at this speed, the whole request would take minutes.
    let head = format!("GET /{} HTTP/1.1\r\n", "x".repeat(5000));
    let sent = head.bytes().take_while(|&byte| {
        std::thread::sleep(Duration::from_millis(20));
        slow.write_all(&[byte]).is_ok()
    });
    let sent = sent.count();
    assert!(sent < head.len(), "it was heard to the end");
    assert_eq!(server.get("/api/about").status, 200);
}

#[test]
fn a_client_that_sends_its_body_byte_by_byte_is_refused_and_loses_its_place() {
    let mut config = config();
    config.limits.connections = 2;
    config.limits.body_within = Duration::from_millis(300);
    let server = start(config);
    let address = server.address;
    for path in ["/api/ask", "/api/grow", "/api/log"] {
        let mut slow = server.connect();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: 5000\r\n\r\n"
        );
        slow.write_all(head.as_bytes()).expect("it reads");
        let reading = slow.try_clone().expect("a stream");
        // The client sends slowly: at this speed, the whole body would take minutes.
        let sent = (0..5000).take_while(|_| {
            std::thread::sleep(Duration::from_millis(20));
            slow.write_all(b" ").is_ok()
        });
        let sent = sent.count();
        assert!(sent < 5000, "{path} heard it to the end");
        // The status is 0 if the answer is lost. This happens if the client still sends data after the server has
        // closed the connection.
        let answered = answer(reading);
        assert!([0, 408].contains(&answered.status), "{path}: {answered:?}");
    }
    assert_eq!(server.get("/api/about").status, 200);
}

#[test]
fn script_in_names_stays_text() {
    // An agent in the log has this name.
    let script = "</script><b>bold</b>";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(
        folder.path().join("<img src=x onerror=alert(1)>.jsonl"),
        LOG,
    )
    .expect("room");
    let mut config = config();
    config.folders = Folders::new(vec![folder.path().to_owned()]);
    let server = start(config);
    let listed = server.get("/api/logs");
    let id = listed.json()["logs"][0]["id"]
        .as_str()
        .expect("a number")
        .to_owned();
    let shown = server.get(&format!("/api/logs/{id}"));
    let dropped = server.post("/api/log", LOG);
    for answer in [&listed, &shown, &dropped] {
        assert_eq!(answer.status, 200, "{answer:?}");
        // With these headers, no browser interprets the answer as a page.
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    let agents = &shown.json()["agents"];
    let is_script = |name: &Value| name == script;
    assert!(
        agents.as_array().expect("agents").iter().any(is_script),
        "{agents}"
    );
    assert_eq!(dropped.json()["games"], shown.json()["games"]);
    // An error message that quotes the request is also sent as JSON.
    let refused = server.post("/api/ask", &format!("{{\"ask\":\"{script}\"}}"));
    assert_eq!(refused.header("content-type"), Some("application/json"));
}

#[test]
fn what_is_no_http_gets_no_answer_but_an_error() {
    let server = start(config());
    for garbage in [
        "\0\0\0\0\r\n\r\n",
        "GET\r\n\r\n",
        "SSH-2.0-x\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(garbage.as_bytes()).expect("it reads");
        let answered = answer(stream);
        assert!(
            answered.status == 0 || answered.status >= 400,
            "{garbage:?}: {answered:?}"
        );
    }
    assert_eq!(server.get("/").status, 200);
}
