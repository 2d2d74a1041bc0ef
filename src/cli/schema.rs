//! `turnwise schema`: prints the JSON Schema of a file, for editors and for programs that read logs.

use std::process::ExitCode;

use clap::ValueEnum;
use turnwise_arena::records::RawRecord;
use turnwise_engine::schema::json_schema;
use turnwise_outside::manifest_schema;
use turnwise_tournament::class_file::ClassFile;

use crate::console::output::print;

/// The kinds of files for which the command prints a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum File {
    /// The file of a tournament, class.toml
    Class,
    /// The game.toml of a game in a folder
    Game,
    /// A line of a log
    Log,
}

/// Arguments of `turnwise schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise schema class > class.schema.json
      With \"#:schema ./class.schema.json\" as the first
      line of class.toml, editors that know TOML complete
      and check the file as you write.
  turnwise schema log")]
pub struct Arguments {
    /// The kind of file
    file: File,
}

/// Prints the schema.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let schema = match arguments.file {
        File::Class => json_schema::<ClassFile>(),
        File::Game => manifest_schema(),
        File::Log => json_schema::<RawRecord>(),
    };
    print(&format!("{schema:#}\n"))?;
    Ok(ExitCode::SUCCESS)
}
