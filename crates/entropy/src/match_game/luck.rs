//! Computes the luck in a result: the values of the drawn tiles compared with the values of all possible tiles.
//!
//! At each draw the searching player evaluates the board with every possible color. The luck of the draw is the value
//! for the drawn color minus the mean over all colors, each weighted by its probability. The expected luck is zero,
//! whatever the quality of the evaluation, so subtracting the luck from results does not bias an estimate of strength.
//! The better the evaluation, the lower the variance that remains. The method is the advantage sum of Zinkevich and
//! others ("Optimal unbiased estimators for evaluating agent performance", AAAI 2006).

use turnwise_engine::agent::Agent;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{GameRules, LuckJudge};
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::table::Table;

use crate::referee::CHAOS;
use crate::rules::{Colour, Move, Phase, Position, Rules};
use crate::search_agent::SearchAgent;

/// The search depth for evaluating a draw, in plies after the draw: two moves of each player.
const DEPTH: u32 = 4;

/// The largest board, in rows, on which the search depth is [`DEPTH`].
const LARGEST_DEEP: u8 = 7;

/// The search depth on boards larger than [`LARGEST_DEEP`], where Order has hundreds of replies to each placement.
const DEPTH_BEYOND: u32 = 1;

/// The size of the transposition table in bytes. It is small because the searches are short.
const TABLE_BYTES: usize = 8 << 20;

/// A judge that computes the luck in logged games.
pub struct Judge {
    rules: Rules,
    player: SearchAgent,
}

impl LuckJudge for Judge {
    /// Returns the points that Order gained through lucky draws in a game. The result does not depend on earlier calls.
    fn luck(&mut self, result: &Fields, moves: &[String], at_fault: Option<usize>) -> Option<f64> {
        let mut table = self.rules.watched(result).ok()?;
        self.player.recover();
        let mut luck = 0.0;
        let mut moves = moves.iter();
        loop {
            // If the start position includes the drawn tile, this tile does not count as luck.
            let before =
                (table.position().phase() == Phase::Draw).then(|| table.position().clone());
            let is_over = table.turn().is_none();
            let next = moves.next();
            // If Chaos committed a fault, its tile was drawn but not placed. This draw also counts, because the tile
            // may even be the reason for the fault.
            let counts = next.is_some() || at_fault == Some(CHAOS);
            if let Some(before) = before.filter(|_| counts && !is_over) {
                luck += self.luck_of(&before, table.position().drawn());
            }
            let Some(text) = next else {
                return Some(luck);
            };
            let mv = table.parse(text).ok()?;
            // The headers of older logs do not say whether passing was allowed.
            let is_pass = mv == Move::Pass && table.position().phase() == Phase::Slide;
            if is_over || !(is_pass || table.is_legal(mv)) {
                return None;
            }
            table.play(mv);
        }
    }
}

impl Judge {
    /// Creates a judge that evaluates with the best known weights.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            player: SearchAgent::with(TABLE_BYTES, None),
        }
    }

    /// Returns the points that Order gained through this draw.
    fn luck_of(&mut self, before: &Position, drawn: Colour) -> f64 {
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
