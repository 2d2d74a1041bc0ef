//! Plays a game of the searching player against itself, and computes target values for its positions.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::evaluated::Evaluated;
use crate::evaluation::{Evaluation, GamePhase};
use crate::local::{Local, LocalId};
use crate::patterns::LineId;
use crate::rules::{Move, Phase, Position, Rules};
use turnwise_engine::game::{Game, Score};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Found, Limits, Width, deepening};

/// The settings of self-play.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SelfPlay {
    /// The number of rows of the board.
    pub size: u8,
    /// The search depth of Order in plies. Chaos searches equally deep up to depth 2, and one ply deeper beyond that.
    /// An odd depth puts the leaves before the draw for both players.
    pub depth: u32,
    /// The lambda of TD(lambda): the weight of later events in a position's target value. With 0, the target is the
    /// search's own value; with 1, it is the final score.
    pub lambda: Score,
    /// The share of the games' moves that are chosen at random, from 0 to 1.
    pub exploration: f64,
    /// The number of siblings to evaluate for each position of the game. A sibling is a position after an alternative
    /// move.
    pub siblings: u32,
}

/// A position with its target value.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The number of tiles on the board.
    pub tiles: u16,
    /// The phase of the position: before the draw or before Order's slide.
    pub game_phase: GamePhase,
    /// The IDs of all rows and columns of the board.
    pub lines: Vec<LineId>,
    /// The patterns of the blocks and gaps; empty if their values are not learned.
    pub local: Vec<LocalId>,
    /// The target value, in points.
    pub target: Score,
}

/// The positions of a finished game with their target values, and the final score.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The positions of the game from last to first, then the siblings, each with its target value.
    pub samples: Vec<Sample>,
    /// Order's final score, in points.
    pub score: Score,
}

/// The size of the transposition table in bytes. It is small because the searches are short.
const TABLE_BYTES: usize = 4 << 20;

/// The maximum search depth in plies at which all moves are searched. Searches in the opening do not go deeper.
const OPENING_DEPTH: u32 = 2;

/// The numbers of most promising moves that deeper searches examine.
const WIDTHS: &[Width] = &[width(None)];

/// Like [`WIDTHS`], but for boards on which gaps have values. One ply above the leaves, blocks and gaps are evaluated
/// only for the moves with the best line values.
const WIDTHS_WITH_GLANCE: &[Width] = &[width(Some(8))];

const fn width(after_glance: Option<usize>) -> Width {
    Width {
        max: 6,
        min: 4,
        after_deep_look: 4,
        after_glance,
    }
}

/// The share of siblings that are chosen among the [`PROMISING`] best moves; the others are chosen among all moves.
const PROMISING_SHARE: f64 = 0.7;
/// The number of moves with the best values from which promising siblings are chosen.
const PROMISING: usize = 10;

/// A position of the game. Its target is the search's value for now.
struct Step {
    sample: Sample,
    /// True if the played move is not the search's choice. The target then does not depend on later positions.
    explored: bool,
}

/// A player that plays against itself.
pub struct SelfPlayer {
    how: SelfPlay,
    opening_tiles: u16,
    evaluation: Arc<Evaluation>,
    /// The blocks and gaps of the board, if their values are learned.
    local: Option<Local>,
    table: Table<Move>,
    /// The additional positions that were evaluated beside the game.
    beside: Vec<Sample>,
}

impl SelfPlayer {
    /// Creates a player with this evaluation. With fewer than `opening_tiles` tiles on the board, the player does not
    /// search beside the game, because such positions determine only the bias.
    pub fn new(how: SelfPlay, opening_tiles: u16, evaluation: Arc<Evaluation>) -> Self {
        Self {
            how,
            opening_tiles,
            evaluation,
            local: None,
            table: Table::new(TABLE_BYTES),
            beside: Vec::new(),
        }
    }

    /// Lets the player also record the blocks and gaps of positions, if the board size uses them.
    pub fn with_blocks(self) -> Self {
        let local = Local::learned(self.how.size);
        Self { local, ..self }
    }

    /// Plays one game, deterministically for a seed.
    pub fn play(&mut self, seed: u64) -> Played {
        // Results of earlier games would make this game depend on more than its seed.
        self.table.clear();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let position = Position::new(Rules {
            size: self.how.size,
            pass: false,
        });
        let mut game = Evaluated::new(position, Arc::clone(&self.evaluation));
        let mut steps = Vec::new();
        loop {
            match game.position().phase() {
                Phase::Over => break,
                Phase::Draw => {
                    draw(&mut game, &mut random);
                }
                Phase::Place | Phase::Slide => steps.push(self.step(&mut game, &mut random)),
            }
        }
        let score = game.evaluate();
        let mut samples = self.samples(steps, score);
        samples.append(&mut self.beside);
        Played { samples, score }
    }

