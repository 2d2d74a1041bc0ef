//! Calibrates weights in self-play: measures which final scores to expect for the values of searches. The result is
//! the forecast that is stored with the weights. This module also measures the errors of forecasts.
//!
//! Both measurements use the final score minus the luck of later draws. At each draw, a short search evaluates every
//! possible color. The luck is the value of the drawn color minus the mean over all colors. The expected luck is zero,
//! whatever the quality of the evaluation. Subtracting the luck therefore leaves the mean unchanged and reduces its
//! standard error by a fifth, as 1.5 times as many games would.

use std::sync::Arc;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{all_games, seed_of};
use crate::evaluated::Evaluated;
use crate::evaluation::{Evaluation, GamePhase};
use crate::line_values::POINT;
use crate::rules::{Move, Position, Rules};
use crate::search_agent::{SearchAgent, WIDTHS};
use turnwise_engine::agent::Agent;
use turnwise_engine::game::{Game, Score, Turn};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Limits, Schedule, deepening, playouts};
use turnwise_engine::statistics::Sample;

/// The number of equal parts into which a game is divided to test forecasts separately in each part.
pub const PARTS: usize = 5;

/// The size of the transposition table for the searches of the game's moves, in bytes.
const TABLE_BYTES: usize = 32 << 20;
/// The size of the transposition table for additional searches beside the game, in bytes.
const BESIDE_BYTES: usize = 4 << 20;

/// The search depth for evaluating a draw, in plies after the draw.
const LUCK_DEPTH: u32 = 2;

/// The depth of Order's searches beside the game, in plies. Their leaves lie before Order's slide.
///
/// The leaves of the game's own searches lie before the draw, but the analysis of a position may end in either phase.
const BEFORE_SLIDE_DEPTH: u32 = 2;

/// The settings of the self-play games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The seed from which the seed of every game is derived.
    pub seed: u64,
    /// The number of games.
    pub games: u64,
    /// The maximum number of search nodes for each move.
    pub nodes: u64,
    /// Whether Order may pass.
    pub pass: bool,
}

/// The result of searching one position of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// The number of tiles on the boards at the search's leaves.
    pub tiles: u16,
    /// The phase of the boards at the search's leaves.
    pub game_phase: GamePhase,
    /// The value that the search found, in points.
    pub value: Score,
    /// The player's forecast of the final score, if any.
    pub forecast: Option<Score>,
    /// The final score minus the luck of later draws and minus the value.
    pub gain: Score,
}

/// The results of a finished game.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The findings of the searches for the moves, in the order of the moves.
    pub moves: Vec<Finding>,
    /// Findings of additional searches, on boards that a game's searches do not reach.
    pub beside: Vec<Finding>,
    /// Order's final score, in points.
    pub score: Score,
}

