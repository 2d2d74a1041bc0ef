//! Runs this program as its own helper.
//!
//! With `helper` as its first argument, this program runs no command. Instead it becomes a small process that supports
//! the programs that it has started.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use super::guard;

/// The first argument of all helpers.
pub(super) const WORD: &str = "helper";

/// The exit code for a program that cannot be started, as in shells.
#[cfg(target_os = "linux")]
pub(super) const CANNOT_START: u8 = 127;

/// The second argument of a [guard].
pub(super) const GUARD: &str = "guard";
/// The second argument of a [supervisor](super::supervisor).
///
/// A supervisor ends with its program's exit status.
#[cfg(target_os = "linux")]
pub(super) const SUPERVISE: &str = "supervise";
/// The second argument to [limit itself](super::limits) and become a program.
#[cfg(target_os = "linux")]
pub(super) const CONFINE: &str = "confine";
/// The second argument to enter a [control group](super::control_group) and become a program.
#[cfg(target_os = "linux")]
pub(super) const ENTER: &str = "enter";
/// The second argument to [probe](super::means) an isolated program's accesses.
#[cfg(target_os = "linux")]
pub(super) const PROBE: &str = "probe";

/// Runs the helper that the arguments select. Returns `None` if they do not select a helper.
///
/// The arguments exclude the program's name. Call this first in `main`.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.next()? != WORD {
        return None;
    }
    let helper = arguments.next();
    let rest: Vec<OsString> = arguments.collect();
    Some(match (helper.as_ref()?.to_str()?, &rest[..]) {
        (GUARD, [folder]) => {
            guard::stand(Path::new(folder), std::io::stdin());
            ExitCode::SUCCESS
        }
        #[cfg(target_os = "linux")]
        (SUPERVISE, [orders, words @ ..]) => super::supervisor::stand(orders, words),
        #[cfg(target_os = "linux")]
        (CONFINE, [limits, words @ ..]) => super::limits::confine(limits, words),
        #[cfg(target_os = "linux")]
        (ENTER, [group, words @ ..]) => super::control_group::begin_in(group, words),
        #[cfg(target_os = "linux")]
        (PROBE, [task]) => super::means::probe(task),
        _ => return None,
    })
}
