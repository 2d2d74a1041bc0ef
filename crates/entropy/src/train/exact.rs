//! Learns weights from the solution of a game, whose exact values contain no noise.
//!
//! In games played with the solution, both sides choose any move with a small loss. At each move, the boards after
//! some of the choices are stored with their exact values. For each number of tiles and each phase, the values of
//! lines, and of crossings if the board size uses them, are fitted to these boards.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::choices::{Board, Choices, Model, fitted, thin_out};
use super::self_play::draw;
use super::{all_games, seed_of};
use crate::evaluated::Evaluated;
use crate::evaluation::{self, GamePhase};
use crate::rules::{Move, Phase, Position};
use crate::solution::{Solution, SolutionError};
use turnwise_engine::game::Game;
use turnwise_engine::parallel;

/// The maximum losses of a move in points, which the games use in turn. They range from nearly perfect play to play
/// that leads to the bad positions that searches see. Without games with large losses, the weights misjudge boards
/// after blunders, and a search walks into such boards.
const GIVEN_AWAY: [f64; 3] = [0.1, 1.0, 10.0];

/// The maximum number of choices that are stored for each move of a game.
///
/// With 24 choices and a stronger prior, the loss was only 1 % lower: see docs/notes/entropy.md.
const KEPT: usize = 10;

/// The settings of the games to learn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The seed from which the seed of every game is derived.
    pub seed: u64,
    /// The number of games.
    pub games: u64,
}

/// The choices at one move, after the number of tiles and the phase of the resulting boards.
type Step = (u16, GamePhase, Choices);

/// Returns the values that best fit the solution, in the order of a weights file.
///
/// `go_on` is called before each game with the number of started games. If it returns false, the result is `None`.
///
/// # Errors
///
/// Returns an error if the solution cannot be read.
pub fn values(
    solution: &Solution,
    plan: Plan,
    jobs: usize,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Option<Vec<i16>>, SolutionError> {
    let size = solution.rules().size;
    let model = Model::new(size);
    let play = |(): &mut (), number| play(solution, &model, plan, number);
    let Some(games) = all_games(plan.games, jobs, go_on, &|| (), &play) else {
        return Ok(None);
    };
    let games: Vec<Vec<Step>> = games.into_iter().collect::<Result<_, _>>()?;
    let full = u64::from(size) * u64::from(size);
    let phases = GamePhase::ALL.len() as u64;
    let fit = |(): &mut (), table: u64| {
        let game_phase = GamePhase::ALL[(table % phases) as usize];
        let of_table = ((1 + table / phases) as u16, game_phase);
        let steps = games.iter().flatten();
        let steps = steps.filter(|step| (step.0, step.1) == of_table);
        let choices: Vec<&Choices> = steps.map(|(_, _, choices)| choices).collect();
        ControlFlow::Continue(model.values(&fitted(&choices, &model.nothing())))
    };
    let tables = parallel::map(full * phases, jobs, || (), fit);
    // No move leads to the empty board, so the empty board gets the values for one tile.
    let empty = &tables[..GamePhase::ALL.len()];
    let (mut lines, mut crossings) = (Vec::new(), Vec::new());
    for (of_lines, of_crossings) in empty.iter().chain(&tables) {
        lines.extend(of_lines);
        crossings.extend(of_crossings);
    }
    lines.append(&mut crossings);
    Ok(Some(lines))
}

/// Plays a game and returns the choices among which the player chose at each move.
fn play(
    solution: &Solution,
    model: &Model,
    plan: Plan,
    number: u64,
) -> Result<Vec<Step>, SolutionError> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed_of(plan.seed, number));
    let given_away = GIVEN_AWAY[(number % GIVEN_AWAY.len() as u64) as usize];
    let evaluation = evaluation::by_holes(solution.rules().size);
    let position = Position::new(solution.rules());
    let mut game = Evaluated::new(position, evaluation);
    let mut all = Vec::new();
    loop {
        match game.position().phase() {
            Phase::Over => return Ok(all),
            Phase::Draw => {
                draw(&mut game, &mut random);
            }
            Phase::Place | Phase::Slide => {
                let mut moves = valued(solution, game.position())?;
                let best = moves[0].0;
                let good =
                    (moves.iter()).take_while(|(value, _)| (value - best).abs() <= given_away);
                let (_, made) = moves[random.random_range(0..good.count())];
                thin_out(&mut moves, KEPT, &mut random);
                let mut boards = Vec::with_capacity(moves.len());
                for (value, mv) in moves {
                    game.make(mv);
                    boards.push(Board {
                        active: model.active(&game),
                        value: value as f32,
                    });
                    game.unmake(mv, ());
                }
                game.make(made);
                // Full boards need no learned values: their value is their score.
                if game.position().phase() != Phase::Over {
                    all.push((game.tiles(), game.game_phase(), boards));
                }
            }
        }
    }
}

/// Returns all legal moves with their values, best first.
fn valued(solution: &Solution, position: &Position) -> Result<Vec<(f64, Move)>, SolutionError> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut after = position.clone();
    let mut valued = Vec::with_capacity(moves.len());
    for mv in moves {
        after.make(mv);
        valued.push((solution.value(&after)?, mv));
        after.unmake(mv);
    }
    valued.sort_by(|(one, _), (other, _)| match position.phase() {
        Phase::Place => one.total_cmp(other),
        _ => other.total_cmp(one),
    });
    Ok(valued)
}
