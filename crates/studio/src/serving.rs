//! Connections: so many at once, none of which may keep a place by saying or reading nothing.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};

/// What connections may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// So many at once; those beyond are closed at once.
    pub connections: usize,
    /// How long the head of a request may take, which is as well how long a connection may wait for its next
    /// one.
    pub head_within: Duration,
    /// How long a body may take to arrive.
    pub body_within: Duration,
    /// How long a client may take none of what it is sent.
    pub taken_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // Most of the files that this process may open are for others.
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        Self {
            connections: (files / 4).clamp(8, 1000) as usize,
            head_within: Duration::from_secs(10),
            body_within: Duration::from_secs(30),
            taken_within: Duration::from_secs(20),
        }
    }
}

/// Maximum accepted size of a request head, in bytes, from the request line to the empty line.
const LARGEST_HEAD: usize = 32 << 10;

/// So many bytes wait in the system for a client that does not read.
const SEND_BUFFER: usize = 128 << 10;

/// How long nothing is accepted after an error of the listener, such as no file being left.
const AFTER_AN_ERROR: Duration = Duration::from_millis(100);

/// Serves until it is dropped.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits) {
    let places = Arc::new(Semaphore::new(limits.connections));
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                tokio::time::sleep(AFTER_AN_ERROR).await;
                continue;
            }
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            continue;
        };
        // A larger one serves as well.
        let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
        let service = TowerToHyperService::new(router.clone());
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(limits.head_within)
            .max_header_size(LARGEST_HEAD)
            // The buffer limit alone is not enough: the read that fills the buffer may complete a larger head.
            .max_buf_size(LARGEST_HEAD);
        let stream = Impatient::new(stream, limits.taken_within);
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            let _place = place;
            // Whatever goes wrong on a connection is its client's affair.
            let _ = connection.await;
        });
    }
}

/// A stream that fails if the other side takes nothing for too long.
struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// Running while something waits to be taken.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            waiting: None,
        }
    }

    /// What came of writing, unless that has been waited for too long.
    fn waited<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(sleep(patience)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.waited(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
