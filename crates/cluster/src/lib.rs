//! Matches, tournaments and training on many machines: a NATS server with JetStream distributes pairs and batches of
//! self-play, and collects their results. This crate knows no particular game.
//!
//! The coordinator is the process that has the log: it puts units of work, for example pairs, into the stream of units,
//! and takes results from the stream of results. Short units travel several to a message, in bundles. A worker leases
//! bundles, a few ahead, extends the leases while it plays, and releases a bundle once its result is stored. A bundle
//! whose lease has expired goes to another worker. A pair may therefore be played twice, but its number ensures that
//! the log counts it once. The server deletes a result only when the log has it on disk. No machine's clock time
//! matters.
//!
//! | module | purpose |
//! |---|---|
//! | [`build`] | identifies the program: all participants must run one build |
//! | [`access`] | how to reach the server: address, user, certificates |
//! | [`server`] | the connection, the streams and their messages |
//! | [`units`] | units of work: the pairs of a match or a tournament, or batches |
//! | `bundle` | short units that travel together |
//! | [`attachments`] | the files that go to the workers with a match |
//! | [`files`] | files and folders packed and unpacked |
//! | `store` | a run's task and files on the server |
//! | [`coordinator`] | distributes units of work and collects their results |
//! | `outstanding` | the units that a coordinator waits for, and their bundles |
//! | [`figures`] | counts of a coordinator and of a worker |
//! | [`worker`] | does units for any coordinator |
//! | `stock` | the bundles that a worker has leased |
//! | `job` | a thread of a worker, which plays one bundle after another |
//! | [`playing`] | how a worker plays a unit |
//! | `ready` | a run prepared for a worker |
//! | [`outcome`] | a worker's result of a bundle |
//! | [`watching`] | reports of moves, for a coordinator that shows them |
//! | [`tending`] | lists runs and workers, drains workers, and purges all runs |

pub mod access;
pub mod attachments;
pub mod build;
mod bundle;
pub mod coordinator;
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
