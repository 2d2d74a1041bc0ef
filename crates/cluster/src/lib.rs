//! Matches, tournaments and training over many machines: pairs and batches of self-play are handed out and their
//! results come back by a NATS server with JetStream. Names no game.
//!
//! Whoever has the log is the coordinator: it puts units of work, such as pairs, into the stream of units,
//! and takes results from the stream of results. Short units go in bundles of several to a message. A worker leases
//! bundles, a few ahead, keeps the leases while it plays, and gives a bundle up once its result is stored. A bundle
//! whose lease has run out is given to another worker. So a pair may be played twice, and is counted once: by its number, when it goes into the log. The
//! server forgets a result only when the log has it on disk. Nothing depends on what a machine's clock says.
//!
//! | module | what it is for |
//! |---|---|
//! | [`build`] | which program this is: all that take part must be the same |
//! | [`access`] | how the server is reached: address, user, certificates |
//! | [`server`] | the connection, the streams, and what is in them |
//! | [`units`] | what is handed out: the pairs of a match or a tournament, or batches |
//! | `bundle` | short units that travel together |
//! | [`attachments`] | the files that go to the workers with a match |
//! | [`files`] | files and folders packed and unpacked |
//! | `store` | the task and the files of a run on the server |
//! | [`coordinator`] | hands out units and takes in their results |
//! | `outstanding` | the units that a coordinator waits for, and their bundles |
//! | [`figures`] | what a coordinator and a worker have seen |
//! | [`worker`] | does units for any coordinator |
//! | `stock` | the bundles that a worker has leased |
//! | `job` | a thread of a worker, which plays one bundle after another |
//! | [`playing`] | how a worker plays a unit |
//! | `ready` | a run as a worker does its units |
//! | [`outcome`] | what a worker says of a bundle |
//! | [`watching`] | moves as they are made, for a coordinator that shows them |
//! | [`tending`] | who works on what; sending workers home; forgetting everything |

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
