//! Measures how much longer the players of a match take to move if spectators watch.
//!
//! The benchmark plays identical games, in which the players search a fixed number of nodes per move, alternately
//! without spectators and with 200 spectators.
//!
//! Run with `cargo bench -p turnwise-studio --bench spectators`. The spectators are threads of this process and read
//! everything. In a real match, spectators run on other machines. To imitate this, the threads have a low priority
//! where the system supports thread priorities, so that they use only the cores that the players leave free. The
//! players should take at most 5 % more time.

#[path = "../tests/studio/watching.rs"]
mod watching;

use std::io::Read;
use std::sync::Mutex;
use std::thread;

use turnwise_arena::records::{Contestant, GameSettings, Settings};
use turnwise_arena::referee::Event;
use turnwise_engine::player::TimeControl;
use turnwise_games::GAMES;
use turnwise_studio::Config;
use turnwise_studio::folder::Folders;
use turnwise_studio::serving::Limits;
use turnwise_studio::spectators::yield_to_players;

const SPECTATORS: usize = 200;

/// The number of rounds. It is odd, so that the median is the result of a single round.
const ROUNDS: u64 = 15;

fn main() {
    let mut shares = Vec::new();
    let mut least = [f64::INFINITY; 2];
    for round in 0..ROUNDS {
        // All rounds play identical games, so that their times are comparable. The run with spectators comes first in
        // every second round, because the machine is cooler, and therefore faster, in the first run of a round.
        let mut both = [0.0; 2];
        for which in [round % 2, 1 - round % 2] {
            let spectators = [0, SPECTATORS][which as usize];
            both[which as usize] = thinking(spectators);
        }
        let [alone, watched] = both;
        shares.push(100.0 * (watched / alone - 1.0));
        least = [least[0].min(alone), least[1].min(watched)];
    }
    shares.sort_by(f64::total_cmp);
    let at = |part: u64| shares[(part * (ROUNDS - 1) / 4) as usize];
    println!(
        "replies with {SPECTATORS} spectators take {:+.1} % more time than without (half of {ROUNDS} pairs between \
         {:+.1} and {:+.1}); the least of all rounds {:+.1} %",
        at(2),
        at(1),
        at(3),
        100.0 * (least[1] / least[0] - 1.0)
    );
}

/// Plays a pair of games that this number of spectators watch. Returns the total time that the players took to move, in
/// milliseconds.
fn thinking(spectators: usize) -> f64 {
    let settings = settings();
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        games: GAMES,
        puzzles: |_| None,
        cores: 0,
        folders: Folders::default(),
        limits: Limits {
            connections: 2 * SPECTATORS,
            ..Limits::default()
        },
        public: None,
    };
    let (server, address) = watching::server(config, &settings);
    let watching: Vec<_> = (0..spectators)
        .map(|_| {
            let mut stream = watching::ask(&address);
            // The first bytes show that the server accepted the spectator.
            stream.read_exact(&mut [0; 16]).expect("it is answered");
            thread::spawn(move || {
                yield_to_players();
                std::io::copy(&mut stream, &mut std::io::sink())
            })
        })
        .collect();
    let used = Mutex::new(0.0);
    let follow = |event: Event| {
        if let Event::Moved(record) = event {
            *used.lock().expect("no panic") += record.used_ms.expect("there is a clock");
        }
        server.announcer().hear(event);
    };
    watching::play(&settings, &folder.path().join("log"), &follow);
    drop(server);
    for spectator in watching {
        let heard = spectator.join().expect("no panic").expect("it was read");
        // The exact number of bytes varies, because on a busy machine the last events may arrive only after the
        // spectator has stopped reading.
        assert!(heard > 1000, "a spectator heard only {heard} bytes");
    }
    used.into_inner().expect("no panic")
}

fn settings() -> Settings {
    let agents = ["one", "other"].map(|name| Contestant {
        name: name.to_owned(),
        spec: "turnwise:nodes=300000".to_owned(),
        folder: None,
    });
    let game = GameSettings(GAMES[0].by_options(&|_| None).expect("usual settings"));
    let time = TimeControl::Clock {
        seconds: 60.0,
        increment: 0.0,
    };
    Settings::new(game, agents.into(), time)
}
