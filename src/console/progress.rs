//! Shows the progress of long work. If stderr is a terminal, it shows one bar or status line there.
//!
//! If stderr is not a terminal, a line is printed every minute, but only for work whose steps are counted.

use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::{output, terminal};

/// A status line appears only after this time, because shorter work needs no status line.
const QUIET: Duration = Duration::from_secs(2);

/// The minimum time between two updates of a status line. It keeps the text legible and saves computing time.
const BETWEEN: Duration = Duration::from_millis(200);

/// The interval between two progress lines if no bar can be drawn.
const BETWEEN_LINES: Duration = Duration::from_secs(60);

/// The bar or status line that stderr shows at the moment.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Sets the bar that stderr shows. [`suspended`] hides it while notes are written.
fn set_bar(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Hides the bar while it calls `write`, which writes to stderr.
pub(super) fn suspended(write: impl FnOnce()) {
    match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// The bar that stderr shows. Dropping this value removes it.
pub struct Bar {
    bar: ProgressBar,
    /// The measured speed of the work; `None` if its steps are not counted.
    pace: Option<Arc<Pace>>,
    /// The printer of progress lines, if a bar is wanted but cannot be drawn.
    lines: Option<Lines>,
}

impl Bar {
    /// Shows a bar on stderr.
    pub fn new(bar: ProgressBar) -> Self {
        set_bar(Some(bar.clone()));
        Self {
            bar,
            pace: None,
            lines: None,
        }
    }

    /// Shows text, which may have several lines, in place of a bar.
    pub fn of_text() -> Self {
        Self::new(bar("{msg}", 0, 0, true).0)
    }

    /// Like [`new`](Self::new), for a bar that counts `things`; `pace` measures how fast they are done.
    ///
    /// If the bar `is_wanted` but cannot be drawn, a progress line is printed every minute.
    pub fn counting(bar: ProgressBar, pace: Arc<Pace>, things: &str, is_wanted: bool) -> Self {
        let mut shown = Self::new(bar);
        if is_wanted && shown.is_hidden() {
            let (counted, things) = (shown.bar.clone(), things.to_owned());
            let pace = Arc::clone(&pace);
            let line = move || said(&counted, &pace, &things);
            shown.lines = Some(Lines::each(BETWEEN_LINES, line, output::note));
        }
        shown.pace = Some(pace);
        shown
    }

    /// Advances the bar by things that an earlier process has done. These do not affect the estimate of the remaining
    /// time.
    pub fn found(&self, things: u64) {
        if let Some(pace) = &self.pace {
            pace.done.fetch_add(things, Ordering::Relaxed);
        }
        self.inc(things);
    }

    /// Returns true if progress is visible, as a bar or as lines.
    pub fn is_shown(&self) -> bool {
        !self.is_hidden() || self.lines.is_some()
    }
}

/// Returns a progress line, which is printed if the bar cannot be drawn.
fn said(bar: &ProgressBar, pace: &Pace, things: &str) -> String {
    let mut line = match bar.prefix() {
        words if words.is_empty() => String::new(),
        words => format!("{words}: "),
    };
    let (position, all) = (bar.position(), bar.length().unwrap_or_default());
    line += &format!("{position} of {all} {things}");
    let _ = write_left(pace.left(position, all, bar.elapsed()), &mut line);
    line + &bar.message()
}

impl Deref for Bar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        set_bar(None);
        self.bar.finish_and_clear();
    }
}

/// A line of text about the current state of long work. It appears after two seconds, and is then updated repeatedly.
pub struct StatusLine {
    /// The earliest time at which the next text may be shown.
    next: Instant,
    is_visible: bool,
    bar: Option<Bar>,
}

impl StatusLine {
    /// Creates an empty status line for work that begins now.
    pub fn new() -> Self {
        Self {
            next: Instant::now() + QUIET,
            is_visible: terminal::can_redraw(&io::stderr()),
            bar: None,
        }
    }

    /// Shows a new text if enough time has passed since the last text and stderr is a terminal. Otherwise, `text` is
    /// not called.
    pub fn tell(&mut self, text: impl FnOnce() -> String) {
        if self.is_visible && Instant::now() >= self.next {
            self.next = Instant::now() + BETWEEN;
            self.bar
                .get_or_insert_with(Bar::of_text)
                .set_message(text());
        }
    }

