//! `turnwise replay`: a logged game in the terminal, board by board.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;

use super::report::{open, print, until_closed};
use crate::games::entropy::picture::{board, letter, notation};
use crate::games::entropy::rules::{Position, Rules};
use crate::records::{Fault, MoveRecord, Role};
use crate::report::logs::{Game, Log};
use crate::report::replay::{Step, replay};

/// Arguments of `turnwise replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  turnwise replay match.jsonl --game 3             the third game, a move with each Enter
  turnwise replay match.jsonl --pair 2 --game 1    the same game, found by its pair
  turnwise replay match.jsonl --game 3 --delay 1   a move a second
  turnwise replay match.jsonl --game 3 | less      all of it as plain text

\"expects\" is the final score that the player counted on.")]
pub struct Arguments {
    /// A log written by turnwise arena
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Which game, counted from 1: of the log, or of the pair given by --pair
    #[arg(long, value_name = "K", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    game: u32,
    /// Look for the game in this pair
    #[arg(long, value_name = "P")]
    pair: Option<u32>,
    /// Show a move every so many seconds instead of waiting for Enter
    #[arg(long, value_name = "SECONDS", value_parser = super::parse_clock)]
    delay: Option<Duration>,
}

/// What happens between two moves.
enum Pace {
    Enter,
    Delay(Duration),
    Never,
}

/// Shows the game.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let log = match open(&arguments.log)? {
        Ok(log) => log,
        Err(code) => return Ok(code),
    };
    for note in &log.notes {
        eprintln!("turnwise: {}: {note}", arguments.log.display());
    }
    let game = find(&log, arguments.pair, arguments.game)?;
    let terminal = io::stdout().is_terminal();
    let pace = match arguments.delay {
        Some(delay) => Pace::Delay(delay),
        None if terminal && io::stdin().is_terminal() => Pace::Enter,
        None => Pace::Never,
    };
    until_closed(show(&log, game, terminal, &pace))?;
    Ok(ExitCode::SUCCESS)
}

fn find(log: &Log, pair: Option<u32>, number: u32) -> anyhow::Result<&Game> {
    let Some(pair) = pair else {
        let at = usize::try_from(number - 1).ok();
        let game = at.and_then(|at| log.games.get(at));
        return game.ok_or_else(|| match log.games.len() {
            0 => anyhow::anyhow!("the log holds no games"),
            games => anyhow::anyhow!("there is no game {number}; the log has games 1 to {games}"),
        });
    };
    let of_pair = || log.games.iter().filter(|game| game.record.pair == pair);
    let found = of_pair().find(|game| u32::from(game.record.game) == number);
    match (found, of_pair().next(), log.games.last()) {
        (Some(game), ..) => Ok(game),
        (None, Some(_), _) => {
            bail!("pair {pair} has no game {number} in the log; a pair has games 1 and 2")
        }
        (None, None, Some(last)) => {
            bail!(
                "there is no pair {pair}; the log has pairs up to {}",
                last.record.pair
            )
        }
        (None, None, None) => bail!("the log holds no games"),
    }
}

fn show(log: &Log, game: &Game, coloured: bool, pace: &Pace) -> io::Result<()> {
    let size = log.header.size;
    let record = &game.record;
    let empty = Position::new(Rules { size, pass: true });
    print(&format!(
        "Pair {}, game {}: {} is Order, {} is Chaos\n\n{}",
        record.pair,
        record.game,
        record.order,
        record.chaos,
        board(&empty, coloured)
    ))?;
    let replay = replay(game, size);
    for step in &replay.steps {
        if !wait(pace)? {
            return Ok(());
        }
        print(&format!(
            "\n{}{}",
            headline(game, step),
            board(&step.position, coloured)
        ))?;
    }
    let mut text = String::from("\n");
    if let Some(why) = &replay.broken {
        let _ = writeln!(text, "{why}");
    }
    if let Some(fault) = &record.fault {
        text += &fault_lines(fault);
    }
    let _ = writeln!(text, "Order's score: {}", record.order_score);
    print(&text)
}

/// False if the user has seen enough.
fn wait(pace: &Pace) -> io::Result<bool> {
    match pace {
        Pace::Never => Ok(true),
        Pace::Delay(delay) => {
            std::thread::sleep(*delay);
            Ok(true)
        }
        Pace::Enter => {
            eprint!("Enter for the next move, q to stop: ");
            io::stderr().flush()?;
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line)?;
            Ok(read > 0 && !line.trim().eq_ignore_ascii_case("q"))
        }
    }
}

fn headline(game: &Game, step: &Step) -> String {
    let size = step.position.size();
    let (role, agent) = match step.tile {
        Some(_) => (Role::Chaos, &game.record.chaos),
        None => (Role::Order, &game.record.order),
    };
    let tile = step.tile.map(|tile| format!("{} on ", letter(tile)));
    let mut text = format!(
        "ply {} of {}: {agent} ({}) {}{}, {} points",
        step.ply,
        game.record.moves.len(),
        role.name(),
        tile.unwrap_or_default(),
        notation(step.mv, size),
        step.points,
    );
    if step.ply as usize <= game.opening_plies() {
        text += ", random opening";
    }
    text.push('\n');
    if let Some(logged) = game.logged(step.ply) {
        let facts = facts(logged);
        if !facts.is_empty() {
            let _ = writeln!(text, "  {}", facts.join(", "));
        }
    }
    text
}

fn facts(logged: &MoveRecord) -> Vec<String> {
    let mut facts = Vec::new();
    let mut add = |value: Option<f64>, show: &dyn Fn(f64) -> String| {
        facts.extend(value.map(show));
    };
    add(logged.score, &|score| format!("expects {score:.1}"));
    add(logged.depth.map(f64::from), &|depth| {
        format!("depth {depth}")
    });
    add(logged.nodes.map(|nodes| nodes as f64), &|nodes| {
        format!("{nodes} nodes")
    });
    add(logged.used_ms, &|used| format!("used {used:.1} ms"));
    add(logged.soft_ms, &|soft| format!("meant {soft:.1} ms"));
    add(logged.hard_ms, &|hard| format!("at most {hard:.1} ms"));
    add(logged.clock_left_s, &|left| {
        format!("{left:.2} s left before it")
    });
    facts
}

fn fault_lines(fault: &Fault) -> String {
    let mut text = format!(
        "Fault of {} ({}): {}: {}\n",
        fault.agent,
        fault.role.name(),
        fault.kind.name(),
        fault.reason
    );
    for line in &fault.stderr {
        let _ = writeln!(text, "  stderr: {line}");
    }
    text
}
