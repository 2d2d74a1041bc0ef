//! Around a game: sockets and streams, clocks, threads, signals and the log. Names no game; what
//! differs comes from the game's crate, through the traits in [`turnwise_engine::conversation`].
//!
//! | module | what it is for |
//! |---|---|
//! | [`client`] | towards a tournament server: connect, settle on a wire, play, reconnect |
//! | [`host`] | the tournament server: wars of two, and a lobby for a tournament of many |
//! | [`driver`] | carries a conversation out on a byte stream |
//! | [`codec`] | codecs, named by what goes in and out |
//! | [`heartbeat`] | notices when this process was stopped |
//! | `waking` | how late the reader of a stream gets a core |
//! | [`world`] | connections, threads, time and chance: the system's, or simulated ones |
//! | [`worker`] | the blocking thread on which an agent thinks |
//! | [`serve`] | a daemon that is asked for one move at a time |
//! | `accepting` | what is done when the system has no room for a connection |
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
