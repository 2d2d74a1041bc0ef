//! Runs this program as a helper of itself.
//!
//! If the first argument is `helper`, this program does not run a command of the user. Instead it becomes a small
//! process that supports the programs that this program has started.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use super::guard;

/// The first argument that makes this program a helper.
pub(super) const WORD: &str = "helper";

/// The exit code of a helper whose program cannot be started; shells use it too.
#[cfg(target_os = "linux")]
pub(super) const CANNOT_START: u8 = 127;

/// The second argument that makes this program a [guard] process.
pub(super) const GUARD: &str = "guard";
/// The second argument that makes this program a [supervisor](super::supervisor).
///
/// A supervisor exits with its program's exit status.
#[cfg(target_os = "linux")]
pub(super) const SUPERVISE: &str = "supervise";
/// The second argument that makes this program [limit itself](super::limits) and then become another program.
#[cfg(target_os = "linux")]
pub(super) const CONFINE: &str = "confine";
/// The second argument that makes this program enter a [control group](super::control_group) and then become another
/// program.
#[cfg(target_os = "linux")]
pub(super) const ENTER: &str = "enter";
/// The second argument that makes this program [probe](super::means) which accesses an isolated program has.
#[cfg(target_os = "linux")]
pub(super) const PROBE: &str = "probe";

/// Runs the helper that the arguments select. Returns `None` if they do not select a helper.
///
/// `arguments` must not contain the program's name. Call this function first in `main`.
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
