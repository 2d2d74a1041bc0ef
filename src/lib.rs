//! turnwise: a persistent TCP game-agent daemon and its agents.
//!
//! # Map
//!
//! | module | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand: arguments to validated configuration to one call |
//! | [`client`] | the daemon towards a tournament server: connect, settle on a wire, play, reconnect |
//! | [`host`] | the tournament server for local play |
//! | [`serve`] | the daemon towards Halma's shim, and the shim's way to it |
//! | [`driver`] | carries a session out on a byte stream |
//! | [`shutdown`] | SIGINT and SIGTERM |
//! | `console` | the program's terminal: printing, progress, tables, a person at the keyboard |
//! | [`budget`] | reads a player's log and sums up how its time was spent |
//! | [`logging`] | readable lines on stderr, JSON lines in a file |
//! | [`session`] | one connection's worth of protocol decisions, without I/O |
//! | [`worker`] | the blocking thread on which an agent thinks |
//! | [`venues`] | where matches are played beyond this process |
//! | [`complaints`] | how much the log says of what is wrong with what a peer sends |
//! | [`standard_streams`] | stdin and stdout on the thread of the network task |

pub mod budget;
pub mod cli;
pub mod client;
pub mod complaints;
mod console;
pub mod driver;
pub mod host;
pub mod logging;
pub mod serve;
pub mod session;
pub mod shutdown;
pub mod standard_streams;
pub mod venues;
pub mod worker;
