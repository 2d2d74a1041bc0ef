//! Reading a log: what is torn, foreign or malformed is skipped with a note.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Display;
use std::io::{self, BufRead, Read};

use serde::Deserialize;
use serde_json::Value;
use turnwise_arena::records::{
    self, EndRecord, FORMAT, GameRecord, MoveRecord, RawRecord, Record, Settings,
};
use turnwise_arena::workers::WorkerRecord;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{Plugin, SET_UP, UnplayableError};
use turnwise_engine::words::{counted, is_unprintable, printable, printable_lines};

/// The longest line that is read, in bytes; the arena's own stay far below.
const MAX_LINE: u64 = 4 << 20;

/// So many lines are named that cannot be used; the others are counted.
const MOST_NAMED: usize = 100;

/// The largest number of a measure that is believed; what is beyond counts as unknown.
const MAX_MEASURE: f64 = 1e12;

/// A game and what was logged of its moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// The game's own line.
    pub record: GameRecord,
    /// Its moves' lines by ply; there may be gaps.
    pub moves: Vec<MoveRecord>,
    /// What the draws brought the first role, in points, once they have been judged
    /// ([`luck`](super::luck)).
    pub luck: Option<f64>,
    /// Who played it, if it was played over many machines and that was noted.
    pub worker: Option<WorkerRecord>,
}

/// What one file holds of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// The first line: what is played, by whom and how.
    pub header: Settings,
    /// The games by pair and number.
    pub games: Vec<Game>,
    /// The last end that was written.
    pub end: Option<EndRecord>,
    /// What could not be used, for the user.
    pub notes: Vec<String>,
}

impl Log {
    /// Takes in who played the pairs.
    pub fn played_by(&mut self, mut workers: BTreeMap<u32, WorkerRecord>) {
        // Both games of a pair are played by the same.
        for game in self.games.iter_mut().rev() {
            game.worker = match game.record.game {
                1 => workers.remove(&game.record.pair),
                _ => workers.get(&game.record.pair).cloned(),
            };
        }
    }
}

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The first line is no header of a match.
    #[error(
        "line 1 should be the header that turnwise arena writes, {{\"event\":\"match\",...}}: {0}"
    )]
    NoHeader(String),
    /// A header that promises something else.
    #[error("{0}")]
    Unknown(String),
}

/// Reads a log's first line: what is played, by whom and how.
///
/// # Errors
///
/// If it cannot be read, or is none of a match.
pub fn read_header(input: &mut impl BufRead, games: &[&dyn Plugin]) -> Result<Settings, ReadError> {
    let mut line = Vec::new();
    read_line(input, &mut line)?;
    header(&line, games)
}

/// Reads a log. Lines that are no records are passed over with a note.
pub fn read(mut input: impl BufRead, games: &[&dyn Plugin]) -> Result<Log, ReadError> {
    let mut line = Vec::new();
    let mut log = Log {
        header: read_header(&mut input, games)?,
        games: Vec::new(),
        end: None,
        notes: Vec::new(),
    };
    let (mut moves, mut unnamed) = (Vec::new(), 0u64);
    for number in 2.. {
        let taken_in = match read_line(&mut input, &mut line)? {
            Line::End => break,
            Line::TooLong => Err(format!(" is longer than {MAX_LINE} bytes: skipped")),
            Line::Whole | Line::Torn if line.trim_ascii().is_empty() => Ok(()),
            Line::Torn if serde_json::from_slice::<Value>(&line).is_err() => {
                Err(", the last one, was not written whole: skipped".to_owned())
            }
            Line::Whole | Line::Torn => take_in(&line, &mut log, &mut moves),
        };
        if let Err(why) = taken_in {
            match log.notes.len() < MOST_NAMED {
                true => log.notes.push(format!("line {number}{why}")),
                false => unnamed += 1,
            }
        }
    }
    if unnamed > 0 {
        log.notes
            .push(format!("and {}: skipped", counted(unnamed, "more line")));
    }
    sort_games(&mut log);
    assign(moves, &mut log);
    Ok(log)
}

