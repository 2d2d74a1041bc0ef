//! Measures how much of a position's value the Entropy player loses with other search widths.
//!
//! A width is the maximum number of moves that a search considers in a position. This measurement is less noisy than
//! matches are. Use it to choose widths, and confirm the choice with a match.
//!
//! For example, run
//! `cargo run --release --example entropy_loss -- 7 160 100000,1000000 8/12/4/8,24/16/5/8 24/16/4/8`.
//! The command measures positions of 160 games of the player against itself on 7x7, with 100,000 and 1,000,000 nodes.
//! The argument `8/12/4/8,24/16/5/8` stands for two widths in succession: first 8 moves (Order), 12 (Chaos), 4 (after
//! a deep look) and 8 (after a glance), then 24, 16, 5 and 8. The last argument is a single width for comparison.
//!
//! Regret is the value of the best known move minus the value of the chosen move, in points. The values come from
//! searches that are 5 plies deep for Order and 6 plies deep for Chaos.

use std::collections::HashMap;
use std::error::Error;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::game::{Game, Score, Side, Turn};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Found, Limits, Width, deepening, playouts};
use turnwise_engine::statistics::Sample;
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::rules::{Move, Position, Rules};
use turnwise_entropy::weights;

/// The widths of the reference search, with which moves are judged.
const REFERENCE: &[Width] = &[Width {
    max: 24,
    min: 16,
    after_deep_look: 5,
    after_glance: Some(8),
}];

/// The number of moves that the reference search judges per position: the best ones of a shallower search.
const CANDIDATES: usize = 6;

/// The share of a game's positions that are used for the measurement.
const SHARE: f64 = 0.04;

const TABLE_BYTES: usize = 64 << 20;

/// A position to measure: the position, the side to move, and the values of moves from the reference search.
struct Case {
    game: Evaluated,
    side: Side,
    known: HashMap<Move, Score>,
    best: Score,
}

fn search(game: &mut Evaluated, table: &mut Table<Move>, limits: Limits) -> Found<Move> {
    deepening::search(game, table, limits, &Control::new())
}

/// Returns the depth in plies to which Order or Chaos searches, chosen so that the leaves lie before a draw of a tile.
fn depth_of(side: Side, order_depth: u32) -> u32 {
    match side {
        Side::Max => order_depth,
        Side::Min => order_depth + 1,
    }
}

/// Returns the reference search's value of a position in which a draw or a move comes next.
fn value(game: &mut Evaluated, table: &mut Table<Move>, depth: u32) -> Score {
    match game.turn() {
        Turn::Over => game.evaluate(),
        Turn::Player(_) => {
            let limits = Limits {
                depth,
                schedule: game.leaves_before_draw(REFERENCE),
                ..Limits::default()
            };
            search(game, table, limits).value
        }
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.outcomes(&mut outcomes);
            let mut mean = 0.0;
            for (outcome, probability) in outcomes {
                game.make(outcome);
                mean += probability * value(game, table, depth);
                game.unmake(outcome, ());
            }
            mean
        }
    }
}

impl Case {
    fn new(mut game: Evaluated, side: Side, table: &mut Table<Move>) -> Self {
        table.clear();
        let mut looks = Vec::new();
        game.look(&mut looks);
        for (score, mv) in &mut looks {
            game.make(*mv);
            *score = value(&mut game, table, depth_of(side, 3) - 1);
            game.unmake(*mv, ());
        }
        looks.sort_by(|a, b| match side {
            Side::Max => b.0.total_cmp(&a.0),
            Side::Min => a.0.total_cmp(&b.0),
        });
        let mut case = Self {
            game,
            side,
            known: HashMap::new(),
            best: side.worst(),
        };
        for &(_, mv) in looks.iter().take(CANDIDATES) {
            let value = case.reference(mv, table);
            if side.prefers(value, case.best) {
                case.best = value;
            }
        }
        case
    }

