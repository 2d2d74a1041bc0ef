//! How much of a result was luck: what the tiles that came were worth against those that could have come.
//!
//! At each draw the searching player judges the board with every colour that may come. The luck of the
//! draw is its judgement with the colour that came, less the mean over all colours, each weighed by its
//! probability. On average that is nothing, however good or bad the judgement: a result with the luck
//! taken off estimates the same strength. And the better the judgement, the less it scatters. The idea is
//! the advantage sum of Zinkevich and others ("Optimal unbiased estimators for evaluating agent
//! performance", AAAI 2006).

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Match;
use super::logs::Game;
use super::replay::{Board, Replay, replay};
use crate::records::{Course, GameSettings, Role};
use turnwise_engine::agent::Agent;
use turnwise_engine::search::{Control, Limits};
use turnwise_entropy::picture::colour;
use turnwise_entropy::rules::{Colour, Move, Position};
use turnwise_entropy::search_agent::SearchAgent;

/// Plies that a board is searched once a tile is drawn: Chaos, Order, and both once more.
const DEPTH: u32 = 4;

/// The largest board that is searched so deeply.
const LARGEST_DEEP: u8 = 7;

/// On larger ones, where a placement alone has hundreds of answers.
const DEPTH_BEYOND: u32 = 1;

/// Memory of the transposition table; searches are short.
const TABLE_BYTES: usize = 8 << 20;

/// Judges the draws of games.
pub struct Judge {
    player: SearchAgent,
}

impl Judge {
    /// A judge that plays by the best weights known.
    pub fn new() -> Self {
        Self {
            player: SearchAgent::with(TABLE_BYTES, None),
        }
    }

    /// What the draws of a game brought Order, in points; the same whatever was judged before. None
    /// for a game without draws, or with moves that cannot be made.
    pub fn luck(&mut self, game: &Game, of: &GameSettings) -> Option<f64> {
        if !has_draws(of) {
            return None;
        }
        let replayed = replay(game, of);
        if replayed.broken.is_some() {
            return None;
        }
        self.player.recover();
        let mut luck = 0.0;
        let mut before = &replayed.beginning;
        for step in &replayed.steps {
            if let (Board::Entropy(position), Some(drawn)) = (before, step.tile.and_then(colour)) {
                luck += self.luck_of(position, drawn);
            }
            before = &step.board;
        }
        if let Board::Entropy(position) = before {
            luck += (drawn_and_not_placed(game, &replayed))
                .map_or(0.0, |drawn| self.luck_of(position, drawn));
        }
        Some(luck)
    }

    /// What it brought Order that this colour was drawn. A draw that the bag does not allow brought
    /// nothing.
    fn luck_of(&mut self, before: &Position, drawn: Colour) -> f64 {
        if before.in_bag(drawn) == 0 {
            return 0.0;
        }
        let share = |colour| f64::from(before.in_bag(colour)) / f64::from(before.bag_total());
        (1..=before.size())
            .filter(|&colour| before.in_bag(colour) > 0)
            .map(|colour| {
                let came = f64::from(u8::from(colour == drawn));
                (came - share(colour)) * self.value_with(before, colour)
            })
            .sum()
    }

    fn value_with(&mut self, before: &Position, drawn: Colour) -> f64 {
        let mut position = before.clone();
        position.make(Move::Draw(drawn));
        let limits = Limits {
            depth: match position.size() {
                ..=LARGEST_DEEP => DEPTH,
                _ => DEPTH_BEYOND,
            },
            ..Limits::default()
        };
        let found = self.player.think(&position, limits, &Control::new());
        found.value.into()
    }
}

impl Default for Judge {
    fn default() -> Self {
        Self::new()
    }
}

/// The tile with which Chaos ended the game by its fault: it was drawn as well, perhaps the very reason.
fn drawn_and_not_placed(game: &Game, replayed: &Replay) -> Option<Colour> {
    let fault = game.record.fault.as_ref()?;
    let Course::Entropy { tiles, .. } = &game.record.course else {
        return None;
    };
    if fault.role != Role::Chaos {
        return None;
    }
    let placed = replayed.steps.iter().filter(|step| step.tile.is_some());
    tiles.chars().nth(placed.count()).and_then(colour)
}

/// True if chance decides what comes in this game.
pub fn has_draws(of: &GameSettings) -> bool {
    matches!(of, GameSettings::Entropy { .. })
}

/// Judges the draws of all games of a match, so many games at a time, and calls `judged` after each.
pub fn judge(of: &mut Match, jobs: usize, judged: &(dyn Fn() + Sync)) {
    let settings = of.header.game;
    let waiting = Mutex::new(of.games.iter_mut());
    let next = || (waiting.lock().unwrap_or_else(PoisonError::into_inner)).next();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut judge = Judge::new();
                while let Some(game) = next() {
                    game.luck = judge.luck(game, &settings);
                    judged();
                }
            });
        }
    });
}
