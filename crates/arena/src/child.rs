//! A program that speaks in lines on stdin and stdout, one process a game.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::ChildStdin;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Failure, FaultKind, Ponder};
use turnwise_protocol::frame::Item;
use turnwise_protocol::text_lines::MAX_LINE;

use crate::answers::{Answers, NoLine};
use crate::command::remove;
use crate::delivery::Delivery;
use crate::patience::{Patience, UNMEASURED};
use crate::records::START;
use turnwise_process::isolation::Isolation;
use turnwise_process::own_folder::OwnFolder;
use turnwise_process::{Process, Scratch, Streams, Turn};

/// How long a child may take to end once the game is over, or once it has closed its stdout.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a program does once a game is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overheard {
    /// It says this line, although nothing was asked.
    Said(String),
    /// It ends in this way.
    Ended {
        /// How the system describes its end, such as `exit status: 1`.
        status: String,
        /// The last lines of its stderr.
        stderr: Vec<String>,
    },
}

/// A program that speaks in lines, and how it is run.
#[derive(Debug, Clone)]
pub struct Program {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Where it runs. An isolated program without a folder of its own runs in an empty one.
    pub folder: PathBuf,
    /// Its own folder, if it is isolated and has one.
    pub own: Option<Arc<OwnFolder>>,
    /// What it may use and see, if it is not trusted.
    pub isolation: Option<Isolation>,
    /// What it may do while its opponent is to move.
    pub ponder: Ponder,
    /// How long its start-up may take that is not on its clock.
    pub start: Duration,
    /// Where processes stay for further games; without it each game has a process of its own.
    pub kept: Option<Kept>,
    /// Bytes of its longest line, where lines may be longer than usual.
    pub longest_line: Option<usize>,
    /// How lines reach it.
    pub delivery: Delivery,
    /// Where to send what the program does after the end of a game, when no answer is expected any more.
    pub overheard: Option<Sender<Overheard>>,
}

impl Program {
    /// A program that is trusted and runs in the current folder.
    pub fn here(words: Vec<String>, longest_line: Option<usize>) -> Self {
        Self {
            words,
            folder: ".".into(),
            own: None,
            isolation: None,
            ponder: Ponder::Allow,
            start: START,
            kept: None,
            longest_line,
            delivery: Delivery::default(),
            overheard: None,
        }
    }

    /// Why it may not be started now: its folder has been changed, so that it leads to files of others.
    fn barred(&self) -> Option<Failure> {
        let changed = self.own.as_ref()?.check_again().err()?;
        Some(Failure::new(FaultKind::Crash, changed.to_string()))
    }
}

/// A command that is started for each game.
pub struct ChildChannel {
    program: Program,
    /// Where files are that it is given, if it is given any.
    files: Option<Scratch>,
    game: Option<Game>,
    /// Of the pair.
    games_begun: usize,
    /// Why the program was not started for this game.
    barred: Option<Failure>,
    last_words: Vec<String>,
}

/// Processes between two games. The games of a pair share their luck, so each process stays with the first, or with
/// the second, games of pairs: it never meets the same luck twice. It also stays with its thread, and so on its core.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<HashMap<(ThreadId, usize), Game>>>);

impl Kept {
    /// A process that has played other games of this number within their pairs.
    fn take(&self, number: usize) -> Option<Game> {
        self.locked().remove(&(thread::current().id(), number))
    }

    fn put(&self, number: usize, game: Game) {
        self.locked().insert((thread::current().id(), number), game);
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<(ThreadId, usize), Game>> {
        // Whole after every statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} processes", self.locked().len())
    }
}

struct Game {
    process: Process,
    /// Of one that is isolated; removed when its process has ended.
    _folder: Option<Scratch>,
    stdin: ChildStdin,
    answers: Answers,
    /// What is to be said before the first question.
    greeting: Vec<String>,
    delivery: Delivery,
}

impl ChildChannel {
    /// A channel of lines to this program, which is not started yet.
    pub fn new(program: Program) -> Self {
        Self {
            program,
            files: None,
            game: None,
            games_begun: 0,
            barred: None,
            last_words: Vec::new(),
        }
    }

