//! Tests bundles, in which several short units travel together.
//!
//! The tests include a bundle with a unit that crashes workers, and a coordinator that is killed.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Mutex;

use async_nats::jetstream::{self, Context};
use futures_util::TryStreamExt;

use turnwise_cluster::outcome::{Origin, Part};
use turnwise_cluster::server::{Error, Server};
use turnwise_cluster::units::Units;
use turnwise_cluster::worker::work;

use super::support::Nats;
use super::transport::{conducted, runtime, worker_here};
use super::{send, units};

/// The numbers of the first units. They travel alone, because the duration of units is still unknown.
const FIRST: RangeInclusive<u32> = 1..=64;

/// The numbers of the units that travel in one bundle once the first units have turned out to be short.
const BUNDLE: &str = "65-80";

/// A run with a unit for each number from 1 to 80.
///
/// The units after the [`FIRST`] ones are offered only once a result has arrived.
struct Numbers {
    left: BTreeSet<u32>,
    taken: BTreeSet<u32>,
}

impl Numbers {
    fn new() -> Self {
        Self {
            left: (1..=80).collect(),
            taken: BTreeSet::new(),
        }
    }
}

impl Units for Numbers {
    fn word(&self) -> &'static str {
        "number"
    }

    fn next(&mut self) -> Result<Option<(u32, String)>, Error> {
        let number = self.left.first().copied();
        let number = number.filter(|it| FIRST.contains(it) || !self.taken.is_empty());
        Ok(number.map(|number| {
            self.left.remove(&number);
            (number, number.to_string())
        }))
    }

    fn take_in(&mut self, number: u32, _origin: &Origin, part: Part) -> Result<(), Error> {
        assert_eq!(part.content, number.to_string().as_bytes());
        assert!(self.taken.insert(number), "{number} comes once");
        Ok(())
    }
}

async fn connected(nats: &Nats) -> Server {
    let server = Server::connect(&nats.access(), "test", |_| {}).await;
    server.expect("a server")
}

/// Sends results of the first units that state no durations, and waits until the other units are offered.
async fn do_the_first(context: &Context) {
    let run = units(context, 64).await.cached_info().name.clone();
    for number in FIRST {
        send(context, &run, number as usize, &number.to_string()).await;
    }
    let subject = format!("turnwise.unit.{run}.{BUNDLE}");
    let stream = context.get_stream_no_info("turnwise-units").await;
    let stream = stream.expect("a stream");
    loop {
        let subjects = stream.info_with_subjects(&subject).await;
        let subjects: Vec<_> = subjects
            .expect("subjects")
            .try_collect()
            .await
            .expect("all");
        if !subjects.is_empty() {
            return;
        }
    }
}

#[test]
fn only_the_poison_of_a_bundle_is_set_apart() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let told = Mutex::new(Vec::new());
    let mut numbers = Numbers::new();
    runtime().block_on(async {
        let worker = worker_here("one", 1, |line, _| {
            assert_ne!(line, "70", "as a worker does that crashes");
            Ok(Some(line.into()))
        });
        let works = async {
            let client = async_nats::connect(nats.url()).await.expect("a server");
            do_the_first(&jetstream::new(client)).await;
            let server = connected(&nats).await;
            let tell = |text: &str| told.lock().expect("no panic").push(text.to_owned());
            work(&server, &worker, &|| false, &tell).await
        };
        tokio::select! {
            _ = works => panic!("the worker ends"),
            ended = conducted(&nats, (&mut numbers, 80), false, &|| false) => {
                let error = ended.expect_err("one is set apart").to_string();
                assert!(error.starts_with("number 70 set apart"), "{error}");
            }
        }
    });
    let innocent: BTreeSet<u32> = (1..=80).filter(|number| *number != 70).collect();
    assert_eq!(numbers.taken, innocent);
    let told = told.into_inner().expect("no panic");
    for unit in [BUNDLE, "70"] {
        let crashed = format!("turnwise: unit {unit} crashed here");
        assert!(told.contains(&crashed), "{told:?}");
    }
}

#[test]
fn what_stands_in_a_bundle_is_not_offered_again() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let mut numbers = Numbers::new();
    runtime().block_on(async {
        let client = async_nats::connect(nats.url()).await.expect("a server");
        let context = jetstream::new(client);
        tokio::select! {
            _ = conducted(&nats, (&mut numbers, 80), false, &|| false) => panic!("nobody has done the others"),
            () = do_the_first(&context) => {}
        }
        let offered = async || {
            let stream = context.get_stream("turnwise-units").await;
            stream.expect("a stream").cached_info().state.last_sequence
        };
        let before = offered().await;
        numbers.left = (1..=80).filter(|it| !numbers.taken.contains(it)).collect();
        let server = connected(&nats).await;
        let worker = worker_here("one", 1, |line, _| Ok(Some(line.into())));
        tokio::select! {
            _ = work(&server, &worker, &|| false, &|_| {}) => panic!("the worker ends"),
            ended = conducted(&nats, (&mut numbers, 80), true, &|| false) => ended.expect("all come"),
        }
        assert_eq!(offered().await, before);
    });
    assert_eq!(numbers.taken, (1..=80).collect());
}
