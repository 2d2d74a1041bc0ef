//! The daemon as a process: sockets and pipes, signals and exit codes, with scripted servers.

#[path = "../referee/mod.rs"]
mod referee;

mod hostile;
mod process;
mod reconnecting;
mod server;
mod signals;
mod stdio;
mod wires;
