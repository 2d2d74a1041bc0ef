//! `turnwise halma`: plays one move of Halma. Reads the file that the master has written, and writes the answer to
//! another file.

use std::io::{ErrorKind, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};

use crate::cli::files;
use crate::console::note;
use crate::console::output::print;
use turnwise_engine::cpu_time::CpuClock;
use turnwise_engine::files::{ReadError, read_at_most};
use turnwise_engine::own_socket::OwnFolder;
use turnwise_engine::words::counted;
use turnwise_halma::calibration::Calibration;
use turnwise_halma::files::position;
use turnwise_halma::playdata::Playdata;
use turnwise_halma::rules::{Position, Rules};
use turnwise_halma::shim::asking::Daemon;
use turnwise_halma::shim::{self, Question};
use turnwise_protocol::halma::{Input, LARGEST_FILE, Mode, PIECES};

/// The exit code if the input is malformed. It equals the exit code for incorrect arguments.
const MALFORMED: u8 = 2;

const INPUT: &str = "input.txt";
const OUTPUT: &str = "output.txt";
const PLAYDATA: &str = "playdata.txt";
const CALIBRATION: &str = "calibration.txt";

pub(super) const EXAMPLES: &str = "\
Examples:
  turnwise halma               read input.txt, write output.txt
  turnwise halma --rules base  without the rules of the addendum
  turnwise halma --calibrate   measure this machine once; writes calibration.txt

Linked or copied as homework or calibrate, with or without digits after the name, the program runs \
these commands; scripts/install-halma DIR sets that up. Under those names, it asks a daemon only \
if --daemon names one. In a game, playdata.txt is kept from move to move. If the game is over, the \
command reports it, and still writes a move if there is a legal one.

Exit codes: 0 done, 1 failed, 2 malformed input. Without a move there is no output.txt.";

/// Arguments of `turnwise halma` without a subcommand.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// Set the rules, base or addendum; moves of the addendum are legal under both
    #[arg(long, default_value_t = Rules::Addendum)]
    rules: Rules,
    /// Measure this machine's speed and write calibration.txt
    #[arg(long)]
    calibrate: bool,
    /// Choose the daemon that selects the move: own, your `turnwise halma serve`; an address, where any daemon is
    /// trusted; or off, the default under the name homework. If no daemon answers, this command searches by itself
    // The full path makes clap treat the option as an ordinary value, not as an optional argument.
    #[arg(long, value_name = "own|off|ADDRESS:PORT", default_value = "own", overrides_with = "daemon", value_parser = parse_daemon)]
    pub(in crate::cli) daemon: std::option::Option<Daemon>,
}

fn parse_daemon(text: &str) -> Result<Option<Daemon>, String> {
    match text {
        "off" => Ok(None),
        "own" => Ok(Some(Daemon::Own(OwnFolder::usual()))),
        address => {
            let address = address.parse().map(|address| Some(Daemon::At(address)));
            address
                .map_err(|_| "expected own, off, or an address such as 127.0.0.1:7361".to_owned())
        }
    }
}

