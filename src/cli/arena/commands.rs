//! Decides whether the arena may run the commands that a log contains.
//!
//! The author of a log can put any command into it. Without asking, the arena therefore runs only commands that this
//! user has already given to an arena in this folder. It shows all other commands to the user and asks for permission.
//!
//! The commands that the user has given are recorded in `turnwise/arena-commands.jsonl` below `XDG_STATE_HOME` or
//! `~/.local/state`. Each line of this file contains a command and the folder in which the user gave the command.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use anyhow::bail;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::geteuid;
use turnwise_arena::records::{Contestant, Settings};
use turnwise_engine::words::{counted, printable};

use crate::cli::files::users_folder;
use crate::cli::quotable;
use crate::console::keyboard;

/// If the file with the recorded commands exceeds this size in bytes, it is cleared. The user must then confirm older
/// commands again.
const MOST_BYTES: u64 = 1 << 20;

/// Opens the file with the recorded commands. Only this user can access the folder and the file.
fn notes() -> io::Result<File> {
    let folder = users_folder("XDG_STATE_HOME", ".local/state").ok_or(io::ErrorKind::NotFound)?;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)?;
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
        .open(folder.join("arena-commands.jsonl"))?;
    let about = file.metadata()?;
    if !about.is_file() || about.uid() != geteuid().as_raw() || about.mode() & 0o022 != 0 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}

/// Returns the line that records that this command was given in the current folder. If the command runs in another
/// folder, the line also contains that folder.
///
/// The current folder is included because it determines the meaning of relative paths.
fn line(command: &Contestant) -> io::Result<String> {
    let folder = std::env::current_dir()?;
    let mut line = vec![format!("{folder:?}"), command.spec.clone()];
    line.extend(command.folder.as_ref().map(|own| format!("{own:?}")));
    Ok(serde_json::json!(line).to_string())
}

fn noted(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(2 * MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn is_noted(notes: &str, command: &Contestant) -> bool {
    line(command).is_ok_and(|line| notes.lines().any(|noted| noted == line))
}

fn note(commands: &[&Contestant]) -> io::Result<()> {
    let mut file = notes()?;
    let known = noted(&mut file)?;
    let mut lines = String::new();
    for command in commands {
        if !is_noted(&known, command) {
            lines += &(line(command)? + "\n");
        }
    }
    if known.len() as u64 > MOST_BYTES {
        file.set_len(0)?;
        file.rewind()?;
    }
    file.write_all(lines.as_bytes())
}

/// Records the commands of a requested match.
///
/// Errors are ignored. After an error, the arena asks the user for permission when the match resumes.
pub(super) fn remember(settings: &Settings) {
    if let Ok(programs @ [_, ..]) = settings.programs().as_deref() {
        let _ = note(programs);
    }
}

/// Asks the user whether the commands that a log contains may run. Does not ask if all are recorded, or if `is_agreed`
/// is true. Returns an error if the commands may not run.
pub(super) fn agree(settings: &Settings, log: &Path, is_agreed: bool) -> anyhow::Result<()> {
    let mut programs = settings.programs()?;
    if programs.is_empty() {
        return Ok(());
    }
    let notes = notes().and_then(|mut file| noted(&mut file));
    let notes = notes.unwrap_or_default();
    programs.retain(|command| !is_noted(&notes, command));
    if programs.is_empty() {
        return Ok(());
    }
    let log = log.display();
    let mut out = io::stderr();
    writeln!(
        out,
        "turnwise: {log} contains {} that you have never run with an arena in this folder:",
        counted(programs.len(), "command")
    )?;
    let mut all = String::new();
    for Contestant { name, spec, folder } in &programs {
        let place = folder.as_ref().map(|own| format!(", in {}", own.display()));
        let told = format!("{name}: {spec}{}", place.unwrap_or_default());
        all += &format!("  {}\n", printable(&told));
    }
    let shown = quotable(&all);
    out.write_all(shown.as_bytes())?;
    if !is_agreed {
        // The user must not be asked about a command that is not shown completely.
        if shown != all {
            bail!(
                "{log} is not resumed, because its commands are too long to show: read them in the log; to \
                 run them as you, add --yes"
            );
        }
        match keyboard::agrees("Run them with your permissions?")? {
            Some(true) => {}
            Some(false) => bail!("{log} is not resumed"),
            None => bail!(
                "{log} is not resumed; to run these commands with your permissions, add --yes"
            ),
        }
    }
    // Records the commands, so that the user need not confirm them again.
    let _ = note(&programs);
    Ok(())
}
