//! The main loop of a command that reads lines from stdin and answers each of them on stdout.

use std::io::{self, BufRead, Read, Write};
use std::ops::ControlFlow;

/// Answers each line of the input until the input ends or `answer` returns `Break`.
///
/// Each answer is flushed at once. `answer` receives a line with its line feed, or `None` for a line of more than
/// `most` bytes, which is skipped. If it returns `Continue(None)`, nothing is written.
pub fn serve(
    input: &mut impl BufRead,
    output: &mut impl Write,
    most: usize,
    mut answer: impl FnMut(Option<&[u8]>) -> ControlFlow<(), Option<String>>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input
            .by_ref()
            .take(most as u64 + 1)
            .read_until(b'\n', &mut line)?
            == 0
        {
            return Ok(());
        }
        let is_too_long = line.len() > most && line.last() != Some(&b'\n');
        if is_too_long {
            input.skip_until(b'\n')?;
        }
        match answer((!is_too_long).then_some(&line)) {
            ControlFlow::Break(()) => return Ok(()),
            ControlFlow::Continue(None) => {}
            ControlFlow::Continue(Some(text)) => {
                writeln!(output, "{text}")?;
                output.flush()?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs [`serve`] on this input with an `answer` that repeats each line and stops at `quit`. Returns the output.
    fn served(mut input: &[u8]) -> String {
        let mut output = Vec::new();
        let answer = |line: Option<&[u8]>| match line {
            None => ControlFlow::Continue(Some("too long".to_owned())),
            Some(b"quit\n") => ControlFlow::Break(()),
            Some(b"\n") => ControlFlow::Continue(None),
            Some(line) => ControlFlow::Continue(Some(format!("{line:?}"))),
        };
        serve(&mut input, &mut output, 4, answer).expect("memory does not fail");
        String::from_utf8(output).expect("the answers are text")
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_read() {
        assert_eq!(
            served(b"12345\n\n\xff\n12345678901"),
            "too long\n[255, 10]\ntoo long\n"
        );
        // The line feed does not count toward the maximum length.
        assert_eq!(served(b"1234\n"), "[49, 50, 51, 52, 10]\n");
    }

    #[test]
    fn nothing_is_read_behind_the_end_of_the_conversation() {
        assert_eq!(served(b"1\nquit\n2\n"), "[49, 10]\n");
    }
}
