//! Games with their logs or their summary, for people and as JSON.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::{Chosen, PlayerKind};
use crate::cli::files::Spool;
use crate::console::interrupt::Interrupt;
use crate::console::output::show;
use crate::console::progress::games_bar;
use crate::console::{note, say};
use turnwise_engine::statistics::Estimate;
use turnwise_engine::words::printable;
use turnwise_guesswho::board::Board;
use turnwise_guesswho::game::{self, Outcome};
use turnwise_guesswho::player::{PlayerError, Seat, Strategy};
use turnwise_guesswho::tally::Tally;

/// What is to be played.
pub struct Plan<'a> {
    pub board: &'a Board,
    pub chosen: Chosen,
    pub players: [PlayerKind; 2],
    pub seed: u64,
}

impl Plan<'_> {
    /// The persons of the game with this number, from 0.
    fn persons(&self, game: u64, random: &mut impl Rng) -> [u32; 2] {
        let persons = self.board.configuration().persons.len() as u32;
        match self.chosen {
            Chosen::Fixed(chosen) => chosen,
            Chosen::Random => [
                random.random_range(0..persons),
                random.random_range(0..persons),
            ],
            Chosen::All => {
                let persons = u64::from(persons);
                [game / persons % persons, game % persons].map(|person| person as u32)
            }
        }
    }

    fn chosen_as_json(&self) -> Value {
        match self.chosen {
            Chosen::Fixed(chosen) => json!(self.names(chosen)),
            Chosen::Random => json!("random"),
            Chosen::All => json!("all"),
        }
    }

    /// Names for people, as [`printable`] has them.
    fn names(&self, chosen: [u32; 2]) -> [String; 2] {
        let persons = &self.board.configuration().persons;
        chosen.map(|person| printable(&persons[person as usize].name))
    }
}

/// Plays one game, or `games` of them, or with all pairs of persons `games` times each pair, once if not
/// given. One game shows its log line by line as in the course framework, more show a summary. Ctrl-C ends a
/// longer run after the game in progress with the summary of what was played.
pub fn run(
    plan: &Plan<'_>,
    games: Option<u64>,
    log: Option<&Path>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let persons = plan.board.configuration().persons.len() as u64;
    let (total, is_single) = match (plan.chosen, games) {
        (Chosen::All, games) => {
            let total = games.unwrap_or(1).checked_mul(persons * persons);
            (total.context("--games is too large")?, false)
        }
        (_, games) => (games.unwrap_or(1), games.is_none()),
    };
    let mut log = log.map(Spool::new).transpose()?;
    let has_person = plan.players.contains(&PlayerKind::Human);
    let interrupt = match has_person || is_single {
        true => Interrupt::default(),
        false => Interrupt::listen()?,
    };
    // A person has the terminal.
    let bar = (!has_person && !is_single).then(|| games_bar("playing".to_owned(), total));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let [mut first, mut second] = plan.players.map(PlayerKind::create);
    let mut tally = Tally::default();
    let mut single = None;
    let mut failure = None;
    for game in 0..total {
        let chosen = plan.persons(game, &mut random);
        let mut lines = Vec::new();
        let strategies: [&mut dyn Strategy; 2] = [&mut *first, &mut *second];
        let played = game::play(plan.board, chosen, strategies, &mut random, &mut |line| {
            if let Some(log) = log.as_mut().filter(|_| failure.is_none()) {
                failure = log.add(line).err();
            }
            if !is_single && !has_person {
                return;
            }
            // The log keeps names as they are; a terminal is shown no control characters.
            let line = printable(line);
            if is_single && !json {
                say!("{line}");
            } else if has_person {
                note!("{line}");
            }
            if is_single {
                lines.push(line);
            }
        });
        let outcome = match played {
            Err(error) if error.cause == PlayerError::Left => {
                note!("You have left the game before its end.");
                break;
            }
            played => played?,
        };
        tally.add(outcome);
        single = is_single.then(|| game_as_json(plan, chosen, outcome, &lines));
        if let Some(bar) = &bar {
            bar.inc(1);
        }
        if interrupt.is_requested() || failure.is_some() {
            break;
        }
    }
    drop(bar);
    if tally.games() > 0 {
        show(&match (single, json) {
            (Some(_), false) => String::new(),
            (Some(game), true) => format!("{game}\n"),
            (None, true) => format!("{}\n", summary_as_json(plan, total, &tally)),
            (None, false) => summary(plan, total, &tally),
        });
    }
    match (failure, log) {
        (Some(failure), _) => return Err(failure),
        (None, Some(log)) => log.finish()?,
        (None, None) => {}
    }
    Ok(interrupt.exit_code())
}

