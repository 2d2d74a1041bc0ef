//! What final score the values of some weights stand for, measured on games of the player against
//! itself: the forecast that is kept with the weights, and how far from the truth forecasts are.
//!
//! Both use the final score less the luck of the draws still to come. At each draw every colour that may
//! come is judged by a short search; the luck is the judgement of the one that came less the mean over
//! all, which is nothing on average, however good or bad the judgement. So the mean stays what it is and
//! scatters less: by a fifth, as if there were half as many games again.

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

/// Into so many parts of equal length a game is divided where forecasts are tested.
pub const PARTS: usize = 5;

/// Memory of the tables: the player's, and that of the short searches beside the game.
const TABLE_BYTES: usize = 32 << 20;
const BESIDE_BYTES: usize = 4 << 20;

/// Plies that a board is searched once a tile is drawn, to judge the draw.
const LUCK_DEPTH: u32 = 2;

/// Plies that Order searches beside the game to see values of boards before its slide. In the game
/// leaves lie before the draw; the analysis of a position ends on either.
const BEFORE_SLIDE_DEPTH: u32 = 2;

/// Which games are played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The seed from which the seed of every game is derived.
    pub seed: u64,
    /// How many games are played.
    pub games: u64,
    /// How many nodes each move is searched.
    pub nodes: u64,
    /// Whether Order may pass.
    pub pass: bool,
}

/// A value that a search has found in a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// How many tiles are on the boards that it comes from.
    pub tiles: u16,
    /// The phase of these boards.
    pub game_phase: GamePhase,
    /// The value, in points.
    pub value: Score,
    /// What the player says that the final score will be, if it can tell.
    pub forecast: Option<Score>,
    /// By how much the final score, less the luck of the draws after the search, is above the value.
    pub gain: Score,
}

/// A game that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The findings behind its moves, in their order.
    pub moves: Vec<Finding>,
    /// Findings beside them, about boards that a game's searches do not end on.
    pub beside: Vec<Finding>,
    /// Order's score at the end of the game.
    pub score: Score,
}

/// Plays games with these weights, so many at a time; the same plan gives the same games. `go_on` is
/// asked before each with the number of games begun, and once it says no there are none.
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

/// Plays both sides of a game, and notes what its searches find.
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
        // What was noted there is the luck so far, so that what remains is the luck that was to come.
        for finding in moves.iter_mut().chain(&mut beside) {
            finding.gain += score - luck - finding.value;
        }
        Played {
            moves,
            beside,
            score,
        }
    }

    /// What it brings Order that this tile is drawn, in points.
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

/// A finding before the end is known: what it will gain begins with the luck there was until then.
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

/// What values gain on average until the end of the game, in hundredths of a point, by tiles from 0 to
/// all, from boards at this phase. For numbers of tiles that were never met, that of the next higher
/// one; a full board gains nothing.
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

/// How far something was from the final scores in a part of the games: a game's mean for each game.
pub type Error = Sample;

/// By how much `told` was above the final scores in each part of the games, luck taken off; a finding of
/// which it knows nothing does not count.
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
