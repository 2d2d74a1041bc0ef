//! Many games and their summary, for people and as JSON.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use anyhow::Context;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::{Chosen, LEFT, PlayerKind, unless_left};
use crate::cli::progress::StatusLine;
use turnwise_daemon::shutdown;
use turnwise_engine::statistics::Estimate;
use turnwise_engine::words::counted;
use turnwise_guesswho::board::Board;
use turnwise_guesswho::evaluate::Tally;
use turnwise_guesswho::game::{self, Outcome, Winner};

/// What is to be played.
pub struct Plan<'a> {
    /// The board.
    pub board: &'a Board,
    /// Which persons the players have.
    pub chosen: Chosen,
    /// Player 1 and player 2.
    pub players: [PlayerKind; 2],
    /// Seed of everything random.
    pub seed: u64,
}

impl Plan<'_> {
    /// The persons of the game with this number, from 0.
    pub fn persons(&self, game: u64, random: &mut impl Rng) -> [u32; 2] {
        let persons = self.board.configuration().persons.len() as u32;
        match self.chosen {
            Chosen::Fixed(chosen) => chosen,
            Chosen::Random => [
                random.random_range(0..persons),
                random.random_range(0..persons),
            ],
            Chosen::All => {
                let pair = game % (u64::from(persons) * u64::from(persons));
                [
                    (pair / u64::from(persons)) as u32,
                    (pair % u64::from(persons)) as u32,
                ]
            }
        }
    }

    /// Shows a line of a log that standard output does not have to people who play.
    pub fn tell_people(&self, line: &str) {
        if self.players.contains(&PlayerKind::Human) {
            eprintln!("{line}");
        }
    }

    fn chosen_as_json(&self) -> Value {
        match self.chosen {
            Chosen::Fixed(chosen) => json!(self.names(chosen)),
            Chosen::Random => json!("random"),
            Chosen::All => json!("all"),
        }
    }

    fn names(&self, chosen: [u32; 2]) -> [&str; 2] {
        chosen.map(|person| {
            self.board.configuration().persons[person as usize]
                .name
                .as_str()
        })
    }
}

/// Plays the games and prints their summary: `games` of them, or with all pairs of persons `games`
/// times each pair, once if not given. Ctrl-C ends the run after the game in progress with the
/// summary of what was played.
pub fn many_games(
    plan: &Plan<'_>,
    games: Option<u64>,
    mut log: Option<BufWriter<File>>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let persons = plan.board.configuration().persons.len() as u64;
    let total = match plan.chosen {
        Chosen::All => games
            .unwrap_or(1)
            .checked_mul(persons * persons)
            .context("--games is too large")?,
        Chosen::Fixed(_) | Chosen::Random => games.unwrap_or(1),
    };
    let interrupted = if plan.players.contains(&PlayerKind::Human) {
        Arc::default()
    } else {
        interruption()?
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let [mut first, mut second] = plan.players.map(PlayerKind::create);
    let mut tally = Tally::default();
    let mut failure = None;
    let mut progress = StatusLine::new();
    for game in 0..total {
        let chosen = plan.persons(game, &mut random);
        let outcome = game::play(
            plan.board,
            chosen,
            [&mut *first, &mut *second],
            &mut random,
            &mut |line| {
                let written = log.as_mut().map_or(Ok(()), |log| writeln!(log, "{line}"));
                failure = failure.take().or(written.err());
                plan.tell_people(line);
            },
        );
        let Some(outcome) = unless_left(outcome)? else {
            eprintln!("{LEFT}");
            break;
        };
        tally.add(outcome);
        if progress.is_due() {
            progress.tell(&format!("{} of {}", tally.games(), counted(total, "game")));
        }
        if interrupted.load(Ordering::Relaxed) != 0 || failure.is_some() {
            break;
        }
    }
    progress.clear();
    let flushed = log.as_mut().map_or(Ok(()), BufWriter::flush);
    match json {
        _ if tally.games() == 0 => {}
        true => println!("{}", summary_as_json(plan, total, &tally)),
        false => print!("{}", summary(plan, total, &tally)),
    }
    failure
        .map_or(flushed, Err)
        .context("cannot write the log")?;
    Ok(ExitCode::from(interrupted.load(Ordering::Relaxed)))
}

/// Becomes the exit code when Ctrl-C or SIGTERM asks for the end; 0 until then.
fn interruption() -> anyhow::Result<Arc<AtomicU8>> {
    let code = Arc::new(AtomicU8::new(0));
    let heard = Arc::clone(&code);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut signals = {
        let _guard = runtime.enter();
        shutdown::listen().context("cannot listen to signals")?
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            let signal = signals.requested().await;
            heard.store(shutdown::exit_code(signal), Ordering::Relaxed);
            // Stays, so that a second signal is heard and ends the process at once.
            std::future::pending::<()>().await;
        });
    });
    Ok(code)
}

