//! Plays the pairs of a match on threads of this machine, writes them to the log, and counts their results.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use turnwise_engine::plugin::{Meeting, RulesError};
use turnwise_process::pin_to_core;

use crate::lineup::Lineup;
use crate::log::{Log, LogError, lines};
use crate::records::{
    EndRecord, Fault, GameRecord, LONGEST_LINE, MoveRecord, Record, Settings, read_line,
};
use crate::referee::{self, Event, Seats};
use crate::schedule::{Next, Pair, Schedule, pair, pairings, pairings_of, seed_of};
use crate::standings::Standings;
use crate::strength::pair::PairResult;

/// The maximum wait before a thread asks the schedule again, if no pair was ready.
const ASK_AGAIN: Duration = Duration::from_millis(100);

/// The reason why a match stopped before its end.
#[derive(Debug, Error)]
pub enum MatchError {
    /// A player could not be started.
    #[error("the match has stopped; its log is intact, and it can be resumed: {0}")]
    Start(io::Error),
    /// The system could not start a thread.
    #[error("cannot start a thread for a game (check ulimit -u and -v): {0}")]
    Thread(io::Error),
    /// The log could not be written.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// A played pair: its lines for the log, and its result.
#[derive(Debug)]
pub struct Played {
    /// The lines for the log, with the moves and the games of the pair.
    lines: Vec<u8>,
    games: Vec<GameRecord>,
    /// The result of the pair; `None` for a rotation, which is the games of more than two agents.
    result: Option<PairResult>,
}

impl Played {
    /// Returns the pair's lines for the log, to be sent to another machine.
    pub fn into_lines(self) -> Vec<u8> {
        self.lines
    }

    /// Returns the faults in the pair's games, including the fault of a first try that was replaced.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        let games = self.games.iter();
        games.flat_map(|game| game.faults().chain(game.first_try.as_deref()))
    }

    /// Restores a pair from the lines that another machine sent after playing it. Replays the moves to check the results.
    ///
    /// # Errors
    ///
    /// Returns a description if the lines are not the pair's moves and all its games, in order, or if a result does not
    /// follow from the moves.
    pub fn of_lines(settings: &Settings, pair: &Pair, lines: Vec<u8>) -> Result<Self, String> {
        let pairings = pairings_of(settings);
        let names = pair.agents().map(|place| &settings.agents[place].name);
        let names: Vec<&String> = names.collect();
        let (mut games, mut made) = (Vec::new(), Vec::new());
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            if line.len() as u64 > LONGEST_LINE || !line.ends_with(b"\n") {
                return Err("a line that is too long or incomplete".to_owned());
            }
            let record = read_line(line).map_err(|error| error.to_string())?;
            let game_number = games.len() as u8 + 1;
            match record {
                Record::Move(move_made)
                    if (move_made.pair, move_made.game) == (pair.number, game_number) =>
                {
                    made.push(move_made);
                }
                Record::Game(game) if (game.pair, game.game) == (pair.number, game_number) => {
                    let game = GameRecord::of(game, &settings.game)?;
                    if let Some(got) = game.objection(settings, &pairings) {
                        return Err(got);
                    }
                    if !game.agents().eq(names.iter().copied()) || game.meeting != pair.meeting {
                        return Err(format!("game {game_number} of another meeting"));
                    }
                    if game.seed != pair.seed {
                        return Err(format!("game {game_number} from another seed"));
                    }
                    game.check_moves(settings)
                        .map_err(|why| format!("game {game_number}, but {why}"))?;
                    let is_in_game = |made: &MoveRecord| {
                        let ply = (made.ply as usize).checked_sub(1);
                        ply.and_then(|ply| game.moves.get(ply)) == Some(&made.mv)
                    };
                    if !made.drain(..).all(|made| is_in_game(&made)) {
                        return Err(format!("a move that is not in game {game_number}"));
                    }
                    games.push(game);
                }
                _ => return Err("a record of another pair or game".to_owned()),
            }
        }
        let expected = usize::from(pair.games(settings));
        if games.len() != expected {
            return Err(format!("{} of {expected} games", games.len()));
        }
        let result = PairResult::of_meeting(settings.game.about().scoring, &games);
        Ok(Self {
            lines,
            games,
            result,
        })
    }
}

/// The work of a match: returns the pairs that remain to be played, and collects the results of all pairs.
pub struct Work<'a> {
    log: &'a mut Log,
    schedule: &'a mut dyn Schedule,
}

impl<'a> Work<'a> {
    /// Creates the work of a match that follows `schedule`. The results will be written to `log`.
    pub fn new(schedule: &'a mut dyn Schedule, log: &'a mut Log) -> Self {
        Self { log, schedule }
    }

