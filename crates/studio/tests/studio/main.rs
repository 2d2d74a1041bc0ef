//! Tests the studio's server over real sockets: answers, rejected requests and attacks.

mod access;
mod asking;
mod hostile;
mod live;
mod support;
mod watching;
