//! This program as its own helper: with `helper` as its first argument it is none of its commands, but one
//! of the small processes that stand beside and around the programs that it starts.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use super::guard;

/// The first argument of all helpers.
pub(super) const WORD: &str = "helper";

/// The exit code for a program that cannot be started, as shells have it.
#[cfg(target_os = "linux")]
pub(super) const CANNOT_START: u8 = 127;

/// The second: a [guard].
pub(super) const GUARD: &str = "guard";
/// A [supervisor](super::supervisor), which ends as its program did.
#[cfg(target_os = "linux")]
pub(super) const SUPERVISE: &str = "supervise";
/// [Limits itself](super::limits) and becomes a program.
#[cfg(target_os = "linux")]
pub(super) const CONFINE: &str = "confine";
/// Enters a [control group](super::control_group) and becomes a program.
#[cfg(target_os = "linux")]
pub(super) const ENTER: &str = "enter";
/// [Tries](super::means) what an isolated program can do.
#[cfg(target_os = "linux")]
pub(super) const PROBE: &str = "probe";

/// Does what a helper is to do; `None` if the arguments, without the program's name, are not for one. To be
/// called before anything else is done.
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
