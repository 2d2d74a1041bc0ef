//! The lines of an arena's log, and reading one log.
//!
//! A log is JSON lines: a header, then moves and games, and an end if the match came to one. A
//! reader passes over fields and events that it does not know; what is optional may be absent or
//! null.

use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use serde::{Deserialize, Serialize};

use crate::games::entropy::rules::{MAX_SIZE, MIN_SIZE};

/// The format's number, in the header.
pub const FORMAT: u32 = 1;

/// The longest line that is read, in bytes; the arena's own stay far below.
const MAX_LINE: u64 = 4 << 20;

/// The most contestants of a match.
const MAX_AGENTS: usize = 64;

/// The largest number of a measure that is believed; what is beyond counts as unknown.
const MAX_MEASURE: f64 = 1e12;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Record {
    /// The first line: what is played, and how.
    Match(Header),
    /// A move.
    Move(MoveRecord),
    /// A game that is over; its moves come before it.
    Game(GameRecord),
    /// The match came to its end or was interrupted by its user.
    End(EndRecord),
}

/// What is played, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u32,
    /// The program's version.
    pub turnwise: String,
    /// The game, `entropy`.
    pub game: String,
    /// The contestants; their names are unique.
    pub agents: Vec<AgentRecord>,
    /// Side of the board.
    pub size: u8,
    /// From it and a pair's number come the tiles.
    pub seed: u64,
    /// How many pairs were asked for.
    pub pairs: u64,
    /// Random plies at the start of each game.
    #[serde(default)]
    pub opening_plies: u32,
    /// What limits the agents.
    pub time: TimeControl,
    /// Which clock counts.
    #[serde(default)]
    pub counts: Counts,
    /// How the agents are reached.
    #[serde(default)]
    pub via: Via,
    /// How many games ran at the same time.
    #[serde(default)]
    pub jobs: u32,
}

/// A contestant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRecord {
    /// Its name in the match.
    pub name: String,
    /// What it is, as given on the command line.
    #[serde(default)]
    pub spec: String,
}

/// What limits the agents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TimeControl {
    /// A clock for each game.
    Clock {
        /// Time at the start, in seconds.
        seconds: f64,
        /// What each move adds, in seconds.
        #[serde(default)]
        increment: f64,
    },
    /// A time for each move.
    Movetime {
        /// In seconds.
        seconds: f64,
    },
    /// A number of positions for each move.
    Nodes {
        /// That number.
        nodes: u64,
    },
}

/// Which clock counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    /// The time that passes.
    #[default]
    Wall,
    /// The time the processor spends on the agent.
    Cpu,
}

/// How the agents are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// In the arena's process, or a child process on stdin and stdout.
    #[default]
    Process,
    /// Over sockets.
    Tcp,
}

/// A player's part in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Role {
    /// Slides tiles to make palindromes.
    Order,
    /// Places tiles to prevent them.
    Chaos,
}

impl Role {
    /// Both.
    pub const BOTH: [Role; 2] = [Role::Order, Role::Chaos];

    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Role::Order => "Order",
            Role::Chaos => "Chaos",
        }
    }
}

