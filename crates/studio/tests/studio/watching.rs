//! Functions that play a match and connect spectators to it, for the tests and the benchmark.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use turnwise_arena::lineup::Lineup;
use turnwise_arena::log::Log;
use turnwise_arena::pairs::{Done, play_all};
use turnwise_arena::records::Settings;
use turnwise_arena::referee::Event;
use turnwise_games::start_daemon;
use turnwise_report::Match;
use turnwise_studio::spectators::SpectatorServer;
use turnwise_studio::{Config, listen};

/// A timeout far longer than the interval between keep-alive comments.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a server for the spectators of a match. Returns the server and its address.
pub fn server(config: Config, settings: &Settings) -> (SpectatorServer, String) {
    let listener = listen(Some(([127, 0, 0, 1], 0).into())).expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    let title = "war".to_owned();
    let server = SpectatorServer::start(
        runtime,
        listener,
        config,
        Match::new(settings.clone()),
        title,
    );
    (server.expect("a server"), address)
}

/// Connects a spectator to the server. Sends its request, but reads nothing from the returned stream.
pub fn ask(address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let request = format!("GET /api/live/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    // Writing fails if the server has no free place and closes the connection.
    let _ = stream.write_all(request.as_bytes());
    stream
}

/// Plays a whole match, pair after pair, and writes a new log. `follow` is called with every event.
pub fn play(settings: &Settings, log: &Path, follow: &(dyn Fn(Event) + Sync)) {
    let mut log = Log::create(log, settings).expect("a new log");
    let lineup = Lineup::of(settings, start_daemon).expect("they can play");
    let match_of = (settings, &lineup);
    let played = play_all(
        match_of,
        Done::new(match_of.0),
        &mut log,
        1,
        &|| false,
        |_| {},
        follow,
    );
    played.expect("a match");
}
