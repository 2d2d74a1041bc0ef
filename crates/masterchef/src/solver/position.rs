//! The solver's positions, which consist of the relevant free contestants and the digits that allow the bonus.
//!
//! What the captains can still gain depends on nothing else, because the present strength of the teams is a constant.
//! Comments here refer to the rules that drop contestants or picks by the names of lemmas.
//! `docs/reference/masterchef.md` proves these lemmas.

use crate::rules::{Captain, Contestant};
use crate::units::Units;

/// A bit set of contestants in the order of a captain's gains. Bit 0 stands for the contestant with the highest gain.
pub(super) type Set = u128;

/// The maximum number of contestants for which a position has room.
///
/// At the first pick, a reduced position keeps at most 5 (for A) and 6 (for Bob) contestants of each of ten digits. In
/// addition, it keeps at most 4 and 4 more among the first 9 (for A) and 10 (for Bob) of all contestants. The total is
/// 118.
const CAPACITY: usize = 128;

const DIGITS: usize = 10;

/// The gains and digits of all contestants of a reduced position. They are sorted once, then only read.
pub(super) struct Pool<U> {
    /// For each captain, the gain from each contestant. Contestants are numbered in the order of A's gains.
    pub(super) gain: [[U; CAPACITY]; 2],
    pub(super) digit: [u8; CAPACITY],
    /// Hash keys that depend only on both gains, because contestants with equal gains are interchangeable.
    keys: [u128; CAPACITY],
    /// For each captain, the bit that stands for each contestant in the captain's order. `by_rank` is the inverse: the
    /// contestant for each bit.
    rank: [[u8; CAPACITY]; 2],
    by_rank: [[u8; CAPACITY]; 2],
    of_digit: [[Set; DIGITS]; 2],
    pub(super) bonus: U,
}

/// A position: the free contestants, the digits that allow each captain's bonus, and the number of picks left.
#[derive(Clone, Copy)]
pub(super) struct Position {
    /// The free contestants twice: as a set in A's order, and as a set in Bob's order.
    free: [Set; 2],
    /// For each captain, the digits that keep the team diverse, or 0 if the team cannot get the bonus anymore.
    fresh: [u16; 2],
    pub(super) left: u8,
}

/// A pick that the search will try, with an estimate of how good it is.
#[derive(Clone, Copy)]
pub(super) struct Pick<U> {
    pub(super) contestant: u8,
    promise: U,
}

/// Returns a sort key for a captain's order of preference: own gain, then the other captain's gain, then ID.
pub(super) fn wanted_first<U: Units>(captain: Captain, contestant: &Contestant<U>) -> (U, U, u32) {
    let gain = contestant.gain;
    (
        -gain[captain.index()],
        -gain[captain.other().index()],
        contestant.id,
    )
}

impl<U: Units> Pool<U> {
    /// Creates a pool of at most 128 contestants, which must be in A's order by [`wanted_first`].
    pub(super) fn new(contestants: &[Contestant<U>], bonus: U) -> Pool<U> {
        assert!(
            contestants.len() <= CAPACITY,
            "more contestants than a reduced position keeps"
        );
        let mut pool = Pool {
            gain: [[U::ZERO; CAPACITY]; 2],
            digit: [0; CAPACITY],
            keys: [0; CAPACITY],
            rank: [[0; CAPACITY]; 2],
            by_rank: [[0; CAPACITY]; 2],
            of_digit: [[0; DIGITS]; 2],
            bonus,
        };
        for captain in Captain::BOTH {
            let mut order: Vec<usize> = (0..contestants.len()).collect();
            order.sort_by_key(|&index| wanted_first(captain, &contestants[index]));
            let side = captain.index();
            for (bit, &index) in order.iter().enumerate() {
                pool.gain[side][index] = contestants[index].gain[side];
                pool.rank[side][index] = bit as u8;
                pool.by_rank[side][bit] = index as u8;
                pool.of_digit[side][contestants[index].digit()] |= 1 << bit;
            }
        }
        for (index, contestant) in contestants.iter().enumerate() {
            pool.digit[index] = contestant.digit() as u8;
            let [a, b] = contestant.gain;
            pool.keys[index] = scramble(scramble(a.fingerprint()) ^ b.fingerprint());
        }
        pool
    }

    /// Returns the position in which all contestants of this pool are free.
    pub(super) fn position(&self, contestants: usize, fresh: [u16; 2], left: u8) -> Position {
        let all = if contestants == CAPACITY {
            Set::MAX
        } else {
            (1 << contestants) - 1
        };
        Position {
            free: [all; 2],
            fresh,
            left,
        }
    }

