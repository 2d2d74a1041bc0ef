//! `turnwise export codecup`: writes the player as one source file without dependencies, as CodeCup accepts it.
//!
//! The file is bundled from turnwise's own sources, so it makes the same decisions. Bundling nests the modules,
//! renames the crates in paths, cuts the tests, and replaces whatever Rust 1.66 does not have. The folder `export` holds
//! the parts that only the file needs.

use std::path::PathBuf;
use std::process::ExitCode;

use turnwise_entropy::weights::{Weights, released};

use crate::cli::files::write_whole;

/// Arguments of `turnwise export codecup`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The source file to write
    file: PathBuf,
}

/// The number of rows of the board at CodeCup.
const SIZE: u8 = 7;

/// The beginning of the file.
const HEAD: &str = "\
//! Plays the game of CodeCup 2023 on stdin and stdout. Compile it with `rustc -O --edition 2021`.
//!
//! `turnwise export codecup` has bundled this file from the sources of turnwise, without the tests. An argument sets the
//! number of nodes of each search, which then ignores the clock.

#![forbid(unsafe_code)]
#![allow(dead_code, unused_imports, unstable_name_collisions)]

";

/// A module: its path in the crate, without the extension, and its source.
type Module = (&'static str, &'static str);

macro_rules! modules {
    ($folder:literal $($name:literal)*) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $name, ".rs")))),*]
    };
}

/// The modules that the player consists of, by crate.
const CRATES: [(&str, &[Module]); 3] = [
    (
        "search",
        modules!("src/cli/games/entropy/export/search"
            "lib" "cpu_time" "deepening" "game" "instant" "node" "node/chance" "schedule" "table" "threads"),
    ),
    (
        "engine",
        modules!("src/cli/games/entropy/export/engine" "lib" "agent" "clock" "clock/lateness"),
    ),
    (
        "entropy",
        modules!("src/cli/games/entropy/export/entropy"
            "lib" "block_sums" "blocks" "crossing_sums" "crossings" "evaluated" "evaluated/looks" "evaluation"
            "forecast" "gap_sums" "gaps" "line_values" "local" "palindromes" "patterns" "rules" "search_agent"),
    ),
];

/// Substitutes for modules with the same names. They contain no unsafe code and read no files of weights.
const STAND_INS: &[Module] = modules!("src/cli/games/entropy/export" "memory" "weights");

/// Texts of the sources, each with its replacement. `substitutes.rs` defines the names that the replacements use.
const REPLACED: [(&str, &str); 14] = [
    ("turnwise_engine::", "crate::engine::"),
    ("turnwise_search", "crate::search"),
    ("use std::sync::{Arc, OnceLock};", "use std::sync::Arc;"),
    ("use std::sync::OnceLock;", ""),
    ("const { OnceLock::new() }", "OnceLock::NEW"),
    ("=> const {", "=> {"),
    // Without a known system, the modules use the standard library only.
    ("cfg(unix)", "cfg(any())"),
    ("cfg(not(unix))", "cfg(all())"),
    ("target_os = \"linux\"", "any()"),
    ("use serde::{Deserialize, Serialize};", ""),
    (", Serialize, Deserialize", ""),
    (", serde::Serialize, serde::Deserialize", ""),
    (
        "#[serde(default, skip_serializing_if = \"std::ops::Not::not\")]",
        "",
    ),
    // Bounds of associated types; only threads that hold an agent need them.
    (
        "<Position: Send + 'static, Move: Copy + Send + 'static>",
        "",
    ),
];

/// Returns the player's source.
fn bundle() -> String {
    let mut text = HEAD.to_owned() + include_str!("export/player.rs");
    text += concat!(
        "\nmod substitutes {\n",
        include_str!("export/substitutes.rs"),
        "}\n"
    );
    for (name, modules) in CRATES {
        let root = module(name, modules, "lib").expect("the root of the crate");
        text += &format!("\npub mod {name} {{\n{root}}}\n");
    }
    text + &table(&released(SIZE).expect("released weights"))
}

/// Returns the source of a module, with its submodules inside. Returns `None` if the player does not need the module.
fn module(of: &str, modules: &[Module], path: &str) -> Option<String> {
    let mut known = modules.iter().chain(STAND_INS);
    let &(_, source) = known.find(|(known, _)| *known == path)?;
    let source = source.split("#[cfg(test)]\nmod tests").next()?;
    let mut source = source.replace("crate::", &format!("crate::{of}::"));
    for (text, replacement) in REPLACED {
        source = source.replace(text, replacement);
    }
    let mut lines: Vec<String> = Vec::new();
    let mut is_head = true;
    for line in source.lines() {
        if is_head && !line.starts_with("//!") {
            is_head = false;
            lines.push("use crate::substitutes::*;".to_owned());
        }
        let declared = line.strip_suffix(';').and_then(|line| {
            let name = line.trim_start_matches("pub ").strip_prefix("mod ")?;
            Some((line, name))
        });
        let Some((line, name)) = declared else {
            lines.push(line.to_owned());
            continue;
        };
        let inside = match path {
            "lib" => name.to_owned(),
            _ => format!("{path}/{name}"),
        };
        match module(of, modules, &inside) {
            Some(source) => lines.push(format!("{line} {{\n{source}}}")),
            // The attributes of a missing module would apply to the next item.
            None => lines.truncate(lines.iter().rposition(|line| !line.starts_with("#["))? + 1),
        }
    }
    Some(lines.join("\n") + "\n")
}

/// The lowest digit of the table, and the number of digits. No digit needs an escape in a raw string.
const LOWEST_DIGIT: u8 = b'#';
const DIGITS: i32 = (b'~' - LOWEST_DIGIT) as i32 + 1;

/// The number of values in a line of the table.
const VALUES_A_LINE: usize = 60;

/// Returns the weights as text: for each value, two digits with its difference from the lowest value.
fn table(weights: &Weights) -> String {
    let values = weights.values.iter().map(|&value| i32::from(value));
    let lowest = values.clone().min().unwrap_or_default();
    let digits = values.map(|value| {
        let value = value - lowest;
        assert!(value < DIGITS * DIGITS, "expected two digits, got more");
        [value / DIGITS, value % DIGITS].map(|digit| char::from(LOWEST_DIGIT + digit as u8))
    });
    let digits: Vec<[char; 2]> = digits.collect();
    let lines = digits.chunks(VALUES_A_LINE);
    let lines = lines.map(|line| line.iter().flatten().chain(&['\n']).collect::<String>());
    format!(
        "
const SIZE: u8 = {SIZE};
const LOWEST: i32 = {lowest};
const LOWEST_DIGIT: u8 = {LOWEST_DIGIT};
const DIGITS: i32 = {DIGITS};
const VALUES: &str = r\"{}\";
",
        lines.collect::<String>()
    )
}

/// Writes the source file.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    write_whole(&arguments.file, bundle().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_replaced_text_occurs_in_the_sources() {
        let sources = || CRATES.iter().flat_map(|(_, modules)| modules.iter());
        for (text, _) in REPLACED {
            let occurs = sources().any(|(_, source)| source.contains(text));
            assert!(occurs, "{text}");
        }
        for (name, _) in STAND_INS {
            let declared = format!("mod {name};");
            let occurs = sources().any(|(_, source)| source.contains(&declared));
            assert!(occurs, "{name}");
        }
    }
}
