//! Tests conversations without I/O: their answers, their copy of the server's authoritative board, and their clocks.

mod breaches;
mod games;
mod interruptions;
mod log;
mod sequences;
mod table;
