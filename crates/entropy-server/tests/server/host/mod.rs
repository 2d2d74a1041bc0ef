//! Tests the tournament server against players that misbehave in every way.
//!
//! The host runs in this process; the players are scripts on raw sockets that share no code with it.
//!
//! Where a test waits for a clock or a limit, it pauses tokio's time while no message is pending, so that the runtime
//! jumps to the host's next timer.

mod answers;
mod comings;
mod lines;
mod lobby;
pub mod scripted;
mod silence;
mod table;
mod tiles;
