//! Which iterations a search goes through: how deep, and how many moves of each position.

use super::table::Table;
use crate::game::{Game, Side};

/// A limit on the moves of a position that are searched: the most promising by a look at each
/// ([`Schedule::look`] tells how deep), one ply above the leaves by a glance ([`Game::glance`]); earlier ones first
/// among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// For the side that maximises.
    pub max: usize,
    /// For the side that minimises.
    pub min: usize,
    /// For either side after a look of more than one ply, which is worth much more.
    pub after_deep_look: usize,
    /// For either side one ply above the leaves; every move if none.
    pub after_glance: Option<usize>,
}

impl Width {
    /// For this side, after a look of so many plies.
    pub fn of(self, side: Side, look: u32) -> usize {
        match side {
            _ if look > 1 => self.after_deep_look,
            Side::Max => self.max,
            Side::Min => self.min,
        }
    }

    /// True if whatever the other width searches is searched with this one too.
    pub(super) fn includes(self, other: Self) -> bool {
        let most = |after_glance: Option<usize>| after_glance.unwrap_or(usize::MAX);
        self.max >= other.max
            && self.min >= other.min
            && self.after_deep_look >= other.after_deep_look
            && most(self.after_glance) >= most(other.after_glance)
    }

    /// What is added to a position's hash, so that results of other widths are not mistaken for
    /// those of this one.
    pub(super) fn key(self) -> u64 {
        let all = [self.max, self.min, self.after_deep_look];
        let key = all
            .into_iter()
            .fold(0, |key, width| key << 20 | width as u64);
        let after_glance = self.after_glance.map_or(0, |moves| moves as u64 + 1);
        key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(after_glance.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }
}

/// The iterations of a search: first every depth with every move, then only some depths, each with
/// the most promising moves first and then with more and more of them.
///
/// Where the evaluation judges better before one side's move than before the other's, steps of two
/// plies keep the leaves where it judges well; and a narrow look two plies deeper is worth more than
/// no such look at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Down to this depth, in plies of players, every depth is searched with every move.
    pub full_depth: u32,
    /// Plies from one depth to the next beyond that; at least 1.
    pub step: u32,
    /// The widths at each depth beyond that, each including the one before; none only if no depth is
    /// beyond.
    pub widths: &'static [Width],
}

/// One iteration: its depth and width; every move without one.
pub(super) type Iteration = (u32, Option<Width>);

impl Schedule {
    /// Every depth, every move.
    pub const FULL: Self = Self {
        full_depth: u32::MAX,
        step: 1,
        widths: &[],
    };

    /// How many plies deep the look at each move is that ranks them where so many plies are left to
    /// search.
    ///
    /// As many as lead to boards of the kind that the search's own leaves are, a whole number of steps
    /// above them: boards in between may not be judged well, and a ranking by them misses good moves.
    /// With a step or less left to search, where that would be the whole search, one.
    pub fn look(self, depth: u32) -> u32 {
        match depth > self.step {
            true => (depth - 1) % self.step + 1,
            false => 1,
        }
    }

    /// The best move that searches with this schedule have left in their table, the deepest one's.
    pub fn known_best<G: Game>(self, game: &G, table: &Table<G::Move>) -> Option<G::Move> {
        let keys = self.widths.iter().map(|width| width.key()).chain([0]);
        let entries = keys.filter_map(|key| table.get(game.hash() ^ key));
        entries.max_by_key(|entry| entry.depth)?.best
    }

    /// All iterations down to `deepest`; if that is the end of the game, the last is of every move.
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
