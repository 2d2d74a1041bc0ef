//! Tests the tournament server and its client against scripted peers.

mod client;
mod conversation;
mod host;
mod naive_referee;
