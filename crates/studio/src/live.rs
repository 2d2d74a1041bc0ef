//! Shows running games to spectators. Playing is never delayed by a spectator, because news about the games is only put
//! into a buffer.
//!
//! If the buffer is full, news is dropped, and later all spectators receive the whole state again.
//!
//! A separate thread keeps the state of all games and sends it. Each spectator first receives the state, and then every
//! change. A spectator that reads too slowly is disconnected; when it reconnects, it receives the state again.

mod news;
mod standings;

use std::collections::VecDeque;
use std::fmt::Write;
use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::Serialize;
use tokio::sync::broadcast;
use turnwise_arena::agents::Spec;
use turnwise_arena::records::{Fault, GameRecord, GameResult, MoveRecord};
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::plugin;
use turnwise_engine::table::PUT_OUT;
use turnwise_report::Match;
use turnwise_report::logs::Game;
use turnwise_report::page::data::{Following, GameData, MatchAbout, Ply, fault_of};

pub use news::{Announcer, Beginning, Begun, Heard, News, channel};

/// The maximum number of events that wait until a spectator reads them.
const MOST_EVENTS: usize = 1024;

/// The maximum number of finished games that new spectators can see.
const MOST_OVER: usize = 200;

/// The maximum total size of the finished games that new spectators can see, in bytes of JSON.
const MOST_BYTES: usize = 4 << 20;

/// The maximum time to wait at the end of the match until all spectators have received the last event.
const FAREWELL: Duration = Duration::from_secs(1);

/// The minimum time between two computations of the standings.
const BETWEEN_STANDINGS: Duration = Duration::from_secs(1);

/// The standings of a large tournament take long to compute. The time between two computations is at least this many
/// times as long as a computation.
const LEAST_PAUSE: u32 = 20;

/// The state of a match's games, and the connections to the spectators.
pub struct Live {
    title: String,
    state: Mutex<State>,
}

struct State {
    /// The settings, and the games whose results count.
    of: Match,
    /// The standings as JSON, as they were last computed.
    standings: String,
    /// True if a game has ended since the standings were last computed.
    are_standings_old: bool,
    /// The running games, in the order of their start.
    under_way: Vec<UnderWay>,
    /// The finished games as JSON; the game that ended last comes last.
    over: VecDeque<String>,
    /// The event with the whole state, for new spectators. `None` if the state has changed since the event was last
    /// created.
    told: Option<Bytes>,
    /// The channel that sends events to all spectators; `None` once the match is over.
    spectators: Option<broadcast::Sender<Bytes>>,
}

struct UnderWay {
    game: Game,
    following: Following,
    last_move: Instant,
    /// The time controls of the players, in the order of the roles.
    times: Vec<TimeControl>,
    /// The time on the players' clocks after their last moves, in seconds; empty without clocks.
    clocks: Vec<f64>,
    /// The side whose times are measured here: see [`Begun::measured`].
    measured: Option<usize>,
}

impl UnderWay {
    fn is(&self, pair: u32, game: u8) -> bool {
        (self.game.record.pair, self.game.record.game) == (pair, game)
    }

    /// Makes the next move of the game; `logged` is the record of the move. Returns `None` if the move is impossible on
    /// the board.
    fn step(&mut self, text: &str, logged: Option<&MoveRecord>) -> Option<&Ply> {
        self.last_move = Instant::now();
        self.game.record.moves.push(text.to_owned());
        self.following.follow(text, logged)
    }

    /// Updates the clock of the player that made the move `record`. Returns the time left on it; `None` if it is unknown.
    fn charge(&mut self, counts: Counts, record: &MoveRecord) -> Option<f64> {
        let mut players = self.game.record.result.players.iter();
        let side = players.position(|name| *name == record.agent)?;
        let TimeControl::Clock { increment, .. } = self.times[side] else {
            return None;
        };
        self.clocks[side] = record.clock_after_s(counts, increment)?;
        Some(self.clocks[side])
    }
}

