//! The studio's server over real sockets: what it answers, whom it does not, and what it endures.

mod access;
mod asking;
mod hostile;
mod live;
mod support;
mod watching;
