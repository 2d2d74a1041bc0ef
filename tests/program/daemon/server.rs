//! A tournament server for tests, which sends scripted messages.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::daemon::process::PATIENCE;
use crate::referee::Player;

/// The maximum length of an answer that the independent Python server can read, in bytes.
const MOST_READ: usize = 1024;

pub struct Server(TcpListener);

impl Server {
    pub fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    pub fn accept(&self) -> Peer {
        self.0.set_nonblocking(true).unwrap();
        let deadline = std::time::Instant::now() + PATIENCE;
        let stream = loop {
            match self.0.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    assert!(std::time::Instant::now() < deadline, "nobody connected");
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error) => panic!("{error}"),
            }
        };
        stream.set_nonblocking(false).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Peer {
            stream,
            json: true,
            dripping: false,
            with_next: String::new(),
        }
    }
}

/// A connected player, as the server sees it.
pub struct Peer {
    pub stream: TcpStream,
    /// True if messages to the player are sent as JSON envelopes instead of lines.
    pub json: bool,
    /// True if messages are written byte by byte.
    pub dripping: bool,
    /// A text that is sent right before the next message, in a single write.
    pub with_next: String,
}

pub fn envelope(purpose: &str, payload: &str) -> String {
    json!({"payload": payload, "purpose": purpose}).to_string()
}

pub const RESET: &str = r#"{"purpose":"reset"}"#;
pub const KILL: &str = r#"{"purpose":"kill"}"#;

impl Peer {
    pub fn lines(mut self) -> Self {
        self.json = false;
        self
    }

    pub fn dripping(mut self) -> Self {
        self.dripping = true;
        self
    }

    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let pieces = if self.dripping { 1 } else { bytes.len().max(1) };
        for piece in bytes.chunks(pieces) {
            self.stream.write_all(piece).unwrap();
        }
    }

    /// Reads an answer with a single read, as the Python server does.
    pub fn read_once(&mut self) -> String {
        let mut buffer = [0; MOST_READ];
        let length = self
            .stream
            .read(&mut buffer)
            .expect("the player says something");
        assert!(length < MOST_READ, "too long for one read");
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    }

    /// Asserts that nothing arrives from the player during this time.
    pub fn is_silent(&mut self, time: Duration) {
        self.stream.set_read_timeout(Some(time)).unwrap();
        let mut buffer = [0; MOST_READ];
        match self.stream.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            other => panic!("unasked: {other:?} {:?}", String::from_utf8_lossy(&buffer)),
        }
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
    }

    /// Returns everything that the player sends up to the end of the stream.
    pub fn rest(&mut self) -> String {
        let mut text = String::new();
        match self.stream.read_to_string(&mut text) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            Err(error) => panic!("{error}"),
        }
        text
    }
}

impl Player for Peer {
    fn tell(&mut self, lines: &str, asked: bool) {
        let purpose = if asked { "update" } else { "update_only" };
        let told = if self.json {
            envelope(purpose, lines)
        } else {
            lines.to_owned()
        };
        let all = std::mem::take(&mut self.with_next) + &told;
        self.write(all);
    }

    fn answer(&mut self) -> Vec<usize> {
        let text = self.read_once();
        let line = if self.json {
            let value: Value = serde_json::from_str(&text).expect("exactly one object");
            assert_eq!(value["status"], true, "{text}");
            value["payload"].as_str().unwrap().to_owned()
        } else {
            text
        };
        assert!(
            line.ends_with('\n') && line.lines().count() == 1,
            "one line: {line:?}"
        );
        let words = line.split_whitespace();
        words.map(|word| word.parse().unwrap()).collect()
    }
}