/// Plays the games of a plan, `jobs` games at a time, deterministically for the plan and the weights. `go_on` is called
/// before each game with the number of started games. If it returns false, the result is `None`.
pub fn games(
    evaluation: &Arc<Evaluation>,
    plan: Plan,
    jobs: usize,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Option<Vec<Played>> {
    let player = || Player::new(Arc::clone(evaluation), plan);
    let play = |player: &mut Player, number| player.play(seed_of(plan.seed, number));
    all_games(plan.games, jobs, go_on, &player, &play)
}

/// A player that plays both sides of a game, and records the values that its searches find.
struct Player {
    plan: Plan,
    evaluation: Arc<Evaluation>,
    agent: SearchAgent,
    beside: Table<Move>,
}

impl Player {
    fn new(evaluation: Arc<Evaluation>, plan: Plan) -> Self {
        Self {
            plan,
            agent: SearchAgent::with(TABLE_BYTES, Some(Arc::clone(&evaluation))),
            evaluation,
            beside: Table::new(BESIDE_BYTES),
        }
    }

    fn play(&mut self, seed: u64) -> Played {
        self.agent.recover();
        self.beside.clear();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let rules = Rules {
            size: self.evaluation.size(),
            pass: self.plan.pass,
        };
        let mut game = Evaluated::new(Position::new(rules), Arc::clone(&self.evaluation));
        let mut luck = 0.0;
        let (mut moves, mut beside) = (Vec::new(), Vec::new());
        loop {
            match game.turn() {
                Turn::Over => break,
                Turn::Chance => {
                    let drawn = playouts::outcome(&game, &mut random);
                    luck += self.luck(&mut game, drawn);
                    game.make(drawn);
                }
                Turn::Player(_) => {
                    if game.game_phase() == GamePhase::BeforeSlide {
                        let value =
                            self.search_beside(&mut game, BEFORE_SLIDE_DEPTH, Schedule::FULL);
                        beside.push(finding(&game, value, BEFORE_SLIDE_DEPTH, luck, None));
                    }
                    let limits = Limits {
                        nodes: self.plan.nodes,
                        ..Limits::default()
                    };
                    let position = game.position();
                    let found = self.agent.think(position, limits, &Control::new());
                    let forecast = self.agent.forecast(position, &found);
                    let depth = found.value_depth;
                    moves.push(finding(&game, found.value, depth, luck, forecast));
                    game.make(found.best);
                }
            }
        }
        let score = game.evaluate();
        // Each `gain` contains the luck before its move. Subtracting all luck of the game therefore subtracts only the
        // luck of later draws.
        for finding in moves.iter_mut().chain(&mut beside) {
            finding.gain += score - luck - finding.value;
        }
        Played {
            moves,
            beside,
            score,
        }
    }

    /// Returns the points that Order gains through luck in this draw.
    fn luck(&mut self, game: &mut Evaluated, drawn: Move) -> Score {
        let mut outcomes = Vec::new();
        game.outcomes(&mut outcomes);
        if outcomes.len() == 1 {
            return 0.0;
        }
        let mut luck = 0.0;
        for (outcome, probability) in outcomes {
            game.make(outcome);
            let schedule = game.leaves_before_draw(WIDTHS);
            let value = self.search_beside(game, LUCK_DEPTH, schedule);
            game.unmake(outcome, ());
            let came = Score::from(u8::from(outcome == drawn));
            luck += (came - probability) * value;
        }
        luck
    }

    fn search_beside(&mut self, game: &mut Evaluated, depth: u32, schedule: Schedule) -> Score {
        let limits = Limits {
            depth,
            schedule,
            ..Limits::default()
        };
        deepening::search(game, &mut self.beside, limits, &Control::new()).value
    }
}

/// Returns a finding before the final score is known. For now, its gain contains only the luck so far.
fn finding(
    game: &Evaluated,
    value: Score,
    depth: u32,
    luck: Score,
    forecast: Option<Score>,
) -> Finding {
    let (tiles, game_phase) = game.horizon(depth);
    Finding {
        tiles,
        game_phase,
        value,
        forecast,
        gain: luck,
    }
}

/// Returns the mean gains for leaves in a phase, in hundredths of a point, by number of tiles from 0 to all.
///
/// For a number of tiles without findings, the gain for the next higher number applies. A full board has a gain of 0.
pub fn gains(games: &[Played], size: u8, game_phase: GamePhase) -> Vec<i32> {
    let full = usize::from(size) * usize::from(size);
    let mut met = vec![Sample::default(); full];
    for game in games {
        let findings = game.moves.iter().chain(&game.beside);
        for finding in findings.filter(|finding| finding.game_phase == game_phase) {
            if let Some(sample) = met.get_mut(usize::from(finding.tiles)) {
                sample.add(finding.gain.into());
            }
        }
    }
    let mut gains = vec![0];
    for sample in met.iter().rev() {
        let gain = match sample.count() {
            0 => *gains.last().expect("it begins with one"),
            _ => (sample.mean() * f64::from(POINT)).round() as i32,
        };
        gains.push(gain);
    }
    gains.reverse();
    gains
}

/// The deviations of predictions from final scores in one part of the games. Each game contributes the mean of its
/// deviations.
pub type Error = Sample;

/// Returns the mean difference between predictions and final scores without luck, for each part of the game.
///
/// `told` returns the prediction for a finding; findings for which it returns `None` are ignored.
pub fn errors(games: &[Played], told: impl Fn(&Finding) -> Option<Score>) -> [Error; PARTS] {
    let mut errors = [Error::default(); PARTS];
    for game in games {
        let mut of_game = [Sample::default(); PARTS];
        for (ply, finding) in game.moves.iter().enumerate() {
            if let Some(told) = told(finding) {
                let error = told - finding.value - finding.gain;
                of_game[ply * PARTS / game.moves.len()].add(error.into());
            }
        }
        for (error, of_game) in errors.iter_mut().zip(of_game) {
            if of_game.count() > 0 {
                error.add(of_game.mean());
            }
        }
    }
    errors
}
