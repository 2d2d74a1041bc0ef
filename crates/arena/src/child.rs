//! Runs programs that communicate in lines on stdin and stdout, usually with one process per game.

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
use turnwise_engine::search::Stop;
use turnwise_protocol::frame::Item;
use turnwise_protocol::text_lines::MAX_LINE;

use crate::answers::{Answers, NoLine};
use crate::command::remove;
use crate::delivery::Delivery;
use crate::patience::{Patience, UNMEASURED};
use crate::transcript::{Recorded, Recorder};
use turnwise_process::isolation::Isolation;
use turnwise_process::own_folder::OwnFolder;
use turnwise_process::{Process, Scratch, Streams, Turn};

/// How long a child may keep running after the game, or after it has closed its stdout.
const FAREWELL: Duration = Duration::from_secs(2);

/// The minimum time for a program to start up when it is [tried](try_start).
pub(crate) const TRIED: Duration = Duration::from_secs(2);

/// The ends of the exit statuses of shells and supervisors whose program cannot be executed or does not exist.
const UNUSABLE: [&str; 2] = [" 126", " 127"];

/// How often a wait for an answer checks whether the answer is still needed.
const LOOKS: Duration = Duration::from_millis(100);

/// An unexpected action of a program after the end of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overheard {
    /// The program wrote this line although no question was open.
    Said(String),
    /// The program exited.
    Ended {
        /// The system's description of the exit status, for example `exit status: 1`.
        status: String,
        /// The last lines of the program's stderr.
        stderr: Vec<String>,
    },
}

/// A program that communicates in lines, and the settings under which it runs.
#[derive(Debug, Clone)]
pub struct Program {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The folder in which the program runs. An isolated program without its own folder runs in an empty folder.
    pub folder: PathBuf,
    /// The folder with an isolated program's own files, if it has one.
    pub own: Option<Arc<OwnFolder>>,
    /// The limits and permissions of an untrusted program; `None` for a trusted program.
    pub isolation: Option<Isolation>,
    /// Whether the program may compute while its opponent is to move.
    pub ponder: Ponder,
    /// The maximum time for the program to start up before its clock runs.
    pub start: Duration,
    /// The processes kept running for further games. If `None`, each game has its own process.
    pub kept: Option<Kept>,
    /// The maximum length of the program's lines in bytes, if it differs from the usual maximum.
    pub longest_line: Option<usize>,
    /// How lines are delivered to the program.
    pub delivery: Delivery,
    /// True if a program that this machine cannot start is at fault itself; otherwise the match ends with an error.
    pub is_blamed: bool,
    /// Receives the output and the exit of the program after the end of a game, when it should not write anything.
    pub overheard: Option<Sender<Overheard>>,
}

impl Program {
    /// Returns the reason why the program may not start now, if any.
    ///
    /// The reason is that its folder has changed since the last check and now leads to other people's files.
    fn barred(&self) -> Option<Failure> {
        let changed = self.own.as_ref()?.check_again().err()?;
        Some(Failure::new(FaultKind::Crash, changed.to_string()))
    }
}

/// A channel to a program that communicates in lines; it starts a process for each game.
pub struct ChildChannel {
    program: Program,
    /// Records the bytes of each game, if the user wants transcripts.
    recorder: Option<Recorder>,
    /// The folder with the files for the program, if any.
    files: Option<Scratch>,
    game: Option<Game>,
    /// The number of games of the current pair that have begun, including the game in progress.
    games_begun: usize,
    /// The reason why the program was not started for this game.
    barred: Option<Failure>,
    last_words: Vec<String>,
}

/// Processes that have finished a game and wait for their next one.
///
/// The games of a pair share their seed. Each process therefore plays only first games of pairs, or only second
/// games, and never meets a seed twice. Each process also stays with its thread, and therefore on its core.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<HashMap<(ThreadId, usize), Game>>>);

impl Kept {
    /// Takes out the kept process with which this thread plays the games with the number `number` in their pairs.
    fn take(&self, number: usize) -> Option<Game> {
        self.locked().remove(&(thread::current().id(), number))
    }

