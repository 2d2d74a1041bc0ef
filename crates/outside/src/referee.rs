//! A referee: the program that knows the rules of a game. See `protocol/referee.md`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use turnwise_engine::player::Ponder;
use turnwise_engine::plugin::RulesError;
use turnwise_engine::view::View;
use turnwise_engine::words::one_line;
use turnwise_process::guard::{self, Guard};
use turnwise_process::isolation::{Isolation, Own};
use turnwise_process::{Process, Scratch, Streams};

use crate::manifest::Manifest;

/// How long a referee may take to start and describe its game, and how long it may take for any other reply.
const TO_START: Duration = Duration::from_secs(30);
const TO_REPLY: Duration = Duration::from_secs(10);

/// The maximum length of a reply in bytes, and of the reply to `views`.
const LONGEST_REPLY: usize = 16 << 20;
const LONGEST_VIEWS: usize = 256 << 20;

/// The number of bytes to read at a time.
const CHUNK: usize = 64 << 10;

/// The maximum number of characters of an invalid reply that an error quotes.
const LONGEST_QUOTED: usize = 200;

/// The number of failures of a game's referees after which no further game is tried.
const MOST_FAILURES: u32 = 3;

/// The error code of JSON-RPC for an unknown method.
const UNKNOWN_METHOD: i64 = -32601;

/// The optional abilities of a referee.
pub(crate) const ABILITIES: [&str; 8] = [
    "moves", "view", "views", "position", "values", "rollout", "resample", "out",
];

/// The isolation of all referees that this process starts from now on, if they are isolated.
static ISOLATION: OnceLock<Isolation> = OnceLock::new();

/// Isolates all referees that this process starts from now on. Later calls have no effect.
pub fn isolate(isolation: Isolation) {
    // The first call decides, so that no referee starts without the walls that the user asked for.
    let _ = ISOLATION.set(isolation);
}

/// Receives a message about each failure of a referee.
static REPORT: OnceLock<fn(&str)> = OnceLock::new();

/// Sets the function that receives a message about each failure of a referee. Later calls have no effect.
pub fn report_failures(report: fn(&str)) {
    // Only the program calls this, once.
    let _ = REPORT.set(report);
}

/// The folder for the transcripts of all conversations, if the user wants them.
static TRANSCRIPTS: OnceLock<PathBuf> = OnceLock::new();

/// The maximum size of a transcript in bytes.
const LONGEST_TRANSCRIPT: usize = 16 << 20;

/// Writes the conversations with all referees that this process starts from now on into files in this folder. Later
/// calls have no effect.
pub fn record_in(folder: &Path) {
    // A command records in one folder.
    let _ = TRANSCRIPTS.set(folder.to_owned());
}

/// The transcript of a conversation. Each line begins with `>` if turnwise wrote it, and with `<` if the referee did.
struct Transcript {
    file: File,
    left: usize,
}

impl Transcript {
    /// Creates the file for the transcript of a process.
    fn begin(folder: &Path) -> io::Result<Self> {
        let mut number = 1;
        let file = loop {
            let path = folder.join(format!("referee-{number}.txt"));
            match File::options().write(true).create_new(true).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                created => break created?,
            }
        };
        Ok(Self {
            file,
            left: LONGEST_TRANSCRIPT,
        })
    }

    /// Adds a line, unless the transcript has reached its maximum size. Errors are ignored, because a game does not
    /// depend on its transcript.
    fn add(&mut self, mark: &str, line: &[u8]) {
        let line = [mark.as_bytes(), line.trim_ascii_end(), b"\n"].concat();
        self.left = self.left.saturating_sub(line.len());
        if self.left > 0 {
            let _ = self.file.write_all(&line);
        }
    }
}

/// How to start a referee.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The folder that contains the referee.
    pub folder: PathBuf,
    /// The program and its arguments.
    pub words: Vec<String>,
}

/// The reply to `describe`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Described {
    pub protocol: u64,
    /// The name of the game, as in its manifest.
    pub name: String,
    #[serde(default)]
    pub abilities: Vec<String>,
    /// The description of the game, from an adapter.
    pub about: Option<Manifest>,
}

