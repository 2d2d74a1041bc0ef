//! Players outside this process: the formats of their messages, and the channels over which the messages are exchanged.
//!
//! A game formats questions and parses answers ([`Lines`], [`Files`]). The code that runs programs transports the text
//! ([`LineChannel`], [`FileChannel`]). Neither depends on the other.

use std::any::Any;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::player::{
    Answer, AnyLastMove, AnyTurn, FOREVER, Failure, FaultKind, LastMove, Player, Turn, typed,
};
use crate::table::Action;
use crate::words::one_line;

/// The maximum number of characters of an invalid reply that an error quotes.
const LONGEST_QUOTED: usize = 100;

/// A program's answer to a question, and the time that it took.
#[derive(Debug)]
pub struct Reply<T> {
    /// The answer, or the reason why it is missing.
    pub said: Result<T, Failure>,
    /// The wall time from the question to the answer.
    pub wall: Duration,
    /// The CPU time that the program used for the answer, if known.
    pub cpu: Option<Duration>,
    /// The CPU time that the program used before the question; see [`Answer::pondered`].
    pub pondered: Option<Duration>,
    /// The number of seconds during which other programs used this program's processor core; see [`Answer::others`].
    pub others: Option<f64>,
}

impl<T> Reply<T> {
    /// Creates a reply that consists of a failure and took no time.
    pub fn of_failure(failure: Failure) -> Self {
        Self {
            said: Err(failure),
            wall: Duration::ZERO,
            cpu: None,
            pondered: None,
            others: None,
        }
    }

    /// Converts this reply to an answer by parsing the program's text with `understand`.
    fn answer<M: Action>(self, understand: impl FnOnce(T) -> Result<M, Failure>) -> Answer<u64> {
        Answer {
            pondered: self.pondered,
            others: self.others,
            ..Answer::from_outside(
                self.said.and_then(understand).map(Action::code),
                self.wall,
                self.cpu,
            )
        }
    }
}

/// A channel to a program that plays by exchanging lines of text.
pub trait LineChannel: Send {
    /// Writes a file that the program can read, and returns its path. The file is deleted when the channel is dropped.
    fn file(&mut self, name: &str, _content: &str) -> io::Result<PathBuf> {
        let why = format!("this kind of program cannot read a file {name}");
        Err(io::Error::other(why))
    }

    /// Starts a game for the program. If `is_first` is true, the program gets the first question, and the greeting is
    /// sent with it. Otherwise the greeting is sent at once if the channel supports this. Returns an error if the
    /// program cannot be started.
    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()>;

    /// Sends these lines and waits for one line in return, for at most `patience`.
    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String>;

    /// Ends the game for the program. Sends the lines in `news`, to which the program must reply with `replies`. Then
    /// sends the farewell if the program's process plays only one game.
    fn finish(&mut self, news: Vec<String>, replies: Vec<String>, farewell: Vec<String>);

    /// Saves the last lines that the program has written to stderr. Called after a fault of the program.
    fn keep_last_words(&mut self) {}

    /// Returns the last lines of the program's stderr that [`keep_last_words`](Self::keep_last_words) has saved.
    fn last_words(&self) -> &[String] {
        &[]
    }
}

/// The format of a game's messages to and from a program that exchanges lines.
pub trait Lines<P, M>: Send {
    /// Prepares everything that the greeting refers to, such as files. Returns an error if this fails.
    fn prepare(&mut self, _position: &P, _channel: &mut dyn LineChannel) -> io::Result<()> {
        Ok(())
    }

    /// Returns the lines that announce a game to the player on this side.
    fn greeting(&self, side: usize, position: &P) -> Vec<String>;

    /// Returns the lines that ask the player for a move, without the greeting.
    fn question(&self, turn: &Turn<P, M>) -> Vec<String>;

    /// Returns the reply that a program must send to a line that does not request a move. The next line is sent only
    /// after this reply. Returns `None` if the line requires no reply.
    fn acknowledgement(&self, _line: &str, _position: &P) -> Option<String> {
        None
    }

    /// Returns the lines that report the opponent's last move. Empty if the format does not report moves.
    fn news(&self, last: &LastMove<P, M>) -> Vec<String>;

    /// Returns the lines that announce the end of the game to the player.
    fn farewell(&self) -> Vec<String> {
        Vec::new()
    }

    /// Parses a player's answer as a move in this position.
    fn answer(&self, line: &str, position: &P) -> Result<M, Failure>;
}

/// Returns a player whose moves come from the program behind a channel.
pub fn line_player<P: 'static, M: Action>(
    lines: Box<dyn Lines<P, M>>,
    channel: Box<dyn LineChannel>,
) -> Box<dyn Player> {
    Box::new(LinePlayer::new(lines, channel))
}

/// A player whose moves come from a program that exchanges lines of text.
pub(crate) struct LinePlayer<P, M> {
    lines: Box<dyn Lines<P, M>>,
    channel: Box<dyn LineChannel>,
    /// A greeting that has not been sent yet, because the program must reply to it. It is sent with the first question.
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

