//! Where the log goes: readable lines on stderr, JSON lines in a file if one is wanted.
//!
//! Stdout is never written to: it may carry moves.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// The environment variable that sets what goes to stderr, such as `warn` or `turnwise=debug`.
pub const FILTER_VARIABLE: &str = "TURNWISE_LOG";

/// Starts logging for the rest of the process: at `info` to stderr unless [`FILTER_VARIABLE`] says
/// otherwise, and at `info` to `file`, which is appended to. Each record is written at once and
/// whole, so nothing is lost at whatever end.
///
/// # Errors
///
/// If the file cannot be opened.
pub fn start(file: Option<&Path>) -> io::Result<()> {
    let filter = EnvFilter::builder()
        .with_env_var(FILTER_VARIABLE)
        .with_default_directive(LevelFilter::INFO.into())
        .from_env_lossy();
    let readable = fmt::layer()
        .with_writer(io::stderr)
        // Whoever read stderr may be gone; the layer would panic over telling stderr so.
        .log_internal_errors(false)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .with_filter(filter);
    let machine = match file {
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            let layer = fmt::layer()
                .json()
                .flatten_event(true)
                .with_current_span(false)
                .with_span_list(false)
                .log_internal_errors(false)
                .with_writer(Mutex::new(file))
                .with_filter(LevelFilter::INFO);
            Some(layer)
        }
        None => None,
    };
    tracing_subscriber::registry()
        .with(readable)
        .with(machine)
        .init();
    Ok(())
}
