//! The environment of a daemon that plays: sockets and streams, clocks, threads, signals and the log. This crate knows
//! no particular game.
//!
//! | module | purpose |
//! |---|---|
//! | [`world`] | the real or simulated environment: connections, threads, time and randomness |
//! | [`worker`] | the blocking thread on which an agent thinks |
//! | [`serve`] | a daemon that answers single questions, such as requests for a move |
//! | [`accepting`] | handles connections that the system cannot accept |
//! | [`runtime`] | builds the runtime for network tasks |
//! | [`shutdown`] | reacts to SIGINT and SIGTERM |
//! | [`logging`] | the log: readable lines on stderr, JSON lines in a file |
//! | [`standard_streams`] | stdin and stdout on the thread of the network task |
//!
//! A daemon ends when it receives a signal. As in a shell, its exit code names the signal:
//!
//! ```
//! use rustix::process::Signal;
//! use turnwise_daemon::runtime::runtime;
//! use turnwise_daemon::shutdown::{Shutdown, exit_code};
//!
//! let (switch, mut shutdown) = Shutdown::manual();
//! switch.send_replace(Some(Signal::TERM));
//! let signal = runtime()?.block_on(shutdown.requested());
//! assert_eq!(exit_code(signal), 143);
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod accepting;
pub mod logging;
pub mod runtime;
pub mod serve;
pub mod shutdown;
pub mod standard_streams;
pub mod worker;
pub mod world;
