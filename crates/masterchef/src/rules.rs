//! The rules: who may be picked, in which turn, and what a team is worth.
//!
//! Two captains pick in turn, A (we) before B (Bob), until each has [`TEAM_SIZE`] contestants. A team's
//! power is the sum of happiness times capacity over its members, plus [`BONUS`] if the last digits of
//! all its members differ. A maximises power of A minus power of B, Bob minimises it.

use super::decimal::Scaled;
use super::units::Units;

/// Members of a complete team.
pub const TEAM_SIZE: usize = 5;

/// Points for a team in which no two IDs end in the same digit, before scaling.
pub const BONUS: u32 = 120;

/// A captain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Captain {
    /// Us; A picks first in every round.
    A,
    /// Bob.
    B,
}

impl Captain {
    /// Both captains, in the order in which they pick.
    pub const BOTH: [Captain; 2] = [Captain::A, Captain::B];

    /// 0 for A, 1 for B: an index into arrays that hold something for each captain.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The other captain.
    #[must_use]
    pub fn other(self) -> Captain {
        match self {
            Captain::A => Captain::B,
            Captain::B => Captain::A,
        }
    }
}

/// One contestant of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contestant<U = i64> {
    /// Unique number; its last digit counts for diversity.
    pub id: u32,
    /// What the contestant adds to the power of either captain's team: happiness times capacity, scaled.
    pub gain: [U; 2],
}

impl<U> Contestant<U> {
    /// Last digit of the ID.
    #[must_use]
    pub fn digit(&self) -> usize {
        (self.id % 10) as usize
    }
}

/// A pool and the picks made so far: everything the rules need.
///
/// Invariants: contestants ascend by ID; there are at least ten; each is free or in one team; A has as
/// many members as Bob or one more, and neither has more than [`TEAM_SIZE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft<U = i64> {
    contestants: Vec<Contestant<U>>,
    owner: Vec<Option<Captain>>,
    picked: [usize; 2],
    decimals: u32,
    bonus: U,
}

impl<U: Units> Draft<U> {
    /// A draft in which powers count in units of `10^-decimals`, at most [`Units::MAX_DECIMALS`] of them. The
    /// contestants come in any order, each with the captain who has picked it.
    ///
    /// # Panics
    ///
    /// If an ID occurs twice, fewer than ten contestants come, the teams are not in an order of turns,
    /// or a value is outside 0 to 200 points: reading a file checks all of that first.
    #[must_use]
    pub fn new(mut pool: Vec<(Contestant<U>, Option<Captain>)>, decimals: u32) -> Draft<U> {
        assert!(
            decimals <= U::MAX_DECIMALS,
            "more decimals than the units hold"
        );
        let unit = U::power_of_ten(decimals);
        assert!(
            pool.len() >= 2 * TEAM_SIZE,
            "too few contestants for two teams"
        );
        pool.sort_unstable_by_key(|(contestant, _)| contestant.id);
        assert!(
            pool.windows(2).all(|pair| pair[0].0.id != pair[1].0.id),
            "an ID occurs twice"
        );
        let most = U::of(200) * unit;
        let in_range = |contestant: &Contestant<U>| {
            contestant
                .gain
                .iter()
                .all(|gain| (U::ZERO..=most).contains(gain))
        };
        assert!(
            pool.iter().all(|(contestant, _)| in_range(contestant)),
            "a value is out of range"
        );
        let (contestants, owner): (Vec<_>, Vec<_>) = pool.into_iter().unzip();
        let picked = Captain::BOTH.map(|captain| {
            owner
                .iter()
                .filter(|&&owner| owner == Some(captain))
                .count()
        });
        let [a, b] = picked;
        assert!(
            a <= TEAM_SIZE && b <= a && a <= b + 1,
            "the teams are not in an order of turns"
        );
        Draft {
            contestants,
            owner,
            picked,
            decimals,
            bonus: U::of(BONUS) * unit,
        }
    }

    /// All contestants, ascending by ID. Other methods name a contestant by its index here.
    #[must_use]
    pub fn contestants(&self) -> &[Contestant<U>] {
        &self.contestants
    }

    /// Indices of the contestants that may be picked, ascending by ID.
    pub fn free(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.contestants.len()).filter(|&index| self.owner[index].is_none())
    }

    /// Indices of a team's members, ascending by ID.
    pub fn team(&self, captain: Captain) -> impl Iterator<Item = usize> + '_ {
        (0..self.contestants.len()).filter(move |&index| self.owner[index] == Some(captain))
    }

    /// Picks still to make, by both captains together.
    #[must_use]
    pub fn picks_left(&self) -> usize {
        2 * TEAM_SIZE - self.picked[0] - self.picked[1]
    }

    /// Whose turn it is; `None` once both teams are complete.
    #[must_use]
    pub fn turn(&self) -> Option<Captain> {
        match self.picks_left() {
            0 => None,
            left if left % 2 == 0 => Some(Captain::A),
            _ => Some(Captain::B),
        }
    }

    /// Gives a free contestant to the captain whose turn it is.
    ///
    /// # Panics
    ///
    /// If the contestant is taken or the draft is over.
    pub fn pick(&mut self, index: usize) {
        let captain = self.turn().expect("no pick is left");
        assert!(
            self.owner[index].is_none(),
            "contestant {} is taken",
            self.contestants[index].id
        );
        self.owner[index] = Some(captain);
        self.picked[captain.index()] += 1;
    }

    /// The digits of a team's members as a bit set, or `None` if one occurs twice.
    #[must_use]
    pub fn digits(&self, captain: Captain) -> Option<u16> {
        self.team(captain).try_fold(0, |seen, index| {
            let digit = 1 << self.contestants[index].digit();
            (seen & digit == 0).then_some(seen | digit)
        })
    }

    /// The diversity bonus of a team as it stands, scaled. An incomplete team has it if its digits differ.
    #[must_use]
    pub fn diversity(&self, captain: Captain) -> U {
        if self.digits(captain).is_some() {
            self.bonus
        } else {
            U::ZERO
        }
    }

    /// Sum of happiness times capacity over a team's members, scaled; without the diversity bonus.
    #[must_use]
    pub fn strength(&self, captain: Captain) -> U {
        self.team(captain)
            .map(|index| self.contestants[index].gain[captain.index()])
            .sum()
    }

    /// Power of a team, scaled: strength and diversity bonus.
    #[must_use]
    pub fn power(&self, captain: Captain) -> U {
        self.strength(captain) + self.diversity(captain)
    }

    /// Power of A minus power of Bob, scaled.
    #[must_use]
    pub fn advantage(&self) -> U {
        self.power(Captain::A) - self.power(Captain::B)
    }

    /// The scaled [`BONUS`].
    #[must_use]
    pub fn bonus(&self) -> U {
        self.bonus
    }

    /// Powers count in units of `10^-decimals`.
    #[must_use]
    pub fn decimals(&self) -> u32 {
        self.decimals
    }

    /// A scaled value for printing.
    #[must_use]
    pub fn points(&self, units: U) -> Scaled<U> {
        Scaled {
            units,
            decimals: self.decimals,
        }
    }

    /// The index of a contestant by ID.
    #[must_use]
    pub fn find(&self, id: u32) -> Option<usize> {
        self.contestants
            .binary_search_by_key(&id, |contestant| contestant.id)
            .ok()
    }

    /// Who has picked a contestant.
    #[must_use]
    pub fn owner(&self, index: usize) -> Option<Captain> {
        self.owner[index]
    }
}