    /// A folder that the program may read; an isolated one may be another user.
    fn folder_of_files(&mut self) -> io::Result<Scratch> {
        let folder = Scratch::new()?;
        if let Some(isolation) = &mut self.program.isolation {
            fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
            isolation.readable.push(folder.path().to_owned());
        }
        Ok(folder)
    }
}

fn words(item: &Item<String>) -> String {
    match item {
        Item::Message(line) => format!("`{}`", line.trim()),
        Item::Bad(bad) => bad.to_string(),
    }
}

fn unasked(item: &Item<String>) -> Failure {
    let reason = format!("it spoke without being asked: {}", words(item));
    Failure::new(FaultKind::Garbage, reason)
}

/// Starts a program, and sends it nothing for a while. A failure if it writes or ends meanwhile, with the last
/// lines of its stderr.
///
/// # Errors
///
/// If it cannot be started at all.
pub(crate) fn start(
    program: &Program,
    a_while: Duration,
) -> io::Result<Result<(), (Failure, Vec<String>)>> {
    let mut game = Game::start(program, Vec::new())?;
    let failure = match game.answers.next(a_while) {
        Err(NoLine::Timeout) => match game.answers.unended() {
            None => return Ok(Ok(())),
            Some(bytes) => {
                let reason = format!("it wrote {bytes} without being asked");
                Failure::new(FaultKind::Garbage, reason)
            }
        },
        Err(NoLine::Closed) => game.crash(),
        Ok(item) => unasked(&item),
    };
    Ok(Err((failure, game.process.last_lines())))
}

/// Starts a program and ends its input at once. Returns how it ended if it did so within the limit, and the last lines
/// of its stderr.
///
/// # Errors
///
/// If it cannot be started at all.
pub(crate) fn without_input(
    program: &Program,
    limit: Duration,
) -> io::Result<(Option<String>, Vec<String>)> {
    let Game {
        mut process,
        _folder,
        stdin,
        answers,
        ..
    } = Game::start(program, Vec::new())?;
    drop((stdin, answers));
    let ended = process.ended_within(limit);
    Ok((ended, process.last_lines()))
}

/// Tells of the first line that is none of the replies still due.
fn overhear(answers: &mut Answers, replies: Vec<String>, overheard: &Sender<Overheard>) {
    let mut due = replies.into_iter().peekable();
    while let Ok(item) = answers.next(FAREWELL) {
        let is_due = |reply: &String| matches!(&item, Item::Message(line) if line.trim() == reply);
        if due.next_if(is_due).is_none() {
            // Whoever has stopped listening wants to hear no more.
            let _ = overheard.send(Overheard::Said(words(&item)));
            return;
        }
    }
}

impl Game {
    fn start(program: &Program, greeting: Vec<String>) -> io::Result<Self> {
        // Whoever speaks in lines leaves nothing in files for us.
        let isolation = program.isolation.clone().map(|isolation| Isolation {
            has_private_home: true,
            ..isolation
        });
        let isolation = isolation.as_ref();
        let empty = isolation.map(|_| Scratch::new()).transpose()?;
        let place = empty.as_ref().map_or(&*program.folder, Scratch::path);
        let mut process = Process::start_in(
            place,
            &program.words,
            Streams::Piped,
            isolation,
            program.ponder,
        )?;
        let (stdin, stdout) = process
            .streams()
            .ok_or_else(|| io::Error::other("the child's streams are missing"))?;
        let longest_line = program.longest_line.unwrap_or(MAX_LINE);
        Ok(Self {
            process,
            _folder: empty,
            stdin,
            answers: Answers::of(stdout, longest_line)?,
            greeting,
            delivery: program.delivery,
        })
    }

    fn tell(&mut self, lines: &[String]) -> io::Result<()> {
        self.delivery.write(lines, &mut self.stdin)
    }

    /// Waits for these lines, which answer the last news.
    fn has_replied(&mut self, replies: &[String]) -> bool {
        let mut due = replies.iter();
        due.all(|reply| {
            let item = self.answers.next(FAREWELL);
            matches!(item, Ok(Item::Message(line)) if line.trim() == reply)
        })
    }

    /// Waits for a line as long as the limit and other users of its core require; none if its stdout is closed. An
    /// answer that takes long leaves the `patience` that measured it.
    fn hear(
        &mut self,
        limit: Duration,
        turn: &Turn,
        patience: &mut Option<Patience>,
    ) -> Result<Option<Item<String>>, Failure> {
        let mut wait = limit.min(UNMEASURED);
        loop {
            match self.answers.next(wait) {
                Ok(item) => return Ok(Some(item)),
                Err(NoLine::Closed) => return Ok(None),
                Err(NoLine::Timeout) => {}
            }
            let patience = patience.get_or_insert_with(|| Patience::new(limit, &self.process));
            let next = patience.wait(&mut self.process, turn);
            wait = next.map_err(|kind| Failure {
                kind,
                ..self.silent_for(turn.elapsed())
            })?;
        }
    }

