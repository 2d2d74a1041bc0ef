//! Tests the studio's server through real sockets: ordinary requests, requests that must be rejected, and attacks.

mod access;
mod asking;
mod friends;
mod hostile;
mod live;
mod support;
mod watching;
