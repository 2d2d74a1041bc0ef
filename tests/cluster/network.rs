//! Simulates the network between a worker and the server. A test can stall or cut this network.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// The state in which the network delivers all data; the constants below are the other states.
const PASSES: u8 = 0;
const STALLS: u8 = 1;
const CUT: u8 = 2;
const GONE: u8 = 3;

/// The time between two checks of the network's state.
const LOOKS: Duration = Duration::from_millis(5);

/// A proxy between a worker and the server, which simulates a network.
pub struct Network {
    port: u16,
    state: Arc<AtomicU8>,
}

impl Network {
    /// Starts a proxy in front of the server at this port.
    pub fn before(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let state = Arc::new(AtomicU8::new(PASSES));
        let shared = state.clone();
        thread::spawn(move || {
            for near in listener.incoming() {
                let state = shared.load(Ordering::Relaxed);
                if state == GONE {
                    return;
                }
                let far = TcpStream::connect((Ipv4Addr::LOCALHOST, server));
                if let (Ok(near), Ok(far)) = (near, far)
                    && state != CUT
                {
                    pass(&near, &far, &shared);
                    pass(&far, &near, &shared);
                }
            }
        });
        Self { port, state }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Stalls the network: connections stay open, but nothing is delivered.
    pub fn stall(&self) {
        self.state.store(STALLS, Ordering::Relaxed);
    }

    /// Cuts the network: closes all connections and rejects new connections.
    pub fn cut(&self) {
        self.state.store(CUT, Ordering::Relaxed);
    }

    /// Restores the network: delivers the delayed data and accepts connections again.
    pub fn come_back(&self) {
        self.state.store(PASSES, Ordering::Relaxed);
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.state.store(GONE, Ordering::Relaxed);
        // This connection wakes the thread that accepts connections, so that the thread can end.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Forwards bytes in one direction, on a separate thread.
fn pass(from: &TcpStream, to: &TcpStream, state: &Arc<AtomicU8>) {
    let (mut from, mut to) = (
        from.try_clone().expect("the same stream"),
        to.try_clone().expect("the same stream"),
    );
    from.set_read_timeout(Some(LOOKS)).expect("it can time out");
    let state = state.clone();
    thread::spawn(move || {
        let mut bytes = [0; 1 << 16];
        loop {
            match state.load(Ordering::Relaxed) {
                STALLS => {
                    thread::sleep(LOOKS);
                    continue;
                }
                PASSES => {}
                _ => break,
            }
            match from.read(&mut bytes) {
                Ok(0) => break,
                Ok(length) => {
                    // Data that is in transit when the network stalls also waits here until the network recovers.
                    while state.load(Ordering::Relaxed) == STALLS {
                        thread::sleep(LOOKS);
                    }
                    if to.write_all(&bytes[..length]).is_err() {
                        break;
                    }
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {}
                    _ => break,
                },
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}
