//! Players outside this process: the formats of their messages and the channels to them.
//!
//! A game formats its questions ([`Lines`], [`Files`]); the program runner transports the text ([`LineChannel`],
//! [`FileChannel`]). Neither side depends on the other.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::player::{Answer, FOREVER, Failure, FaultKind, LastMove, Player, Turn};
use crate::words::one_line;

/// Maximum number of characters of an invalid reply quoted in an error.
const LONGEST_QUOTED: usize = 100;

/// A program's answer and its cost.
#[derive(Debug)]
pub struct Reply<T> {
    /// The answer, or the reason why it is missing.
    pub said: Result<T, Failure>,
    /// Wall time from question to answer.
    pub wall: Duration,
    /// CPU time of the program, if known.
    pub cpu: Option<Duration>,
    /// CPU time before the question; see [`Answer::pondered`].
    pub pondered: Option<Duration>,
    /// Seconds during which other programs used the core; see [`Answer::others`].
    pub others: Option<f64>,
}

impl<T> Reply<T> {
    /// Returns a reply without an answer, for a failure that took no time.
    pub fn of_failure(failure: Failure) -> Self {
        Self {
            said: Err(failure),
            wall: Duration::ZERO,
            cpu: None,
            pondered: None,
            others: None,
        }
    }

    /// Converts this reply to an answer by parsing its text with `understand`.
    fn answer<M>(self, understand: impl FnOnce(T) -> Result<M, Failure>) -> Answer<M> {
        Answer {
            pondered: self.pondered,
            others: self.others,
            ..Answer::from_outside(self.said.and_then(understand), self.wall, self.cpu)
        }
    }
}

/// A channel to a program that exchanges lines.
pub trait LineChannel: Send {
    /// Writes a file for the program and returns its path. The file is deleted together with the channel.
    fn file(&mut self, name: &str, _content: &str) -> io::Result<PathBuf> {
        let why = format!("this kind of program cannot read a file {name}");
        Err(io::Error::other(why))
    }

    /// Starts a game. Sends the greeting with the first question if `is_first`; otherwise at once, if the channel
    /// can. Fails if the program cannot be started.
    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()>;

    /// Sends these lines and waits for one line in return.
    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String>;

    /// Ends the game. Sends the remaining `news`, for which the program owes `replies`, and the farewell if the
    /// process serves only one game.
    fn finish(&mut self, news: Vec<String>, replies: Vec<String>, farewell: Vec<String>);

    /// Saves the last lines of the program's stderr after a fault.
    fn keep_last_words(&mut self) {}

    /// Returns the saved last lines of the program's stderr.
    fn last_words(&self) -> &[String] {
        &[]
    }
}

/// A game's messages as lines.
pub trait Lines<P, M>: Send {
    /// Prepares everything that the greeting refers to. Fails if that is not possible.
    fn prepare(&mut self, _position: &P, _channel: &mut dyn LineChannel) -> io::Result<()> {
        Ok(())
    }

    /// Returns the lines that start a game for the player on this side.
    fn greeting(&self, side: usize, position: &P) -> Vec<String>;

    /// Returns the lines of a question, without the lines that start a game.
    fn question(&self, turn: &Turn<P, M>) -> Vec<String>;

    /// Returns the reply required to a line that does not request a move. The next line waits for it. `None` if
    /// this wire has no such replies.
    fn acknowledgement(&self, _line: &str, _position: &P) -> Option<String> {
        None
    }

    /// Returns the lines that report the opponent's move; empty if this wire does not report it.
    fn news(&self, last: &LastMove<P, M>) -> Vec<String>;

    /// Returns the lines that end the game.
    fn farewell(&self) -> Vec<String> {
        Vec::new()
    }

    /// Parses an answer as a move on this board.
    fn answer(&self, line: &str, position: &P) -> Result<M, Failure>;
}

/// A player that exchanges lines.
pub(crate) struct LinePlayer<P, M> {
    lines: Box<dyn Lines<P, M>>,
    channel: Box<dyn LineChannel>,
    /// A greeting that requires replies. It is sent with the first question, which waits for them.
    greeting: Vec<String>,
}

impl<P, M> LinePlayer<P, M> {
    pub fn new(lines: Box<dyn Lines<P, M>>, channel: Box<dyn LineChannel>) -> Self {
        Self {
            lines,
            channel,
            greeting: Vec::new(),
        }
    }

    /// Sends all lines, waits for each required reply, and returns the reply to the last line.
    fn ask(&mut self, said: Vec<String>, position: &P, patience: Duration) -> Reply<String> {
        let (mut wall, mut cpu) = (Duration::ZERO, None);
        let (mut pondered, mut others) = (None, None);
        let mut lines = Vec::new();
        let mut ask = |lines: Vec<String>, channel: &mut dyn LineChannel| {
            let reply = channel.ask(lines, patience.saturating_sub(wall));
            wall += reply.wall;
            cpu = reply.cpu.map(|more| cpu.unwrap_or_default() + more);
            pondered = (reply.pondered).map(|more| pondered.unwrap_or_default() + more);
            others = (reply.others).map(|more| others.unwrap_or_default() + more);
            Reply {
                said: reply.said,
                wall,
                cpu,
                pondered,
                others,
            }
        };
        for line in said {
            let expected = self.lines.acknowledgement(&line, position);
            lines.push(line);
            let Some(expected) = expected else { continue };
            let told = lines.join("; ");
            let mut reply = ask(std::mem::take(&mut lines), &mut *self.channel);
            if let Ok(said) = &reply.said
                && said.trim() != expected
            {
                let got = one_line(said, LONGEST_QUOTED);
                let reason = format!("expected `{expected}` after `{told}`, got `{got}`");
                reply.said = Err(Failure::new(FaultKind::Garbage, reason));
            }
            if reply.said.is_err() {
                return reply;
            }
        }
        ask(lines, &mut *self.channel)
    }
}

