//! A channel that carries news about games from the place where they are played to the server for spectators. Sending
//! never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;
use turnwise_arena::records::{Fault, GameRecord, MoveRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_engine::fields::Fields;

/// The maximum number of news items that wait in the buffer.
const MOST_NEWS: usize = 4096;

/// The number of places in the buffer that are reserved for news about games that have ended. Such news contains the
/// whole game, so it replaces earlier news about that game that was dropped.
const FOR_ENDS: usize = 512;

/// News about the beginning of a game.
#[derive(Debug, Clone)]
pub struct Begun {
    /// The number of the pair or rotation, starting at 1.
    pub pair: u32,
    /// The number of the game within the pair or rotation, starting at 1, as in [`GameRecord::game`].
    pub game: u8,
    /// The names of the players, in the order of the game's roles or, in a rotation, in the order of the participants.
    pub players: Vec<String>,
    /// The data from which the position before the first move is computed.
    pub beginning: Beginning,
    /// The moves that have already been made when this news is sent.
    pub opening: Vec<String>,
    /// The side whose times the sender of this news measures, because that side does not report its times.
    ///
    /// The measured times include the delay of the network.
    pub measured: Option<usize>,
}

/// The data that determines the start of a game; its form depends on where the game is played.
#[derive(Debug, Clone)]
pub enum Beginning {
    /// The game belongs to a match of the arena, where these two numbers determine the start of a game.
    Seed {
        /// The seed of the random events in the game.
        seed: u64,
        /// The number of pairs that the two players have already played against each other.
        pairs_before: u32,
    },
    /// The fields that a log would have for the game's result, as far as they are known at the beginning.
    ///
    /// The results of random events become known only with the moves.
    Result(Fields),
}

/// An event that spectators are notified of.
#[derive(Debug, Clone)]
pub enum News {
    /// The games that are announced next have these settings. Spectators no longer see the games before this news.
    Settled(Settings),
    /// A game begins; other games may be running.
    Begun(Begun),
    /// A player has moved.
    Moved(MoveRecord),
    /// A player was eliminated from a game with more than two players. The game continues without that player.
    PutOut {
        /// The number of the rotation, starting at 1.
        pair: u32,
        /// The number of the game within the rotation, starting at 1.
        game: u8,
        /// The fault of the player, which states the player's name and the reason.
        fault: Fault,
    },
    /// A game has ended, and its result counts.
    Over(GameRecord),
    /// A game was stopped before its end, and does not count.
    Abandoned {
        /// The number of the pair, starting at 1.
        pair: u32,
        /// The number of the game within the pair, 1 or 2.
        game: u8,
        /// The reason why the game was not finished, in words.
        why: String,
    },
}

/// The sending end of the channel for news about games. Sending costs only the time for copying the event.
#[derive(Debug, Clone)]
pub struct Announcer {
    news: mpsc::Sender<News>,
    is_lost: Arc<AtomicBool>,
}

impl Announcer {
    /// Sends the news of an event in a game of the arena.
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

    /// Sends news, or drops it if the buffer is full.
    pub fn tell(&self, news: News) {
        let is_end = matches!(news, News::Over(_) | News::Abandoned { .. });
        let is_room = is_end || self.news.capacity() > FOR_ENDS;
        if !is_room || self.news.try_send(news).is_err() {
            self.is_lost.store(true, Ordering::Relaxed);
        }
    }
}

/// The receiving end of the channel for news about games.
#[derive(Debug)]
pub struct Heard {
    pub(super) news: mpsc::Receiver<News>,
    /// True if news has been dropped since this flag was last checked.
    pub(super) is_lost: Arc<AtomicBool>,
}

/// Creates a channel for news about games, and returns both ends.
pub fn channel() -> (Announcer, Heard) {
    let (sender, news) = mpsc::channel(MOST_NEWS);
    let is_lost = Arc::new(AtomicBool::new(false));
    let announcer = Announcer {
        news: sender,
        is_lost: is_lost.clone(),
    };
    (announcer, Heard { news, is_lost })
}