/// A move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u64,
    /// 1 or 2 within the pair.
    pub game: u8,
    /// The move's number in the game, from 1; both players' moves count.
    pub ply: u32,
    /// Who moves.
    pub role: Role,
    /// The name of the agent that moves.
    pub agent: String,
    /// The letter of the tile to place; only for Chaos.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<String>,
    /// `row col`, `row col row col` or `pass`.
    #[serde(rename = "move")]
    pub mv: String,
    /// The clock after the move, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_left_s: Option<f64>,
    /// The time meant for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_ms: Option<f64>,
    /// The most the move was allowed to take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_ms: Option<f64>,
    /// The time it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<f64>,
    /// The processor time it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    /// Plies searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// Positions visited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The score that the agent expects the game to end with: always Order's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The name of the agent's weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// A game that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u64,
    /// 1: the pair's first agent is Order; 2: its second one is.
    pub game: u8,
    /// The pair's first agent.
    pub first: String,
    /// The pair's second agent.
    pub second: String,
    /// The agent that is Order.
    pub order: String,
    /// The agent that is Chaos.
    pub chaos: String,
    /// From it come the tiles and the opening.
    #[serde(default)]
    pub seed: u64,
    /// The random moves that the game began with; `moves` begins with them.
    #[serde(default)]
    pub opening: Vec<String>,
    /// The tiles' letters in the order in which they are drawn.
    pub tiles: String,
    /// All moves, Chaos's first.
    pub moves: Vec<String>,
    /// Order's score.
    pub order_score: u32,
    /// Why the game ended before its time.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// The time both took, in seconds.
    #[serde(default)]
    pub used_s: Option<ByRole>,
    /// The processor time both took, in seconds.
    #[serde(default)]
    pub cpu_s: Option<ByRole>,
    /// Side of the board; the header's if absent.
    #[serde(default)]
    pub size: Option<u8>,
}

/// A figure of each player.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ByRole {
    /// Order's; absent if unknown.
    #[serde(default)]
    pub order: Option<f64>,
    /// Chaos's; absent if unknown.
    #[serde(default)]
    pub chaos: Option<f64>,
}

/// Why a game ended before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Whose fault it was.
    pub agent: String,
    /// Its part in the game.
    pub role: Role,
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened.
    #[serde(default)]
    pub reason: String,
    /// The last lines the agent wrote to stderr.
    #[serde(default)]
    pub stderr: Vec<String>,
}

/// What kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// The clock ran out.
    Overtime,
    /// The process ended or the connection was lost.
    Crash,
    /// A move against the rules.
    Illegal,
    /// An answer that is no move.
    Garbage,
    /// No answer at all.
    Silence,
    /// A kind that this version does not know.
    #[serde(other)]
    Other,
}

impl FaultKind {
    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Overtime => "overtime",
            FaultKind::Crash => "crash",
            FaultKind::Illegal => "illegal move",
            FaultKind::Garbage => "garbage",
            FaultKind::Silence => "silence",
            FaultKind::Other => "other",
        }
    }
}

/// How the match ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndRecord {
    /// How many pairs were played.
    #[serde(default)]
    pub pairs: u64,
    /// The verdict, in words.
    #[serde(default)]
    pub verdict: Option<String>,
}

/// A game and what was logged of its moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// The game's own line.
    pub record: GameRecord,
    /// Its moves' lines by ply; there may be gaps.
    pub moves: Vec<MoveRecord>,
}

/// One log.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// The first line.
    pub header: Header,
    /// The games by pair and number.
    pub games: Vec<Game>,
    /// The last end that was written.
    pub end: Option<EndRecord>,
    /// What could not be used, for the user.
    pub notes: Vec<String>,
}

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system's reason.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No header.
    #[error(
        "line 1 should be the header that turnwise arena writes, {{\"event\":\"match\",...}}: {0}"
    )]
    NoHeader(String),
    /// A header that promises something else.
    #[error("{what} is {got}; this version reads {expected}")]
    Unknown {
        /// The header's field.
        what: &'static str,
        /// Its value.
        got: String,
        /// What can be read.
        expected: String,
    },
}

