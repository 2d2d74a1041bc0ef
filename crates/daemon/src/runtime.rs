//! The runtime of network tasks.

use std::io;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// Pairs of sockets that a runtime may need at most: it opens six files.
const PAIRS: usize = 3;

/// A thread that waits for work as good as forever.
const FOREVER: Duration = Duration::from_secs(1 << 32);

/// Makes a runtime for the thread that calls this.
///
/// Tokio panics if it cannot open its sockets for signals, or start the first of its threads for blocking work. So
/// both are tried before, and one such thread stays: further work waits for it where the system gives no other one.
///
/// # Errors
///
/// If the system gives too few files or no thread.
pub fn runtime() -> io::Result<Runtime> {
    let sockets: io::Result<Vec<_>> = (0..PAIRS).map(|_| UnixStream::pair()).collect();
    drop(sockets.map_err(|error| named("open the files that it needs", "-n", &error))?);
    let thread = thread::Builder::new().spawn(|| {});
    let thread = thread.map_err(|error| named("start a thread", "-u and -v", &error))?;
    // It has nothing to panic over.
    let _ = thread.join();
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().thread_keep_alive(FOREVER).build()?;
    drop(runtime.spawn_blocking(|| {}));
    Ok(runtime)
}

fn named(what: &str, limits: &str, error: &io::Error) -> io::Error {
    let why = format!("this process cannot {what}: {error}; see the limits of ulimit {limits}");
    io::Error::new(error.kind(), why)
}
