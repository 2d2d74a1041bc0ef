//! Players on the JSON wire that follow a script.
//!
//! Without a script, a player passes as Order, and fills the board row by row as Chaos.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use turnwise_protocol::entropy::Role;

/// A question that the host asked the player.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// The number of the game on this connection, starting at 1.
    pub game: usize,
    pub role: Role,
    /// The number of the question within its game, starting at 0.
    pub turn: usize,
}

/// The player's reaction to a question.
pub enum Act {
    Usual,
    Say(Vec<u8>),
    Nothing,
    Leave,
}

/// The story of a player: the objects that it received, and how it ended.
#[derive(Debug)]
pub struct Story {
    /// All objects that the player received.
    pub heard: Vec<Value>,
    /// True if the player left by itself.
    pub left: bool,
}

impl Story {
    /// Returns true if the last message was a goodbye.
    pub fn was_told_goodbye(&self) -> bool {
        !self.left
            && self
                .heard
                .last()
                .is_some_and(|last| last["purpose"] == "kill")
    }

    /// Returns true if the last message was a goodbye with an invitation to come again.
    pub fn may_come_again(&self) -> bool {
        self.was_told_goodbye() && self.heard.last().is_some_and(|last| last["again"] == true)
    }

    pub fn resets(&self) -> usize {
        let resets = self
            .heard
            .iter()
            .filter(|object| object["purpose"] == "reset");
        resets.count()
    }

    /// Returns the text of the payload of every received object.
    pub fn payloads(&self) -> Vec<&str> {
        let payloads = self.heard.iter().map(|object| object["payload"].as_str());
        payloads.flatten().collect()
    }
}

/// An answer that concedes the game.
pub const CONCEDES: &[u8] = b"{\"status\":false}";

pub fn reply(line: &str) -> Vec<u8> {
    serde_json::json!({ "payload": format!("{line}\n"), "status": true })
        .to_string()
        .into_bytes()
}

pub struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
    size: usize,
    game: usize,
    turn: usize,
    role: Role,
    heard: Vec<Value>,
}

impl Client {
    /// Connects without sending a name.
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("a host");
        stream.set_nodelay(true).expect("a socket");
        Self {
            stream,
            unread: Vec::new(),
            size: 0,
            game: 0,
            turn: 0,
            role: Role::Order,
            heard: Vec::new(),
        }
    }

    /// Connects and sends its name.
    pub async fn join(address: SocketAddr, name: &[u8]) -> Self {
        let mut client = Self::connect(address).await;
        client.say(name).await;
        client
    }

    /// Sends bytes. An error is ignored, because reading shows whether the host has hung up.
    pub async fn say(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    /// Returns the next received object, or `None` at the end of the stream.
    async fn hear(&mut self) -> Option<Value> {
        loop {
            let mut objects = serde_json::Deserializer::from_slice(&self.unread).into_iter();
            if let Some(Ok(object)) = objects.next() {
                let end = objects.byte_offset();
                self.unread.drain(..end);
                self.heard.push(Value::clone(&object));
                return Some(object);
            }
            match self.stream.read_buf(&mut self.unread).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Returns the next question, or `None` when the host has said goodbye.
    pub async fn question(&mut self) -> Option<Question> {
        loop {
            let object = self.hear().await?;
            let lines = object["payload"].as_str().unwrap_or_default().to_owned();
            match object["purpose"].as_str() {
                Some("kill") => return None,
                Some("reset") => {
                    self.game += 1;
                    self.turn = 0;
                }
                _ => {}
            }
            if let [size, role, ..] = lines.lines().collect::<Vec<_>>()[..]
                && let Ok(size) = size.parse()
            {
                self.size = size;
                self.role = match role {
                    "ORDER" => Role::Order,
                    _ => Role::Chaos,
                };
            }
            if object["purpose"] == "update" {
                let question = Question {
                    game: self.game,
                    role: self.role,
                    turn: self.turn,
                };
                self.turn += 1;
                return Some(question);
            }
        }
    }

    /// Answers the question with a legal move.
    pub async fn answer(&mut self, question: Question) {
        let line = match question.role {
            Role::Order => "0 0 0 0".to_owned(),
            Role::Chaos => format!(
                "{} {}",
                question.turn / self.size,
                question.turn % self.size
            ),
        };
        self.say(&reply(&line)).await;
    }

    /// Reacts to each question as the script says, until the host hangs up or the script says to leave.
    pub async fn play(mut self, mut script: impl FnMut(Question) -> Act) -> Story {
        while let Some(question) = self.question().await {
            match script(question) {
                Act::Usual => self.answer(question).await,
                Act::Say(bytes) => self.say(&bytes).await,
                Act::Nothing => {}
                Act::Leave => {
                    return Story {
                        heard: self.heard,
                        left: true,
                    };
                }
            }
        }
        Story {
            heard: self.heard,
            left: false,
        }
    }

    /// Plays legal moves in the background.
    pub fn plays_well(self) -> JoinHandle<Story> {
        self.plays(|_| Act::Usual)
    }

    /// Reacts to each question as the script says, in the background.
    pub fn plays(self, script: impl FnMut(Question) -> Act + Send + 'static) -> JoinHandle<Story> {
        tokio::spawn(self.play(script))
    }

    /// Reads all messages up to the end of the stream.
    pub async fn hear_out(mut self) -> Story {
        while self.hear().await.is_some() {}
        Story {
            heard: self.heard,
            left: false,
        }
    }

    /// Waits long enough for earlier messages to arrive.
    pub async fn breathe() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub async fn story(player: JoinHandle<Story>) -> Story {
    player.await.expect("the script does not panic")
}
