//! Reads logs, and merges all logs that belong to one match.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead};
use std::ops::ControlFlow;

use turnwise_arena::records::Settings;
use turnwise_engine::plugin::Plugin;
use turnwise_engine::words::counted;

use super::Match;
use super::logs::{Game, Line, Log, ReadError, Reader};
use super::page::selection::Shown;
use super::played::Played;

/// The maximum number of excluded games that the notes on a log list individually.
const MOST_NAMED: usize = 20;

/// Which data about each game stays in memory, in addition to the figures in [`Played`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Keeps only the figures.
    Figures,
    /// Also keeps the game's record, which a luck analysis needs.
    Records,
    /// Also keeps the records of the game and of the moves, which charts and replays need.
    Moves,
}

/// Merges logs while it reads them.
///
/// Logs form one match if their agents and playing conditions are equal; seed, number of pairs and number of parallel
/// jobs may differ. The pairs of logs with different seeds are numbered consecutively. If two logs have equal seeds,
/// their pairs with equal numbers have equal tiles. Such pairs are not independent evidence, so only the pair in the
/// first log counts.
pub struct Merging {
    keep: Keep,
    groups: Vec<Group>,
    /// The number of inputs read so far.
    inputs: usize,
}

/// The logs that form one match, and their games.
struct Group {
    of: Match,
    logs: Vec<Notes>,
    /// The games, with one part for each seed that occurs in the logs.
    parts: Vec<Part>,
}

/// The games of all logs that have this seed.
struct Part {
    seed: u64,
    /// The index of the first log with this seed.
    log: u32,
    games: Vec<Played>,
}

/// The origin of a log, and the notes for the user about its data.
#[derive(Default)]
struct Notes {
    /// The index of the log's input among all inputs. An input can contain several logs.
    input: usize,
    read: Vec<String>,
    /// The number of games that are excluded because their moves cannot be replayed.
    excluded: usize,
    /// Notes that state why a game is excluded; one for each of the first excluded games.
    reasons: Vec<String>,
    /// The number of games that are skipped because they already occurred earlier in this log.
    twice: usize,
    /// The number of games that are skipped because an earlier log already contains them.
    known: usize,
}

/// Where the games of a log are stored: the index of the group, and the indices of the part and of the log within the
/// group.
#[derive(Clone, Copy)]
struct Place {
    group: usize,
    part: usize,
    log: u32,
}

impl Merging {
    /// Creates a merger that has read no logs yet.
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            groups: Vec::new(),
            inputs: 0,
        }
    }

    /// Reads a log to its end. If the file contains another header, the games after it count as games of another log.
    ///
    /// Calls `proceed` after each game, and stops reading once it returns a break.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read, or does not begin with the header of a match. Games that were read
    /// before the error are kept.
    pub fn read(
        &mut self,
        name: &str,
        input: impl BufRead,
        games: &[Plugin],
        proceed: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        let mut reader = Reader::new(input, games)?;
        reader.keeps_moves = self.keep == Keep::Moves;
        let first = self.open(name, &reader.header);
        let read = self.read_games(name, first, &mut reader, proceed);
        let participations = std::mem::take(&mut reader.participations);
        self.groups[first.group]
            .of
            .participations
            .extend(participations);
        self.groups[first.group].logs[first.log as usize].read = reader.finish();
        self.inputs += 1;
        Ok(read?)
    }

    fn read_games<I: BufRead>(
        &mut self,
        name: &str,
        mut place: Place,
        reader: &mut Reader<'_, I>,
        proceed: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut number = 0;
        while let Some(line) = reader.next_line()? {
            match line {
                Line::Game(game) => {
                    self.add(place, *game, number);
                    number += 1;
                    if proceed().is_break() {
                        break;
                    }
                }
                Line::Header(header) => place = self.open(name, &header),
            }
        }
        Ok(())
    }

    fn open(&mut self, name: &str, header: &Settings) -> Place {
        let mut known = self.groups.iter();
        let group = known.position(|group| agree(&group.of.header, header));
        let group = group.unwrap_or_else(|| {
            self.groups.push(Group {
                of: Match::new(header.clone()),
                logs: Vec::new(),
                parts: Vec::new(),
            });
            self.groups.len() - 1
        });
        let Group { of, logs, parts } = &mut self.groups[group];
        let log = logs.len() as u32;
        logs.push(Notes {
            input: self.inputs,
            ..Notes::default()
        });
        of.sources.push(name.to_owned());
        let known = parts.iter().position(|part| part.seed == header.seed);
        let part = known.unwrap_or_else(|| {
            parts.push(Part {
                seed: header.seed,
                log,
                games: Vec::new(),
            });
            parts.len() - 1
        });
        Place { group, part, log }
    }

    fn add(&mut self, place: Place, game: Game, number: u32) {
        let group = &mut self.groups[place.group];
        if let Err(why) = game.record.check_moves(&group.of.header) {
            let (pair, number) = (game.record.pair, game.record.game);
            let notes = &mut group.logs[place.log as usize];
            notes.excluded += 1;
            if notes.excluded <= MOST_NAMED {
                let note =
                    format!("pair {pair}, game {number}, cannot be replayed: {why}: excluded");
                notes.reasons.push(note);
            }
            return;
        }
        let mut played = group.of.summarized(&game.record, (place.log, number));
        played.whole = (self.keep != Keep::Figures).then(|| Box::new(game));
        group.parts[place.part].games.push(played);
    }

    /// Returns the matches in the order of their first logs.
    pub fn finish(self) -> Vec<Match> {
        self.groups.into_iter().map(Group::joined).collect()
    }

    /// Returns the matches like [`finish`](Self::finish), with the full records of the games that a page shows. For
    /// these records, the inputs that contain them are read again; `open` opens the input with an index.
    ///
    /// # Errors
    ///
    /// Returns an error if an input cannot be opened or read again.
    pub fn finish_for_page<I: BufRead>(
        self,
        mut open: impl FnMut(usize) -> io::Result<I>,
        games: &[Plugin],
    ) -> Result<Vec<Match>, ReadError> {
        let of_group = |group: &Group| group.logs.iter().map(|log| log.input).collect();
        let inputs: Vec<Vec<usize>> = self.groups.iter().map(of_group).collect();
        let mut matches = self.finish();
        // Keyed by the input and the number of the game in it: the match, and the index of the game there.
        let mut chosen: BTreeMap<usize, HashMap<u32, [usize; 2]>> = BTreeMap::new();
        for (of, (read, inputs)) in matches.iter().zip(inputs).enumerate() {
            for &at in Shown::among(read, matches.len()).places() {
                let (log, number) = read.games[at].order;
                let input = chosen.entry(inputs[log as usize]).or_default();
                input.insert(number, [of, at]);
            }
        }
        for (input, chosen) in chosen {
            let mut reader = Reader::new(open(input)?, games)?;
            reader.only_moves_of = Some(chosen.keys().copied().collect());
            while let Some((number, mut game)) = reader.next_wanted()? {
                let [of, at] = chosen[&number];
                let played = &mut matches[of].games[at];
                game.record.pair = played.pair;
                played.whole = Some(Box::new(game));
            }
        }
        Ok(matches)
    }
}

