//! What is shown of work that takes long: one bar or line on stderr, if that is a terminal.

use std::io;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::terminal;

/// What is done sooner needs no status line.
const QUIET: Duration = Duration::from_secs(2);

/// How long the text of a status line stays at least, so that it can be read and costs nothing.
const BETWEEN: Duration = Duration::from_millis(200);

/// The bar that is being drawn on stderr, if there is one.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Says which bar is being drawn on stderr from now on, so that notes do not write into it.
fn set_bar(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Writes to stderr while the bar is away.
pub(super) fn suspended(write: impl FnOnce()) {
    match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// The bar that is being drawn, removed with its owner.
pub struct Bar(ProgressBar);

impl Bar {
    /// From now on nothing may write into it.
    pub fn new(bar: ProgressBar) -> Self {
        set_bar(Some(bar.clone()));
        Self(bar)
    }
}

impl Deref for Bar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        set_bar(None);
        self.0.finish_and_clear();
    }
}

/// A line of text that is replaced again and again, once the work takes longer than two seconds.
pub struct StatusLine {
    /// When the next text may be shown.
    next: Instant,
    is_visible: bool,
    bar: Option<Bar>,
}

impl StatusLine {
    /// Nothing yet, for work that begins now.
    pub fn new() -> Self {
        Self {
            next: Instant::now() + QUIET,
            is_visible: terminal::can_redraw(&io::stderr()),
            bar: None,
        }
    }

    /// Shows this text in the place of what is there, if it is time and there is a terminal.
    pub fn tell(&mut self, text: impl FnOnce() -> String) {
        if self.is_visible && Instant::now() >= self.next {
            self.next = Instant::now() + BETWEEN;
            let line = || Bar::new(bar("{msg}", 0, true));
            self.bar.get_or_insert_with(line).set_message(text());
        }
    }

    /// Removes the line from the terminal.
    pub fn clear(&mut self) {
        self.bar = None;
    }
}

/// A bar that counts things of this name, such as games, behind words on what is done with them.
pub fn counting_bar(words: String, all: u64, things: &str) -> Bar {
    let template = format!("{{msg}} [{{bar:30}}] {{pos}}/{{len}} {things}{{left}}");
    Bar::new(bar(&template, all, true).with_message(words))
}

/// A bar that counts games.
pub fn games_bar(words: String, games: u64) -> Bar {
    counting_bar(words, games, "games")
}

/// A bar on stderr, if that is a terminal and the bar `is_wanted`. In its template `{left}` is the time
/// that it will take, with a comma in front, and nothing before there is anything to go by or when it is
/// next to nothing.
pub fn bar(template: &str, all: u64, is_wanted: bool) -> ProgressBar {
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
