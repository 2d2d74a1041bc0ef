//! The daemon's parts against scripted peers, with Entropy as the game.

mod client;
mod host;