fn agree(one: &Settings, other: &Settings) -> bool {
    let neutral = |header: &Settings| Settings {
        seed: 0,
        pairs: 0,
        jobs: 0,
        ..header.clone()
    };
    neutral(one) == neutral(other)
}

impl Group {
    /// Combines the games of all parts into one match, and numbers their pairs consecutively.
    fn joined(self) -> Match {
        let Self {
            mut of,
            mut logs,
            mut parts,
        } = self;
        for part in &mut parts {
            part.sort(&mut logs);
        }
        for (name, log) in of.sources.iter().zip(logs) {
            of.notes
                .extend(log.texts().map(|text| format!("{name}: {text}")));
        }
        for part in parts {
            let offset = of.games.last().map_or(0, |game| game.pair);
            if offset > 0 && !part.games.is_empty() {
                let source = &of.sources[part.log as usize];
                let first = offset.saturating_add(1);
                of.notes
                    .push(format!("{source}: its pair 1 is pair {first} here"));
            }
            let mut games = part.games;
            for game in &mut games {
                game.shift(offset);
            }
            match of.games.is_empty() {
                true => of.games = games,
                false => of.games.append(&mut games),
            }
        }
        of.sources.dedup();
        of
    }
}

impl Part {
    /// Sorts the games by pair number and game number. If several games have equal numbers, only the first is kept.
    fn sort(&mut self, logs: &mut [Notes]) {
        // An unstable sort needs no additional memory. It suffices because no two keys are equal.
        self.games
            .sort_unstable_by_key(|game| (game.number(), game.order));
        let mut last = None;
        self.games.retain(|game| {
            let (number, log) = (game.number(), game.order.0);
            let before = last.replace((number, log));
            let Some((_, other)) = before.filter(|(before, _)| *before == number) else {
                return true;
            };
            let notes = &mut logs[log as usize];
            match other == log {
                true => notes.twice += 1,
                false => notes.known += 1,
            }
            false
        });
    }
}

impl Notes {
    fn texts(self) -> impl Iterator<Item = String> {
        let twice = match self.twice {
            0 => None,
            count => Some(format!("duplicate games: {count} skipped")),
        };
        let known = (self.known > 0).then(|| {
            format!(
                "{} with the same seed and number as a game of another log: skipped",
                counted(self.known, "game")
            )
        });
        let unnamed = self.excluded.saturating_sub(MOST_NAMED);
        let unnamed = (unnamed > 0).then(|| {
            let more = counted(unnamed, "more game");
            format!("and {more} that cannot be replayed: excluded")
        });
        (self.read.into_iter().chain(self.reasons))
            .chain(unnamed)
            .chain(twice)
            .chain(known)
    }
}

/// Reads a log for a page. Reads it twice: first only the figures of all games, then the full records of the games that
/// the page shows.
///
/// # Errors
///
/// Returns an error if the log cannot be opened, and in the cases of [`Merging::read`].
pub fn read_for_page<I: BufRead>(
    name: &str,
    open: impl Fn() -> io::Result<I>,
    games: &[Plugin],
) -> Result<Match, ReadError> {
    let mut merging = Merging::new(Keep::Figures);
    merging.read(name, open()?, games, &mut || ControlFlow::Continue(()))?;
    Ok(merging.finish_for_page(|_| open(), games)?.remove(0))
}

/// Merges logs that have already been read, according to the rules of [`Merging`].
pub fn merge(logs: impl IntoIterator<Item = (String, Log)>) -> Vec<Match> {
    let mut merging = Merging::new(Keep::Moves);
    for (name, log) in logs {
        let place = merging.open(&name, &log.header);
        let group = &mut merging.groups[place.group];
        group.logs[place.log as usize].read = log.notes;
        group.of.participations.extend(log.participations);
        for (game, number) in log.games.into_iter().zip(0..) {
            merging.add(place, game, number);
        }
    }
    merging.finish()
}
