//! A match of one game between two people: its state, the events with it, and the players for the referee.

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::{oneshot, watch};
use turnwise_arena::agents::HUMAN;
use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::{Log, LogError};
use turnwise_arena::pairs::play_single;
use turnwise_arena::records::{Contestant, GameRecord, GameSettings, MoveRecord, Record, Settings};
use turnwise_arena::referee::Event;
use turnwise_engine::fields::Fields;
use turnwise_engine::guest::Secret;
use turnwise_engine::player::{Counts, Failure, FaultKind, TimeControl};
use turnwise_engine::plugin::{AnyState, Beginning, Person, PersonTurn, Plugin};
use turnwise_engine::view::{Choice, View};
use turnwise_engine::words::one_line;
use turnwise_study::position::End;

use super::SEAT;
use crate::access::{cookie, random};
use crate::answers::Refusal;
use crate::live::{self, event};

/// The maximum length of a move's text, in bytes.
const LONGEST_MOVE: usize = 4096;

/// The maximum length of a player's name, in characters.
const LONGEST_NAME: usize = 24;

/// The names of players who give none: the person who created the match, and the friend.
const NAMES: [&str; 2] = ["Host", "Guest"];

/// A match of one game between two people.
pub struct Match {
    pub id: String,
    /// The settings, with one agent for each side. The state contains the names of the players.
    pub settings: Settings,
    /// The side of the person who created the match.
    pub host: usize,
    /// The token that takes the guest's seat, once.
    pub invitation: Secret,
    /// The tokens that identify the player on each side.
    pub seats: [Secret; 2],
    state: Mutex<State>,
    /// Wakes the referee, which waits for a player's move.
    sent: Condvar,
    /// Wakes the connections to browsers after each change.
    pub changes: watch::Sender<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Waiting,
    Playing,
    Over,
}

/// The variable state of a match.
pub struct State {
    pub phase: Phase,
    /// The name of the player on each side.
    pub names: [String; 2],
    pub moves: Vec<Moved>,
    /// The game as both players and the public see it.
    views: [View; 3],
    /// The side whose move the referee is waiting for.
    turn: Option<usize>,
    /// The time left on each side's clock when the side to move received the turn.
    left: [Option<Duration>; 2],
    /// The time at which the side to move received the turn.
    since: Instant,
    /// A player's decision that the referee has not read yet.
    act: Option<Act>,
    /// Receives the referee's answer to the last decision.
    reply: Option<oneshot::Sender<Result<(), String>>>,
    end: Option<Ended>,
    /// The match that a player has created for a rematch.
    rematch: Option<Arc<Match>>,
    /// A sentence about the log of the game, or about the reason why the match was abandoned.
    pub note: Option<String>,
    /// The number of connections of each player.
    pub connections: [usize; 2],
    /// The time at which the last player left.
    pub left_at: Instant,
}

/// A move in the JSON format that browsers receive.
#[derive(Serialize)]
pub struct Moved {
    side: usize,
    #[serde(rename = "move")]
    text: String,
    words: String,
    from: Option<usize>,
    to: Option<usize>,
    path: Vec<usize>,
}

/// The end of a game in the JSON format that browsers receive.
#[derive(Serialize)]
struct Ended {
    #[serde(flatten)]
    end: End,
    /// The side at fault and its fault in words, if a fault ended the game.
    fault: Option<(usize, String)>,
}

/// The state of a match as one client may see it, in the JSON format that browsers receive.
#[derive(Serialize)]
struct Told<'a> {
    /// The conditions of the match; only in the first event of a connection.
    #[serde(flatten)]
    about: Option<MatchAbout<'a>>,
    /// The client's side; `None` for a spectator.
    side: Option<usize>,
    phase: Phase,
    names: &'a [String; 2],
    /// For each side, whether the player is connected.
    here: [bool; 2],
    turn: Option<usize>,
    /// The time left on each side's clock at the beginning of the turn, in seconds.
    left: [Option<f64>; 2],
    /// The time that the side to move has used for this turn, in seconds.
    used: f64,
    /// The number of moves that the client already knows.
    known: usize,
    /// The moves after the known ones.
    moves: &'a [Moved],
    view: &'a View,
    end: &'a Option<Ended>,
    note: &'a Option<String>,
}

/// The conditions of a match in the JSON format that browsers receive.
#[derive(Serialize)]
struct MatchAbout<'a> {
    game: &'static str,
    settings: Fields,
    time: TimeControl,
    host: usize,
    /// The link for spectators.
    link: String,
    /// The token that takes the guest's seat; only the host receives it.
    invitation: Option<&'a str>,
}

