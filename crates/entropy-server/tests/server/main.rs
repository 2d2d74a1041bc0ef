//! Tests the tournament server and its client against scripted peers.

mod client;
mod host;
