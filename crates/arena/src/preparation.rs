//! Runs the preparation of a command: a program that runs once, before the command's first game.
//!
//! The file that such a program writes is in the command's folder during all games.

use std::path::Path;

use turnwise_engine::outside::Preparation;

use crate::command;
use turnwise_engine::player::Ponder;
use turnwise_process::isolation::Isolation;
use turnwise_process::{Process, Scratch, Streams};

/// The maximum number of lines from the end of stderr in a message about a failed preparation.
const MOST_WORDS: usize = 3;

/// The output of a preparation: a file that is in the command's folder during all games.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    pub file: &'static str,
    pub content: Vec<u8>,
}

/// Runs a preparation. Returns `None` and reports the reason if its output is unusable.
///
/// In that case, the games are played without the output.
pub(crate) fn run(
    preparation: &Preparation,
    largest: usize,
    isolation: Option<&Isolation>,
    tell: &dyn Fn(&str),
) -> Option<Prepared> {
    let shown = preparation.words.join(" ");
    tell(&format!(
        "turnwise: running {shown} once, before the first game"
    ));
    match content(preparation, largest, isolation) {
        Ok(content) => Some(Prepared {
            file: preparation.file,
            content,
        }),
        Err(why) => {
            tell(&format!(
                "turnwise: {shown}: {why}; its player plays without its output"
            ));
            None
        }
    }
}

/// Runs a preparation in an empty folder; returns its output, or the reason why it has none.
fn content(
    preparation: &Preparation,
    largest: usize,
    isolation: Option<&Isolation>,
) -> Result<Vec<u8>, String> {
    let folder = Scratch::new().map_err(|error| error.to_string())?;
    let words = &preparation.words;
    let mut process = Process::start_in(
        folder.path(),
        words,
        Streams::Null,
        isolation,
        Ponder::Allow,
    )
    .map_err(|error| error.to_string())?;
    written(preparation, largest, &mut process, folder.path()).map_err(|why| {
        match process.last_lines() {
            said if said.is_empty() => why,
            said => {
                let last = said.len().saturating_sub(MOST_WORDS);
                format!("{why}; its last words: {}", said[last..].join(" / "))
            }
        }
    })
}

fn written(
    preparation: &Preparation,
    largest: usize,
    process: &mut Process,
    folder: &Path,
) -> Result<Vec<u8>, String> {
    let Preparation { file, at_most, .. } = preparation;
    let ended = process
        .run_to_its_end(*at_most, |_| true)
        .map_err(|error| error.to_string())?;
    if ended.killed_at.is_some() {
        return Err(format!("it did not end within {at_most:?} and was killed"));
    }
    let content = command::read(&folder.join(file), largest)
        .map_err(|why| format!("{file}: {why}"))?
        .ok_or_else(|| format!("it wrote no {file}: {}", ended.status))?;
    if content.len() > largest {
        return Err(format!("{file} is larger than {largest} bytes"));
    }
    Ok(content)
}
