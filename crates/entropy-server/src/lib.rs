//! Entropy's tournament server, and the client that plays on it. The messages and the rules are in
//! [`turnwise_entropy`]; this crate adds connections, clocks and processes.
//!
//! | module | purpose |
//! |---|---|
//! | [`client`] | the client of a tournament server, which connects, plays and reconnects |
//! | [`conversation`] | a player's part of all games on one connection, without I/O |
//! | [`driver`] | runs a conversation on a byte stream |
//! | [`goodbye`] | the last message of a server on a connection |
//! | [`heartbeat`] | notices when this process was stopped |
//! | `waking` | measures how late the reader of a stream gets a core |
//! | [`host`] | the tournament server: wars of two players, and a lobby for larger tournaments |
//!
//! The last message of a server says whether the player may come again:
//!
//! ```
//! use turnwise_entropy_server::goodbye::Goodbye;
//! use turnwise_protocol::entropy::HostMessage;
//!
//! let goodbye = Goodbye::of_kill(Some("the lobby is full".to_owned()), true);
//! assert_eq!(goodbye, Goodbye::ComeAgain("the lobby is full".to_owned()));
//! assert!(matches!(HostMessage::from(goodbye), HostMessage::Kill { again: true, .. }));
//! ```

pub mod client;
pub mod conversation;
pub mod driver;
pub mod goodbye;
pub mod heartbeat;
pub mod host;
mod waking;

use std::time::Duration;

/// How long the Python server pauses between the reset and the first message of a game.
const PAUSE: Duration = Duration::from_millis(100);
