//! Records every byte that programs receive and send, in a folder, for debugging.
//!
//! Each program has a file for each game. A line of the file has the seconds since the beginning of the game, a
//! direction (`>` to the program, `<` from the program), and the bytes, in which special characters are escaped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use turnwise_engine::files::open_regular;
use turnwise_engine::outside::{LineChannel, Reply};

/// The maximum size of a file, in bytes.
const LARGEST: u64 = 1 << 20;

/// The maximum size of all files in the folder together, in bytes.
const LARGEST_FOLDER: u64 = 1 << 30;

/// The space that is kept free in each file for the line that reports a limit, in bytes.
const LAST_LINE: u64 = 100;

/// The maximum number of characters of an agent's name in the name of a file.
const LONGEST_NAME: usize = 80;

/// A folder with transcripts.
#[derive(Debug)]
pub struct Transcripts {
    folder: PathBuf,
    /// The number of bytes that may still be written to the folder.
    left: AtomicU64,
    /// The first error that occurred while a transcript was written.
    error: Mutex<Option<io::Error>>,
}

impl Transcripts {
    /// Opens a folder, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<Arc<Self>> {
        fs::create_dir_all(folder)?;
        let mut used = 0;
        for entry in fs::read_dir(folder)? {
            used += entry?.metadata()?.len();
        }
        Ok(Arc::new(Self {
            folder: folder.to_owned(),
            left: AtomicU64::new(LARGEST_FOLDER.saturating_sub(used)),
            error: Mutex::new(None),
        }))
    }

    /// Returns the first error that occurred while a transcript was written. The games continued without transcripts.
    pub fn error(&self) -> Option<io::Error> {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.take()
    }

    fn fail(&self, error: io::Error) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
    }

    /// Reserves space for this number of bytes. Returns false if the folder has less.
    fn reserve(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        // `Relaxed` suffices, because only the number itself is shared.
        let changed = (self.left).fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        changed.is_ok()
    }
}

/// Creates the transcripts of a player's games in one pair.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    pub all: Arc<Transcripts>,
    /// The number of the pair.
    pub pair: u32,
    /// The number of the next game in the pair.
    pub game: u8,
    /// The index and the name of the agent.
    pub agent: (usize, String),
}

impl Recorder {
    /// Begins the transcript of the next game. If the file exists, the transcript is appended.
    pub fn begin(&mut self) -> Transcript {
        let (place, name) = &self.agent;
        let safe = |letter: char| match letter.is_ascii_alphanumeric() || "-_.".contains(letter) {
            true => letter,
            false => '_',
        };
        let name: String = name.chars().take(LONGEST_NAME).map(safe).collect();
        let (pair, game, agent) = (self.pair, self.game, place + 1);
        let name = format!("pair-{pair}-game-{game}-agent-{agent}-{name}.txt");
        self.game += 1;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        let opened = open_regular(&mut options, &self.all.folder.join(name));
        let opened = opened.and_then(|file| Ok((file.metadata()?.len(), file)));
        let file = opened.map_err(|error| self.all.fail(error)).ok();
        let length = file.as_ref().map_or(0, |(length, _)| *length);
        let most = match self.all.reserve(LAST_LINE) {
            true => LARGEST - LAST_LINE,
            false => 0,
        };
        Transcript {
            left: most.saturating_sub(length),
            file: file.map(|(_, file)| file),
            all: self.all.clone(),
            begun: Instant::now(),
        }
    }
}

/// The transcript of a program in one game.
#[derive(Debug)]
pub(crate) struct Transcript {
    all: Arc<Transcripts>,
    /// The file; `None` once a limit is reached, or after an error.
    file: Option<File>,
    /// The number of bytes that may still be written to the file.
    left: u64,
    begun: Instant,
}

impl Transcript {
    /// Records bytes that the program received.
    pub fn sent(&mut self, bytes: &[u8]) {
        self.record('>', bytes);
    }

    /// Records bytes that the program sent.
    pub fn received(&mut self, bytes: &[u8]) {
        self.record('<', bytes);
    }

