//! Limits the number of connections, and closes connections that stall.

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

/// The limits on connections.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum number of connections; further connections are closed at once.
    pub connections: usize,
    /// The maximum time for the head of a request, and for a connection to stay idle.
    pub head_within: Duration,
    /// The maximum time for a body to arrive.
    pub body_within: Duration,
    /// The maximum time in which a client reads nothing.
    pub taken_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // Leaves most of the process's file descriptors for other purposes.
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

/// The bytes that the system buffers for a client that does not read.
const SEND_BUFFER: usize = 128 << 10;

/// The pause after an error of the listener, such as a lack of file descriptors.
const AFTER_AN_ERROR: Duration = Duration::from_millis(100);

/// Serves until the future is dropped.
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
        // A larger buffer also works.
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
            // Errors of a connection concern only its client.
            let _ = connection.await;
        });
    }
}

/// A stream that fails if the other side reads nothing for too long.
struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// The timeout, while data is waiting to be read.
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

    /// Returns the result of writing, or an error after too long a wait.
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