/// Reads the position from the master's file, finds a move and writes it.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.calibrate {
        return calibrate();
    }
    files::clear_temporaries(Path::new("."), &[OUTPUT, PLAYDATA]);
    // The output for an earlier position is removed first, so that it is not mistaken for the answer to this position.
    match std::fs::remove_file(OUTPUT) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).context(format!("cannot remove the old {OUTPUT}"));
        }
        _ => {}
    }
    let malformed = |why: String| {
        note!("turnwise halma: {why}");
        Ok(ExitCode::from(MALFORMED))
    };
    let bytes = match read_at_most(Path::new(INPUT), LARGEST_FILE as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            return malformed(format!(
                "there is no {INPUT} in this folder; a master writes it before each move"
            ));
        }
        Err(error @ ReadError::TooLarge { .. }) => {
            return malformed(format!(
                "{error}: expected 19 lines, mode, color, time and board"
            ));
        }
        Err(error) => return Err(error.into()),
    };
    let warn = |deviation| note!("turnwise halma: {INPUT}, {deviation}; playing anyway");
    let input = match Input::parse_lenient(&bytes, warn) {
        Ok(input) => input,
        Err(error) => return malformed(format!("{INPUT}, {error}")),
    };
    let [black, white] = input.pieces();
    if [black, white] != [PIECES; 2] {
        note!(
            "turnwise halma: {INPUT}: expected {PIECES} B and {PIECES} W, got {black} B and {white} W; \
             continuing with these"
        );
    }
    let position = position(&input, arguments.rules);
    if let Some(over) = shim::over(&position) {
        note!("turnwise halma: {over}");
    }
    ensure!(
        position.has_moves(),
        "{:?} has no legal move, so there is no {OUTPUT}",
        position.to_move()
    );
    let question = Question {
        input: &input,
        position: &position,
    };
    let before = match input.mode {
        Mode::Single => None,
        Mode::Game => read_playdata(&position),
    };
    let calibration = read_calibration();
    let tell = |error| note!("turnwise halma: {error}; searching without it");
    let chosen = shim::choose(question, before, calibration, arguments.daemon, tell);
    if let Some(playdata) = &chosen.playdata
        && let Err(error) = files::write_whole(Path::new(PLAYDATA), playdata.to_text().as_bytes())
    {
        note!("turnwise halma: {error:#}; the next move starts without it");
    }
    files::write_whole(Path::new(OUTPUT), chosen.output.as_bytes())?;
    if std::io::stderr().is_terminal() {
        let how = chosen.search.map_or_else(
            || "by the daemon".to_owned(),
            |found| {
                let value = position.to_move().sign() * found.value as i32;
                let nodes = counted(found.nodes, "node");
                format!("value {value}, depth {}, {nodes}", found.depth)
            },
        );
        note!(
            "{}{how}, {:.3} s CPU; written to {OUTPUT}",
            chosen.output,
            CpuClock::Process.now().as_secs_f64()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the content of a file in the current folder that an earlier process saved; `None` if the file is missing or
/// cannot be read.
fn read(name: &str) -> Option<Vec<u8>> {
    read_at_most(Path::new(name), LARGEST_FILE as u64)
        .inspect_err(|error| note!("turnwise halma: {error:#}; it is ignored"))
        .ok()?
}

/// Returns the data that this player saved after its last move; `None` if the data is missing or does not fit this
/// position.
fn read_playdata(position: &Position) -> Option<Playdata> {
    Playdata::parse(&read(PLAYDATA)?, position)
        .inspect_err(|why| note!("turnwise halma: {PLAYDATA} is ignored: {why}"))
        .ok()
}

/// Returns the calibration in `calibration.txt`, or the default if the file is missing or unusable.
fn read_calibration() -> Calibration {
    let Some(bytes) = read(CALIBRATION) else {
        return Calibration::default();
    };
    Calibration::parse(&bytes).unwrap_or_else(|| {
        note!(
            "turnwise halma: {CALIBRATION} is ignored: it is damaged, or from another program or version; \
             turnwise halma --calibrate writes a new one"
        );
        Calibration::default()
    })
}

/// Measures this machine's speed, and writes it to `calibration.txt`.
fn calibrate() -> anyhow::Result<ExitCode> {
    files::clear_temporaries(Path::new("."), &[CALIBRATION]);
    let start = CpuClock::Process.now();
    let measured = Calibration::measure(start);
    files::write_whole(Path::new(CALIBRATION), measured.to_text().as_bytes())?;
    print(&format!(
        "{:.0} nodes a second, {:.1} ms to start, at most {:.1} ms late (written to {CALIBRATION})\n",
        measured.nodes_per_second,
        measured.start.as_secs_f64() * 1e3,
        measured.late.as_secs_f64() * 1e3
    ))?;
    Ok(ExitCode::SUCCESS)
}