impl<P, M> Player<P, M> for LinePlayer<P, M> {
    fn begin(&mut self, side: usize, position: &P, is_first: bool) -> io::Result<()> {
        self.lines.prepare(position, &mut *self.channel)?;
        let mut greeting = self.lines.greeting(side, position);
        self.greeting.clear();
        let has_reply = |line: &String| self.lines.acknowledgement(line, position).is_some();
        if greeting.iter().any(has_reply) {
            std::mem::swap(&mut greeting, &mut self.greeting);
        }
        self.channel.begin(greeting, is_first)
    }

    fn choose(&mut self, turn: Turn<P, M>) -> io::Result<Answer<M>> {
        let mut said = std::mem::take(&mut self.greeting);
        let news = turn.last.as_ref().map(|last| self.lines.news(last));
        said.extend(news.unwrap_or_default());
        said.extend(self.lines.question(&turn));
        let patience = turn.allowance.patience.unwrap_or(FOREVER);
        let reply = self.ask(said, turn.position, patience);
        let answer = reply.answer(|line| self.lines.answer(&line, turn.position));
        if answer.mv.is_err() {
            self.channel.keep_last_words();
        }
        Ok(answer)
    }

    fn finish(&mut self, last: Option<&LastMove<P, M>>) {
        // A player that was not greeted does not know of any game.
        let last = last.filter(|_| self.greeting.is_empty());
        let (mut news, mut replies) = (Vec::new(), Vec::new());
        if let Some(last) = last {
            news = self.lines.news(last);
            let reply = |line: &String| self.lines.acknowledgement(line, &last.before);
            replies = news.iter().filter_map(reply).collect();
        }
        self.channel.finish(news, replies, self.lines.farewell());
    }

    fn stderr(&self) -> Vec<String> {
        self.channel.last_words().to_vec()
    }
}

/// The files and limits of a command that runs once for every move.
#[derive(Debug, Clone, Copy)]
pub struct FileVenue {
    /// The file that the command reads.
    pub input: &'static str,
    /// The file that the command writes.
    pub output: &'static str,
    /// Files that the command keeps for its next move; they are removed before each game.
    pub memory: &'static [&'static str],
    /// The maximum size of an answer, in bytes.
    pub largest: usize,
    /// How long after its time has expired the program is killed.
    pub grace: Duration,
    /// True if the input file states the time left.
    pub tells_time: bool,
    /// Returns the program to run once, before the games of a command, if any.
    pub preparation: fn(command: &[String]) -> Option<Preparation>,
}

/// A program that runs once, before the games of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preparation {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The file that it writes, available to the command in all games.
    pub file: &'static str,
    /// The time after which it is killed.
    pub at_most: Duration,
}

/// A channel to a command that runs once for every move.
pub trait FileChannel: Send {
    /// Starts a game and deletes what the command stored in earlier games. Fails if that is not possible.
    fn begin(&mut self) -> io::Result<()>;

    /// Runs the command with this input and the time left. Returns the content of its output file. Fails if the
    /// command cannot be started.
    fn run(&mut self, input: &str, left: Duration) -> io::Result<Reply<Vec<u8>>>;

    /// Returns the last output in the form for the log.
    fn output(&self) -> Option<&str>;

    /// Saves the last lines of the command's stderr after a fault.
    fn keep_last_words(&mut self);

    /// Returns the saved last lines of the command's stderr.
    fn last_words(&self) -> &[String];
}

/// A game's messages as files.
pub trait Files<P, M>: Send {
    /// Returns the content of the input file, which holds the question.
    fn input(&self, turn: &Turn<P, M>) -> String;

    /// Parses an answer as a move on this board.
    fn answer(&self, output: &[u8], position: &P) -> Result<M, Failure>;
}

/// A player that runs a command for every move.
pub(crate) struct FilePlayer<P, M> {
    pub files: Box<dyn Files<P, M>>,
    pub channel: Box<dyn FileChannel>,
}

impl<P, M> Player<P, M> for FilePlayer<P, M> {
    fn begin(&mut self, _side: usize, _position: &P, _is_first: bool) -> io::Result<()> {
        self.channel.begin()
    }

    fn choose(&mut self, turn: Turn<P, M>) -> io::Result<Answer<M>> {
        let input = self.files.input(&turn);
        let reply = self.channel.run(&input, turn.allowance.left)?;
        let answer = reply.answer(|bytes| self.files.answer(&bytes, turn.position));
        if answer.mv.is_err() {
            self.channel.keep_last_words();
        }
        Ok(answer)
    }

    fn finish(&mut self, _last: Option<&LastMove<P, M>>) {}

    fn output(&self) -> Option<&str> {
        self.channel.output()
    }

    fn stderr(&self) -> Vec<String> {
        self.channel.last_words().to_vec()
    }
}