/// Takes in a record, or says behind "line 5" why it cannot be used.
fn take_in(line: &[u8], log: &mut Log, moves: &mut Vec<MoveRecord>) -> Result<(), String> {
    match event(line).map_err(|error| format!(" is no record, {error}: skipped"))? {
        Some(Record::Match(_)) => return Err(" is a second header: skipped".to_owned()),
        // What is to be played shows in what was.
        Some(Record::Draw(_)) => {}
        Some(Record::Move(mv)) => moves.push(up_to_date(mv)),
        Some(Record::Game(raw)) => {
            let fitting = fitting(raw, &log.header);
            log.games.push(Game {
                record: fitting.map_err(|why| format!(": {why}: game skipped"))?,
                moves: Vec::new(),
                luck: None,
                worker: None,
            });
        }
        Some(Record::End(end)) => log.end = Some(end),
        None => {}
    }
    Ok(())
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

/// What a line says of itself, which tells whether it is to be read as a record.
#[derive(Deserialize)]
#[serde(expecting = "a record")]
struct Kind {
    event: Option<Value>,
    format: Option<Value>,
}

fn header(line: &[u8], games: &[&dyn Plugin]) -> Result<Settings, ReadError> {
    let no_header = |why: &str| ReadError::NoHeader(printable(why));
    let unknown = |what: &str, got: &dyn Display, expected: &str| {
        let text = format!("{what} is {got}; this version reads {expected}");
        Err(ReadError::Unknown(printable(&text)))
    };
    if line.is_empty() {
        return Err(no_header("the file is empty"));
    }
    let unreadable = |error: serde_json::Error| no_header(&error.to_string());
    let kind: Kind = serde_json::from_slice(line).map_err(unreadable)?;
    if kind.event.is_none_or(|event| event != "match") {
        return Err(no_header("it is another record"));
    }
    let format = kind.format.unwrap_or_default();
    if format != FORMAT {
        return unknown("the log's format", &format, &FORMAT.to_string());
    }
    let raw = serde_json::from_slice(line).map_err(unreadable)?;
    let mut header = Settings::of(raw, games).map_err(|error| match error {
        UnplayableError::Malformed(why) => no_header(&why),
        UnplayableError::Unknown { .. } => ReadError::Unknown(printable(&error.to_string())),
    })?;
    let most_agents = header.most_agents();
    if header.agents.len() > most_agents {
        let expected = format!("at most {most_agents}");
        return unknown("the number of agents", &header.agents.len(), &expected);
    }
    header.turnwise = printable(&header.turnwise);
    for agent in &mut header.agents {
        agent.name = printable(&agent.name);
        agent.spec = printable(&agent.spec);
    }
    Ok(header)
}

/// A record, or nothing if its kind is not known.
fn event(line: &[u8]) -> Result<Option<RawRecord>, String> {
    let unreadable = |error: serde_json::Error| printable(&error.to_string());
    let kind: Kind = serde_json::from_slice(line).map_err(unreadable)?;
    match kind.event.as_ref().and_then(Value::as_str) {
        Some("match" | "move" | "game" | "end") => {}
        Some(_) => return Ok(None),
        None => return Err("it has no \"event\"".to_owned()),
    }
    let mut record = records::read_line(line).map_err(unreadable)?;
    make_printable(&mut record);
    Ok(Some(record))
}

fn make_printable(record: &mut RawRecord) {
    let clean = |text: &mut String| {
        if text.contains(is_unprintable) {
            *text = printable(text);
        }
    };
    match record {
        Record::Match(_) | Record::Draw(_) => {}
        // What was written into a file stays as it is: it is shown with escapes.
        Record::Move(mv) => {
            let texts = [&mut mv.agent, &mut mv.mv, &mut mv.role].into_iter();
            let texts = texts.chain(&mut mv.tile).chain(&mut mv.weights);
            texts.for_each(clean);
            // A clock and an expectation may be below zero; nothing else that is measured is.
            let signed = [&mut mv.clock_left_s, &mut mv.score, &mut mv.value];
            for measure in signed {
                *measure = measure.filter(|value| value.abs() <= MAX_MEASURE);
            }
            let times = [&mut mv.soft_ms, &mut mv.hard_ms, &mut mv.used_ms];
            for measure in times.into_iter().chain([&mut mv.cpu_ms]) {
                *measure = measure.filter(|value| (0.0..=MAX_MEASURE).contains(value));
            }
        }
        Record::Game(game) => {
            let names = [&mut game.first, &mut game.second].into_iter();
            let names = names.chain(&mut game.others);
            let moves = game.moves.iter_mut().chain(&mut game.opening);
            names.chain(moves).for_each(clean);
            // A position has several lines.
            let set_up = game.result.take(SET_UP);
            game.result.for_each_text(clean);
            if let Some(set_up) = set_up {
                let text = set_up.as_str().map(printable_lines);
                game.result.push(SET_UP, text.map_or(set_up, Value::String));
            }
            let faults = game.put_out.iter_mut().chain(&mut game.fault);
            for fault in faults.chain(game.first_try.as_deref_mut()) {
                let texts = [&mut fault.agent, &mut fault.reason, &mut fault.role].into_iter();
                texts.chain(&mut fault.stderr).for_each(clean);
            }
        }
        Record::End(end) => end.verdict.iter_mut().for_each(clean),
    }
}

/// A move as this version logs it: earlier ones had no forecast and called the search's value a score.
fn up_to_date(mut mv: MoveRecord) -> MoveRecord {
    if mv.value.is_none() {
        mv.value = mv.score.take();
    }
    mv
}

/// A game of the match, or why it cannot be one.
fn fitting(raw: GameRecord<Fields>, header: &Settings) -> Result<GameRecord, String> {
    let game = GameRecord::of(raw, &header.game)?;
    if game.is_of_rotation() {
        return fitting_rotation(game, header);
    }
    let by_role = match game.game {
        1 => [&game.first, &game.second],
        2 => [&game.second, &game.first],
        number => return Err(format!("game {number} of a pair, which has 1 and 2")),
    };
    let [one, other] = by_role;
    if !game.result.players.iter().eq([one, other]) || one == other {
        return Err("the roles do not fit the pair's agents".to_owned());
    }
    let known = |name: &String| header.agents.iter().any(|agent| agent.name == *name);
    if let Some(stranger) = by_role.into_iter().find(|name| !known(name)) {
        return Err(format!("{stranger} is not among the header's agents"));
    }
    Ok(game)
}

/// A game of more than two, or why it cannot be one.
fn fitting_rotation(game: GameRecord, header: &Settings) -> Result<GameRecord, String> {
    let seats = header.game.0.seats();
    if !(1..=seats).contains(&usize::from(game.game)) {
        return Err(format!("game {} of a table with {seats} seats", game.game));
    }
    let all: BTreeSet<&String> = game.agents().collect();
    if all.len() != game.result.players.len() {
        return Err("somebody has two seats".to_owned());
    }
    let known = |name: &&&String| header.agents.iter().any(|agent| agent.name == ***name);
    match all.iter().find(|name| !known(name)) {
        Some(stranger) => Err(format!("{stranger} is not among the header's agents")),
        None => Ok(game),
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
        let note = format!("games that are there twice: {twice} skipped");
        log.notes.push(note);
    }
}

/// Gives the moves to their games.
fn assign(moves: Vec<MoveRecord>, log: &mut Log) {
    let index: HashMap<(u32, u8), usize> = (log.games.iter().enumerate())
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
