//! Formats log events as short human-readable lines.

use std::fmt::{self, Debug, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use turnwise_engine::words::printable;

/// A format that shows an event's level, unless the level is `info`, then the message, then the fields.
///
/// An event with a field `event` is a record for programs. Only the message of a record is shown, because the message
/// contains the important fields in words.
pub(super) struct Plain;

/// The parts of an event.
#[derive(Default)]
struct Parts {
    message: String,
    fields: String,
    is_record: bool,
}

impl Visit for Parts {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "event" => self.is_record = true,
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a text cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut parts = Parts::default();
        event.record(&mut parts);
        let level = *event.metadata().level();
        if level != Level::INFO {
            let colour = match level {
                Level::ERROR => "\x1b[31m",
                Level::WARN => "\x1b[33m",
                _ => "\x1b[2m",
            };
            match out.has_ansi_escapes() {
                true => write!(out, "{colour}{level}\x1b[0m ")?,
                false => write!(out, "{level} ")?,
            }
        }
        if !parts.is_record {
            parts.message += &parts.fields;
        }
        // A server may have sent parts of the message. Control characters could take over the terminal.
        writeln!(out, "{}", printable(&parts.message))
    }
}
