//! Positions of the solver: the free contestants that still matter, and who can still be diverse.
//!
//! The advantage from here on depends on nothing else: what the teams already have is a constant. The
//! proofs of every rule that leaves contestants or picks out are in `docs/masterchef.md`; the names of
//! the lemmas are the same.

use crate::rules::{Captain, Contestant};
use crate::units::Units;

/// A set of contestants, one bit each, in the order of a captain's gains: bit 0 gains that captain most.
pub(super) type Set = u128;

/// Room for every reduced position: at the first pick it keeps at most 5 and 6 contestants of each of ten
/// digits, and of the first 9 and 10 of all at most 4 and 4 more, which makes 118.
const CAPACITY: usize = 128;

const DIGITS: usize = 10;

/// Who gains what: sorted once, then only read.
pub(super) struct Pool<U> {
    /// Gain of each captain by contestant; contestants are numbered in the order of A's gains.
    pub(super) gain: [[U; CAPACITY]; 2],
    pub(super) digit: [u8; CAPACITY],
    /// Random numbers that depend only on both gains, so that equals are interchangeable.
    keys: [u128; CAPACITY],
    /// Contestant to bit and bit to contestant, in the order of each captain.
    rank: [[u8; CAPACITY]; 2],
    by_rank: [[u8; CAPACITY]; 2],
    of_digit: [[Set; DIGITS]; 2],
    pub(super) bonus: U,
}

/// Free contestants, what each captain can still gain by diversity, and the number of picks left.
#[derive(Clone, Copy)]
pub(super) struct Position {
    /// The same contestants in the order of each captain.
    free: [Set; 2],
    /// Digits that a captain may add and stay diverse; 0 once diversity is lost.
    fresh: [u16; 2],
    pub(super) left: u8,
}

/// A pick worth trying.
#[derive(Clone, Copy)]
pub(super) struct Pick<U> {
    pub(super) contestant: u8,
    promise: U,
}

/// A contestant's place in the order in which a captain wants them: own gain, then the other's, then ID.
pub(super) fn wanted_first<U: Units>(captain: Captain, contestant: &Contestant<U>) -> (U, U, u32) {
    let gain = contestant.gain;
    (
        -gain[captain.index()],
        -gain[captain.other().index()],
        contestant.id,
    )
}

impl<U: Units> Pool<U> {
    /// A pool of at most 128 contestants, which must come in the order [`wanted_first`] by A.
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

    /// All contestants of the pool, free.
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

    /// What the captain to move gains by a pick: its share of strength, and the bonus if it completes a
    /// diverse team.
    pub(super) fn gain(&self, position: &Position, contestant: u8) -> U {
        let index = usize::from(contestant);
        let side = position.mover();
        let completes = position.left <= 2 && position.fresh[side] & 1 << self.digit[index] != 0;
        self.gain[side][index] + if completes { self.bonus } else { U::ZERO }
    }

    /// The position after a pick by the captain to move.
    pub(super) fn after(&self, position: &Position, contestant: u8) -> Position {
        let index = usize::from(contestant);
        self.after_digit(&self.without(position, index), self.digit[index])
    }

    /// The position after a pick of somebody outside this pool whose ID ends in `digit`.
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

    /// Drops what cannot matter any more; the value of the position stays the same.
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

    /// A name for everything that decides the value of a reduced position. Digits are interchangeable:
    /// what counts is which gains share one, and for whom it is fresh.
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

    /// Free contestants in the order of A's gains.
    pub(super) fn free(&self, position: &Position) -> impl Iterator<Item = usize> + use<U> {
        bits(position.free[0])
    }

    /// Value of a position in which only Bob's last pick is left.
    pub(super) fn last_pick(&self, position: &Position) -> U {
        self.most_gain(1, position.free[1], self.fresh_set(position, 1))
            .1
    }

    /// Value of a position in which A has one pick and Bob one.
    pub(super) fn last_round(&self, position: &Position) -> U {
        self.last_two(
            position.free,
            [0, 1].map(|side| self.fresh_set(position, side)),
        )
    }

    /// Bob has the same reply to all picks but one, so two picks are to compare: the best of all others,
    /// and the one that denies Bob his reply.
    fn last_two(&self, free: [Set; 2], fresh: [Set; 2]) -> U {
        let (reply, answered) = self.most_gain(1, free[1], fresh[1]);
        let (_, denied) = self.most_gain(1, free[1] & !(1 << self.rank[1][reply]), fresh[1]);
        let bit = 1 << self.rank[0][reply];
        let (_, deny) = self.most_gain(0, bit, fresh[0]);
        let (_, take) = self.most_gain(0, free[0] & !bit, fresh[0]);
        (take - answered).max(deny - denied)
    }

    /// Value, or a bound outside the window, of a position in which Bob has two picks and A one between.
    pub(super) fn last_three(&self, position: &Position, alpha: U, beta: U) -> U {
        let free = position.free;
        let fresh = [0, 1].map(|side| self.fresh_set(position, side));
        // Whatever Bob picks now, A can have this, and Bob no more than that afterwards.
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

    /// At most this much does the captain to move gain by the rest of a position after a pick now: the best of
    /// the own picks to come as if nobody else picked, less what the other captain is sure of.
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

    /// What a captain who is not to move can have for sure from all picks left, by always taking the first
    /// of a list: before pick number n of the list's owner, at most 2n - 1 of the list are gone.
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

    /// The contestant of each fresh digit who gains a captain most.
    fn firsts(&self, position: &Position, side: usize) -> Set {
        let fresh = bits(u128::from(position.fresh[side]));
        fresh.fold(0, |set, digit| {
            set | lowest(position.free[side] & self.of_digit[side][digit], 1)
        })
    }

    /// Gains of a captain by a set in that captain's order, greatest first.
    fn gains(&self, side: usize, set: Set) -> impl Iterator<Item = U> {
        bits(set).map(move |bit| self.gain[side][usize::from(self.by_rank[side][bit])])
    }

    /// All contestants, free or not, whose digit is fresh for a captain.
    fn fresh_set(&self, position: &Position, side: usize) -> Set {
        bits(u128::from(position.fresh[side]))
            .fold(0, |set, digit| set | self.of_digit[side][digit])
    }

    /// Who gains a captain most as a last pick, and how much: the first of all, or the first who is fresh.
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

    /// The picks that are not dominated, most promising first.
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
            // Behind the equals that were inserted before.
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
    /// Index of the captain to move.
    pub(super) fn mover(&self) -> usize {
        usize::from(self.left % 2)
    }
}

/// Picks that a captain has left of `left` by both.
fn picks_of(left: u8, side: usize) -> u8 {
    (left + side as u8) / 2
}

/// How many of the contestants who gain a captain most can matter to that captain (lemma "enough better
/// ones"). Bob has the last pick, so all other picks can come before it; before A's last there is one less.
pub(super) struct Needed {
    /// Among all free contestants.
    pub(super) of_all: u8,
    /// Among those of a digit that is fresh for the captain.
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

/// The positions of the bits of a set, ascending.
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

/// The `count` lowest bits of a set.
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

/// Spreads a number over 128 bits: two rounds of multiply and fold, as in MUM hashes.
fn scramble(value: u128) -> u128 {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    let mut mixed = (value ^ ODD).wrapping_mul(ODD);
    mixed ^= mixed >> 67;
    mixed = mixed.wrapping_mul(ODD ^ 0xd1b5_4a32_d192_ed03);
    mixed ^ mixed >> 61
}
