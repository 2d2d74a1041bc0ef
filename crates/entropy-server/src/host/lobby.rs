//! The lobby of a tournament, which participants join by name and where they wait for their games.
//!
//! Participants may leave and return. If a name is already in use, a second connection under this name waits behind the
//! first connection, and takes over when the first connection ends. This helps a restarted daemon, which may return
//! before anybody has noticed that it was gone.

mod admission;
mod call;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use turnwise_daemon::runtime::runtime;
use turnwise_daemon::world::{Listener, now};
use turnwise_engine::guest::{Guest, Presence};
use turnwise_engine::log_throttle::LogThrottle;

use super::Hosting;
use super::door::{Door, Refused};
use super::seat::Seat;
use crate::goodbye::Goodbye;
use admission::Admission;
pub use call::Call;

/// The maximum number of connections under one name.
const MOST_OF_A_NAME: usize = 2;

/// An event that a lobby reports to observers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A participant has joined.
    Joined {
        /// The participant's name.
        name: String,
        /// The address that the participant connects from.
        address: SocketAddr,
        /// True if another connection already has this name; then the new connection waits behind the old one.
        is_second: bool,
    },
    /// A client was turned away.
    Refused(Refused),
    /// Too many wrong secrets came from an address; further secrets from there are ignored for a while.
    Guessed {
        /// The participant whose secret was guessed.
        name: String,
        /// The address of the last guess.
        address: SocketAddr,
    },
    /// A connection of a participant has ended.
    Left {
        /// The participant's name.
        name: String,
        /// The reason why the lobby disconnected the participant; `None` if the participant left on its own.
        sent_away: Option<&'static str>,
    },
}

/// A participant's entry. It has no connection while nobody is connected under the name.
struct Place {
    /// The connections that do not play now. The first one is the next to play.
    idle: VecDeque<Idle>,
    is_playing: bool,
    /// When the last connection ended.
    left: Instant,
    /// Limits how often the log reports that the participant joins or leaves.
    throttle: LogThrottle,
}

impl Place {
    fn is_here(&self) -> bool {
        self.is_playing || !self.idle.is_empty()
    }
}

/// An idle connection. A task watches the connection, and hands over its seat when it is called to a game.
struct Idle {
    number: u64,
    call: oneshot::Sender<()>,
    seat: JoinHandle<Option<Seat>>,
}

/// The entries of all guests, keyed by name, and the counts that concern them all.
struct People {
    places: BTreeMap<String, Place>,
    /// The time since which at least one participant has been connected, or `None` if nobody is connected.
    since: Option<Instant>,
    /// The number of times that a connection began to wait for a game. It also numbers the idle connections.
    connections: u64,
}

impl People {
    /// Returns the time until which to wait for a participant that has been missing since `missed`.
    ///
    /// Returns `None` while nobody is connected, because then no opponent waits for the participant.
    fn waited_until(&self, missed: Instant, patience: Duration) -> Option<Instant> {
        self.since.map(|since| since.max(missed) + patience)
    }

    /// Updates the field `since`. Call this method after a participant has joined or left.
    fn count(&mut self) {
        self.since = match self.places.values().any(Place::is_here) {
            true => self.since.or_else(|| Some(now())),
            false => None,
        };
    }
}

struct Inner {
    people: Mutex<People>,
    /// Notifies waiting tasks when a participant has joined or left.
    news: Notify,
    patience: Duration,
    watch: Box<dyn Fn(Event) + Send + Sync>,
    refusals: Mutex<LogThrottle>,
    runtime: Handle,
    closed: Notify,
}

/// The lobby of a tournament. All clones share one state.
#[derive(Clone)]
pub struct Lobby(Arc<Inner>);

impl Lobby {
    /// Opens a lobby at this address. It runs on a separate thread until it is closed.
    ///
    /// Also returns the actual address; port 0 chooses a free port.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is unavailable or the thread cannot be started.
    pub fn listen(
        address: SocketAddr,
        guests: Vec<Guest>,
        patience: Duration,
        watch: impl Fn(Event) + Send + Sync + 'static,
    ) -> io::Result<(Self, SocketAddr)> {
        let runtime = runtime()?;
        let (lobby, address) = runtime.block_on(async {
            let listener = TcpListener::bind(address).await?;
            let address = listener.local_addr()?;
            let lobby = Self::open(Box::new(listener), guests, patience, watch);
            io::Result::Ok((lobby, address))
        })?;
        let inner = Arc::clone(&lobby.0);
        thread::Builder::new()
            .name("lobby".to_owned())
            .spawn(move || runtime.block_on(inner.closed.notified()))?;
        Ok((lobby, address))
    }

