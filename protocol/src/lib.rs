//! Every wire and file format that turnwise speaks: tokio-util codecs and message types.
//!
//! No sockets, no search, no game rules. The written contracts stand beside this crate in
//! `protocol/README.md`.
