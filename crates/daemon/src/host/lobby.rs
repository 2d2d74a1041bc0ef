//! A lobby: the participants of a tournament come in by name, wait here until they are called to a game, and
//! may leave and come back.
//!
//! Whoever comes under a name that somebody has already waits behind that connection and takes over when it
//! ends: a daemon that was started anew may be back before anybody has noticed that it was gone.

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
use turnwise_engine::hosting::{Guest, HostProtocol, Presence};
use turnwise_engine::log_throttle::LogThrottle;

use super::Hosted;
use super::door::{Door, Refusal, Refused};
use super::seat::Seat;
use crate::runtime::runtime;
use crate::world::{Listener, now};
use admission::Admission;
pub use call::Call;

/// How long somebody is kept waiting that was not let in.
const KEPT_WAITING: Duration = Duration::from_secs(1);

/// Connections under one name.
const MOST_OF_A_NAME: usize = 2;

/// What happened, for whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A participant has come in.
    Joined {
        /// The name under which it was let in.
        name: String,
        /// Where it connects from.
        address: SocketAddr,
        /// Somebody else has the name and the place; it waits for both.
        is_second: bool,
    },
    /// A client was turned away.
    Refused(Refused),
    /// So many wrong secrets of a participant have come from an address that no more is looked at for a while.
    Guessed {
        /// The participant whose secret was guessed at.
        name: String,
        /// Where the last one came from.
        address: SocketAddr,
    },
    /// A connection of a participant has ended.
    Left {
        /// The name under which it was let in.
        name: String,
        /// Why it was sent away, if it did not leave by itself.
        sent_away: Option<&'static str>,
    },
}

/// A participant's place. It is empty while nobody is connected under the name.
struct Place<P: HostProtocol> {
    /// Connections of which nothing is asked at the moment, in the order in which they have a claim.
    idle: VecDeque<Idle<P>>,
    is_playing: bool,
    /// When the last connection ended.
    left: Instant,
    /// Of what is told of its comings and goings.
    throttle: LogThrottle,
}

impl<P: HostProtocol> Place<P> {
    fn is_here(&self) -> bool {
        self.is_playing || !self.idle.is_empty()
    }
}

/// A connection that is watched by a task, which gives the seat back when it is called.
struct Idle<P: HostProtocol> {
    number: u64,
    call: oneshot::Sender<()>,
    seat: JoinHandle<Option<Seat<P>>>,
}

/// The places of all who may come in, by name, and what is counted of them.
struct People<P: HostProtocol> {
    places: BTreeMap<String, Place<P>>,
    /// Since when there is anybody at all.
    since: Option<Instant>,
    /// How often a connection began to wait for a game, by which they are numbered.
    connections: u64,
}

impl<P: HostProtocol> People<P> {
    /// When somebody who is missed since then was waited for long enough: as long as nobody is here, nobody
    /// waits.
    fn waited_until(&self, missed: Instant, patience: Duration) -> Option<Instant> {
        self.since.map(|since| since.max(missed) + patience)
    }

    /// To be called when somebody has come or gone.
    fn count(&mut self) {
        self.since = match self.places.values().any(Place::is_here) {
            true => self.since.or_else(|| Some(now())),
            false => None,
        };
    }
}

struct Inner<P: HostProtocol> {
    people: Mutex<People<P>>,
    /// Somebody has come or gone.
    news: Notify,
    patience: Duration,
    watch: Box<dyn Fn(Event) + Send + Sync>,
    refusals: Mutex<LogThrottle>,
    runtime: Handle,
    closed: Notify,
}

/// Where the participants of a tournament wait. Clones are the same one.
pub struct Lobby<P: HostProtocol>(Arc<Inner<P>>);

