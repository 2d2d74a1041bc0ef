//! Reads logs of games. Skips lines that are incomplete, malformed or written by other programs, and
//! creates a note for the user about each skipped line.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::str::FromStr;

use serde::Deserialize;
use serde_json::Value;
use turnwise_arena::records::{
    self, AbandonedRecord, FORMAT, GameRecord, LONGEST_LINE, MoveRecord, ParticipantRecord,
    RawRecord, Record, Settings,
};
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{Plugin, SET_UP, UnplayableError};
use turnwise_engine::words::{counted, is_unprintable, one_line, printable, printable_lines};

/// The maximum length of an error message that quotes a log's header, in characters.
const LONGEST_REASON: usize = 400;

/// The maximum number of unusable lines for which separate notes are created; further lines are only counted.
const MOST_NAMED: usize = 100;

/// The largest absolute value that is accepted for a measurement. A measurement beyond this limit counts as unknown.
const MAX_MEASURE: f64 = 1e12;

/// The beginning of a header, as this program writes it.
const HEADER: &[u8] = br#"{"event":"match""#;

/// The beginning of a line that describes a move, as this program writes it.
const MOVE: &[u8] = br#"{"event":"move","pair":"#;

/// The beginning of a line that describes a game, as this program writes it.
const GAME: &[u8] = br#"{"event":"game","pair":"#;

/// The length of the longest beginning of a line with a pair's number, in bytes.
const LONGEST_START: u64 = 40;

/// The maximum number of pairs whose places are stored.
const MOST_PLACES: usize = 1 << 22;

/// A game as read from a log, with the data that was logged about each move.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// The record of the game: players, moves and result.
    pub record: GameRecord,
    /// The records of the individual moves, sorted by ply. Records may be missing for any of the moves.
    pub moves: Vec<MoveRecord>,
    /// How many points the first role gained by chance, for example by drawn tiles. `None` before a luck analysis
    /// ([`luck`](super::luck)).
    pub luck: Option<f64>,
}

/// The state of a participant during a part of a tournament, and the games that it played in this state.
#[derive(Debug, Clone, PartialEq)]
pub struct Participation {
    /// The logged state: the version of the program, or the reason why the participant does not play.
    pub record: ParticipantRecord,
    /// The number of games that count.
    pub games: u32,
    /// The number of games that do not count, because they were played again later.
    pub superseded: u32,
}

/// All usable data of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// The settings of the match, from the log's first line.
    pub header: Settings,
    /// The games, sorted by pair number, and then by game number within the pair.
    pub games: Vec<Game>,
    /// The states of a tournament's participants, in the order of the log.
    pub participations: Vec<Participation>,
    /// Notes for the user about lines that could not be used.
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
    /// The header names a log format, a game or settings that this version does not support.
    #[error("{0}")]
    Unknown(String),
}

/// Reads the settings of a match from the first line of a log.
///
/// # Errors
///
/// Returns an error if the line cannot be read, or is not the header of a match.
pub fn read_header(input: &mut impl BufRead, games: &[Plugin]) -> Result<Settings, ReadError> {
    Ok(begin(input, games)?.0)
}

/// Reads the header of a log. Returns the header and the number of lines read.
fn begin(input: &mut impl BufRead, games: &[Plugin]) -> Result<(Settings, u64), ReadError> {
    let (mut line, mut lines) = (Vec::new(), 1);
    while matches!(read_line(input, &mut line)?, RawLine::Whole) && line.is_empty() {
        lines += 1;
    }
    Ok((header(&line, games)?, lines))
}

