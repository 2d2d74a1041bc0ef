//! Ctrl-C once: finish what runs and sum up. Twice: stop now.

use std::io;

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

use turnwise_arena::process;
use turnwise_arena::stop::Stop;
use turnwise_daemon::shutdown::exit_code;

use crate::terminal;

/// Listens to SIGINT and SIGTERM from now on. The first sets the returned flag; the second kills the
/// players and exits, which leaves the log with whole pairs, the last of them torn at worst. What the
/// first does is `told` to the user.
///
/// # Errors
///
/// If the system refuses the handlers.
pub fn listen(told: &'static str) -> io::Result<Stop> {
    let stop = Stop::default();
    let requested = stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        )
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            loop {
                let signal = tokio::select! {
                    Some(()) = interrupt.recv() => Signal::INT,
                    Some(()) = terminate.recv() => Signal::TERM,
                    else => return,
                };
                if requested.requested() {
                    process::kill_all_and_exit(exit_code(signal));
                }
                requested.request();
                terminal::note(&format!("turnwise: {told}"));
            }
        });
    });
    Ok(stop)
}