/// Reads a log. Lines that are no records are passed over with a note.
///
/// # Errors
///
/// If reading fails, or the first line is not a header of this format.
pub fn read(mut input: impl BufRead) -> Result<Log, ReadError> {
    let mut line = Vec::new();
    read_line(&mut input, &mut line)?;
    let mut log = Log {
        header: header(&line)?,
        games: Vec::new(),
        end: None,
        notes: Vec::new(),
    };
    let mut moves = Vec::new();
    for number in 2.. {
        match read_line(&mut input, &mut line)? {
            Line::End => break,
            Line::TooLong => {
                let note = format!("line {number} is longer than {MAX_LINE} bytes: skipped");
                log.notes.push(note);
                continue;
            }
            Line::Whole | Line::Torn if line.trim_ascii().is_empty() => continue,
            Line::Whole => {}
            Line::Torn if serde_json::from_slice::<serde_json::Value>(&line).is_err() => {
                let note = format!("line {number}, the last one, was not written whole: skipped");
                log.notes.push(note);
                continue;
            }
            Line::Torn => {}
        }
        match event(&line) {
            Ok(Some(Record::Match(_))) => {
                let note = format!("line {number} is a second header: skipped");
                log.notes.push(note);
            }
            Ok(Some(Record::Move(mv))) => moves.push(mv),
            Ok(Some(Record::Game(record))) => match misfit(&record, &log.header) {
                None => log.games.push(Game {
                    record,
                    moves: Vec::new(),
                }),
                Some(why) => log
                    .notes
                    .push(format!("line {number}: {why}: game skipped")),
            },
            Ok(Some(Record::End(end))) => log.end = Some(end),
            Ok(None) => {}
            Err(error) => log
                .notes
                .push(format!("line {number} is no record, {error}: skipped")),
        }
    }
    sort_games(&mut log);
    assign(moves, &mut log);
    Ok(log)
}

enum Line {
    Whole,
    /// Without a line end.
    Torn,
    TooLong,
    End,
}

fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(Line::End);
    }
    if line.last() == Some(&b'\n') {
        return Ok(Line::Whole);
    }
    if (read as u64) < MAX_LINE {
        return Ok(Line::Torn);
    }
    input.skip_until(b'\n')?;
    Ok(Line::TooLong)
}

fn header(line: &[u8]) -> Result<Header, ReadError> {
    let record = match serde_json::from_slice::<serde_json::Value>(line) {
        Ok(value) if value.get("event").is_some_and(|event| event == "match") => value,
        Ok(_) => return Err(ReadError::NoHeader("it is another record".to_owned())),
        Err(_) if line.is_empty() => {
            return Err(ReadError::NoHeader("the file is empty".to_owned()));
        }
        Err(error) => return Err(ReadError::NoHeader(error.to_string())),
    };
    let unknown = |what, got: &serde_json::Value, expected: String| {
        Err(ReadError::Unknown {
            what,
            got: printable(&got.to_string()),
            expected,
        })
    };
    if record["format"] != FORMAT {
        return unknown("the log's format", &record["format"], FORMAT.to_string());
    }
    if record["game"] != "entropy" {
        return unknown("the game", &record["game"], "entropy".to_owned());
    }
    let mut header: Header = match serde_json::from_value(record) {
        Ok(header) => header,
        Err(error) => return Err(ReadError::NoHeader(printable(&error.to_string()))),
    };
    if !(MIN_SIZE..=MAX_SIZE).contains(&header.size) {
        return Err(ReadError::Unknown {
            what: "the board's size",
            got: header.size.to_string(),
            expected: format!("{MIN_SIZE} to {MAX_SIZE}"),
        });
    }
    if header.agents.len() > MAX_AGENTS {
        return Err(ReadError::Unknown {
            what: "the number of agents",
            got: header.agents.len().to_string(),
            expected: format!("at most {MAX_AGENTS}"),
        });
    }
    header.turnwise = printable(&header.turnwise);
    for agent in &mut header.agents {
        agent.name = printable(&agent.name);
        agent.spec = printable(&agent.spec);
    }
    Ok(header)
}

/// A record, or nothing if its kind is not known.
fn event(line: &[u8]) -> Result<Option<Record>, String> {
    let value: serde_json::Value =
        serde_json::from_slice(line).map_err(|error| printable(&error.to_string()))?;
    let kind = value.get("event").and_then(|event| event.as_str());
    if !matches!(kind, Some("match" | "move" | "game" | "end")) {
        return match kind {
            Some(_) => Ok(None),
            None => Err("it has no \"event\"".to_owned()),
        };
    }
    let mut record =
        serde_json::from_value(value).map_err(|error| printable(&error.to_string()))?;
    make_printable(&mut record);
    Ok(Some(record))
}

