//! Shows the progress and the result of a match to the user.

use std::sync::Arc;
use std::time::Duration;

use indicatif::ProgressState;

use super::{Shown, summary};
use crate::console::note;
use crate::console::output::{self, show as print};
use crate::console::progress::{self, Bar};
use turnwise_arena::log::Log;
use turnwise_arena::records::Settings;
use turnwise_arena::standings::Standings;
use turnwise_engine::words::counted;

/// The interval at which the progress bar is redrawn even if nothing has changed.
const TICK: Duration = Duration::from_millis(200);

/// Prints the agents, the number of pairs or other units, the seed and the path of the log.
pub(super) fn announce(settings: &Settings, pair: &str, log: &Log) {
    let names: Vec<&str> = settings.agents.iter().map(|it| it.name.as_str()).collect();
    note!(
        "{}: {} {}, seed {}, log {}",
        names.join(", "),
        counted(settings.pairs, pair),
        settings.game.0.place(),
        settings.seed,
        log.path().display(),
    );
}

/// The display of a match: its progress and, at the end, its result.
pub(in crate::cli) struct View {
    bar: Bar,
    shown: Shown,
    /// A function that creates a text to show beside the standings.
    aside: Option<Box<dyn Fn() -> String + Send>>,
}

impl View {
    /// Creates the display of a match; `done` is the number of pairs that have already been played.
    pub fn new(shown: Shown, settings: &Settings, log: &Log, done: usize) -> Self {
        let speaks = !shown.quiet && !shown.json;
        if speaks {
            announce(settings, "pair", log);
        }
        let template = "{bar:16} {pos}/{len} pairs{speed}{left}{wide_msg}";
        let is_wanted = speaks && shown.bar;
        let pairs = u64::from(settings.pairs);
        let (bar, pace) = progress::bar(template, done as u64, pairs, is_wanted);
        let of_bar = Arc::clone(&pace);
        let speed = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            if let Some(rate) = of_bar.rate(state.pos(), state.elapsed()) {
                let _ = write!(out, ", {:.2} games/s", 2.0 * rate);
            }
        };
        let style = bar.style().with_key("speed", speed);
        bar.set_style(style);
        if !bar.is_hidden() {
            // Draws the bar at once, below the lines that were just printed. On a busy machine, the regular redrawing
            // may start late.
            bar.tick();
            bar.enable_steady_tick(TICK);
        }
        Self {
            bar: Bar::counting(bar, pace, "pairs", is_wanted),
            shown,
            aside: None,
        }
    }

    /// Sets the function that creates a text beside the bar.
    #[cfg(feature = "cluster")]
    pub fn with_aside(mut self, aside: impl Fn() -> String + Send + 'static) -> Self {
        self.aside = Some(Box::new(aside));
        self
    }

    /// Updates the display with the new standings; called after each pair.
    pub fn update(&mut self, standings: &Standings) {
        self.bar.set_position(u64::from(standings.done));
        if self.bar.is_shown() && standings.done > 0 {
            let mut message = format!(", {}", summary::in_short(standings));
            if let Some(aside) = &self.aside {
                message += &format!(", {}", aside());
            }
            self.bar.set_message(message);
        }
        if self.shown.json {
            print(&format!("{}\n", summary::json(standings)));
        }
    }

    /// Removes the progress bar, and shows the result of the match.
    pub fn conclude(self, standings: &Standings, log: &Log, is_interrupted: bool) {
        self.show_end(standings, log, is_interrupted);
        if output::is_lost() {
            let log = log.path().display();
            note!("turnwise: the log is complete; turnwise report {log} shows the result");
        }
    }

    fn show_end(self, standings: &Standings, log: &Log, is_interrupted: bool) {
        drop(self.bar);
        if self.shown.json {
            return;
        }
        if self.shown.quiet {
            if let Some(score) = summary::score(standings) {
                print(&format!("{score}\n"));
            }
            print(&format!("{}\n", standings.verdict()));
            if let Some(faults) = summary::faults(standings) {
                note!("turnwise: faults: {faults}");
            }
            for (_, warning) in summary::warnings(standings) {
                note!("turnwise: {warning}");
            }
            return;
        }
        print(&summary::text(standings));
        if is_interrupted {
            note!(
                "stopped after {} of {}; turnwise arena --resume {} continues",
                standings.done,
                counted(standings.settings.pairs, "pair"),
                log.path().display()
            );
        }
    }
}