    /// Removes the line from the terminal.
    pub fn clear(&mut self) {
        self.bar = None;
    }
}

/// Work that is usually short. If it takes longer than two seconds, its name is printed, so that the user knows why the
/// command waits. Dropping this value ends the work.
pub struct Slow {
    _end: mpsc::Sender<()>,
}

impl Slow {
    /// Begins work with this name.
    pub fn new(name: String) -> Self {
        let (end, ended) = mpsc::channel();
        // If the system provides no thread, the name is not printed.
        let _ = thread::Builder::new().spawn(move || {
            if ended.recv_timeout(QUIET) == Err(RecvTimeoutError::Timeout) {
                output::note(&format!("turnwise: {name}"));
            }
        });
        Self { _end: end }
    }
}

/// Prints progress lines regularly, until this value is dropped.
struct Lines {
    /// Dropping this sender ends the thread that prints the lines.
    _end: mpsc::Sender<()>,
}

impl Lines {
    /// Starts a thread that prints a line at regular intervals.
    fn each(
        between: Duration,
        line: impl Fn() -> String + Send + 'static,
        say: impl Fn(&str) + Send + 'static,
    ) -> Self {
        let (end, ended) = mpsc::channel();
        // If the system provides no thread, the work continues without progress lines.
        let _ = thread::Builder::new().spawn(move || {
            while ended.recv_timeout(between) == Err(RecvTimeoutError::Timeout) {
                say(&line());
            }
        });
        Self { _end: end }
    }
}

/// Creates a bar that counts `things` up to `all`. The text `words`, which names the work, is shown before the bar.
pub fn counting_bar(words: String, all: u64, things: &str) -> Bar {
    let template = format!("{{prefix}} [{{bar:30}}] {{pos}}/{{len}} {things}{{left}}");
    let (bar, pace) = bar(&template, 0, all, true);
    Bar::counting(bar.with_prefix(words), pace, things, true)
}

/// Creates a bar that counts up to this number of games. The text `words`, which names the work, is shown before the
/// bar.
pub fn games_bar(words: String, games: u64) -> Bar {
    counting_bar(words, games, "games")
}

/// Creates a bar, and the pace that estimates the remaining time.
///
/// The bar is drawn if `is_wanted` is true and stderr is a terminal. `done` is the number of things that an earlier
/// process has done. In the template, `{left}` stands for a comma and the estimated remaining time. It is replaced with
/// nothing while no estimate exists, if the remaining time is below a second, and once the estimate is exceeded.
pub fn bar(template: &str, done: u64, all: u64, is_wanted: bool) -> (ProgressBar, Arc<Pace>) {
    let target = match is_wanted && terminal::can_redraw(&io::stderr()) {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let pace = Arc::new(Pace::new(done));
    let of_bar = Arc::clone(&pace);
    let left = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let all = state.len().unwrap_or_default();
        let _ = write_left(of_bar.left(state.pos(), all, state.elapsed()), out);
    };
    let style = ProgressStyle::with_template(template).expect("the template is well formed");
    let bar = ProgressBar::with_draw_target(Some(all), target)
        .with_style(style.with_key("left", left))
        .with_position(done);
    (bar, pace)
}

/// The pace of work whose steps are counted: the mean rate since the work began.
///
/// The library for progress bars also estimates a rate, but only from the last seconds. That is not enough here,
/// because a single game may take minutes.
pub struct Pace {
    /// The number of things that an earlier process has done.
    done: AtomicU64,
    /// The last known position of the bar, and the elapsed time when this position was first seen.
    last: Mutex<(u64, Duration)>,
}

impl Pace {
    fn new(done: u64) -> Self {
        Self {
            done: AtomicU64::new(done),
            last: Mutex::new((done, Duration::ZERO)),
        }
    }

    /// Returns the elapsed time at which this position of the bar was first seen; this is `elapsed` if the position is
    /// new.
    fn reached(&self, position: u64, elapsed: Duration) -> Duration {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != position {
            *last = (position, elapsed);
        }
        last.1
    }

    /// Returns the number of things per second; `None` before the first thing is done.
    pub fn rate(&self, position: u64, elapsed: Duration) -> Option<f64> {
        let reached = self.reached(position, elapsed);
        let counted = position.checked_sub(self.done.load(Ordering::Relaxed))?;
        (counted > 0).then(|| counted as f64 / reached.as_secs_f64().max(1e-9))
    }

