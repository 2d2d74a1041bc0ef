//! The port of a tournament: remote participants come in, are shown and called to their games, and what is
//! published grows with every pair.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use turnwise_arena::lineup::CallRemote;
use turnwise_arena::referee;
use turnwise_daemon::host::door::Refused;
use turnwise_daemon::host::lobby::{Event, Lobby};
use turnwise_daemon::shutdown::{exit_code, listen_on_thread};
use turnwise_engine::hosting::{Guest, Presence, with_secret};
use turnwise_engine::words::{counted, printable};
use turnwise_entropy::hosting::Hosting;
use turnwise_protocol::entropy::MAX_NAME;
use turnwise_tournament::class_file::Class;
use turnwise_tournament::conductor::Attendance;

use crate::cli::files::announce;
use crate::cli::report::Publisher;
use crate::cli::{NO_THREAD, WrongUsage};
use crate::console::note;
use crate::console::output::show;

/// How often it is looked at what is to be shown or published.
const LOOK: Duration = Duration::from_millis(250);

/// How often the lobby is shown, at most.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// How often what has been played is published, at most.
const BETWEEN_PAGES: Duration = Duration::from_secs(5);

/// Publishing may take one part in so many of the time: the larger the log, the longer it takes.
const PART_OF_TIME: u32 = 20;

/// So many names stand in a line.
const MOST_NAMES: usize = 12;

/// How participants are to come in.
pub struct Wanted {
    /// The address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where to write the port.
    pub port_file: Option<PathBuf>,
    /// How long somebody is missed before its meetings are lost.
    pub patience: Duration,
}

/// What is being played.
struct Playing {
    /// The players of each game, in the order of their names.
    games: BTreeSet<Vec<String>>,
    pairs: usize,
    of: u64,
}

/// What the games and the thread that shows them share.
struct Shared {
    playing: Mutex<Playing>,
    /// Pairs are over that have not been published.
    is_grown: AtomicBool,
    is_closed: AtomicBool,
}

impl Shared {
    fn playing(&self) -> MutexGuard<'_, Playing> {
        self.playing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A port that participants come in by, and the thread that shows and publishes what is played.
pub struct Port {
    lobby: Lobby<Hosting>,
    shared: Arc<Shared>,
    shown: thread::JoinHandle<()>,
}

/// At the first signal everything ends, after what has been played was published; the games at hand are played
/// again by whoever goes on with the log.
pub fn stop_at_a_signal(publisher: Publisher) -> anyhow::Result<()> {
    let first = move |signal| {
        let code = exit_code(signal);
        note!("turnwise: stopping; the games at hand will be played again");
        // It may take a moment. Whoever cannot wait kills the process, and loses a page, no game.
        published(&publisher);
        note!(
            "turnwise: what was played is in {}; the same command goes on with it",
            publisher.log().display()
        );
        turnwise_process::kill_all_and_exit(code)
    };
    let again = |signal| turnwise_process::kill_all_and_exit(exit_code(signal));
    listen_on_thread(first, again).context("cannot listen to signals")
}

/// Publishes, and notes what has gone wrong: the games go on.
fn published(publisher: &Publisher) {
    if let Err(error) = publisher.publish() {
        note!(
            "turnwise: cannot publish what was played: {}",
            printable(&format!("{error:#}"))
        );
    }
}

impl Port {
    /// Opens the port for a class of which so many pairs of so many have been played.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a secret is too long for the wire.
    pub fn open(
        wanted: Wanted,
        class: &Class,
        publisher: Publisher,
        (pairs, of): (usize, u64),
    ) -> anyhow::Result<Self> {
        let is_too_long = |guest: &&Guest| {
            let secret = guest.secret.as_ref();
            let said = secret.map_or(guest.name.clone(), |secret| {
                with_secret(&guest.name, secret)
            });
            said.len() > MAX_NAME
        };
        if let Some(guest) = class.guests.iter().find(is_too_long) {
            let name = printable(&guest.name);
            return Err(WrongUsage(anyhow!(
                "participant {name:?}: expected name and secret together to have at most {MAX_NAME} bytes"
            ))
            .into());
        }
        let Wanted {
            listen,
            port_file,
            patience,
        } = wanted;
        let guests = class.guests.clone();
        let (lobby, address) =
            Lobby::listen(listen, Hosting::judged_elsewhere(), guests, patience, tell)
                .with_context(|| format!("cannot listen on {listen}"))?;
        show(&format!("listening on {address}\n"));
        if let Some(file) = &port_file {
            announce(file, address.port())?;
        }
        let shared = Arc::new(Shared {
            playing: Mutex::new(Playing {
                games: BTreeSet::new(),
                pairs,
                of,
            }),
            is_grown: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
        });
        let shown = {
            let (lobby, shared) = (lobby.clone(), Arc::clone(&shared));
            let thread = thread::Builder::new().name("lobby shown".to_owned());
            let thread = thread.spawn(move || keep_shown(&lobby, &shared, &publisher));
            thread.context(NO_THREAD)?
        };
        Ok(Self {
            lobby,
            shared,
            shown,
        })
    }

