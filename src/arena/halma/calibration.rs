//! A command's own calibration, as the assignment has it: whoever brings `calibrate` along beside
//! `homework` has it run once, and once only, before the first game. What it writes into
//! `calibration.txt` lies in the player's folder in all of its games.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use turnwise_protocol::halma::LARGEST_FILE;

use super::command;
use crate::arena::process::{Process, Scratch, Streams};
use crate::terminal;
use turnwise_halma::agent::files::numbered;

/// The file's name.
pub(super) const FILE: &str = "calibration.txt";

/// A calibration that runs for longer is killed; the text sets no limit.
const AT_MOST: Duration = Duration::from_secs(120);

/// Lines of its stderr that are shown if it fails.
const MOST_WORDS: usize = 3;

/// A calibration that has been run, by its command.
struct Done {
    words: Vec<String>,
    /// What it wrote, if it did.
    content: Option<Vec<u8>>,
}

/// All that have been run by this process: players are made for every pair, on several threads, and a
/// calibration is for the whole match.
static DONE: Mutex<Vec<Done>> = Mutex::new(Vec::new());

/// What the calibration of this player's command has written; runs it if that has not been done yet,
/// while the other players of the match wait. None if there is no such program, or if it wrote nothing
/// of use, which is told on standard error: the games go on without it.
pub(super) fn of(player: &[String]) -> Option<Vec<u8>> {
    let words = beside(player)?;
    let mut all = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.iter().find(|known| known.words == words) {
        return known.content.clone();
    }
    let shown = words.join(" ");
    if std::io::stderr().is_terminal() {
        terminal::note(&format!(
            "turnwise: running {shown} once, before the first game"
        ));
    }
    let content = run(&words)
        .inspect_err(|why| {
            terminal::note(&format!(
                "turnwise: {shown}: {why}; its player goes on without"
            ));
        })
        .ok();
    all.push(Done {
        words,
        content: content.clone(),
    });
    content
}

/// The words that run `calibrate11` instead of `homework11`, if there is such a file beside it: with the
/// same digits, and the same extension.
fn beside(player: &[String]) -> Option<Vec<String>> {
    player.iter().enumerate().find_map(|(at, word)| {
        let path = Path::new(word);
        let digits = numbered(path.file_stem()?.to_str()?, "homework")?;
        let mut name = format!("calibrate{digits}");
        if let Some(extension) = path.extension() {
            name = format!("{name}.{}", extension.to_str()?);
        }
        let calibrate = path.with_file_name(name);
        if !path.is_file() || !calibrate.is_file() {
            return None;
        }
        let mut words = player.to_vec();
        words[at] = calibrate.to_str()?.to_owned();
        Some(words)
    })
}

/// Runs it in a folder of its own; what it wrote, or why there is nothing.
fn run(words: &[String]) -> Result<Vec<u8>, String> {
    let folder = Scratch::new().map_err(|error| error.to_string())?;
    let mut process = Process::start_in(folder.path(), words, Streams::Null)
        .map_err(|error| error.to_string())?;
    measured(&mut process, folder.path()).map_err(|why| match process.last_lines() {
        said if said.is_empty() => why,
        said => {
            let last = said.len().saturating_sub(MOST_WORDS);
            format!("{why}; its last words: {}", said[last..].join(" / "))
        }
    })
}

/// What it leaves in its folder.
fn measured(process: &mut Process, folder: &Path) -> Result<Vec<u8>, String> {
    let ended = process
        .run_to_its_end(AT_MOST, |_, _| true)
        .map_err(|error| error.to_string())?;
    if ended.is_killed {
        return Err(format!("it did not end within {AT_MOST:?} and was killed"));
    }
    let content = command::read(&folder.join(FILE))
        .map_err(|why| format!("{FILE}: {why}"))?
        .ok_or_else(|| format!("it wrote no {FILE}: {}", ended.status))?;
    if content.len() > LARGEST_FILE {
        return Err(format!("{FILE} is larger than {LARGEST_FILE} bytes"));
    }
    Ok(content)
}
