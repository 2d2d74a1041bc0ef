//! The environment of a game: sockets and streams, clocks, threads, signals and the log. This crate knows no particular
//! game: each game's crate implements the traits in [`turnwise_engine::conversation`].
//!
//! | module | purpose |
//! |---|---|
//! | [`client`] | the client of a tournament server: connects, settles on a wire, plays, reconnects |
//! | [`host`] | the tournament server: wars of two players, and a lobby for larger tournaments |
//! | [`driver`] | runs a conversation on a byte stream |
//! | [`codec`] | codecs, named after the types that they read and write |
//! | [`heartbeat`] | notices when this process was stopped |
//! | `waking` | measures how late the reader of a stream gets a core |
//! | [`world`] | connections, threads, time and randomness: real or simulated |
//! | [`worker`] | the blocking thread on which an agent thinks |
//! | [`serve`] | a daemon that is asked for one move at a time |
//! | `accepting` | handles connections that the system cannot accept |
//! | [`runtime`] | the runtime of network tasks |
//! | [`shutdown`] | SIGINT and SIGTERM |
//! | [`logging`] | readable lines on stderr, JSON lines in a file |
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
