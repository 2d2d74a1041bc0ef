//! Tests that the reference of the commands shows their help.

use std::fs;
use std::path::Path;

/// Appends a heading and the help of a command, and of each of its subcommands, to a page.
fn append(parser: &clap::Command, words: &[&str], page: &mut String) {
    let name = words.join(" ");
    let mut command = parser;
    for word in &words[1..] {
        command = command.find_subcommand(word).expect("a command");
    }
    let asked = parser
        .clone()
        .try_get_matches_from([words, &["--help"]].concat());
    let help = asked.expect_err("a help").render().to_string();
    let level = "#".repeat(words.len() + 1);
    *page += &format!(
        "\n{level} {name}\n\n```text\n$ {name} --help\n{}\n```\n",
        help.trim_end()
    );
    for below in command.get_subcommands() {
        append(parser, &[words, &[below.get_name()]].concat(), page);
    }
}

/// If the environment variable TURNWISE_WRITE_SAMPLES is 1, this test rewrites the page after its introduction.
#[test]
fn the_reference_shows_the_help_of_every_command() {
    let _alone = super::game_options::alone();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/commands.md");
    let page = fs::read_to_string(&path).expect("the page");
    let (introduction, _) = page.split_once("\n## ").expect("a group of commands");
    let parser = super::command(&[]).term_width(80);
    let mut expected = introduction.to_owned();
    let template = super::commands::help_template();
    let groups = template
        .split("\n\n")
        .filter_map(|part| part.split_once(":\n  "));
    for (group, lines) in groups {
        let rows = lines
            .lines()
            .map(|line| line.trim().split_once(' ').expect("two columns"));
        let rows: Vec<_> = rows.map(|(name, result)| (name, result.trim())).collect();
        expected += &format!("\n## {group}\n\n");
        for (name, result) in &rows {
            expected += &format!("- [{name}](#turnwise-{name}): {result}\n");
        }
        for (name, _) in rows {
            append(&parser, &["turnwise", name], &mut expected);
        }
    }
    if std::env::var_os("TURNWISE_WRITE_SAMPLES").is_some() {
        fs::write(&path, &expected).expect("it can be written");
    }
    let page = fs::read_to_string(&path).expect("the page");
    assert!(
        page == expected,
        "the help changed: docs/reference/commands.md shows how to write it again"
    );
}
