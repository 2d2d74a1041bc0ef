//! `turnwise halma`: one move of a game of Halma, from the master's file to the answer.

use std::io::{ErrorKind, IsTerminal};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, ensure};

use super::files;
use turnwise_engine::cpu_time::CpuClock;
use turnwise_engine::files::{ReadError, read_at_most};
use turnwise_engine::words::counted;
use turnwise_halma::agent::calibration::Calibration;
use turnwise_halma::agent::files::position;
use turnwise_halma::agent::playdata::Playdata;
use turnwise_halma::player::Choice;
use turnwise_halma::rules::{Position, Rules};
use turnwise_halma::shim::{self, Known, Question};
use turnwise_protocol::halma::{Input, LARGEST_FILE, Mode, PIECES};

/// Malformed input, as for wrong arguments.
const MALFORMED: u8 = 2;

const INPUT: &str = "input.txt";
const OUTPUT: &str = "output.txt";
const PLAYDATA: &str = "playdata.txt";
const CALIBRATION: &str = "calibration.txt";

const EXAMPLES: &str = "\
Examples:
  turnwise halma                 read input.txt, write output.txt
  turnwise halma --rules base    without the rules of the addendum
  turnwise halma --calibrate     measure this machine once; writes calibration.txt

Linked or copied as homework or calibrate, with or without digits after it, the program is these
commands; scripts/install-halma DIR does that. Under those names no daemon is asked unless --daemon
names one. In a game, playdata.txt is kept from move to move. When the game is over that is said,
and a move is written all the same if there is a legal one.
Exit codes: 0 done, 1 failed, 2 malformed input. Without a move there is no output.txt.";

/// Arguments of `turnwise halma`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Rule set, base or addendum; moves of the addendum are legal under both
    #[arg(long, default_value_t = Rules::Addendum)]
    rules: Rules,
    /// Measure this machine's speed and write calibration.txt
    #[arg(long)]
    calibrate: bool,
    /// Where turnwise serve listens, or off, as under the name homework: without a daemon there the
    /// move is searched here
    #[arg(long, value_name = "ADDRESS:PORT", default_value = shim::USUAL_ADDRESS, overrides_with = "daemon")]
    daemon: DaemonName,
}

impl Arguments {
    /// The daemon to ask, if one is to be asked.
    pub(super) fn daemon(&self) -> Option<SocketAddr> {
        match self.daemon {
            DaemonName::Off => None,
            DaemonName::At(address) => Some(address),
        }
    }
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

/// Reads the position, finds a move, writes it.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.calibrate {
        return calibrate();
    }
    files::clear_temporaries(Path::new("."), &[OUTPUT, PLAYDATA]);
    // Whatever happens from here on, no answer to an earlier position stays behind.
    match std::fs::remove_file(OUTPUT) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).context(format!("cannot remove the old {OUTPUT}"));
        }
        _ => {}
    }
    let bytes = match read_at_most(Path::new(INPUT), LARGEST_FILE as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            eprintln!(
                "turnwise halma: there is no {INPUT} in this folder; a master writes it before each move"
            );
            return Ok(ExitCode::from(MALFORMED));
        }
        Err(error @ ReadError::TooLarge { .. }) => {
            eprintln!("turnwise halma: {error}: expected 19 lines, mode, colour, time and board");
            return Ok(ExitCode::from(MALFORMED));
        }
        Err(error) => return Err(error.into()),
    };
    let input = match Input::parse(&bytes) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("turnwise halma: {INPUT}, {error}");
            return Ok(ExitCode::from(MALFORMED));
        }
    };
    let [black, white] = input.pieces();
    if [black, white] != [PIECES; 2] {
        eprintln!(
            "turnwise halma: {INPUT}: expected {PIECES} B and {PIECES} W, got {black} B and {white} W; \
             playing with those"
        );
    }
    let position = position(&input, arguments.rules);
    if let Some(over) = shim::over(&position) {
        eprintln!("turnwise halma: {over}");
    }
    ensure!(
        position.has_moves(),
        "{:?} has no legal move, so there is no {OUTPUT}",
        position.to_move()
    );
    let question = Question {
        bytes: &bytes,
        input: &input,
        position: &position,
    };
    let known = Known {
        playdata: match input.mode {
            Mode::Single => None,
            Mode::Game => read_playdata(&position),
        },
        calibration: read_calibration(),
        daemon: arguments.daemon(),
    };
    let tell = |error| eprintln!("turnwise halma: {error}; searching without it");
    let chosen = shim::choose(question, known, tell).context("the player found no legal move")?;
    if let Some(playdata) = &chosen.playdata {
        keep(playdata);
    }
    files::write_whole(Path::new(OUTPUT), chosen.output.as_bytes())?;
    if std::io::stderr().is_terminal() {
        let how = chosen.search.map_or_else(
            || "by the daemon".to_owned(),
            |Choice {
                 value,
                 depth,
                 nodes,
                 ..
             }| { format!("value {value}, depth {depth}, {}", counted(nodes, "node")) },
        );
        eprintln!(
            "{}{how}, {:.3} s CPU; written to {OUTPUT}",
            chosen.output,
            CpuClock::Process.now().as_secs_f64()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes down what the next move can use.
fn keep(playdata: &Playdata) {
    if let Err(error) = files::write_whole(Path::new(PLAYDATA), playdata.to_text().as_bytes()) {
        eprintln!("turnwise halma: {error:#}; the next move starts without it");
    }
}

/// What was written down after the last move, if it can be used.
fn read_playdata(position: &Position) -> Option<Playdata> {
    let bytes = match read_at_most(Path::new(PLAYDATA), LARGEST_FILE as u64) {
        Ok(bytes) => bytes?,
        Err(error) => {
            eprintln!("turnwise halma: {error}; it is ignored");
            return None;
        }
    };
    Playdata::parse(&bytes, position)
        .inspect_err(|why| eprintln!("turnwise halma: {PLAYDATA} is ignored: {why}"))
        .ok()
}

/// What `calibration.txt` says, or what is usual.
fn read_calibration() -> Calibration {
    let bytes = match read_at_most(Path::new(CALIBRATION), LARGEST_FILE as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Calibration::default(),
        Err(error) => {
            eprintln!("turnwise halma: {error}; it is ignored");
            return Calibration::default();
        }
    };
    Calibration::parse(&bytes).unwrap_or_else(|| {
        eprintln!(
            "turnwise halma: {CALIBRATION} is ignored: it is damaged, or of another program or version; \
             turnwise halma --calibrate writes a new one"
        );
        Calibration::default()
    })
}

/// Measures this machine and writes it down.
fn calibrate() -> anyhow::Result<ExitCode> {
    files::clear_temporaries(Path::new("."), &[CALIBRATION]);
    let start = CpuClock::Process.now();
    let measured = Calibration::measure(start).context("the start of the game has moves")?;
    files::write_whole(Path::new(CALIBRATION), measured.to_text().as_bytes())?;
    println!(
        "{:.0} nodes a second, {:.1} ms to start, at most {:.1} ms late (written to {CALIBRATION})",
        measured.nodes_per_second,
        measured.start.as_secs_f64() * 1e3,
        measured.late.as_secs_f64() * 1e3
    );
    Ok(ExitCode::SUCCESS)
}
