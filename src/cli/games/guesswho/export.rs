//! `turnwise export guesswho-java`: writes the course's players in Java, which need no program.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::files::write_whole;

/// Arguments of `turnwise export guesswho-java`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder for the files, such as the framework's; replaces files of the same names
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

macro_rules! files {
    ($($path:literal $name:literal)*) => {
        [$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/adapters/guesswho-java/", $path, $name)))),*]
    };
}

/// The names of the files, with their content.
const FILES: [(&str, &str); 4] = files!(
    "" "TurnwisePlayer.java"
    "pure/" "CustomGuessPlayer.java"
    "pure/" "BinaryGuessPlayer.java"
    "pure/" "RandomGuessPlayer.java"
);

/// Writes the files.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let folder = arguments.folder;
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (name, text) in FILES {
        write_whole(&folder.join(name), text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
