//! The workers that play the pairs, and the one place where results come together.

use std::collections::HashSet;
use std::io;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use turnwise_engine::plugin::Pair as Players;
use turnwise_process::pin_to_core;

use crate::lineup::Lineup;
use crate::log::{Log, LogError};
use crate::records::{EndRecord, GameRecord, Record, Settings};
use crate::referee::{self, Event, Seats};
use crate::schedule::{Next, Pair, Schedule, pair, pairings};
use crate::standings::Standings;
use crate::strength::pair::PairResult;

/// How often a schedule is asked again that waits for something else than the end of a pair.
const ASK_AGAIN: Duration = Duration::from_millis(100);

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

/// What the workers share, under one lock: what is to be played, and where results come together. A
/// worker that has played a pair writes it itself; handing it to another thread would cost more.
struct Shared<'a, S: ?Sized> {
    log: &'a mut Log,
    schedule: &'a mut S,
    outcome: Result<(), MatchError>,
}

impl<S: Schedule + ?Sized> Shared<'_, S> {
    fn next(&mut self) -> Next {
        if self.outcome.is_err() {
            return Next::Over;
        }
        let next = self.schedule.next();
        let drawn: Vec<Record> = (self.schedule.drawn().into_iter())
            .map(Record::Draw)
            .collect();
        match drawn.is_empty() || self.logged(&drawn) {
            true => next,
            false => Next::Over,
        }
    }

    /// False if it cannot be written.
    fn logged(&mut self, records: &[Record]) -> bool {
        let logged = self.log.append(records);
        self.outcome = logged.map_err(MatchError::Log);
        self.outcome.is_ok()
    }

    fn take_in(&mut self, played: io::Result<Played>) {
        let logged = played.map_err(MatchError::Start).and_then(|played| {
            self.log.append(&played.records)?;
            Ok(played)
        });
        match logged {
            Ok(Played { records, result }) => {
                let mut games = records.iter().filter_map(|record| match record {
                    Record::Game(game) => Some(game),
                    _ => None,
                });
                let mut game = || games.next().expect("a pair has two games");
                let games = [game(), game()];
                self.schedule.take_in(games, result);
            }
            Err(error) if self.outcome.is_ok() => self.outcome = Err(error),
            Err(_) => {}
        }
    }
}

/// Plays what a schedule asks for, on `jobs` threads, until it says that nothing more is to be played or
/// `is_stopped`; the pairs that run by then are still played and logged. `follow` hears of every move. What
/// was played before an error is in the log.
pub fn play_scheduled(
    (settings, lineup): (&Settings, &Lineup),
    schedule: &mut (impl Schedule + ?Sized),
    log: &mut Log,
    jobs: usize,
    is_stopped: &(dyn Fn() -> bool + Sync),
    follow: &(dyn Fn(Event) + Sync),
) -> Result<(), MatchError> {
    let shared = Mutex::new(Shared {
        log,
        schedule,
        outcome: Ok(()),
    });
    let is_news = Condvar::new();
    // A worker that panics ends the whole match, when the scope does; nobody goes on with its state.
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |job: usize| {
        if settings.isolation.is_some() {
            pin_to_core(job);
        }
        // However this worker ends, the others do not wait for it.
        let _news = Notice(&is_news);
        while !is_stopped() {
            let mut state = locked();
            let pair = loop {
                match state.next() {
                    Next::Pair(pair) => break pair,
                    Next::Wait if !is_stopped() => {
                        let waited = is_news.wait_timeout(state, ASK_AGAIN);
                        (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    }
                    Next::Wait | Next::Over => return,
                }
            };
            drop(state);
            let played = play_pair(settings, lineup, &pair, follow);
            locked().take_in(played);
            is_news.notify_all();
        }
    };
    let work = &work;
    thread::scope(|scope| {
        for job in 0..jobs {
            scope.spawn(move || work(job));
        }
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    shared.log.sync()?;
    shared.outcome
}

/// Wakes those who wait when it is dropped.
struct Notice<'a>(&'a Condvar);

impl Drop for Notice<'_> {
    fn drop(&mut self) {
        self.0.notify_all();
    }
}

/// The pairs of a match by their numbers, whatever their results, unless a test is decided.
struct InOrder<'a, W> {
    settings: &'a Settings,
    pairings: Vec<(usize, usize)>,
    left: Box<dyn Iterator<Item = u32> + Send + 'a>,
    standings: Standings,
    watch: W,
}

impl<W: FnMut(&Standings) + Send> Schedule for InOrder<'_, W> {
    fn next(&mut self) -> Next {
        if self.standings.is_decided() {
            return Next::Over;
        }
        let number = self.left.next();
        let described = number.map(|number| pair(self.settings, &self.pairings, number));
        described.map_or(Next::Over, Next::Pair)
    }

    fn take_in(&mut self, _games: [&GameRecord; 2], result: PairResult) {
        self.standings.add(result);
        (self.watch)(&self.standings);
    }
}

/// Plays all pairs that are not in `done`, see [`play_scheduled`]; `watch` hears of the standings after
/// every pair, when the log has it. Ends early when a test is decided.
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
    let mut standings = Standings::new(settings);
    let mut played = HashSet::new();
    for games in done {
        played.insert(games[0].pair);
        standings.add(PairResult::logged(scoring, games.each_ref()));
    }
    watch(&standings);
    let mut schedule = InOrder {
        settings,
        pairings: pairings(settings.agents.len(), settings.gauntlet),
        left: Box::new((1..=settings.pairs).filter(move |pair| !played.contains(pair))),
        standings,
        watch,
    };
    let match_ = (settings, lineup);
    play_scheduled(match_, &mut schedule, log, jobs, is_stopped, follow)?;
    let standings = schedule.standings;
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

/// Seats the players of a pair, and lets something be done with them.
pub(crate) fn with_players<R>(
    settings: &Settings,
    lineup: &Lineup,
    pair: &Pair,
    play: impl FnOnce(&mut dyn Players, &Seats) -> io::Result<R>,
) -> io::Result<R> {
    let name = |place: usize| settings.agents[place].name.as_str();
    let seats = Seats {
        names: [name(pair.first), name(pair.second)],
        times: [lineup.time(pair.first)?, lineup.time(pair.second)?],
    };
    let players = [
        lineup.seat(settings, pair.first, pair.seed)?,
        lineup.seat(settings, pair.second, !pair.seed)?,
    ];
    let mut players = settings
        .game
        .0
        .pair(players, pair.seed, pair.pairs_before)?;
    play(players.as_mut(), &seats)
}