/// Whether every game's result was certain to be met exactly once, so that shares are exact.
fn exhaustive(plan: &Plan<'_>, total: u64, tally: &Tally) -> bool {
    let draws = |kind: &PlayerKind| matches!(kind, PlayerKind::Random | PlayerKind::Human);
    matches!(plan.chosen, Chosen::All) && tally.games() == total && !plan.players.iter().any(draws)
}

fn summary(plan: &Plan<'_>, total: u64, tally: &Tally) -> String {
    let [first, second] = plan.players.map(PlayerKind::name);
    let exact = exhaustive(plan, total, tally);
    let games = tally.games();
    let of = match games < total {
        true => format!(" of {total}, interrupted"),
        false => String::new(),
    };
    let mut text = format!(
        "{first} (player 1) against {second} (player 2): {games} game(s){of}, seed {}\n",
        plan.seed
    );
    let range = |of: Estimate, digits: usize| match exact {
        true => "exact: every pair of persons".to_string(),
        false => format!(
            "95 % interval {:.digits$} to {:.digits$}",
            of.lower, of.upper
        ),
    };
    for (label, count) in [
        ("player 1 won", tally.wins),
        ("tie", tally.ties),
        ("player 2 won", tally.losses),
    ] {
        let share = tally.share(count).map(|share| 100.0 * share);
        let _ = writeln!(
            text,
            "  {label:<13} {count:>9}  {:>6.2} %  ({})",
            share.value,
            range(share, 2)
        );
    }
    let score = tally.score();
    let _ = writeln!(
        text,
        "  score of player 1 (win 1, tie 1/2): {:.4}  ({})",
        score.value,
        range(score, 4)
    );
    let _ = writeln!(
        text,
        "  rounds: {:.3} on average, {} at most",
        tally.mean_rounds(),
        tally.most_rounds()
    );
    let most = tally.rounds.iter().max().copied().unwrap_or(0).max(1);
    for (rounds, count) in histogram(tally) {
        let bar = "#".repeat((50 * u128::from(count)).div_ceil(u128::from(most)) as usize);
        let _ = writeln!(text, "  {rounds:>4} {count:>9} {bar}");
    }
    text
}

/// Numbers of rounds that games took, with how many games.
fn histogram(tally: &Tally) -> impl Iterator<Item = (usize, u64)> {
    let counts = tally.rounds.iter().copied().enumerate();
    counts.filter(|&(_, count)| count > 0)
}

fn summary_as_json(plan: &Plan<'_>, total: u64, tally: &Tally) -> Value {
    let exact = exhaustive(plan, total, tally);
    let interval = |share: Estimate| match exact {
        true => json!([share.value, share.value]),
        false => json!([share.lower, share.upper]),
    };
    let part = |count: u64| {
        let share = tally.share(count);
        json!({ "games": count, "share": share.value, "interval": interval(share) })
    };
    let histogram: serde_json::Map<String, Value> = histogram(tally)
        .map(|(rounds, count)| (rounds.to_string(), json!(count)))
        .collect();
    let score = tally.score();
    json!({
        "game": "guesswho",
        "players": plan.players.map(PlayerKind::name),
        "chosen": plan.chosen_as_json(),
        "seed": plan.seed,
        "games": tally.games(),
        "planned": total,
        "exact": exact,
        "win": part(tally.wins),
        "tie": part(tally.ties),
        "loss": part(tally.losses),
        "score": { "value": score.value, "interval": interval(score) },
        "rounds": { "mean": tally.mean_rounds(), "most": tally.most_rounds(), "histogram": histogram },
    })
}

/// One game as JSON; `winner` is 1, 2 or null for a tie.
fn game_as_json(plan: &Plan<'_>, chosen: [u32; 2], outcome: Outcome, log: &[String]) -> Value {
    json!({
        "game": "guesswho",
        "players": plan.players.map(PlayerKind::name),
        "chosen": plan.names(chosen),
        "seed": plan.seed,
        "winner": outcome.winner.map(Seat::number),
        "rounds": outcome.rounds,
        "log": log,
    })
}
