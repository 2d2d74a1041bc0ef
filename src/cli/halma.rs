//! `turnwise halma`: one move of a game of Halma, from the master's file to the answer.

use std::io::{ErrorKind, IsTerminal};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};

use super::files;
use crate::agent::halma::files::{output, position};
use crate::agent::halma::playdata::Playdata;
use crate::agent::halma::{CpuClock, CpuWatch, OVERHEAD, Purpose, allot};
use crate::games::halma::player::{Choice, Player, Strong};
use crate::games::halma::rules::{Color, Move, Position, Rules};
use crate::serve::shim::{self, NoMove};
use turnwise_protocol::halma::{Input, LARGEST_FILE, Mode};

/// Malformed input, as for wrong arguments.
const MALFORMED: u8 = 2;

const INPUT: &str = "input.txt";
const OUTPUT: &str = "output.txt";
const PLAYDATA: &str = "playdata.txt";
const CALIBRATION: &str = "calibration.txt";

/// How a calibration begins; the number of nodes per second follows.
const CALIBRATION_HEADER: &str = "turnwise-halma-calibration 1 nodes_per_second ";
/// CPU time that a calibration takes.
const CALIBRATION_TIME: Duration = Duration::from_secs(1);

/// Nodes per second where nothing has been measured.
const USUAL_SPEED: f64 = 500_000.0;
/// Bytes of table for each node, and the smallest and largest tables: making one takes time too.
const TABLE_BYTES_A_NODE: f64 = 100.0;
const SMALLEST_TABLE: f64 = 65_536.0;
const LARGEST_TABLE: f64 = 67_108_864.0;

/// How long a daemon may take beyond twice the time of its search, and beyond half of what is left.
const PATIENCE_LEAST: Duration = Duration::from_millis(500);
const PATIENCE_MORE: Duration = Duration::from_secs(5);

const EXAMPLES: &str = "\
Examples:
  turnwise halma                 read input.txt, write output.txt
  turnwise halma --rules base    without the rules of the addendum
  turnwise halma --calibrate     measure this machine once; writes calibration.txt

Linked or copied as homework or calibrate, with or without digits after it, the program is these
commands; scripts/install-halma DIR does that. In a game, playdata.txt is kept from move to move.
Exit codes: 0 done, 1 failed, 2 malformed input. Without a move there is no output.txt.";

/// Arguments of `turnwise halma`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Rule set, base or addendum; moves of the addendum are legal under both
    #[arg(long, default_value_t = Rules::Addendum)]
    rules: Rules,
    /// Measure nodes per second and write calibration.txt
    #[arg(long)]
    calibrate: bool,
    /// Where turnwise serve listens, or off: without a daemon there the move is searched here
    #[arg(long, value_name = "ADDRESS:PORT", default_value = shim::USUAL_ADDRESS)]
    daemon: DaemonName,
}

/// Whether and where to ask a daemon.
#[derive(Debug, Clone, Copy)]
enum DaemonName {
    Off,
    At(SocketAddr),
}

impl FromStr for DaemonName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            _ => text
                .parse()
                .map(Self::At)
                .map_err(|_| format!("expected an address such as {} or off", shim::USUAL_ADDRESS)),
        }
    }
}

impl DaemonName {
    fn address(self) -> Option<SocketAddr> {
        match self {
            DaemonName::Off => None,
            DaemonName::At(address) => Some(address),
        }
    }
}

/// A move, and what the search for it found, if it was here.
struct Chosen {
    mv: Move,
    search: Option<Choice>,
}

