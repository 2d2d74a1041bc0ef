//! Records games that are not played in the arena: a server's games, and a client's games on a server. The games become
//! records like those of the arena, which are written to a log and shown to spectators.

mod hosted;
mod seen;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use turnwise_arena::log::{AppendedLog, LogError};
use turnwise_arena::records::{AbandonedRecord, Contestant, GameSettings, Record, Settings, Via};
use turnwise_daemon::logging::Queue;
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_entropy::rules::Rules;
use turnwise_report::Match;
use turnwise_studio::live::News;
use turnwise_studio::spectators::SpectatorServer;

use crate::cli::WrongUsage;
use crate::cli::studio::LiveArguments;
pub(super) use hosted::HostedGames;
pub(super) use seen::SeenGames;

/// Where games are recorded.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct LogArguments {
    /// Append every move and game to this log, for report, review, replay and budget
    #[arg(long, value_name = "LOG")]
    pub log: Option<PathBuf>,
    /// Begin a new log before this one exceeds this size, in MiB; the previous one is kept as LOG.1
    #[arg(long, value_name = "MB", requires = "log",
          value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub log_limit: Option<u64>,
}

impl LogArguments {
    /// Opens the log, and starts the thread that writes to it.
    fn open(&self) -> anyhow::Result<Option<Queue>> {
        let Some(path) = self.log.as_deref() else {
            return Ok(None);
        };
        let limit = self.log_limit.map(|limit| limit << 20);
        let log = AppendedLog::open(path, limit).map_err(|error| match error {
            LogError::System { .. } => error.into(),
            // The file is not a log, or is in use.
            error => anyhow::Error::from(WrongUsage(error.into())),
        })?;
        let queue = Queue::start("the log of games", log);
        let name = Path::display(path);
        queue
            .map(Some)
            .with_context(|| format!("cannot write {name}"))
    }
}

/// Receives the records of games. Receiving never waits.
struct Recording {
    spectators: Option<SpectatorServer>,
    log: Option<Queue>,
}

impl Recording {
    /// Opens the log and starts a server for spectators, as far as the user asked for them. The spectators see the
    /// settings and the title before the first game begins.
    fn start(
        log: &LogArguments,
        live: &LiveArguments,
        settings: &Settings,
        title: String,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            log: log.open()?,
            spectators: live.start_under(Match::new(settings.clone()), title)?,
        })
    }

    /// Returns true if nobody receives the records.
    fn is_idle(&self) -> bool {
        self.spectators.is_none() && self.log.is_none()
    }

    /// Begins a part of the log: the games that follow have these settings and players.
    fn begin(&mut self, settings: &Settings, players: &[String]) {
        let agents = players.iter().map(|name| Contestant {
            name: name.clone(),
            spec: name.clone(),
            folder: None,
        });
        self.write(&Record::Match(Settings {
            agents: agents.collect(),
            ..settings.clone()
        }));
    }

    /// Records an event of a game.
    fn tell(&mut self, news: News) {
        match &news {
            News::Settled(_) | News::Begun(_) | News::PutOut { .. } => {}
            News::Moved(record) => self.write(&Record::Move(record.clone())),
            News::Over(record) => self.write(&Record::Game(record.clone())),
            &News::Abandoned {
                pair,
                game,
                ref why,
            } => {
                let why = why.clone();
                self.write(&Record::Abandoned(AbandonedRecord { pair, game, why }));
            }
        }
        if let Some(spectators) = &self.spectators {
            spectators.announcer().tell(news);
        }
    }

    fn write(&mut self, record: &Record) {
        let Some(log) = &mut self.log else {
            return;
        };
        let mut line = serde_json::to_vec(record).expect("a record has text keys");
        line.push(b'\n');
        // The queue reports lines that it drops, and the log those that it cannot write.
        let _ = log.write_all(&line);
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.log.iter().for_each(Queue::flush_soon);
    }
}

/// Returns the settings of games on a server. The players are still unknown.
fn settings(rules: Rules, seed: u64, clock: Duration) -> Settings {
    let time = TimeControl::clock(clock);
    Settings {
        seed,
        pairs: 0,
        counts: Counts::Wall,
        via: Via::Tcp,
        ..Settings::new(GameSettings(Arc::new(rules)), Vec::new(), time)
    }
}
