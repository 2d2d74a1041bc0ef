//! Tests that the program's command-line parser accepts every command in the documentation.
//!
//! The tests find every command in the documentation pages and in the output of `--help`, including commands behind
//! `cargo run`, and parse it. They do not run any command.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, Parser};

use super::Arguments;
use super::game_options::{alone, asked};
use turnwise_games::GAMES;

/// Placeholders that the parser would reject, with example values. The parser accepts all other placeholders, for
/// example SERVER and LOG.
const PLACEHOLDERS: [(&str, &str); 3] = [
    ("PORT", "10000"),
    ("ADDRESS:PORT", VALUE),
    ("COMMAND", "arena"),
];

/// The first words of a command that builds and runs this program. The program receives the arguments after `--`.
const CARGO_RUN: [&str; 2] = ["cargo", "run"];

/// A value that most options accept. It is inserted after an option that a text mentions without a value.
const VALUE: &str = "127.0.0.1:10000";

/// The placeholder for the name of a game.
const GAME: &str = "GAME";

/// Commands and options that exist only if the program is built with the feature `cluster`.
const OF_CLUSTERS: [&str; 4] = ["worker", "cluster", "--cluster", "--metrics"];

/// A command that a page or a help text mentions.
struct Documented {
    /// The place where the command is documented: a file with a line number, or the command whose help contains it.
    place: String,
    text: String,
    /// True if a sentence mentions the command, perhaps without required arguments; false for a complete example.
    is_mention: bool,
}

/// Returns the words of every call of turnwise in a line of shell code.
///
/// Calls inside `cmd:` arguments are included. Returns an error if the line begins with `turnwise` but a shell cannot
/// parse it.
fn calls(line: &str) -> Result<Vec<Vec<String>>, &'static str> {
    let Some(words) = shlex::split(line) else {
        return match line.starts_with("turnwise ") {
            true => Err("a quotation is not closed"),
            false => Ok(Vec::new()),
        };
    };
    let mut found = Vec::new();
    for command in words.split(|word| ["|", "&&", "&", ";"].contains(&word.as_str())) {
        let is_program =
            |word: &String| ["turnwise", "target/release/turnwise"].contains(&word.as_str());
        let mut words = match command.iter().position(is_program) {
            Some(at) if at == 0 || command[0] == "systemd-run" => command[at + 1..].iter(),
            _ if command.starts_with(&CARGO_RUN.map(str::to_owned)) => {
                let mut words = command.iter();
                words.find(|word| *word == "--");
                words
            }
            _ => continue,
        };
        let mut call = vec!["turnwise".to_owned()];
        while let Some(word) = words.next() {
            match word.as_str() {
                // Skips the name of the file in a redirection.
                "<" | ">" | "2>" => drop(words.next()),
                _ => call.push(word.clone()),
            }
        }
        let inner = call.iter().filter_map(|word| word.split_once("cmd:"));
        let inner: Result<Vec<_>, _> = inner.map(|(_, words)| calls(words)).collect();
        found.push(call);
        found.extend(inner?.into_iter().flatten());
    }
    Ok(found)
}

/// Returns the turnwise commands that a paragraph of a page contains between backquotes.
///
/// Each command is returned with the index of its line in the paragraph. A line break inside a command becomes a blank.
fn spans(paragraph: &[&str]) -> Vec<(usize, String)> {
    let paragraph = paragraph.join("\n");
    let mut lines = 0;
    let mut found = Vec::new();
    for (place, text) in paragraph.split('`').enumerate() {
        let parts: Vec<_> = text.lines().map(str::trim).collect();
        let command = parts.join(" ");
        if place % 2 == 1 && command.starts_with("turnwise ") {
            found.push((lines, command));
        }
        lines += text.matches('\n').count();
    }
    found
}

