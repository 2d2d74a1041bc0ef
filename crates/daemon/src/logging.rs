//! Configures the log on stderr.
//!
//! The log never writes to stdout, which may carry moves. A separate thread writes the lines, so no game waits for a
//! slow reader of the log.

mod plain;
mod queue;

use std::env;
use std::io::{self, Write};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use plain::Plain;
pub use queue::Queue;

/// The environment variable that filters the log on stderr. Its value is for example `warn` or `turnwise=debug`.
pub const FILTER_VARIABLE: &str = "TURNWISE_LOG";

/// The environment variable that selects the format of the log on stderr: `plain`, `full` or `json`.
pub const FORMAT_VARIABLE: &str = "TURNWISE_LOG_FORMAT";

/// A running log. When it is dropped, it writes the last lines, unless stderr blocks for too long.
#[derive(Debug)]
pub struct Logging(Queue);

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.flush_soon();
    }
}

/// Starts logging on stderr for the rest of the process.
///
/// [`FILTER_VARIABLE`] sets the level, which is `info` by default, and [`FORMAT_VARIABLE`] sets the format. Lines for
/// people are in color if `has_colours` is true. If stderr is too slow, lines are dropped and counted.
///
/// # Errors
///
/// Returns an error if the system cannot start the thread that writes.
pub fn start(has_colours: bool) -> io::Result<Logging> {
    let filter = filter_of(env::var(FILTER_VARIABLE).ok());
    let stderr = Queue::start("stderr", io::stderr())?;
    let out = stderr.clone();
    let layer = fmt::layer()
        .with_writer(move || out.clone())
        // If stderr is closed, the layer would panic when it reports its own errors there.
        .log_internal_errors(false);
    let registry = tracing_subscriber::registry();
    match format_of(env::var(FORMAT_VARIABLE).ok()) {
        Format::Plain => {
            let layer = layer.with_ansi(has_colours).event_format(Plain);
            registry.with(layer.with_filter(filter)).init();
        }
        Format::Full => {
            let layer = layer.with_ansi(has_colours).with_target(false);
            registry.with(layer.with_filter(filter)).init();
        }
        Format::Json => {
            let layer = layer.json().flatten_event(true);
            let layer = layer.with_current_span(false).with_span_list(false);
            registry.with(layer.with_filter(filter)).init();
        }
    }
    Ok(Logging(stderr))
}

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// Short human-readable lines (`plain`), the default.
    Plain,
    /// Lines with the time and all fields: `full`.
    Full,
    /// JSON objects: `json`.
    Json,
}

/// Parses a value of [`FORMAT_VARIABLE`]. Reports an invalid value on stderr and uses `plain` instead.
fn format_of(value: Option<String>) -> Format {
    match value.as_deref().map(str::trim) {
        None | Some("" | "plain") => Format::Plain,
        Some("full") => Format::Full,
        Some("json") => Format::Json,
        Some(other) => {
            // If stderr is closed, continue without this line.
            let _ = writeln!(
                io::stderr(),
                "turnwise: {FORMAT_VARIABLE}: expected plain, full or json, got {other:?}; using plain"
            );
            Format::Plain
        }
    }
}

/// Parses a value of [`FILTER_VARIABLE`]. Reports an invalid value on stderr and uses `info` instead.
fn filter_of(value: Option<String>) -> Targets {
    let usual = Targets::new().with_default(LevelFilter::INFO);
    match value.as_deref().map(str::trim) {
        None | Some("") => usual,
        Some(text) => text.parse().unwrap_or_else(|error| {
            let mut stderr = io::stderr().lock();
            // If stderr is closed, continue without this line.
            let _ = writeln!(
                stderr,
                "turnwise: {FILTER_VARIABLE}: expected a level such as debug or module=level,..., got {text:?} \
                 ({error}); using info"
            );
            usual
        }),
    }
}

/// Returns the current time in UTC as in RFC 3339, in whole seconds.
pub fn utc_now() -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = SystemTime.format_time(&mut Writer::new(&mut text));
    match text.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_sets_levels_and_nonsense_leaves_info() {
        let lets = |value: Option<&str>, level| {
            filter_of(value.map(str::to_owned)).would_enable("turnwise_daemon::serve", &level)
        };
        use tracing::Level;
        assert!(lets(None, Level::INFO) && !lets(None, Level::DEBUG));
        assert!(lets(Some(" "), Level::INFO) && !lets(Some(""), Level::DEBUG));
        assert!(lets(Some("debug"), Level::DEBUG) && !lets(Some("warn"), Level::INFO));
        assert!(lets(Some("turnwise=debug"), Level::DEBUG));
        assert!(!lets(Some("tokio=debug"), Level::ERROR));
        assert!(lets(Some("=loud="), Level::INFO) && !lets(Some("=loud="), Level::DEBUG));
    }

    #[test]
    fn the_format_is_plain_unless_another_one_is_named() {
        let format = |value: Option<&str>| format_of(value.map(str::to_owned));
        assert_eq!(format(Some(" json")), Format::Json);
        assert_eq!(format(Some("full")), Format::Full);
        for text in [None, Some(""), Some("plain"), Some("xml")] {
            assert_eq!(format(text), Format::Plain);
        }
    }

    /// A writer that adds to a shared text.
    #[derive(Clone, Default)]
    struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn plain_lines_have_the_words_of_records_and_the_fields_of_other_events() {
        let text = Shared::default();
        let out = text.clone();
        let layer = fmt::layer().with_writer(move || out.clone());
        let layer = layer.with_ansi(false).event_format(Plain);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::info!(event = "move", ply = 3, "3 Order 0 0 0 1");
            tracing::info!(name = "ada", "sent our name");
            tracing::warn!(why = %"no reply", "left\u{1b}[2J");
        });
        let text = String::from_utf8(text.0.lock().expect("no panic").clone());
        let lines =
            "3 Order 0 0 0 1\nsent our name name=\"ada\"\nWARN left\u{fffd}[2J why=no reply\n";
        assert_eq!(text.expect("text"), lines);
    }
}