/// A game in the JSON format that spectators receive.
#[derive(Serialize)]
struct Told<'a> {
    id: String,
    live: bool,
    /// The time that has passed since the last move, in seconds.
    since: f64,
    /// The side to move; `None` if the game is over or the side is unknown.
    to_move: Option<usize>,
    /// The time on the players' clocks after their last moves, in seconds and in the order of the roles; empty without
    /// clocks, and if the game is over.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    clocks: &'a [f64],
    /// The side whose times are measured here: see [`Begun::measured`].
    #[serde(skip_serializing_if = "Option::is_none")]
    measured_side: Option<usize>,
    #[serde(flatten)]
    data: GameData<'a>,
}

impl<'a> Told<'a> {
    /// Creates the description of a finished game.
    fn over(
        game: &'a Game,
        of: &Match,
        following: &'a Following,
        measured_side: Option<usize>,
    ) -> Self {
        Self {
            id: id(game.record.pair, game.record.game),
            live: false,
            since: 0.0,
            to_move: None,
            clocks: &[],
            measured_side,
            data: GameData::new(game, &of.header.game, following).studied(game),
        }
    }

    /// Creates the description of a running game.
    fn running(known: &'a UnderWay, of: &Match) -> Self {
        let over = Self::over(&known.game, of, &known.following, known.measured);
        Self {
            live: true,
            since: known.last_move.elapsed().as_secs_f64(),
            to_move: known.following.to_move(),
            clocks: &known.clocks,
            data: over.data.under_way(),
            ..over
        }
    }
}

/// A move in the JSON format that spectators receive.
#[derive(Serialize)]
struct MoveTold<'a> {
    id: String,
    ply: &'a Ply,
    #[serde(rename = "move")]
    text: &'a str,
    /// The time on the player's clock after the move, in seconds; `None` if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<f64>,
    /// A description of all faults in the game so far; `None` unless a player has just been eliminated.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<[String; 3]>,
}

fn id(pair: u32, game: u8) -> String {
    format!("{pair}-{game}")
}

/// Formats a value as the data of an event.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("games are plain values")
}

