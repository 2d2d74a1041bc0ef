//! Plays matches between Halma agents in this process, with clocks that measure CPU time.
//!
//! The two games of a pair have one random opening in common, but colors and first mover are swapped.
//!
//! For example, `cargo run --release --example halma_match -- strong distance 10 2 addendum` plays ten pairs, in which
//! each player has two seconds per game. If `SHOW_LOST` is set in the environment, the program prints the last boards
//! of games that were not won.
//!
//! `cargo run --release --example halma_match -- solo 100` lets the player race without an opponent on the board, under
//! both rule sets.

use std::collections::HashSet;
use std::error::Error;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::{Agent, BoxedAgent};
use turnwise_engine::cpu_time::{CpuClock, CpuDeadlines};
use turnwise_engine::search::{Control, Found, Limits};
use turnwise_halma::baselines::{distance, minimax, random};
use turnwise_halma::budget::{Forecast, budget};
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::search_agent::SearchAgent;
use turnwise_protocol::halma::Mode;

const OPENING_PLIES: usize = 4;
const LONGEST: u32 = 600;

type Halma = BoxedAgent<Position, Move>;

fn agent(name: &str, seed: u64) -> Result<Halma, String> {
    Ok(match name {
        "strong" => Box::new(SearchAgent::new(16 << 20)),
        "distance" => distance(seed),
        "minimax" => minimax(seed),
        "random" => random(seed),
        _ => return Err(format!("unknown agent {name}")),
    })
}

/// Lets an agent think with this CPU time left for its game. Returns its result and the CPU time used.
fn think(
    agent: &mut impl Agent<Position = Position, Move = Move>,
    position: &Position,
    left: Duration,
) -> (Found<Move>, Duration) {
    let start = CpuClock::Thread.now();
    let budget = budget(left, Mode::Game, position, Forecast::default());
    let limits = Limits {
        cpu: Some(CpuDeadlines::after(CpuClock::Thread, budget)),
        ..Limits::default()
    };
    let found = agent.think(position, limits, &Control::new());
    (found, CpuClock::Thread.now() - start)
}

#[derive(Default, Debug)]
struct Tally {
    wins: u32,
    moves_to_win: u32,
    cpu: Duration,
    most_cpu: Duration,
    overruns: u32,
    /// The number of the player's moves that led to an earlier position of the game.
    repetitions: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, seconds] = arguments.as_slice()
        && mode == "solo"
    {
        return solo(Duration::from_secs_f64(seconds.parse()?));
    }
    let [a, b, pairs, clocks, rules, rest @ ..] = arguments.as_slice() else {
        return Err(
            "expected: PLAYER PLAYER PAIRS SECONDS[,SECONDS] base|addendum [SEED], or solo SECONDS"
                .into(),
        );
    };
    let rules: Rules = rules.parse()?;
    let names = [a, b];
    let clocks: Vec<f64> = clocks
        .split(',')
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let clocks = [clocks[0], *clocks.last().ok_or("no clock")?].map(Duration::from_secs_f64);
    let first_seed: u64 = rest.first().map_or(Ok(1), |seed| seed.parse())?;
    let mut tallies = [Tally::default(), Tally::default()];
    let mut unfinished = 0;
    let mut by_pair = [0; 3];
    for pair in 0..pairs.parse::<u64>()? {
        let seed = first_seed * 1_000 + pair;
        let mut won = 0;
        for game in 0..2 {
            let mut agents = [agent(names[0], 2 * seed)?, agent(names[1], 2 * seed + 1)?];
            // In the first game, the first player is black and begins. In the second, colors and turns are swapped.
            let first = Color::BOTH[game];
            let winner = play(&mut agents, first, seed, rules, clocks, &mut tallies);
            unfinished += u32::from(winner.is_none());
            won += usize::from(winner == Some(0));
        }
        by_pair[won] += 1;
        eprint!("\r{pair}: {} - {}", tallies[0].wins, tallies[1].wins);
    }
    eprintln!();
    for (name, tally) in names.iter().zip(&tallies) {
        println!(
            "{name:9} {:4} won, {:5.1} own moves a win, {:7.3} s CPU in all, {:.3} s at most, {} overruns, {} repetitions",
            tally.wins,
            f64::from(tally.moves_to_win) / f64::from(tally.wins.max(1)),
            tally.cpu.as_secs_f64(),
            tally.most_cpu.as_secs_f64(),
            tally.overruns,
            tally.repetitions,
        );
    }
    println!("{unfinished} unfinished; pairs with 0, 1, 2 wins of {a}: {by_pair:?}");
    Ok(())
}

/// Lets the strong player race to its goal on a board without an opponent, and prints the results.
fn solo(clock: Duration) -> Result<(), Box<dyn Error>> {
    for rules in Rules::ALL {
        let camp = Color::Black.camp();
        let mut position = Position::new(camp, Default::default(), Color::Black, rules)?;
        let mut agent = SearchAgent::new(16 << 20);
        let mut used = Duration::ZERO;
        let mut moves = 0;
        while !position.has_filled_goal(Color::Black) && moves < LONGEST {
            let (found, cpu) = think(&mut agent, &position, clock.saturating_sub(used));
            used += cpu;
            position = position.after(found.best).with_to_move(Color::Black);
            moves += 1;
        }
        println!("{rules}: {moves} moves, {used:.1?} CPU");
    }
    Ok(())
}

fn play(
    agents: &mut [Halma; 2],
    first: Color,
    seed: u64,
    rules: Rules,
    clocks: [Duration; 2],
    tallies: &mut [Tally; 2],
) -> Option<usize> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = Position::start(Color::Black, rules);
    for _ in 0..OPENING_PLIES {
        position.play(*position.moves().choose(&mut random)?);
    }
    let mut used = [Duration::ZERO; 2];
    let mut winner = None;
    let mut seen = HashSet::from([position.hash()]);
    let mut own_moves = [OPENING_PLIES as u32 / 2; 2];
    for _ in 0..LONGEST {
        let at = usize::from(position.to_move() != first);
        if !position.has_moves() {
            winner = Some(1 - at);
            break;
        }
        let left = clocks[at].saturating_sub(used[at]);
        let (found, cpu) = think(&mut agents[at], &position, left);
        used[at] += cpu;
        assert!(position.is_legal(found.best), "{position:?} {found:?}");
        if std::env::var_os("SHOW").is_some() {
            println!("{position:?}{found:?} {:?}", used);
        }
        position.play(found.best);
        own_moves[at] += 1;
        tallies[at].repetitions += u32::from(!seen.insert(position.hash()));
        if position.is_won() {
            winner = Some(at);
            break;
        }
    }
    for at in 0..2 {
        tallies[at].cpu += used[at];
        tallies[at].most_cpu = tallies[at].most_cpu.max(used[at]);
        tallies[at].overruns += u32::from(used[at] > clocks[at]);
    }
    if winner != Some(0) && std::env::var_os("SHOW_LOST").is_some() {
        println!(
            "seed {seed}, {} ours, winner {winner:?}, {own_moves:?} own moves\n{position:?}",
            if first == Color::Black { 'B' } else { 'W' }
        );
    }
    if let Some(winner) = winner {
        tallies[winner].wins += 1;
        tallies[winner].moves_to_win += own_moves[winner];
    }
    winner
}
