//! The exact solver: principal-variation search over reduced positions, with a memory of searched positions.
//!
//! The solver and [minimax](super::literal) give equal answers, including the value and the choice among equal picks.
//! The solver handles any number of contestants, because a reduced position never has more than 118.
//! `docs/reference/masterchef.md` contains the proofs.

mod position;
mod search;
mod table;

use super::answer::{Answer, Control};
use super::rules::{Captain, Contestant, Draft};
use super::units::Units;
use position::{Needed, Pool, Position, wanted_first};
use search::Search;
use table::Table;

/// The usual size of the solver's memory in bytes: 2^24 entries of 48 bytes each for 64-bit powers.
///
/// While the memory's table doubles for the last time, it temporarily takes one and a half times as much.
pub const TABLE_BYTES: usize = 768 << 20;

/// Finds the optimal pick. Among several optimal picks, the smallest ID is chosen.
///
/// # Panics
/// Panics if the draft is over.
pub fn solve<U: Units>(draft: &Draft<U>, control: &mut Control) -> Answer<U> {
    solve_within(draft, TABLE_BYTES, control)
}

/// Finds the optimal pick like [`solve`], with a memory of `bytes` bytes for searched positions.
///
/// While the memory's table doubles for the last time, it temporarily takes one and a half times as much.
///
/// # Panics
/// Panics if the draft is over.
pub fn solve_within<U: Units>(draft: &Draft<U>, bytes: usize, control: &mut Control) -> Answer<U> {
    let captain = draft.turn().expect("the draft is over");
    let root = Root::new(draft, captain, Dropped::Best);
    let mut search = Search::new(&root.pool, Table::new(bytes), control);
    search.run(&root, draft)
}

/// A pick for the captain to move, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked<U = i64> {
    /// The index of the contestant in [`Draft::contestants`].
    pub pick: usize,
    /// The scaled advantage of A at the end of the draft, if perfect play follows this pick.
    pub value: U,
}

/// The best picks of a draft's present position, each with its exact value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking<U = i64> {
    /// The best picks compared so far, best first; ties are in the order of IDs.
    pub picks: Vec<Ranked<U>>,
    /// True if every pick was compared, so that the ranking is final.
    pub proven: bool,
    /// The number of positions that the search visited.
    pub nodes: u64,
}

/// Finds the `top` best picks, with a memory of `bytes` bytes as in [`solve_within`].
///
/// Reports the ranking to `told` whenever a new pick enters it.
///
/// # Panics
/// Panics if the draft is over or `top` is 0.
pub fn rank<U: Units>(
    draft: &Draft<U>,
    top: usize,
    bytes: usize,
    control: &mut Control,
    told: &mut dyn FnMut(&Ranking<U>),
) -> Ranking<U> {
    let captain = draft.turn().expect("the draft is over");
    let root = Root::new(draft, captain, Dropped::Every);
    let mut search = Search::new(&root.pool, Table::new(bytes), control);
    search.rank(&root, draft, top, told)
}

/// Returns a first pick and the picks that follow it to the end of the draft under perfect play.
///
/// Of equally good picks, the smallest ID is chosen. The function also returns true if all picks after
/// the first are proven to be perfect; this is false only if a search was stopped. The memory is as in
/// [`solve_within`].
///
/// # Panics
/// Panics if the draft is over or the first pick is taken.
pub fn line<U: Units>(
    draft: &Draft<U>,
    first: usize,
    bytes: usize,
    control: &mut Control,
) -> (Vec<usize>, bool) {
    let mut draft = draft.clone();
    let (mut picks, mut proven) = (vec![first], true);
    draft.pick(first);
    while draft.turn().is_some() {
        let answer = solve_within(&draft, bytes, control);
        proven &= answer.proven;
        picks.push(answer.pick);
        draft.pick(answer.pick);
    }
    (picks, proven)
}

/// Which of the dropped contestants, those outside the reduced position, are compared as first picks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dropped {
    /// Only the best dropped contestant of each last digit, because no other dropped contestant can be the answer.
    Best,
    /// All dropped contestants, for a ranking of several picks.
    Every,
}

/// A pick in the starting position that the search compares with others.
struct Candidate<U> {
    /// The contestant's index in the draft.
    index: usize,
    /// The captain's gain from the pick, which includes the bonus if the pick completes a diverse team.
    gain: U,
    /// The position after the pick.
    next: Position,
}

struct Root<U> {
    pool: Pool<U>,
    captain: Captain,
    /// The picks to compare, most promising first.
    candidates: Vec<Candidate<U>>,
}