/// Reads the position, finds a move, writes it.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.calibrate {
        return calibrate();
    }
    // Whatever happens from here on, no answer to an earlier position stays behind.
    match std::fs::remove_file(OUTPUT) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).context(format!("cannot remove the old {OUTPUT}"));
        }
        _ => {}
    }
    let bytes = match files::read_at_most(Path::new(INPUT), LARGEST_FILE as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            eprintln!(
                "turnwise halma: there is no {INPUT} in this folder; a master writes it before each move"
            );
            return Ok(ExitCode::from(MALFORMED));
        }
        Err(error) if error.is::<files::TooLarge>() => {
            eprintln!("turnwise halma: {error}: expected 19 lines, mode, colour, time and board");
            return Ok(ExitCode::from(MALFORMED));
        }
        Err(error) => return Err(error),
    };
    let input = match Input::parse(&bytes) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("turnwise halma: {INPUT}, {error}");
            return Ok(ExitCode::from(MALFORMED));
        }
    };
    let position = position(&input, arguments.rules);
    let choice = play(&input, &position, arguments.daemon.address())?;
    let answer = output(&position, choice.mv).context("the player chose an illegal move")?;
    files::write_whole(Path::new(OUTPUT), &answer.to_string())?;
    if std::io::stderr().is_terminal() {
        let how = choice.search.map_or_else(
            || "by the daemon".to_owned(),
            |Choice {
                 value,
                 depth,
                 nodes,
                 ..
             }| { format!("value {value}, depth {depth}, {nodes} nodes") },
        );
        eprintln!(
            "{answer}{how}, {:.3} s CPU; written to {OUTPUT}",
            CpuClock::Process.now().as_secs_f64()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Chooses a move; in a game with what is known from the moves before, which it also writes down.
fn play(input: &Input, position: &Position, daemon: Option<SocketAddr>) -> anyhow::Result<Chosen> {
    let purpose = match input.mode {
        Mode::Single => Purpose::Single,
        Mode::Game => Purpose::Game,
    };
    let known = match purpose {
        Purpose::Single => None,
        Purpose::Game => read_playdata(position),
    };
    let given = Duration::try_from_secs_f64(input.seconds).unwrap_or(Duration::MAX);
    let overhead = known.as_ref().map_or(OVERHEAD, |known| {
        let beyond = known.left - input.seconds - known.used;
        Duration::from_secs_f64(beyond.clamp(0.0, 0.1)) + OVERHEAD / 2
    });
    let remaining = given.saturating_sub(CpuClock::Process.now());
    let limits = allot(remaining, purpose, position, overhead);
    let seen = known.as_ref().map_or(&[][..], |known| &known.seen);
    if let Some(mv) = daemon.and_then(|daemon| ask_daemon(daemon, input, position, limits.1)) {
        let after = position.after(mv);
        if purpose == Purpose::Game {
            // So that this process's successor can go on alone, should the daemon go away.
            let seen = seen.iter().copied().chain([after.hash()]).collect();
            keep(input, after, seen, Vec::new());
        }
        return Ok(Chosen { mv, search: None });
    }
    // What waiting and asking took is gone.
    let remaining = given.saturating_sub(CpuClock::Process.now());
    let limits = allot(remaining, purpose, position, overhead);
    let nodes = read_speed() * limits.1.as_secs_f64();
    let table = (nodes * TABLE_BYTES_A_NODE).clamp(SMALLEST_TABLE, LARGEST_TABLE);
    let mut watch = CpuWatch::new(CpuClock::Process, limits);
    let mut player = Strong::new(table as usize);
    if let Some(known) = known {
        player.resume(known.seen, known.plan);
    }
    let Some(choice) = player.choose(position, u64::MAX, &mut watch) else {
        bail!("the player to move has no legal move");
    };
    if purpose == Purpose::Game {
        let (seen, plan) = (player.seen().to_vec(), player.plan().to_vec());
        keep(input, position.after(choice.mv), seen, plan);
    }
    Ok(Chosen {
        mv: choice.mv,
        search: Some(choice),
    })
}

/// The daemon's move, if there is a daemon and it answers in time.
fn ask_daemon(
    daemon: SocketAddr,
    input: &Input,
    position: &Position,
    hard: Duration,
) -> Option<Move> {
    // Its search keeps to CPU time; on a busy machine it takes longer than that. A master may look at
    // the wall, too.
    let given = Duration::try_from_secs_f64(input.seconds / 2.0).unwrap_or(Duration::MAX);
    let patience =
        (hard.saturating_mul(2) + PATIENCE_LEAST).min(given.saturating_add(PATIENCE_MORE));
    match shim::ask(daemon, input, position, patience) {
        Ok(mv) => Some(mv),
        Err(NoMove::Absent) => None,
        Err(error) => {
            eprintln!("turnwise halma: {error}; searching without it");
            None
        }
    }
}

/// Writes down what the next move can use.
fn keep(input: &Input, position: Position, seen: Vec<u64>, plan: Vec<Move>) {
    let playdata = Playdata {
        left: input.seconds,
        used: CpuClock::Process.now().as_secs_f64(),
        position,
        seen,
        plan,
    };
    if let Err(error) = files::write_whole(Path::new(PLAYDATA), &playdata.to_text()) {
        eprintln!("turnwise halma: {error:#}; the next move starts without it");
    }
}

/// What was written down after the last move, if it can be used.
fn read_playdata(position: &Position) -> Option<Playdata> {
    let bytes = match files::read_at_most(Path::new(PLAYDATA), LARGEST_FILE as u64) {
        Ok(bytes) => bytes?,
        Err(error) => {
            eprintln!("turnwise halma: {error:#}; it is ignored");
            return None;
        }
    };
    Playdata::parse(&bytes, position)
        .inspect_err(|why| eprintln!("turnwise halma: {PLAYDATA} is ignored: {why}"))
        .ok()
}

/// Nodes per second by `calibration.txt`, or what is usual.
fn read_speed() -> f64 {
    let bytes = match files::read_at_most(Path::new(CALIBRATION), LARGEST_FILE as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return USUAL_SPEED,
        Err(error) => {
            eprintln!("turnwise halma: {error:#}; it is ignored");
            return USUAL_SPEED;
        }
    };
    let speed = std::str::from_utf8(&bytes).ok().and_then(|text| {
        text.strip_prefix(CALIBRATION_HEADER)?
            .trim_end()
            .parse()
            .ok()
    });
    match speed {
        Some(speed) if (1_000.0..1e9).contains(&speed) => speed,
        _ => {
            eprintln!(
                "turnwise halma: {CALIBRATION} is ignored: expected {CALIBRATION_HEADER:?} and a number"
            );
            USUAL_SPEED
        }
    }
}

/// Searches the start of the game for a second and writes down how fast that went.
fn calibrate() -> anyhow::Result<ExitCode> {
    let position = Position::start(Color::Black, Rules::Addendum);
    let mut watch = CpuWatch::new(CpuClock::Process, (CALIBRATION_TIME, CALIBRATION_TIME));
    let before = CpuClock::Process.now();
    let choice = Strong::new(LARGEST_TABLE as usize)
        .choose(&position, u64::MAX, &mut watch)
        .context("the start of the game has moves")?;
    let speed = choice.nodes as f64 / (CpuClock::Process.now() - before).as_secs_f64();
    files::write_whole(
        Path::new(CALIBRATION),
        &format!("{CALIBRATION_HEADER}{speed:.0}\n"),
    )?;
    println!("{speed:.0} nodes a second (written to {CALIBRATION})");
    Ok(ExitCode::SUCCESS)
}