    /// Sends all lines, waits for each required reply, and returns the reply to the last line. The returned times
    /// include all replies.
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

impl<P: 'static, M: Action> Player for LinePlayer<P, M> {
    fn begin(&mut self, side: usize, position: &dyn Any, is_first: bool) -> io::Result<()> {
        let position = typed(position);
        self.lines.prepare(position, &mut *self.channel)?;
        let mut greeting = self.lines.greeting(side, position);
        self.greeting.clear();
        let has_reply = |line: &String| self.lines.acknowledgement(line, position).is_some();
        if greeting.iter().any(has_reply) {
            std::mem::swap(&mut greeting, &mut self.greeting);
        }
        self.channel.begin(greeting, is_first)
    }

    fn choose(&mut self, turn: AnyTurn) -> io::Result<Answer<u64>> {
        let turn = turn.typed();
        let mut said = std::mem::take(&mut self.greeting);
        let news = turn.last.as_ref().map(|last| self.lines.news(last));
        said.extend(news.unwrap_or_default());
        said.extend(self.lines.question(&turn));
        let patience = turn.allowance.patience.unwrap_or(FOREVER);
        let reply = self.ask(said, turn.position, patience);
        let understood = |line: String| self.lines.answer(&line, turn.position);
        let answer = reply.answer(understood);
        if answer.mv.is_err() {
            self.channel.keep_last_words();
        }
        Ok(answer)
    }

    fn finish(&mut self, last: Option<AnyLastMove>) {
        // If the greeting was never sent, the player does not know that a game was played.
        let last = last.filter(|_| self.greeting.is_empty());
        let (mut news, mut replies) = (Vec::new(), Vec::new());
        if let Some(last) = last.map(AnyLastMove::typed) {
            news = self.lines.news(&last);
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
    /// The name of the file that the command reads.
    pub input: &'static str,
    /// The name of the file that the command writes.
    pub output: &'static str,
    /// The names of files in which the command may store data for its next move. They are removed before each game.
    pub memory: &'static [&'static str],
    /// The maximum size of the file that the command writes, in bytes.
    pub largest: usize,
    /// How long a command may exceed its time before it is killed.
    pub grace: Duration,
    /// True if the file that the command reads states the time left.
    pub tells_time: bool,
    /// Returns the program to run once, before the command's first game, if any.
    pub preparation: fn(command: &[String]) -> Option<Preparation>,
}

/// A program that is run once to prepare for the games of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preparation {
    /// The name of the program and its arguments.
    pub words: Vec<String>,
    /// The name of the file that the program writes. The command can read this file in all games.
    pub file: &'static str,
    /// The time after which the program is killed if it has not finished.
    pub at_most: Duration,
}

/// A channel to a command that is run once for every move.
pub trait FileChannel: Send {
    /// Starts a game and deletes the files of the command's earlier games. Returns an error if a file cannot be
    /// deleted.
    fn begin(&mut self) -> io::Result<()>;

    /// Runs the command once. `input` is the content of the file that the command reads, `left` its time left. Returns
    /// the content of the file that the command writes, or an error if the command cannot be started.
    fn run(&mut self, input: &str, left: Duration) -> io::Result<Reply<Vec<u8>>>;

    /// Returns the content of the command's last output file, in the form in which it is written to the log.
    fn output(&self) -> Option<&str>;

    /// Saves the last lines that the command has written to stderr. Called after a fault of the command.
    fn keep_last_words(&mut self);

    /// Returns the last lines of the command's stderr that [`keep_last_words`](Self::keep_last_words) has saved.
    fn last_words(&self) -> &[String];
}

/// The format of a game's messages to and from a command that reads and writes files.
pub trait Files<P, M>: Send {
    /// Returns the content of the file that tells the command the position and its task.
    fn input(&self, turn: &Turn<P, M>) -> String;

    /// Parses a player's answer as a move in this position.
    fn answer(&self, output: &[u8], position: &P) -> Result<M, Failure>;
}

/// A player whose moves come from a command that is run once for every move.
pub(crate) struct FilePlayer<P, M> {
    pub files: Box<dyn Files<P, M>>,
    pub channel: Box<dyn FileChannel>,
}

impl<P: 'static, M: Action> Player for FilePlayer<P, M> {
    fn begin(&mut self, _side: usize, _position: &dyn Any, _is_first: bool) -> io::Result<()> {
        self.channel.begin()
    }

    fn choose(&mut self, turn: AnyTurn) -> io::Result<Answer<u64>> {
        let turn = turn.typed();
        let input = self.files.input(&turn);
        let reply = self.channel.run(&input, turn.allowance.left)?;
        let answer = reply.answer(|bytes| self.files.answer(&bytes, turn.position));
        if answer.mv.is_err() {
            self.channel.keep_last_words();
        }
        Ok(answer)
    }

    fn finish(&mut self, _last: Option<AnyLastMove>) {}

    fn output(&self) -> Option<&str> {
        self.channel.output()
    }

    fn stderr(&self) -> Vec<String> {
        self.channel.last_words().to_vec()
    }
}