impl<U: Units> Root<U> {
    fn new(draft: &Draft<U>, captain: Captain, which: Dropped) -> Root<U> {
        let left = draft.picks_left() as u8;
        let fresh =
            Captain::BOTH.map(|side| draft.digits(side).map_or(0, |digits| 0x3ff & !digits));
        let mut free: Vec<usize> = draft.free().collect();
        let contestant = |index: usize| draft.contestants()[index];
        free.sort_by_key(|&index| wanted_first(Captain::A, &contestant(index)));
        let (kept, dropped) = split(draft, free, fresh, left);
        let contestants: Vec<Contestant<U>> = kept.iter().map(|&index| contestant(index)).collect();
        let pool = Pool::new(&contestants, draft.bonus());
        let position = pool.position(kept.len(), fresh, left);
        let side = captain.index();

        let mut candidates: Vec<Candidate<U>> = Vec::new();
        for (number, &index) in kept.iter().enumerate() {
            let number = number as u8;
            candidates.push(Candidate {
                index,
                gain: pool.gain(&position, number),
                next: pool.after(&position, number),
            });
        }
        // Lemma "one of the dropped": whichever dropped contestant with this digit is picked, the rest of the game is
        // equal.
        for digit in 0..10 {
            let of_digit = dropped
                .iter()
                .filter(|&&index| contestant(index).digit() == digit);
            let mut of_digit: Vec<usize> = of_digit.copied().collect();
            of_digit.sort_by_key(|&index| (-contestant(index).gain[side], index));
            if which == Dropped::Best {
                of_digit.truncate(1);
            }
            for index in of_digit {
                let completes = left <= 2 && fresh[side] & 1 << digit != 0;
                let bonus = if completes { draft.bonus() } else { U::ZERO };
                let gain = contestant(index).gain[side] + bonus;
                candidates.push(Candidate {
                    index,
                    gain,
                    next: pool.after_digit(&position, digit as u8),
                });
            }
        }
        let mut picks = Vec::new();
        pool.picks(&position, &mut picks);
        let place = |candidate: &Candidate<U>| {
            let is_it =
                |pick: &position::Pick<U>| kept[usize::from(pick.contestant)] == candidate.index;
            picks.iter().position(is_it).unwrap_or(usize::MAX)
        };
        candidates.sort_by_cached_key(|candidate| (place(candidate), candidate.index));
        Root {
            pool,
            captain,
            candidates,
        }
    }
}

impl<U: Units> Root<U> {
    /// Returns A's final advantage if the captain to move gains `gain` more than the opponent from now on.
    fn advantage(&self, draft: &Draft<U>, gain: U) -> U {
        // A pick that completes a diverse team gains the bonus. Before Bob's last pick, A's bonus is already decided.
        let bonus_so_far = match draft.picks_left() {
            1 => draft.diversity(Captain::A),
            _ => U::ZERO,
        };
        let so_far = draft.strength(Captain::A) + bonus_so_far - draft.strength(Captain::B);
        match self.captain {
            Captain::A => so_far + gain,
            Captain::B => so_far - gain,
        }
    }
}

