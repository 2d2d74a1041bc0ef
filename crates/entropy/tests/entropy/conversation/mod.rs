//! Conversations without I/O: what is answered, what is not, whose board counts, and whose time it is.

mod breaches;
mod games;
mod interruptions;
mod log;
mod sequences;
mod table;