    /// Returns the sample of a position, without its target.
    fn sample(&self, game: &Evaluated) -> Sample {
        Sample {
            tiles: game.tiles(),
            game_phase: game.game_phase(),
            lines: game.line_ids().to_vec(),
            local: (self.local.as_ref()).map_or_else(Vec::new, |local| game.local_ids(local)),
            target: 0.0,
        }
    }

    fn is_opening(&self, game: &Evaluated) -> bool {
        game.tiles() < self.opening_tiles
    }

    fn widths(&self) -> &'static [Width] {
        match &self.local {
            Some(local) if local.gaps(GamePhase::BeforeDraw).is_some() => WIDTHS_WITH_GLANCE,
            _ => WIDTHS,
        }
    }

    fn search(&mut self, game: &mut Evaluated) -> Found<Move> {
        let limits = match self.how.depth {
            depth if self.is_opening(game) || depth <= OPENING_DEPTH => Limits {
                depth: depth.min(OPENING_DEPTH),
                ..Limits::default()
            },
            depth => {
                // See `SelfPlay::depth`: with the additional ply, the leaves of both players lie before the draw.
                let beyond = u32::from(game.game_phase() == GamePhase::BeforeDraw);
                Limits {
                    depth: depth + beyond,
                    schedule: game.leaves_before_draw(self.widths()),
                    ..Limits::default()
                }
            }
        };
        deepening::search(game, &mut self.table, limits, &Control::new())
    }

    fn step(&mut self, game: &mut Evaluated, random: &mut Xoshiro256PlusPlus) -> Step {
        let found = self.search(game);
        let explored = random.random_bool(self.how.exploration);
        let mut mv = found.best;
        if explored {
            let mut moves = Vec::new();
            game.moves(&mut moves);
            mv = moves[random.random_range(0..moves.len())];
        }
        if !self.is_opening(game) {
            for _ in 0..self.how.siblings {
                self.look_beside(game, random);
            }
        }
        let target = found.value;
        let sample = Sample {
            target,
            ..self.sample(game)
        };
        game.make(mv);
        Step { sample, explored }
    }

    /// Evaluates the position after a random alternative move, so that the weights also learn to judge such positions.
    ///
    /// A search meets the boards of bad moves, which self-play never reaches: see docs/notes/entropy.md.
    fn look_beside(&mut self, game: &mut Evaluated, random: &mut Xoshiro256PlusPlus) {
        let mut moves = Vec::new();
        game.look(&mut moves);
        let order_moves = game.position().phase() == Phase::Slide;
        if random.random_bool(PROMISING_SHARE) {
            moves.sort_by(|a, b| a.0.total_cmp(&b.0));
            if order_moves {
                moves.reverse();
            }
            moves.truncate(PROMISING);
        }
        let (_, mv) = moves[random.random_range(0..moves.len())];
        game.make(mv);
        if game.position().phase() != Phase::Over {
            // The sample is the board before the draw. The tile is drawn only because a search needs a player to move.
            let sample = self.sample(game);
            let drawn = (game.position().phase() == Phase::Draw).then(|| draw(game, random));
            let target = self.search(game).value;
            self.beside.push(Sample { target, ..sample });
            if let Some(drawn) = drawn {
                game.unmake(drawn, ());
            }
        }
        game.unmake(mv, ());
    }

    /// Computes TD(lambda) targets from the end of the game backward.
    fn samples(&self, steps: Vec<Step>, score: Score) -> Vec<Sample> {
        let lambda = self.how.lambda;
        let mut later = score;
        let backwards = steps.into_iter().rev();
        backwards
            .map(|step| {
                let mut sample = step.sample;
                if !step.explored {
                    sample.target = (1.0 - lambda) * sample.target + lambda * later;
                }
                later = sample.target;
                sample
            })
            .collect()
    }
}

/// Draws a random tile from the bag.
pub(super) fn draw(game: &mut Evaluated, random: &mut Xoshiro256PlusPlus) -> Move {
    let mut at = random.random_range(0..game.position().bag_total());
    for colour in 1..=game.position().size() {
        let count = u16::from(game.position().in_bag(colour));
        if at < count {
            game.make(Move::Draw(colour));
            return Move::Draw(colour);
        }
        at -= count;
    }
    unreachable!("the bag holds as many tiles as it says");
}
