//! Shows running games to spectators. Playing is never delayed by a spectator, because news about the games is only put
//! into a buffer.
//!
//! If the buffer is full, news is dropped, and later all spectators receive the whole state again.
//!
//! A separate thread keeps the state of all games and sends it. Each spectator first receives the state, and then every
//! change. A spectator that reads too slowly is disconnected; when it reconnects, it receives the state again.

mod news;

use std::collections::VecDeque;
use std::fmt::Write;
use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::Serialize;
use tokio::sync::broadcast;
use turnwise_arena::records::{Fault, GameRecord, GameResult, MoveRecord, Settings};
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin;
use turnwise_engine::table::PUT_OUT;
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

/// The state of a match's games, and the connections to the spectators.
pub struct Live {
    title: String,
    state: Mutex<State>,
}

struct State {
    settings: Settings,
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
}

/// A game in the JSON format that spectators receive.
#[derive(Serialize)]
struct Told<'a> {
    id: String,
    live: bool,
    /// The time that has passed since the last move, in seconds.
    since: f64,
    /// The side whose times are measured here: see [`Begun::measured`].
    #[serde(skip_serializing_if = "Option::is_none")]
    measured_side: Option<usize>,
    #[serde(flatten)]
    data: GameData<'a>,
}

/// A move in the JSON format that spectators receive.
#[derive(Serialize)]
struct MoveTold<'a> {
    id: String,
    ply: &'a Ply,
    #[serde(rename = "move")]
    text: &'a str,
    /// A description of all faults in the game so far; `None` unless a player has just been eliminated.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<[String; 3]>,
}

/// The conditions of a match in the JSON format that spectators receive.
#[derive(Serialize)]
struct MatchTold<'a> {
    #[serde(flatten)]
    about: MatchAbout<'a>,
    time: TimeControl,
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
    /// Creates the state of a match that has no games yet.
    pub fn new(settings: Settings, title: String) -> Arc<Self> {
        Arc::new(Self {
            title,
            state: Mutex::new(State {
                settings,
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
        loop {
            tokio::select! {
                biased;
                () = &mut ends => break,
                Some(news) = heard.news.recv() => self.take_in(news, &heard.is_lost),
                else => pending().await,
            }
            // The tasks that serve the spectators run on this thread too, so they must get a chance to run.
            tokio::task::yield_now().await;
        }
        while let Ok(news) = heard.news.try_recv() {
            self.take_in(news, &heard.is_lost);
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
                state.settings = settings;
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
        let about = MatchTold {
            about: MatchAbout::new(&state.settings, self.title.clone()),
            time: state.settings.time,
        };
        let mut text = format!("{{\"match\":{},\"games\":[", json(&about));
        let under_way = state.under_way.iter().map(|known| {
            let since = known.last_move.elapsed().as_secs_f64();
            state.game(&known.game, &known.following, known.measured, Some(since))
        });
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
        self.tell(|| {
            event(
                "began",
                &self.game(
                    &under_way.game,
                    &under_way.following,
                    under_way.measured,
                    Some(0.0),
                ),
            )
        });
        let record = &under_way.game.record;
        (self.under_way).retain(|known| !known.is(record.pair, record.game));
        self.under_way.push(under_way);
    }

    fn opened(&self, begun: Begun) -> Option<UnderWay> {
        let of = &self.settings.game;
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
        let known = self.take((record.pair, record.game));
        let measured = known.as_ref().and_then(|known| known.measured);
        let moves = known.map_or(Vec::new(), |known| known.game.moves);
        let game = Game {
            record,
            moves,
            luck: None,
        };
        let following = Following::of(&game, &self.settings.game);
        let told = self.game(&game, &following, measured, None);
        self.keep(told);
    }

    fn abandon(&mut self, which: (u32, u8), why: &str) {
        if let Some(UnderWay {
            game,
            following,
            measured,
            ..
        }) = self.take(which)
        {
            let data = GameData::new(&game, &self.settings.game, &following);
            let told = json(&Told {
                id: id(which.0, which.1),
                live: false,
                since: 0.0,
                measured_side: measured,
                data: data.abandoned(why).studied(&game),
            });
            self.keep(told);
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

    /// Formats a game as JSON. `since` is the time since the last move in seconds, or `None` if the game is over.
    fn game(
        &self,
        game: &Game,
        following: &Following,
        measured: Option<usize>,
        since: Option<f64>,
    ) -> String {
        let data = GameData::new(game, &self.settings.game, following).studied(game);
        json(&Told {
            id: id(game.record.pair, game.record.game),
            live: since.is_some(),
            since: since.unwrap_or_default(),
            measured_side: measured,
            data: match since {
                Some(_) => data.under_way(),
                None => data,
            },
        })
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
        let Some(known) = self.under_way(pair, game) else {
            return;
        };
        let told = known.step(&record.mv, Some(&record)).map(|ply| MoveTold {
            id: id(pair, game),
            ply,
            text: &record.mv,
            fault: None,
        });
        let told = told.map(|told| json(&told));
        known.game.moves.push(record);
        self.tell_move(told);
    }

    fn put_out(&mut self, (pair, game): (u32, u8), fault: Fault) {
        let about = self.settings.game.about();
        let Some(known) = self.under_way(pair, game) else {
            return;
        };
        known.game.record.put_out.push(fault);
        let fault = fault_of(&known.game.record, about);
        let told = known.step(PUT_OUT, None).map(|ply| MoveTold {
            id: id(pair, game),
            ply,
            text: PUT_OUT,
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
