//! The environment of a game: sockets and streams, clocks, threads, signals and the log. This crate knows no particular
//! game: each game's crate implements the traits in [`turnwise_engine::conversation`].
//!
//! | module | purpose |
//! |---|---|
//! | [`client`] | the client of a tournament server, which connects, plays and reconnects |
//! | [`host`] | the tournament server: wars of two players, and a lobby for larger tournaments |
//! | [`driver`] | runs a conversation on a byte stream |
//! | [`codec`] | a trait for codecs of byte streams |
//! | [`heartbeat`] | notices when this process was stopped |
//! | `waking` | measures how late the reader of a stream gets a core |
//! | [`world`] | the real or simulated environment: connections, threads, time and randomness |
//! | [`worker`] | the blocking thread on which an agent thinks |
//! | [`serve`] | a daemon that answers single questions, such as requests for a move |
//! | `accepting` | handles connections that the system cannot accept |
//! | [`runtime`] | builds the runtime for network tasks |
//! | [`shutdown`] | reacts to SIGINT and SIGTERM |
//! | [`logging`] | the log: readable lines on stderr, JSON lines in a file |
//! | [`standard_streams`] | stdin and stdout on the thread of the network task |

mod accepting;
pub mod client;
pub mod codec;
pub mod driver;
pub mod heartbeat;
pub mod host;
pub mod logging;
pub mod runtime;
pub mod serve;
pub mod shutdown;
pub mod standard_streams;
mod waking;
pub mod worker;
pub mod world;
