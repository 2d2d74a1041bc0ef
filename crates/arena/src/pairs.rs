//! The workers that play the pairs, and the one place where results come together.

use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use thiserror::Error;

use turnwise_engine::plugin::Pair as Players;

use crate::lineup::Lineup;
use crate::log::{Log, LogError};
use crate::records::{EndRecord, GameRecord, Record, Settings};
use crate::referee::{self, Event, Seats};
use crate::schedule::{Pair, pair, pairings};
use crate::standings::Standings;
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
struct Shared<'a, W> {
    log: &'a mut Log,
    standings: Standings,
    left: Box<dyn Iterator<Item = u32> + Send + 'a>,
    watch: W,
    outcome: Result<(), MatchError>,
}

impl<W: FnMut(&Standings)> Shared<'_, W> {
    fn next(&mut self) -> Option<u32> {
        let is_over = self.outcome.is_err() || self.standings.is_decided();
        if is_over { None } else { self.left.next() }
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
/// every pair, when the log has it, and `follow` of every move. Ends early once `is_stopped` and when a
/// test is decided; the pairs that run by then are still played and logged. What was played before an
/// error is in the log.
pub fn play_all(
    (settings, lineup): (&Settings, &Lineup),
    done: &[[GameRecord; 2]],
    log: &mut Log,
    jobs: usize,
    is_stopped: &(dyn Fn() -> bool + Sync),
    mut watch: impl FnMut(&Standings) + Send,
    follow: &(dyn Fn(Event) + Sync),
) -> Result<Standings, MatchError> {
    let scoring = settings.game.about().scoring;
    let pairings = pairings(settings.agents.len(), settings.gauntlet);
    let mut standings = Standings::new(settings);
    let mut played = HashSet::new();
    for games in done {
        played.insert(games[0].pair);
        standings.add(PairResult::logged(scoring, games.each_ref()));
    }
    watch(&standings);
    let shared = Mutex::new(Shared {
        log,
        standings,
        left: Box::new((1..=settings.pairs).filter(move |pair| !played.contains(pair))),
        watch,
        outcome: Ok(()),
    });
    // A worker that panics ends the whole match, when the scope does; nobody goes on with its state.
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while !is_stopped() {
                    let Some(number) = locked().next() else {
                        return;
                    };
                    let pair = pair(settings, &pairings, number);
                    let played = play_pair(settings, lineup, &pair, follow);
                    locked().take_in(played);
                }
            });
        }
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (log, standings) = (shared.log, shared.standings);
    log.sync()?;
    shared.outcome?;
    log.append(&[Record::End(EndRecord {
        pairs: standings.done,
        verdict: Some(standings.verdict()),
    })])?;
    log.sync()?;
    Ok(standings)
}

/// Plays one game alone, which is no pair: the first agent has the first role. It goes into the log as
/// game 1 of pair 1, and the end behind it; `follow` hears of every move.
pub fn play_game(
    (settings, lineup): (&Settings, &Lineup),
    log: &mut Log,
    follow: &(dyn Fn(Event) + Sync),
) -> Result<GameRecord, MatchError> {
    let pairings = pairings(settings.agents.len(), settings.gauntlet);
    let pair = pair(settings, &pairings, 1);
    let played = with_players(settings, lineup, &pair, |players, seats| {
        referee::play(settings, &pair, 1, players, seats, follow)
    });
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

/// Plays the two games of a pair with players that are made for it and know nothing yet, as a war
/// begins with two new connections.
fn play_pair(
    settings: &Settings,
    lineup: &Lineup,
    pair: &Pair,
    follow: &(dyn Fn(Event) + Sync),
) -> io::Result<Played> {
    let [one, two] = with_players(settings, lineup, pair, |players, seats| {
        let one = referee::play(settings, pair, 1, players, seats, follow)?;
        let two = referee::play(settings, pair, 2, players, seats, follow)?;
        Ok([one, two])
    })?;
    let scoring = settings.game.about().scoring;
    let result = PairResult::of(
        scoring,
        [&one.game, &two.game],
        Some([one.times, two.times]),
    );
    let mut records = Vec::with_capacity(one.moves.len() + two.moves.len() + 2);
    for played in [one, two] {
        records.extend(played.moves.into_iter().map(Record::Move));
        records.push(Record::Game(played.game));
    }
    Ok(Played { records, result })
}

fn with_players<R>(
    settings: &Settings,
    lineup: &Lineup,
    pair: &Pair,
    play: impl FnOnce(&mut dyn Players, &Seats) -> io::Result<R>,
) -> io::Result<R> {
    let places = [pair.first, pair.second];
    let seats = Seats {
        names: places.map(|place| settings.agents[place].name.as_str()),
        times: places.map(|place| lineup.time(place)),
    };
    let players = [
        lineup.seat(settings, pair.first, pair.seed)?,
        lineup.seat(settings, pair.second, !pair.seed)?,
    ];
    let mut players = settings.game.0.pair(players, pair.seed, pair.meetings)?;
    play(players.as_mut(), &seats)
}
