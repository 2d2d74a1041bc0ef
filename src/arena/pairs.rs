//! The workers that play the pairs, and the one place where results come together.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use thiserror::Error;

use super::cast::{Cast, Entrant};
use super::game::{self, Event, Seat};
use super::interrupt::Stop;
use super::log::{Log, LogError};
use super::schedule::{Pair, opening, pair, pairings};
use super::standings::Standings;
use super::table::Table;
use crate::records::{EndRecord, GameRecord, Record, Settings};
use crate::strength::pair::PairResult;

/// Why a match stopped.
#[derive(Debug, Error)]
pub enum MatchError {
    /// A player cannot be started.
    #[error("the match has stopped; its log is whole: {0}")]
    Start(io::Error),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// All lines of a pair, and what it comes to.
struct Played {
    records: Vec<Record>,
    result: PairResult,
}

/// What the workers share, under one lock: which pairs are left, and where results come together. A
/// worker that has played a pair writes it itself; handing it to another thread would cost more.
struct Course<'a, W> {
    log: &'a mut Log,
    standings: Standings,
    left: std::collections::btree_set::IntoIter<u32>,
    watch: W,
    outcome: Result<(), MatchError>,
}

impl<W: FnMut(&Standings)> Course<'_, W> {
    fn next(&mut self, stop: &Stop) -> Option<u32> {
        let over = self.outcome.is_err() || self.standings.is_decided() || stop.requested();
        if over { None } else { self.left.next() }
    }

    fn take_in(&mut self, played: io::Result<Played>) {
        let logged = played.map_err(MatchError::Start).and_then(|played| {
            self.log.append(&played.records)?;
            Ok(played.result)
        });
        match logged {
            Ok(result) => {
                self.standings.add(result);
                (self.watch)(&self.standings);
            }
            Err(error) if self.outcome.is_ok() => self.outcome = Err(error),
            Err(_) => {}
        }
    }
}

/// Plays all pairs that are not in `done`, on `jobs` threads; `watch` hears of the standings after
/// every pair, when the log has it, and `follow` of every move. Ends early when asked to stop and when a test is decided; the pairs
/// that run by then are still played and logged.
///
/// # Errors
///
/// [`MatchError`]; what was played before is in the log.
pub fn play_all(
    (settings, cast): (&Settings, &Cast),
    done: &[[GameRecord; 2]],
    log: &mut Log,
    jobs: usize,
    stop: &Stop,
    mut watch: impl FnMut(&Standings) + Send,
    follow: &(dyn Fn(Event) + Sync),
) -> Result<Standings, MatchError> {
    let pairings = pairings(settings.agents.len(), settings.gauntlet);
    let mut standings = Standings::new(settings);
    let mut missing: BTreeSet<u32> = (1..=settings.pairs).collect();
    for games in done {
        missing.remove(&games[0].pair);
        standings.add(PairResult::logged(games.each_ref()));
    }
    watch(&standings);
    let course = Mutex::new(Course {
        log,
        standings,
        left: missing.into_iter(),
        watch,
        outcome: Ok(()),
    });
    // A worker that panics ends the whole match, when the scope does; nobody goes on with its state.
    let locked = || course.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let Some(number) = locked().next(stop) else {
                        return;
                    };
                    let pair = pair(settings, &pairings, number);
                    let played = match cast {
                        Cast::Entropy(entrants) => play_pair(settings, entrants, &pair, follow),
                        Cast::Halma(entrants) => play_pair(settings, entrants, &pair, follow),
                    };
                    locked().take_in(played);
                }
            });
        }
    });
    let course = course.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (log, standings) = (course.log, course.standings);
    log.sync()?;
    course.outcome?;
    log.append(&[Record::End(EndRecord {
        pairs: standings.pairs(),
        verdict: Some(standings.verdict()),
    })])?;
    log.sync()?;
    Ok(standings)
}

/// Plays one game alone, which is no pair: the first agent has the first role. It goes into the log as
/// game 1 of pair 1, and the end behind it; `follow` hears of every move.
///
/// # Errors
///
/// [`MatchError`].
pub fn play_game(
    (settings, cast): (&Settings, &Cast),
    log: &mut Log,
    follow: &(dyn Fn(Event) + Sync),
) -> Result<GameRecord, MatchError> {
    let pairings = pairings(settings.agents.len(), settings.gauntlet);
    let pair = pair(settings, &pairings, 1);
    let played = match cast {
        Cast::Entropy(entrants) => one_game(settings, entrants, &pair, follow),
        Cast::Halma(entrants) => one_game(settings, entrants, &pair, follow),
    };
    let played = played.map_err(MatchError::Start)?;
    let mut records: Vec<Record> = played.moves.into_iter().map(Record::Move).collect();
    records.push(Record::Game(played.game.clone()));
    records.push(Record::End(EndRecord {
        pairs: 0,
        verdict: None,
    }));
    log.append(&records)?;
    log.sync()?;
    Ok(played.game)
}

fn one_game<T: Table>(
    settings: &Settings,
    entrants: &[Entrant<T>],
    pair: &Pair,
    follow: &(dyn Fn(Event) + Sync),
) -> io::Result<game::Played> {
    with_players::<T, _>(settings, entrants, pair, |names, seats| {
        let opening = opening::<T>(settings, pair.seed);
        game::play(settings, (pair, &opening), 1, names, seats, follow)
    })
}

/// Plays the two games of a pair with players that are made for it and know nothing yet, as a war
/// begins with two new connections.
fn play_pair<T: Table>(
    settings: &Settings,
    entrants: &[Entrant<T>],
    pair: &Pair,
    follow: &(dyn Fn(Event) + Sync),
) -> io::Result<Played> {
    let [one, two] = with_players::<T, _>(settings, entrants, pair, |names, seats| {
        let opening = opening::<T>(settings, pair.seed);
        let beginning = (pair, &opening[..]);
        let one = game::play(settings, beginning, 1, names, seats, follow)?;
        seats.reverse();
        let two = game::play(settings, beginning, 2, names, seats, follow)?;
        Ok([one, two])
    })?;
    let result = PairResult::of([&one.game, &two.game], Some([one.times, two.times]));
    let mut records = Vec::with_capacity(one.moves.len() + two.moves.len() + 2);
    for played in [one, two] {
        records.extend(played.moves.into_iter().map(Record::Move));
        records.push(Record::Game(played.game));
    }
    Ok(Played { records, result })
}

/// Makes both players of a pair and seats them for its first game.
fn with_players<T: Table, R>(
    settings: &Settings,
    entrants: &[Entrant<T>],
    pair: &Pair,
    play: impl FnOnce([&str; 2], &mut [Seat<T>; 2]) -> io::Result<R>,
) -> io::Result<R> {
    let places = [pair.first, pair.second];
    let names = places.map(|place| settings.agents[place].name.as_str());
    let mut first = T::player(settings, &entrants[pair.first], names[0], pair.seed)?;
    let mut second = T::player(settings, &entrants[pair.second], names[1], !pair.seed)?;
    let mut seats = [
        Seat {
            name: names[0],
            time: entrants[pair.first].time,
            player: first.as_mut(),
        },
        Seat {
            name: names[1],
            time: entrants[pair.second].time,
            player: second.as_mut(),
        },
    ];
    play(names, &mut seats)
}
