//! Suspends simulated processes for a while, like SIGSTOP or a closed laptop lid: the process stops, but the clock and
//! the network continue.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::io::{AsyncRead, ReadBuf, ReadHalf};
use tokio::time::{Instant, Sleep, sleep_until};
use turnwise_daemon::world::ByteStream;

/// The intervals in which a process is suspended, in order and relative to the start of the process.
#[derive(Clone)]
pub(crate) struct Stops {
    began: Instant,
    all: Arc<Vec<(Duration, Duration)>>,
}

impl fmt::Debug for Stops {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.all.fmt(out)
    }
}

impl Stops {
    /// Returns the stops of a process that is never suspended.
    pub(crate) fn none() -> Self {
        Self {
            began: Instant::now(),
            all: Arc::default(),
        }
    }

    /// Chooses one to three stops in the next minutes, each longer than any delay of the network.
    pub(crate) fn some(random: &mut Xoshiro256PlusPlus) -> Self {
        let mut all = Vec::new();
        let mut at = Duration::ZERO;
        for _ in 0..random.random_range(1..=3) {
            let begins = at + Duration::from_secs_f64(random.random_range(0.0..60.0));
            at = begins + Duration::from_secs_f64(random.random_range(0.6..15.0));
            all.push((begins, at));
        }
        Self {
            began: Instant::now(),
            all: Arc::new(all),
        }
    }

    /// Returns true if the process was suspended at any time since `since`.
    pub(crate) fn any_since(&self, since: Instant) -> bool {
        let (since, now) = (since - self.began, self.began.elapsed());
        (self.all.iter()).any(|&(from, to)| from <= now && to >= since)
    }

    /// Returns when the current stop will end, or `None` if the process is not suspended now.
    fn until(&self) -> Option<Instant> {
        let now = self.began.elapsed();
        let mut stops = self.all.iter();
        let stop = stops.find(|&&(from, to)| from <= now && now < to);
        stop.map(|&(_, to)| self.began + to)
    }

    /// Waits until the process is no longer suspended.
    fn poll_resumed(
        &self,
        resumes: &mut Option<Pin<Box<Sleep>>>,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        if resumes.is_none() {
            *resumes = self.until().map(|at| Box::pin(sleep_until(at)));
        }
        if let Some(sleep) = resumes {
            ready!(sleep.as_mut().poll(context));
            *resumes = None;
        }
        Poll::Ready(())
    }

    /// Wraps a task of the process, so that it pauses while the process is suspended.
    pub(crate) fn within<F: Future>(&self, task: F) -> Stoppable<F> {
        Stoppable {
            stops: self.clone(),
            resumes: None,
            task: Box::pin(task),
        }
    }
}

/// A task of a process that is sometimes suspended.
pub(crate) struct Stoppable<F> {
    stops: Stops,
    resumes: Option<Pin<Box<Sleep>>>,
    task: Pin<Box<F>>,
}

impl<F: Future> Future for Stoppable<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        ready!(this.stops.poll_resumed(&mut this.resumes, context));
        this.task.as_mut().poll(context)
    }
}

/// Wraps a stream so that it delivers nothing during the stops, although the process continues to run.
///
/// The process therefore does not notice the stops.
pub(crate) fn withheld(stream: Box<dyn ByteStream>, stops: Stops) -> Box<dyn ByteStream> {
    let (stream, writes) = tokio::io::split(stream);
    let reads = Withheld {
        stream,
        stops,
        resumes: None,
    };
    Box::new(tokio::io::join(reads, writes))
}

struct Withheld {
    stream: ReadHalf<Box<dyn ByteStream>>,
    stops: Stops,
    resumes: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for Withheld {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        ready!(this.stops.poll_resumed(&mut this.resumes, context));
        Pin::new(&mut this.stream).poll_read(context, buffer)
    }
}
