//! Finds the scale that converts values of Halma positions to winning probabilities.
//!
//! The program plays games of the Halma player against itself from random openings, with unequal node limits. It then
//! fits the scale of a logistic function to the results.
//!
//! For example, `cargo run --release --example halma_chances -- 40 2000` plays forty games under each rule set. One
//! side has 2,000 nodes per move and the other side a quarter of that. Both colors have the larger limit equally often.

use std::error::Error;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::search::{Control, Limits};
use turnwise_halma::analysis::{Analysis, chance};
use turnwise_halma::rules::{Color, Position, Rules};
use turnwise_halma::search::WIN_SEEN;
use turnwise_halma::search_agent::SearchAgent;

const OPENING_PLIES: usize = 12;
const LONGEST: usize = 400;

/// The value of a position for one player, whether the position is a race, and whether this player won the game.
struct Judged {
    value: f64,
    is_race: bool,
    is_won: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [games, nodes] = arguments.as_slice() else {
        return Err("expected: GAMES NODES".into());
    };
    let (games, nodes): (u64, u64) = (games.parse()?, nodes.parse()?);
    let mut all = Vec::new();
    for rules in Rules::ALL {
        for seed in 0..games {
            play(rules, seed, nodes, &mut all);
            eprint!("\r{rules}: {seed}");
        }
    }
    eprintln!();
    for is_race in [false, true] {
        let judged: Vec<&Judged> = all.iter().filter(|one| one.is_race == is_race).collect();
        println!("{} of races: {is_race}", judged.len());
        show(&judged);
    }
    Ok(())
}

/// Plays a game to its end, and adds the judgement of each position to `all`.
fn play(rules: Rules, seed: u64, nodes: u64, all: &mut Vec<Judged>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = Position::start(Color::BOTH[seed as usize % 2], rules);
    for _ in 0..OPENING_PLIES {
        let moves = position.moves();
        position.play(*moves.choose(&mut random).expect("an opening has moves"));
    }
    let mut agents = [(); 2].map(|()| SearchAgent::new(1 << 20));
    let mut judged = Vec::new();
    for _ in 0..LONGEST {
        let mover = position.to_move();
        let is_stronger = (mover as u64) == seed / 2 % 2;
        let limits = Limits {
            nodes: if is_stronger { nodes } else { nodes / 4 },
            ..Limits::default()
        };
        let agent = &mut agents[mover as usize];
        let Analysis { lines, nodes, .. } =
            agent.analyse(&position, 1, None, limits, &Control::new(), &mut |_| {});
        let best = lines[0].moves[0];
        agent.memory.seen.push(position.after(best).hash());
        judged.push((mover, lines[0].judgement, nodes == 0));
        position.play(best);
        if position.is_won() || !position.has_moves() {
            all.extend(judged.into_iter().map(|(player, value, is_race)| Judged {
                value,
                is_race,
                is_won: player == mover,
            }));
            return;
        }
    }
}

/// Prints the scale that fits best, and how often players won from positions with given values.
fn show(judged: &[&Judged]) {
    let open: Vec<&&Judged> = (judged.iter())
        .filter(|one| one.value.abs() < f64::from(WIN_SEEN))
        .collect();
    let loss = |scale: f64| -> f64 {
        let one = |one: &&&Judged| {
            let chance = 1.0 / (1.0 + (-one.value / scale).exp());
            -(if one.is_won { chance } else { 1.0 - chance })
                .max(1e-9)
                .ln()
        };
        open.iter().map(one).sum::<f64>() / open.len().max(1) as f64
    };
    let best = (1..200).map(|tens| 10.0 * f64::from(tens));
    let best = best.min_by(|one, other| loss(*one).total_cmp(&loss(*other)));
    let best = best.expect("scales");
    println!("points to e: {best}, loss {:.4} a position", loss(best));
    for least in (-1200..1200).step_by(200) {
        let range = f64::from(least)..f64::from(least + 200);
        let these: Vec<_> = (open.iter())
            .filter(|one| range.contains(&one.value))
            .collect();
        let won = these.iter().filter(|one| one.is_won).count();
        println!(
            "{least:5}: {:5} positions, {:.3} won, {:.3} as analyses say",
            these.len(),
            won as f64 / these.len().max(1) as f64,
            these.iter().map(|one| chance(one.value)).sum::<f64>() / these.len().max(1) as f64
        );
    }
}
