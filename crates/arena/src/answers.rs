//! Reads the lines that a program writes to stdout, with a time limit for each line.

use std::io::{self, ErrorKind, Read};
use std::process::ChildStdout;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio_util::codec::Decoder;
use turnwise_engine::words::counted;
use turnwise_protocol::frame::Item;
use turnwise_protocol::text_lines::TextLines;

use crate::transcript::Transcript;

/// The maximum number of bytes of an unfinished line that an error message quotes.
const MOST_QUOTED: usize = 80;

/// The reason why the program's next line is not available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoLine {
    /// No line arrived within the time limit.
    Timeout,
    /// The program has closed its stdout.
    Closed,
}

/// The lines that a program writes to stdout.
///
/// The calling thread reads a line only when it needs one. Until then, a program that has filled its pipe is blocked.
pub(crate) struct Answers {
    stdout: ChildStdout,
    codec: TextLines,
    /// The bytes received since the last line feed.
    unended: BytesMut,
    is_closed: bool,
    /// Records all bytes that arrive, if the user wants a transcript.
    pub transcript: Option<Transcript>,
}

impl Answers {
    /// Creates a reader for a program's `stdout`, whose lines may have at most `longest_line` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot make the stream non-blocking.
    pub fn of(stdout: ChildStdout, longest_line: usize) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&stdout, true)?;
        Ok(Self {
            stdout,
            codec: TextLines::up_to(longest_line),
            unended: BytesMut::new(),
            is_closed: false,
            transcript: None,
        })
    }

    /// Returns the program's next line if it arrives within the limit.
    ///
    /// The last line before the end of the stream needs no line feed.
    pub fn next(&mut self, limit: Duration) -> Result<Item<String>, NoLine> {
        let begun = Instant::now();
        loop {
            let item = match self.is_closed {
                true => self.codec.decode_eof(&mut self.unended),
                false => self.codec.decode(&mut self.unended),
            };
            if let Ok(Some(item)) = item {
                return Ok(item);
            }
            if self.is_closed {
                return Err(NoLine::Closed);
            }
            let mut chunk = [0; 4096];
            match self.stdout.read(&mut chunk) {
                Ok(read @ 1..) => {
                    let bytes = &chunk[..read];
                    self.unended.extend_from_slice(bytes);
                    if let Some(transcript) = &mut self.transcript {
                        transcript.received(bytes);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let left = limit.saturating_sub(begun.elapsed());
                    if left.is_zero() {
                        return Err(NoLine::Timeout);
                    }
                    // Whatever the result of `poll`, the loop reads the available bytes and checks the time.
                    let left = Timespec::try_from(left).ok();
                    let _ = poll(
                        &mut [PollFd::new(&self.stdout, PollFlags::IN)],
                        left.as_ref(),
                    );
                }
                Ok(0) | Err(_) => self.is_closed = true,
            }
        }
    }

    /// Describes the unfinished line: its length in bytes, and its beginning as a quotation.
    ///
    /// Returns `None` if no bytes have arrived since the last line feed.
    pub fn unended(&self) -> Option<String> {
        let bytes = &self.unended;
        let quoted = &bytes[..bytes.len().min(MOST_QUOTED)];
        let more = if quoted.len() < bytes.len() {
            "..."
        } else {
            ""
        };
        (!bytes.is_empty()).then(|| {
            format!(
                "{} without a line feed: \"{}{more}\"",
                counted(bytes.len(), "byte"),
                quoted.escape_ascii()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(600);

    fn shell(script: &str) -> (Child, Answers) {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let stdout = child.stdout.take().expect("it is piped");
        (child, Answers::of(stdout, 100).expect("a pipe"))
    }

    #[test]
    fn lines_come_whole_and_the_end_once_they_are_over() {
        let (mut child, mut answers) = shell("printf 'one\\ntw'; read x; printf 'o\\nthree'");
        let line = |text: &str| Ok(Item::Message(text.to_owned()));
        assert_eq!(answers.next(PATIENCE), line("one"));
        while answers.unended().is_none() {
            assert_eq!(answers.next(Duration::from_millis(1)), Err(NoLine::Timeout));
        }
        let shown = answers.unended().expect("bytes");
        assert_eq!(shown, "2 bytes without a line feed: \"tw\"");
        assert_eq!(answers.next(Duration::ZERO), Err(NoLine::Timeout));
        drop(child.stdin.take());
        assert_eq!(answers.next(PATIENCE), line("two"));
        assert_eq!(answers.next(PATIENCE), line("three"));
        for _ in 0..2 {
            assert_eq!(answers.next(PATIENCE), Err(NoLine::Closed));
        }
        child.wait().expect("it ends");
    }

    #[test]
    fn a_flood_without_an_end_is_a_bad_line_and_not_kept() {
        let (mut child, mut answers) = shell("exec head -c 300000 /dev/zero");
        assert!(matches!(answers.next(PATIENCE), Ok(Item::Bad(_))));
        assert!(answers.unended.len() <= 8192);
        drop(answers);
        child.wait().expect("it ends");
    }
}
