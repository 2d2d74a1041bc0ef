//! Plays matches, tournaments and batches of training games on many machines. A NATS server with JetStream distributes
//! the work and collects the results. This crate depends on no particular game.
//!
//! The coordinator is the process that writes the log. It puts units of work, for example pairs of games, into the
//! stream of units, and takes results from the stream of results. Several short units are combined into a bundle, which
//! is sent in one message. A worker leases bundles, a few more than it can play at once, extends the leases while it
//! plays, and releases a bundle once its result is stored. A bundle whose lease has expired goes to another worker. A
//! pair may therefore be played twice, but the log contains it only once, because the coordinator ignores the second
//! result for its number. The server deletes a result only when the log has it on disk. The clocks of the machines need
//! not agree.
//!
//! | module | purpose |
//! |---|---|
//! | [`build`] | identifies the build of the program, which must be identical on all machines |
//! | [`access`] | how to reach the server: address, user, certificates |
//! | [`server`] | the connection to the server, and the streams and messages on it |
//! | [`units`] | units of work: the pairs of a match or a tournament, or batches |
//! | `bundle` | combines short units, to send them in one message |
//! | [`attachments`] | the files of participants that workers need for a match |
//! | [`files`] | packs and unpacks files and folders |
//! | `store` | stores a run's task and files on the server |
//! | [`coordinator`] | distributes units of work and collects their results |
//! | `outstanding` | the units that a coordinator waits for, and their bundles |
//! | `failures` | decides whether a worker, a unit or a participant caused a failure |
//! | [`figures`] | counts what a coordinator and a worker do |
//! | [`worker`] | does units of work for any coordinator |
//! | `stock` | the bundles that a worker has leased |
//! | `job` | a thread of a worker, which plays one bundle after another |
//! | [`playing`] | how a worker plays a unit |
//! | `ready` | a run that a worker has prepared, to play its units |
//! | [`outcome`] | the result that a worker sends for a bundle |
//! | [`watching`] | reports of moves, for a coordinator that shows them |
//! | [`tending`] | lists runs and workers, drains workers, and purges all runs |
//!
//! The files of participants travel as archives. Workers identify an archive by its hash:
//!
//! ```
//! use turnwise_cluster::files::{hash, pack_folder, unpack};
//! use turnwise_process::Scratch;
//!
//! let (here, there) = (Scratch::new()?, Scratch::new()?);
//! std::fs::write(here.path().join("player.py"), "print(input())")?;
//! let packed = pack_folder(here.path())?;
//! assert_eq!(hash(&packed), hash(&pack_folder(here.path())?));
//! unpack(&packed, there.path())?;
//! assert_eq!(std::fs::read_to_string(there.path().join("player.py"))?, "print(input())");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod access;
pub mod attachments;
pub mod build;
mod bundle;
pub mod coordinator;
mod failures;
pub mod figures;
pub mod files;
mod job;
pub mod outcome;
mod outstanding;
pub mod playing;
mod ready;
pub mod server;
mod stock;
mod store;
pub mod tending;
pub mod units;
pub mod watching;
pub mod worker;
