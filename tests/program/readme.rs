//! Tests the commands, outputs and links in the documentation.
//!
//! The commands of the README and of other pages run as a reader would type them, in a copy of the repository's root.
//! Slow commands are replaced or omitted; the lists below name them all. If a page shows an output, the command
//! must print the shown lines. Links in the README, SECURITY.md, `docs` and `protocol` must lead to existing files and
//! headings.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The pages whose commands this test runs.
const PAGES: [&str; 10] = [
    "README.md",
    "docs/tutorial/first-bot.md",
    "docs/tutorial/first-tournament.md",
    "docs/tutorial/your-game.md",
    "docs/how-to/server.md",
    "docs/reference/entropy.md",
    "docs/reference/guesswho.md",
    "docs/reference/halma.md",
    "docs/reference/masterchef.md",
    "docs/reference/twentyone.md",
];

/// The beginnings of the command lines that this test omits.
const LEFT_OUT: [&str; 2] = [
    // The test runs the program that is already built.
    "cargo install --path . --locked ",
    // This command would wait for two players.
    "turnwise host --wars 10 ",
];

/// Parts of commands in the pages, each with its replacement. `PORT` stands for a free port.
const REPLACED: [(&str, &str); 13] = [
    // These scripts would build the program.
    (
        "./run.sh localhost 10000 --clock 2",
        "turnwise play localhost PORT --clock 0.3",
    ),
    ("./run.sh", "turnwise demo --clock 0.3"),
    (
        "turnwise host --clock 2 ",
        "turnwise host --clock 0.3 --listen 127.0.0.1:PORT ",
    ),
    (
        "localhost 10000 --clock 2 --name zook",
        "localhost PORT --clock 0.3 --name zook",
    ),
    (
        "greedy --clock 5 --pairs 10",
        "greedy --size 3 --clock 1 --pairs 1",
    ),
    // With these words, the commands take seconds instead of minutes.
    (
        "turnwise holes --clock 2 --pairs 30 ",
        "turnwise holes --size 3 --clock 0.1 --pairs 2 ",
    ),
    ("--all-persons --pairs 100 ", "--all-persons --pairs 5 "),
    (
        "value --rules engine ",
        "value --hands 1000 --shoes 10 --stacks 1 ",
    ),
    (
        "--tables --seats 3 --pairs 20 ",
        "--tables --seats 3 --pairs 2 --rounds 20 ",
    ),
    (
        "--game twentyone --pairs 5 ",
        "--game twentyone --pairs 1 --rounds 20 ",
    ),
    (
        "--game twentyone --pairs 20 ",
        "--game twentyone --pairs 1 --rounds 20 ",
    ),
    (
        "--house counter --pairs 20 ",
        "--house counter --pairs 1 --rounds 20 ",
    ),
    (
        "--game masterchef --pairs 20 ",
        "--game masterchef --pairs 1 ",
    ),
];

/// A block of commands on a page, and the output that the page shows below the block.
struct Example {
    commands: String,
    output: Option<String>,
}

fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let block = block.join("\n") + "\n";
        match (kind, examples.last_mut()) {
            ("sh", _) => examples.push(Example {
                commands: block,
                output: None,
            }),
            ("text", Some(example)) if example.output.is_none() => example.output = Some(block),
            _ => {}
        }
    }
    examples
}

/// Asserts that the output contains the lines that a page shows, in the page's order.
///
/// In the page, `...` stands for omitted lines.
fn assert_shows(output: &str, shown: &str) {
    let mut printed = output.lines();
    for line in shown.lines().filter(|line| *line != "...") {
        assert!(printed.any(|printed| printed == line), "{line}\n{output}");
    }
}

/// Returns a block of commands after this test's replacements, and removes the replacements it used from `unused`.
fn as_run(block: &str, unused: &mut Vec<&str>) -> String {
    let mut text = String::new();
    for line in block.lines() {
        if let Some(start) = LEFT_OUT.iter().find(|start| line.starts_with(**start)) {
            unused.retain(|left| left != start);
            continue;
        }
        let found = REPLACED.iter().find(|(words, _)| line.contains(words));
        match found {
            Some((words, instead)) => {
                unused.retain(|left| left != words);
                text += &line.replacen(words, instead, 1);
            }
            None => text += line,
        }
        text.push('\n');
    }
    text
}

/// Makes a folder look like a copy of the checkout, by filling it with links to all entries of the repository's root.
fn checkout(folder: &Path) {
    for entry in fs::read_dir(ROOT).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name();
        // If somebody has tried the README's commands in the checkout, it also contains logs, which are left out.
        let is_log = Path::new(&name)
            .extension()
            .is_some_and(|end| end == "jsonl");
        if name != "target" && name != ".git" && !is_log {
            symlink(entry.path(), folder.join(name)).expect("a link");
        }
    }
    for new in ["home", "bin"] {
        fs::create_dir(folder.join(new)).expect("a folder");
    }
    symlink(env!("CARGO_BIN_EXE_turnwise"), folder.join("bin/turnwise")).expect("a link");
}

