//! Reads logs. Torn, foreign or malformed lines are skipped with a note.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::io::{self, BufRead, Read};

use serde::Deserialize;
use serde_json::Value;
use turnwise_arena::records::{
    self, EndRecord, FORMAT, GameRecord, MoveRecord, RawRecord, Record, Settings,
};
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{Plugin, SET_UP, UnplayableError};
use turnwise_engine::words::{counted, is_unprintable, one_line, printable, printable_lines};

/// The maximum length of a line, in bytes; the arena's own lines are far shorter.
const MAX_LINE: u64 = 4 << 20;

/// Maximum number of characters of an error that quotes a header.
const LONGEST_REASON: usize = 400;

/// The maximum number of unusable lines that notes list; further lines are only counted.
const MOST_NAMED: usize = 100;

/// The maximum credible value of a measure; larger values count as unknown.
const MAX_MEASURE: f64 = 1e12;

/// A game with its moves' logged data.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// The game's own line.
    pub record: GameRecord,
    /// The moves' lines by ply; there may be gaps.
    pub moves: Vec<MoveRecord>,
    /// The gain of the first role from draws, in points. Set after a luck analysis ([`luck`](super::luck)).
    pub luck: Option<f64>,
}

/// The data of a match in one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// The first line: the conditions of the match.
    pub header: Settings,
    /// The games by pair and number.
    pub games: Vec<Game>,
    /// The last end record.
    pub end: Option<EndRecord>,
    /// Notes for the user about unusable data.
    pub notes: Vec<String>,
}

/// The reason why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The first line is not the header of a match.
    #[error(
        "line 1 should be the header that turnwise arena writes, {{\"event\":\"match\",...}}: {0}"
    )]
    NoHeader(String),
    /// The header describes an unknown format.
    #[error("{0}")]
    Unknown(String),
}

/// Reads a log's first line: the conditions of the match.
///
/// # Errors
///
/// Returns an error if the line cannot be read, or is not the header of a match.
pub fn read_header(input: &mut impl BufRead, games: &[&dyn Plugin]) -> Result<Settings, ReadError> {
    let mut line = Vec::new();
    read_line(input, &mut line)?;
    header(&line, games)
}

/// Reads a log one game at a time. It keeps only the moves of unfinished games.
///
/// Invalid lines are skipped with a note. The moves of a game precede the game's own line.
pub struct Reader<'a, I> {
    /// The first line: the conditions of the match.
    pub header: Settings,
    /// True if games come with the records of their moves.
    pub keeps_moves: bool,
    games: &'a [&'a dyn Plugin],
    input: I,
    line: Vec<u8>,
    /// The number of lines read so far.
    lines: u64,
    /// The moves by pair and game.
    moves: HashMap<(u32, u8), Moves>,
    lost_moves: usize,
    end: Option<EndRecord>,
    notes: Vec<String>,
    unnamed: u64,
}

/// The logged moves of an unfinished game.
#[derive(Default)]
struct Moves {
    plies: Vec<u32>,
    /// The records, if they are kept.
    records: Vec<MoveRecord>,
}

/// A record of a log that is of use to readers.
pub enum Line {
    /// A game.
    Game(Box<Game>),
    /// The header of another log: several were concatenated. The games that follow belong to it.
    Header(Box<Settings>),
}

