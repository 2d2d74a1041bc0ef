//! What the user sees of a match.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Shown, summary};
use crate::arena::interrupt::Stop;
use crate::arena::log::Log;
use crate::arena::standings::Standings;
use crate::records::{GameSettings, HalmaRules, Settings};

/// How often the progress bar is drawn even if nothing happens.
const TICK: Duration = Duration::from_millis(200);

/// The game or its board in a few words.
fn place(game: &GameSettings) -> String {
    match game {
        GameSettings::Entropy { size, .. } => format!("on {size}x{size}"),
        GameSettings::Halma { rules, .. } => match rules {
            HalmaRules::Base => "of Halma by the base rules".to_owned(),
            HalmaRules::Addendum => "of Halma by the addendum".to_owned(),
        },
    }
}

/// What the user sees while a match runs and when it ends.
pub(super) struct View {
    bar: ProgressBar,
    quiet: bool,
    json: bool,
    wanted: u32,
}

impl View {
    /// What is to be seen before the first pair.
    pub fn new(shown: Shown, settings: &Settings, log: &Log, done: usize) -> Self {
        let visible = !shown.quiet && !shown.json && std::io::stderr().is_terminal();
        let target = if visible {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(u64::from(settings.pairs)), target);
        let style = "{bar:24} {pos}/{len} pairs, {games} games/s, {msg}, {eta} left";
        let style = ProgressStyle::with_template(style)
            .expect("the template is well formed")
            .with_key(
                "games",
                |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
                    let _ = write!(out, "{:.2}", 2.0 * state.per_sec());
                },
            );
        bar.set_style(style);
        bar.set_position(done as u64);
        bar.reset_eta();
        if visible {
            bar.enable_steady_tick(TICK);
        }
        if !shown.quiet && !shown.json {
            let names: Vec<&str> = settings.agents.iter().map(|it| it.name.as_str()).collect();
            eprintln!(
                "{}: {} pairs {}, seed {}, log {}",
                names.join(", "),
                settings.pairs,
                place(&settings.game),
                settings.seed,
                log.path().display(),
            );
        }
        Self {
            bar,
            quiet: shown.quiet,
            json: shown.json,
            wanted: settings.pairs,
        }
    }

    /// A pair was played.
    pub fn update(&mut self, standings: &Standings) {
        self.bar.set_position(u64::from(standings.pairs()));
        if !self.bar.is_hidden() {
            self.bar.set_message(summary::in_short(standings));
        }
        if self.json {
            print(&format!("{}\n", summary::json(standings)));
        }
    }

    /// The match is over.
    pub fn conclude(&self, standings: &Standings, log: &Log, stop: &Stop) {
        self.bar.finish_and_clear();
        if self.json {
            return;
        }
        if self.quiet {
            if let Some(score) = summary::score(standings) {
                print(&format!("{score}\n"));
            }
            print(&format!("{}\n", standings.verdict()));
            if let Some(faults) = summary::faults(standings) {
                eprintln!("turnwise: faults: {faults}");
            }
            return;
        }
        print(&summary::text(standings));
        if stop.requested() && standings.pairs() < self.wanted {
            eprintln!(
                "stopped after {} of {} pairs; turnwise arena --resume {} goes on",
                standings.pairs(),
                self.wanted,
                log.path().display()
            );
        }
    }
}

/// A reader that has gone away must not end the match.
pub(in crate::cli) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
