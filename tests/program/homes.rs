//! Tests that each game has one home, which consists of its crates, its commands and its wires (protocols).
//!
//! No source outside of a game's home may name the game. Also, the documented map of the crates must match the crates'
//! manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use turnwise_games::GAMES;

/// The sources that may name games, because they list all games or because their tests need games of all kinds.
const OF_ALL_GAMES: [&str; 7] = [
    "crates/games/src/",
    "src/cli/commands.rs",
    "src/cli/games/mod.rs",
    "src/cli/games/moved.rs",
    "protocol/src/lib.rs",
    "crates/fuzzing/src/",
    "crates/simulation/src/",
];

/// The folders with the sources that must not name games.
const ROOTS: [&str; 4] = ["src", "crates", "protocol/src", "examples"];

/// The folders that are not checked. Tests and benches play real games, whatever they test.
const NO_SOURCES: [&str; 3] = ["tests", "benches", "target"];

const LANGUAGES: [&str; 4] = ["rs", "js", "html", "css"];

/// Finds all sources below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str());
        let language = path.extension().and_then(|language| language.to_str());
        if path.is_dir() {
            if !name.is_some_and(|name| NO_SOURCES.contains(&name)) {
                sources(&path, found);
            }
        } else if language.is_some_and(|language| LANGUAGES.contains(&language)) {
            found.push(path);
        }
    }
}

/// Returns the part of a source file before its tests, in lower case.
fn without_tests(source: &str) -> String {
    let tests = source.find("#[cfg(test)]\nmod tests {");
    source[..tests.unwrap_or(source.len())].to_lowercase()
}

/// Returns true if this file belongs to the home of the game, such as a crate that is named for it.
fn is_home(path: &str, game: &str) -> bool {
    ["crates/", "src/cli/games/", "protocol/src/", "examples/"]
        .iter()
        .filter_map(|folder| path.strip_prefix(folder)?.strip_prefix(game))
        .any(|rest| rest.starts_with(['/', '_', '.', '-']))
}

#[test]
fn no_source_names_a_game_outside_its_home() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ROOTS {
        sources(&root.join(folder), &mut paths);
    }
    let mut at_home = vec![0; GAMES.len()];
    let mut strangers = Vec::new();
    let mut needed = [false; OF_ALL_GAMES.len()];
    for path in paths {
        let source = without_tests(&fs::read_to_string(&path).expect("a source"));
        let path = path.strip_prefix(root).expect("it is below");
        let path = path.to_str().expect("text");
        for (game, at_home) in GAMES.iter().zip(&mut at_home) {
            let about = game.about();
            let names = [about.name.to_owned(), about.title.to_lowercase()];
            if !names.iter().any(|name| source.contains(name)) {
                continue;
            }
            if is_home(path, about.name) {
                *at_home += 1;
                continue;
            }
            match OF_ALL_GAMES
                .iter()
                .position(|place| path.starts_with(place))
            {
                Some(place) => needed[place] = true,
                None => strangers.push(format!("{path} names {}", about.title)),
            }
        }
    }
    assert!(strangers.is_empty(), "{strangers:#?}");
    assert!(at_home.iter().all(|&files| files > 0), "{at_home:?}");
    assert!(needed.iter().all(|&is_needed| is_needed), "{needed:?}");
}

/// Returns the names of the dependencies in those sections of a manifest whose headings the filter accepts.
fn dependencies(manifest: &str, accepts: fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let sections = manifest.split("\n[");
    let sections = sections.filter_map(|section| section.split_once("dependencies]\n"));
    let lines = sections.filter(move |(heading, _)| accepts(heading));
    let lines = lines.flat_map(|(_, list)| list.lines());
    let lines = lines.filter(|line| line.starts_with(char::is_alphabetic));
    lines.filter_map(|line| line.split(['.', ' ']).next())
}

/// Returns the short names of the project's crates that the crate with this manifest uses.
fn used(manifest: &str) -> BTreeSet<String> {
    let names = dependencies(manifest, |heading| {
        heading != "workspace." && !heading.ends_with("dev-")
    });
    let names = names.filter_map(|name| name.strip_prefix("turnwise"));
    let names = names.map(|rest| rest.strip_prefix('-').unwrap_or("src"));
    names.map(str::to_owned).collect()
}

/// Returns the folder and the manifest of each crate.
fn manifests(root: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let inside = ["crates", "examples"].map(|folder| fs::read_dir(root.join(folder)));
    let inside = inside
        .into_iter()
        .flat_map(|found| found.expect("a folder"));
    let folders = inside.map(|entry| entry.expect("an entry").path());
    let folders = folders.chain(["", "protocol", "fuzz"].map(|folder| root.join(folder)));
    folders.filter_map(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        Some((folder, manifest))
    })
}

/// Returns the crates that each crate of the workspace uses, by their short names.
///
/// `GAME` stands for the crate of each game, and for all of these crates together where `games` uses them.
fn uses(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let is_game = |name: &str| GAMES.iter().any(|game| game.about().name == name);
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (folder, manifest) in manifests(root) {
        let name = folder.file_name().and_then(|name| name.to_str());
        let user = match name.expect("text") {
            _ if folder == root => "src",
            game if is_game(game) => "GAME",
            other => other,
        };
        let used = used(&manifest).into_iter().map(|name| match user {
            "games" if is_game(&name) => "GAME".to_owned(),
            _ => name,
        });
        found.entry(user.to_owned()).or_default().extend(used);
    }
    found.retain(|_, used| !used.is_empty());
    found
}

#[test]
fn the_map_of_the_crates_is_that_of_their_manifests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/explanation/architecture.md")).expect("the page");
    let mut drawn: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let arrows = page.lines().filter(|line| !line.contains(['`', '(']));
    for (users, used) in arrows.filter_map(|line| line.split_once(" -> ")) {
        for user in users.split(", ") {
            let used = used.split(", ").map(str::to_owned);
            drawn.entry(user.to_owned()).or_default().extend(used);
        }
    }
    assert_eq!(drawn, uses(root));
}

#[test]
fn the_page_of_dependencies_lists_those_of_the_manifests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/reference/dependencies.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    let listed = rows.filter_map(|row| row.split(" |").next()).skip(1);
    let listed: BTreeSet<&str> = listed.flat_map(|crates| crates.split(", ")).collect();
    let manifests: Vec<_> = manifests(root).collect();
    let used = manifests
        .iter()
        .flat_map(|(_, manifest)| dependencies(manifest, |_| true));
    let used: BTreeSet<&str> = used.filter(|name| !name.starts_with("turnwise")).collect();
    assert_eq!(listed, used);
}
