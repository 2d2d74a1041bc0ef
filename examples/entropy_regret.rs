//! Measures how much of a position's value searches with other widths lose. The measurement is less noisy than
//! matches; use it to choose widths for the Entropy player before a match confirms them.
//!
//! `cargo run --release --example entropy_regret -- 7 160 100000,1000000 8/12/4/8,24/16/5/8 24/16/4/8`:
//! on positions of 160 games of the player against itself on 7x7, with 100,000 and with 1,000,000 nodes,
//! first widths of 8 (Order), 12 (Chaos), 4 (after a deep look) and 8 moves (after a glance) and then of 24,
//! 16, 5 and 8; and a single width for comparison. Regret is the value of the best known move minus the value of
//! the chosen move, in points, according to searches 5 (Order) and 6 plies deep (Chaos).

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

/// The widths of the reference search.
const REFERENCE: &[Width] = &[Width {
    max: 24,
    min: 16,
    after_deep_look: 5,
    after_glance: Some(8),
}];

/// The number of best moves of a shallower search that the reference evaluates.
const CANDIDATES: usize = 6;

/// The share of a game's positions that are measured.
const SHARE: f64 = 0.04;

const TABLE_BYTES: usize = 64 << 20;

/// A position of a game, the side to move, and the reference's values of moves.
struct Case {
    game: Evaluated,
    side: Side,
    known: HashMap<Move, Score>,
    best: Score,
}

fn search(game: &mut Evaluated, table: &mut Table<Move>, limits: Limits) -> Found<Move> {
    deepening::search(game, table, limits, &Control::new())
}

/// Returns the plies that Order or Chaos searches, so that the leaves lie before the draw.
fn depth_of(side: Side, order_depth: u32) -> u32 {
    match side {
        Side::Max => order_depth,
        Side::Min => order_depth + 1,
    }
}

/// Returns the reference value of a position before a draw or a move.
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

/// Returns some positions of a game of the player against itself, without the last moves.
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

/// Parses widths such as "8/12/4/8,24/16/5/8".
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