    /// Returns the captain's gain from a pick: the contestant's gain, and the bonus if the pick completes a diverse
    /// team.
    ///
    /// The gain is computed for the captain to move.
    pub(super) fn gain(&self, position: &Position, contestant: u8) -> U {
        let index = usize::from(contestant);
        let side = position.mover();
        let completes = position.left <= 2 && position.fresh[side] & 1 << self.digit[index] != 0;
        self.gain[side][index] + if completes { self.bonus } else { U::ZERO }
    }

    /// Returns the position after a pick by the captain to move.
    pub(super) fn after(&self, position: &Position, contestant: u8) -> Position {
        let index = usize::from(contestant);
        self.after_digit(&self.without(position, index), self.digit[index])
    }

    /// Returns the position after a pick of a contestant outside this pool that has this last digit.
    pub(super) fn after_digit(&self, position: &Position, digit: u8) -> Position {
        let mut next = *position;
        let fresh = &mut next.fresh[position.mover()];
        *fresh = if *fresh & 1 << digit == 0 {
            0
        } else {
            *fresh & !(1 << digit)
        };
        next.left -= 1;
        next
    }

    fn without(&self, position: &Position, index: usize) -> Position {
        let mut next = *position;
        for side in 0..2 {
            next.free[side] &= !(1 << self.rank[side][index]);
        }
        next
    }

    /// Drops contestants and digits that cannot matter anymore, which does not change the position's value.
    pub(super) fn reduce(&self, position: &mut Position) {
        for side in 0..2 {
            let free = position.free[side];
            let mut fresh: u16 = 0;
            for digit in bits(u128::from(position.fresh[side])) {
                if free & self.of_digit[side][digit] != 0 {
                    fresh |= 1 << digit;
                }
            }
            // Lemma "too few digits".
            let enough = fresh.count_ones() >= u32::from(picks_of(position.left, side));
            position.fresh[side] = if enough { fresh } else { 0 };
        }
        // Lemma "enough better ones".
        let kept = [0, 1].map(|side| {
            let free = position.free[side];
            let needed = Needed::new(position.left, side);
            let fresh = bits(u128::from(position.fresh[side]));
            fresh.fold(lowest(free, needed.of_all), |kept, digit| {
                kept | lowest(free & self.of_digit[side][digit], needed.of_digit)
            })
        });
        let mut all = kept;
        for (side, &kept) in kept.iter().enumerate() {
            for bit in bits(kept) {
                all[1 - side] |= 1 << self.rank[1 - side][usize::from(self.by_rank[side][bit])];
            }
        }
        position.free = all;
    }

    /// Returns a hash key that is computed from all data that determine the value of a reduced position.
    ///
    /// Digits are interchangeable, so the key depends only on which gains share a digit, and for which captains that
    /// digit is fresh.
    pub(super) fn key(&self, position: &Position) -> u128 {
        let mut sums = [0_u128; DIGITS];
        for index in self.free(position) {
            let digit = usize::from(self.digit[index]);
            sums[digit] = sums[digit].wrapping_add(self.keys[index]);
        }
        let mut stale = 0_u128;
        let mut key = u128::from(position.left);
        for (digit, &sum) in sums.iter().enumerate() {
            let fresh = [0, 1].map(|side| u128::from(position.fresh[side] >> digit & 1));
            if fresh == [0, 0] {
                stale = stale.wrapping_add(sum);
            } else if sum != 0 {
                key = key.wrapping_add(scramble(sum ^ (fresh[0] << 1 | fresh[1])));
            }
        }
        scramble(key.wrapping_add(scramble(stale)))
    }

    /// Returns the free contestants in the order of A's gains.
    pub(super) fn free(&self, position: &Position) -> impl Iterator<Item = usize> + use<U> {
        bits(position.free[0])
    }

    /// Returns the value of a position in which only Bob's last pick is left.
    pub(super) fn last_pick(&self, position: &Position) -> U {
        self.most_gain(1, position.free[1], self.fresh_set(position, 1))
            .1
    }

    /// Returns the value of a position in which A has one pick left, and then Bob has one.
    pub(super) fn last_round(&self, position: &Position) -> U {
        self.last_two(
            position.free,
            [0, 1].map(|side| self.fresh_set(position, side)),
        )
    }