/// Reads a log one game at a time. Only the moves of unfinished games stay in memory.
///
/// Invalid lines are skipped with a note. In a log, the lines of a game's moves precede the line of the game itself.
pub struct Reader<'a, I> {
    /// The settings of the match, from the last header that was read.
    pub header: Settings,
    /// True if each returned game includes the records of the moves.
    pub keeps_moves: bool,
    /// Skips moves and games of all other pairs without parsing them, which is much faster. Lines that another program
    /// wrote may be returned nevertheless.
    pub only_pair: Option<u32>,
    /// Returns the records of moves for these games only, and does not parse others, which is much faster. Games are
    /// numbered from 0 in the order of their lines. `None` means all games.
    pub only_moves_of: Option<HashSet<u32>>,
    /// The states of a tournament's participants that were read so far, in the order of the log.
    pub participations: Vec<Participation>,
    /// The index of the current state of each participant that has a logged state.
    current: HashMap<String, usize>,
    games: &'a [Plugin],
    input: I,
    line: Vec<u8>,
    /// The number of lines read so far.
    lines: u64,
    /// The number of games read so far.
    games_read: u32,
    /// The moves of unfinished games, keyed by pair number and game number.
    moves: HashMap<(u32, u8), Moves>,
    lost_moves: usize,
    notes: Vec<String>,
    unnamed: u64,
}

/// The logged moves of an unfinished game.
#[derive(Default)]
struct Moves {
    plies: Vec<u32>,
    /// The records of the moves; empty unless [`Reader::keeps_moves`] is true.
    records: Vec<MoveRecord>,
    /// The lines that are parsed only if [`Reader::only_moves_of`] contains the game.
    unparsed: Vec<u8>,
}

impl Moves {
    /// Parses the deferred lines. Returns the number of lines that are not records of moves.
    fn parse(&mut self) -> usize {
        let mut unreadable = 0;
        for line in self.unparsed.split_inclusive(|&byte| byte == b'\n') {
            match event(line) {
                Ok(Some(Record::Move(mv))) => self.records.push(up_to_date(mv)),
                _ => unreadable += 1,
            }
        }
        unreadable
    }
}

/// The result of reading the next useful line of a log.
pub enum Line {
    /// A finished game, including the records of the moves if they are kept.
    Game(Box<Game>),
    /// The header of another log, which was appended to the file. The games that follow belong to that log.
    Header(Box<Settings>),
}

impl<'a, I: BufRead> Reader<'a, I> {
    /// Reads the header of a log, and returns a reader for the rest.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read, or its first line is not the header of a match.
    pub fn new(mut input: I, games: &'a [Plugin]) -> Result<Self, ReadError> {
        let (header, lines) = begin(&mut input, games)?;
        Ok(Self {
            header,
            keeps_moves: true,
            only_pair: None,
            only_moves_of: None,
            participations: Vec::new(),
            current: HashMap::new(),
            games,
            input,
            line: Vec::new(),
            lines,
            games_read: 0,
            moves: HashMap::new(),
            lost_moves: 0,
            notes: Vec::new(),
            unnamed: 0,
        })
    }