/// Returns the commands in the code blocks and between the backquotes of a page.
///
/// If a code block contains a line with the prompt `$`, only such lines are commands, and the others are output.
fn of_page(name: &str, page: &str) -> Vec<Documented> {
    let mut found = Vec::new();
    let mut lines = (1..).zip(page.lines()).peekable();
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    while let Some((number, line)) = lines.next() {
        if !is_fence(line) {
            let mut paragraph = vec![line];
            let goes_on = |line: &str| !line.trim().is_empty() && !is_fence(line);
            while let Some((_, line)) = lines.next_if(|(_, line)| goes_on(line)) {
                paragraph.push(line);
            }
            let spans = spans(&paragraph).into_iter();
            found.extend(spans.map(|(before, text)| Documented {
                place: format!("{name}:{}", number + before),
                text,
                is_mention: true,
            }));
            continue;
        }
        let block: Vec<_> = lines
            .by_ref()
            .take_while(|(_, line)| line.trim() != "```")
            .collect();
        let prompt = match block.iter().any(|(_, line)| line.starts_with("$ ")) {
            true => "$ ",
            false => "",
        };
        let mut block = block.into_iter();
        // The variable of a shell loop and its first value, which replaces the variable in the commands of the loop.
        let mut looped = None;
        while let Some((number, line)) = block.next() {
            let Some(line) = line.strip_prefix(prompt) else {
                continue;
            };
            let mut text = line.trim().to_owned();
            if let ["for", variable, "in", value, ..] = text.split(' ').collect::<Vec<_>>()[..] {
                looped = Some((format!("${variable}"), value.to_owned()));
            }
            if let Some((variable, value)) = &looped {
                text = text.replace(variable, value);
            }
            while let Some(begun) = text.strip_suffix('\\') {
                let more = block.next().map_or("", |(_, line)| line.trim());
                text = format!("{begun}{more}");
            }
            found.push(Documented {
                place: format!("{name}:{number}"),
                text,
                is_mention: false,
            });
        }
    }
    found
}

/// Adds to `found` the commands that are mentioned in the help of `command` and of all subcommands below it.
///
/// A mentioned command is either an example, which is separated from its explanation by two spaces, or the command
/// after the colon at the end of a summary.
fn of_help(command: &Command, words: &str, found: &mut Vec<Documented>) {
    let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
    let summary = text(command.get_about()).unwrap_or_default();
    let summary = summary.split_once(": turnwise ");
    let mut typed: Vec<_> = summary
        .map(|(_, words)| format!("turnwise {words}"))
        .into_iter()
        .collect();
    let explanation = [command.get_before_help(), command.get_after_help()];
    let explanation = explanation
        .map(|part| text(part).unwrap_or_default())
        .join("\n");
    for line in explanation.replace(" \\\n     ", "").lines() {
        let indented = line.strip_prefix("  ").map(str::trim_start);
        let example = indented.and_then(|line| line.split("  ").next());
        typed.extend(
            example
                .filter(|line| line.starts_with("turnwise "))
                .map(str::to_owned),
        );
    }
    found.extend(typed.into_iter().map(|text| Documented {
        place: format!("the help of {words}"),
        text,
        is_mention: false,
    }));
    for below in command.get_subcommands() {
        of_help(below, &format!("{words} {}", below.get_name()), found);
    }
}

