//! Tests the parts of the daemon against scripted peers, with Entropy as the game.

mod client;
mod host;