/// A text without control characters, which would reach the terminal or break an SVG.
fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

fn make_printable(record: &mut Record) {
    let clean = |text: &mut String| {
        if text.contains(char::is_control) {
            *text = printable(text);
        }
    };
    match record {
        Record::Match(_) => {}
        Record::Move(mv) => {
            [&mut mv.agent, &mut mv.mv].into_iter().for_each(clean);
            mv.tile.iter_mut().chain(&mut mv.weights).for_each(clean);
            // A clock and an expectation may be below zero; nothing else that is measured is.
            let signed = [&mut mv.clock_left_s, &mut mv.score];
            for measure in signed {
                *measure = measure.filter(|value| value.abs() <= MAX_MEASURE);
            }
            let times = [&mut mv.soft_ms, &mut mv.hard_ms, &mut mv.used_ms];
            for measure in times.into_iter().chain([&mut mv.cpu_ms, &mut mv.depth]) {
                *measure = measure.filter(|value| (0.0..=MAX_MEASURE).contains(value));
            }
        }
        Record::Game(game) => {
            let names = [&mut game.first, &mut game.second];
            let roles = [&mut game.order, &mut game.chaos, &mut game.tiles];
            names.into_iter().chain(roles).for_each(clean);
            game.moves
                .iter_mut()
                .chain(&mut game.opening)
                .for_each(clean);
            if let Some(fault) = &mut game.fault {
                [&mut fault.agent, &mut fault.reason]
                    .into_iter()
                    .chain(&mut fault.stderr)
                    .for_each(clean);
            }
        }
        Record::End(end) => end.verdict.iter_mut().for_each(clean),
    }
}

/// Why a game cannot belong to the match.
fn misfit(game: &GameRecord, header: &Header) -> Option<String> {
    let size = game.size.unwrap_or(header.size);
    if size != header.size {
        return Some(format!(
            "a board of size {size} in a match on {}",
            header.size
        ));
    }
    let (order, chaos) = match game.game {
        1 => (&game.first, &game.second),
        2 => (&game.second, &game.first),
        number => return Some(format!("game {number} of a pair, which has 1 and 2")),
    };
    if (order, chaos) != (&game.order, &game.chaos) || order == chaos {
        return Some("the roles do not fit the pair's agents".to_owned());
    }
    let known = |name: &String| header.agents.iter().any(|agent| agent.name == *name);
    match [order, chaos].into_iter().find(|name| !known(name)) {
        Some(name) => Some(format!("{name} is not among the header's agents")),
        None => None,
    }
}

/// By pair and number, none twice.
fn sort_games(log: &mut Log) {
    log.games
        .sort_by_key(|game| (game.record.pair, game.record.game));
    let read = log.games.len();
    log.games
        .dedup_by_key(|game| (game.record.pair, game.record.game));
    let twice = read - log.games.len();
    if twice > 0 {
        log.notes
            .push(format!("games that are there twice: {twice} skipped"));
    }
}

/// Gives the moves to their games.
fn assign(moves: Vec<MoveRecord>, log: &mut Log) {
    let index: HashMap<(u64, u8), usize> = (log.games.iter().enumerate())
        .map(|(index, game)| ((game.record.pair, game.record.game), index))
        .collect();
    let mut lost = 0;
    for mv in moves {
        match index.get(&(mv.pair, mv.game)) {
            Some(&at) if (1..=log.games[at].record.moves.len()).contains(&(mv.ply as usize)) => {
                log.games[at].moves.push(mv);
            }
            _ => lost += 1,
        }
    }
    if lost > 0 {
        log.notes
            .push(format!("moves without their game: {lost} skipped"));
    }
    for game in &mut log.games {
        game.moves.sort_by_key(|mv| mv.ply);
        game.moves.dedup_by_key(|mv| mv.ply);
    }
}