    fn reference(&mut self, mv: Move, table: &mut Table<Move>) -> Score {
        let depth = depth_of(self.side, 5) - 1;
        let game = &mut self.game;
        *self.known.entry(mv).or_insert_with(|| {
            game.make(mv);
            let value = value(game, table, depth);
            game.unmake(mv, ());
            value
        })
    }

    fn regret(&mut self, mv: Move, table: &mut Table<Move>) -> Score {
        let value = self.reference(mv, table);
        match self.side {
            Side::Max => self.best - value,
            Side::Min => value - self.best,
        }
    }
}

/// Plays a game of the player against itself and returns some random positions with their sides to move.
///
/// Positions with at most three tiles and positions close to the end of the game are left out.
fn positions(size: u8, seed: u64, table: &mut Table<Move>) -> Vec<(Evaluated, Side)> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let position = Position::new(Rules { size, pass: false });
    let mut game = Evaluated::new(position, weights::best_known(size));
    let mut chosen = Vec::new();
    loop {
        match game.turn() {
            Turn::Over => return chosen,
            Turn::Chance => {
                let drawn = playouts::outcome(&game, &mut random);
                game.make(drawn);
            }
            Turn::Player(side) => {
                if random.random_bool(SHARE) && game.tiles() > 3 && game.plies_left() > 8 {
                    chosen.push((game.clone(), side));
                }
                let limits = Limits {
                    depth: depth_of(side, 1),
                    schedule: game.leaves_before_draw(REFERENCE),
                    ..Limits::default()
                };
                let best = search(&mut game, table, limits).best;
                game.make(best);
            }
        }
    }
}

/// Parses a list of widths such as "8/12/4/8,24/16/5/8".
fn widths(text: &str) -> Result<&'static [Width], String> {
    let width = |text: &str| {
        let numbers: Vec<usize> = text.split('/').flat_map(str::parse).collect();
        let &[max, min, after_deep_look, after_glance] = numbers.as_slice() else {
            return Err(format!(
                "expected ORDER/CHAOS/AFTER_DEEP_LOOK/AFTER_GLANCE, not {text}"
            ));
        };
        Ok(Width {
            max,
            min,
            after_deep_look,
            after_glance: Some(after_glance),
        })
    };
    let all: Vec<Width> = text.split(',').map(width).collect::<Result<_, _>>()?;
    Ok(all.leak())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, games, nodes, searches @ ..] = arguments.as_slice() else {
        return Err("expected: SIZE GAMES NODES[,NODES] WIDTHS...".into());
    };
    let (size, games): (u8, u64) = (size.parse()?, games.parse()?);
    let nodes: Vec<u64> = nodes.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let searches: Vec<_> = (searches.iter())
        .map(|text| Ok((text, widths(text)?)))
        .collect::<Result<_, String>>()?;
    let mut table = Table::new(TABLE_BYTES);
    let mut cases = Vec::new();
    for seed in 0..games {
        for (game, side) in positions(size, seed, &mut table) {
            cases.push(Case::new(game, side, &mut table));
        }
        eprint!("\rgame {} of {games}: {} positions", seed + 1, cases.len());
    }
    eprintln!();
    println!("   nodes  widths                 Order's regret    Chaos's regret (mean and 95 %)");
    for nodes in nodes {
        for &(text, widths) in &searches {
            let mut regrets = [Sample::default(); 2];
            for case in &mut cases {
                table.clear();
                let limits = Limits {
                    nodes,
                    schedule: case.game.leaves_before_draw(widths),
                    ..Limits::default()
                };
                let best = search(&mut case.game, &mut table, limits).best;
                let regret = case.regret(best, &mut table);
                regrets[case.side as usize].add(regret.into());
            }
            print!("{nodes:>8}  {text:20}");
            for regret in regrets {
                print!("   {:.3} +- {:.3}", regret.mean(), regret.half_width());
            }
            println!();
        }
    }
    Ok(())
}
