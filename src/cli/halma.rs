//! `turnwise halma`: one move of a game of Halma, from the master's file to the answer.

use std::io::{ErrorKind, IsTerminal};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use super::files;
use crate::serve::shim::{self, NoMove, Reply};
use turnwise_engine::cpu_time::CpuClock;
use turnwise_engine::words::counted;
use turnwise_halma::agent::calibration::Calibration;
use turnwise_halma::agent::files::{output, position};
use turnwise_halma::agent::playdata::Playdata;
use turnwise_halma::agent::{CpuWatch, Outlook, Purpose, allot};
use turnwise_halma::player::{Choice, Player, Strong};
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_protocol::halma::{Input, LARGEST_FILE, Mode, PIECES};

/// Malformed input, as for wrong arguments.
const MALFORMED: u8 = 2;

const INPUT: &str = "input.txt";
const OUTPUT: &str = "output.txt";
const PLAYDATA: &str = "playdata.txt";
const CALIBRATION: &str = "calibration.txt";

/// The judge's charges beyond our own measurement differ by the tick of its clock; more than this is none
/// of the next move's.
const MOST_BEYOND: f64 = 0.1;

/// How long a daemon may take beyond twice the time of its search, and beyond this share of what is left:
/// a single move may be searched for six tenths of it.
const PATIENCE_LEAST: Duration = Duration::from_millis(500);
const PATIENCE_MORE: Duration = Duration::from_secs(5);
const PATIENCE_SHARE: f64 = 0.75;

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
    files::clear_temporaries(Path::new("."), &[OUTPUT, PLAYDATA]);
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
    let [black, white] = input.pieces();
    if [black, white] != [PIECES; 2] {
        eprintln!(
            "turnwise halma: {INPUT}: expected {PIECES} B and {PIECES} W, got {black} B and {white} W; \
             playing with those"
        );
    }
    let position = position(&input, arguments.rules);
    if let Some(over) = over(&position) {
        eprintln!("turnwise halma: {over}");
    }
    ensure!(
        position.has_moves(),
        "{:?} has no legal move, so there is no {OUTPUT}",
        position.to_move()
    );
    let choice = play(&input, &position, arguments.daemon())?;
    let answer = output(&position, choice.mv).context("the player chose an illegal move")?;
    files::write_whole(Path::new(OUTPUT), answer.to_string().as_bytes())?;
    if std::io::stderr().is_terminal() {
        let how = choice.search.map_or_else(
            || "by the daemon".to_owned(),
            |Choice {
                 value,
                 depth,
                 nodes,
                 ..
             }| { format!("value {value}, depth {depth}, {}", counted(nodes, "node")) },
        );
        eprintln!(
            "{answer}{how}, {:.3} s CPU; written to {OUTPUT}",
            CpuClock::Process.now().as_secs_f64()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Who has won, if the game is over. No master asks for a move then, but another judge may, and takes
/// no answer for a fault; so a legal move is searched for all the same.
fn over(position: &Position) -> Option<String> {
    let mover = position.to_move();
    let opponent = mover.other();
    let won = |winner: Color, loser: Color| {
        Some(format!(
            "the game is over: {winner:?} has filled {loser:?}'s camp"
        ))
    };
    if position.is_won() {
        won(opponent, mover)
    } else if mover.goal().is_within(position.pieces(mover)) {
        won(mover, opponent)
    } else if position.has_filled_goal(mover) {
        // Only a move of its own wins.
        Some(format!(
            "{opponent:?}'s camp is full: the game is over, unless {opponent:?} has just filled it itself"
        ))
    } else {
        None
    }
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
    let calibration = read_calibration();
    let opponent = known.as_ref().map(|known| known.opponent);
    // What the master charged for the last move beyond what we saw of it.
    let beyond = known.as_ref().map_or(0.0, |known| {
        (known.left - input.seconds - known.used).clamp(0.0, MOST_BEYOND)
    });
    // The processes of the moves to come take as long to start as this one did.
    let start = calibration.start.max(CpuClock::Process.now());
    let outlook = Outlook {
        overhead: start + calibration.late + Duration::from_secs_f64(beyond),
        late: calibration.late,
        opponent_pace: opponent.and_then(|opponent| opponent.steady_pace()),
    };
    // The judge does not see what a daemon has used; we charge it all the same.
    let spent = known.as_ref().map_or(0.0, |known| known.elsewhere.max(0.0));
    let spent = Duration::from_secs_f64(spent);
    let given = Duration::try_from_secs_f64(input.seconds).unwrap_or(Duration::MAX);
    let limits = |waited: Duration| {
        let gone = CpuClock::Process.now().max(waited) + spent;
        allot(given.saturating_sub(gone), purpose, position, outlook)
    };
    let keep = |playdata: Playdata| {
        if purpose == Purpose::Game {
            keep(playdata);
        }
    };
    let playdata = |mv: Move| Playdata {
        left: input.seconds,
        used: 0.0,
        elsewhere: spent.as_secs_f64(),
        position: position.after(mv),
        seen: Vec::new(),
        plan: Vec::new(),
        line: Vec::new(),
        opponent: opponent.unwrap_or_default(),
    };
    let asked = Instant::now();
    let hard = limits(Duration::ZERO).1;
    let reply = daemon.and_then(|daemon| ask_daemon(daemon, input, position, spent, hard));
    if let Some(Reply { mv, game_cpu }) = reply {
        // So that this process's successor can go on alone, should the daemon go away.
        let mut playdata = playdata(mv);
        playdata.elsewhere = game_cpu.as_secs_f64();
        playdata.seen = known.map_or_else(Vec::new, |known| known.seen);
        playdata.seen.push(playdata.position.hash());
        keep(playdata);
        return Ok(Chosen { mv, search: None });
    }
    // What asking took is gone, and so is what waiting took: a master may look at the wall, too.
    let limits = limits(asked.elapsed());
    let mut watch = CpuWatch::new(CpuClock::Process, limits);
    let mut player = Strong::new(calibration.table_bytes(limits.1));
    if let Some(known) = known {
        if let Some(&answer) = known.line.first() {
            player.advise(position, answer);
        }
        player.resume(known.seen, known.plan);
    }
    let Some(choice) = player.choose(position, u64::MAX, &mut watch) else {
        bail!("the player to move has no legal move");
    };
    keep(Playdata {
        seen: player.seen().to_vec(),
        plan: player.plan().to_vec(),
        line: player.line().to_vec(),
        ..playdata(choice.mv)
    });
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
    spent: Duration,
    hard: Duration,
) -> Option<Reply> {
    // Its search keeps to CPU time; on a busy machine it takes longer than that.
    let given =
        Duration::try_from_secs_f64(input.seconds * PATIENCE_SHARE).unwrap_or(Duration::MAX);
    let patience =
        (hard.saturating_mul(2) + PATIENCE_LEAST).min(given.saturating_add(PATIENCE_MORE));
    match shim::ask(daemon, input, position, spent, patience) {
        Ok(reply) => Some(reply),
        Err(NoMove::Absent) => None,
        Err(error) => {
            eprintln!("turnwise halma: {error}; searching without it");
            None
        }
    }
}

/// Writes down what the next move can use.
fn keep(mut playdata: Playdata) {
    playdata.used = CpuClock::Process.now().as_secs_f64();
    if let Err(error) = files::write_whole(Path::new(PLAYDATA), playdata.to_text().as_bytes()) {
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

/// What `calibration.txt` says, or what is usual.
fn read_calibration() -> Calibration {
    let bytes = match files::read_at_most(Path::new(CALIBRATION), LARGEST_FILE as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Calibration::default(),
        Err(error) => {
            eprintln!("turnwise halma: {error:#}; it is ignored");
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
