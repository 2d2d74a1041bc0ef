//! Learning weights from games that the searching player plays against itself.
//!
//! Generation after generation: games are played with the weights so far, and the weights are fitted
//! anew to what the positions of the last few generations turned out to be worth. The same plan
//! gives the same weights, whatever the number of threads.
//!
//! | module | what it is for |
//! |---|---|
//! | [`batches`] | the games of a generation, to be played anywhere |
//! | [`self_play`] | one game, and what its positions and those beside them are worth |
//! | [`fit`] | weights from such positions, by least squares |
//! | [`exact`] | weights from the values of a solution instead |
//! | `choices` | its fit to boards among which a player chose |
//! | `least_squares` | the solver of both fits |
//! | [`calibration`] | what final scores the values of weights stand for |
//! | [`checkpoint`] | a training as bytes, to go on with it later |

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

/// All that determines the weights that come out, besides those that a training begins with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The seed from which the seed of every game is derived.
    pub seed: u64,
    /// Games in a generation.
    pub games: u64,
    /// The generations whose positions the weights are fitted to: so many of the last ones.
    pub window: usize,
    /// How games are played.
    pub self_play: SelfPlay,
    /// How weights are fitted.
    pub fit: Fit,
}

/// Generations that values of blocks are fitted to: each plays so much better than the one before that what is
/// older misleads.
const WINDOW_WITH_BLOCKS: usize = 2;

/// The name of weights that are still learning.
const UNDER_WAY: &str = "in training";

/// What a generation came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Its number, from 1.
    pub generation: u32,
    /// The mean final score of its games.
    pub mean_score: f64,
    /// Positions that the weights were fitted to.
    pub samples: usize,
    /// By how much the fitted weights miss these positions, as root mean square in points.
    pub error: f64,
}

/// A training under way.
pub struct Training {
    /// What it was planned to be.
    pub plan: Plan,
    /// What is said of the weights that it was begun with. Without any it begins with the values of holes, which know
    /// nothing of what is to come: the first generation then learns from final scores alone, and makes
    /// way for the second as soon as that is played.
    pub start: Option<About>,
    /// How many generations have been played and learned from.
    pub generations: u32,
    evaluation: Arc<Evaluation>,
    /// As in a weights file; none before the first generation.
    pub values: Vec<i16>,
    /// The positions of the last generations, the latest last.
    samples: VecDeque<Vec<Sample>>,
    /// What the first generation plays by, if it is told.
    begun_with: Option<Weights>,
}

impl Training {
    /// A training that begins with the values of holes, or with other ones.
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

    /// A training that begins with the weights so far and learns values of blocks besides those of lines, on
    /// boards where they have numbers, in generations of so many games.
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

    /// Plays and learns from one more generation. `go_on` is asked before each game with the number
    /// of games begun; once it says no, the generation is given up and nothing has changed.
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

    /// Learns from the games of the [next](Self::next) generation, which are all of them in the order of their
    /// numbers, whoever has played them.
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
        // Nothing is fitted to older ones again.
        self.keep_latest(earlier);
        self.generations += 1;
        Report {
            generation: self.generations,
            mean_score,
            samples,
            error: fitted.mean_squared_error.sqrt(),
        }
    }

    /// Forgets the positions of all but so many of the latest generations.
    fn keep_latest(&mut self, generations: usize) {
        let older = self.samples.len().saturating_sub(generations);
        self.samples.drain(..older);
    }

    /// By this a training that begins with the values so far is told from those that begin with others.
    fn checksum(&self) -> u32 {
        let bytes = self.values.iter().flat_map(|value| value.to_le_bytes());
        crc32fast::hash(&bytes.collect::<Vec<u8>>())
    }

    /// What the games of the next generation are.
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

    /// The weights that the games of the next generation are played by; none if these are the values of holes.
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

/// Plays games numbered from 0 on, so many at a time, each job with a player of its own, and gives them
/// in the order of their numbers. `go_on` is asked before each with its number, and once it says no
/// there are none.
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

/// The seed of a game: far from that of its neighbours.
fn seed_of(seed: u64, game: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(game.wrapping_mul(0xbf58_476d_1ce4_e5b9))
}