    /// Returns the estimated remaining time; `None` if no estimate exists.
    fn left(&self, position: u64, all: u64, elapsed: Duration) -> Option<Duration> {
        let seconds = all.saturating_sub(position) as f64 / self.rate(position, elapsed)?;
        let left = Duration::try_from_secs_f64(seconds).ok()?;
        let since = elapsed.saturating_sub(self.reached(position, elapsed));
        Some(left.saturating_sub(since))
    }
}

/// Writes the remaining time after a comma; writes nothing if it is unknown or below a second.
fn write_left(left: Option<Duration>, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
    match left.filter(|left| *left >= Duration::from_secs(1)) {
        Some(left) => write!(out, ", {:#} left", HumanDuration(left)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_said_until_the_work_is_over() {
        let (say, said) = mpsc::channel();
        let lines = Lines::each(
            Duration::from_millis(1),
            || "games: 3 of 10 games".to_owned(),
            move |line| {
                let _ = say.send(line.to_owned());
            },
        );
        for _ in 0..2 {
            assert_eq!(said.recv().as_deref(), Ok("games: 3 of 10 games"));
        }
        drop(lines);
        // This loop ends only when the thread that prints the lines has ended.
        said.iter().for_each(drop);
    }

    #[test]
    fn counted_work_says_lines_where_a_bar_is_wanted_and_cannot_be_drawn() {
        for is_wanted in [true, false] {
            let pace = Arc::new(Pace::new(0));
            let bar = Bar::counting(ProgressBar::hidden(), pace, "pairs", is_wanted);
            assert_eq!(bar.lines.is_some(), is_wanted);
            assert_eq!(bar.is_shown(), is_wanted);
        }
    }

    #[test]
    fn a_line_says_what_is_done_how_far_it_is_and_what_else_there_is_to_say() {
        let bar = ProgressBar::hidden();
        bar.set_length(10);
        let pace = Pace::new(0);
        assert_eq!(said(&bar, &pace, "pairs"), "0 of 10 pairs");
        bar.set_prefix("solving");
        bar.set_message(", A 2 points ahead");
        assert_eq!(
            said(&bar, &pace, "pairs"),
            "solving: 0 of 10 pairs, A 2 points ahead"
        );
        let resumed = ProgressBar::hidden().with_elapsed(Duration::from_secs(7_230));
        resumed.set_length(10);
        resumed.set_position(9);
        let line = said(&resumed, &Pace::new(8), "pairs");
        assert_eq!(line, "9 of 10 pairs, 2h left");
    }

    #[test]
    fn what_is_found_done_tells_nothing_of_the_time_left() {
        let hour = Duration::from_secs(3_600);
        let pace = Arc::new(Pace::new(0));
        let counted = ProgressBar::hidden().with_elapsed(hour);
        counted.set_length(10);
        let bar = Bar::counting(counted, Arc::clone(&pace), "boards", false);
        bar.found(7);
        assert_eq!(bar.position(), 7);
        assert_eq!(pace.left(bar.position(), 10, hour), None);
        bar.inc(1);
        assert_eq!(pace.left(bar.position(), 10, hour), Some(2 * hour));
    }

    #[test]
    fn the_time_left_is_told_if_it_is_known_and_not_next_to_nothing() {
        let told = |pace: &Pace, position, seconds| {
            let mut out = String::new();
            let left = pace.left(position, 10, Duration::from_secs(seconds));
            write_left(left, &mut out).expect("a string");
            out
        };
        assert_eq!(told(&Pace::new(0), 2, 30), ", 2m left");
        assert_eq!(told(&Pace::new(8), 9, 7_200), ", 2h left", "of this run");
        assert_eq!(told(&Pace::new(8), 8, 7_200), "", "nothing to go by");
        assert_eq!(told(&Pace::new(0), 10, 30), "");
        assert_eq!(told(&Pace::new(0), 9, 5), "", "next to nothing");
        // While no further thing is counted, the estimated remaining time must become shorter, not longer.
        let pace = Pace::new(0);
        assert_eq!(told(&pace, 5, 300), ", 5m left");
        assert_eq!(told(&pace, 5, 480), ", 2m left");
        assert_eq!(told(&pace, 5, 900), "", "overdue");
        assert_eq!(told(&pace, 6, 900), ", 10m left");
    }
}
