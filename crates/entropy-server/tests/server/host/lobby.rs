//! Tests the lobby: presence and absence of participants, and how long others wait for them.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::net::TcpListener;
use tokio::sync::watch;
use turnwise_daemon::world::{ByteStream, Listener};
use turnwise_engine::guest::{Guest, Presence, Secret};
use turnwise_engine::player::FaultKind;
use turnwise_entropy_server::host::lobby::{Call, Event, Lobby};

use crate::host::scripted::{Client, reply};

const PATIENCE: Duration = Duration::from_secs(60);

/// A lobby in the test's own runtime. Its guests are ada, bob (with a secret) and carol.
struct Hall {
    lobby: Lobby,
    address: SocketAddr,
    events: watch::Receiver<Vec<Event>>,
}

impl Hall {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let guests = ["ada", "bob", "carol"].map(|name| Guest {
            name: name.to_owned(),
            secret: (name == "bob").then(|| Secret::new("sesame".to_owned())),
        });
        let (reported, events) = watch::channel(Vec::new());
        let watch = move |event| reported.send_modify(|events: &mut Vec<Event>| events.push(event));
        let lobby = Lobby::open(Box::new(listener), guests.into(), PATIENCE, watch);
        Self {
            lobby,
            address,
            events,
        }
    }

    /// Opens a lobby that ada has joined.
    async fn with_ada() -> (Self, Client) {
        let mut hall = Self::open().await;
        let ada = Client::join(hall.address, b"ada").await;
        assert_eq!(joined(&hall.event(1).await), Some(("ada", false)));
        (hall, ada)
    }

    /// Waits for event number `number`, and returns it.
    async fn event(&mut self, number: usize) -> Event {
        let events = self.events.wait_for(|events| events.len() >= number).await;
        events.expect("the lobby is open")[number - 1].clone()
    }

    fn presences(&self) -> [Presence; 3] {
        ["ada", "bob", "carol"].map(|name| self.lobby.presence(name).expect("a guest"))
    }
}

fn joined(event: &Event) -> Option<(&str, bool)> {
    match event {
        Event::Joined {
            name, is_second, ..
        } => Some((name, *is_second)),
        _ => None,
    }
}

fn left(name: &str) -> Event {
    Event::Left {
        name: name.to_owned(),
        sent_away: None,
    }
}

#[tokio::test]
async fn nobody_is_missed_while_nobody_is_there() {
    use Presence::{Away, GivenUp, Here};
    let mut hall = Hall::open().await;
    // No socket is used while time is paused, so that time passes only when the test advances it.
    tokio::time::pause();
    tokio::time::advance(10 * PATIENCE).await;
    assert_eq!(hall.presences(), [Away, Away, Away]);
    tokio::time::resume();
    let ada = Client::join(hall.address, b"ada").await;
    assert_eq!(joined(&hall.event(1).await), Some(("ada", false)));
    assert_eq!(hall.presences(), [Here, Away, Away]);
    tokio::time::pause();
    tokio::time::advance(PATIENCE).await;
    assert_eq!(hall.presences(), [Here, GivenUp, GivenUp]);
    tokio::time::resume();
    let bob = Client::join(hall.address, b"bob:sesame").await;
    assert_eq!(joined(&hall.event(2).await), Some(("bob", false)));
    assert_eq!(hall.presences(), [Here, Here, GivenUp]);
    drop(ada);
    assert_eq!(hall.event(3).await, left("ada"));
    assert_eq!(hall.presences(), [Away, Here, GivenUp]);
    drop(bob);
    assert_eq!(hall.event(4).await, left("bob"));
    assert_eq!(hall.presences(), [Away, Away, Away]);
    assert_eq!(hall.lobby.presence("eve"), None);
}