    /// Reads up to the next game or header and returns it; returns `None` at the end of the log.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            self.lines += 1;
            let read = match read_line(&mut self.input, &mut self.line)? {
                RawLine::End => return Ok(None),
                RawLine::Whole if self.is_of_another_pair() || self.is_deferred() => Ok(None),
                RawLine::TooLong => Err(format!(" is longer than {LONGEST_LINE} bytes: skipped")),
                RawLine::Whole | RawLine::Torn if self.line.is_empty() => Ok(None),
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

    /// Reads up to the game with this number, and returns the game. The games of a log are numbered from 1 in the order
    /// of their lines, and the games of appended logs continue the numbers. If the log has fewer games, returns their
    /// number as the inner error.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read.
    pub fn numbered(&mut self, number: u32) -> io::Result<Result<Game, u32>> {
        self.only_moves_of = Some(HashSet::from([number.saturating_sub(1)]));
        let found = self.next_wanted()?;
        Ok(found.map(|(_, game)| game).ok_or(self.games_read))
    }

    /// Reads up to the next game in [`only_moves_of`](Self::only_moves_of), and removes its number there. Returns the
    /// number and the game; returns `None` if no number is left, and at the end of the log.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read.
    pub fn next_wanted(&mut self) -> io::Result<Option<(u32, Game)>> {
        while self
            .only_moves_of
            .as_ref()
            .is_some_and(|left| !left.is_empty())
            && let Some(line) = self.next_line()?
        {
            let Line::Game(game) = line else { continue };
            let number = self.games_read - 1;
            if self
                .only_moves_of
                .as_mut()
                .is_some_and(|left| left.remove(&number))
            {
                return Ok(Some((number, *game)));
            }
        }
        Ok(None)
    }

    /// Returns true if the current line certainly belongs to another pair than the wanted one.
    fn is_of_another_pair(&self) -> bool {
        let Some(wanted) = self.only_pair else {
            return false;
        };
        pair_of(&self.line).is_some_and(|(pair, _)| pair != wanted)
    }

    /// Defers the current line if it describes a move that need not be parsed now, and returns true in this case.
    fn is_deferred(&mut self) -> bool {
        if self.keeps_moves && self.only_moves_of.is_none() {
            return false;
        }
        let Some((game, ply)) = ply_of(&self.line) else {
            return false;
        };
        let of_game = self.moves.entry(game).or_default();
        of_game.plies.push(ply);
        if self.keeps_moves {
            of_game.unparsed.extend_from_slice(&self.line);
            of_game.unparsed.push(b'\n');
        }
        true
    }

    /// Interprets the current line. The error message is written so that it can follow a text like "line 5".
    fn record(&mut self) -> Result<Option<Line>, String> {
        let unread = |error| format!(" is not a record, {error}: skipped");
        match event(&self.line).map_err(unread)? {
            Some(Record::Match(_)) => {
                let header =
                    header(&self.line, self.games).map_err(|error| format!(": {error}"))?;
                // No further lines of the previous log follow, so its unfinished games never end.
                let unfinished = self.moves.drain().map(|(_, moves)| moves.plies.len());
                self.lost_moves += unfinished.sum::<usize>();
                self.header = header;
                return Ok(Some(Line::Header(Box::new(self.header.clone()))));
            }
            // A record of which participants were drawn to play each other is not needed here, because each game states
            // its players.
            Some(Record::Draw(_)) | None => {}
            Some(Record::Participant(record)) => self.add_state(record),
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
                let wanted = self.only_moves_of.as_ref();
                if wanted.is_some_and(|wanted| wanted.contains(&self.games_read)) {
                    self.lost_moves += moves.parse();
                }
                for agent in record.agents() {
                    if let Some(&at) = self.current.get(agent) {
                        let participation = &mut self.participations[at];
                        participation.games += u32::from(!record.superseded);
                        participation.superseded += u32::from(record.superseded);
                    }
                }
                if record.superseded {
                    return Ok(None);
                }
                self.games_read += 1;
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
            Some(Record::Abandoned(AbandonedRecord { pair, game, why })) => {
                let moves = self.moves.remove(&(pair, game)).unwrap_or_default();
                let plies = counted(moves.plies.len(), "ply");
                return Err(format!(
                    ": game {game} of pair {pair} was abandoned after {plies}: {why}"
                ));
            }
            // The verdict is computed from the games.
            Some(Record::End(_)) => {}
        }
        Ok(None)
    }

    /// Adds a participant's state, unless it has the version and the reason for absence of the state before.
    fn add_state(&mut self, record: ParticipantRecord) {
        let state = |record: &ParticipantRecord| (record.version.clone(), record.absent.clone());
        let current = self.current.get(&record.agent);
        if current.is_some_and(|&at| state(&self.participations[at].record) == state(&record)) {
            return;
        }
        let agent = record.agent.clone();
        self.current.insert(agent, self.participations.len());
        self.participations.push(Participation {
            record,
            games: 0,
            superseded: 0,
        });
    }

    /// Ends the reading. Returns notes about the lines that could not be used.
    pub fn finish(mut self) -> Vec<String> {
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
        self.notes
    }
}

/// Reads a log to its end.
///
/// # Errors
///
/// Returns an error if the input cannot be read, or its first line is not the header of a match.
pub fn read(input: impl BufRead, games: &[Plugin]) -> Result<Log, ReadError> {
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
    // Sorts the games by pair number and game number, and removes duplicates.
    games.sort_by_key(|game| (game.record.pair, game.record.game));
    let read = games.len();
    games.dedup_by_key(|game| (game.record.pair, game.record.game));
    let twice = read - games.len();
    let participations = std::mem::take(&mut reader.participations);
    let mut notes = reader.finish();
    notes.extend(other);
    if twice > 0 {
        notes.push(format!("duplicate games: {twice} skipped"));
    }
    Ok(Log {
        header,
        games,
        participations,
        notes,
    })
}

/// Returns the number of the pair in a line that describes a move or a game, and the rest of the line. Returns `None`
/// for lines of other kinds, and for lines that another program wrote.
fn pair_of(line: &[u8]) -> Option<(u32, &[u8])> {
    number(
        line.strip_prefix(MOVE)
            .or_else(|| line.strip_prefix(GAME))?,
    )
}

/// Returns the pair, the game and the ply of a line that describes a move. Returns `None` for lines of other kinds, and
/// for lines that another program wrote.
fn ply_of(line: &[u8]) -> Option<((u32, u8), u32)> {
    let (pair, rest) = number(line.strip_prefix(MOVE)?)?;
    let (game, rest) = number(rest.strip_prefix(br#","game":"#)?)?;
    let (ply, _) = number(rest.strip_prefix(br#","ply":"#)?)?;
    Some(((pair, game), ply))
}

/// Splits text into the number at its beginning and the rest.
fn number<T: FromStr>(text: &[u8]) -> Option<(T, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    let (digits, rest) = text.split_at(end?);
    Some((str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

/// The places where the pairs of a log begin, as far as the log was searched.
#[derive(Debug, Default)]
pub struct Places {
    /// The place of each pair's first line, keyed by the number of the pair.
    of_pairs: HashMap<u32, Place>,
    /// The place where the next search begins.
    end: Place,
}

/// The place of a line in a log.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The number of bytes before the line.
    offset: u64,
    /// The number of lines before the line.
    lines: u64,
}

impl Places {
    /// Finds the first line of this pair, and moves `input` to an unspecified position. Returns `None` if no line that
    /// this program wrote belongs to the pair.
    fn find(&mut self, input: &mut (impl BufRead + Seek), pair: u32) -> io::Result<Option<Place>> {
        if let Some(&place) = self.of_pairs.get(&pair) {
            return Ok(Some(place));
        }
        input.seek(SeekFrom::Start(self.end.offset))?;
        let mut start = Vec::new();
        loop {
            start.clear();
            let mut length = input
                .by_ref()
                .take(LONGEST_START)
                .read_until(b'\n', &mut start)?;
            if length == 0 || start.starts_with(HEADER) {
                return Ok(None);
            }
            if start.last() != Some(&b'\n') {
                length += input.skip_until(b'\n')?;
            }
            if let Some((of, _)) = pair_of(&start) {
                if self.of_pairs.len() < MOST_PLACES {
                    self.of_pairs.entry(of).or_insert(self.end);
                }
                if of == pair {
                    return Ok(Some(self.end));
                }
            }
            self.end.offset += length as u64;
            self.end.lines += 1;
        }
    }
}

/// Reads the games of one pair or rotation from a log, without parsing other games. Returns a log without games if the
/// pair does not exist. `places` must belong to this log; it makes further reads fast.
///
/// # Errors
///
/// Returns an error if the input cannot be read, or its first line is not the header of a match.
pub fn read_pair(
    input: impl BufRead + Seek,
    games: &[Plugin],
    pair: u32,
    places: &mut Places,
) -> Result<Log, ReadError> {
    let mut reader = Reader::new(input, games)?;
    reader.only_pair = Some(pair);
    let after_header = Place {
        offset: reader.input.stream_position()?,
        lines: reader.lines,
    };
    if places.end.offset == 0 {
        places.end = after_header;
    }
    // Lines that another program wrote are only found by parsing all lines.
    let first = places
        .find(&mut reader.input, pair)?
        .unwrap_or(after_header);
    reader.input.seek(SeekFrom::Start(first.offset))?;
    reader.lines = first.lines;
    let header = reader.header.clone();
    let mut games: Vec<Game> = Vec::new();
    let is_whole = |games: &[Game]| {
        let first = games.first().map(|game| &game.record);
        let all = first.map_or(1, |first| match first.is_of_rotation() {
            true => first.result.players.len(),
            false => 2,
        });
        games.len() >= all
    };
    while !is_whole(&games)
        && let Some(Line::Game(game)) = reader.next_line()?
    {
        if game.record.pair == pair {
            games.push(*game);
        }
    }
    games.sort_by_key(|game| game.record.game);
    games.dedup_by_key(|game| game.record.game);
    Ok(Log {
        header,
        games,
        participations: Vec::new(),
        notes: reader.finish(),
    })
}

enum RawLine {
    Whole,
    /// The last line of the file, without a line end.
    Torn,
    TooLong,
    End,
}

fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<RawLine> {
    line.clear();
    let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', line)?;
    let kind = match line.last() {
        None => RawLine::End,
        Some(b'\n') => RawLine::Whole,
        Some(_) if (read as u64) < LONGEST_LINE => RawLine::Torn,
        Some(_) => {
            input.skip_until(b'\n')?;
            RawLine::TooLong
        }
    };
    line.truncate(line.trim_ascii_end().len());
    line.drain(..line.len() - records::trimmed(line).len());
    Ok(kind)
}

/// The fields of a line that determine which kind of record it contains, and whether this version can read it.
#[derive(Deserialize)]
#[serde(expecting = "a record")]
struct Kind {
    event: Option<Value>,
    format: Option<Value>,
}

fn header(line: &[u8], games: &[Plugin]) -> Result<Settings, ReadError> {
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

/// Parses a line as a record; returns `None` if this version does not know this kind of record.
fn event(line: &[u8]) -> Result<Option<RawRecord>, String> {
    let unreadable = |error: serde_json::Error| printable(&error.to_string());
    let kind: Kind = serde_json::from_slice(line).map_err(unreadable)?;
    match kind.event.as_ref().and_then(Value::as_str) {
        Some("match" | "participant" | "move" | "game" | "abandoned" | "end") => {}
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
        Record::Match(_) | Record::Draw(_) | Record::End(_) => {}
        Record::Abandoned(record) => record.why = one_line(&record.why, LONGEST_REASON),
        Record::Participant(record) => {
            let texts = [&mut record.agent, &mut record.since].into_iter();
            let texts = texts.chain(&mut record.version).chain(&mut record.built);
            texts.for_each(clean);
            if let Some(why) = &mut record.absent {
                *why = one_line(why, LONGEST_REASON);
            }
        }
        // The content of the agent's output file is not escaped here, but when it is shown.
        Record::Move(mv) => {
            let texts = [&mut mv.agent, &mut mv.mv, &mut mv.role].into_iter();
            let texts = texts.chain(&mut mv.tile).chain(&mut mv.weights);
            texts.for_each(clean);
            // The remaining time and the expected values may be negative; the other measurements may not.
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
            // The text of a position has several lines, so line feeds must be kept.
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
    }
}

/// Converts the record of a move from an earlier version's format: before forecasts existed, the field `score`
/// contained the value that the search found, which now belongs in the field `value`.
fn up_to_date(mut mv: MoveRecord) -> MoveRecord {
    if mv.value.is_none() {
        mv.value = mv.score.take();
    }
    mv
}

/// Checks that a logged game fits the settings of this match, and returns the game. The error is the reason why it does
/// not fit.
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

/// Does the work of [`fitting`] for a game with more than two players.
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