    /// Opens a lobby for players that connect to this listener. Needs a tokio runtime.
    ///
    /// If a guest has been missing for longer than `patience` while others were connected, games do not wait for the
    /// guest until it returns.
    pub fn open(
        listener: Box<dyn Listener>,
        guests: Vec<Guest>,
        patience: Duration,
        watch: impl Fn(Event) + Send + Sync + 'static,
    ) -> Self {
        let places = guests.iter().map(|guest| {
            let place = Place {
                idle: VecDeque::new(),
                is_playing: false,
                left: now(),
                throttle: LogThrottle::default(),
            };
            (guest.name.clone(), place)
        });
        let lobby = Self(Arc::new(Inner {
            people: Mutex::new(People {
                places: places.collect(),
                since: None,
                connections: 0,
            }),
            news: Notify::new(),
            patience,
            watch: Box::new(watch),
            refusals: Mutex::default(),
            runtime: Handle::current(),
            closed: Notify::new(),
        }));
        let admission = Admission::new(guests);
        let inside = lobby.clone();
        let admission = move |address, said: &str| inside.admitted(&admission, address, said);
        let mut door = Door::open_for(listener, Hosting::judged_elsewhere(), Arc::new(admission));
        let inside = lobby.clone();
        tokio::spawn(async move {
            loop {
                let seat = door.admit(|refused| inside.refused(refused)).await;
                inside.arrived(seat);
            }
        });
        lobby
    }

