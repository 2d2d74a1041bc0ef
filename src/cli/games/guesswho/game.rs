//! Plays one game of Guess Who, and shows it in the log format of the course framework or as JSON.

use std::path::Path;
use std::process::ExitCode;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::cli::files::{check_place, write_whole};
use crate::console::output::show;
use crate::console::say;
use turnwise_engine::words::printable;
use turnwise_guesswho::board::Board;
use turnwise_guesswho::game::{self, Outcome};
use turnwise_guesswho::player::{Seat, Strategy};
use turnwise_guesswho::strategies::StrategyKind;

/// Everything that determines a game: the board, the persons, the players and the seed.
pub struct Plan<'a> {
    pub board: &'a Board,
    /// The indices of the persons that player 1 and player 2 have; `None` if the persons should be drawn at random.
    pub chosen: Option<[u32; 2]>,
    pub players: [StrategyKind; 2],
    pub seed: u64,
}

/// Plays the game. Shows the log line by line while the game runs, or everything as JSON at the end.
///
/// If a file is named, also writes the log to that file.
pub fn run(plan: &Plan<'_>, log: Option<&Path>, json: bool) -> anyhow::Result<ExitCode> {
    log.map(check_place).transpose()?;
    let persons = plan.board.configuration().persons.len() as u32;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let mut draw = || random.random_range(0..persons);
    let chosen = plan.chosen.unwrap_or_else(|| [draw(), draw()]);
    let [mut first, mut second] = plan.players.map(StrategyKind::create);
    let strategies: [&mut dyn Strategy; 2] = [&mut *first, &mut *second];
    let (mut logged, mut shown) = (String::new(), Vec::new());
    let played = game::play(plan.board, chosen, strategies, &mut random, &mut |line| {
        // The log contains the original names, but control characters in the names must not reach the terminal.
        logged += &format!("{line}\n");
        let line = printable(line);
        if !json {
            say!("{line}");
        }
        shown.push(line);
    });
    let outcome = played?;
    if json {
        show(&format!("{}\n", as_json(plan, chosen, outcome, &shown)));
    }
    if let Some(log) = log {
        write_whole(log, logged.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the game as JSON. The field `winner` is 1 or 2, or null for a tie.
fn as_json(plan: &Plan<'_>, chosen: [u32; 2], outcome: Outcome, log: &[String]) -> Value {
    let persons = &plan.board.configuration().persons;
    json!({
        "game": "guesswho",
        "players": plan.players.map(StrategyKind::name),
        "chosen": chosen.map(|person| printable(&persons[person as usize].name)),
        "seed": plan.seed,
        "winner": outcome.winner.map(Seat::number),
        "rounds": outcome.rounds,
        "log": log,
    })
}