/// Formats an event for a stream of server-sent events. The data must have no line ends, and JSON has none.
pub(crate) fn event(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

impl Live {
    /// Creates the state of a match. The games that the match already has count in the standings.
    pub fn new(of: Match, title: String) -> Arc<Self> {
        Arc::new(Self {
            title,
            state: Mutex::new(State {
                standings: standings::standings(&of),
                are_standings_old: false,
                of,
                under_way: Vec::new(),
                over: VecDeque::new(),
                told: None,
                spectators: Some(broadcast::Sender::new(MOST_EVENTS)),
            }),
        })
    }

    /// Returns the title of the match that spectators see.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns an event with the whole state, and a receiver for the events about all later changes.
    ///
    /// The receiver is `None` once the match is over.
    pub fn watch(&self) -> (Bytes, Option<broadcast::Receiver<Bytes>>) {
        let mut state = self.state();
        let changes = state.spectators.as_ref().map(broadcast::Sender::subscribe);
        let whole = state
            .told
            .take()
            .unwrap_or_else(|| event("games", &self.whole(&state)));
        state.told = Some(whole.clone());
        (whole, changes)
    }

    /// Processes the news about the games until the future `ends` completes. Then tells the spectators that the match
    /// is over.
    pub async fn run(&self, mut heard: Heard, ends: impl Future<Output = ()>) {
        let mut ends = std::pin::pin!(ends);
        let mut due = tokio::time::Instant::now();
        loop {
            tokio::select! {
                biased;
                () = &mut ends => break,
                () = tokio::time::sleep_until(due), if self.state().are_standings_old => {
                    due = tokio::time::Instant::now() + self.rank();
                }
                Some(news) = heard.news.recv() => self.take_in(news, &heard.is_lost),
                else => pending().await,
            }
            // The tasks that serve the spectators run on this thread too, so they must get a chance to run.
            tokio::task::yield_now().await;
        }
        while let Ok(news) = heard.news.try_recv() {
            self.take_in(news, &heard.is_lost);
        }
        if self.state().are_standings_old {
            self.rank();
        }
        let Some(spectators) = self.state().spectators.take() else {
            return;
        };
        let _ = spectators.send(event("closed", "{}"));
        let until = tokio::time::Instant::now() + FAREWELL;
        while spectators.receiver_count() > 0 && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Computes the standings and sends them to all spectators. Returns the time until the next computation.
    fn rank(&self) -> Duration {
        let mut state = self.state();
        let begun = Instant::now();
        state.standings = standings::standings(&state.of);
        state.are_standings_old = false;
        state.told = None;
        state.tell(|| event("standings", &state.standings));
        BETWEEN_STANDINGS.max(LEAST_PAUSE * begun.elapsed())
    }

    fn take_in(&self, news: News, is_lost: &AtomicBool) {
        let mut state = self.state();
        let state = &mut *state;
        state.told = None;
        if is_lost.swap(false, Ordering::Relaxed) {
            // It is unknown which games the lost news was about, so all running games are removed. Each game is shown
            // again, with all moves, when it ends.
            state.under_way.clear();
            state.tell(|| event("games", &self.whole(state)));
        }
        match news {
            News::Settled(settings) => {
                state.under_way.clear();
                state.over.clear();
                state.of = Match::new(settings);
                state.standings = standings::standings(&state.of);
                state.tell(|| event("games", &self.whole(state)));
            }
            News::Begun(begun) => state.begin(begun),
            News::Moved(record) => state.move_on(record),
            News::PutOut { pair, game, fault } => state.put_out((pair, game), fault),
            News::Over(record) => state.end(record),
            News::Abandoned { pair, game, why } => state.abandon((pair, game), &why),
        }
    }

    /// Returns the whole state as JSON.
    fn whole(&self, state: &State) -> String {
        let about = MatchAbout::new(&state.of.header, self.title.clone());
        let mut text = format!(
            "{{\"match\":{},\"standings\":{},\"games\":[",
            json(&about),
            state.standings
        );
        let under_way =
            (state.under_way.iter()).map(|known| json(&Told::running(known, &state.of)));
        let games = state.over.iter().cloned().chain(under_way);
        for (number, game) in games.enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{game}");
        }
        text + "]}"
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin(&mut self, begun: Begun) {
        // Without a valid first position, the game cannot be shown while it runs. It is shown once it has ended.
        let Some(under_way) = self.opened(begun) else {
            return;
        };
        self.tell(|| event("began", &json(&Told::running(&under_way, &self.of))));
        let record = &under_way.game.record;
        (self.under_way).retain(|known| !known.is(record.pair, record.game));
        self.under_way.push(under_way);
    }

    fn opened(&self, begun: Begun) -> Option<UnderWay> {
        let settings = &self.of.header;
        let of = &settings.game;
        let times = begun.players.iter().map(|name| {
            let agent = settings.agents.iter().find(|agent| agent.name == *name);
            let spec = agent.and_then(|agent| Spec::read(of.about(), &agent.spec).ok());
            spec.map_or(settings.time, |spec| spec.kind.time(settings.time))
        });
        let times: Vec<TimeControl> = times.collect();
        let clocks = times.iter().filter_map(|time| match *time {
            TimeControl::Clock { seconds, .. } | TimeControl::MoveTime { seconds } => Some(seconds),
            TimeControl::Nodes { .. } => None,
        });
        let clocks = clocks.collect();
        let (seed, fields) = match begun.beginning {
            Beginning::Seed { seed, pairs_before } => {
                let beginning = match begun.players.len() {
                    ..=2 => plugin::Beginning::Seed {
                        seed,
                        meetings: pairs_before,
                    },
                    participants => plugin::Beginning::Rotation {
                        seed,
                        participants,
                        game: u32::from(begun.game.max(1)) - 1,
                    },
                };
                (seed, of.0.open(beginning).ok()?.outcome(None, None))
            }
            Beginning::Result(fields) => (0, fields),
        };
        let result = GameResult::new(of, begun.players, fields).ok()?;
        let record = GameRecord {
            moves: begun.opening.clone(),
            opening: begun.opening,
            ..GameRecord::of_result(begun.pair, begun.game, seed, result)?
        };
        let game = Game {
            record,
            moves: Vec::new(),
            luck: None,
        };
        Some(UnderWay {
            following: Following::of(&game, of),
            game,
            last_move: Instant::now(),
            times,
            clocks,
            measured: begun.measured,
        })
    }

    /// Removes the game with these numbers from the running games and returns it.
    fn take(&mut self, (pair, game): (u32, u8)) -> Option<UnderWay> {
        let mut places = self.under_way.iter();
        let place = places.position(|known| known.is(pair, game))?;
        Some(self.under_way.remove(place))
    }

    fn end(&mut self, record: GameRecord) {
        let agents = &self.of.header.agents;
        let is_known = |name: &String| agents.iter().any(|agent| agent.name == *name);
        if record.agents().all(is_known) {
            self.of.add(&record);
            self.are_standings_old = true;
        }
        let known = self.take((record.pair, record.game));
        let measured = known.as_ref().and_then(|known| known.measured);
        let moves = known.map_or(Vec::new(), |known| known.game.moves);
        let game = Game {
            record,
            moves,
            luck: None,
        };
        let following = Following::of(&game, &self.of.header.game);
        self.keep(json(&Told::over(&game, &self.of, &following, measured)));
    }

    fn abandon(&mut self, which: (u32, u8), why: &str) {
        if let Some(UnderWay {
            game,
            following,
            measured,
            ..
        }) = self.take(which)
        {
            let over = Told::over(&game, &self.of, &following, measured);
            self.keep(json(&Told {
                data: over.data.abandoned(why),
                ..over
            }));
        }
    }

    /// Sends a finished game, given as JSON, to all spectators and stores it for new spectators.
    fn keep(&mut self, told: String) {
        self.tell(|| event("ended", &told));
        self.over.push_back(told);
        let mut bytes: usize = self.over.iter().map(String::len).sum();
        while self.over.len() > MOST_OVER || bytes > MOST_BYTES {
            bytes -= self.over.pop_front().map_or(bytes, |game| game.len());
        }
    }

    /// Sends an event to all spectators. Without any spectators, the event is not created.
    fn tell(&self, text: impl FnOnce() -> Bytes) {
        if let Some(spectators) = &self.spectators
            && spectators.receiver_count() > 0
        {
            let _ = spectators.send(text());
        }
    }

    fn under_way(&mut self, pair: u32, game: u8) -> Option<&mut UnderWay> {
        let mut under_way = self.under_way.iter_mut();
        under_way.find(|known| known.is(pair, game))
    }

    fn move_on(&mut self, record: MoveRecord) {
        let (pair, game) = (record.pair, record.game);
        let counts = self.of.header.counts;
        let Some(known) = self.under_way(pair, game) else {
            return;
        };
        let clock = known.charge(counts, &record);
        let told = known.step(&record.mv, Some(&record)).map(|ply| MoveTold {
            id: id(pair, game),
            ply,
            text: &record.mv,
            clock,
            fault: None,
        });
        let told = told.map(|told| json(&told));
        known.game.moves.push(record);
        self.tell_move(told);
    }

    fn put_out(&mut self, (pair, game): (u32, u8), fault: Fault) {
        let about = self.of.header.game.about();
        let Some(known) = self.under_way(pair, game) else {
            return;
        };
        known.game.record.put_out.push(fault);
        let fault = fault_of(&known.game.record, about);
        let told = known.step(PUT_OUT, None).map(|ply| MoveTold {
            id: id(pair, game),
            ply,
            text: PUT_OUT,
            clock: None,
            fault,
        });
        let told = told.map(|told| json(&told));
        self.tell_move(told);
    }

    /// Sends a move, given as JSON, to all spectators. `None` stands for a move that the board rejected; it is not
    /// sent.
    fn tell_move(&self, told: Option<String>) {
        if let Some(told) = told {
            self.tell(|| event("moved", &told));
        }
    }
}
