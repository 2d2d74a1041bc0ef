//! Accepts connections up to a limit, and closes connections whose clients are too slow.

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

/// The limits on connections and on how long clients may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum number of connections; further connections are closed at once.
    pub connections: usize,
    /// The maximum time to wait for the complete head of the next request. This also limits how long a connection may
    /// be idle.
    pub head_within: Duration,
    /// The maximum time that the body of a request may take to arrive.
    pub body_within: Duration,
    /// The maximum time for which a client may read nothing although data is waiting for it. After this time, the
    /// connection is closed.
    pub taken_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // Connections may use a quarter of the file descriptors that the process may open. The rest is left for other
        // purposes.
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        Self {
            connections: (files / 4).clamp(8, 1000) as usize,
            head_within: Duration::from_secs(10),
            body_within: Duration::from_secs(30),
            taken_within: Duration::from_secs(20),
        }
    }
}

/// The maximum size of a request head, in bytes. The head extends from the request line to the empty line.
const LARGEST_HEAD: usize = 32 << 10;

/// The number of bytes that the system may buffer for a client that does not read them.
const SEND_BUFFER: usize = 128 << 10;

/// How long to wait before the next attempt if a connection could not be accepted, for example because too many files
/// are open.
const AFTER_AN_ERROR: Duration = Duration::from_millis(100);

/// Accepts connections and answers requests until the future is dropped.
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
        // If this fails, the system's larger default buffer also works.
        let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
        let service = TowerToHyperService::new(router.clone());
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(limits.head_within)
            .max_header_size(LARGEST_HEAD)
            // Both limits are needed. Without the limit on the head, a larger head would be accepted if a single read
            // completed it.
            .max_buf_size(LARGEST_HEAD);
        let stream = Impatient::new(stream, limits.taken_within);
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            let _place = place;
            // An error on this connection does not affect other clients, so it is ignored.
            let _ = connection.await;
        });
    }
}

/// A connection that returns an error on writing if the client has stopped reading for too long.
struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// The timer that limits how long data waits for the client to read it; `None` while no data is waiting.
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

    /// Returns the result `written` of an attempt to write, or an error if the client has stopped reading for too long.
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
