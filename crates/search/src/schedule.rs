//! The iterations of a search: their depths, and the number of moves that they search in each position.

use super::table::Table;
use crate::game::{Game, Side};

/// A limit on the number of moves that are searched in each position. To select the most promising moves, the search
/// takes a look at each move: a search of few plies, whose depth [`Schedule::look`] returns. One ply above the leaves,
/// it takes only a glance ([`Game::glance`]). Among moves of equal value, it selects the earlier moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// The maximum number of moves to search for the maximizing side after a look of one ply.
    pub max: usize,
    /// The maximum number of moves to search for the minimizing side after a look of one ply.
    pub min: usize,
    /// The maximum number of moves to search for either side after a look of more than one ply. Such a look ranks moves
    /// far more reliably.
    pub after_deep_look: usize,
    /// The maximum number of moves to search for either side after a glance, one ply above the leaves. `None` if every
    /// move is searched there.
    pub after_glance: Option<usize>,
}

impl Width {
    /// Returns the maximum number of moves to search for this side after a look (a short search that ranks moves) of
    /// `look` plies.
    pub fn of(self, side: Side, look: u32) -> usize {
        match side {
            _ if look > 1 => self.after_deep_look,
            Side::Max => self.max,
            Side::Min => self.min,
        }
    }

    /// Returns true if this width searches every move that the other width searches.
    pub(super) fn includes(self, other: Self) -> bool {
        let most = |after_glance: Option<usize>| after_glance.unwrap_or(usize::MAX);
        self.max >= other.max
            && self.min >= other.min
            && self.after_deep_look >= other.after_deep_look
            && most(self.after_glance) >= most(other.after_glance)
    }

    /// Returns a value to combine with the hash of a position, so that the table separates the results of different
    /// widths.
    pub(super) fn key(self) -> u64 {
        let all = [self.max, self.min, self.after_deep_look];
        let key = all
            .into_iter()
            .fold(0, |key, width| key << 20 | width as u64);
        let after_glance = self.after_glance.map_or(0, |moves| moves as u64 + 1);
        // The factor is 2^64 divided by the golden ratio. It spreads the few bits of the widths over the whole key.
        key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(after_glance.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }
}

/// The iterations of a search. The first iterations search every depth with every move. The later iterations search
/// only some depths. At each of these depths, the first iteration searches only the most promising moves, and the
/// following iterations search more moves.
///
/// Steps of two plies are useful if the evaluation is more accurate before the moves of one side than before the moves
/// of the other: all leaves then are positions where it is accurate. Widths are useful because a deeper search of only
/// a few moves is worth more than no deeper search at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Up to this depth, in plies of players, every depth is searched with every move.
    pub full_depth: u32,
    /// The number of plies between two successive depths above `full_depth`; at least 1.
    pub step: u32,
    /// The widths of the iterations at each depth above `full_depth`. Each width must include the previous one. May be
    /// empty only if no search is deeper than `full_depth`.
    pub widths: &'static [Width],
}

/// The depth and the width of an iteration. If the width is `None`, every move is searched.
pub(super) type Iteration = (u32, Option<Width>);

impl Schedule {
    /// A schedule that searches every depth with every move.
    pub const FULL: Self = Self {
        full_depth: u32::MAX,
        step: 1,
        widths: &[],
    };

    /// Returns the depth of the look (the short search that ranks the moves) in a position with `depth` plies left to
    /// search.
    ///
    /// The look must end a whole number of steps above the leaves of the search. Boards in between may be evaluated
    /// poorly, and a ranking based on such evaluations misses good moves. If a step or less is left to search, a look
    /// of that kind would be the whole search, so the depth of the look is one.
    pub fn look(self, depth: u32) -> u32 {
        match depth > self.step {
            true => (depth - 1) % self.step + 1,
            false => 1,
        }
    }

    /// Returns the best move in this position from the table. If the table has entries for several widths of this
    /// schedule, the entry of the deepest search decides.
    pub fn known_best<G: Game>(self, game: &G, table: &Table<G::Move>) -> Option<G::Move> {
        let keys = self.widths.iter().map(|width| width.key()).chain([0]);
        let entries = keys.filter_map(|key| table.get(game.hash() ^ key));
        entries.max_by_key(|entry| entry.depth)?.best
    }

    /// Returns all iterations up to the depth `deepest`. If `is_end` is true, this depth reaches the end of the game,
    /// and the last iteration searches every move.
    pub(super) fn iterations(self, deepest: u32, is_end: bool) -> impl Iterator<Item = Iteration> {
        let full_depth = self.full_depth.min(deepest);
        let full = (1..=full_depth).map(|depth| (depth, None));
        let steps = (deepest - full_depth).div_ceil(self.step);
        let narrow = (1..=steps).flat_map(move |number| {
            let depth = (full_depth + number * self.step).min(deepest);
            self.widths.iter().map(move |&width| (depth, Some(width)))
        });
        let last = (steps > 0 && is_end).then_some((deepest, None));
        full.chain(narrow).chain(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Width = Width {
        max: 3,
        min: 2,
        after_deep_look: 1,
        after_glance: Some(5),
    };
    const WIDE: Width = Width {
        max: 6,
        min: 8,
        after_deep_look: 4,
        after_glance: Some(5),
    };
    const TWO_BY_TWO: Schedule = Schedule {
        full_depth: 1,
        step: 2,
        widths: &[NARROW, WIDE],
    };

    fn iterations(schedule: Schedule, deepest: u32, is_end: bool) -> Vec<Iteration> {
        schedule.iterations(deepest, is_end).collect()
    }

    #[test]
    fn a_full_schedule_is_every_depth_once() {
        let expected = [(1, None), (2, None), (3, None)];
        assert_eq!(iterations(Schedule::FULL, 3, true), expected);
        assert_eq!(iterations(Schedule::FULL, 3, false), expected);
    }

    #[test]
    fn depths_are_gone_through_from_narrow_to_wide() {
        let expected = [
            (1, None),
            (3, Some(NARROW)),
            (3, Some(WIDE)),
            (5, Some(NARROW)),
            (5, Some(WIDE)),
        ];
        assert_eq!(iterations(TWO_BY_TWO, 5, false), expected);
    }

    #[test]
    fn looks_end_where_the_search_does() {
        let looks = |step| {
            let schedule = Schedule { step, ..TWO_BY_TWO };
            (1..=7)
                .map(|depth| schedule.look(depth))
                .collect::<Vec<_>>()
        };
        assert_eq!(looks(1), [1; 7]);
        assert_eq!(looks(2), [1, 1, 1, 2, 1, 2, 1]);
        assert_eq!(looks(3), [1, 1, 1, 1, 2, 3, 1]);
    }

    #[test]
    fn the_end_of_the_game_is_reached_at_any_depth_and_searched_whole() {
        let at_two = [(1, None), (2, Some(NARROW)), (2, Some(WIDE)), (2, None)];
        assert_eq!(iterations(TWO_BY_TWO, 2, true), at_two);
        assert_eq!(iterations(TWO_BY_TWO, 1, true), [(1, None)]);
    }
}
