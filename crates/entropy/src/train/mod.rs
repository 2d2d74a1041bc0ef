//! Learns weights from games that the searching player plays against itself.
//!
//! In each generation, games are played with the current weights, and the weights are refitted to the outcomes of the
//! positions from the last few generations. A plan determines the weights, whatever the number of threads.
//!
//! | module | contents |
//! |---|---|
//! | [`batches`] | the games of a generation, to be played anywhere |
//! | [`self_play`] | one game, and target values for its positions and siblings |
//! | [`fit`] | weights from such positions, by least squares |
//! | [`exact`] | weights from the values of a solution instead |
//! | `choices` | the fit of `exact` to boards among which a player chose |
//! | `least_squares` | the solver of both fits |
//! | [`calibration`] | the expected final scores for the values of searches |
//! | [`checkpoint`] | an unfinished training as bytes |

pub mod batches;
pub mod calibration;
pub mod checkpoint;
mod choices;
pub mod exact;
pub mod fit;
mod least_squares;
pub mod self_play;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::evaluation::{self, Evaluation};
use crate::weights::{About, FORMAT, Weights};
use batches::Generation;
use fit::Fit;
use self_play::{Played, Sample, SelfPlay, SelfPlayer};
use turnwise_engine::parallel;

/// The settings of a training. Together with the initial weights, if any, they determine the resulting weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The seed from which the seed of every game is derived.
    pub seed: u64,
    /// The number of games in a generation.
    pub games: u64,
    /// How many of the latest generations supply the positions to which the weights are fitted.
    pub window: usize,
    /// The settings for playing the games.
    pub self_play: SelfPlay,
    /// The settings for fitting the weights to the positions of the games.
    pub fit: Fit,
}

/// The [number of generations to learn from](Plan::window) if values of blocks are learned.
///
/// The number is small, because the player improves so much from generation to generation that older positions mislead.
const WINDOW_WITH_BLOCKS: usize = 2;

/// The name that weights have while their training is unfinished.
const UNDER_WAY: &str = "in training";

/// The figures to report after a generation was played and learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// The generation's number, starting at 1.
    pub generation: u32,
    /// The mean of Order's final scores in the generation's games.
    pub mean_score: f64,
    /// The number of positions to which the weights were fitted.
    pub samples: usize,
    /// The root-mean-square error of the fitted weights on these positions, in points.
    pub error: f64,
}

/// A training in progress.
pub struct Training {
    /// The settings of the training.
    pub plan: Plan,
    /// The origin of the initial weights, if any. A training without initial weights begins with the values of holes,
    /// which do not predict later moves. Its first generation therefore learns from final scores alone and is dropped
    /// after the second generation is played.
    pub start: Option<About>,
    /// The number of generations that were played and learned from.
    pub generations: u32,
    evaluation: Arc<Evaluation>,
    /// The values in the order of a weights file; empty before the first generation.
    pub values: Vec<i16>,
    /// The positions of the last generations, with the latest generation at the end.
    samples: VecDeque<Vec<Sample>>,
    /// The initial weights, which play the first generation.
    begun_with: Option<Weights>,
}

impl Training {
    /// Starts a training with the values of holes, or with the given weights.
    pub fn new(plan: Plan, start: Option<Weights>) -> Self {
        let size = plan.self_play.size;
        Self {
            plan,
            start: start.as_ref().map(|start| start.about.clone()),
            generations: 0,
            evaluation: match start.clone() {
                Some(start) => Arc::new(start.into_evaluation()),
                None => evaluation::by_holes(size),
            },
            values: Vec::new(),
            samples: VecDeque::new(),
            begun_with: start,
        }
    }

    /// Starts a training that continues with the current weights, and also learns values of blocks if the board size
    /// can use them. `games` is the number of games in a generation.
    pub fn with_blocks(&self, games: u64) -> Self {
        let plan = Plan {
            games,
            window: WINDOW_WITH_BLOCKS,
            fit: Fit {
                blocks: true,
                ..self.plan.fit
            },
            ..self.plan
        };
        Self::new(plan, self.played_by())
    }

