//! The weights, from the table at the end of the file.

use std::sync::{Arc, OnceLock};

use super::evaluation::Evaluation;

/// Returns the evaluation with these weights, which are for boards of one size.
pub fn best_known(size: u8) -> Arc<Evaluation> {
    static KNOWN: OnceLock<Arc<Evaluation>> = OnceLock::new();
    let digit = |byte: u8| i32::from(byte - super::super::LOWEST_DIGIT);
    let value = |pair: &[u8]| (digit(pair[0]) * super::super::DIGITS + digit(pair[1]) + super::super::LOWEST) as i16;
    let known = KNOWN.get_or_init(|| {
        let lines = super::super::VALUES.lines().map(str::as_bytes);
        let values = lines.flat_map(|line| line.chunks_exact(2)).map(value);
        Arc::new(Evaluation::of_all_values("codecup", size, values.collect()))
    });
    Arc::clone(known)
}
