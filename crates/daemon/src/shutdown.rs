//! Handles SIGINT, SIGTERM and SIGHUP: the first signal requests a clean exit, the second ends the process at once.
//!
//! SIGHUP means that the controlling terminal was closed. A process without such a terminal ignores SIGHUP, which then
//! usually asks a daemon to open its log again: the logs of games notice by themselves that their file has moved. A
//! process also ignores SIGHUP if its parent, such as nohup, ignored this signal.

use std::fs::{self, File};

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::runtime::runtime;

/// The receiver of the first signal. Every clone also receives the signal.
#[derive(Debug, Clone)]
pub struct Shutdown(watch::Receiver<Option<Signal>>);

/// Returns the exit code after a signal, following the shell's convention.
pub fn exit_code(signal: Signal) -> u8 {
    // Signal numbers are below 128.
    128 + signal.as_raw() as u8
}

/// Starts listening for signals. Needs a tokio runtime.
///
/// A second signal exits the process with that signal's [`exit_code`]. No log line is lost, because logs are written
/// line by line.
pub fn listen() -> std::io::Result<Shutdown> {
    listen_and(|signal| std::process::exit(i32::from(exit_code(signal))))
}

/// Starts listening for signals, and calls `again` at every further signal.
fn listen_and(again: impl Fn(Signal) + Send + 'static) -> std::io::Result<Shutdown> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = match is_hangup_ignored() {
        true => None,
        false => Some(signal(SignalKind::hangup())?),
    };
    let has_terminal = File::open("/dev/tty").is_ok();
    let (heard, shutdown) = watch::channel(None);
    tokio::spawn(async move {
        loop {
            let signal = tokio::select! {
                Some(()) = interrupt.recv() => Signal::INT,
                Some(()) = terminate.recv() => Signal::TERM,
                Some(()) = next(&mut hangup) => match has_terminal {
                    true => Signal::HUP,
                    false => continue,
                },
                else => return,
            };
            if heard.send_replace(Some(signal)).is_some() {
                again(signal);
            }
        }
    });
    Ok(Shutdown(shutdown))
}

/// Waits for the next signal of a stream, or forever without a stream.
async fn next(stream: &mut Option<tokio::signal::unix::Signal>) -> Option<()> {
    match stream {
        Some(stream) => stream.recv().await,
        None => std::future::pending().await,
    }
}

/// Returns true if this process ignores SIGHUP, or if the system does not report this.
fn is_hangup_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit stands for signal 1.
    ignored.is_none_or(|mask| mask & 1 << (Signal::HUP.as_raw() - 1) != 0)
}

/// Listens for signals on a separate thread, for programs without a runtime.
///
/// Calls `first` at the first signal and `again` at each further signal. SIGTSTP (Ctrl-Z) stops this process and all
/// programs that it started.
pub fn listen_on_thread(
    first: impl FnOnce(Signal) + Send + 'static,
    again: impl Fn(Signal) + Send + 'static,
) -> std::io::Result<()> {
    let runtime = runtime()?;
    let (mut shutdown, mut stop) = {
        let _inside = runtime.enter();
        (
            listen_and(again)?,
            signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?,
        )
    };
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || {
        runtime.spawn(async move {
            while stop.recv().await.is_some() {
                turnwise_process::pause::pause();
            }
        });
        runtime.block_on(async {
            first(shutdown.requested().await);
            // Further signals are handled while this thread waits here.
            std::future::pending::<()>().await;
        });
    })?;
    Ok(())
}

impl Shutdown {
    /// Creates a receiver without signal handlers, and a sender whose value takes the place of the first signal.
    pub fn manual() -> (watch::Sender<Option<Signal>>, Self) {
        let (switch, shutdown) = watch::channel(None);
        (switch, Self(shutdown))
    }

    /// Waits for the first signal, or forever if no signal can come.
    pub async fn requested(&mut self) -> Signal {
        let heard = self.0.wait_for(Option::is_some).await.map(|heard| *heard);
        match heard {
            Ok(Some(signal)) => signal,
            _ => std::future::pending().await,
        }
    }
}
