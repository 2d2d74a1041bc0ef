//! Ctrl-C once: finish what runs and sum up. Twice: stop now.

use turnwise_arena::stop::Stop;

use crate::console::interrupt::on_first_signal;
use crate::console::output::note;

/// Listens to SIGINT and SIGTERM from now on. The first sets the returned flag; the second kills the
/// players and exits, which leaves the log with whole pairs, the last of them torn at worst. What the
/// first does is `told` to the user.
///
/// # Errors
///
/// If the system refuses the handlers.
pub fn listen(told: &'static str) -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let requested = stop.clone();
    on_first_signal(move |_code| {
        requested.request();
        note(&format!("turnwise: {told}"));
    })?;
    Ok(stop)
}
