//! Builds the command that starts a program: directly, below a supervisor, or isolated.

use std::io;
use std::path::Path;
use std::process::Command;

use turnwise_engine::player::Ponder;

#[cfg(target_os = "linux")]
use super::control_group::ControlGroup;
use super::isolation::Isolation;
#[cfg(target_os = "linux")]
use super::{guard, means, supervisor, walls};

/// The command that starts a program, ready to be spawned.
pub(super) struct Prepared {
    pub command: Command,
    /// True if the command starts a supervisor, which then starts the program.
    pub is_supervised: bool,
    /// True if the supervisor is a grandchild: a child of the command's process.
    #[cfg(target_os = "linux")]
    pub is_behind_bubblewrap: bool,
    /// The control group in which the program starts, if it has its own group.
    #[cfg(target_os = "linux")]
    pub control_group: Option<ControlGroup>,
}

/// Returns the command that runs a program that is not isolated.
///
/// While a [guard](super::guard::Guard) is held, the program runs below a supervisor.
pub(super) fn supervised(folder: &Path, words: &[String], ponder: Ponder) -> io::Result<Prepared> {
    #[cfg(target_os = "linux")]
    {
        if let Ok(program) = guard::program() {
            must_be_runnable(folder, &words[0])?;
            let control_group = (ponder == Ponder::Freeze)
                .then(|| guard::control_group(None).ok())
                .flatten();
            let orders = supervisor::Orders {
                parent: Some(std::process::id()),
                limits: None,
                groups: control_group.as_ref().map(ControlGroup::processes),
            };
            let mut command = Command::new(program);
            command
                .args(orders.arguments())
                .args(words)
                .current_dir(folder);
            return Ok(Prepared {
                command,
                is_supervised: true,
                is_behind_bubblewrap: false,
                control_group,
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = ponder;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(folder);
    Ok(Prepared {
        command,
        is_supervised: false,
        #[cfg(target_os = "linux")]
        is_behind_bubblewrap: false,
        #[cfg(target_os = "linux")]
        control_group: None,
    })
}

/// Returns an error if the program is missing or cannot be executed.
///
/// Without this check, the error would appear only later, in the supervisor's output.
#[cfg(target_os = "linux")]
fn must_be_runnable(folder: &Path, program: &str) -> io::Result<()> {
    let check = |path: &Path| Ok(rustix::fs::access(path, rustix::fs::Access::EXEC_OK)?);
    let checked: io::Result<()> = match program.contains('/') {
        true => check(&folder.join(program)),
        false => {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            let is_there =
                std::env::split_paths(&paths).any(|path| check(&path.join(program)).is_ok());
            is_there
                .then_some(())
                .ok_or_else(|| io::ErrorKind::NotFound.into())
        }
    };
    checked.map_err(|error| cannot_start(program, &error))
}

pub(super) fn cannot_start(program: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot start {program:?}: {error}"))
}

/// Returns the command that runs a program in isolation, with `folder` as its home.
///
/// The caller must hold a [guard](super::guard::Guard).
#[cfg(target_os = "linux")]
pub(super) fn isolated(
    folder: &Path,
    words: &[String],
    isolation: &Isolation,
    ponder: Ponder,
) -> io::Result<Prepared> {
    let program = guard::program()?;
    let guest = walls::Guest {
        words,
        folder,
        isolation,
    };
    let wall = means::means().wall;
    let has_use_of_group = ponder == Ponder::Freeze || guard::why_unlimited().is_none();
    let control_group = has_use_of_group
        .then(|| guard::control_group(Some(isolation)).ok())
        .flatten();
    Ok(Prepared {
        command: guest.command(wall, &program, control_group.as_ref(), &|_| ())?,
        is_supervised: true,
        is_behind_bubblewrap: wall == walls::Wall::Bubblewrap,
        control_group,
    })
}

/// Returns an error, because this system has no mechanism to isolate programs.
#[cfg(not(target_os = "linux"))]
pub(super) fn isolated(_: &Path, _: &[String], _: &Isolation, _: Ponder) -> io::Result<Prepared> {
    let text = "only Linux can isolate programs; turn the isolation off";
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}