/// Whether every game's result was certain to be met exactly once, so that shares are exact.
fn exhaustive(plan: &Plan<'_>, total: u64, tally: &Tally) -> bool {
    let certain = |kind| {
        matches!(
            kind,
            PlayerKind::Binary | PlayerKind::Custom | PlayerKind::Optimal
        )
    };
    matches!(plan.chosen, Chosen::All)
        && tally.games() == total
        && plan.players.into_iter().all(certain)
}

fn summary(plan: &Plan<'_>, total: u64, tally: &Tally) -> String {
    let [first, second] = plan.players.map(PlayerKind::name);
    let exact = exhaustive(plan, total, tally);
    let games = tally.games();
    let mut text = String::new();
    let of = if games < total {
        format!(" of {total}, interrupted")
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "{first} (player 1) against {second} (player 2): {games} game(s){of}, seed {}",
        plan.seed
    );
    let range = |share: Estimate| match exact {
        true => "exact: every pair of persons".to_string(),
        false => format!(
            "95 % interval {:.2} to {:.2}",
            100.0 * share.lower,
            100.0 * share.upper
        ),
    };
    for (label, count) in [
        ("player 1 won", tally.wins),
        ("tie", tally.ties),
        ("player 2 won", tally.losses),
    ] {
        let share = tally.share(count);
        let _ = writeln!(
            text,
            "  {label:<13} {count:>9}  {:>6.2} %  ({})",
            100.0 * share.value,
            range(share)
        );
    }
    let score = tally.score();
    let interval = if exact {
        range(score)
    } else {
        format!("95 % interval {:.4} to {:.4}", score.lower, score.upper)
    };
    let _ = writeln!(
        text,
        "  score of player 1 (win 1, tie 1/2): {:.4}  ({interval})",
        score.value
    );
    let _ = writeln!(
        text,
        "  rounds: {:.3} on average, {} at most",
        tally.mean_rounds(),
        tally.most_rounds()
    );
    let most = tally.rounds.iter().max().copied().unwrap_or(0).max(1);
    for (rounds, &count) in tally
        .rounds
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
    {
        let bar = "#".repeat((50 * u128::from(count)).div_ceil(u128::from(most)) as usize);
        let _ = writeln!(text, "  {rounds:>4} {count:>9} {bar}");
    }
    text
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
    let histogram: serde_json::Map<String, Value> = tally
        .rounds
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(rounds, &count)| (rounds.to_string(), json!(count)))
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
pub fn game_as_json(plan: &Plan<'_>, chosen: [u32; 2], outcome: Outcome, log: &[String]) -> Value {
    let winner = match outcome.winner {
        Winner::First => json!(1),
        Winner::Second => json!(2),
        Winner::Tie => Value::Null,
    };
    json!({
        "game": "guesswho",
        "players": plan.players.map(PlayerKind::name),
        "chosen": plan.names(chosen),
        "seed": plan.seed,
        "winner": winner,
        "rounds": outcome.rounds,
        "log": log,
    })
}
