//! Reads the input of a person who plays at the keyboard. All games share this module.
//!
//! `?` shows help, `u` takes the last action back where the game allows it, and `q` leaves the game without an error.
//! If the input ends before the game does, that is an error.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use turnwise_engine::words::printable_lines;

use super::{output, terminal};

/// The line of help about the keys that work in every game; it comes last in each game's help.
pub const KEYS: &str = "  ?  help        u  take the last action back        q  leave the game";

/// The maximum length of an input line, in bytes. Every valid answer is shorter.
const LONGEST_LINE: u64 = 4096;

/// The width that is assumed if the terminal does not report its width, in columns.
const USUAL_WIDTH: usize = 80;

/// The action that the person at the keyboard wants.
pub enum Wish<T> {
    Move(T),
    Undo,
    Leave,
}

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

/// Asks until the person enters a valid move, takes an action back, or leaves the game.
///
/// `read` parses a move; if it fails, its error is printed, and the person is asked again. `no_undo` is the reason why
/// no action can be taken back; if `no_undo` is `None`, the person may take an action back.
///
/// # Errors
///
/// Returns an error if the input or the output fails, or if the input ends.
pub fn ask_until<T>(
    prompt: &str,
    input: &mut impl BufRead,
    output: &mut impl Write,
    help: impl Fn() -> String,
    no_undo: Option<&str>,
    read: impl Fn(&str) -> Result<T, String>,
) -> io::Result<Wish<T>> {
    loop {
        let told = match (ask(prompt, input, output)?, no_undo) {
            (Typed::Help, _) => help(),
            (Typed::Undo, None) => return Ok(Wish::Undo),
            (Typed::Undo, Some(why)) => why.to_owned(),
            (Typed::Leave, _) => return Ok(Wish::Leave),
            (Typed::Answer(answer), _) => match read(&answer) {
                Ok(found) => return Ok(Wish::Move(found)),
                Err(problem) => problem,
            },
        };
        // Control characters are escaped, because the text may contain names from a file.
        writeln!(output, "{}", printable_lines(&told))?;
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Typed {
    Help,
    Undo,
    Leave,
    /// Any other answer, which the game parses. White space at its ends is removed.
    Answer(String),
}

/// Shows the prompt and waits for a line. The end of the input is an error.
fn ask(prompt: &str, input: &mut impl BufRead, output: &mut impl Write) -> io::Result<Typed> {
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
    Ok(match line.trim() {
        "?" | "help" => Typed::Help,
        "u" | "undo" => Typed::Undo,
        "q" | "quit" => Typed::Leave,
        answer => Typed::Answer(answer.to_owned()),
    })
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

    #[test]
    fn keys_are_the_same_at_every_table_and_the_rest_is_an_answer() {
        let mut input = "?\n u \nq\r\n  P3 x \n\nundo".as_bytes();
        let mut shown = Vec::new();
        let mut ask = || ask("> ", &mut input, &mut shown).expect("a line");
        let answer = |text: &str| Typed::Answer(text.to_owned());
        assert_eq!(ask(), Typed::Help);
        assert_eq!(ask(), Typed::Undo);
        assert_eq!(ask(), Typed::Leave);
        assert_eq!(ask(), answer("P3 x"));
        assert_eq!(ask(), answer(""));
        assert_eq!(ask(), Typed::Undo);
        assert_eq!(shown, b"> ".repeat(6));
    }

    #[test]
    fn the_end_of_the_input_is_an_error_on_a_line_of_its_own() {
        let mut shown = Vec::new();
        let error = ask("> ", &mut "".as_bytes(), &mut shown).expect_err("there is no line");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(shown, b"> \n");
    }

    #[test]
    fn neither_odd_bytes_nor_endless_lines_do_harm() {
        let mut odd: &[u8] = b"\xff\xfe\n";
        let typed = ask("", &mut odd, &mut Vec::new()).expect("a line");
        assert_eq!(typed, Typed::Answer("\u{fffd}\u{fffd}".to_owned()));
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        let typed = ask("", &mut endless, &mut Vec::new()).expect("a part of the line");
        assert_eq!(typed, Typed::Answer("x".repeat(LONGEST_LINE as usize)));
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
