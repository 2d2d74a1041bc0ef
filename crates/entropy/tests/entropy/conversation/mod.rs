//! Conversations without I/O: answers, the authoritative board, and clocks.

mod breaches;
mod games;
mod interruptions;
mod log;
mod sequences;
mod table;
