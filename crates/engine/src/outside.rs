//! Players outside this process: what a game says to them and hears from them, and the ways there.
//!
//! A game puts questions into words ([`Lines`], [`Files`]); whoever runs programs carries the words
//! ([`LineChannel`], [`FileChannel`]). Neither knows of the other.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::player::{Answer, FOREVER, Failure, FaultKind, LastMove, Player, Turn};
use crate::words::one_line;

/// Of a reply that is none so much is quoted, in characters.
const LONGEST_QUOTED: usize = 100;

/// What a program answered, and what that cost.
#[derive(Debug)]
pub struct Reply<T> {
    /// The answer, or why there is none.
    pub said: Result<T, Failure>,
    /// Wall time from question to answer.
    pub wall: Duration,
    /// CPU time of the program, where it is known.
    pub cpu: Option<Duration>,
    /// CPU time before the question; see [`Answer::pondered`].
    pub pondered: Option<Duration>,
    /// Seconds for which others used the core; see [`Answer::others`].
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

    /// Converts this reply to an answer, by parsing its words with `understand`.
    fn answer<M>(self, understand: impl FnOnce(T) -> Result<M, Failure>) -> Answer<M> {
        Answer {
            pondered: self.pondered,
            others: self.others,
            ..Answer::from_outside(self.said.and_then(understand), self.wall, self.cpu)
        }
    }
}

/// A channel to a program that speaks in lines.
pub trait LineChannel: Send {
    /// Writes a file for the program to read, and says where it is. It is gone with the channel.
    fn file(&mut self, name: &str, _content: &str) -> io::Result<PathBuf> {
        let why = format!("a program that is reached in this way finds no {name}");
        Err(io::Error::other(why))
    }

    /// A game begins. The greeting is told with the first question if this player is asked first, else at
    /// once where the way allows that. Fails if the program cannot be started at all.
    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()>;

    /// Says these lines and waits for one in return.
    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String>;

    /// The game is over: says what the program does not know yet, to which it has these replies, and
    /// goodbye where a process is one game's.
    fn finish(&mut self, news: Vec<String>, replies: Vec<String>, farewell: Vec<String>);

    /// Keeps the last lines of the program's stderr, because it was at fault.
    fn keep_last_words(&mut self) {}

    /// The last lines of its stderr that were kept.
    fn last_words(&self) -> &[String] {
        &[]
    }
}

/// A game's words in lines.
pub trait Lines<P, M>: Send {
    /// Puts in place what the greeting speaks of. Fails if that cannot be done.
    fn prepare(&mut self, _position: &P, _channel: &mut dyn LineChannel) -> io::Result<()> {
        Ok(())
    }

    /// What begins a game for the player on this side.
    fn greeting(&self, side: usize, position: &P) -> Vec<String>;

    /// A question, without what begins a game.
    fn question(&self, turn: &Turn<P, M>) -> Vec<String>;

    /// What the program has to reply to a line that asks for no move, before it hears the next one; none
    /// if this wire has no replies to such lines.
    fn acknowledgement(&self, _line: &str, _position: &P) -> Option<String> {
        None
    }

    /// The lines that tell the program of the opponent's move; empty if this wire does not tell it.
    fn news(&self, last: &LastMove<P, M>) -> Vec<String>;

    /// What ends the game.
    fn farewell(&self) -> Vec<String> {
        Vec::new()
    }

    /// An answer as a move on this board.
    fn answer(&self, line: &str, position: &P) -> Result<M, Failure>;
}

/// A player that speaks in lines.
pub(crate) struct LinePlayer<P, M> {
    lines: Box<dyn Lines<P, M>>,
    channel: Box<dyn LineChannel>,
    /// A greeting that has replies: it is said with the first question, when they are waited for.
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

    /// Says all lines, waits for the reply to each that has one, and returns that to the last.
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
        // Whoever has not been greeted has heard of no game.
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

/// Where a command that is run for every move finds its question and leaves its answer.
#[derive(Debug, Clone, Copy)]
pub struct FileVenue {
    /// The file it reads.
    pub input: &'static str,
    /// The file it writes.
    pub output: &'static str,
    /// Files that it keeps for its next move, removed before each game.
    pub memory: &'static [&'static str],
    /// How much of its answer is read at most, in bytes.
    pub largest: usize,
    /// How long after its time has run out the program is killed.
    pub grace: Duration,
    /// True if the file that it reads says how much time is left.
    pub tells_time: bool,
    /// A program that is to be run once, before the games of a command.
    pub preparation: fn(command: &[String]) -> Option<Preparation>,
}

/// A program that is run once, before the games of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preparation {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The file that it writes, which the command finds in all of its games.
    pub file: &'static str,
    /// How long it may run before it is killed.
    pub at_most: Duration,
}

/// A channel to a command that is run for every move.
pub trait FileChannel: Send {
    /// A game begins: what the command kept of another one is gone. Fails if its folder cannot be tidied.
    fn begin(&mut self) -> io::Result<()>;

    /// Runs the command with this input and so much time left; its answer is the content of its output.
    /// Fails if it cannot be started at all.
    fn run(&mut self, input: &str, left: Duration) -> io::Result<Reply<Vec<u8>>>;

    /// What it wrote the last time, as the log keeps it.
    fn output(&self) -> Option<&str>;

    /// Keeps the last lines of the command's stderr, because it was at fault.
    fn keep_last_words(&mut self);

    /// The last lines of its stderr that were kept.
    fn last_words(&self) -> &[String];
}

/// A game's words in files.
pub trait Files<P, M>: Send {
    /// The file with the question.
    fn input(&self, turn: &Turn<P, M>) -> String;

    /// An answer as a move on this board.
    fn answer(&self, output: &[u8], position: &P) -> Result<M, Failure>;
}

/// A player that is a command for every move.
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
