//! What is shown of work that takes long: one line on stderr, if that is a terminal.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::terminal;

/// What is done sooner needs no line.
const QUIET: Duration = Duration::from_secs(2);

/// How long a text stays at least, so that it can be read and costs nothing.
const BETWEEN: Duration = Duration::from_millis(200);

/// A line that is written over again and again, once the work takes longer than two seconds.
pub(super) struct StatusLine {
    /// When the next text may be shown.
    next: Instant,
    is_visible: bool,
    is_shown: bool,
}

impl StatusLine {
    /// Nothing yet, for work that begins now.
    pub fn new() -> Self {
        Self {
            next: Instant::now() + QUIET,
            is_visible: terminal::can_redraw(&io::stderr()),
            is_shown: false,
        }
    }

    /// True if it is time for a text, and it would be seen.
    pub fn is_due(&self) -> bool {
        self.is_visible && Instant::now() >= self.next
    }

    /// Shows this in the place of what is there, if it is time.
    pub fn tell(&mut self, what: &str) {
        if self.is_due() {
            self.next = Instant::now() + BETWEEN;
            self.is_shown = true;
            write_over(what);
        }
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            write_over("");
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Stderr that is gone is no reason to stop.
fn write_over(what: &str) {
    let _ = write!(io::stderr(), "\r\x1b[K{what}");
}

/// A bar that counts games, behind words on what is done with them.
pub(super) fn games_bar(words: String, games: u64) -> ProgressBar {
    bar("{msg} [{bar:30}] {pos}/{len} games{left}", games, true).with_message(words)
}

/// A bar on stderr, if that is a terminal and the bar `is_wanted`. In its template `{left}` is the time
/// that it will take, with a comma in front, and nothing before there is anything to go by or when it is next to nothing.
pub(super) fn bar(template: &str, all: u64, is_wanted: bool) -> ProgressBar {
    let target = match is_wanted && terminal::can_redraw(&io::stderr()) {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let style = ProgressStyle::with_template(template).expect("the template is well formed");
    ProgressBar::with_draw_target(Some(all), target).with_style(style.with_key("left", left))
}

fn left(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    let eta = state.eta();
    if state.per_sec() > 0.0 && eta >= Duration::from_secs(1) {
        let _ = write!(out, ", {:#} left", HumanDuration(eta));
    }
}