    fn put(&self, number: usize, game: Game) {
        self.locked().insert((thread::current().id(), number), game);
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<(ThreadId, usize), Game>> {
        // The map is consistent after every statement, so it can be used even if a thread panicked with the lock.
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
    /// The folder in which an isolated program runs; it is removed when the process has ended.
    _folder: Option<Scratch>,
    stdin: ChildStdin,
    answers: Answers,
    /// The lines to send to the program before the first question.
    greeting: Vec<String>,
    delivery: Delivery,
}

impl ChildChannel {
    /// Creates a channel to this program, but does not start the program yet.
    pub(crate) fn new(program: Program, recorder: Option<Recorder>) -> Self {
        Self {
            program,
            recorder,
            files: None,
            game: None,
            games_begun: 0,
            barred: None,
            last_words: Vec::new(),
        }
    }

    /// Creates a folder for files that the program may read, even if isolation runs it as another user.
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
    let reason = format!("it wrote without being asked: {}", words(item));
    Failure::new(FaultKind::Garbage, reason)
}

/// Starts a program, and waits for the time `a_while` without sending it any input.
///
/// Returns a failure, with the last lines of stderr, if the program writes to stdout or exits within this time.
///
/// # Errors
///
/// Returns an error if the program cannot be started.
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

/// Starts a program without sending it any input, and ends it. Returns the reason if this machine cannot run it.
///
/// A program that starts and then ends with any other exit status than a shell's for an unusable command can run.
pub(crate) fn try_start(program: &Program) -> Result<(), String> {
    if let Some(failure) = program.barred() {
        return Err(failure.reason);
    }
    let mut game = Game::start(program, Vec::new()).map_err(|error| error.to_string())?;
    let settled = game.process.settle(program.start.max(TRIED));
    settled.map_err(|error| format!("it cannot be suspended: {error}"))?;
    match game.process.ended_within(Duration::ZERO) {
        Some(status) => usable(status, || game.process.last_lines()),
        None => Ok(()),
    }
}

/// Returns an error with the last line of stderr if an exit status means that the command cannot be executed.
pub(crate) fn usable(
    status: String,
    last_lines: impl FnOnce() -> Vec<String>,
) -> Result<(), String> {
    if !UNUSABLE.iter().any(|&code| status.ends_with(code)) {
        return Ok(());
    }
    Err(match last_lines().pop() {
        Some(line) => format!("{status}: {line}"),
        None => status,
    })
}

/// Starts a program, and closes its stdin and stdout at once.
///
/// Returns the exit status if the program exits within the limit, and the last lines of stderr.
///
/// # Errors
///
/// Returns an error if the program cannot be started.
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

/// Reports the first line of the program that differs from the next expected reply in `replies`.
fn overhear(answers: &mut Answers, replies: Vec<String>, overheard: &Sender<Overheard>) {
    let mut due = replies.into_iter().peekable();
    while let Ok(item) = answers.next(FAREWELL) {
        let is_due = |reply: &String| matches!(&item, Item::Message(line) if line.trim() == reply);
        if due.next_if(is_due).is_none() {
            // If the receiver is closed, nobody needs this line.
            let _ = overheard.send(Overheard::Said(words(&item)));
            return;
        }
    }
}

impl Game {
    fn start(program: &Program, greeting: Vec<String>) -> io::Result<Self> {
        // A program that communicates in lines need not leave files for the arena, so its home can be private.
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
        let to = Recorded {
            to: &mut self.stdin,
            transcript: self.answers.transcript.as_mut(),
        };
        self.delivery.write(lines, to)
    }

    /// Waits for the program's replies to the last lines sent. Returns true if all replies arrived.
    fn has_replied(&mut self, replies: &[String]) -> bool {
        let mut due = replies.iter();
        due.all(|reply| {
            let item = self.answers.next(FAREWELL);
            matches!(item, Ok(Item::Message(line)) if line.trim() == reply)
        })
    }

    /// Waits for the program's answer until the limit, which is extended if other processes use the program's core.
    /// Stops waiting once the thread's work is [stopped](Stop::current).
    ///
    /// Returns `None` if stdout is closed. If the answer is slow, `patience` receives the measurement of the delays.
    fn hear(
        &mut self,
        limit: Duration,
        turn: &Turn,
        patience: &mut Option<Patience>,
    ) -> Result<Option<Item<String>>, Failure> {
        let mut wait = limit.min(UNMEASURED);
        let stop = Stop::current();
        loop {
            match self.answers.next(wait) {
                Ok(item) => return Ok(Some(item)),
                Err(NoLine::Closed) => return Ok(None),
                Err(NoLine::Timeout) => {}
            }
            if stop.stopped() {
                return Err(self.silent_for(turn.elapsed()));
            }
            let patience = patience.get_or_insert_with(|| Patience::new(limit, &self.process));
            let next = patience.wait(&mut self.process, turn);
            let next = next.map_err(|kind| Failure {
                kind,
                ..self.silent_for(turn.elapsed())
            })?;
            wait = next.min(LOOKS);
        }
    }

    fn ask(
        &mut self,
        question: Vec<String>,
        limit: Duration,
        turn: &Turn,
        patience: &mut Option<Patience>,
    ) -> Result<String, Failure> {
        let mut lines = std::mem::take(&mut self.greeting);
        lines.extend(question);
        // Without a question, the next line of the previous answer is wanted, which may have arrived.
        if !lines.is_empty() {
            match self.answers.next(Duration::ZERO) {
                Ok(item) => return Err(unasked(&item)),
                Err(NoLine::Closed) => return Err(self.crash()),
                Err(NoLine::Timeout) => {}
            }
            if self.tell(&lines).is_err() {
                return Err(self.crash());
            }
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
        // The old file is removed first: the player may have replaced it with a link to another file.
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
        let game = match kept {
            Some(game) => Game { greeting, ..game },
            None => {
                let mut game = match Game::start(&self.program, greeting) {
                    Err(error) if self.program.is_blamed => {
                        let failure = Failure::new(FaultKind::Crash, error.to_string());
                        self.barred = Some(failure);
                        return Ok(());
                    }
                    started => started?,
                };
                // If the program fails to start up, the first question reports the failure.
                let _ = game.process.settle(self.program.start);
                game
            }
        };
        self.game.insert(game).answers.transcript = self.recorder.as_mut().map(Recorder::begin);
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, limit: Duration) -> Reply<String> {
        let Some(game) = &mut self.game else {
            let failure = self.barred.take();
            return Reply::of_failure(
                failure.unwrap_or_else(|| Failure::new(FaultKind::Crash, "it is not running")),
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
        // The program is suspended since its last turn. It could read neither the news nor the farewell.
        game.process.resume();
        // Writing fails if the child has already exited, which is not an error here.
        let _ = game.tell(&news);
        if let Some(kept) = &self.program.kept
            && game.has_replied(&replies)
            && game.process.settle(FAREWELL).is_ok()
            && game.process.is_running()
        {
            kept.put(self.games_begun, game);
            return;
        }
        // `settle` may have suspended the program again.
        game.process.resume();
        let _ = game.tell(&farewell);
        let Game {
            mut process,
            stdin,
            mut answers,
            ..
        } = game;
        // A program exits when its input ends.
        drop(stdin);
        let ended = process.ended_within(FAREWELL);
        self.last_words = process.last_lines();
        if let Some(overheard) = &self.program.overheard {
            overhear(&mut answers, replies, overheard);
            let stderr = self.last_words.clone();
            // If the receiver is closed, nobody needs this event.
            let _ = ended.map(|status| overheard.send(Overheard::Ended { status, stderr }));
        }
    }

    /// Returns the last lines that the program wrote to stderr. They are saved at the end of each game.
    fn last_words(&self) -> &[String] {
        &self.last_words
    }
}
