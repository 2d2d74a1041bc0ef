//! A server that runs on a thread of the test, and a client that can send arbitrary bytes to it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::oneshot;
use turnwise_games::GAMES;
use turnwise_studio::folder::Folders;
use turnwise_studio::live::Live;
use turnwise_studio::serving::Limits;
use turnwise_studio::{Config, Studio, listen};

/// A time limit for server and client, so long that no test reaches it.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Server {
    pub address: SocketAddr,
    pub link: String,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Returns the configuration of a server for all games, with one core and no logs.
pub fn config() -> Config {
    Config {
        games: GAMES,
        puzzles: |_| None,
        cores: 1,
        folders: Folders::default(),
        limits: Limits {
            connections: 100,
            head_within: PATIENCE,
            body_within: PATIENCE,
            taken_within: PATIENCE,
        },
        public: None,
    }
}

pub fn start(config: Config) -> Server {
    start_at("127.0.0.1:0", config, None)
}

pub fn start_at(address: &str, config: Config, live: Option<Arc<Live>>) -> Server {
    let listener = listen(Some(address.parse().expect("an address"))).expect("a port");
    let mut address = listener.local_addr().expect("an address");
    if address.ip().is_unspecified() {
        address.set_ip([127, 0, 0, 1].into());
    }
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    let studio = {
        let _inside = runtime.enter();
        let studio = Studio::new(listener, config).expect("a server");
        match live {
            Some(live) => studio.with_live(live),
            None => studio,
        }
    };
    let link = studio.link();
    let (end, ended) = oneshot::channel();
    let serve = move || {
        runtime.block_on(async {
            tokio::select! {
                () = studio.serve() => {}
                _ = ended => {}
            }
        });
        runtime.shutdown_background();
    };
    Server {
        address,
        link,
        end: Some(end),
        thread: Some(thread::spawn(serve)),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server has not panicked");
        }
    }
}

/// An answer of the server. Its head is converted to lower case. If the server did not answer, the status is 0.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn error(&self) -> String {
        self.json()["error"].as_str().expect("words").to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|&(known, _)| known == name)
            .map(|(_, value)| value)
    }
}

impl Server {
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        stream
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask(
            &format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", self.address),
            "",
        )
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n",
            self.address,
            body.len()
        );
        self.ask(&head, body)
    }

    /// Sends a request with this head and body, and returns the answer. The head is given without the empty line that
    /// ends it.
    pub fn ask(&self, head: &str, body: &str) -> Answer {
        let mut stream = self.connect();
        let request = format!("{head}Connection: close\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).expect("it reads");
        answer(stream)
    }
}

/// Reads an answer until the server closes the connection.
pub fn answer(mut stream: TcpStream) -> Answer {
    let mut text = Vec::new();
    // Reading may end with an error after the answer, if the connection breaks.
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8(text).expect("text");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let head = head.to_lowercase();
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    let body = match head.contains("transfer-encoding: chunked") {
        true => unchunked(body),
        false => body.to_owned(),
    };
    let status = status.unwrap_or(0);
    Answer { status, head, body }
}

fn unchunked(mut rest: &str) -> String {
    let mut whole = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        whole += &after[..size];
        rest = &after[size + 2..];
    }
    whole
}
