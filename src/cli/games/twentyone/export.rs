//! `turnwise export twentyone-haskell`: writes the player as one Haskell file for the course's engine.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::files::write_whole;

/// Arguments of `turnwise export twentyone-haskell`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The source file to write; the engine expects the name Player.hs
    file: PathBuf,
}

const PLAYER: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/adapters/twentyone-haskell/pure/Player.hs"
));

/// Writes the source file.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    write_whole(&arguments.file, PLAYER.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