    /// Plays one more generation and learns from it. `go_on` is called before each game with the number of started
    /// games. Once it returns false, the generation is discarded and nothing changes.
    pub fn generation(
        &mut self,
        jobs: usize,
        go_on: &(dyn Fn(u64) -> bool + Sync),
    ) -> Option<Report> {
        let next = self.next();
        let player = || next.player(&self.evaluation);
        let play = |player: &mut SelfPlayer, number| next.game(player, number);
        let played = all_games(next.games, jobs, go_on, &player, &play)?;
        Some(self.learn(played))
    }

    /// Learns from all games of the [next](Self::next) generation, ordered by number. Any machine may have played
    /// them.
    pub fn learn(&mut self, played: Vec<Played>) -> Report {
        let scores: f64 = played.iter().map(|played| f64::from(played.score)).sum();
        let mean_score = scores / played.len() as f64;
        let replaces_all = self.start.is_none() && self.generations == 1;
        let earlier = self.plan.window.saturating_sub(1);
        self.keep_latest(if replaces_all { 0 } else { earlier });
        let samples = played.into_iter().flat_map(|played| played.samples);
        self.samples.push_back(samples.collect());
        let samples: Vec<&Sample> = self.samples.iter().flatten().collect();
        let size = self.plan.self_play.size;
        let fitted = self.plan.fit.values(&samples, &evaluation::by_holes(size));
        let samples = samples.len();
        self.evaluation = Arc::new(Evaluation::of_all_values(
            UNDER_WAY,
            size,
            fitted.values.clone(),
        ));
        self.values = fitted.values;
        self.begun_with = None;
        // Older positions are dropped, because no later fit uses them.
        self.keep_latest(earlier);
        self.generations += 1;
        Report {
            generation: self.generations,
            mean_score,
            samples,
            error: fitted.mean_squared_error.sqrt(),
        }
    }

    /// Drops the positions of all but the latest `generations` generations.
    fn keep_latest(&mut self, generations: usize) {
        let older = self.samples.len().saturating_sub(generations);
        self.samples.drain(..older);
    }

    /// Returns a checksum of the current values. It identifies them as the initial values of a continued training.
    fn checksum(&self) -> u32 {
        let bytes = self.values.iter().flat_map(|value| value.to_le_bytes());
        crc32fast::hash(&bytes.collect::<Vec<u8>>())
    }

    /// Returns the description of the next generation's games.
    pub fn next(&self) -> Generation {
        let mut self_play = self.plan.self_play;
        if self.start.is_none() && self.generations == 0 {
            self_play.lambda = 1.0;
        }
        Generation {
            seed: self.plan.seed,
            before: u64::from(self.generations) * self.plan.games,
            games: self.plan.games,
            self_play,
            opening_tiles: self.plan.fit.first_knot,
            blocks: self.plan.fit.blocks,
        }
    }

    /// Returns the weights that play the next generation. `None` means the values of holes.
    pub fn played_by(&self) -> Option<Weights> {
        if self.generations == 0 {
            return self.begun_with.clone();
        }
        Some(Weights {
            about: About {
                format: FORMAT,
                name: UNDER_WAY.to_owned(),
                size: self.plan.self_play.size,
                command: format!("values {:08x}", self.checksum()),
                games: 0,
            },
            forecast: None,
            values: self.values.clone(),
        })
    }
}

/// Plays games numbered from 0 and returns them in the order of their numbers. At most `jobs` games run at a time,
/// and each job has its own player. `go_on` is called before each game with its number. If it returns false, the
/// result is `None`.
fn all_games<P, G: Send>(
    games: u64,
    jobs: usize,
    go_on: &(dyn Fn(u64) -> bool + Sync),
    player: &(dyn Fn() -> P + Sync),
    play: &(dyn Fn(&mut P, u64) -> G + Sync),
) -> Option<Vec<G>> {
    let played = parallel::map(games, jobs, player, |player, number| match go_on(number) {
        true => ControlFlow::Continue(play(player, number)),
        false => ControlFlow::Break(()),
    });
    (played.len() as u64 == games).then_some(played)
}

/// Returns the seed of a game. Consecutive games have very different seeds.
fn seed_of(seed: u64, game: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(game.wrapping_mul(0xbf58_476d_1ce4_e5b9))
}
