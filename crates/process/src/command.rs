//! What is run for a program: the program itself, or its supervisor, or what isolates it.

use std::io;
use std::path::Path;
use std::process::Command;

use super::isolation::Isolation;
#[cfg(target_os = "linux")]
use super::{guard, guard::GUARDED, locked, means, supervisor, walls};

/// The command of these words, below a supervisor while there is a [guard](super::guard::Guard); whether it is.
pub(super) fn supervised(folder: &Path, words: &[String]) -> io::Result<(Command, bool)> {
    #[cfg(target_os = "linux")]
    if let Some(guarded) = &*locked(&GUARDED) {
        must_be_runnable(folder, &words[0])?;
        let orders = supervisor::Orders {
            parent: Some(std::process::id()),
            limits: None,
        };
        let mut command = Command::new(&guarded.program);
        command.args(orders.arguments()).args(words);
        return Ok((command, true));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = folder;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    Ok((command, false))
}

/// Better to learn now that there is no such program than from its supervisor.
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

/// The command of these words in a folder, isolated. There must be a [guard](super::guard::Guard).
#[cfg(target_os = "linux")]
pub(super) fn isolated(
    folder: &Path,
    words: &[String],
    isolation: &Isolation,
) -> io::Result<Command> {
    let program = guard::program()?;
    let guest = walls::Guest {
        words,
        folder,
        isolation,
    };
    guest.command(means::means().wall, &program)
}

/// There is nothing to isolate programs with.
#[cfg(not(target_os = "linux"))]
pub(super) fn isolated(_: &Path, _: &[String], _: &Isolation) -> io::Result<Command> {
    let text = "only Linux can isolate programs; leave the isolation out";
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}