impl Described {
    /// Returns true if the referee has this optional ability.
    pub fn can(&self, ability: &str) -> bool {
        self.abilities.iter().any(|known| known == ability)
    }
}

/// The event that a game waits for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Status {
    /// A seat must move. The texts are lines for programs: the question, and the greeting for each seat.
    ToMove {
        seat: usize,
        #[serde(default)]
        lines: Vec<String>,
        #[serde(default)]
        greetings: Vec<Vec<String>>,
    },
    /// The referee needs this number of random values.
    Chance { draws: usize },
    /// The game is over, with a score for each seat.
    Over {
        scores: Vec<f64>,
        #[serde(default)]
        ending: String,
    },
}

/// The reply to `play`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Played {
    Illegal {
        illegal: String,
    },
    Legal {
        /// The move in the notation of logs, if it differs from the player's text.
        #[serde(default)]
        notation: Option<String>,
        #[serde(flatten)]
        status: Status,
    },
}

/// The reply to `moves`.
#[derive(Debug, Deserialize)]
pub(crate) struct Moves {
    pub moves: Vec<String>,
}

/// The reply to `values`.
#[derive(Debug, Deserialize)]
pub(crate) struct Values {
    pub moves: Vec<String>,
    pub values: Vec<f64>,
}

/// The reply to `views`.
#[derive(Debug, Deserialize)]
pub(crate) struct Views {
    pub views: Vec<View>,
}

/// The reply to `position`.
#[derive(Debug, Deserialize)]
pub(crate) struct Position {
    pub position: String,
}

/// The reply to `rollout`.
#[derive(Debug, Deserialize)]
pub(crate) struct Rollout {
    /// The number of moves that were legal and have been played before the random moves.
    pub played: usize,
    /// The seat to move after these moves, and its legal moves. Empty if the game is over.
    pub seat: Option<usize>,
    pub moves: Vec<String>,
    pub scores: Vec<f64>,
}

#[derive(Deserialize)]
struct Reply<T> {
    id: u64,
    result: Option<T>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    code: i64,
    message: String,
}

/// A running referee and the conversation with it.
pub(crate) struct Referee {
    process: Process,
    stdin: File,
    stdout: File,
    /// Bytes that were received after the last reply. A sound referee sends none.
    received: Vec<u8>,
    last_id: u64,
    /// The number of the last game that this process began.
    pub last_game: u64,
    /// The game that must be ended before the next one begins.
    pub to_end: Option<u64>,
    pub described: Described,
    transcript: Option<Transcript>,
    _home: Option<Scratch>,
}

impl Referee {
    /// Starts a referee only to read its description.
    pub fn describe(source: &Source) -> Result<Described, String> {
        // Games are loaded before the match holds a guard, which the walls need.
        let needs_guard = ISOLATION.get().is_some() && !guard::is_held();
        let guard = needs_guard.then(Guard::start).transpose();
        let _guard = guard.map_err(|error| format!("cannot isolate the referee: {error}"))?;
        Ok(Self::start(source)?.described.clone())
    }

    /// Starts a referee and asks it to describe its game. The error states what happened.
    pub fn start(source: &Source) -> Result<Self, String> {
        let home = ISOLATION.get().map(|_| Scratch::new()).transpose();
        let home = home.map_err(|error| format!("no folder for the referee: {error}"))?;
        let isolation = ISOLATION.get().map(|isolation| Isolation {
            own: Own::StartsIn(source.folder.clone()),
            ..isolation.clone()
        });
        let folder = home.as_ref().map_or(&*source.folder, Scratch::path);
        let started = Process::start_in(
            folder,
            &source.words,
            Streams::Piped,
            isolation.as_ref(),
            Ponder::Allow,
        );
        let mut process = started.map_err(|error| error.to_string())?;
        let folder = TRANSCRIPTS.get();
        let transcript = folder.map(|folder| Transcript::begin(folder)).transpose();
        let (stdin, stdout) = process.streams().expect("its streams are pipes");
        let mut referee = Self {
            process,
            stdin: without_blocking(OwnedFd::from(stdin)).map_err(|error| error.to_string())?,
            stdout: without_blocking(OwnedFd::from(stdout)).map_err(|error| error.to_string())?,
            received: Vec::new(),
            last_id: 0,
            last_game: 0,
            to_end: None,
            described: Described {
                protocol: 1,
                name: String::new(),
                abilities: Vec::new(),
                about: None,
            },
            transcript: transcript.map_err(|error| format!("no transcript: {error}"))?,
            _home: home,
        };
        referee.described =
            referee.request_within("describe", &json!({"protocol": 1}), TO_START, LONGEST_REPLY)?;
        match referee.described.protocol {
            1 => Ok(referee),
            other => Err(format!("expected protocol 1, got {other}")),
        }
    }