    fn record(&mut self, direction: char, bytes: &[u8]) {
        let at = self.begun.elapsed().as_secs_f64();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let Some(file) = &mut self.file else { return };
            let mut text = format!("{at:.6} {direction} {}\n", line.escape_ascii());
            let length = text.len() as u64;
            let is_room = length <= self.left && self.all.reserve(length);
            if !is_room {
                text = format!("# at most {LARGEST} bytes a file, {LARGEST_FOLDER} a folder\n");
            }
            self.left = self.left.saturating_sub(length);
            let written = file.write_all(text.as_bytes());
            if written.is_err() || !is_room {
                self.file = None;
            }
            if let Err(error) = written {
                self.all.fail(error);
            }
        }
    }
}

/// Writes to a program, and records the written bytes.
pub(crate) struct Recorded<'a, W> {
    pub to: W,
    pub transcript: Option<&'a mut Transcript>,
}

impl<W: Write> Write for Recorded<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        if let Some(transcript) = &mut self.transcript {
            transcript.sent(&bytes[..written]);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A channel to a daemon, whose lines are recorded.
pub(crate) struct RecordedChannel {
    channel: Box<dyn LineChannel>,
    recorder: Recorder,
    transcript: Option<Transcript>,
}

impl RecordedChannel {
    pub fn new(channel: Box<dyn LineChannel>, recorder: Recorder) -> Self {
        Self {
            channel,
            recorder,
            transcript: None,
        }
    }

    fn sent(&mut self, lines: &[String]) {
        for line in lines {
            let transcript = self.transcript.iter_mut();
            transcript.for_each(|transcript| transcript.sent(format!("{line}\n").as_bytes()));
        }
    }
}

impl LineChannel for RecordedChannel {
    fn file(&mut self, name: &str, content: &str) -> io::Result<PathBuf> {
        self.channel.file(name, content)
    }

    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()> {
        self.transcript = Some(self.recorder.begin());
        self.sent(&greeting);
        self.channel.begin(greeting, is_first)
    }

    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String> {
        self.sent(&lines);
        let reply = self.channel.ask(lines, patience);
        if let (Ok(line), Some(transcript)) = (&reply.said, &mut self.transcript) {
            transcript.received(format!("{line}\n").as_bytes());
        }
        reply
    }

    fn finish(&mut self, news: Vec<String>, replies: Vec<String>, farewell: Vec<String>) {
        self.sent(&news);
        self.sent(&farewell);
        self.channel.finish(news, replies, farewell);
    }

    fn keep_last_words(&mut self) {
        self.channel.keep_last_words();
    }

    fn last_words(&self) -> &[String] {
        self.channel.last_words()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_bounded_and_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = Transcripts::open(folder.path()).expect("a folder");
        let mut recorder = Recorder {
            all: all.clone(),
            pair: 7,
            game: 2,
            agent: (0, "a/../b".to_owned()),
        };
        let mut transcript = recorder.begin();
        transcript.sent(b"one\ntw");
        for _ in 0..1000 {
            transcript.received(&[0; 4096]);
        }
        // The transcript of a second attempt is appended, and does not exceed the limit either.
        recorder.game = 2;
        recorder.begin().received(&[b'x'; LARGEST as usize]);
        let text = fs::read_to_string(folder.path().join("pair-7-game-2-agent-1-a_.._b.txt"));
        let text = text.expect("a transcript");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].ends_with(" > one\\n") && lines[1].ends_with(" > tw"),
            "{text:.80}"
        );
        assert!(lines[2].ends_with("\\x00"));
        assert!(
            lines
                .last()
                .is_some_and(|last| last.starts_with("# at most"))
        );
        assert!(text.len() as u64 <= LARGEST + LAST_LINE, "{}", text.len());
        assert!(all.error().is_none());
        drop(folder);
        recorder.begin().sent(b"nowhere");
        assert!(all.error().is_some(), "the folder is gone");
    }
}