/// The conditions of a new match, as the page sends them.
#[derive(Deserialize)]
pub struct Wanted {
    game: String,
    settings: Fields,
    /// The side of the person who creates the match.
    side: usize,
    time: TimeControl,
    /// The names of the players in a rematch, by side.
    #[serde(skip)]
    names: Option<[String; 2]>,
}

/// A player's decision.
#[derive(Deserialize)]
pub struct Decision {
    /// The number of moves that the player knows. A decision about an earlier position is rejected.
    ply: usize,
    act: Act,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Act {
    Play(String),
    Resign,
}

impl Moved {
    /// Makes the referee's move on the board that browsers see.
    fn on(board: &mut (dyn AnyState + 'static), record: &MoveRecord) -> Self {
        let side = board.turn().unwrap_or_default();
        let choices = board.view(Some(side)).choices;
        let mut choices = choices.into_iter();
        let chosen = choices.find(|choice| choice.notation == record.mv);
        let chosen = chosen.unwrap_or_else(|| Choice::plain(&record.mv));
        let _ = board.play(&record.mv);
        Self {
            side,
            text: record.mv.clone(),
            words: chosen.words,
            from: chosen.from,
            to: chosen.to,
            path: chosen.path,
        }
    }
}

impl State {
    /// Changes the name of the player on this side, unless the match has begun.
    pub fn call(&mut self, side: usize, name: &str) {
        let name = one_line(name, LONGEST_NAME);
        if self.phase != Phase::Waiting || name.is_empty() {
            return;
        }
        self.names[side] = match name == self.names[1 - side] {
            true => format!("{name} (2)"),
            false => name,
        };
    }
}

impl Match {
    pub fn new(wanted: Wanted, games: &[Plugin]) -> Result<Self, String> {
        let Wanted {
            game,
            settings: fields,
            side: host,
            time,
            names,
        } = wanted;
        let plugin = games.iter().find(|plugin| plugin.reads(&game, &fields));
        let game = plugin.ok_or("no such game")?.by_fields(&fields);
        let game = GameSettings(game.map_err(|error| format!("the settings: {error}"))?);
        let mut usual = NAMES;
        match host {
            0 => {}
            1 => usual.reverse(),
            _ => return Err(format!("expected side 0 or 1, got {host}")),
        }
        let names = names.unwrap_or(usual.map(str::to_owned));
        let token = || random().map_err(|error| error.to_string());
        let seed = u64::from_str_radix(&token()?[..13], 16).map_err(|error| error.to_string())?;
        let settings = Settings {
            seed,
            pairs: 0,
            counts: Counts::Wall,
            ..Settings::new(game, agents_of(&names), time)
        };
        settings.check().map_err(|error| error.to_string())?;
        Ok(Self {
            id: token()?[..16].to_owned(),
            settings,
            host,
            invitation: Secret::new(token()?),
            seats: [Secret::new(token()?), Secret::new(token()?)],
            state: Mutex::new(State {
                phase: Phase::Waiting,
                names,
                moves: Vec::new(),
                views: Default::default(),
                turn: None,
                left: [None; 2],
                since: Instant::now(),
                act: None,
                reply: None,
                end: None,
                rematch: None,
                note: None,
                connections: [0; 2],
                left_at: Instant::now(),
            }),
            sent: Condvar::new(),
            changes: watch::Sender::default(),
        })
    }

    /// Returns true until the match is over.
    pub fn is_open(&self) -> bool {
        self.state().phase != Phase::Over
    }

    /// Returns the open match that a player has created for a rematch.
    pub fn offered(&self) -> Option<Arc<Self>> {
        let offered = self.state().rematch.clone();
        offered.filter(|offered| offered.is_open())
    }

    /// Offers `created` for a rematch, unless the opponent has meanwhile offered another match. Returns the offer.
    pub fn offer(&self, created: Arc<Self>) -> Arc<Self> {
        let mut state = self.state();
        let earlier = state.rematch.take().filter(|earlier| earlier.is_open());
        if earlier.is_some() {
            created.abandon();
        }
        state.rematch.insert(earlier.unwrap_or(created)).clone()
    }

