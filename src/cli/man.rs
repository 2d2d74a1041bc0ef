//! `turnwise man`: writes the manual pages that the packages contain.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;

/// Arguments of `turnwise man`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder for the pages; man looks in ~/.local/share/man/man1
    folder: PathBuf,
}

/// Writes the pages of the program and of all its commands.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let folder = &arguments.folder;
    let written = fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(super::Arguments::command(), folder));
    written.with_context(|| format!("cannot write the pages to {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