/// Splits the free contestants into those kept by a reduced position and the others.
///
/// Both lists are in the order of A's gains. This function applies the rule of [`Pool::reduce`] to a pool of any size.
fn split<U: Units>(
    draft: &Draft<U>,
    free: Vec<usize>,
    fresh: [u16; 2],
    left: u8,
) -> (Vec<usize>, Vec<usize>) {
    let mut keep = vec![false; draft.contestants().len()];
    for captain in Captain::BOTH {
        let mut order = free.clone();
        order.sort_by_key(|&index| wanted_first(captain, &draft.contestants()[index]));
        let needed = Needed::new(left, captain.index());
        let mut of_digit = [0; 10];
        for (rank, &index) in order.iter().enumerate() {
            let digit = draft.contestants()[index].digit();
            let is_fresh = fresh[captain.index()] & 1 << digit != 0;
            keep[index] |= rank < usize::from(needed.of_all);
            keep[index] |= is_fresh && of_digit[digit] < usize::from(needed.of_digit);
            of_digit[digit] += 1;
        }
    }
    free.into_iter().partition(|&index| keep[index])
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::answer::run_to_the_end;
    use crate::literal::{self, Algorithm};

    /// Returns a random draft after `picked` picks, whose contestants have only few different gains and digits.
    fn draft(free: usize, picked: usize, seed: u64) -> Draft {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let levels = random.random_range(1..=40);
        let digits = random.random_range(1..=4);
        let pool = (0..free + picked).map(|number| {
            let id = number as u32 * 10 + random.random_range(0..digits);
            let gain = [(); 2].map(|()| random.random_range(0..=levels) * 5);
            (
                Contestant { id, gain },
                (number < picked).then(|| Captain::BOTH[number % 2]),
            )
        });
        Draft::new(pool.collect(), 0)
    }

    fn kept(draft: &Draft) -> Vec<usize> {
        let fresh =
            Captain::BOTH.map(|side| draft.digits(side).map_or(0, |digits| 0x3ff & !digits));
        split(
            draft,
            draft.free().collect(),
            fresh,
            draft.picks_left() as u8,
        )
        .0
    }

    /// Returns this draft without the free contestants that are dropped when the position is reduced.
    fn reduced(draft: &Draft) -> Draft {
        let kept = kept(draft);
        let stays = |index: &usize| draft.owner(*index).is_some() || kept.contains(index);
        let pool = (0..draft.contestants().len()).filter(stays);
        Draft::new(
            pool.map(|index| (draft.contestants()[index], draft.owner(index)))
                .collect(),
            0,
        )
    }

    #[test]
    fn dropping_contestants_keeps_the_value() {
        let mut dropped = 0;
        for seed in 0..400 {
            let (free, left) = [(20, 2), (12, 4), (16, 4), (9, 6)][seed as usize % 4];
            let draft = draft(free, 10 - left, seed);
            let reduced = reduced(&draft);
            dropped += draft.contestants().len() - reduced.contestants().len();
            let value = |draft: &Draft| {
                literal::search(draft, Algorithm::AlphaBeta, &mut run_to_the_end).value
            };
            assert_eq!(value(&reduced), value(&draft), "seed {seed}: {draft:?}");
        }
        assert!(dropped > 1_000, "only {dropped} contestants were dropped");
    }

    #[test]
    fn reducing_a_position_keeps_whom_splitting_a_pool_keeps() {
        for seed in 0..100 {
            let draft = draft(60, 2 * (seed as usize % 5), seed);
            let left = draft.picks_left() as u8;
            let fresh =
                Captain::BOTH.map(|side| draft.digits(side).map_or(0, |digits| 0x3ff & !digits));
            let mut free: Vec<usize> = draft.free().collect();
            free.sort_by_key(|&index| wanted_first(Captain::A, &draft.contestants()[index]));
            let contestants: Vec<Contestant> = free
                .iter()
                .map(|&index| draft.contestants()[index])
                .collect();
            let pool = Pool::new(&contestants, draft.bonus());
            let mut position = pool.position(free.len(), fresh, left);
            pool.reduce(&mut position);
            let by_position: Vec<usize> = pool.free(&position).map(|number| free[number]).collect();
            let by_pool = split(&draft, free, fresh, left).0;
            // A position also detects when too few digits are left, and then keeps fewer contestants.
            assert!(
                by_position.iter().all(|index| by_pool.contains(index)),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn a_position_never_needs_more_contestants_than_fit() {
        for seed in 0..50 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let digits = random.random_range(1..=10);
            let pool = (0..3_000_u32).map(|number| {
                let happy = random.random_range(0..=100_000);
                let digit = random.random_range(0..digits);
                (
                    Contestant {
                        id: number * 10 + digit,
                        gain: [happy, 100_000 - happy],
                    },
                    None,
                )
            });
            let draft = Draft::new(pool.collect(), 3);
            assert!(
                kept(&draft).len() <= 118,
                "seed {seed}: {}",
                kept(&draft).len()
            );
        }
    }

    #[test]
    fn a_key_does_not_depend_on_which_digit_is_which() {
        let gains = [
            [50, 10],
            [40, 20],
            [30, 30],
            [20, 40],
            [10, 50],
            [50, 10],
            [40, 20],
            [35, 35],
        ];
        let key = |digits: [u32; 8], fresh: [u16; 2]| {
            let contestants: Vec<Contestant> = (0..8)
                .map(|number| Contestant {
                    id: number as u32 * 10 + digits[number],
                    gain: gains[number],
                })
                .collect();
            let mut order = contestants;
            order.sort_by_key(|contestant| wanted_first(Captain::A, contestant));
            let pool = Pool::new(&order, 120);
            pool.key(&pool.position(8, fresh, 4))
        };
        let original = key([1, 1, 2, 3, 3, 4, 5, 5], [0b11_1110, 0b01_0110]);
        assert_eq!(
            original,
            key([4, 4, 3, 2, 2, 1, 0, 0], [0b01_1111, 0b01_1010])
        );
        assert_ne!(
            original,
            key([4, 4, 3, 2, 2, 1, 0, 0], [0b01_1111, 0b01_1110])
        );
        assert_ne!(
            original,
            key([1, 2, 1, 3, 3, 4, 5, 5], [0b11_1110, 0b01_0110])
        );
    }
}
