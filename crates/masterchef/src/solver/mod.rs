//! The exact solver: principal-variation search over reduced positions, with memory.
//!
//! It answers what [minimax](super::literal) answers, value and tie rule included, whatever the number of
//! contestants: a position never needs more than 118 of them (see `docs/masterchef.md` for the proofs).

mod position;
mod search;
mod table;

use super::answer::{Answer, Control};
use super::rules::{Captain, Contestant, Draft};
use super::units::Units;
use position::{Needed, Pool, Position, wanted_first};
use search::Search;
use table::Table;

/// Bytes of the memory, and half as much again while the table doubles for the last time: 2^24 entries of 48
/// bytes if powers are counted in 64 bits.
pub const TABLE_BYTES: usize = 768 << 20;

/// Finds the smallest ID among all optimal picks.
///
/// # Panics
/// If the draft is over.
pub fn solve<U: Units>(draft: &Draft<U>, control: &mut Control) -> Answer<U> {
    solve_within(draft, TABLE_BYTES, control)
}

/// The same with a memory of so many bytes, and half as much again while its table doubles for the last time.
///
/// # Panics
/// If the draft is over.
pub fn solve_within<U: Units>(draft: &Draft<U>, bytes: usize, control: &mut Control) -> Answer<U> {
    let captain = draft.turn().expect("the draft is over");
    let root = Root::new(draft, captain, Dropped::Best);
    let mut search = Search::new(&root.pool, Table::new(bytes), control);
    search.run(&root, draft)
}

/// A first pick and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked<U = i64> {
    /// Index of the contestant in [`Draft::contestants`].
    pub pick: usize,
    /// Advantage of A at the end if both captains play perfectly after this pick, scaled.
    pub value: U,
}

/// The best first picks, each with its exact value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking<U = i64> {
    /// The best of those compared so far, the best for the captain to move first; of equals the smallest IDs.
    pub picks: Vec<Ranked<U>>,
    /// Whether every pick was compared.
    pub proven: bool,
    /// Positions that the search visited.
    pub nodes: u64,
}

/// Finds the `top` best picks, one or more, with a memory of so many bytes as in [`solve_within`]. `told`
/// hears of each pick that comes among them.
///
/// # Panics
/// If the draft is over or `top` is 0.
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

/// The picks from a first one to the end of the draft: perfect ones of both captains, of equals the smallest
/// IDs; and whether they are proven to be perfect, which only a stopped search leaves open. The memory is as in
/// [`solve_within`].
///
/// # Panics
/// If the draft is over or the first pick is taken.
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

/// Which of the contestants that a reduced position drops are compared as first picks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dropped {
    /// The best of each digit, which are all that can be the answer.
    Best,
    /// All of them, where several best picks are asked for.
    Every,
}

/// A first pick to compare.
struct Candidate<U> {
    /// Index in the draft.
    index: usize,
    /// Gain of the captain to move, with the bonus if the pick completes a diverse team.
    gain: U,
    /// The position it leads to.
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
        // Lemma "one of the dropped": after a dropped pick of a digit the rest of the game is the same.
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
    /// The advantage of A at the end if the captain to move gains so much more than the other from here on.
    fn advantage(&self, draft: &Draft<U>, gain: U) -> U {
        // A pick that completes a diverse team gains the bonus. On Bob's last pick A's has done so before.
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

/// Splits the free contestants, given in the order of A's gains, into those that a reduced position keeps
/// and the rest: the rule of [`Pool::reduce`] for a pool of any size.
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

    /// A draft of few levels and digits; `picked` contestants are taken, half by each captain.
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

    /// The draft without the contestants that nobody has picked and a reduced position drops.
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
            // A position also knows when too few digits are left, and keeps fewer then.
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