    /// Returns the next pair to play.
    ///
    /// # Errors
    ///
    /// Returns an error if a tournament's draws cannot be written to the log.
    pub fn next_pair(&mut self) -> Result<Next, LogError> {
        let next = self.schedule.next();
        // The draw is logged before its games are played, so that the log never contains a game without its meeting.
        let drawn = self.schedule.drawn().into_iter().map(Record::Draw);
        let drawn: Vec<Record> = drawn.collect();
        if !drawn.is_empty() {
            self.log.append(&drawn)?;
        }
        Ok(next)
    }

    /// Writes a played pair to the log and counts its result. Call this only once for each pair.
    ///
    /// # Errors
    ///
    /// Returns an error if the log cannot be written.
    pub fn take_in(&mut self, played: &Played) -> Result<(), LogError> {
        self.log.write(&played.lines)?;
        self.schedule.take_in(&played.games, played.result.clone());
        Ok(())
    }

    /// Returns the path of the log.
    pub fn log_path(&self) -> &Path {
        self.log.path()
    }

    /// Returns true if the match is decided, so that unfinished pairs are no longer needed.
    pub fn is_decided(&self) -> bool {
        self.schedule.is_decided()
    }

    /// Waits until all collected pairs survive a loss of power.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot guarantee this.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.log.sync()
    }
}

/// The state that all local threads share behind one lock.
///
/// The thread that played a pair also writes it to the log; passing it to another thread would cost more.
struct Shared<'a> {
    work: Work<'a>,
    outcome: Result<(), MatchError>,
}

impl Shared<'_> {
    fn next(&mut self) -> Next {
        if self.outcome.is_err() {
            return Next::Over;
        }
        self.work.next_pair().unwrap_or_else(|error| {
            self.outcome = Err(error.into());
            Next::Over
        })
    }

    fn take_in(&mut self, played: io::Result<Played>) {
        let played = played.map_err(MatchError::Start);
        let logged = played.and_then(|played| Ok(self.work.take_in(&played)?));
        if self.outcome.is_ok() {
            self.outcome = logged;
        }
    }
}

/// Plays a schedule's pairs on `jobs` threads until the schedule is over or `is_stopped` returns true.
///
/// Pairs that are in progress at that time are finished and logged. `follow` receives every move. If an error
/// occurs, the log contains all pairs played before it.
pub fn play_scheduled(
    (settings, lineup): (&Settings, &Lineup),
    work: Work,
    jobs: usize,
    is_stopped: &(dyn Fn() -> bool + Sync),
    follow: &(dyn Fn(Event) + Sync),
) -> Result<(), MatchError> {
    let shared = Mutex::new(Shared {
        work,
        outcome: Ok(()),
    });
    let is_news = Condvar::new();
    // If a thread panics, the scope ends the whole match with that panic. A poisoned lock can therefore be ignored.
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |job: usize| {
        if settings.isolation.is_some() {
            pin_to_core(job);
        }
        // Even if this thread ends with an error, dropping this notice wakes the threads that wait for its pair.
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
            let started = thread::Builder::new().spawn_scoped(scope, move || work(job));
            match started {
                Ok(_) => {}
                // If the system refuses to start more threads, the threads started so far play all games.
                Err(_) if job > 0 => break,
                Err(error) => return Err(MatchError::Thread(error)),
            }
        }
        Ok(())
    })?;
    let mut shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Even after an error, the pairs logged before it must survive a loss of power.
    shared.work.sync()?;
    shared.outcome
}

/// When dropped, wakes all threads that wait for this condition variable.
struct Notice<'a>(&'a Condvar);

impl Drop for Notice<'_> {
    fn drop(&mut self) {
        self.0.notify_all();
    }
}

/// The schedule of a match: plays the pairs in the order of their numbers until a sequential test is decided.
struct InOrder<'a, W> {
    settings: &'a Settings,
    pairings: Vec<(usize, usize)>,
    left: Box<dyn Iterator<Item = u32> + Send + 'a>,
    standings: Standings,
    watch: W,
}

impl<W: FnMut(&Standings) + Send> Schedule for InOrder<'_, W> {
    fn next(&mut self) -> Next {
        if self.is_decided() {
            return Next::Over;
        }
        let number = self.left.next();
        let described = number.map(|number| pair(self.settings, &self.pairings, number));
        described.map_or(Next::Over, Next::Pair)
    }

    fn take_in(&mut self, _games: &[GameRecord], result: Option<PairResult>) {
        // The result is `None` only for rotations, which occur only in tournaments.
        if let Some(result) = result {
            self.standings.add(result);
            (self.watch)(&self.standings);
        }
    }

    fn is_decided(&self) -> bool {
        self.standings.is_decided()
    }
}