#[test]
fn the_pages_commands_run_when_they_are_copied_and_pasted() {
    let folder = tempfile::tempdir().expect("a folder");
    checkout(folder.path());
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port().to_string();
    drop(free);
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", folder.path().join("bin").display());
    let mut unused: Vec<&str> = LEFT_OUT.to_vec();
    unused.extend(REPLACED.map(|(words, _)| words));
    let pages = PAGES.map(|page| fs::read_to_string(Path::new(ROOT).join(page)).expect("a page"));
    let all: Vec<Example> = pages.iter().flat_map(|page| examples(page)).collect();
    assert!(all.len() > 12, "{}", all.len());
    let mut compared = 0;
    for Example {
        commands,
        output: shown,
    } in all
    {
        let script = as_run(&commands, &mut unused).replace("PORT", &port);
        let output = Command::new("sh")
            .args(["-e", "-c", &format!("{script}wait\n")])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("HOME", folder.path().join("home"))
            .env("TURNWISE", env!("CARGO_BIN_EXE_turnwise"))
            .stdin(Stdio::null())
            .output()
            .expect("there is a shell");
        assert!(
            output.status.success(),
            "{script}\n{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        if let Some(shown) = shown.filter(|_| script == commands) {
            assert_shows(&String::from_utf8_lossy(&output.stdout), &shown);
            compared += 1;
        }
    }
    assert_eq!(compared, 11, "outputs of the pages");
    assert!(unused.is_empty(), "no page has: {unused:?}");
    for written in [
        "games.jsonl",
        "report/report.html",
        "output.txt",
        "game.log",
        "tree.svg",
        "project2cs360s2020",
        "home/agent/homework11",
    ] {
        assert!(folder.path().join(written).exists(), "{written} is missing");
    }
}

/// Returns the paths of all pages of documentation, in the repository's root and in its folders.
fn pages() -> Vec<PathBuf> {
    let root = [
        "README.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ];
    let mut pages: Vec<PathBuf> = root.map(PathBuf::from).into();
    for folder in [
        "docs",
        "docs/tutorial",
        "docs/how-to",
        "docs/reference",
        "docs/explanation",
        "docs/notes",
        "protocol",
        "protocol/transcripts",
    ] {
        for entry in fs::read_dir(Path::new(ROOT).join(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            let path = Path::new(folder).join(name);
            if path.extension().is_some_and(|end| end == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

/// Returns a page's lines outside of code blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns the targets of a page's links to other pages and to headings, as the page gives them.
fn links(page: &str) -> Vec<&str> {
    let links = prose(page).flat_map(|line| line.split("](").skip(1));
    let links = links.filter_map(|rest| rest.split(')').next());
    links.filter(|link| !link.starts_with("http")).collect()
}

/// Returns the anchors of a page's headings.
///
/// An anchor is the heading in lower case, with hyphens instead of spaces, and without all other characters except
/// letters, digits and `_`. If anchors would be equal, all but the first end with a number.
fn anchors(page: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for heading in prose(page).filter(|line| line.starts_with('#')) {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let anchor: String = heading
            .chars()
            .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect();
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let mut names = std::iter::once(anchor.clone()).chain(numbered);
        anchors.extend(names.find(|name| !anchors.contains(name)));
    }
    anchors
}

#[test]
fn links_between_the_pages_lead_somewhere() {
    let pages = pages();
    assert!(pages.len() > 30, "{pages:?}");
    let (mut followed, mut broken) = (0, Vec::new());
    for page in &pages {
        let path = Path::new(ROOT).join(page);
        let text = fs::read_to_string(&path).expect("a page");
        for link in links(&text) {
            followed += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                _ => path.parent().expect("a folder").join(file),
            };
            let leads_there = target.exists()
                && (anchor.is_empty()
                    || fs::read_to_string(&target)
                        .is_ok_and(|text| anchors(&text).iter().any(|known| known == anchor)));
            if !leads_there {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(followed > 100, "{followed}");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn places_of_a_page_are_named_as_links_name_them() {
    let page = "# A page: of 2\n## Who's `--first`?\n```sh\n# a comment\n```\n## A page of 2\n[x](#a) [y](http://b)\n";
    assert_eq!(
        anchors(page),
        ["a-page-of-2", "whos---first", "a-page-of-2-1"]
    );
    assert_eq!(links(page), ["#a"]);
}
