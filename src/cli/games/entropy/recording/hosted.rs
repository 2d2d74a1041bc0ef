//! Converts the events of a host into records like those of an arena.

use std::collections::BTreeSet;
use std::time::Duration;

use turnwise_arena::records::{Fault, GameRecord, GameResult, GameSettings, MoveRecord, Settings};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::FaultKind;
use turnwise_engine::plugin;
use turnwise_entropy::picture::notation;
use turnwise_entropy::rules::Rules;
use turnwise_entropy_server::host::{self, Begun, Config, Event, HostedBoard, Hosting, Turn};
use turnwise_protocol::entropy::Role;
use turnwise_studio::live::{self, Beginning, News};

use super::{LogArguments, Recording, settings};
use crate::cli::studio::LiveArguments;

/// Records the games of a host.
pub struct HostedGames {
    recording: Recording,
    settings: Settings,
    /// The players of the last game.
    players: BTreeSet<String>,
    playing: Option<Playing>,
}

/// The game in progress, as far as the host has reported it.
struct Playing {
    begun: Begun,
    moves: Vec<String>,
    /// The role that the host last asked for a move, and the timers of both players at that moment.
    asked: Option<(Role, [Duration; 2])>,
}

impl HostedGames {
    /// Starts recording the games on this host, as far as the user asked for it.
    pub fn start(
        log: &LogArguments,
        live: &LiveArguments,
        hosting: &Hosting,
        config: &Config,
    ) -> anyhow::Result<Self> {
        let rules = Rules {
            size: hosting.size,
            pass: hosting.pass,
        };
        let settings = settings(rules, config.seed, config.clock);
        let title = format!("Wars of {}", settings.game.0.place());
        Ok(Self {
            recording: Recording::start(log, live, &settings, title)?,
            settings,
            players: BTreeSet::new(),
            playing: None,
        })
    }

    /// Receives an event from the host.
    pub fn hear(&mut self, event: &Event) {
        if self.recording.is_idle() {
            return;
        }
        match event {
            Event::Begun(begun) => {
                let players: BTreeSet<String> = begun.names.iter().cloned().collect();
                if players != self.players {
                    self.players = players;
                    self.recording.begin(&self.settings, &begun.names);
                }
                self.recording.tell(News::Begun(live::Begun {
                    pair: begun.war,
                    game: begun.game,
                    players: begun.names.to_vec(),
                    beginning: Beginning::Seed {
                        seed: begun.seed,
                        pairs_before: 0,
                    },
                    opening: Vec::new(),
                    measured: None,
                }));
                self.playing = Some(Playing {
                    begun: begun.clone(),
                    moves: Vec::new(),
                    asked: None,
                });
            }
            Event::Turn(Turn {
                role,
                timers,
                board,
                ..
            }) => {
                self.moved(board, timers);
                if let Some(playing) = &mut self.playing {
                    playing.asked = Some((*role, *timers));
                }
            }
            Event::GameOver(result) => {
                self.moved(&result.board, &result.timers);
                let playing = self.playing.take();
                let record =
                    playing.and_then(|playing| record(playing, &self.settings.game, result));
                if let Some(record) = record {
                    self.recording.tell(News::Over(record));
                }
            }
            _ => {}
        }
    }

    /// Sends the last move to the spectators, unless they have already received it.
    fn moved(&mut self, board: &HostedBoard, timers: &[Duration; 2]) {
        let Some(playing) = &mut self.playing else {
            return;
        };
        let is_new = board.ply as usize > playing.moves.len();
        let (Some(mv), Some((role, before)), true) = (board.last, playing.asked, is_new) else {
            return;
        };
        let side = role.side();
        let used = before[side].saturating_sub(timers[side]);
        let mv = notation(mv, board.position.size());
        playing.moves.push(mv.clone());
        let record = MoveRecord {
            pair: playing.begun.war,
            game: playing.begun.game,
            ply: board.ply,
            role: role.to_string(),
            agent: playing.begun.names[side].clone(),
            mv,
            clock_left_s: Some(before[side].as_secs_f64()),
            used_ms: Some(used.as_secs_f64() * 1e3),
            ..MoveRecord::default()
        };
        self.recording.tell(News::Moved(record));
    }
}

/// Records the game in progress as abandoned, because the host stops.
impl Drop for HostedGames {
    fn drop(&mut self) {
        if let Some(Playing { begun, .. }) = self.playing.take() {
            self.recording.tell(News::Abandoned {
                pair: begun.war,
                game: begun.game,
                why: "the host stopped".to_owned(),
            });
        }
    }
}

/// Converts a finished game to the arena's record; `None` if the game cannot be represented.
fn record(playing: Playing, game: &GameSettings, over: &host::GameResult) -> Option<GameRecord> {
    let Playing { begun, moves, .. } = playing;
    let open = game.0.open(plugin::Beginning::Seed {
        seed: begun.seed,
        meetings: 0,
    });
    // Apart from the score, the fields of the result are the fields that were known at the beginning of the game.
    let beginning = open.ok()?.outcome(None, None);
    let mut fields = Fields::default();
    for (name, value) in beginning.iter() {
        match name {
            "order_score" => fields.push(name, over.score),
            _ => fields.push(name, value.clone()),
        }
    }
    let result = GameResult::new(game, over.names.to_vec(), fields).ok()?;
    let fault = over.fault.as_ref().map(|fault| Fault {
        agent: over.names[fault.role.side()].clone(),
        role: fault.role.to_string(),
        kind: FaultKind::Other,
        reason: fault.reason.clone(),
        output: None,
        stderr: Vec::new(),
    });
    Some(GameRecord {
        moves,
        fault,
        ..GameRecord::of_result(begun.war, begun.game, begun.seed, result)?
    })
}
