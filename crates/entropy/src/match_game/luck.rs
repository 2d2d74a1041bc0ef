//! How much of a result was luck: what the tiles that came were worth against those that could have come.
//!
//! At each draw the searching player judges the board with every colour that may come. The luck of the
//! draw is its judgement with the colour that came, less the mean over all colours, each weighed by its
//! probability. On average that is nothing, however good or bad the judgement: a result with the luck
//! taken off estimates the same strength. And the better the judgement, the less it scatters. The idea is
//! the advantage sum of Zinkevich and others ("Optimal unbiased estimators for evaluating agent
//! performance", AAAI 2006).

use turnwise_engine::agent::Agent;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{Board, LuckJudge};
use turnwise_engine::search::{Control, Limits};

use super::board::LoggedBoard;
use crate::picture::colour;
use crate::referee::CHAOS;
use crate::rules::{Colour, Move, Phase, Position, Rules};
use crate::search_agent::SearchAgent;

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
    rules: Rules,
    player: SearchAgent,
}

impl LuckJudge for Judge {
    /// The same whatever was judged before.
    fn luck(&mut self, result: &Fields, moves: &[String], at_fault: Option<usize>) -> Option<f64> {
        let mut board = LoggedBoard::of(self.rules, result).ok()?;
        self.player.recover();
        let mut luck = 0.0;
        for text in moves {
            let before = board.position.clone();
            let moved = board.follow(text).ok()?;
            // A tile that was there when the position was set up was nobody's luck.
            if let (Some(tile), Phase::Draw) = (moved.tile.and_then(colour), before.phase()) {
                luck += self.luck_of(&before, tile);
            }
        }
        // The tile with which Chaos ended the game by its fault was drawn as well, perhaps the very reason.
        if at_fault == Some(CHAOS) && board.position.phase() == Phase::Draw {
            let size = board.position.size();
            let tile = board.next_colour().ok();
            let tile = tile.filter(|tile| (1..=size).contains(tile));
            luck += tile.map_or(0.0, |tile| self.luck_of(&board.position, tile));
        }
        Some(luck)
    }
}

impl Judge {
    /// A judge that plays by the best weights known.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            player: SearchAgent::with(TABLE_BYTES, None),
        }
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