impl<'a, I: BufRead> Reader<'a, I> {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read, or its first line is not the header of a match.
    pub fn new(mut input: I, games: &'a [&'a dyn Plugin]) -> Result<Self, ReadError> {
        Ok(Self {
            header: read_header(&mut input, games)?,
            keeps_moves: true,
            games,
            input,
            line: Vec::new(),
            lines: 1,
            moves: HashMap::new(),
            lost_moves: 0,
            end: None,
            notes: Vec::new(),
            unnamed: 0,
        })
    }

    /// Returns the next game, or the next header; `None` at the end of the log.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            self.lines += 1;
            let read = match read_line(&mut self.input, &mut self.line)? {
                RawLine::End => return Ok(None),
                RawLine::TooLong => Err(format!(" is longer than {MAX_LINE} bytes: skipped")),
                RawLine::Whole | RawLine::Torn if self.line.trim_ascii().is_empty() => Ok(None),
                RawLine::Torn if serde_json::from_slice::<Value>(&self.line).is_err() => {
                    Err(", the last one, is incomplete: skipped".to_owned())
                }
                RawLine::Whole | RawLine::Torn => self.record(),
            };
            match read {
                Ok(None) => {}
                Ok(line) => return Ok(line),
                Err(why) if self.notes.len() < MOST_NAMED => {
                    self.notes.push(format!("line {}{why}", self.lines));
                }
                Err(_) => self.unnamed += 1,
            }
        }
    }

    /// Reads a record. On error, the reason continues a text like "line 5".
    fn record(&mut self) -> Result<Option<Line>, String> {
        let unread = |error| format!(" is not a record, {error}: skipped");
        match event(&self.line).map_err(unread)? {
            Some(Record::Match(_)) => {
                let header =
                    header(&self.line, self.games).map_err(|error| format!(": {error}"))?;
                // The games of the log before are complete.
                let unfinished = self.moves.drain().map(|(_, moves)| moves.plies.len());
                self.lost_moves += unfinished.sum::<usize>();
                self.header = header;
                return Ok(Some(Line::Header(Box::new(self.header.clone()))));
            }
            // The games contain all information about draws.
            Some(Record::Draw(_)) | None => {}
            Some(Record::Move(mv)) => {
                let of_game = self.moves.entry((mv.pair, mv.game)).or_default();
                of_game.plies.push(mv.ply);
                if self.keeps_moves {
                    of_game.records.push(up_to_date(mv));
                }
            }
            Some(Record::Game(raw)) => {
                let fitting = fitting(raw, &self.header);
                let record = fitting.map_err(|why| format!(": {why}: game skipped"))?;
                let moves = self.moves.remove(&(record.pair, record.game));
                let mut moves = moves.unwrap_or_default();
                let is_in_game = |ply: u32| (1..=record.moves.len()).contains(&(ply as usize));
                self.lost_moves += moves.plies.iter().filter(|&&ply| !is_in_game(ply)).count();
                moves.records.retain(|mv| is_in_game(mv.ply));
                moves.records.sort_by_key(|mv| mv.ply);
                moves.records.dedup_by_key(|mv| mv.ply);
                return Ok(Some(Line::Game(Box::new(Game {
                    record,
                    moves: moves.records,
                    luck: None,
                }))));
            }
            Some(Record::End(end)) => self.end = Some(end),
        }
        Ok(None)
    }

    /// Returns notes about unusable data, and the last end record, in the lines so far.
    pub fn finish(mut self) -> (Vec<String>, Option<EndRecord>) {
        if self.unnamed > 0 {
            let more = counted(self.unnamed, "more line");
            self.notes.push(format!("and {more}: skipped"));
        }
        let lost = self.lost_moves
            + self
                .moves
                .values()
                .map(|moves| moves.plies.len())
                .sum::<usize>();
        if lost > 0 {
            self.notes
                .push(format!("moves without a game: {lost} skipped"));
        }
        (self.notes, self.end)
    }
}

