//! Processes that are stopped for a while, as by SIGSTOP or a lid that is closed: nothing in them goes on,
//! the clock and the network do.

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

/// When a process is stopped: from when to when since the beginning, one after the other.
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
    /// No stops at all.
    pub(crate) fn none() -> Self {
        Self {
            began: Instant::now(),
            all: Arc::default(),
        }
    }

    /// One to three stops in the next minutes, each so long that it is no mere delay.
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

    /// True if the process was stopped at some time since then.
    pub(crate) fn any_since(&self, since: Instant) -> bool {
        let (since, now) = (since - self.began, self.began.elapsed());
        (self.all.iter()).any(|&(from, to)| from <= now && to >= since)
    }

    /// Until when it is stopped that is stopped now.
    fn until(&self) -> Option<Instant> {
        let now = self.began.elapsed();
        let mut stops = self.all.iter();
        let stop = stops.find(|&&(from, to)| from <= now && now < to);
        stop.map(|&(_, to)| self.began + to)
    }

    /// Waits while it is stopped.
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

    /// What goes on in the process.
    pub(crate) fn within<F: Future>(&self, task: F) -> Stoppable<F> {
        Stoppable {
            stops: self.clone(),
            resumes: None,
            task: Box::pin(task),
        }
    }
}

/// A task of a process that is stopped at times.
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

/// A stream on which nothing is heard while its process would be stopped, which it is not: a stop that nobody
/// notices.
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