#[tokio::test]
async fn a_second_connection_has_the_place_when_the_first_has_left() {
    let (mut hall, first) = Hall::with_ada().await;
    let second = Client::join(hall.address, b"ada").await;
    assert_eq!(joined(&hall.event(2).await), Some(("ada", true)));
    let third = Client::join(hall.address, b"ada").await.hear_out().await;
    assert!(third.may_come_again(), "{third:?}");
    assert!(matches!(hall.event(3).await, Event::Refused(_)));
    drop(first);
    assert_eq!(hall.event(4).await, left("ada"));
    assert_eq!(hall.presences()[0], Presence::Here);
    drop(second);
    assert_eq!(hall.event(5).await, left("ada"));
    assert_eq!(hall.presences()[0], Presence::Away);
}

fn greeting() -> Vec<String> {
    vec!["5".to_owned(), "ORDER".to_owned()]
}

#[tokio::test]
async fn whoever_plays_keeps_its_place_and_one_more_may_wait_behind_it() {
    let (mut hall, first) = Hall::with_ada().await;
    let mut call = hall.lobby.call("ada");
    call.begin(greeting(), true).await;
    let second = Client::join(hall.address, b"ada").await;
    assert_eq!(joined(&hall.event(2).await), Some(("ada", true)));
    let third = Client::join(hall.address, b"ada").await.hear_out().await;
    assert!(third.may_come_again(), "{third:?}");
    assert!(matches!(hall.event(3).await, Event::Refused(_)));
    drop(second);
    assert_eq!(hall.event(4).await, left("ada"));
    assert_eq!(hall.presences()[0], Presence::Here, "it plays");
    drop(call);
    assert_eq!(hall.presences()[0], Presence::Here, "it is back");
    drop(first);
    assert_eq!(hall.event(5).await, left("ada"));
    assert_eq!(hall.presences()[0], Presence::Away);
}

#[tokio::test]
async fn whoever_leaves_in_a_game_is_away() {
    let (mut hall, ada) = Hall::with_ada().await;
    let mut call = hall.lobby.call("ada");
    call.begin(greeting(), true).await;
    drop(ada);
    let asked = call.ask(vec!["0 0 A".to_owned()], PATIENCE).await;
    assert!(asked.said.is_err());
    call.finish(Vec::new()).await;
    assert_eq!(hall.event(2).await, left("ada"));
    assert_eq!(hall.presences()[0], Presence::Away);
}

/// Asks the guest a question, which it answers with `answer`.
async fn asked(call: &mut Call, guest: &mut Client, answer: &str) -> Option<String> {
    let answering = async {
        guest.question().await.expect("a question");
        guest.say(&reply(answer)).await;
    };
    let (reply, ()) = tokio::join!(call.ask(vec!["0 0 A".to_owned()], PATIENCE), answering);
    reply.said.ok()
}

#[tokio::test]
async fn an_answer_that_comes_late_is_not_taken_for_one_in_the_next_game() {
    let (hall, mut ada) = Hall::with_ada().await;
    let mut call = hall.lobby.call("ada");
    call.begin(greeting(), true).await;
    let silent = call.ask(vec!["0 0 A".to_owned()], Duration::from_millis(50));
    let silent = silent.await.said.map_err(|it| it.kind);
    assert_eq!(silent, Err(FaultKind::Silence));
    ada.question().await.expect("a question");
    ada.say(&reply("0 0 0 1")).await;
    call.finish(Vec::new()).await;
    call.begin(greeting(), true).await;
    let said = asked(&mut call, &mut ada, "0 0 1 0").await;
    assert_eq!(said.as_deref(), Some("0 0 1 0"));
}

#[tokio::test]
async fn whoever_comes_back_between_the_games_of_a_pair_plays_on() {
    let (mut hall, mut first) = Hall::with_ada().await;
    let mut call = hall.lobby.call("ada");
    call.begin(greeting(), true).await;
    let said = asked(&mut call, &mut first, "0 0 0 1").await;
    assert_eq!(said.as_deref(), Some("0 0 0 1"));
    call.finish(Vec::new()).await;
    drop(first);
    let mut second = Client::join(hall.address, b"ada").await;
    assert_eq!(joined(&hall.event(2).await), Some(("ada", true)));
    Client::breathe().await;
    call.begin(greeting(), true).await;
    assert_eq!(hall.event(3).await, left("ada"));
    let said = asked(&mut call, &mut second, "0 0 1 0").await;
    assert_eq!(said.as_deref(), Some("0 0 1 0"));
    call.finish(Vec::new()).await;
    drop(call);
    assert_eq!(hall.presences()[0], Presence::Here);
    drop(second);
    assert_eq!(hall.event(4).await, left("ada"));
    assert_eq!(hall.presences()[0], Presence::Away);
}

