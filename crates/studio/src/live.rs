//! Games under way, for spectators. Whoever plays tells what happens and never waits: what there is no room
//! for is left out, and everybody is then told the whole state again.
//!
//! The state is kept and told on the server's own thread. A spectator hears the state first, then what
//! changes; one that reads more slowly than things happen is dropped, and hears the state again when it comes
//! back.

use std::collections::VecDeque;
use std::fmt::Write;
use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::Serialize;
use tokio::sync::{broadcast, mpsc};
use turnwise_arena::records::{GameRecord, GameResult, MoveRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin;
use turnwise_report::logs::Game;
use turnwise_report::page::data::{Following, GameData, MatchAbout};

/// So many things that happened may wait to be told.
const MOST_NEWS: usize = 4096;

/// So much of that room is for games that are over, which are told whole.
const FOR_ENDS: usize = 512;

/// So many events may wait for a spectator.
const MOST_EVENTS: usize = 1024;

/// So many games that are over are kept.
const MOST_OVER: usize = 200;

/// So many bytes of games that are over are kept, as they are told.
const MOST_BYTES: usize = 4 << 20;

/// How long spectators may take to hear the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// How a game begins.
#[derive(Debug, Clone)]
pub struct Begun {
    /// The pair's number, from 1.
    pub pair: u32,
    /// 1 or 2 within the pair, as in [`GameRecord::game`].
    pub game: u8,
    /// The players in the order of the game's roles.
    pub players: [String; 2],
    /// What the position before the first move comes from.
    pub beginning: Beginning,
    /// The moves that are on the board already.
    pub opening: Vec<String>,
}

/// Where a game begins, as far as whoever tells of it knows.
#[derive(Debug, Clone)]
pub enum Beginning {
    /// Where a match's game does.
    Seed {
        /// What chance is drawn from.
        seed: u64,
        /// Pairs that the two have played before.
        pairs_before: u32,
    },
    /// Its result as a log would have it if nothing was known but how it begins. What chance brings comes
    /// with the moves.
    Result(Fields),
}

/// What happens in a game.
#[derive(Debug, Clone)]
pub enum News {
    /// From now on games are played by these settings; those before are no longer told of.
    Settled(Settings),
    /// A game begins; others may be under way.
    Begun(Begun),
    /// A player has moved.
    Moved(MoveRecord),
    /// A game is over, and counts.
    Over(GameRecord),
    /// It was not played to its end, and counts neither as won nor as lost.
    Abandoned {
        /// The pair's number, from 1.
        pair: u32,
        /// 1 or 2 within the pair.
        game: u8,
        /// What ended it, in words.
        why: String,
    },
}

/// Where games under way are told of. Costs nobody who plays more than a copy of what happened.
#[derive(Debug, Clone)]
pub struct Announcer {
    news: mpsc::Sender<News>,
    is_lost: Arc<AtomicBool>,
}

impl Announcer {
    /// Tells of an arena's game.
    pub fn hear(&self, event: Event) {
        self.tell(match event {
            // A table of more than two is shown when its game is over.
            Event::Begun { players, .. } if players.len() != 2 => return,
            Event::Begun {
                pair,
                game,
                players,
                opening,
                ..
            } => News::Begun(Begun {
                pair: pair.number,
                game,
                players: [0, 1].map(|side| players[side].to_owned()),
                beginning: Beginning::Seed {
                    seed: pair.seed,
                    pairs_before: pair.pairs_before,
                },
                opening: opening.to_vec(),
            }),
            Event::Moved(record) => News::Moved(record.clone()),
            Event::Over(record) => News::Over(record.clone()),
        });
    }

    /// Tells of something, unless too much has not been told yet.
    pub fn tell(&self, news: News) {
        let is_end = matches!(news, News::Over(_) | News::Abandoned { .. });
        let is_room = is_end || self.news.capacity() > FOR_ENDS;
        if !is_room || self.news.try_send(news).is_err() {
            self.is_lost.store(true, Ordering::Relaxed);
        }
    }
}

/// What there is to be told.
#[derive(Debug)]
pub struct Heard {
    news: mpsc::Receiver<News>,
    is_lost: Arc<AtomicBool>,
}

/// A way from games to spectators.
pub fn channel() -> (Announcer, Heard) {
    let (sender, news) = mpsc::channel(MOST_NEWS);
    let is_lost = Arc::new(AtomicBool::new(false));
    let announcer = Announcer {
        news: sender,
        is_lost: is_lost.clone(),
    };
    (announcer, Heard { news, is_lost })
}

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
}

