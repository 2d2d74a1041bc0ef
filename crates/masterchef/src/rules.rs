//! The rules: valid picks, turns, and the power of a team.
//!
//! Two captains, A (our side) and B (Bob), pick in turn, A first, until each has [`TEAM_SIZE`] contestants. A team's
//! power is the sum of happiness times capacity over its members, plus [`BONUS`] if all members have different last
//! digits. A maximizes the power of A's team minus the power of Bob's, and Bob minimizes this difference.

use super::decimal::Scaled;
use super::units::Units;

/// The number of members of a complete team.
pub const TEAM_SIZE: usize = 5;

/// The bonus, in points, that a team gains if all its IDs end in different digits.
pub const BONUS: u32 = 120;

/// A captain. The two captains pick in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Captain {
    /// Captain A, our side, who picks first in every round.
    A,
    /// Captain B, the opponent Bob, who picks second in every round.
    B,
}

impl Captain {
    /// Both captains, in the order in which they pick.
    pub const BOTH: [Captain; 2] = [Captain::A, Captain::B];

    /// Returns 0 for A, 1 for B: an index into arrays with one entry per captain.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the captain's name as shown to people.
    pub(super) fn name(self) -> &'static str {
        ["A", "Bob"][self.index()]
    }

    /// Returns the captain's opponent.
    pub fn other(self) -> Captain {
        Captain::BOTH[1 - self.index()]
    }

    /// Returns the captain whose turn it is when `picks_left` picks are left.
    pub(super) fn to_pick(picks_left: usize) -> Captain {
        Captain::BOTH[picks_left % 2]
    }

    /// Returns true if this captain strictly prefers the advantage `value` to the advantage `other`. Both are A's.
    pub(super) fn prefers<U: Ord>(self, value: U, other: U) -> bool {
        match self {
            Captain::A => value > other,
            Captain::B => value < other,
        }
    }
}

/// Adds a digit to the bit set of a team's last digits.
///
/// Returns `None` if the team already has this digit, or if `digits` is `None` because a digit repeated before.
pub(super) fn with_digit(digits: Option<u16>, digit: usize) -> Option<u16> {
    let digits = digits.filter(|digits| digits & 1 << digit == 0)?;
    Some(digits | 1 << digit)
}

/// A contestant of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contestant<U = i64> {
    /// The unique number of the contestant; its last digit counts for the diversity bonus.
    pub id: u32,
    /// The scaled power that the contestant adds to each captain's team: happiness times capacity.
    pub gain: [U; 2],
}

impl<U> Contestant<U> {
    /// Returns the last digit of the ID.
    pub fn digit(&self) -> usize {
        (self.id % 10) as usize
    }
}

/// A pool and the picks made so far, which together are the whole state of the game.
///
/// Invariants: The contestants are sorted by ID, and there are at least ten. Each is free or in one team. A's team has
/// as many members as Bob's or one more, and neither has more than [`TEAM_SIZE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft<U = i64> {
    contestants: Vec<Contestant<U>>,
    owner: Vec<Option<Captain>>,
    picked: [usize; 2],
    decimals: u32,
    bonus: U,
}

impl<U: Units> Draft<U> {
    /// Creates a draft in which powers are in units of `10^-decimals`.
    ///
    /// `decimals` is at most [`Units::MAX_DECIMALS`]. The contestants may be in any order. Each comes with the captain
    /// whose team it is in, if any.
    ///
    /// # Panics
    /// Panics if an ID occurs twice, the pool has fewer than ten contestants, the teams contradict the order of turns,
    /// or a value is outside 0 to 200 points. Code that reads a file checks all this first.
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
        let range = U::ZERO..=U::of(200) * unit;
        let mut gains = pool.iter().flat_map(|(contestant, _)| contestant.gain);
        assert!(
            gains.all(|gain| range.contains(&gain)),
            "a value is out of range"
        );
        let (contestants, owner): (Vec<_>, Vec<_>) = pool.into_iter().unzip();
        let picked = Captain::BOTH.map(|captain| {
            let owners = owner.iter();
            owners.filter(|&&owner| owner == Some(captain)).count()
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

    /// Returns all contestants, ascending by ID. Other methods refer to contestants by their indices in this list.
    pub fn contestants(&self) -> &[Contestant<U>] {
        &self.contestants
    }

    /// Returns the indices of the free contestants, ascending by ID.
    pub fn free(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.contestants.len()).filter(|&index| self.owner[index].is_none())
    }

    /// Returns the indices of a team's members, ascending by ID.
    pub fn team(&self, captain: Captain) -> impl Iterator<Item = usize> + '_ {
        (0..self.contestants.len()).filter(move |&index| self.owner[index] == Some(captain))
    }

    /// Returns the IDs of a team's members, ascending.
    pub fn members(&self, captain: Captain) -> impl Iterator<Item = u32> + '_ {
        self.team(captain).map(|index| self.contestants[index].id)
    }

    /// Returns the number of picks that both captains together still have to make.
    pub fn picks_left(&self) -> usize {
        2 * TEAM_SIZE - self.picked[0] - self.picked[1]
    }

    /// Returns the captain whose turn it is; `None` once both teams are complete.
    pub fn turn(&self) -> Option<Captain> {
        let left = self.picks_left();
        (left > 0).then(|| Captain::to_pick(left))
    }

    /// Gives a free contestant to the captain whose turn it is.
    ///
    /// # Panics
    /// Panics if the contestant is taken or the draft is over.
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

    /// Returns the last digits of a team's members as a bit set, or `None` if a digit repeats.
    pub fn digits(&self, captain: Captain) -> Option<u16> {
        let digits = self
            .team(captain)
            .map(|index| self.contestants[index].digit());
        digits.fold(Some(0), with_digit)
    }

    /// Returns a team's scaled diversity bonus, computed from its present members even if the team is incomplete.
    pub fn diversity(&self, captain: Captain) -> U {
        self.bonus_for(self.digits(captain))
    }

    /// Returns a team's strength, which is the scaled sum of happiness times capacity, without the bonus.
    pub fn strength(&self, captain: Captain) -> U {
        self.team(captain)
            .map(|index| self.contestants[index].gain[captain.index()])
            .sum()
    }

    /// Returns the scaled power of a team: the sum of strength and diversity bonus.
    pub fn power(&self, captain: Captain) -> U {
        self.strength(captain) + self.diversity(captain)
    }

    /// Returns the scaled power of A's team minus the scaled power of Bob's team.
    pub fn advantage(&self) -> U {
        self.power(Captain::A) - self.power(Captain::B)
    }

    /// Returns [`BONUS`] in the units of the draft's powers.
    pub(super) fn bonus(&self) -> U {
        self.bonus
    }

    /// Returns the scaled bonus of a team whose members have these last digits.
    pub(super) fn bonus_for(&self, digits: Option<u16>) -> U {
        digits.map_or(U::ZERO, |_| self.bonus)
    }

    /// Returns the number of decimals of the draft's powers, which are in units of `10^-decimals`.
    pub fn decimals(&self) -> u32 {
        self.decimals
    }

    /// Converts a scaled value into points, in a form that can be printed.
    pub fn points(&self, units: U) -> Scaled<U> {
        Scaled {
            units,
            decimals: self.decimals,
        }
    }

    /// Returns the index of the contestant with this ID.
    pub fn find(&self, id: u32) -> Option<usize> {
        self.contestants
            .binary_search_by_key(&id, |contestant| contestant.id)
            .ok()
    }

    /// Returns the captain in whose team a contestant is, or `None` if the contestant is free.
    pub fn owner(&self, index: usize) -> Option<Captain> {
        self.owner[index]
    }
}
