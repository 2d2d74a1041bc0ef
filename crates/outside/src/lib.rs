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
//!
//! A folder becomes a game without starting its referee:
//!
//! ```
//! use std::path::Path;
//! use turnwise_engine::plugin::Registered;
//! use turnwise_outside::Folder;
//!
//! let manifest = r#"
//!     name = "nim"
//!     title = "Nim"
//!     command = ["python3", "referee.py"]
//! "#;
//! let game = Folder::new(Path::new("."), None, manifest)?;
//! assert_eq!(game.about().title, "Nim");
//! # Ok::<(), String>(())
//! ```

mod agents;
pub mod contract;
mod game;
mod manifest;
mod mcts;
mod record;
mod referee;
mod state;
mod table;

use std::path::Path;

use serde_json::Value;
use turnwise_engine::plugin::Plugin;
use turnwise_engine::schema::json_schema;

pub use game::Folder;
use game::FromLogs;
pub use referee::{isolate, record_in, report_failures};

/// The name of the file that describes a game.
pub const MANIFEST: &str = "game.toml";

/// Returns the JSON Schema of [`MANIFEST`].
pub fn manifest_schema() -> Value {
    json_schema::<manifest::Manifest>()
}

/// Reads the logs of all games whose rules are programs, without starting a program. In a list of games, it must come
/// before the built-in games, whose names such a game may have.
pub static FROM_LOGS: Plugin = Plugin(&FromLogs);

/// Returns true if the user means the folder of a game rather than the name of a built-in game.
pub fn is_folder(text: &str) -> bool {
    text.contains(['/', ':']) || Path::new(text).join(MANIFEST).is_file()
}
