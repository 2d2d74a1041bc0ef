//! Plays pairs of games. The arena plays them in threads as usual, but the participants are simulated tasks.
//!
//! Threads and tasks take turns: while the arena computes, all tasks and the virtual time are paused. A seed therefore
//! always gives an identical run.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::time::Instant;
use turnwise_arena::lineup::Lineup;
use turnwise_arena::pairs::play_pair;
use turnwise_arena::records::{GameRecord, Settings};
use turnwise_arena::referee::Event;
use turnwise_arena::schedule::Pair;
use turnwise_engine::outside::{LineChannel, Reply};
use turnwise_engine::player::{Failure, FaultKind};
use turnwise_entropy_server::host::lobby::{Call, Lobby};

use super::{Class, SETTLED_WITHIN};
use crate::bugs::Bug;
use crate::run::Scene;
use crate::world::GRACE;

/// A completed game of a pair.
pub(super) struct PlayedGame {
    pub(super) record: GameRecord,
    /// When the first player was called to the game.
    pub(super) began: Instant,
}

/// A request of the arena to a participant.
enum Wish {
    Begin(Vec<String>, bool),
    Answer(Vec<String>, Duration),
    Finish(Vec<String>),
}

/// A request to the participant `of`, and the channel for the answer.
///
/// If the request is not a question, the answer is `None`.
struct Wanted {
    of: String,
    wish: Wish,
    answer: Sender<Option<Reply<String>>>,
}

/// A channel from the arena to a simulated participant. A task carries out the requests that come through it.
struct Strung {
    name: String,
    wishes: Sender<Wanted>,
}

impl Strung {
    /// Sends a request, and waits until it has been carried out.
    ///
    /// Returns the reply to a question, or `None` if the request is not a question or the run has ended.
    fn wish(&self, wish: Wish) -> Option<Reply<String>> {
        let (answer, answered) = channel();
        let of = self.name.clone();
        let _ = self.wishes.send(Wanted { of, wish, answer });
        answered.recv().ok().flatten()
    }
}

impl LineChannel for Strung {
    fn begin(&mut self, greeting: Vec<String>, is_first: bool) -> io::Result<()> {
        self.wish(Wish::Begin(greeting, is_first));
        Ok(())
    }

    fn ask(&mut self, lines: Vec<String>, patience: Duration) -> Reply<String> {
        let nobody = || Reply {
            said: Err(Failure::new(FaultKind::Other, "the run has ended")),
            wall: Duration::ZERO,
            cpu: None,
            pondered: None,
            others: None,
        };
        self.wish(Wish::Answer(lines, patience))
            .unwrap_or_else(nobody)
    }

    fn finish(&mut self, news: Vec<String>, _replies: Vec<String>, _farewell: Vec<String>) {
        self.wish(Wish::Finish(news));
    }
}

/// Plays a pair in the arena, with participants that are called from the lobby.
fn arena(settings: &Settings, pair: &Pair, wishes: Sender<Wanted>) -> io::Result<Vec<GameRecord>> {
    let no_daemons = |_words| Err(io::ErrorKind::Unsupported.into());
    let mut lineup =
        Lineup::of_those_there(settings, no_daemons, &mut |_, _| {}).map_err(io::Error::other)?;
    lineup.call_remote_by(Box::new(move |name| {
        Box::new(Strung {
            name: name.to_owned(),
            wishes: wishes.clone(),
        })
    }));
    let over = Mutex::new(Vec::new());
    play_pair(settings, &lineup, pair, &|event| {
        if let Event::Over(game) = event {
            let mut over = over.lock().unwrap_or_else(PoisonError::into_inner);
            over.push(game.clone());
        }
    })?;
    Ok(over.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Plays a pair, carries out the arena's requests, and returns the pair's games.
pub(super) async fn play(
    class: &Class,
    pair: Pair,
    lobby: &Lobby,
    scene: &Scene,
) -> Vec<PlayedGame> {
    let (wishes, wanted) = channel();
    let settings = class.settings.clone();
    let arena = thread::spawn(move || arena(&settings, &pair, wishes));
    let began = come_true(wanted, class, lobby, scene).await;
    match arena.join() {
        Ok(Ok(games)) => (games.into_iter().zip(began))
            .map(|(record, began)| PlayedGame { record, began })
            .collect(),
        Ok(Err(error)) => {
            scene.violated(format_args!("a pair can be played: {error}"));
            Vec::new()
        }
        Err(_panic) => {
            scene.violated("nothing panics: the arena");
            Vec::new()
        }
    }
}

/// Carries out the arena's requests one after another, and returns the time when each game began.
async fn come_true(
    wanted: Receiver<Wanted>,
    class: &Class,
    lobby: &Lobby,
    scene: &Scene,
) -> Vec<Instant> {
    let mut calls: BTreeMap<String, Call> = BTreeMap::new();
    let (mut began, mut is_begun) = (Vec::new(), false);
    while let Ok(Wanted { of, wish, answer }) = wanted.recv() {
        let call = calls.entry(of.clone()).or_insert_with(|| lobby.call(&of));
        let reply = match wish {
            Wish::Begin(greeting, is_first) => {
                let called = Instant::now();
                if !std::mem::replace(&mut is_begun, true) {
                    began.push(called);
                }
                call.begin(greeting, is_first).await;
                let waited = called.elapsed();
                if class.is_fine && waited > class.patience + SETTLED_WITHIN {
                    scene.violated(format_args!(
                        "nobody is waited for longer than the patience: {of} {waited:.0?}"
                    ));
                }
                None
            }
            Wish::Answer(lines, patience) => {
                if class.is_fine {
                    scene.is_to_move(&of, patience.saturating_sub(GRACE));
                }
                Some(call.ask(lines, patience).await)
            }
            Wish::Finish(news) => {
                is_begun = false;
                call.finish(news).await;
                None
            }
        };
        // Sending fails only if the arena has already ended.
        let _ = answer.send(reply);
    }
    if scene.bug == Some(Bug::Kept) {
        std::mem::forget(calls);
    }
    began
}