    /// Returns the CPU time that the process has used, if the system reports it.
    pub fn cpu(&mut self) -> Option<Duration> {
        self.process.cpu()
    }

    /// Sends a request and waits for the reply. The error states what happened; the referee is then useless.
    pub fn request<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &Value,
    ) -> Result<T, String> {
        let longest = match method {
            "views" => LONGEST_VIEWS,
            _ => LONGEST_REPLY,
        };
        self.request_within(method, params, TO_REPLY, longest)
    }

    fn request_within<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &Value,
        patience: Duration,
        longest: usize,
    ) -> Result<T, String> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let request = format!("{request}\n");
        if let Some(transcript) = &mut self.transcript {
            transcript.add("> ", request.as_bytes());
        }
        let deadline = Instant::now() + patience;
        let sent = self.send(request.as_bytes(), deadline);
        let line = sent.and_then(|()| self.receive(deadline, longest));
        let line = line.map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => format!("no reply to `{method}` within {patience:?}"),
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => {
                format!(
                    "it ended before its reply to `{method}`{}",
                    self.last_words()
                )
            }
            _ => format!("{error} in reply to `{method}`"),
        })?;
        if let Some(transcript) = &mut self.transcript {
            transcript.add("< ", &line);
        }
        let quoted = || match line.trim_ascii() {
            [] => "an empty line".to_owned(),
            line => format!(
                "`{}`",
                one_line(&String::from_utf8_lossy(line), LONGEST_QUOTED)
            ),
        };
        let reply: Reply<T> = serde_json::from_slice(&line).map_err(|error| {
            let is_late = serde_json::from_slice(&line).is_ok_and(|reply: Reply<Value>| reply.id != id);
            match (is_late, method) {
                (true, _) => format!("expected the reply with id {id} to `{method}`, got {}", quoted()),
                (false, "start" | "draw" | "play" | "out") if !error.is_syntax() && !error.is_eof() => format!(
                    "expected `seat` with `lines`, `draws`, `scores` or `illegal` from `{method}`, got {}",
                    quoted()
                ),
                _ => format!("expected a reply to `{method}`, got {}: {error}", quoted()),
            }
        })?;
        if reply.id != id {
            return Err(format!(
                "expected the reply with id {id} to `{method}`, got {}",
                quoted()
            ));
        }
        match (reply.result, reply.error) {
            (Some(result), None) => Ok(result),
            (
                None,
                Some(Refusal {
                    code: UNKNOWN_METHOD,
                    ..
                }),
            ) => Err(format!("it does not know `{method}`")),
            (None, Some(refusal)) => Err(format!(
                "error in `{method}`: {}",
                one_line(&refusal.message, 5 * LONGEST_QUOTED)
            )),
            _ => Err(format!(
                "expected a result or an error for `{method}`, got {}",
                quoted()
            )),
        }
    }

    fn send(&mut self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.stdin.write(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait(&self.stdin, PollFlags::OUT, deadline)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn receive(&mut self, deadline: Instant, longest: usize) -> io::Result<Vec<u8>> {
        let mut searched = 0;
        loop {
            let end = self.received[searched..]
                .iter()
                .position(|&byte| byte == b'\n');
            if let Some(end) = end.map(|end| searched + end) {
                let rest = self.received.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.received, rest);
                line.pop();
                return Ok(line);
            }
            searched = self.received.len();
            if searched > longest {
                let why = format!("more than {} MiB without a line break", longest >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            // The reply usually takes longer than this check, so waiting comes first.
            wait(&self.stdout, PollFlags::IN, deadline)?;
            let mut room = (&self.stdout).take(CHUNK as u64);
            match room.read_to_end(&mut self.received) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the last lines that the referee has written to stderr, as an addition to a message.
    fn last_words(&mut self) -> String {
        // The end of stdout may arrive shortly before the end of stderr.
        let _ = self.process.ended_within(Duration::from_millis(200));
        let lines = self.process.last_lines();
        match lines.is_empty() {
            true => String::new(),
            false => format!("; its last lines:\n  {}", lines.join("\n  ")),
        }
    }
}

fn without_blocking(stream: OwnedFd) -> io::Result<File> {
    fcntl_setfl(&stream, fcntl_getfl(&stream)? | OFlags::NONBLOCK)?;
    Ok(stream.into())
}

/// Waits until a stream is ready.
fn wait(stream: &impl AsFd, flags: PollFlags, deadline: Instant) -> io::Result<()> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(stream, flags)], Some(&left)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The referees of one game: starts a process when all others are busy, and keeps processes for further games.
pub(crate) struct Referees {
    pub source: Source,
    described: OnceLock<Result<Described, String>>,
    idle: Mutex<Vec<Referee>>,
    failures: AtomicU32,
}

impl Referees {
    /// Creates the referees of a game, of which no process is running. `described` is the description, if it is known.
    pub fn new(source: Source, described: Option<Described>) -> Self {
        Self {
            source,
            described: described.map(Ok).map(OnceLock::from).unwrap_or_default(),
            idle: Mutex::default(),
            failures: AtomicU32::new(0),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Referee>> {
        // The list is consistent after every statement.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how a referee describes itself.
    pub fn described(&self) -> Result<&Described, String> {
        let described = self.described.get_or_init(|| {
            let described = Referee::describe(&self.source);
            described.map_err(|why| format!("the referee failed: {why}"))
        });
        described.as_ref().map_err(Clone::clone)
    }

    /// Returns a referee that conducts no game.
    pub fn take(&self) -> Result<Referee, String> {
        let idle = self.idle().pop();
        idle.map_or_else(|| Referee::start(&self.source), Ok)
    }

    /// Keeps a referee for further games.
    pub fn give_back(&self, referee: Referee) {
        self.idle().push(referee);
    }

    /// Counts a failure, and reports it.
    pub fn failure(&self, reason: String) -> RulesError {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        let error = RulesError {
            reason,
            is_final: failures >= MOST_FAILURES,
        };
        // Games that were running when the match stopped fail too.
        if let Some(report) = REPORT.get().filter(|_| failures <= MOST_FAILURES) {
            report(&format!(
                "{error} (failure {failures}; the match stops at {MOST_FAILURES})"
            ));
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIBED: &str =
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"name":"x","abilities":["moves"]}}"#;

    /// Starts a shell script that reads a request, prints the description of a game, and then runs `then`.
    fn started(then: &str) -> Result<Referee, String> {
        let script = format!("read -r line; echo '{DESCRIBED}'; {then}");
        Referee::start(&Source {
            folder: ".".into(),
            words: ["sh", "-c", &script].map(str::to_owned).to_vec(),
        })
    }

    /// Sends a request to the script that [`started`] runs, and returns the error.
    fn failure(then: &str) -> String {
        let mut referee = started(then).expect("it describes itself");
        let reply: Result<Moves, String> = referee.request("moves", &json!({}));
        reply.expect_err("it fails")
    }

    #[test]
    fn each_failure_names_what_happened() {
        let cases = [
            (
                "read -r line; exit 3",
                "it ended before its reply to `moves`",
            ),
            ("read -r line; echo Oh no >&2; exit 3", "Oh no"),
            (
                "exec <&-; read line",
                "it ended before its reply to `moves`",
            ),
            (
                "read -r line; echo hello; sleep 60",
                "expected a reply to `moves`, got `hello`",
            ),
            (
                "read -r line; echo; sleep 60",
                "expected a reply to `moves`, got an empty line",
            ),
            (
                "read -r line; echo '[1]'; sleep 60",
                "expected a reply to `moves`, got `[1]`",
            ),
            (
                r#"read -r line; echo '{"id":1,"result":{"moves":[]}}'; sleep 60"#,
                "expected the reply with id 2 to `moves`",
            ),
            (
                r#"read -r line; echo '{"id":2}'; sleep 60"#,
                "expected a result or an error for `moves`",
            ),
            (
                r#"read -r line; echo '{"id":2,"result":{"moves":[1]}}'; sleep 60"#,
                "invalid type: integer `1`, expected a string",
            ),
            (
                r#"read -r line; echo '{"id":2,"error":{"code":-32000,"message":"no king"}}'; sleep 60"#,
                "error in `moves`: no king",
            ),
            (
                r#"read -r line; echo '{"id":2,"error":{"code":-32601,"message":"?"}}'; sleep 60"#,
                "it does not know `moves`",
            ),
            (
                "read -r line; head -c 17000000 /dev/zero; sleep 60",
                "more than 16 MiB without a line break in reply to `moves`",
            ),
            (
                "read -r line; head -c 300 /dev/urandom | tr '\\n' x; echo; sleep 60",
                "expected a reply to `moves`",
            ),
        ];
        for (then, expected) in cases {
            let got = failure(then);
            assert!(got.contains(expected), "{then}: {got}");
        }
    }

    #[test]
    fn silence_ends_after_the_patience() {
        let mut referee = started("sleep 60").expect("it describes itself");
        let patience = Duration::from_millis(50);
        let reply: Result<Moves, String> =
            referee.request_within("moves", &json!({}), patience, LONGEST_REPLY);
        assert_eq!(
            reply.expect_err("it is silent"),
            "no reply to `moves` within 50ms"
        );
    }

    #[test]
    fn a_referee_that_does_not_read_cannot_block_the_sender() {
        let mut referee = started("sleep 60").expect("it describes itself");
        let patience = Duration::from_millis(50);
        let params = json!({"move": "x".repeat(1 << 20)});
        let reply: Result<Moves, String> =
            referee.request_within("play", &params, patience, LONGEST_REPLY);
        assert_eq!(
            reply.expect_err("it does not read"),
            "no reply to `play` within 50ms"
        );
    }

    #[test]
    fn replies_may_come_in_pieces_and_behind_each_other() {
        let reply = r#"{"id":2,"result":{"moves":["a"]}}"#;
        let (one, other) = reply.split_at(11);
        let then =
            format!("read -r line; printf '%s' '{one}'; sleep 0.05; echo '{other}'; sleep 60");
        let mut referee = started(&then).expect("it describes itself");
        let reply: Moves = referee.request("moves", &json!({})).expect("a reply");
        assert_eq!(reply.moves, ["a"]);
    }

    #[test]
    fn a_foreign_protocol_is_rejected() {
        let described = DESCRIBED.replace("\"protocol\":1", "\"protocol\":2");
        let script = format!("read -r line; echo '{described}'; sleep 60");
        let source = Source {
            folder: ".".into(),
            words: ["sh", "-c", &script].map(str::to_owned).to_vec(),
        };
        let error = Referee::start(&source).err();
        assert_eq!(error.as_deref(), Some("expected protocol 1, got 2"));
    }

    #[test]
    fn statuses_are_told_apart() {
        let read = |text: &str| serde_json::from_str::<Played>(text).ok();
        let illegal = Played::Illegal {
            illegal: "no".to_owned(),
        };
        assert_eq!(read(r#"{"illegal":"no"}"#), Some(illegal));
        assert!(matches!(
            read(r#"{"seat":1}"#),
            Some(Played::Legal {
                status: Status::ToMove { seat: 1, .. },
                notation: None
            })
        ));
        assert!(matches!(
            read(r#"{"draws":3}"#),
            Some(Played::Legal {
                status: Status::Chance { draws: 3 },
                notation: None
            })
        ));
        let over = read(r#"{"scores":[1,0],"notation":"x"}"#);
        assert!(matches!(
            over,
            Some(Played::Legal { status: Status::Over { .. }, notation: Some(notation) }) if notation == "x"
        ));
        for strange in ["{}", "[]", "null", r#"{"seat":-1}"#, r#"{"scores":["1"]}"#] {
            assert_eq!(read(strange), None, "{strange}");
        }
    }
}
