//! Fuzz targets: a function for every decoder and reader of turnwise, which takes bytes and panics if an invariant does
//! not hold.
//!
//! The invariants are: no input makes the program panic, accepted input is unchanged after it is printed and read
//! again, the meaning of a byte stream does not depend on where it is cut, and buffers are bounded.
//!
//! Stable Rust ([`mutation`], `scripts/fuzz`, `tests/targets.rs`) and cargo-fuzz, which is guided by coverage, share
//! one table of targets; see `docs/explanation/fuzzing.md`.
//!
//! | module | purpose |
//! |---|---|
//! | `codecs` | byte streams: wires and their messages |
//! | `messages` | single lines of wires |
//! | `files` | inputs, and files that programs write for themselves |
//! | `matches` | agents' names and logs |
//! | [`mutation`] | inputs derived from other inputs at random, from a seed |

use std::path::PathBuf;

use turnwise_protocol::entropy::Wire;

mod codecs;
mod files;
mod matches;
mod messages;
pub mod mutation;

/// A function that processes an input and panics if an invariant does not hold.
pub type Target = fn(&[u8]);

/// All targets by name; each target has a corpus in `fuzz/corpus/NAME`.
pub const TARGETS: &[(&str, Target)] = &[
    ("agent_names", matches::agent_names),
    ("arena_log", matches::arena_log),
    ("batch", files::batch),
    ("board_text", files::board_text),
    ("budget_log", matches::budget_log),
    ("checkpoint", files::checkpoint),
    ("entropy_line", messages::entropy_line),
    ("guesswho_config", files::guesswho_config),
    ("guesswho_request", messages::guesswho_request),
    ("halma_answer", messages::halma_answer),
    ("halma_asks", codecs::halma_asks),
    ("halma_calibration", files::halma_calibration),
    ("halma_input", files::halma_input),
    ("halma_output", files::halma_output),
    ("halma_playdata", files::halma_playdata),
    ("host_codecup", |bytes| codecs::host(Wire::Codecup, bytes)),
    ("host_json", |bytes| codecs::host(Wire::Json, bytes)),
    ("host_line", |bytes| codecs::host(Wire::Line, bytes)),
    ("json_objects", codecs::json_objects),
    ("masterchef_input", files::masterchef_input),
    ("player_codecup", |bytes| {
        codecs::player(Wire::Codecup, bytes)
    }),
    ("player_json", |bytes| codecs::player(Wire::Json, bytes)),
    ("player_line", |bytes| codecs::player(Wire::Line, bytes)),
    ("replay", matches::replay),
    ("text_lines", codecs::text_lines),
    ("twentyone_answer", messages::twentyone_answer),
    ("twentyone_call", messages::twentyone_call),
    ("twentyone_memory", files::twentyone_memory),
    ("weights", files::weights),
];

/// Returns the target with this name, or `None` if the name is unknown.
pub fn target(name: &str) -> Option<Target> {
    let mut targets = TARGETS.iter();
    targets.find(|(known, _)| *known == name).map(|&(_, it)| it)
}

/// Returns the folder that contains the corpora and the failing inputs.
pub fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "fuzz"]
        .iter()
        .collect()
}

/// Returns the inputs of a target's corpus with their file names, sorted by name.
///
/// # Panics
///
/// Panics if the corpus cannot be read or is empty.
pub fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder().join("corpus").join(name);
    let read = || -> std::io::Result<Vec<(String, Vec<u8>)>> {
        let mut inputs = Vec::new();
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            inputs.push((name, std::fs::read(entry.path())?));
        }
        inputs.sort();
        Ok(inputs)
    };
    match read() {
        Ok(inputs) if !inputs.is_empty() => inputs,
        Ok(_) => panic!("no input in {}", folder.display()),
        Err(error) => panic!("no corpus in {}: {error}", folder.display()),
    }
}