    /// Returns the value of the last round, in which A and Bob have one pick each, by comparing only two picks of A.
    ///
    /// Bob's best reply is one contestant, whatever A picks, unless A picks that contestant. So A either takes Bob's
    /// reply or makes the best other pick.
    fn last_two(&self, free: [Set; 2], fresh: [Set; 2]) -> U {
        let (reply, answered) = self.most_gain(1, free[1], fresh[1]);
        let (_, denied) = self.most_gain(1, free[1] & !(1 << self.rank[1][reply]), fresh[1]);
        let bit = 1 << self.rank[0][reply];
        let (_, deny) = self.most_gain(0, bit, fresh[0]);
        let (_, take) = self.most_gain(0, free[0] & !bit, fresh[0]);
        (take - answered).max(deny - denied)
    }

    /// Returns the value of a position in which only Bob, A and Bob still pick, in this order.
    ///
    /// If the value is outside the window from `alpha` to `beta`, the result is a bound on it.
    pub(super) fn last_three(&self, position: &Position, alpha: U, beta: U) -> U {
        let free = position.free;
        let fresh = [0, 1].map(|side| self.fresh_set(position, side));
        // Whatever Bob picks now, A can gain at least `sure` with the next pick, and Bob at most `most` with the last
        // one.
        let (first, _) = self.most_gain(0, free[0], fresh[0]);
        let (_, sure) = self.most_gain(0, free[0] & !(1 << self.rank[0][first]), fresh[0]);
        let (_, most) = self.most_gain(1, free[1], fresh[1]);
        let mut best = U::MIN;
        for bit in bits(free[1]) {
            let index = usize::from(self.by_rank[1][bit]);
            let gain = self.gain[1][index];
            let bound = gain + most - sure;
            if bound <= best.max(alpha) {
                return best.max(bound);
            }
            let still_fresh = if fresh[1] >> bit & 1 == 0 {
                0
            } else {
                fresh[1] & !self.of_digit[1][usize::from(self.digit[index])]
            };
            let rest = [free[0] & !(1 << self.rank[0][index]), free[1] & !(1 << bit)];
            best = best.max(gain - self.last_two(rest, [fresh[0], still_fresh]));
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Returns an upper bound on the further gain of the captain to move, after the present pick.
    ///
    /// The bound is the sum of the captain's best further gains without an opponent, minus the gain that the
    /// other captain can be sure to reach.
    pub(super) fn hope(&self, position: &Position) -> U {
        let mover = position.mover();
        let own = usize::from(picks_of(position.left, mover)) - 1;
        let best = |set: Set| -> U { self.gains(mover, set).take(own).sum() };
        let plain = best(position.free[mover]);
        let hoped = match position.fresh[mover] {
            0 => plain,
            _ => plain.max(best(self.firsts(position, mover)) + self.bonus),
        };
        hoped - self.sure(position, 1 - mover)
    }

    /// Returns a gain that the other captain, not the captain to move, can be sure to reach with all remaining picks.
    ///
    /// The captain always takes the first free contestant of a list. Before the captain's pick number n, at most 2n - 1
    /// contestants of the list have been picked.
    fn sure(&self, position: &Position, side: usize) -> U {
        let picks = usize::from(picks_of(position.left, side));
        let every_second =
            |set: Set| -> U { self.gains(side, set).skip(1).step_by(2).take(picks).sum() };
        let plain = every_second(position.free[side]);
        if (position.fresh[side].count_ones() as usize) < 2 * picks {
            return plain;
        }
        plain.max(every_second(self.firsts(position, side)) + self.bonus)
    }

    /// Returns, for each digit that is fresh for a captain, the free contestant with the captain's highest gain.
    fn firsts(&self, position: &Position, side: usize) -> Set {
        let fresh = bits(u128::from(position.fresh[side]));
        fresh.fold(0, |set, digit| {
            set | lowest(position.free[side] & self.of_digit[side][digit], 1)
        })
    }

    /// Returns a captain's gains from the contestants of a set, greatest first.
    fn gains(&self, side: usize, set: Set) -> impl Iterator<Item = U> {
        bits(set).map(move |bit| self.gain[side][usize::from(self.by_rank[side][bit])])
    }

    /// Returns all contestants, free or not, whose digit is fresh for a captain.
    fn fresh_set(&self, position: &Position, side: usize) -> Set {
        bits(u128::from(position.fresh[side]))
            .fold(0, |set, digit| set | self.of_digit[side][digit])
    }

    /// Returns a captain's best last pick and the gain from it.
    ///
    /// This is the first contestant in the captain's order, or the first one with a fresh digit, if the bonus makes it
    /// better.
    fn most_gain(&self, side: usize, free: Set, fresh: Set) -> (usize, U) {
        let first = |set: Set| {
            (set != 0).then(|| usize::from(self.by_rank[side][set.trailing_zeros() as usize]))
        };
        let plain = first(free).expect("a running draft has free contestants");
        match first(free & fresh) {
            Some(diverse) if self.gain[side][diverse] + self.bonus > self.gain[side][plain] => {
                (diverse, self.gain[side][diverse] + self.bonus)
            }
            _ => (plain, self.gain[side][plain]),
        }
    }

    /// Lists the picks that are not dominated, most promising first.
    pub(super) fn picks(&self, position: &Position, picks: &mut Vec<Pick<U>>) {
        picks.clear();
        let mover = position.mover();
        let replaceable = [0, 1].map(|side| {
            let rank = usize::from(position.left.max(1));
            let last = bits(position.free[side])
                .take(rank)
                .last()
                .expect("a running draft has free contestants");
            self.gain[side][usize::from(self.by_rank[side][last])]
        });
        // Lemma "dominance": in the order of A's gains, only an earlier contestant can dominate a later one.
        let mut best_for_b = [-U::of(1); DIGITS];
        let mut best_of_all = -U::of(1);
        for index in self.free(position) {
            let digit = usize::from(self.digit[index]);
            let fresh = [0, 1].map(|side| position.fresh[side] & 1 << digit != 0);
            let gain = [self.gain[0][index], self.gain[1][index]];
            let dominated = gain[1]
                <= if fresh == [false, false] {
                    best_of_all
                } else {
                    best_for_b[digit]
                };
            best_for_b[digit] = best_for_b[digit].max(gain[1]);
            best_of_all = best_of_all.max(gain[1]);
            if dominated {
                continue;
            }
            let above = [0, 1].map(|side| (gain[side] - replaceable[side]).max(U::ZERO));
            let loses_bonus = position.fresh[mover] != 0 && !fresh[mover];
            let loss = if loses_bonus { self.bonus } else { U::ZERO };
            let promise = above[0] + above[1] - loss;
            // Insert the pick behind all picks that promise at least as much.
            let better = picks.iter().rposition(|known| known.promise >= promise);
            let contestant = index as u8;
            picks.insert(
                better.map_or(0, |place| place + 1),
                Pick {
                    contestant,
                    promise,
                },
            );
        }
    }
}

impl Position {
    /// Returns the index of the captain to move: 0 for A, 1 for Bob.
    pub(super) fn mover(&self) -> usize {
        usize::from(self.left % 2)
    }
}

/// Returns how many of the last `left` picks of the draft are this captain's.
fn picks_of(left: u8, side: usize) -> u8 {
    (left + side as u8) / 2
}

/// The number of a captain's best contestants that can matter (lemma "enough better ones").
///
/// These numbers follow from the number of picks that can come before a captain's last pick. Bob's last pick is the
/// last one of the draft, so all other picks come before it. Before A's last pick, there is one pick less.
pub(super) struct Needed {
    /// The number of best contestants that matter among all free contestants.
    pub(super) of_all: u8,
    /// The number of best contestants that matter among those with one digit, if the digit is fresh for the captain.
    pub(super) of_digit: u8,
}

impl Needed {
    pub(super) fn new(left: u8, side: usize) -> Needed {
        match (side, picks_of(left, 0)) {
            (0, 0) => Needed {
                of_all: 0,
                of_digit: 0,
            },
            (0, _) => Needed {
                of_all: left - 1,
                of_digit: picks_of(left, 1),
            },
            (_, picks_of_a) => Needed {
                of_all: left,
                of_digit: picks_of_a + 1,
            },
        }
    }
}

/// Returns the numbers of the bits in a set, ascending.
fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let bit = set.trailing_zeros();
        set &= set - 1;
        Some(bit as usize)
    })
}

/// Returns the set of the `count` lowest bits of a set.
fn lowest(set: Set, count: u8) -> Set {
    let mut rest = set;
    for _ in 0..count {
        if rest == 0 {
            break;
        }
        rest &= rest - 1;
    }
    set & !rest
}

/// Mixes the bits of a number: two rounds of multiplication and folding, as in MUM hashes.
fn scramble(value: u128) -> u128 {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    let mut mixed = (value ^ ODD).wrapping_mul(ODD);
    mixed ^= mixed >> 67;
    mixed = mixed.wrapping_mul(ODD ^ 0xd1b5_4a32_d192_ed03);
    mixed ^ mixed >> 61
}
