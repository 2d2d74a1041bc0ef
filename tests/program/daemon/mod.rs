//! Tests the daemon as a process that plays against scripted servers: sockets and pipes, signals and exit codes.

mod games_log;
mod hostile;
mod process;
mod reconnecting;
mod server;
mod signals;
mod stdio;
mod wires;