    /// Returns the conditions of a rematch with the sides swapped, which the player on this side creates.
    pub fn rematch(&self, side: usize) -> Wanted {
        Wanted {
            game: self.settings.game.about().name.to_owned(),
            settings: self.settings.game.0.fields(),
            side: 1 - side,
            time: self.settings.time,
            names: Some([1, 0].map(|side| self.state().names[side].clone())),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn changed(&self) {
        self.changes.send_modify(|number| *number += 1);
    }

    /// Returns the side whose token a request's cookie contains.
    pub fn side(&self, headers: &HeaderMap) -> Option<usize> {
        let token = cookie(headers, SEAT)?;
        self.seats.iter().position(|seat| seat.is(token))
    }

    /// Returns the side of the client that sent a request, which must have a seat.
    pub fn seat(&self, headers: &HeaderMap) -> Result<usize, Refusal> {
        let side = self.side(headers);
        side.ok_or_else(|| Refusal::new(StatusCode::FORBIDDEN, "you have no seat in this match"))
    }

    /// Returns an event with the state as the player on this side sees it, or a spectator if `side` is `None`.
    ///
    /// `known` is the number of moves that the client knows; `None` for a new connection, which also receives the
    /// conditions of the match. Returns the number of moves that the client knows after the event.
    pub fn told(
        &self,
        side: Option<usize>,
        known: Option<usize>,
        link: &str,
    ) -> (Bytes, usize, Phase) {
        let state = self.state();
        let is_host = side == Some(self.host);
        let about = known.is_none().then(|| MatchAbout {
            game: self.settings.game.about().name,
            settings: self.settings.game.0.fields(),
            time: self.settings.time,
            host: self.host,
            link: format!("{link}#/match/{}", self.id),
            invitation: is_host.then(|| self.invitation.reveal()),
        });
        let name = if known.is_none() { "match" } else { "changed" };
        let known = known.unwrap_or(0).min(state.moves.len());
        let seconds = |left: Option<Duration>| left.map(|left| left.as_secs_f64());
        let told = Told {
            about,
            side,
            phase: state.phase,
            names: &state.names,
            here: state.connections.map(|connections| connections > 0),
            turn: state.turn,
            left: state.left.map(seconds),
            used: state.since.elapsed().as_secs_f64(),
            known,
            moves: &state.moves[known..],
            view: &state.views[side.unwrap_or(2)],
            end: &state.end,
            note: &state.note,
        };
        (
            event(name, &live::json(&told)),
            state.moves.len(),
            state.phase,
        )
    }

    /// Ends the match without a result.
    pub fn abandon(&self) {
        self.over(|state| state.note = Some("The match was abandoned.".to_owned()));
        self.sent.notify_all();
    }

    /// Ends the match unless it is over. `ending` stores how it ended.
    pub fn over(&self, ending: impl FnOnce(&mut State)) {
        let mut state = self.state();
        if state.phase != Phase::Over {
            state.phase = Phase::Over;
            state.turn = None;
            state.reply = None;
            ending(&mut state);
        }
        drop(state);
        self.changed();
    }

    /// Plays the game to its end, and writes its log to the folder.
    pub fn play(self: &Arc<Self>, folder: Option<&Path>) -> io::Result<()> {
        let no_daemon = |_| Err(io::Error::other("only people play here"));
        let settings = Settings {
            agents: agents_of(&self.state().names),
            ..self.settings.clone()
        };
        let mut lineup = Lineup::of(&settings, no_daemon).map_err(io::Error::other)?;
        let of = self.clone();
        lineup.call_person_by(Box::new(move |_| Box::new(AtBrowser(of.clone()))));
        let board = Mutex::new(None);
        let follow = |event: Event| {
            let mut board = board.lock().unwrap_or_else(PoisonError::into_inner);
            let mut made = None;
            match event {
                Event::Begun { pair, .. } => {
                    let beginning = Beginning::Seed {
                        seed: pair.seed,
                        meetings: pair.pairs_before,
                    };
                    // The referee has already opened the same game.
                    *board = self.settings.game.0.open(beginning).ok();
                }
                Event::Moved(record) => {
                    made = (board.as_mut()).map(|board| (Moved::on(&mut **board, record), record));
                }
                Event::PutOut { .. } | Event::Over(_) => return,
            }
            let Some(board) = &mut *board else {
                return;
            };
            board.turn();
            let views = [Some(0), Some(1), None].map(|viewer| board.view(viewer));
            let mut state = self.state();
            state.views = views;
            match made {
                Some((moved, record)) => self.made(&mut state, moved, record),
                None => state.moves.clear(),
            }
        };
        let (game, records) = play_single((&settings, &lineup), &follow)?;
        let note = folder.map(|folder| {
            let name = format!("friends-{}.jsonl", self.id);
            match log(&settings, &folder.join(&name), &records) {
                Ok(()) => format!("The log is {name}."),
                Err(error) => format!("The log cannot be written: {error}."),
            }
        });
        self.over(|state| {
            state.end = Some(self.ended(game));
            state.note = note;
        });
        Ok(())
    }

    /// Adds a move to the state, and accepts the decision that led to it.
    fn made(&self, state: &mut State, moved: Moved, record: &MoveRecord) {
        if let (Some(left), TimeControl::Clock { increment, .. }) =
            (record.clock_left_s, self.settings.time)
        {
            let used = record.used_ms.unwrap_or_default() / 1e3;
            let left = (left - used + increment).max(0.0);
            state.left[moved.side] = Some(Duration::from_secs_f64(left));
        }
        state.moves.push(moved);
        state.turn = None;
        if let Some(reply) = state.reply.take() {
            // Sending fails if the browser has disconnected. The browser then sees its move in the events.
            let _ = reply.send(Ok(()));
        }
    }

    fn ended(&self, game: GameRecord) -> Ended {
        let players = &game.result.players;
        let fault = game.fault.as_ref().map(|fault| {
            let side = players.iter().position(|player| *player == fault.agent);
            let how = match fault.kind {
                FaultKind::Resigned => "resigned",
                FaultKind::Overtime => "ran out of time",
                _ => &fault.reason,
            };
            (side.unwrap_or_default(), how.to_owned())
        });
        Ended {
            end: End {
                score: game.result.meaning.score,
                ending: game.result.meaning.ending,
                result: game.result.fields,
            },
            fault,
        }
    }

    /// Sends a player's decision to the referee.
    pub fn decide(
        &self,
        side: usize,
        Decision { ply, act }: Decision,
    ) -> Result<oneshot::Receiver<Result<(), String>>, Refusal> {
        if matches!(&act, Act::Play(text) if text.len() > LONGEST_MOVE) {
            let why = format!("expected a move of at most {LONGEST_MOVE} bytes");
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why));
        }
        let mut state = self.state();
        let conflict = |why: &str| Err(Refusal::new(StatusCode::CONFLICT, why));
        if state.turn != Some(side) {
            return conflict("it is not your turn");
        }
        if ply != state.moves.len() || state.reply.is_some() {
            return conflict("another window has already moved");
        }
        let (reply, answer) = oneshot::channel();
        (state.act, state.reply) = (Some(act), Some(reply));
        self.sent.notify_all();
        Ok(answer)
    }
}

/// Returns the agents with these names, which people at browsers play.
fn agents_of(names: &[String; 2]) -> Vec<Contestant> {
    let agent = |name: &String| Contestant {
        name: name.clone(),
        spec: HUMAN.to_owned(),
        folder: None,
    };
    names.iter().map(agent).collect()
}

/// Creates the log of a finished game.
fn log(settings: &Settings, path: &Path, records: &[Record]) -> Result<(), String> {
    // Players must not see the path of the folder, so only the cause is reported.
    let why = |error| match error {
        LogError::System { cause, .. } => cause.to_string(),
        _ => "the file exists already".to_owned(),
    };
    let mut log = Log::create(path, settings).map_err(why)?;
    log.append(records).map_err(why)
}

/// A player at a browser, for the referee.
struct AtBrowser(Arc<Match>);

impl Person for AtBrowser {
    fn choose(&mut self, turn: PersonTurn) -> io::Result<Result<String, Failure>> {
        let of = &*self.0;
        let until = turn.left.map(|left| Instant::now() + left);
        let mut state = of.state();
        match (turn.objection, state.reply.take()) {
            (Some(why), Some(reply)) => drop(reply.send(Err(why.to_owned()))),
            (Some(_), None) => {}
            (None, _) => {
                (state.turn, state.act) = (Some(turn.side), None);
                state.left[turn.side] = turn.left;
                state.since = Instant::now();
                of.changed();
            }
        }
        loop {
            if state.phase == Phase::Over {
                return Err(io::Error::other("both players left"));
            }
            match state.act.take() {
                Some(Act::Play(text)) => return Ok(Ok(text)),
                Some(Act::Resign) => {
                    let reply = state.reply.take();
                    drop(reply.map(|reply| reply.send(Ok(()))));
                    return Ok(Err(Failure::new(FaultKind::Resigned, "resigned")));
                }
                None => {}
            }
            let Some(until) = until else {
                state = of.sent.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                state.turn = None;
                return Ok(Err(Failure::new(FaultKind::Overtime, "ran out of time")));
            }
            let waited = of.sent.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn finish(&mut self, _view: &View) {}
}

/// Ends a match whose thread stopped before the game was over.
pub struct Ends(pub Arc<Match>);

impl Drop for Ends {
    fn drop(&mut self) {
        (self.0)
            .over(|state| state.note = Some("The match has stopped: internal error.".to_owned()));
    }
}
