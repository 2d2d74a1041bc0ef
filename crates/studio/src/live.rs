//! Games under way, for spectators. Whoever plays tells what happens and never waits: what there is no room
//! for is left out, and everybody is then told the whole state again.
//!
//! The state is kept and told on the server's own thread. A spectator hears the state first, then what
//! changes; one that reads more slowly than things happen is dropped, and hears the state again when it comes
//! back.

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

/// So many events may wait for a spectator.
const MOST_EVENTS: usize = 1024;

/// So many games that are over are kept.
const MOST_OVER: usize = 200;

/// So many bytes of games that are over are kept, as they are told.
const MOST_BYTES: usize = 4 << 20;

/// How long spectators may take to hear the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// The games of a match, and their spectators.
pub struct Live {
    title: String,
    state: Mutex<State>,
}

struct State {
    settings: Settings,
    /// In the order in which they began.
    under_way: Vec<UnderWay>,
    /// As they are told, the last one last.
    over: VecDeque<String>,
    /// The whole state as it is told, until something changes.
    told: Option<Bytes>,
    /// None once the match is over.
    spectators: Option<broadcast::Sender<Bytes>>,
}

struct UnderWay {
    game: Game,
    following: Following,
    last_move: Instant,
    /// As [`Begun::measured`].
    measured: Option<usize>,
}

impl UnderWay {
    fn is(&self, pair: u32, game: u8) -> bool {
        (self.game.record.pair, self.game.record.game) == (pair, game)
    }

    /// Takes in what stands among the moves next, and what was logged of it. None if the board cannot make it.
    fn step(&mut self, text: &str, logged: Option<&MoveRecord>) -> Option<&Ply> {
        self.last_move = Instant::now();
        self.game.record.moves.push(text.to_owned());
        self.following.follow(text, logged)
    }
}

/// A game as it is told.
#[derive(Serialize)]
struct Told<'a> {
    id: String,
    live: bool,
    /// Seconds since the last move.
    since: f64,
    /// As [`Begun::measured`].
    #[serde(skip_serializing_if = "Option::is_none")]
    measured_side: Option<usize>,
    #[serde(flatten)]
    data: GameData<'a>,
}

/// A move as it is told.
#[derive(Serialize)]
struct MoveTold<'a> {
    id: String,
    ply: &'a Ply,
    #[serde(rename = "move")]
    text: &'a str,
    /// Where it puts somebody out, the faults of the game so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<[String; 3]>,
}

/// A match as it is told.
#[derive(Serialize)]
struct MatchTold<'a> {
    #[serde(flatten)]
    about: MatchAbout<'a>,
    time: TimeControl,
}

fn id(pair: u32, game: u8) -> String {
    format!("{pair}-{game}")
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("games are plain values")
}

/// An event of a stream of server-sent events. JSON has no line ends.
fn event(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

impl Live {
    /// No games of a match yet.
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

    /// The match's title, as spectators see it.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The state as an event, and all that changes from then on; none once the match is over.
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

    /// Takes in what happens until `ends` is done, and says goodbye to the spectators.
    pub async fn run(&self, mut heard: Heard, ends: impl Future<Output = ()>) {
        let mut ends = std::pin::pin!(ends);
        loop {
            tokio::select! {
                biased;
                () = &mut ends => break,
                Some(news) = heard.news.recv() => self.take_in(news, &heard.is_lost),
                else => pending().await,
            }
            // Those who look are served by the same thread.
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
            // Of which games something is missing cannot be told. Those that end are told whole.
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

    /// The whole state as it is told.
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
        // A game that a position cannot be made of is told when it is over.
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
                (seed, of.0.open(beginning).ok()?.outcome(None))
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

    /// Takes a game from those that are under way.
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

    /// Keeps a game that is no longer under way, as it is told.
    fn keep(&mut self, told: String) {
        self.tell(|| event("ended", &told));
        self.over.push_back(told);
        let mut bytes: usize = self.over.iter().map(String::len).sum();
        while self.over.len() > MOST_OVER || bytes > MOST_BYTES {
            bytes -= self.over.pop_front().map_or(bytes, |game| game.len());
        }
    }

    /// A game as it is told, with the seconds since its last move as long as it is under way.
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

    /// Tells everybody who is there.
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

    /// Tells of a move that the board could make.
    fn tell_move(&self, told: Option<String>) {
        if let Some(told) = told {
            self.tell(|| event("moved", &told));
        }
    }
}
