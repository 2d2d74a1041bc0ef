//! Fits the words behind the options of each command's `--help` to the terminal.
//!
//! In the source they are wrapped by hand. Here paragraphs become one line each, which clap wraps, and
//! lists of two columns, such as examples and what they do, are laid out for the width.

use clap::Command;

/// Lines are no longer, however wide the terminal is.
const WIDEST: usize = 100;

/// Below this a column of explanations is no column; they go below what they explain.
const NARROWEST_COLUMN: usize = 28;

/// A line that is indented further goes on with the explanation above; explanations that have no column
/// of their own are indented so far.
const CONTINUED: usize = 6;

/// How much further than its beginning the rest of a command is indented.
const HANGING: usize = 4;

/// The beginning of a paragraph of its own.
const EXIT_CODES: &str = "Exit codes:";

/// What a command to be typed begins with.
const COMMAND: &str = "turnwise ";

/// The command and all its subcommands with help that fits the terminal.
pub(super) fn fitted(command: Command) -> Command {
    let width = crate::console::terminal::columns(&std::io::stdout()).map(usize::from);
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = width.or_else(told).unwrap_or(WIDEST).min(WIDEST);
    let name = command.get_name().to_owned();
    fit(command, &name, width)
}

/// The same for a command that is called by these words.
fn fit(mut command: Command, words: &str, width: usize) -> Command {
    let usage = command.clone().bin_name(words).render_usage().to_string();
    if usage.lines().any(|line| line.chars().count() > width) {
        // clap wraps everything but this.
        let lines: String = usage
            .lines()
            .map(|line| wrapped(line, (0, "Usage: ".len() + HANGING), width, ""))
            .collect();
        let lines = lines.trim_end().trim_start_matches("Usage: ").to_owned();
        command = command.override_usage(lines);
    }
    if let Some(text) = command.get_after_help() {
        let text = laid_out(&text.to_string(), width);
        command = command.after_help(text);
    }
    command.term_width(width).mut_subcommands(|command| {
        let words = format!("{words} {}", command.get_name());
        fit(command, &words, width)
    })
}

/// Lays out a text. Lines that follow each other are a paragraph; lines that are indented below a line
/// that ends with a colon are a list; what is indented otherwise stays as it is.
fn laid_out(text: &str, width: usize) -> String {
    let is_indented = |line: &str| line.starts_with(' ');
    let goes_on =
        |line: &&str| !line.is_empty() && !is_indented(line) && !line.starts_with(EXIT_CODES);
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() || is_indented(line) {
            out += &format!("{line}\n");
            continue;
        }
        if line.starts_with(EXIT_CODES) && !out.ends_with("\n\n") {
            out.push('\n');
        }
        let mut paragraph = line.to_owned();
        while let Some(more) = lines.next_if(|line| !paragraph.ends_with(':') && goes_on(line)) {
            paragraph += &format!(" {more}");
        }
        let heads_a_list = paragraph.ends_with(':');
        out += &format!("{paragraph}\n");
        let mut list = Vec::new();
        while let Some(line) = lines.next_if(|line| heads_a_list && is_indented(line)) {
            list.push(line);
        }
        out += &list_laid_out(&entries(&list), width);
    }
    out.trim_end().to_owned()
}

/// A line of a list.
struct Entry {
    indent: usize,
    /// The first column: an option, argument or command.
    what: String,
    /// What it does; may be missing.
    explanation: String,
}

/// Two columns are parted by two spaces or more. A line that has no first column goes on with the second.
fn entries(lines: &[&str]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in lines {
        let (text, indent) = (line.trim(), line.len() - line.trim_start().len());
        match entries.last_mut() {
            Some(above) if indent > CONTINUED => {
                let longer = format!("{} {text}", above.explanation);
                longer.trim_start().clone_into(&mut above.explanation);
            }
            _ => {
                let (what, explanation) = text.split_once("  ").unwrap_or((text, ""));
                entries.push(Entry {
                    indent,
                    what: what.to_owned(),
                    explanation: explanation.trim().to_owned(),
                });
            }
        }
    }
    entries
}

fn list_laid_out(entries: &[Entry], width: usize) -> String {
    let explained = entries.iter().filter(|entry| !entry.explanation.is_empty());
    let columns = explained.map(|entry| entry.indent + entry.what.chars().count() + 2);
    // Some first columns may be so long that they get a line of their own.
    let column = columns
        .filter(|column| column + NARROWEST_COLUMN <= width)
        .max();
    let mut out = String::new();
    for entry in entries {
        // A command that is broken can still be pasted into a shell.
        let ending = match entry.what.starts_with(COMMAND) {
            true => " \\",
            false => "",
        };
        let indents = (entry.indent, entry.indent + HANGING);
        let what = wrapped(&entry.what, indents, width - ending.len(), ending);
        if entry.explanation.is_empty() {
            out += &what;
            continue;
        }
        let below = column.unwrap_or(CONTINUED);
        let explanation = wrapped(&entry.explanation, (below, below), width, "");
        let is_beside = column.is_some() && what.trim_end().chars().count() + 2 <= below;
        match is_beside {
            true => out += &format!("{:below$}{}", what.trim_end(), explanation.trim_start()),
            false => out += &(what + &explanation),
        }
    }
    out
}

/// Words in lines of at most `width`, the first and the others indented so far; `ending` stands behind
/// each line but the last.
fn wrapped(text: &str, (first, others): (usize, usize), width: usize, ending: &str) -> String {
    let mut lines = vec![" ".repeat(first)];
    let mut is_first = true;
    for unit in units(text) {
        let line = lines.last_mut().expect("there is a first one");
        if is_first {
            *line += &unit;
        } else if line.chars().count() + 1 + unit.chars().count() <= width {
            *line += &format!(" {unit}");
        } else {
            lines.push(" ".repeat(others) + &unit);
        }
        is_first = false;
    }
    lines.join(&format!("{ending}\n")) + "\n"
}

/// Words, and in a command what must not be parted: an option and its value, and what is quoted.
fn units(text: &str) -> Vec<String> {
    let is_command = text.starts_with(COMMAND);
    let mut units: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let belongs_to = |unit: &str| {
            let is_quoted = unit.matches(['\'', '"']).count() % 2 == 1;
            let is_option = unit.starts_with("--") && !unit.contains([' ', '=']);
            is_quoted || (is_option && !word.starts_with('-'))
        };
        match units.last_mut() {
            Some(unit) if is_command && belongs_to(unit) => *unit += &format!(" {word}"),
            _ => units.push(word.to_owned()),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::laid_out;

    const TEXT: &str = "\
Examples:
  turnwise do                       what it does, and
                                    why
  turnwise do --with many --options 'and more'

A paragraph that was
wrapped by hand.
Exit codes: 0.

  0 1 2
0  A B";

    #[test]
    fn with_room_a_list_has_two_columns() {
        assert_eq!(
            laid_out(TEXT, 80),
            "\
Examples:
  turnwise do  what it does, and why
  turnwise do --with many --options 'and more'

A paragraph that was wrapped by hand.

Exit codes: 0.

  0 1 2
0  A B"
        );
    }

    #[test]
    fn without_room_explanations_go_below_and_commands_are_broken() {
        assert_eq!(
            laid_out(TEXT, 30).split("\n\n").next(),
            Some(
                "\
Examples:
  turnwise do
      what it does, and why
  turnwise do --with many \\
      --options 'and more'"
            )
        );
    }
}
