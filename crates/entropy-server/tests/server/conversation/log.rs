//! Tests the log records of games, and the log messages about a server that sends nonsense.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, subscriber};
use turnwise_protocol::entropy::Wire;

use crate::conversation::table::Table;
use crate::naive_referee::{self, Side};

/// The fields of a log event, with their values as text.
type Fields = BTreeMap<&'static str, String>;

/// A collector of log events.
#[derive(Default)]
struct Kept(Arc<Mutex<Vec<Fields>>>);

struct Reading<'a>(&'a mut Fields);

impl Visit for Reading<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Reading(&mut fields));
        self.0.lock().unwrap().push(fields);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Returns the events that are logged while `play` runs.
fn logged(play: impl FnOnce()) -> Vec<Fields> {
    let kept = Kept::default();
    let events = Arc::clone(&kept.0);
    subscriber::with_default(kept, play);
    std::mem::take(&mut *events.lock().unwrap())
}

#[test]
fn a_games_line_says_how_many_moves_we_made_in_it() {
    let events = logged(|| {
        let mut table = Table::new(Wire::Json);
        for (side, seed) in [(Side::Order, 1), (Side::Chaos, 2), (Side::Order, 3)] {
            table.reset();
            naive_referee::play(&mut table, side, 2, seed, usize::MAX);
        }
    });
    let games = events
        .iter()
        .filter(|fields| fields.get("event").is_some_and(|event| event == "game"));
    let moves: Vec<&str> = games.map(|fields| &*fields["moves"]).collect();
    // Chaos places four tiles and Order slides three times, because a full board has no slides.
    assert_eq!(moves, ["3", "4", "3"]);
}

#[test]
fn a_line_that_cannot_be_carried_out_is_told_of_and_many_do_not_fill_the_log() {
    let told = |lines: usize| {
        let events = logged(|| {
            let mut table = Table::new(Wire::Json);
            table.reset();
            table.update_only("2\nORDER\n");
            for _ in 0..lines {
                table.update_only("5 5 A\n");
            }
        });
        let is_told = |fields: &&Fields| {
            fields["message"] == "ignored a line that cannot be carried out"
                && fields["line"] == "5 5 A"
        };
        events.iter().filter(is_told).count()
    };
    assert_eq!(told(1), 1);
    let of_many = told(1000);
    assert!((2..200).contains(&of_many), "{of_many}");
}
