//! Tests the daemon as a process: sockets and pipes, signals and exit codes, with scripted servers.

mod hostile;
mod process;
mod reconnecting;
mod server;
mod signals;
mod stdio;
mod wires;