/// The pairs of a match that have already been played: their numbers, and the standings after them.
#[derive(Debug, Clone)]
pub struct Done {
    numbers: HashSet<u32>,
    standings: Standings,
}

impl Done {
    /// Creates the state of a match of which no pair has been played.
    pub fn new(settings: &Settings) -> Self {
        Self {
            numbers: HashSet::new(),
            standings: Standings::new(settings),
        }
    }

    /// Adds the games of a pair.
    pub fn add(&mut self, games: &[GameRecord]) {
        let scoring = self.standings.settings.game.about().scoring;
        self.numbers.extend(games.first().map(|game| game.pair));
        if let Some(result) = PairResult::of_meeting(scoring, games) {
            self.standings.add(result);
        }
    }

    /// Returns these pairs as the beginning of a match with this number of pairs.
    pub fn extended(mut self, pairs: u32) -> Self {
        self.standings.settings.pairs = pairs;
        self
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> usize {
        self.numbers.len()
    }
}

/// Plays all pairs that are not in `done` on local threads, as [`play_scheduled`] does.
///
/// `watch` receives the standings after each logged pair. The match ends early when a sequential test is decided.
pub fn play_all(
    (settings, lineup): (&Settings, &Lineup),
    done: Done,
    log: &mut Log,
    jobs: usize,
    is_stopped: &(dyn Fn() -> bool + Sync),
    watch: impl FnMut(&Standings) + Send,
    follow: &(dyn Fn(Event) + Sync),
) -> Result<Standings, MatchError> {
    play_all_by(settings, done, log, watch, |work| {
        play_scheduled((settings, lineup), work, jobs, is_stopped, follow)
    })
}

/// Plays all pairs like [`play_all`], but `execute` decides where each pair is played.
///
/// `execute` must request pairs from the [`Work`] until no pair is left, and give it their results.
pub fn play_all_by<E: From<LogError>>(
    settings: &Settings,
    done: Done,
    log: &mut Log,
    mut watch: impl FnMut(&Standings) + Send,
    execute: impl FnOnce(Work) -> Result<(), E>,
) -> Result<Standings, E> {
    let Done { numbers, standings } = done;
    watch(&standings);
    let mut schedule = InOrder {
        settings,
        pairings: pairings(settings.agents.len(), settings.gauntlet),
        left: Box::new((1..=settings.pairs).filter(move |pair| !numbers.contains(pair))),
        standings,
        watch,
    };
    execute(Work::new(&mut schedule, log))?;
    let standings = schedule.standings;
    log.append(&[Record::End(EndRecord {
        pairs: standings.done,
        verdict: Some(standings.verdict()),
    })])?;
    log.sync()?;
    Ok(standings)
}

/// Plays a single game that is not part of a pair, as [`play_single`] does, and writes it to the log.
pub fn play_game(
    of: (&Settings, &Lineup),
    log: &mut Log,
    follow: &(dyn Fn(Event) + Sync),
) -> Result<GameRecord, MatchError> {
    let (game, records) = play_single(of, follow).map_err(MatchError::Start)?;
    log.append(&records)?;
    log.sync()?;
    Ok(game)
}

/// Plays a single game that is not part of a pair. The first agent has the first role. Returns the game, and its
/// records for a log.
///
/// The log contains the game as game 1 of pair 1, followed by the end record. `follow` receives every move.
/// If programs are isolated, the calling thread is pinned to the first core.
///
/// # Errors
///
/// Returns an error if a player cannot be started.
pub fn play_single(
    (settings, lineup): (&Settings, &Lineup),
    follow: &(dyn Fn(Event) + Sync),
) -> io::Result<(GameRecord, Vec<Record>)> {
    if settings.isolation.is_some() {
        pin_to_core(0);
    }
    let pairings = pairings(settings.agents.len(), settings.gauntlet);
    let pair = pair(settings, &pairings, 1);
    let played = play_games((settings, lineup), &pair, 1, follow, &|| false)?;
    let played = played.and_then(|games| games.into_iter().next());
    let played = played.expect("nobody cancels it");
    let mut records: Vec<Record> = played.moves.into_iter().map(Record::Move).collect();
    records.push(Record::Game(played.game.clone()));
    records.push(Record::End(EndRecord {
        pairs: 0,
        verdict: None,
    }));
    Ok((played.game, records))
}

/// Plays all games of a pair with newly created players, which know nothing of earlier pairs.
///
/// Likewise, a war (a pair of games) begins with two new connections. `follow` receives every move.
///
/// # Errors
///
/// Returns an error if a player cannot be started.
pub fn play_pair(
    settings: &Settings,
    lineup: &Lineup,
    pair: &Pair,
    follow: &(dyn Fn(Event) + Sync),
) -> io::Result<Played> {
    let played = play_pair_unless(settings, lineup, pair, follow, &|| false)?;
    Ok(played.expect("nobody cancels it"))
}

/// Plays a pair as [`play_pair`] does, unless it is cancelled.
///
/// `is_cancelled` is called after every move, and cancels the pair by returning true.
///
/// # Errors
///
/// Returns an error if a player cannot be started.
pub fn play_pair_unless(
    settings: &Settings,
    lineup: &Lineup,
    pair: &Pair,
    follow: &(dyn Fn(Event) + Sync),
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<Option<Played>> {
    let all = pair.games(settings);
    let Some(games) = play_games((settings, lineup), pair, all, follow, is_cancelled)? else {
        return Ok(None);
    };
    let times: Option<Vec<_>> = games.iter().map(|played| played.times).collect();
    let mut records = Vec::with_capacity(games.iter().map(|played| played.moves.len() + 1).sum());
    let games = games.into_iter().map(|played| {
        records.extend(played.moves.into_iter().map(Record::Move));
        records.push(Record::Game(played.game.clone()));
        played.game
    });
    let games: Vec<GameRecord> = games.collect();
    let scoring = settings.game.about().scoring;
    let result = match (&*games, times.as_deref()) {
        ([one, two], Some(&[first, second])) => {
            Some(PairResult::of(scoring, [one, two], Some([first, second])))
        }
        _ => None,
    };
    Ok(Some(Played {
        lines: lines(&records)?,
        result,
        games,
    }))
}

/// Plays the first `number` games of a pair. Returns `None` if they are cancelled.
///
/// A game that ended because the machine was busy is played a second time, with its original seed and with new
/// players, which also play the following games. The log contains only the fault of the first try. If the machine is
/// busy in the second try too, the game counts with the second result. Otherwise a machine that stays busy would
/// block the match forever.
///
/// A game whose rules failed is also played a second time. If they fail again, or have failed too often in this match,
/// the match stops.
fn play_games(
    (settings, lineup): (&Settings, &Lineup),
    pair: &Pair,
    number: u8,
    follow: &dyn Fn(Event),
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<Option<Vec<referee::Played>>> {
    let mut games = Vec::new();
    let mut first_try = None;
    let mut failed = None;
    while games.len() < usize::from(number) {
        let next = games.len() as u8 + 1;
        let played = with_players(settings, lineup, (pair, next), |players, seats| {
            for game in next..=number {
                let played =
                    referee::play(settings, pair, game, players, seats, follow, is_cancelled)?;
                let Some(mut played) = played else {
                    return Ok(true);
                };
                if first_try.is_none() && played.game.busy().is_some() {
                    first_try = played.game.busy().cloned().map(Box::new);
                    return Ok(false);
                }
                played.game.first_try = first_try.take();
                follow(Event::Over(&played.game));
                games.push(played);
            }
            Ok(false)
        });
        match played {
            Ok(true) => return Ok(None),
            Ok(false) => {}
            Err(error) if failed != Some(next) && can_be_tried_again(&error) => {
                failed = Some(next);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Some(games))
}

/// Returns true for a failure of the rules of a game after which another try is allowed.
fn can_be_tried_again(error: &io::Error) -> bool {
    let inner = error.get_ref();
    let failure = inner.and_then(|inner| inner.downcast_ref::<RulesError>());
    failure.is_some_and(|failure| !failure.is_final)
}

/// Creates the players of a pair, seats them at the game's table, and calls a function with them. They begin with the
/// game that has the number `game` in the pair.
pub(crate) fn with_players<R>(
    settings: &Settings,
    lineup: &Lineup,
    (pair, game): (&Pair, u8),
    play: impl FnOnce(&mut Meeting, &Seats) -> io::Result<R>,
) -> io::Result<R> {
    let name = |place: usize| settings.agents[place].name.as_str();
    let times = pair.agents().map(|place| lineup.time(place));
    let seats = Seats {
        names: pair.agents().map(name).collect(),
        times: times.collect::<io::Result<_>>()?,
    };
    let players = (0..).zip(pair.agents()).map(|(at, place)| {
        let seed = match at {
            0 => pair.seed,
            1 => !pair.seed,
            further => seed_of(pair.seed.wrapping_add(further)),
        };
        lineup.seat(settings, place, seed, (pair.number, game))
    });
    let players = players.collect::<io::Result<_>>()?;
    let mut meeting = Meeting::new(
        settings.game.0.clone(),
        players,
        pair.seed,
        pair.pairs_before,
    )?;
    play(&mut meeting, &seats)
}