/// Reads a log to its end.
///
/// # Errors
///
/// Returns the errors of [`Reader`].
pub fn read(input: impl BufRead, games: &[&dyn Plugin]) -> Result<Log, ReadError> {
    let mut reader = Reader::new(input, games)?;
    let header = reader.header.clone();
    let mut games = Vec::new();
    let mut other = None;
    while let Some(line) = reader.next_line()? {
        match line {
            Line::Game(game) => games.push(*game),
            Line::Header(_) => {
                let line = reader.lines;
                other = Some(format!(
                    "line {line} begins another log: the rest is skipped; put it into its own file"
                ));
                break;
            }
        }
    }
    // Sorts by pair and number, and removes duplicates.
    games.sort_by_key(|game| (game.record.pair, game.record.game));
    let read = games.len();
    games.dedup_by_key(|game| (game.record.pair, game.record.game));
    let twice = read - games.len();
    let (mut notes, end) = reader.finish();
    notes.extend(other);
    if twice > 0 {
        notes.push(format!("duplicate games: {twice} skipped"));
    }
    Ok(Log {
        header,
        games,
        end,
        notes,
    })
}

enum RawLine {
    Whole,
    /// Without a line end.
    Torn,
    TooLong,
    End,
}

fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<RawLine> {
    line.clear();
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(RawLine::End);
    }
    if line.last() == Some(&b'\n') {
        return Ok(RawLine::Whole);
    }
    if (read as u64) < MAX_LINE {
        return Ok(RawLine::Torn);
    }
    input.skip_until(b'\n')?;
    Ok(RawLine::TooLong)
}

/// The fields that decide whether a line is read as a record.
#[derive(Deserialize)]
#[serde(expecting = "a record")]
struct Kind {
    event: Option<Value>,
    format: Option<Value>,
}

fn header(line: &[u8], games: &[&dyn Plugin]) -> Result<Settings, ReadError> {
    let no_header = |why: &str| ReadError::NoHeader(one_line(why, LONGEST_REASON));
    let unknown = |what: &str, got: &dyn Display, expected: &str| {
        let text = format!("{what} is {got}; this version reads {expected}");
        Err(ReadError::Unknown(one_line(&text, LONGEST_REASON)))
    };
    if line.is_empty() {
        return Err(no_header("the file is empty"));
    }
    let unreadable = |error: serde_json::Error| no_header(&error.to_string());
    let kind: Kind = serde_json::from_slice(line).map_err(unreadable)?;
    if kind.event.is_none_or(|event| event != "match") {
        return Err(no_header("it is a record of another kind"));
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

/// Parses a record; returns `None` if its kind is unknown.
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
        // The text in the file is unchanged: it is shown with escapes.
        Record::Move(mv) => {
            let texts = [&mut mv.agent, &mut mv.mv, &mut mv.role].into_iter();
            let texts = texts.chain(&mut mv.tile).chain(&mut mv.weights);
            texts.for_each(clean);
            // Clocks and expectations may be negative; no other measure may be.
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

/// Converts a move to this version's format: earlier versions had no forecast and called the search's value a score.
fn up_to_date(mut mv: MoveRecord) -> MoveRecord {
    if mv.value.is_none() {
        mv.value = mv.score.take();
    }
    mv
}

/// Returns a game of the match, or the reason why it cannot be one.
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
        return Err("the roles do not match the pair's agents".to_owned());
    }
    let known = |name: &String| header.agents.iter().any(|agent| agent.name == *name);
    if let Some(stranger) = by_role.into_iter().find(|name| !known(name)) {
        return Err(format!("{stranger} is not among the header's agents"));
    }
    Ok(game)
}

/// Returns a game of more than two, or the reason why it cannot be one.
fn fitting_rotation(game: GameRecord, header: &Settings) -> Result<GameRecord, String> {
    let seats = header.game.0.seats();
    if !(1..=seats).contains(&usize::from(game.game)) {
        return Err(format!("game {} of a table with {seats} seats", game.game));
    }
    let all: BTreeSet<&String> = game.agents().collect();
    if all.len() != game.result.players.len() {
        return Err("an agent has two seats".to_owned());
    }
    let known = |name: &&&String| header.agents.iter().any(|agent| agent.name == ***name);
    match all.iter().find(|name| !known(name)) {
        Some(stranger) => Err(format!("{stranger} is not among the header's agents")),
        None => Ok(game),
    }
}
