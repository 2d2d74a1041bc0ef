//! Runs the TCP port of a tournament. Remote participants connect to this port, and are then called to their games.
//!
//! Meanwhile, a thread shows which participants are in the lobby, and publishes the results when pairs have ended.

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
use turnwise_daemon::shutdown::{exit_code, listen_on_thread};
use turnwise_engine::guest::{Guest, Presence, with_secret};
use turnwise_engine::words::{counted, printable};
use turnwise_entropy_server::host::door::Refused;
use turnwise_entropy_server::host::lobby::{Event, Lobby};
use turnwise_protocol::entropy::MAX_NAME;
use turnwise_tournament::class_file::Class;
use turnwise_tournament::conductor::Attendance;

use crate::cli::files::announce;
use crate::cli::report::Publisher;
use crate::cli::{NO_THREAD, WrongUsage};
use crate::console::note;
use crate::console::output::show;

/// The interval at which the thread checks whether anything has changed that must be shown or published.
const LOOK: Duration = Duration::from_millis(250);

/// The minimum time between two lines that show the lobby.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// The minimum time between two publications of the results.
const BETWEEN_PAGES: Duration = Duration::from_secs(5);

/// The pause after publishing the results is at least the time that publishing took, multiplied by this number. This
/// limits the load, because publishing takes longer as the log grows.
const PART_OF_TIME: u32 = 20;

/// The maximum number of names or games that a line lists.
const MOST_NAMES: usize = 12;

/// The options for the port to which remote participants connect.
pub struct Wanted {
    /// The address to listen on; port 0 selects a free port.
    pub listen: SocketAddr,
    /// The file to which the port number is written.
    pub port_file: Option<PathBuf>,
    /// How long the meetings of a missing participant wait before the participant loses them.
    pub patience: Duration,
}

/// The games that are being played, and the progress of the tournament.
struct Playing {
    /// The players of each game, sorted by name.
    games: BTreeSet<Vec<String>>,
    pairs: usize,
    of: u64,
}

/// The state that is shared by the threads that play games and the thread that shows the lobby.
struct Shared {
    playing: Mutex<Playing>,
    /// True if pairs have ended since the results were last published.
    is_grown: AtomicBool,
    is_closed: AtomicBool,
}

impl Shared {
    fn playing(&self) -> MutexGuard<'_, Playing> {
        self.playing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The open port of a tournament, and the thread that shows the lobby and publishes the results.
pub struct Port {
    lobby: Lobby,
    shared: Arc<Shared>,
    shown: thread::JoinHandle<()>,
}

/// Starts handling signals during a tournament. At the first signal, the results of the finished games are published,
/// and the process ends.
///
/// When the tournament resumes, the unfinished games are played again.
pub fn stop_at_a_signal(publisher: Publisher) -> anyhow::Result<()> {
    let first = move |signal| {
        let code = exit_code(signal);
        note!("turnwise: stopping; the running games will be replayed");
        // Publishing may take a moment. If the user kills the process meanwhile, the page is not updated, but no game
        // is lost.
        published(&publisher);
        note!(
            "turnwise: the played games are in {}; the same command continues from there",
            publisher.log().display()
        );
        turnwise_process::kill_all_and_exit(code)
    };
    let again = |signal| turnwise_process::kill_all_and_exit(exit_code(signal));
    listen_on_thread(first, again).context("cannot listen for signals")
}

/// Publishes the results. An error is only printed, because the games should continue.
fn published(publisher: &Publisher) {
    if let Err(error) = publisher.publish(false) {
        note!(
            "turnwise: cannot publish the results: {}",
            printable(&format!("{error:#}"))
        );
    }
}

impl Port {
    /// Opens the port for a tournament. The last argument states how many pairs have been played, and how many pairs
    /// the tournament has.
    ///
    /// # Errors
    ///
    /// Returns an error if the system provides no port or no thread, or if a name with its secret is too long for the
    /// protocol.
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
                "participant {name:?}: expected name and secret of at most {MAX_NAME} bytes together"
            ))
            .into());
        }
        let Wanted {
            listen,
            port_file,
            patience,
        } = wanted;
        let guests = class.guests.clone();
        let (lobby, address) = Lobby::listen(listen, guests, patience, tell)
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

    /// Returns a function that calls a participant to a game.
    pub fn calls(&self) -> CallRemote {
        let lobby = self.lobby.clone();
        Box::new(move |name| lobby.channel(name))
    }

    /// Returns a function that returns true if a participant is present. Participants on this machine are always
    /// present.
    pub fn attendance(&self) -> Attendance {
        let lobby = self.lobby.clone();
        Box::new(move |name| lobby.presence(name).unwrap_or(Presence::Here))
    }

    /// Updates the list of current games according to an event of a game.
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

    /// Counts a pair of games that has ended and has been written to the log.
    pub fn pair_is_over(&self) {
        self.shared.playing().pairs += 1;
        self.shared.is_grown.store(true, Ordering::Relaxed);
    }

    /// Sends a goodbye to all participants and closes the port.
    pub fn close(self) {
        self.shared.is_closed.store(true, Ordering::Relaxed);
        // Joining fails if the thread panicked, and the panic has already been reported.
        let _ = self.shown.join();
        self.lobby.close();
    }
}

/// Prints a note when a participant connects, is rejected or leaves.
fn tell(event: Event) {
    match event {
        Event::Joined {
            name,
            address,
            is_second: false,
        } => note!("turnwise: {} joined from {address}", printable(&name)),
        Event::Joined { name, address, .. } => note!(
            "turnwise: {} is connected twice: the connection from {address} waits until the other ends",
            printable(&name)
        ),
        Event::Refused(Refused { address, reason }) => {
            note!("turnwise: refused {address}: {}", printable(&reason));
        }
        Event::Guessed { name, address } => {
            let name = printable(&name);
            note!(
                "turnwise: wrong secrets for {name} from {address}: ignoring secrets from there for \
                 one minute"
            );
        }
        Event::Left { name, sent_away } => match sent_away {
            None => note!("turnwise: {} left", printable(&name)),
            Some(why) => note!("turnwise: {} was disconnected: {why}", printable(&name)),
        },
    }
}

/// Shows the lobby and publishes the results until the port is closed.
fn keep_shown(lobby: &Lobby, shared: &Shared, publisher: &Publisher) {
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

/// Returns a line that states which participants are missing, which games are in progress, and how many pairs have been
/// played.
fn line(lobby: &Lobby, playing: &Playing) -> String {
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

/// Returns a text that lists the first names, and states how many further names exist.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let names = names.join(", ");
    match more {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
