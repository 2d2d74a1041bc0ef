//! What happens in games, on its way from whoever plays to those who watch. Telling never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;
use turnwise_arena::records::{Fault, GameRecord, MoveRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_engine::fields::Fields;

/// So many things that happened may wait to be told.
const MOST_NEWS: usize = 4096;

/// So much of that room is for games that are over, which are told whole.
const FOR_ENDS: usize = 512;

/// How a game begins.
#[derive(Debug, Clone)]
pub struct Begun {
    /// The number of the pair or rotation, from 1.
    pub pair: u32,
    /// Its number within that, from 1, as in [`GameRecord::game`].
    pub game: u8,
    /// The players in the order of the game's roles; of a rotation, in that of their meeting.
    pub players: Vec<String>,
    /// What the position before the first move comes from.
    pub beginning: Beginning,
    /// The moves that are on the board already.
    pub opening: Vec<String>,
    /// The side whose times nobody tells, if there is one: they are measured at the other end of a connection,
    /// with the ways there and back.
    pub measured: Option<usize>,
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
    /// A player is put out of a game of more than two, which goes on without it.
    PutOut {
        /// The rotation's number, from 1.
        pair: u32,
        /// The game's number within the rotation, from 1.
        game: u8,
        /// Who is out, and why.
        fault: Fault,
    },
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
    pub(super) news: mpsc::Receiver<News>,
    /// Something was left out since this was last looked at.
    pub(super) is_lost: Arc<AtomicBool>,
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
