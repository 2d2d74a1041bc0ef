//! Formats the explanations at the end of each command's `--help` for the width of the terminal.
//!
//! In the source, the explanations have manual line breaks. This module joins each paragraph into one line, which clap
//! wraps. It also lays out lists with two columns, for example commands with explanations.

use clap::Command;

/// The maximum length of a line, even if the terminal is wider.
const WIDEST: usize = 100;

/// The minimum width of the column with explanations in a list. If a terminal is too narrow for this width,
/// explanations are placed below the entries they explain.
const NARROWEST_COLUMN: usize = 28;

/// The indentation of explanations that are placed below their entries. In the source, a line with a greater
/// indentation continues the explanation above it.
const CONTINUED: usize = 6;

/// The additional indentation of the second and later lines of a wrapped command, compared with the first line.
const HANGING: usize = 4;

/// A line with this beginning starts a new paragraph.
const EXIT_CODES: &str = "Exit codes:";

/// A list entry with this beginning is a command that the user can type.
const COMMAND: &str = "turnwise ";

/// Formats the help of a command and of all its subcommands for the width of the terminal.
pub(super) fn fitted(command: Command) -> Command {
    let width = crate::console::terminal::columns(&std::io::stdout()).map(usize::from);
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = width.or_else(told).unwrap_or(WIDEST).min(WIDEST);
    let name = command.get_name().to_owned();
    fit(command, &name, width)
}

/// Formats the help of a command and its subcommands for this width. `words` are the words that the user types to call
/// the command.
fn fit(mut command: Command, words: &str, width: usize) -> Command {
    let usage = command.clone().bin_name(words).render_usage().to_string();
    if usage.lines().any(|line| line.chars().count() > width) {
        // The usage line is wrapped here, because clap wraps all texts except this line.
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

/// Lays out an explanation in lines of at most `width` columns.
///
/// Consecutive lines form a paragraph. Indented lines below a line that ends with a colon form a list. Other indented
/// lines stay unchanged.
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

/// An entry of a list with two columns.
struct Entry {
    indent: usize,
    /// The first column: an option, argument or command.
    what: String,
    /// The second column: an explanation, which may be empty.
    explanation: String,
}

/// Parses the lines of a list whose columns are separated by at least two spaces.
///
/// A line without a first column continues the second column above.
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
    // If the first column of an entry is too long, the explanation is placed on the next line. So such an entry does
    // not affect the width of the column.
    let column = columns
        .filter(|column| column + NARROWEST_COLUMN <= width)
        .max();
    let mut out = String::new();
    for entry in entries {
        // A wrapped command has a backslash before each line break, so that the user can still paste it into a shell.
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

/// Wraps words into lines of at most `width` columns.
///
/// The first line is indented by `first` columns, the others by `others`. `ending` is appended to each line except the
/// last.
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

/// Splits a text at blanks into parts that may be on different lines. In a command, options stay together with their
/// values, and quotations stay whole.
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
