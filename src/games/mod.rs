//! The games: one folder each, with rules, evaluation and notation. No I/O here.

pub mod entropy;
pub mod guesswho;
pub mod halma;
pub mod masterchef;
pub mod twentyone;