    fn ask(
        &mut self,
        question: Vec<String>,
        limit: Duration,
        turn: &Turn,
        patience: &mut Option<Patience>,
    ) -> Result<String, Failure> {
        match self.answers.next(Duration::ZERO) {
            Ok(item) => return Err(unasked(&item)),
            Err(NoLine::Closed) => return Err(self.crash()),
            Err(NoLine::Timeout) => {}
        }
        let mut lines = std::mem::take(&mut self.greeting);
        lines.extend(question);
        if self.tell(&lines).is_err() {
            return Err(self.crash());
        }
        match self.hear(limit, turn, patience)? {
            Some(Item::Message(line)) => Ok(line),
            Some(Item::Bad(bad)) => Err(Failure::new(FaultKind::Garbage, bad.to_string())),
            None => Err(self.crash()),
        }
    }

    fn silent_for(&self, patience: Duration) -> Failure {
        let mut failure = Failure::silent_for(patience);
        if let Some(bytes) = self.answers.unended() {
            failure.reason += &format!("; got {bytes}");
        }
        failure
    }

    fn crash(&mut self) -> Failure {
        let how = match self.process.ended_within(FAREWELL) {
            Some(status) => format!("the process ended: {status}"),
            None => "it closed its stdout".to_owned(),
        };
        Failure::new(FaultKind::Crash, how)
    }
}

impl LineChannel for ChildChannel {
    fn file(&mut self, name: &str, content: &str) -> io::Result<PathBuf> {
        let folder = match self.files.take() {
            Some(folder) => folder,
            None => self.folder_of_files()?,
        };
        let path = self.files.insert(folder).path().join(name);
        // Written anew, so that one that the player has replaced by a link leads nowhere.
        remove(&path)?;
        fs::write(&path, content)?;
        if self.program.isolation.is_some() {
            fs::set_permissions(&path, Permissions::from_mode(0o644))?;
        }
        Ok(path)
    }

    fn begin(&mut self, greeting: Vec<String>, _is_first: bool) -> io::Result<()> {
        self.last_words.clear();
        self.games_begun += 1;
        self.barred = self.program.barred();
        if self.barred.is_some() {
            return Ok(());
        }
        let kept = self.program.kept.as_ref();
        let kept = kept.and_then(|kept| kept.take(self.games_begun));
        self.game = Some(match kept {
            Some(game) => Game { greeting, ..game },
            None => {
                let mut game = Game::start(&self.program, greeting)?;
                // What keeps it from starting up shows when it is asked.
                let _ = game.process.settle(self.program.start);
                game
            }
        });
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, limit: Duration) -> Reply<String> {
        let Some(game) = &mut self.game else {
            let failure = self.barred.take();
            return Reply::of_failure(
                failure.unwrap_or_else(|| Failure::new(FaultKind::Crash, "it does not run")),
            );
        };
        let turn = game.process.begin_turn();
        let mut patience = None;
        let mut said = game.ask(lines, limit, &turn, &mut patience);
        let (wall, cpu, suspended) = game.process.end_turn(&turn);
        if let (Ok(_), Err(why)) = (&said, suspended) {
            let reason = format!("it cannot be suspended while its opponent is to move: {why}");
            said = Err(Failure::new(FaultKind::Suspended, reason));
        }
        Reply {
            said,
            wall,
            cpu,
            pondered: turn.pondered,
            others: patience.and_then(|patience| patience.others(wall, cpu, &game.process)),
        }
    }

    fn finish(&mut self, news: Vec<String>, replies: Vec<String>, farewell: Vec<String>) {
        let Some(mut game) = self.game.take() else {
            return;
        };
        game.process.resume();
        // A child that has ended by itself needs no goodbye.
        let _ = game.tell(&news);
        if let Some(kept) = &self.program.kept
            && game.has_replied(&replies)
            && game.process.settle(FAREWELL).is_ok()
            && game.process.is_running()
        {
            kept.put(self.games_begun, game);
            return;
        }
        game.process.resume();
        let _ = game.tell(&farewell);
        let Game {
            mut process,
            stdin,
            mut answers,
            ..
        } = game;
        drop(stdin);
        let ended = process.ended_within(FAREWELL);
        self.last_words = process.last_lines();
        if let Some(overheard) = &self.program.overheard {
            overhear(&mut answers, replies, overheard);
            let stderr = self.last_words.clone();
            // Whoever has stopped listening wants to hear no more.
            let _ = ended.map(|status| overheard.send(Overheard::Ended { status, stderr }));
        }
    }

    /// They are kept when the game is over, which is at once.
    fn last_words(&self) -> &[String] {
        &self.last_words
    }
}
