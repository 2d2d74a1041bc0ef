//! Guess Who: rules, parsers, exactness, the race, the command line, the stdio protocol and the
//! adapter for the course's framework.

mod boards;
mod exactness;
mod expectation;
mod lookahead;
mod parsing;
mod players;
mod race;
mod reference;
