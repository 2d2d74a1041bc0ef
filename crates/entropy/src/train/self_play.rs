//! One game of the searching player against itself, and what its positions turned out to be worth.

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

/// How games are played to learn from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SelfPlay {
    /// Rows of the board.
    pub size: u8,
    /// Plies that Order searches. Chaos searches as many up to two, and one more beyond: with an odd
    /// number the boards that are judged then lie before the draw for both.
    pub depth: u32,
    /// How much what comes later counts, from 0 (only the search's own value) to 1 (only the final
    /// score): the lambda of TD(lambda).
    pub lambda: Score,
    /// The share of moves that are played at random.
    pub exploration: f64,
    /// Positions beside each position of the game that are learned from too.
    pub siblings: u32,
}

/// A position and what it should be worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Tiles on the board.
    pub tiles: u16,
    /// Before the draw or before the slide.
    pub game_phase: GamePhase,
    /// What all its lines have their values by.
    pub lines: Vec<LineId>,
    /// The patterns of its blocks and gaps; none where their values are not learned.
    pub local: Vec<LocalId>,
    /// The value to learn, in points.
    pub target: Score,
}

/// A game's positions, and its final score.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// From the last position to the first.
    pub samples: Vec<Sample>,
    /// Order's score at the end of the game.
    pub score: Score,
}

/// Memory of the table; searches are short.
const TABLE_BYTES: usize = 4 << 20;

/// In the opening moves are searched so many plies deep at most, and every move.
const OPENING_DEPTH: u32 = 2;

/// Deeper, the most promising ones.
const WIDTHS: &[Width] = &[width(None)];

/// The same where gaps count: one ply above the leaves blocks and gaps are looked at only after the most promising
/// moves by lines.
const WIDTHS_WITH_GLANCE: &[Width] = &[width(Some(8))];

const fn width(after_glance: Option<usize>) -> Width {
    Width {
        max: 6,
        min: 4,
        after_deep_look: 4,
        after_glance,
    }
}

/// Of the moves that are looked at beside the game's, such a share is chosen among the most promising
/// ones, the others among all.
const PROMISING_SHARE: f64 = 0.7;
const PROMISING: usize = 10;

/// A position of the game, with the search's value as its target.
struct Step {
    sample: Sample,
    /// What was played is not what the search chose, so that what came of it says nothing.
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
    /// Positions beside the game's way.
    beside: Vec<Sample>,
}

impl SelfPlayer {
    /// A player with this evaluation. With fewer than `opening_tiles` on the board it does not look
    /// beside the game: its positions there only tell what is to be expected at all.
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

    /// The same, telling the blocks and gaps of positions too, on boards where these have numbers.
    pub fn with_blocks(self) -> Self {
        let local = Local::learned(self.how.size);
        Self { local, ..self }
    }

    /// Plays one game; the same seed gives the same game.
    pub fn play(&mut self, seed: u64) -> Played {
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

    /// A position whose target is not known yet.
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

    /// What a move that is not played would have led to, so that such positions are judged well too.
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

    /// TD(lambda) from the end of the game backwards.
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

/// Draws a tile from the bag.
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
