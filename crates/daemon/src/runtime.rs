//! Builds the Tokio runtime that runs network tasks.

use std::io;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// The number of socket pairs to open as a test. Three pairs need six file descriptors, as many as a runtime.
const PAIRS: usize = 3;

/// How long idle threads of the runtime stay alive, which is effectively forever.
const FOREVER: Duration = Duration::from_secs(1 << 32);

/// Builds a runtime for the current thread.
///
/// Tokio panics if it cannot open its signal sockets or start its first thread for blocking work. This function
/// therefore tries both first. It also keeps one blocking thread alive: if the system refuses further threads, later
/// blocking work waits for this thread.
///
/// # Errors
///
/// Returns an error if the system has no file descriptors or no threads left.
pub fn runtime() -> io::Result<Runtime> {
    let sockets: io::Result<Vec<_>> = (0..PAIRS).map(|_| UnixStream::pair()).collect();
    drop(sockets.map_err(|error| named("open the files that it needs", "-n", &error))?);
    let thread = thread::Builder::new().spawn(|| {});
    let thread = thread.map_err(|error| named("start a thread", "-u and -v", &error))?;
    // The thread does nothing, so it cannot panic.
    let _ = thread.join();
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().thread_keep_alive(FOREVER).build()?;
    drop(runtime.spawn_blocking(|| {}));
    Ok(runtime)
}

fn named(what: &str, limits: &str, error: &io::Error) -> io::Error {
    let why = format!("this process cannot {what}: {error}; check ulimit {limits}");
    io::Error::new(error.kind(), why)
}