/// Adds the documentation pages in a folder and in its subfolders to `found`.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, name) = (entry.path(), entry.file_name());
        let is_folder = entry.file_type().expect("a kind").is_dir();
        if is_folder && name != "target" && !name.to_string_lossy().starts_with('.') {
            pages(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

/// The folders of games in the documentation, apart from paths and from games of adapters.
const FOLDERS: [&str; 3] = [".", "nim", "DIR"];

/// Converts a documented call to a call that can be parsed: replaces placeholders with example values, chooses the
/// first of several alternatives, and keeps optional words. The template for new games replaces games in folders.
fn filled_in(call: &[String]) -> Vec<String> {
    let mut before = "";
    let words = call.iter().map(|word| {
        let before = std::mem::replace(&mut before, word);
        let is_game = ["--game", "--rules", "rules"].contains(&before);
        if is_game && (word.contains(['/', ':']) || FOLDERS.contains(&word.as_str())) {
            return concat!(env!("CARGO_MANIFEST_DIR"), "/templates/game/python").to_owned();
        }
        let word = word.trim_start_matches('[').trim_end_matches(']');
        let first = word.split('|').next().unwrap_or(word);
        if first == GAME {
            return GAMES[0].about().name.to_owned();
        }
        let mut known = PLACEHOLDERS.iter();
        let known = known.find(|(placeholder, _)| *placeholder == first);
        known.map_or(first, |(_, example)| example).to_owned()
    });
    words.collect()
}

/// Returns the error with which the parser rejects this call, or `None` if the parser accepts it.
fn refusal(call: &[String], is_mention: bool) -> Option<clap::Error> {
    let mut words = filled_in(call);
    let parse = |words: &[String]| {
        // Loads the game, whose settings become options.
        asked(&words.iter().map(OsString::from).collect::<Vec<_>>());
        Arguments::try_parse_from(words).err()
    };
    let mut error = parse(&words)?;
    // A sentence may mention an option without its value.
    let ends_with_option = words.last().is_some_and(|word| word.starts_with("--"));
    if is_mention && ends_with_option && error.kind() == ErrorKind::InvalidValue {
        words.push(VALUE.to_owned());
        error = parse(&words)?;
    }
    let is_taken = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => is_mention,
        _ => false,
    };
    (!is_taken).then_some(error)
}

#[test]
fn every_documented_command_is_one_that_the_program_takes() {
    let _alone = alone();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    pages(root, &mut paths);
    let mut documented = Vec::new();
    for path in paths {
        let page = fs::read_to_string(&path).expect("a page");
        let name = path.strip_prefix(root).expect("a path below it");
        documented.extend(of_page(&name.display().to_string(), &page));
    }
    let of_pages = documented.iter().map(|found| calls(&found.text));
    let of_pages: usize = of_pages
        .map(|calls| calls.map_or(0, |calls| calls.len()))
        .sum();
    assert!(of_pages > 200, "{of_pages}");
    let pages = documented.len();
    for game in GAMES {
        let words = ["turnwise", "--game", game.about().name].map(OsString::from);
        of_help(&super::command(&words), "turnwise", &mut documented);
    }
    assert!(
        documented.len() > pages + 80,
        "{}",
        documented.len() - pages
    );
    let mut refused = String::new();
    for Documented {
        place,
        text,
        is_mention,
    } in documented
    {
        let calls = match calls(&text) {
            Ok(calls) => calls,
            Err(why) => {
                refused += &format!("{place}: {text}\n{why}\n");
                continue;
            }
        };
        for call in calls {
            let is_cluster = |word: &String| OF_CLUSTERS.contains(&word.as_str());
            if !cfg!(feature = "cluster") && call.iter().any(is_cluster) {
                continue;
            }
            if let Some(error) = refusal(&call, is_mention) {
                refused += &format!("{place}: {}\n{error}\n", call.join(" "));
            }
        }
    }
    assert!(refused.is_empty(), "{refused}");
}

#[test]
fn calls_are_found_in_lines_as_a_shell_reads_them() {
    let found = |line| {
        let calls = calls(line).expect("quotations that are closed");
        let calls = calls.into_iter().map(|call| call.join(" "));
        calls.collect::<Vec<_>>()
    };
    assert_eq!(
        found("printf 'A\\n' | turnwise analyse > out   # a comment"),
        ["turnwise analyse"]
    );
    assert_eq!(
        found("turnwise new a b && cd b && turnwise arena x='cmd:turnwise stdio a' y &"),
        [
            "turnwise new a b",
            "turnwise arena x=cmd:turnwise stdio a y",
            "turnwise stdio a"
        ]
    );
    assert_eq!(
        found("cargo run --features example -- arena a b"),
        ["turnwise arena a b"]
    );
    assert!(found("ln -s turnwise other").is_empty());
    assert!(found("cargo run").iter().all(|call| call == "turnwise"));
    assert!(found("python -c 'print(1)").is_empty());
    assert!(calls("turnwise arena 'a b").is_err());
    assert!(calls("turnwise arena 'cmd:turnwise stdio \"a'").is_err());
}

#[test]
fn commands_are_found_in_a_page() {
    let page = "Say `turnwise a`.\n```\n$ turnwise b \\\n  c\nturnwise d\n```\n```sh\nturnwise e\n```\n\
                On\n`x`, `turnwise\n  f` and (`turnwise g --h\ni`).\nOr `turnwise j`\n";
    let page = of_page("page", page).into_iter();
    let page: Vec<_> = page
        .map(|found| format!("{} {}", found.place, found.text))
        .collect();
    assert_eq!(
        page,
        [
            "page:1 turnwise a",
            "page:3 turnwise b c",
            "page:8 turnwise e",
            "page:11 turnwise f",
            "page:12 turnwise g --h i",
            "page:14 turnwise j",
        ]
    );
}

#[test]
fn a_call_with_an_unknown_option_is_refused() {
    let _alone = alone();
    for (call, is_refused, as_mention) in [
        ("turnwise arena A B --pairs 2", false, false),
        ("turnwise arena A B --paris 2", true, true),
        ("turnwise arena A B --via tpc", true, true),
        ("turnwise play SERVER PORT", false, false),
        ("turnwise play SERVER", true, false),
        ("turnwise new GAME DIR --lang python|java", false, false),
        ("turnwise ponder", true, true),
        ("turnwise COMMAND --help", false, false),
    ] {
        let words: Vec<String> = call.split(' ').map(str::to_owned).collect();
        assert_eq!(refusal(&words, false).is_some(), is_refused, "{call}");
        assert_eq!(refusal(&words, true).is_some(), as_mention, "{call}");
    }
}