impl UnderWay {
    fn is(&self, pair: u32, game: u8) -> bool {
        (self.game.record.pair, self.game.record.game) == (pair, game)
    }
}

/// A game as it is told.
#[derive(Serialize)]
struct Told<'a> {
    id: String,
    live: bool,
    /// Seconds since the last move.
    since: f64,
    #[serde(flatten)]
    data: GameData<'a>,
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
            state.game(&known.game, &known.following, Some(since))
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
                &self.game(&under_way.game, &under_way.following, Some(0.0)),
            )
        });
        let record = &under_way.game.record;
        (self.under_way).retain(|known| !known.is(record.pair, record.game));
        self.under_way.push(under_way);
    }

    fn opened(&self, begun: Begun) -> Option<UnderWay> {
        let of = &self.settings.game;
        let [first, second] = match (begun.game, begun.players.clone()) {
            (1, players) => players,
            (_, [first, second]) => [second, first],
        };
        let (seed, fields) = match begun.beginning {
            Beginning::Seed { seed, pairs_before } => {
                let open = of.0.open(plugin::Beginning::Seed {
                    seed,
                    meetings: pairs_before,
                });
                (seed, open.ok()?.outcome(None))
            }
            Beginning::Result(fields) => (0, fields),
        };
        let result = GameResult::new(of, begun.players.to_vec(), fields).ok()?;
        let record = GameRecord {
            pair: begun.pair,
            game: begun.game,
            first,
            second,
            others: Vec::new(),
            meeting: None,
            result,
            seed,
            moves: begun.opening.clone(),
            opening: begun.opening,
            fault: None,
            put_out: Vec::new(),
            used_s: None,
            cpu_s: None,
        };
        let game = Game {
            record,
            moves: Vec::new(),
            luck: None,
            worker: None,
        };
        Some(UnderWay {
            following: Following::of(&game, of),
            game,
            last_move: Instant::now(),
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
        let moves = known.map_or(Vec::new(), |known| known.game.moves);
        let game = Game {
            record,
            moves,
            luck: None,
            worker: None,
        };
        let following = Following::of(&game, &self.settings.game);
        let told = self.game(&game, &following, None);
        self.keep(told);
    }

    fn abandon(&mut self, which: (u32, u8), why: &str) {
        if let Some(UnderWay {
            game, following, ..
        }) = self.take(which)
        {
            let data = GameData::new(&game, &self.settings.game, &following);
            let told = json(&Told {
                id: id(which.0, which.1),
                live: false,
                since: 0.0,
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
    fn game(&self, game: &Game, following: &Following, since: Option<f64>) -> String {
        let data = GameData::new(game, &self.settings.game, following).studied(game);
        json(&Told {
            id: id(game.record.pair, game.record.game),
            live: since.is_some(),
            since: since.unwrap_or_default(),
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

    fn move_on(&mut self, record: MoveRecord) {
        let mut under_way = self.under_way.iter_mut();
        let Some(known) = under_way.find(|known| known.is(record.pair, record.game)) else {
            return;
        };
        known.last_move = Instant::now();
        let told = known
            .following
            .follow(&record.mv, Some(&record))
            .map(|ply| {
                let id = id(record.pair, record.game);
                serde_json::json!({ "id": id, "ply": ply, "move": record.mv })
            });
        known.game.record.moves.push(record.mv.clone());
        known.game.moves.push(record);
        if let Some(told) = told {
            self.tell(|| event("moved", &told.to_string()));
        }
    }
}
