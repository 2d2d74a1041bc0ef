//! Tests of the studio's server over real sockets: answers, rejections and attacks.

mod access;
mod asking;
mod hostile;
mod live;
mod support;
mod watching;
