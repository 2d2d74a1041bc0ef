//! Dependencies between modules go in one direction. Held in place by reading the source, because
//! within one crate the compiler does not.

use std::path::{Path, PathBuf};

/// A source file: its path below the package, and its code without tests and comments.
struct Source {
    path: String,
    code: String,
}

/// All source files below a folder of the package, or one file of it.
fn sources(below: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut waiting = vec![root.join(below)];
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            waiting.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(source(root, path));
        }
    }
    assert!(!found.is_empty(), "there is no source in {below}");
    found
}

fn source(root: &Path, path: PathBuf) -> Source {
    let text = std::fs::read_to_string(&path).expect("source is text");
    let text = text.split("#[cfg(test)]").next().expect("a first part");
    let code = text
        .lines()
        .map(|line| line.split("//").next().expect("a first part"))
        .map(|line| format!("{line}\n"))
        .collect();
    let path = path.strip_prefix(root).expect("below the root");
    Source {
        path: path.display().to_string(),
        code,
    }
}

fn is_part_of_a_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// True if the code has this path of modules as whole words.
fn names(code: &str, path: &str) -> bool {
    code.match_indices(path).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + path.len()..].chars().next();
        !before.is_some_and(is_part_of_a_word) && !after.is_some_and(is_part_of_a_word)
    })
}

/// The modules of this crate that the code names: `crate::a::b`, and both of `crate::{a, b::c}`.
fn modules_named(code: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for (at, root) in code.match_indices("crate::") {
        let rest = &code[at + root.len()..];
        match rest.strip_prefix('{') {
            Some(list) => modules.extend(heads_of(list)),
            None => modules.push(head_of(rest)),
        }
    }
    modules
}

fn head_of(path: &str) -> String {
    let path = path.trim_start();
    path.chars()
        .take_while(|&letter| is_part_of_a_word(letter))
        .collect()
}

/// The first words of the items of a list whose opening brace has been taken off.
fn heads_of(list: &str) -> Vec<String> {
    let mut heads = vec![head_of(list)];
    let mut depth = 1;
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => heads.push(head_of(&list[at + 1..])),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

/// Fails if a file below the folder names one of these modules of this crate.
fn names_no_module(below: &str, forbidden: &[&str]) {
    for source in sources(below) {
        for module in modules_named(&source.code) {
            let wrong = forbidden.contains(&module.as_str());
            assert!(!wrong, "{} names crate::{module}", source.path);
        }
    }
}

/// Fails if a file below the folder names one of these paths.
fn names_no_path(below: &str, forbidden: &[&str]) {
    for source in sources(below) {
        for path in forbidden {
            assert!(!names(&source.code, path), "{} names {path}", source.path);
        }
    }
}

/// Sockets, files, processes and the standard streams. Threads are none of these.
const INPUT_AND_OUTPUT: [&str; 12] = [
    "tokio",
    "tokio_util",
    "futures_util",
    "socket2",
    "std::net",
    "std::io",
    "std::fs",
    "std::process",
    "println",
    "eprintln",
    "print",
    "eprint",
];

/// Everything around the playing: connections and the user.
const SURROUNDINGS: [&str; 10] = [
    "budget", "cli", "client", "driver", "host", "logging", "serve", "session", "shutdown",
    "worker",
];

#[test]
fn the_reading_of_imports_reads_them() {
    let code =
        "use crate::{logging, shutdown::{listen, Shutdown}, cli};\nuse crate::games::entropy;";
    assert_eq!(modules_named(code), ["logging", "shutdown", "cli", "games"]);
    assert!(names("use std::io::Read;", "std::io"));
    assert!(!names("use std::iter;", "std::io"));
    assert!(!names("eprintln!()", "println"));
}

#[test]
fn the_search_knows_no_game_and_does_no_input_or_output() {
    for part in ["src/search", "src/game.rs"] {
        names_no_module(part, &SURROUNDINGS);
        names_no_module(part, &["games", "agent", "clock"]);
        names_no_path(part, &INPUT_AND_OUTPUT);
        names_no_path(part, &["turnwise_protocol"]);
    }
}

#[test]
fn games_know_no_connection_and_do_no_input_or_output() {
    names_no_module("src/games", &SURROUNDINGS);
    names_no_module("src/games", &["agent", "clock"]);
    names_no_path("src/games", &INPUT_AND_OUTPUT);
    names_no_path("src/games", &["turnwise_protocol"]);
}

#[test]
fn agents_and_clocks_know_no_connection() {
    for part in ["src/agent", "src/clock.rs"] {
        names_no_module(part, &SURROUNDINGS);
        names_no_path(part, &INPUT_AND_OUTPUT);
    }
}

#[test]
fn the_session_is_free_of_input_and_output() {
    names_no_path("src/session", &INPUT_AND_OUTPUT);
    names_no_module(
        "src/session",
        &["budget", "cli", "client", "driver", "host", "logging"],
    );
}

#[test]
fn the_host_shares_nothing_with_the_player() {
    names_no_module(
        "src/host",
        &["agent", "client", "driver", "session", "search", "worker"],
    );
    for part in ["src/client.rs", "src/driver.rs"] {
        names_no_module(part, &["host", "budget"]);
    }
}

#[test]
fn the_arena_and_its_report_share_records_and_arithmetic_and_nothing_else() {
    names_no_module("src/arena", &["report"]);
    names_no_module("src/report", &["arena"]);
    for part in [
        "src/records.rs",
        "src/records",
        "src/statistics.rs",
        "src/statistics",
        "src/strength",
        "src/words.rs",
    ] {
        names_no_module(part, &["arena", "report", "agent", "games"]);
        names_no_module(part, &SURROUNDINGS);
        names_no_path(part, &INPUT_AND_OUTPUT);
    }
}

#[test]
fn only_the_table_of_a_game_knows_it_in_the_arena() {
    for source in sources("src/arena") {
        let of_a_game = ["src/arena/entropy/", "src/arena/halma/"];
        if of_a_game
            .iter()
            .any(|folder| source.path.starts_with(folder))
        {
            continue;
        }
        let named = modules_named(&source.code);
        // Settings ask whether a board is one of CodeCup's.
        let settings = source.path == "src/arena/settings.rs";
        let games = named.contains(&"games".to_owned());
        assert!(settings || !games, "{} names crate::games", source.path);
    }
}

#[test]
fn the_daemon_behind_the_shim_stands_alone() {
    names_no_module(
        "src/serve",
        &["arena", "client", "driver", "host", "report", "session"],
    );
}

#[test]
fn the_protocol_knows_nothing_of_the_program() {
    names_no_path("protocol/src", &["turnwise", "tokio"]);
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("a manifest");
    let dependencies = manifest
        .split("[dependencies]")
        .nth(1)
        .expect("dependencies");
    assert!(!dependencies.contains("turnwise"));
}

#[test]
fn only_the_command_line_knows_itself() {
    for source in sources("src") {
        let inside = source.path.starts_with("src/cli/");
        let named = modules_named(&source.code).contains(&"cli".to_owned());
        assert!(inside || !named, "{} names crate::cli", source.path);
    }
}

#[test]
fn every_module_stands_on_the_map() {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = std::fs::read_to_string(map).expect("the library's root");
    let modules: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let mut listed: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! | [`")?.split('`').next())
        .collect();
    assert!(modules.contains(&"host"));
    listed.sort_unstable();
    assert_eq!(listed, modules);
}