impl<P: HostProtocol> Clone for Lobby<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Hosted> Lobby<P> {
    /// Listens at this address, on a thread of its own, until it is closed. Also says where; port 0 takes a
    /// free one.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn listen(
        address: SocketAddr,
        protocol: P,
        guests: Vec<Guest>,
        patience: Duration,
        watch: impl Fn(Event) + Send + Sync + 'static,
    ) -> io::Result<(Self, SocketAddr)> {
        let runtime = runtime()?;
        let (lobby, address) = runtime.block_on(async {
            let listener = TcpListener::bind(address).await?;
            let address = listener.local_addr()?;
            let lobby = Self::open(Box::new(listener), protocol, guests, patience, watch);
            io::Result::Ok((lobby, address))
        })?;
        let inner = Arc::clone(&lobby.0);
        thread::Builder::new()
            .name("lobby".to_owned())
            .spawn(move || runtime.block_on(inner.closed.notified()))?;
        Ok((lobby, address))
    }

    /// A lobby for those who connect to this listener. Whoever of the guests is missed for longer than the
    /// `patience` by somebody who is here is given up until it comes. Needs a tokio runtime.
    pub fn open(
        listener: Box<dyn Listener>,
        protocol: P,
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
        let mut door = Door::open_for(listener, protocol, Arc::new(admission));
        let inside = lobby.clone();
        tokio::spawn(async move {
            loop {
                let seat = door.admit(|refused| inside.refused(refused)).await;
                inside.arrived(seat);
            }
        });
        lobby
    }

    fn people(&self) -> MutexGuard<'_, People<P>> {
        self.0.people.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: Event) {
        (self.0.watch)(event);
    }

    /// Whoever comes and goes again and again must not fill a log.
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
    ) -> Result<String, Refusal> {
        let admitted = admission.admit(address.ip(), said, now());
        admitted.map_err(|rejection| {
            if let Some(name) = rejection.guessed {
                self.tell(Event::Guessed { name, address });
            }
            Refusal {
                goodbye: rejection.goodbye,
                after: KEPT_WAITING,
            }
        })
    }

    /// Whoever is refused again and again must not fill a log.
    fn refused(&self, refused: Refused) {
        let mut refusals = (self.0.refusals.lock()).unwrap_or_else(PoisonError::into_inner);
        if refusals.one_more(now()) {
            self.tell(Event::Refused(refused));
        }
    }

    fn arrived(&self, mut seat: Seat<P>) {
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

    /// Watches a connection until it is called or ends; one that `is_back` from a game is the next to be called.
    fn keep(&self, mut seat: Seat<P>, is_back: bool) {
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

    /// A connection has ended that was idle, or in a game.
    fn left(&self, seat: Seat<P>, was_playing: bool) {
        self.misses(&seat.name, was_playing);
        let left = Event::Left {
            name: seat.name.clone(),
            sent_away: seat.sent_away,
        };
        self.tell_of(&seat.name, left);
    }

    /// Everybody who may come in, by name, and whether they are here.
    pub fn everybody(&self) -> Vec<(String, Presence)> {
        let people = self.people();
        let all = people.places.iter();
        all.map(|(name, place)| (name.clone(), self.presence_of(&people, place)))
            .collect()
    }

    /// Whether a guest is here; none for others.
    pub fn presence(&self, name: &str) -> Option<Presence> {
        let people = self.people();
        let place = people.places.get(name)?;
        Some(self.presence_of(&people, place))
    }

    fn presence_of(&self, people: &People<P>, place: &Place<P>) -> Presence {
        if place.is_here() {
            return Presence::Here;
        }
        match people.waited_until(place.left, self.0.patience) {
            Some(until) if until <= now() => Presence::GivenUp,
            _ => Presence::Away,
        }
    }

    /// Calls a participant to a game that was to begin then, and waits for it as long as the patience lasts,
    /// however often it comes and goes meanwhile.
    async fn wait_for(&self, name: &str, due: Instant) -> Option<Seat<P>> {
        enum Next<P: HostProtocol> {
            Called(Idle<P>),
            Wait(Option<Instant>),
        }
        loop {
            let news = self.0.news.notified();
            let mut news = std::pin::pin!(news);
            // From here on nothing is missed.
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
                    // If it has just left, that was told.
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

    /// A connection is in its place no more.
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

    /// Takes a seat back after a game.
    fn take_back(&self, seat: Seat<P>) {
        match seat.is_gone() {
            true => self.left(seat, true),
            false => self.keep(seat, true),
        }
    }

    /// Says goodbye to all who are here. No game may be under way.
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

    /// The same by a thread that is not the lobby's; then nobody listens any more.
    pub fn close(self) {
        self.0.runtime.block_on(self.say_goodbye());
        self.0.closed.notify_one();
    }
}
