//! News about games, from the players to the spectators. Sending never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;
use turnwise_arena::records::{Fault, GameRecord, MoveRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_engine::fields::Fields;

/// The maximum number of waiting news.
const MOST_NEWS: usize = 4096;

/// The part of that buffer reserved for finished games, which are sent as a whole.
const FOR_ENDS: usize = 512;

/// The beginning of a game.
#[derive(Debug, Clone)]
pub struct Begun {
    /// The number of the pair or rotation, from 1.
    pub pair: u32,
    /// The game's number within the pair or rotation, from 1, as in [`GameRecord::game`].
    pub game: u8,
    /// The players in the order of the game's roles; in a rotation, of the meeting.
    pub players: Vec<String>,
    /// The origin of the position before the first move.
    pub beginning: Beginning,
    /// The moves already on the board.
    pub opening: Vec<String>,
    /// The side whose times are not reported, if any.
    ///
    /// This end of the connection measures them, including the network delay.
    pub measured: Option<usize>,
}

/// The start of a game, as far as the sender knows it.
#[derive(Debug, Clone)]
pub enum Beginning {
    /// The start of a match's game.
    Seed {
        /// The seed of random draws.
        seed: u64,
        /// The number of pairs that the two players have played before.
        pairs_before: u32,
    },
    /// The game's result in a log, reduced to the data that is known at the beginning.
    ///
    /// Random events come with the moves.
    Result(Fields),
}

/// An event in a game.
#[derive(Debug, Clone)]
pub enum News {
    /// From now on, games use these settings; earlier games are dropped.
    Settled(Settings),
    /// A game begins; other games may be running.
    Begun(Begun),
    /// A player has moved.
    Moved(MoveRecord),
    /// A player is put out of a game of more than two players, which continues.
    PutOut {
        /// The rotation's number, from 1.
        pair: u32,
        /// The game's number within the rotation, from 1.
        game: u8,
        /// The player that is out, and the reason.
        fault: Fault,
    },
    /// A game is over and counts.
    Over(GameRecord),
    /// A game was not finished and does not count.
    Abandoned {
        /// The pair's number, from 1.
        pair: u32,
        /// The game's number within the pair, 1 or 2.
        game: u8,
        /// The reason in words.
        why: String,
    },
}

/// Accepts news about running games. Players only pay for a copy of each event.
#[derive(Debug, Clone)]
pub struct Announcer {
    news: mpsc::Sender<News>,
    is_lost: Arc<AtomicBool>,
}

impl Announcer {
    /// Sends an event of an arena's game.
    pub fn hear(&self, event: Event) {
        self.tell(match event {
            Event::Begun {
                pair,
                game,
                players,
                opening,
                ..
            } => News::Begun(Begun {
                pair: pair.number,
                game,
                players: players.iter().map(|&name| name.to_owned()).collect(),
                beginning: Beginning::Seed {
                    seed: pair.seed,
                    pairs_before: pair.pairs_before,
                },
                opening: opening.to_vec(),
                measured: None,
            }),
            Event::Moved(record) => News::Moved(record.clone()),
            Event::PutOut { pair, game, fault } => News::PutOut {
                pair,
                game,
                fault: fault.clone(),
            },
            Event::Over(record) => News::Over(record.clone()),
        });
    }

    /// Sends news, unless too many news are waiting.
    pub fn tell(&self, news: News) {
        let is_end = matches!(news, News::Over(_) | News::Abandoned { .. });
        let is_room = is_end || self.news.capacity() > FOR_ENDS;
        if !is_room || self.news.try_send(news).is_err() {
            self.is_lost.store(true, Ordering::Relaxed);
        }
    }
}

/// The receiving end of the news.
#[derive(Debug)]
pub struct Heard {
    pub(super) news: mpsc::Receiver<News>,
    /// True if news were dropped since the last check.
    pub(super) is_lost: Arc<AtomicBool>,
}

/// Creates a channel from games to spectators.
pub fn channel() -> (Announcer, Heard) {
    let (sender, news) = mpsc::channel(MOST_NEWS);
    let is_lost = Arc::new(AtomicBool::new(false));
    let announcer = Announcer {
        news: sender,
        is_lost: is_lost.clone(),
    };
    (announcer, Heard { news, is_lost })
}