#[tokio::test]
async fn a_thread_of_its_own_calls_asks_and_tells_in_the_order_of_the_game() {
    let (hall, mut ada) = Hall::with_ada().await;
    let mut channel = hall.lobby.channel("ada");
    let playing = tokio::task::spawn_blocking(move || {
        channel.begin(greeting(), false).expect("it is called");
        let reply = channel.ask(vec!["0 0 A".to_owned()], PATIENCE);
        channel.finish(vec!["1 1 B".to_owned()], Vec::new(), Vec::new());
        reply.said
    });
    ada.question().await.expect("a question");
    ada.say(&reply("0 0 0 1")).await;
    let said = playing.await.expect("no panic");
    assert_eq!(said, Ok("0 0 0 1".to_owned()));
    hall.lobby.say_goodbye().await;
    let ada = ada.hear_out().await;
    assert_eq!(ada.payloads(), ["5\nORDER\n", "0 0 A\n", "1 1 B\n"]);
    assert!(ada.was_told_goodbye() && !ada.may_come_again(), "{ada:?}");
}

#[tokio::test]
async fn whoever_does_not_come_is_waited_for_as_long_as_the_patience_lasts() {
    let (hall, _ada) = Hall::with_ada().await;
    let mut call = hall.lobby.call("carol");
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    call.begin(greeting(), true).await;
    let waited = began.elapsed();
    assert!((PATIENCE / 2..2 * PATIENCE).contains(&waited), "{waited:?}");
    let asked = call.ask(vec!["0 0 A".to_owned()], PATIENCE).await;
    assert_eq!(asked.said.map_err(|it| it.kind), Err(FaultKind::Absent));
}

#[tokio::test]
async fn whoever_comes_and_goes_again_is_not_waited_for_any_longer() {
    let (mut hall, _ada) = Hall::with_ada().await;
    let mut call = hall.lobby.call("carol");
    let began = tokio::time::Instant::now();
    let coming_and_going = async {
        tokio::time::pause();
        tokio::time::advance(PATIENCE / 2).await;
        tokio::time::resume();
        drop(Client::join(hall.address, b"carol").await);
        assert_eq!(hall.event(3).await, left("carol"));
        tokio::time::pause();
    };
    tokio::join!(call.begin(greeting(), true), coming_and_going);
    let waited = began.elapsed();
    assert!(waited >= PATIENCE * 3 / 4, "{waited:?}");
    assert!(waited < PATIENCE * 5 / 4, "{waited:?}");
}

/// Tests that a few unsolicited messages are discarded, and do not count as answers in a later game.
#[tokio::test]
async fn whoever_talks_a_little_in_the_lobby_stays_and_whoever_talks_on_is_sent_away() {
    let (mut hall, mut ada) = Hall::with_ada().await;
    Client::breathe().await;
    for _ in 0..3 {
        ada.say(&reply("0 0")).await;
        Client::breathe().await;
    }
    drop(ada);
    assert_eq!(hall.event(2).await, left("ada"));
    let mut ada = Client::join(hall.address, b"ada").await;
    assert_eq!(joined(&hall.event(3).await), Some(("ada", false)));
    ada.say(&reply("0 0").repeat(40)).await;
    let sent_away = Event::Left {
        name: "ada".to_owned(),
        sent_away: Some("it sent too many messages without being asked"),
    };
    assert_eq!(hall.event(4).await, sent_away);
    let ada = ada.hear_out().await;
    assert!(ada.may_come_again(), "{ada:?}");
}

