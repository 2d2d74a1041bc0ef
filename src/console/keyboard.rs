//! Reads the input of a person who plays at the keyboard.
//!
//! `?` shows help, and `q` leaves the game without an error. If the input ends before the game does, that is an error.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use turnwise_engine::words::printable_lines;

use super::{output, terminal};

/// The line of help about the keys that work in every game; it comes last in each game's help.
pub const KEYS: &str = "  ?  help        q  leave the game";

/// The maximum length of an input line, in bytes. Every valid answer is shorter.
const LONGEST_LINE: u64 = 4096;

/// The width that is assumed if the terminal does not report its width, in columns.
const USUAL_WIDTH: usize = 80;

/// Asks a yes-or-no question on stderr.
///
/// Returns true for yes. Returns `None` without asking unless stdin and stderr are terminals.
///
/// # Errors
///
/// Returns an error if the answer cannot be read.
pub fn agrees(question: &str) -> io::Result<Option<bool>> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(None);
    }
    output::prompt(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let answer = answer.trim().to_lowercase();
    Ok(Some(["y", "yes"].contains(&&*answer)))
}

/// Asks until the person enters a move or leaves the game. Returns the text of the move without white space at its ends,
/// or `None` if the person leaves.
///
/// # Errors
///
/// Returns an error if the input or the output fails, or if the input ends.
pub fn ask(
    prompt: &str,
    input: &mut impl BufRead,
    output: &mut impl Write,
    help: impl Fn() -> String,
) -> io::Result<Option<String>> {
    loop {
        write!(output, "{prompt}")?;
        output.flush()?;
        let Some(line) = line(input)? else {
            // Ends the line of the prompt, so that the error message is on its own line.
            writeln!(output)?;
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the input ended before the game; type q to leave a game",
            ));
        };
        match line.trim() {
            // Control characters are escaped, because the text may contain names from a file.
            "?" | "help" => writeln!(output, "{}", printable_lines(&help()))?,
            "q" | "quit" => return Ok(None),
            text => return Ok(Some(text.to_owned())),
        }
    }
}

/// Reads a line; if it is too long, only the first part is returned. Returns `None` at the end of the input.
pub fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// Returns the width, in columns, of the terminal behind stderr.
pub fn width_of_stderr() -> usize {
    terminal::columns(&io::stderr()).map_or(USUAL_WIDTH, usize::from)
}

/// Formats a heading followed by the items, in lines of at most `width` columns.
///
/// Two spaces separate the items. An item that is longer than a line gets its own line and is not broken.
pub fn in_lines(heading: &str, items: impl IntoIterator<Item = String>, width: usize) -> String {
    let mut text = heading.to_owned();
    let mut column = heading.chars().count();
    for item in items {
        let length = item.chars().count();
        if column > 0 && column + 2 + length > width {
            text.push('\n');
            column = 0;
        }
        text.push_str("  ");
        text.push_str(&item);
        column += 2 + length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks once with this input. Returns the answer and the text that the person sees.
    fn asked(mut input: &[u8]) -> (io::Result<Option<String>>, String) {
        let mut shown = Vec::new();
        let answer = ask("> ", &mut input, &mut shown, || "help\u{1b}".to_owned());
        (answer, String::from_utf8(shown).expect("text"))
    }

    #[test]
    fn keys_help_and_leave_and_the_rest_is_a_move() {
        for (input, answer, shown) in [
            ("?\n P3 x \n", Some("P3 x"), "> help\u{fffd}\n> "),
            ("\n", Some(""), "> "),
            ("q\r\n", None, "> "),
            ("help\nquit\n", None, "> help\u{fffd}\n> "),
        ] {
            let (answered, told) = asked(input.as_bytes());
            assert_eq!(answered.expect("a line").as_deref(), answer, "{input}");
            assert_eq!(told, shown, "{input}");
        }
    }

    #[test]
    fn the_end_of_the_input_is_an_error_on_a_line_of_its_own() {
        let (answer, shown) = asked(b"");
        let error = answer.expect_err("there is no line");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(shown, "> \n");
    }

    #[test]
    fn neither_odd_bytes_nor_endless_lines_do_harm() {
        let (answer, _) = asked(b"\xff\xfe\n");
        assert_eq!(answer.expect("a line").as_deref(), Some("\u{fffd}\u{fffd}"));
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        let answer = ask("", &mut endless, &mut Vec::new(), String::new);
        let part = "x".repeat(LONGEST_LINE as usize);
        assert_eq!(answer.expect("a part of the line"), Some(part));
    }

    #[test]
    fn lines_are_broken_between_items() {
        let items = [
            "hat red (3)",
            "hat blue (4)",
            "a-name-longer-than-the-line",
            "P1",
        ];
        let text = in_lines("Ask:", items.map(str::to_owned), 20);
        assert_eq!(
            text,
            "Ask:  hat red (3)\n  hat blue (4)\n  a-name-longer-than-the-line\n  P1"
        );
    }
}