    /// How participants are called to their games.
    pub fn calls(&self) -> CallRemote {
        let lobby = self.lobby.clone();
        Box::new(move |name| lobby.channel(name))
    }

    /// Whether participants are there. Those that do not come by this port always are.
    pub fn attendance(&self) -> Attendance {
        let lobby = self.lobby.clone();
        Box::new(move |name| lobby.presence(name).unwrap_or(Presence::Here))
    }

    /// Hears what happens in a game.
    pub fn follow(&self, event: referee::Event) {
        let between = |players: &[&str]| {
            let mut players: Vec<String> = players.iter().map(|&name| name.to_owned()).collect();
            players.sort();
            players
        };
        match event {
            referee::Event::Begun { players, .. } => {
                self.shared.playing().games.insert(between(players));
            }
            referee::Event::Over(game) => {
                let players = game.result.players.iter().map(String::as_str);
                let players: Vec<&str> = players.collect();
                self.shared.playing().games.remove(&between(&players));
            }
            referee::Event::Moved(_) | referee::Event::PutOut { .. } => {}
        }
    }

    /// A pair is over, and in the log.
    pub fn pair_is_over(&self) {
        self.shared.playing().pairs += 1;
        self.shared.is_grown.store(true, Ordering::Relaxed);
    }

    /// Says goodbye to everybody.
    pub fn close(self) {
        self.shared.is_closed.store(true, Ordering::Relaxed);
        // If it has panicked, that was shown.
        let _ = self.shown.join();
        self.lobby.close();
    }
}

/// Tells who has come or gone.
fn tell(event: Event) {
    match event {
        Event::Joined {
            name,
            address,
            is_second: false,
        } => note!("turnwise: {} joined from {address}", printable(&name)),
        Event::Joined { name, address, .. } => note!(
            "turnwise: {} is connected twice: the one from {address} waits until the other leaves",
            printable(&name)
        ),
        Event::Refused(Refused { address, reason }) => {
            note!("turnwise: refused {address}: {}", printable(&reason));
        }
        Event::Guessed { name, address } => {
            let name = printable(&name);
            note!(
                "turnwise: wrong secrets of {name} come from {address}: for a minute no more from there \
                 is looked at"
            );
        }
        Event::Left { name, sent_away } => match sent_away {
            None => note!("turnwise: {} left", printable(&name)),
            Some(why) => note!("turnwise: {} was sent away: {why}", printable(&name)),
        },
    }
}

/// Shows the lobby and publishes what has been played, until the port is closed.
fn keep_shown(lobby: &Lobby<Hosting>, shared: &Shared, publisher: &Publisher) {
    let mut last_line = (String::new(), None::<Instant>);
    let mut page_after = Instant::now();
    while !shared.is_closed.load(Ordering::Relaxed) {
        let line = line(lobby, &shared.playing());
        let is_time = last_line.1.is_none_or(|at| at.elapsed() >= BETWEEN_LINES);
        if is_time && line != last_line.0 {
            note!("{line}");
            last_line = (line, Some(Instant::now()));
        }
        if Instant::now() >= page_after && shared.is_grown.swap(false, Ordering::Relaxed) {
            let began = Instant::now();
            published(publisher);
            page_after = Instant::now() + BETWEEN_PAGES.max(began.elapsed() * PART_OF_TIME);
        }
        thread::sleep(LOOK);
    }
}

/// Who is here, who is missing, and what is being played.
fn line(lobby: &Lobby<Hosting>, playing: &Playing) -> String {
    let everybody = lobby.everybody();
    let all = everybody.len();
    let missing: Vec<String> = everybody
        .into_iter()
        .filter(|(_, presence)| *presence != Presence::Here)
        .map(|(name, presence)| match presence {
            Presence::GivenUp => format!("{} (given up)", printable(&name)),
            _ => printable(&name),
        })
        .collect();
    let mut text = format!("lobby: {} of {all} here", all - missing.len());
    if !missing.is_empty() {
        text += &format!(", missing {}", listed(missing));
    }
    let games = playing.games.iter();
    let games: Vec<String> = games
        .map(|players| printable(&players.join(" - ")))
        .collect();
    if !games.is_empty() {
        text += &format!("; playing {}", listed(games));
    }
    format!(
        "{text}; {} of {} played",
        playing.pairs,
        counted(playing.of, "pair")
    )
}

/// Some names, and how many more there are.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let names = names.join(", ");
    match more {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