#[tokio::test]
async fn whoever_is_nobody_or_cannot_prove_its_name_is_not_to_come_again() {
    let hall = Hall::open().await;
    let began = Instant::now();
    for said in ["eve", "bob", "bob:barley"] {
        let refused = Client::join(hall.address, said.as_bytes()).await;
        let refused = refused.hear_out().await;
        assert!(refused.was_told_goodbye(), "{said}: {refused:?}");
        assert!(!refused.may_come_again(), "{said}: {refused:?}");
    }
    let waited = began.elapsed();
    assert!(
        waited >= Duration::from_secs(3),
        "a second each: {waited:?}"
    );
}

/// A listener whose connections are all ready at once, as in a burst.
struct Burst(std::vec::IntoIter<(DuplexStream, SocketAddr)>);

impl Listener for Burst {
    fn poll_accept(
        &mut self,
        _context: &mut Context<'_>,
    ) -> Poll<io::Result<(Box<dyn ByteStream>, SocketAddr)>> {
        match self.0.next() {
            Some((stream, address)) => Poll::Ready(Ok((Box::new(stream), address))),
            None => Poll::Pending,
        }
    }
}

/// Tests a burst of 1,000 participants from one address, with as many silent clients from two addresses among them.
#[tokio::test]
async fn a_burst_from_one_address_is_admitted_also_among_silent_clients() {
    let names: Vec<String> = (0..1000).map(|number| format!("p{number}")).collect();
    let guests = names.iter().map(|name| Guest {
        name: name.clone(),
        secret: None,
    });
    let (mut clients, mut arriving) = (Vec::new(), Vec::new());
    for (number, name) in (0..).zip(&names) {
        for (said, port) in [(name.as_str(), number), ("", 10_000 + number)] {
            let (mut client, server) = tokio::io::duplex(1 << 12);
            client.write_all(said.as_bytes()).await.expect("room");
            let ip = [10, 0, 0, u8::from(said.is_empty() && number % 2 == 0)];
            arriving.push((server, SocketAddr::from((ip, port))));
            clients.push(client);
        }
    }
    let (reported, mut events) = watch::channel(Vec::new());
    let watch = move |event| reported.send_modify(|events: &mut Vec<Event>| events.push(event));
    let burst = Box::new(Burst(arriving.into_iter()));
    let lobby = Lobby::open(burst, guests.collect(), PATIENCE, watch);
    let has_joined = |events: &Vec<Event>| events.iter().filter_map(joined).count() == names.len();
    let all = tokio::time::timeout(PATIENCE, events.wait_for(has_joined)).await;
    drop(all.expect("all are admitted").expect("the lobby is open"));
    let here = lobby.everybody().into_iter();
    assert!(
        here.map(|(_, presence)| presence)
            .all(|it| it == Presence::Here)
    );
    drop(clients);
}

/// Tests many guesses of a secret: each is rejected after a second, and after too many guesses, none is checked.
///
/// The lobby reports the guessing only once.
#[tokio::test]
async fn many_who_guess_get_nothing_are_told_of_once_and_do_not_fill_the_log() {
    let mut hall = Hall::open().await;
    let mut guesses = Vec::new();
    for number in 0..150 {
        let client = Client::join(hall.address, format!("bob:{number}").as_bytes()).await;
        guesses.push(tokio::spawn(client.hear_out()));
    }
    for guess in guesses {
        // The oldest of too many connections from one address are closed without a word.
        let story = guess.await.expect("no panic");
        assert!(
            story.resets() == 0 && story.payloads().is_empty(),
            "{story:?}"
        );
    }
    // From that address, even the right secret is ignored now.
    let late = Client::join(hall.address, b"bob:sesame").await;
    let late = late.hear_out().await;
    assert!(late.may_come_again(), "{late:?}");
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(60)).await;
    tokio::time::resume();
    let bob = Client::join(hall.address, b"bob:sesame").await;
    let has_joined = |events: &Vec<Event>| events.iter().any(|event| joined(event).is_some());
    let told = hall
        .events
        .wait_for(has_joined)
        .await
        .expect("open")
        .clone();
    assert!((2..150).contains(&told.len()), "{}", told.len());
    let is_guess = |event: &&Event| matches!(event, Event::Guessed { name, .. } if name == "bob");
    assert_eq!(told.iter().filter(is_guess).count(), 1);
    drop(bob);
}
