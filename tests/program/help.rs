//! Tests the output of `--help` for every command at every usual width of a terminal.

use crate::support::{run, stderr, turnwise};

/// Returns the help text of a command on a terminal with this width.
fn help(path: &[&str], width: usize) -> String {
    let output = turnwise(path)
        .arg("--help")
        .env("COLUMNS", width.to_string())
        .output()
        .expect("turnwise starts");
    assert!(output.status.success(), "{path:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names
        .filter(|name| !["", "help"].contains(name))
        .map(str::to_owned)
        .collect()
}

/// Returns every command and every subcommand, each as the words that select it.
fn all() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut at = 0;
    while at < found.len() {
        let path: Vec<&str> = found[at].iter().map(String::as_str).collect();
        let below = commands(&help(&path, 100)).into_iter();
        let below: Vec<Vec<String>> = below
            .map(|name| [&found[at][..], &[name]].concat())
            .collect();
        found.extend(below);
        at += 1;
    }
    found
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[test]
fn no_line_of_any_help_is_too_long_or_broken_too_early() {
    let all = all();
    assert!(all.len() >= 19, "{all:?}");
    for path in &all {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        for width in [60, 80, 120] {
            let text = help(&path, width);
            let width = width.min(100);
            let lines: Vec<&str> = text.lines().collect();
            for line in &lines {
                assert!(line.chars().count() <= width, "{path:?} at {width}: {line}");
            }
            for two in lines.windows(2) {
                let [line, next] = [two[0], two[1]];
                let first = next.split_whitespace().next().unwrap_or_default();
                // These are lines of paragraphs and of descriptions. Their continuation begins in the column of the
                // line above.
                let is_text = |line: &str| indentation(line) == 0 || indentation(line) >= 10;
                let goes_on = is_text(line) && indentation(line) == indentation(next);
                let begins = first.starts_with(['-', '[']) || line.ends_with([':', '.']);
                let begins = begins || line.starts_with("Usage:") || next.starts_with("Usage:");
                if first.is_empty() || line.is_empty() || !goes_on || begins {
                    continue;
                }
                let together = line.chars().count() + 1 + first.chars().count();
                assert!(together > width, "{path:?} at {width}:\n{line}\n{next}");
            }
        }
    }
}

#[test]
fn options_stand_below_their_own_heading() {
    for command in ["arena", "halma-master"] {
        let text = help(&[command], 80);
        let (general, halma) = text.split_once("\nHalma:\n").expect("a heading");
        for option in ["--seed <", "--openings <", "--log <", "  -q, --quiet"] {
            assert!(general.contains(option), "{command}: {option}");
            assert!(!halma.contains(option), "{command}: {option}");
        }
        for option in ["--rules <", "--max-plies <", "--begins <", "--grace <"] {
            assert!(halma.contains(option), "{command}: {option}");
        }
    }
}

#[test]
fn addresses_with_common_mistakes_get_a_hint_at_once() {
    for (words, hint) in [
        ("play localhost:10000 10000", "try localhost 10000"),
        ("play [::1] 10000", "try ::1"),
        ("play [::1]:10000 10000", "try ::1"),
        ("play http://10.0.0.7/ 10000", "try 10.0.0.7"),
        ("play https://example.org:80 10000", "try example.org"),
        ("play a/b 10000", "such as localhost"),
        (
            "host --listen 10078",
            "try 127.0.0.1:10078, or 0.0.0.0:10078",
        ),
        ("host --listen localhost:10078", "try 127.0.0.1:10078"),
        ("host --listen 127.0.0.1", "such as 127.0.0.1:10000"),
        ("serve --listen 7361", "try 127.0.0.1:7361"),
        ("studio --listen 7365", "try 127.0.0.1:7365"),
        ("play localhost 1 --live=7365", "try 127.0.0.1:7365"),
    ] {
        let output = run(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2), "{words}: {output:?}");
        assert!(stderr(&output).contains(hint), "{words}: {output:?}");
    }
}
