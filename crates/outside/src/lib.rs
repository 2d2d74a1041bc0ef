//! Games whose rules are a program in any language, the referee. `protocol/referee.md` specifies the folder of such a
//! game and the conversation with its referee.
//!
//! | module | contents |
//! |---|---|
//! | `manifest` | `game.toml`: names, seats, settings |
//! | `referee` | the process and the conversation with it |
//! | `table` | a game at a referee: chance events, texts of moves |
//! | `state` | the running game, as the rest of the program sees it |
//! | `record` | the result in a log, and the replay without a referee |
//! | `agents`, `mcts` | the built-in agents |
//! | `game` | the game with its settings |
//! | [`contract`] | the check of a referee |

mod agents;
pub mod contract;
mod game;
mod manifest;
mod mcts;
mod record;
mod referee;
mod state;
mod table;

use std::fs;
use std::path::Path;

use turnwise_engine::plugin::Plugin;

use contract::Finding;
use game::{FromLogs, Named};
use manifest::Manifest;
use referee::{Referee, Source};
pub use referee::{isolate, record_in, report_failures};

/// The name of the file that describes a game.
pub const MANIFEST: &str = "game.toml";

/// The maximum size of a manifest in bytes.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// Reads the logs of all games whose rules are programs, without starting a program. In a list of games, it must come
/// before the built-in games, whose names such a game may have.
pub static FROM_LOGS: Plugin = Plugin(&FromLogs);

/// Returns true if the user means the folder of a game rather than the name of a built-in game.
pub fn is_folder(text: &str) -> bool {
    text.contains(['/', ':']) || Path::new(text).join(MANIFEST).is_file()
}

/// Loads the game in a folder. `FOLDER:NAME` means the game with this name of the adapter in the folder.
///
/// # Errors
///
/// Returns an error if the folder contains no valid manifest, or if the adapter does not know the name.
pub fn load(text: &str) -> Result<Plugin, String> {
    let (manifest, source) = read(text)?;
    Ok(Plugin(Box::leak(Box::new(Named::new(manifest, source)?))))
}

/// Checks the referee of the game in a folder. `given` returns the text that the user gave for a setting. Reports each
/// finding to `told`, and returns true if nothing failed.
///
/// # Errors
///
/// Returns the errors of [`load`].
pub fn check(
    text: &str,
    given: &dyn Fn(&str) -> Option<String>,
    told: &mut dyn FnMut(Finding),
) -> Result<bool, String> {
    let (manifest, source) = read(text)?;
    let options = manifest.options(given);
    Ok(contract::check(&manifest, &source, &options, told))
}

fn read(text: &str) -> Result<(Manifest, Source), String> {
    let (folder, name) = match text.split_once(':') {
        Some((folder, name)) => (folder, Some(name)),
        None => (text, None),
    };
    let folder = Path::new(folder);
    let path = folder.join(MANIFEST);
    let cannot_read =
        |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", path.display());
    let size = fs::metadata(&path)
        .map_err(|error| cannot_read(&error))?
        .len();
    if size > LARGEST_MANIFEST {
        return Err(cannot_read(&format!(
            "expected at most {LARGEST_MANIFEST} bytes, got {size}"
        )));
    }
    let text = fs::read_to_string(&path).map_err(|error| cannot_read(&error))?;
    let wrong = |why: String| format!("{}: {}", path.display(), why.trim_end());
    let manifest: Manifest = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let mut words = manifest.command.clone();
    if words.is_empty() {
        return Err(wrong(
            "command: expected the referee's program and its arguments".to_owned(),
        ));
    }
    words.extend(name.map(str::to_owned));
    let folder = folder.canonicalize().map_err(|error| cannot_read(&error))?;
    let source = Source { folder, words };
    let manifest = match (manifest.name.is_empty(), name) {
        (false, None) => manifest,
        (true, Some(name)) => {
            let described = Referee::describe(&source).map_err(|why| format!("{name}: {why}"))?;
            described
                .about
                .ok_or_else(|| format!("expected `about` from the adapter for {name}"))?
        }
        (true, None) => {
            return Err(wrong(
                "expected the name of a game of this adapter: --game FOLDER:NAME".to_owned(),
            ));
        }
        (false, Some(_)) => {
            return Err(wrong(
                "it is no adapter; expected its folder without `:NAME`".to_owned(),
            ));
        }
    };
    Ok((manifest.checked().map_err(wrong)?, source))
}
