//! Delivers input to a program, either as usual or in unusual ways that programs should also tolerate.

use std::borrow::Cow;
use std::io::{self, Write};
use std::thread;
use std::time::Duration;

/// The number of bytes per piece when lines are delivered in pieces, as [`Delivery::Dripped`] does.
const DRIP: usize = 3;
// The number of pauses is limited, because the program's clock runs meanwhile. Without a limit, long lines cost the
// game.
const MOST_DRIPS: usize = 20;
const BETWEEN_DRIPS: Duration = Duration::from_millis(1);

/// A way to deliver lines or files to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// All input at once, with lines that end in LF.
    #[default]
    Whole,
    /// Lines in pieces of a few bytes. A file is still written as a whole.
    Dripped,
    /// Lines that end in CR LF.
    CarriageReturns,
    /// A file whose last line has no line end. Lines on stdin always have a line end.
    Unended,
}

impl Delivery {
    /// Writes lines to a program's stdin.
    pub(crate) fn write(self, lines: &[String], mut to: impl Write) -> io::Result<()> {
        let end = match self {
            Delivery::Whole | Delivery::Dripped | Delivery::Unended => "\n",
            Delivery::CarriageReturns => "\r\n",
        };
        let text: String = lines.iter().map(|line| format!("{line}{end}")).collect();
        if self == Delivery::Dripped {
            for bytes in text
                .as_bytes()
                .chunks(DRIP.max(text.len().div_ceil(MOST_DRIPS)))
            {
                to.write_all(bytes)?;
                to.flush()?;
                thread::sleep(BETWEEN_DRIPS);
            }
            return Ok(());
        }
        to.write_all(text.as_bytes())?;
        to.flush()
    }

    /// Converts a text whose lines end in LF into the contents of a file.
    pub(crate) fn file(self, text: &str) -> Cow<'_, str> {
        match self {
            Delivery::Whole | Delivery::Dripped => text.into(),
            Delivery::CarriageReturns => text.replace('\n', "\r\n").into(),
            Delivery::Unended => text.strip_suffix('\n').unwrap_or(text).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_delivery_brings_the_same_lines() {
        let lines = ["one".to_owned(), "and two".to_owned()];
        for (delivery, conversation, file) in [
            (Delivery::Whole, "one\nand two\n", "one\nand two\n"),
            (Delivery::Dripped, "one\nand two\n", "one\nand two\n"),
            (
                Delivery::CarriageReturns,
                "one\r\nand two\r\n",
                "one\r\nand two\r\n",
            ),
            (Delivery::Unended, "one\nand two\n", "one\nand two"),
        ] {
            let mut written = Vec::new();
            delivery.write(&lines, &mut written).expect("there is room");
            assert_eq!(written, conversation.as_bytes(), "{delivery:?}");
            assert_eq!(delivery.file("one\nand two\n"), file, "{delivery:?}");
        }
    }
}
