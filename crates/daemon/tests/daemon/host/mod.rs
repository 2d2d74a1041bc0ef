//! The tournament server against players that do everything wrong. The host runs in this process and
//! the players are scripts on raw sockets that share no code with it.
//!
//! Where a test waits for a clock or a limit, it stops tokio's time while nobody has anything to
//! say, so that the runtime jumps to whatever the host waits for.

mod answers;
mod comings;
mod lines;
mod lobby;
pub mod scripted;
mod silence;
mod table;
mod tiles;