    fn people(&self) -> MutexGuard<'_, People> {
        self.0.people.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: Event) {
        (self.0.watch)(event);
    }

    /// Reports an event of a participant, unless a log would contain too many events of this participant.
    fn tell_of(&self, name: &str, event: Event) {
        let mut people = self.people();
        let place = people.places.get_mut(name);
        let is_told = place.is_none_or(|place| place.throttle.one_more(now()));
        drop(people);
        if is_told {
            self.tell(event);
        }
    }

    fn admitted(
        &self,
        admission: &Admission,
        address: SocketAddr,
        said: &str,
    ) -> Result<String, Goodbye> {
        let admitted = admission.admit(address.ip(), said, now());
        admitted.map_err(|rejection| {
            if let Some(name) = rejection.guessed {
                self.tell(Event::Guessed { name, address });
            }
            rejection.goodbye
        })
    }

    /// Reports that a client was refused, unless a log would contain too many such reports.
    fn refused(&self, refused: Refused) {
        let mut refusals = (self.0.refusals.lock()).unwrap_or_else(PoisonError::into_inner);
        if refusals.one_more(now()) {
            self.tell(Event::Refused(refused));
        }
    }

    fn arrived(&self, mut seat: Seat) {
        let (name, address) = (seat.name.clone(), seat.address);
        let is_second = {
            let people = self.people();
            let Some(place) = people.places.get(&name) else {
                return;
            };
            let connections = place.idle.len() + usize::from(place.is_playing);
            if connections >= MOST_OF_A_NAME {
                drop(people);
                let reason = "two connections have this name already";
                self.refused(Refused {
                    address,
                    reason: format!("{name}: {reason}"),
                });
                self.0.runtime.spawn(async move {
                    seat.send_away(reason).await;
                });
                return;
            }
            connections > 0
        };
        let joined = Event::Joined {
            name: name.clone(),
            address,
            is_second,
        };
        self.tell_of(&name, joined);
        self.keep(seat, false);
    }

    /// Watches a connection until it is called to a game or ends.
    ///
    /// A connection that `is_back` from a game is the first connection under its name to be called again.
    fn keep(&self, mut seat: Seat, is_back: bool) {
        let mut people = self.people();
        people.connections += 1;
        let number = people.connections;
        let name = seat.name.clone();
        let (call, called) = oneshot::channel();
        let lobby = self.clone();
        let watched = self.0.runtime.spawn(async move {
            tokio::select! {
                biased;
                _ = called => return Some(seat),
                () = seat.until_it_leaves() => {}
            }
            let mut people = lobby.people();
            if let Some(place) = people.places.get_mut(&seat.name) {
                place.idle.retain(|idle| idle.number != number);
            }
            drop(people);
            lobby.left(seat, false);
            None
        });
        if let Some(place) = people.places.get_mut(&name) {
            place.is_playing &= !is_back;
            let idle = Idle {
                number,
                call,
                seat: watched,
            };
            match is_back {
                true => place.idle.push_front(idle),
                false => place.idle.push_back(idle),
            }
        }
        people.count();
        drop(people);
        self.0.news.notify_waiters();
    }

    /// Handles the end of a connection that was idle or playing.
    fn left(&self, seat: Seat, was_playing: bool) {
        self.misses(&seat.name, was_playing);
        let left = Event::Left {
            name: seat.name.clone(),
            sent_away: seat.sent_away,
        };
        self.tell_of(&seat.name, left);
    }

    /// Returns the name of each guest, and whether the guest is connected.
    pub fn everybody(&self) -> Vec<(String, Presence)> {
        let people = self.people();
        let all = people.places.iter();
        all.map(|(name, place)| (name.clone(), self.presence_of(&people, place)))
            .collect()
    }

    /// Returns whether the guest with this name is connected, or `None` if the name is unknown.
    pub fn presence(&self, name: &str) -> Option<Presence> {
        let people = self.people();
        let place = people.places.get(name)?;
        Some(self.presence_of(&people, place))
    }

    fn presence_of(&self, people: &People, place: &Place) -> Presence {
        if place.is_here() {
            return Presence::Here;
        }
        match people.waited_until(place.left, self.0.patience) {
            Some(until) if until <= now() => Presence::GivenUp,
            _ => Presence::Away,
        }
    }

    /// Calls a participant to a game that is due at `due`.
    ///
    /// Waits for the participant until the lobby's patience is over. The participant may leave and return meanwhile.
    async fn wait_for(&self, name: &str, due: Instant) -> Option<Seat> {
        enum Next {
            Called(Idle),
            Wait(Option<Instant>),
        }
        loop {
            let news = self.0.news.notified();
            let mut news = std::pin::pin!(news);
            // No notification is missed from here on.
            news.as_mut().enable();
            let next = {
                let mut people = self.people();
                let place = people.places.get_mut(name)?;
                match place.idle.pop_front() {
                    Some(idle) => {
                        place.is_playing = true;
                        Next::Called(idle)
                    }
                    None => {
                        let missed = place.left.min(due);
                        Next::Wait(people.waited_until(missed, self.0.patience))
                    }
                }
            };
            match next {
                Next::Called(Idle { call, seat, .. }) => {
                    // If the participant has just left, its leaving was already reported.
                    let _ = call.send(());
                    if let Ok(Some(seat)) = seat.await {
                        return Some(seat);
                    }
                    self.misses(name, true);
                }
                Next::Wait(Some(until)) if until <= now() => return None,
                Next::Wait(Some(until)) => {
                    let _ = tokio::time::timeout_at(until.into(), news).await;
                }
                Next::Wait(None) => news.await,
            }
        }
    }

    /// Records that a connection of a participant has ended.
    fn misses(&self, name: &str, was_playing: bool) {
        let mut people = self.people();
        if let Some(place) = people.places.get_mut(name) {
            place.is_playing &= !was_playing;
            if !place.is_here() {
                place.left = now();
            }
        }
        people.count();
        drop(people);
        self.0.news.notify_waiters();
    }

    /// Returns a seat to the lobby after a game.
    fn take_back(&self, seat: Seat) {
        match seat.is_gone() {
            true => self.left(seat, true),
            false => self.keep(seat, true),
        }
    }

    /// Sends a goodbye to all connected participants. No game may be running.
    pub async fn say_goodbye(&self) {
        let mut all = Vec::new();
        for place in self.people().places.values_mut() {
            all.extend(place.idle.drain(..));
        }
        let mut goodbyes = JoinSet::new();
        for Idle { call, seat, .. } in all {
            let _ = call.send(());
            goodbyes.spawn(async move {
                if let Ok(Some(seat)) = seat.await {
                    seat.say_goodbye().await;
                }
            });
        }
        goodbyes.join_all().await;
    }

    /// Sends a goodbye to all participants and stops listening. Must not be called on the lobby's thread.
    pub fn close(self) {
        self.0.runtime.block_on(self.say_goodbye());
        self.0.closed.notify_one();
    }
}
