//! Tests a real NATS server with many simulated workers. For each unit, a worker sleeps 0.2 to 2 s.
//! `scripts/cluster-crowd` starts this program and reads its output.
//!
//!     crowd work URL WORKERS           runs WORKERS workers with one job each, until they are drained
//!     crowd coordinate URL UNITS       distributes UNITS units; prints how fast their results arrive

use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;
use turnwise_arena::referee::Event;
use turnwise_cluster::access::Access;
use turnwise_cluster::attachments::Programs;
use turnwise_cluster::build::Build;
use turnwise_cluster::coordinator::{Run, conduct};
use turnwise_cluster::figures::WorkerFigures;
use turnwise_cluster::outcome::{Failure, Origin, Part};
use turnwise_cluster::playing::Player;
use turnwise_cluster::server::{Error, Server};
use turnwise_cluster::units::Units;
use turnwise_cluster::worker::{Worker, work};
use turnwise_engine::search::Stop;

/// The minimum and the maximum duration of a unit, in milliseconds.
const TAKES: (u64, u64) = (200, 2000);

/// The size of a result in bytes, which is the size of the result of a short pair.
const RESULT: usize = 18_000;

/// A player that sleeps instead of playing a unit, and then returns meaningless bytes.
struct Sleeper;

impl Player for Sleeper {
    fn play(
        &self,
        _run: &str,
        (_task, line): (&str, &str),
        _follow: &(dyn Fn(Event) + Sync),
        stop: &Stop,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let number: u64 = line
            .parse()
            .map_err(|_| "it is no unit of the simulation")?;
        let (least, most) = TAKES;
        let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        sleep(Duration::from_millis(least + spread % (most - least)));
        Ok((!stop.stopped()).then(|| vec![b'x'; RESULT]))
    }
}

/// Units of work that consist only of a number, and whose results are discarded.
struct Numbers {
    next: u32,
    most: u32,
    taken: u32,
    /// The times at which a quarter and three quarters of all results had arrived.
    middle: [Option<Instant>; 2],
}

impl Units for Numbers {
    fn word(&self) -> &'static str {
        "unit"
    }

    fn next(&mut self) -> Result<Option<(u32, String)>, Error> {
        let is_left = self.next <= self.most;
        let number = self.next;
        self.next += u32::from(is_left);
        Ok(is_left.then(|| (number, number.to_string())))
    }

    fn take_in(&mut self, _number: u32, _origin: &Origin, _part: Part) -> Result<(), Error> {
        self.taken += 1;
        // Only the middle half is timed, because workers are idle at the beginning and at the end.
        if self.taken == self.most / 4 {
            self.middle[0] = Some(Instant::now());
        }
        if self.taken == self.most / 4 * 3 {
            self.middle[1] = Some(Instant::now());
        }
        Ok(())
    }
}

async fn coordinate(url: &str, units: u32, build: Build) -> Result<(), Error> {
    let server = Server::connect(&Access::of(url, &|_| None)?, "crowd", |_| {}).await?;
    let title = ("simulation".to_owned(), units);
    let run = Run::of_batches(json!("sleep"), title, None, Path::new("no file"), build)?;
    let mut numbers = Numbers {
        next: 1,
        most: units,
        taken: 0,
        middle: [None, None],
    };
    let begun = Instant::now();
    conduct(&server, &run, false, &mut numbers, &|| false, &|text| {
        println!("{text}")
    })
    .await?;
    println!("seconds {:.3}", begun.elapsed().as_secs_f64());
    if let [Some(from), Some(to)] = numbers.middle {
        let seconds = (to - from).as_secs_f64();
        println!("rate {:.2}", f64::from(units / 4 * 3 - units / 4) / seconds);
    }
    Ok(())
}

async fn work_together(url: &str, workers: usize, build: Build) -> Result<(), Error> {
    let one = async |number: usize| {
        // Real machines do not start simultaneously.
        tokio::time::sleep(Duration::from_millis(5 * number as u64)).await;
        let server = Server::connect(&Access::of(url, &|_| None)?, "crowd", |_| {}).await?;
        let worker = Worker {
            name: format!("simulated-{number}"),
            build: build.clone(),
            jobs: 1,
            speed: 0.0,
            figures: WorkerFigures::default(),
            programs: Programs::None,
            lifetime: Duration::MAX,
            farewell: Duration::MAX,
            why_paused: Box::new(|| None),
            player: Arc::new(Sleeper),
        };
        work(&server, &worker, &|| false, &|text| println!("{text}")).await
    };
    let worked = futures_util::future::try_join_all((0..workers).map(one)).await?;
    println!("done {}", worked.iter().sum::<u64>());
    Ok(())
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [task, url, count] = &words[..] else {
        panic!("crowd work|coordinate URL COUNT");
    };
    let count: u32 = count.parse().expect("a number");
    let build = Build::of_this_program("simulation").expect("its file can be read");
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    let ended = runtime.block_on(async {
        match &**task {
            "work" => work_together(url, count as usize, build).await,
            _ => coordinate(url, count, build).await,
        }
    });
    ended.expect("the simulation goes through");
}
