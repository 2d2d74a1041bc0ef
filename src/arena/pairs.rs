//! The workers that play the pairs, and the one place where results come together.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use thiserror::Error;

use super::child::ChildPlayer;
use super::daemon::DaemonPlayer;
use super::game::{self, Seat};
use super::in_process::InProcess;
use super::interrupt::Stop;
use super::log::{Log, LogError};
use super::player::Player;
use super::schedule::{Pair, pair, pairings};
use super::settings::BadSettings;
use super::spec::Kind;
use super::standings::{PairResult, Standings};
use crate::games::entropy::evaluation::Evaluation;
use crate::games::entropy::weights::Weights;
use crate::records::{EndRecord, GameRecord, Record, Settings, Via};

/// Why a match stopped.
#[derive(Debug, Error)]
pub enum MatchError {
    /// It cannot be played as asked.
    #[error(transparent)]
    Settings(#[from] BadSettings),
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
/// every pair, when the log has it. Ends early when asked to stop and when a test is decided; the pairs
/// that run by then are still played and logged.
///
/// # Errors
///
/// [`MatchError`]; what was played before is in the log.
pub fn play_all(
    settings: &Settings,
    done: &[[GameRecord; 2]],
    log: &mut Log,
    jobs: usize,
    stop: &Stop,
    mut watch: impl FnMut(&Standings) + Send,
) -> Result<Standings, MatchError> {
    let kinds = settings.check()?;
    let pairings = pairings(settings.agents.len(), settings.gauntlet);
    let mut standings = Standings::new(settings);
    let mut missing: BTreeSet<u32> = (1..=settings.pairs).collect();
    for games in done {
        missing.remove(&games[0].pair);
        standings.add(PairResult::logged(games));
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
                    let played = play_pair(settings, &kinds, &pair);
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

/// Plays the two games of a pair with players that are made for it and know nothing yet, as a war
/// begins with two new connections.
fn play_pair(settings: &Settings, kinds: &[Kind], pair: &Pair) -> io::Result<Played> {
    let places = [pair.first, pair.second];
    let names = places.map(|place| settings.agents[place].name.as_str());
    let mut first = player(settings, &kinds[pair.first], names[0], pair.seed)?;
    let mut second = player(settings, &kinds[pair.second], names[1], !pair.seed)?;
    let mut seats = [(0, &mut first), (1, &mut second)].map(|(at, player)| Seat {
        name: names[at],
        weights: weights(&kinds[places[at]]),
        player: player.as_mut(),
    });
    let one = game::play(settings, pair, 1, names, &mut seats)?;
    seats.reverse();
    let two = game::play(settings, pair, 2, names, &mut seats)?;
    let result = PairResult::of([&one.game, &two.game], Some([one.times, two.times]));
    let mut records = Vec::with_capacity(one.moves.len() + two.moves.len() + 2);
    for played in [one, two] {
        records.extend(played.moves.into_iter().map(Record::Move));
        records.push(Record::Game(played.game));
    }
    Ok(Played { records, result })
}

fn weights(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::BuiltIn { agent, .. } => agent.weights(),
        Kind::Command { .. } | Kind::Daemon { .. } => None,
    }
}

fn player(settings: &Settings, kind: &Kind, name: &str, seed: u64) -> io::Result<Box<dyn Player>> {
    Ok(match kind {
        Kind::BuiltIn { agent, .. } if settings.via == Via::Tcp => {
            let words = our_daemon(settings, agent.name(), name, seed)?;
            Box::new(DaemonPlayer::new(words)?)
        }
        Kind::BuiltIn {
            agent,
            nodes,
            depth,
            weights,
        } => {
            let limits = [*nodes, settings.nodes()];
            let fewest = limits.into_iter().flatten().min();
            let weights = weights.as_deref().map(read_weights).transpose()?;
            Box::new(InProcess {
                agent: agent.start(seed, fewest, weights),
                nodes: *nodes,
                depth: *depth,
            })
        }
        Kind::Command { words, wire } => Box::new(ChildPlayer::new(words.clone(), *wire)),
        Kind::Daemon { words } => Box::new(DaemonPlayer::new(words.clone())?),
    })
}

fn read_weights(path: &Path) -> io::Result<Arc<Evaluation>> {
    let bytes = std::fs::read(path)?;
    let weights = Weights::from_bytes(&bytes).map_err(|error| {
        let reason = format!("{}: {error}", path.display());
        io::Error::new(io::ErrorKind::InvalidData, reason)
    })?;
    Ok(Arc::new(weights.into_evaluation()))
}

/// The command line of this program as a daemon.
fn our_daemon(settings: &Settings, agent: &str, name: &str, seed: u64) -> io::Result<Vec<String>> {
    let program = std::env::current_exe()?;
    let mut words = vec![
        program.to_string_lossy().into_owned(),
        "play".to_owned(),
        "127.0.0.1".to_owned(),
        "{port}".to_owned(),
    ];
    let seed = seed.to_string();
    words.extend(["--agent", agent, "--seed", &seed, "--name", name].map(str::to_owned));
    words.extend(["--wire", "json", "--reconnect", "never"].map(str::to_owned));
    if let Some(clock) = settings.clock() {
        words.extend(["--clock".to_owned(), clock.as_secs_f64().to_string()]);
    }
    if settings.pass {
        words.push("--pass".to_owned());
    }
    Ok(words)
}
