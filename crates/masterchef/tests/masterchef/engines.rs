//! Tests every MasterChef engine against brute force, and the lemmas of the solver.

use crate::support::{Family, by_memory};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_masterchef::answer::{Answer, run_to_the_end};
use turnwise_masterchef::literal::{self, Algorithm};
use turnwise_masterchef::pools::DECIMALS;
use turnwise_masterchef::rules::{BONUS, Captain, Contestant, Draft};
use turnwise_masterchef::solver;

/// A second implementation of the rules, following the text without any optimization.
///
/// Teams are lists of members, from which the power of a complete team is computed.
mod brute_force {
    use super::{BONUS, Captain, Contestant, Draft};

    fn power(team: &[Contestant], captain: usize, unit: i64) -> i64 {
        let strength: i64 = team.iter().map(|member| member.gain[captain]).sum();
        let same_digit = |one: usize| {
            team[..one]
                .iter()
                .any(|other| other.id % 10 == team[one].id % 10)
        };
        strength
            + if (0..team.len()).any(same_digit) {
                0
            } else {
                i64::from(BONUS) * unit
            }
    }

    fn value(
        a: &mut Vec<Contestant>,
        b: &mut Vec<Contestant>,
        pool: &mut Vec<Contestant>,
        unit: i64,
    ) -> i64 {
        if a.len() == 5 && b.len() == 5 {
            return power(a, 0, unit) - power(b, 1, unit);
        }
        let values: Vec<i64> = (0..pool.len())
            .map(|index| after(index, a, b, pool, unit))
            .collect();
        let our_turn = a.len() == b.len();
        *if our_turn {
            values.iter().max()
        } else {
            values.iter().min()
        }
        .unwrap()
    }

    fn after(
        index: usize,
        a: &mut Vec<Contestant>,
        b: &mut Vec<Contestant>,
        pool: &mut Vec<Contestant>,
        unit: i64,
    ) -> i64 {
        let ours = a.len() == b.len();
        let picked = pool.swap_remove(index);
        if ours {
            a.push(picked)
        } else {
            b.push(picked)
        }
        let value = value(a, b, pool, unit);
        if ours {
            a.pop()
        } else {
            b.pop()
        };
        pool.push(picked);
        let last = pool.len() - 1;
        pool.swap(index, last);
        value
    }

    /// Returns each possible first pick with A's final advantage after it, under perfect play.
    pub fn values(draft: &Draft) -> Vec<(u32, i64)> {
        let members = |captain| {
            draft
                .team(captain)
                .map(|index| draft.contestants()[index])
                .collect()
        };
        let (mut a, mut b): (Vec<Contestant>, Vec<Contestant>) =
            (members(Captain::A), members(Captain::B));
        let mut pool: Vec<Contestant> = draft
            .free()
            .map(|index| draft.contestants()[index])
            .collect();
        let unit = 10_i64.pow(draft.decimals());
        let ids: Vec<u32> = pool.iter().map(|contestant| contestant.id).collect();
        (0..ids.len())
            .map(|index| (ids[index], after(index, &mut a, &mut b, &mut pool, unit)))
            .collect()
    }

    /// Returns the smallest ID among the best first picks, and A's final advantage after this pick.
    pub fn best(draft: &Draft) -> (u32, i64) {
        let mut values = values(draft);
        values.sort_unstable();
        let best = values.iter().map(|&(_, value)| value).max().unwrap();
        *values.iter().find(|&&(_, value)| value == best).unwrap()
    }
}

fn solve(draft: &Draft) -> Answer {
    solver::solve(draft, &mut run_to_the_end)
}

fn named(draft: &Draft, answer: Answer) -> (u32, i64) {
    assert!(answer.proven);
    (
        draft.contestants()[answer.pick].id,
        answer.value.expect("a proven answer has a value"),
    )
}

/// Returns a random draft with few different values and digits.
///
/// So picks tie, vanish or exclude each other.
fn degenerate(free: usize, picked: usize, random: &mut Xoshiro256PlusPlus) -> Draft {
    let unit = 10_i64.pow(DECIMALS);
    let levels = random.random_range(1..=6);
    let digits = random.random_range(1..=10);
    let scale = [1, unit, 20 * unit, 60 * unit, 200 * unit / 7][random.random_range(0..5)]
        .min(200 * unit / levels);
    let opposed = random.random_bool(0.3);
    let mut tens: Vec<u32> = (1_000..1_000 + 40).collect();
    let pool = (0..free + picked).map(|number| {
        let ten = tens.swap_remove(random.random_range(0..tens.len()));
        let a = random.random_range(0..=levels);
        let b = if opposed {
            levels - a
        } else {
            random.random_range(0..=levels)
        };
        let owner = (number < picked).then(|| Captain::BOTH[number % 2]);
        (
            Contestant {
                id: ten * 10 + random.random_range(0..digits),
                gain: [a * scale, b * scale],
            },
            owner,
        )
    });
    Draft::new(pool.collect(), DECIMALS)
}

/// Returns a small random draft. For every other seed, the draft is full of ties.
fn small(seed: u64, shapes: &[(usize, usize)]) -> Draft {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (free, left) = shapes[random.random_range(0..shapes.len())];
    if random.random_bool(0.5) {
        degenerate(free, 10 - left, &mut random)
    } else {
        Family::ALL[random.random_range(0..Family::ALL.len())].draft(free, 10 - left, seed)
    }
}

#[test]
fn five_thousand_small_pools_equal_brute_force() {
    let shapes = [
        (2, 2),
        (5, 2),
        (12, 2),
        (4, 4),
        (6, 4),
        (8, 4),
        (10, 4),
        (6, 6),
        (7, 6),
        (8, 6),
    ];
    let mut ties = 0;
    for seed in 0..5_000 {
        let draft = small(seed, &shapes);
        let expected = brute_force::best(&draft);
        ties += usize::from(
            brute_force::values(&draft)
                .iter()
                .filter(|&&(_, value)| value == expected.1)
                .count()
                > 1,
        );
        assert_eq!(
            named(&draft, solve(&draft)),
            expected,
            "solver, seed {seed}: {draft:?}"
        );
        for algorithm in Algorithm::ALL {
            let answer = literal::search(&draft, algorithm, &mut run_to_the_end);
            assert_eq!(
                named(&draft, answer),
                expected,
                "{}, seed {seed}: {draft:?}",
                algorithm.name()
            );
        }
        assert_eq!(
            named(&draft, by_memory(&draft, &mut run_to_the_end)),
            expected,
            "memo, seed {seed}: {draft:?}"
        );
    }
    assert!(ties > 1_000, "only {ties} pools had a tie to break");
}

#[test]
fn drafts_from_the_first_pick_equal_plain_memory() {
    for seed in 0..150 {
        let draft = small(
            seed,
            &[
                (10, 10),
                (11, 10),
                (12, 10),
                (9, 8),
                (12, 8),
                (14, 6),
                (20, 4),
            ],
        );
        let expected = named(&draft, by_memory(&draft, &mut run_to_the_end));
        assert_eq!(
            named(&draft, solve(&draft)),
            expected,
            "seed {seed}: {draft:?}"
        );
    }
}

#[test]
fn bobs_picks_equal_brute_force() {
    for seed in 0..300 {
        let mut draft = small(seed, &[(5, 2), (9, 2), (5, 4), (7, 4), (7, 6), (9, 4)]);
        let first = draft.free().nth(seed as usize % 3).unwrap();
        draft.pick(first);
        let expected = named(
            &draft,
            literal::search(&draft, Algorithm::Minimax, &mut run_to_the_end),
        );
        assert_eq!(
            named(&draft, solve(&draft)),
            expected,
            "seed {seed}: {draft:?}"
        );
    }
}

#[test]
fn ten_free_contestants_equal_brute_force_to_the_last_pick() {
    let draft = Family::Grid.draft(10, 0, 3);
    assert_eq!(named(&draft, solve(&draft)), brute_force::best(&draft));
}

#[test]
fn large_pools_equal_alpha_beta_near_the_end() {
    for family in Family::ALL {
        for seed in 0..3 {
            let draft = family.draft(60, 8, seed);
            let expected = named(
                &draft,
                literal::search(&draft, Algorithm::AlphaBeta, &mut run_to_the_end),
            );
            assert_eq!(
                named(&draft, solve(&draft)),
                expected,
                "{}, seed {seed}",
                family.name()
            );
        }
        let draft = family.draft(24, 6, 1);
        let expected = named(
            &draft,
            literal::search(&draft, Algorithm::AlphaBeta, &mut run_to_the_end),
        );
        assert_eq!(named(&draft, solve(&draft)), expected, "{}", family.name());
    }
}

/// Returns the draft with every contestant replaced by the result of `change`.
fn changed(draft: &Draft, change: impl Fn(Contestant) -> Contestant) -> Draft {
    let pool = draft.contestants().iter().enumerate();
    Draft::new(
        pool.map(|(index, &contestant)| (change(contestant), draft.owner(index)))
            .collect(),
        draft.decimals(),
    )
}

/// Returns the IDs of all optimal first picks, computed by brute force.
fn optimal(draft: &Draft) -> Vec<u32> {
    let (_, best) = brute_force::best(draft);
    brute_force::values(draft)
        .into_iter()
        .filter(|&(_, value)| value == best)
        .map(|(id, _)| id)
        .collect()
}

#[test]
fn renaming_within_a_digit_changes_nothing_but_the_name() {
    for seed in 0..300 {
        let draft = small(seed, &[(6, 4), (9, 4), (7, 6)]);
        // This function reverses the order of the IDs and keeps their last digits.
        let rename = |id: u32| (100_000 - id / 10) * 10 + id % 10;
        let renamed = changed(&draft, |contestant| Contestant {
            id: rename(contestant.id),
            ..contestant
        });
        let (pick, value) = named(&renamed, solve(&renamed));
        assert_eq!(value, named(&draft, solve(&draft)).1, "seed {seed}");
        assert_eq!(
            pick,
            optimal(&draft).into_iter().map(rename).min().unwrap(),
            "seed {seed}"
        );
    }
}

#[test]
fn which_digit_is_which_does_not_matter() {
    for seed in 0..200 {
        let family = Family::ALL[seed as usize % Family::ALL.len()];
        let draft = family.draft(26, 0, seed);
        let swapped = changed(&draft, |contestant| {
            let digit = (contestant.id % 10 * 7 + 3) % 10;
            Contestant {
                id: contestant.id / 10 * 10 + digit,
                ..contestant
            }
        });
        assert_eq!(
            solve(&swapped).value,
            solve(&draft).value,
            "{}, seed {seed}",
            family.name()
        );
    }
}

#[test]
fn exchanging_the_captains_of_a_complete_answer_is_not_a_symmetry() {
    // A picks first, so exchanging the gains does not exchange the turns. A solver that treated both captains alike
    // would fail this test.
    let draft = Family::Uniform.draft(14, 0, 5);
    let exchanged = changed(&draft, |contestant| Contestant {
        gain: [contestant.gain[1], contestant.gain[0]],
        ..contestant
    });
    assert_ne!(
        solve(&exchanged).value,
        solve(&draft).value.map(|value| -value)
    );
}

/// Returns the draft with another free contestant, whose new ID ends in `digit`.
fn with_another(draft: &Draft, digit: u32, gain: [i64; 2]) -> Draft {
    let pool = draft.contestants().iter().enumerate();
    let mut pool: Vec<_> = pool
        .map(|(index, &contestant)| (contestant, draft.owner(index)))
        .collect();
    let id = (0..)
        .map(|ten| ten * 10 + digit)
        .find(|&id| draft.find(id).is_none())
        .unwrap();
    pool.push((Contestant { id, gain }, None));
    Draft::new(pool, draft.decimals())
}

#[test]
fn a_contestant_dominated_often_enough_changes_nothing_in_value() {
    let mut tried = 0;
    for seed in 0..400 {
        let draft = small(seed, &[(8, 2), (12, 4), (14, 4), (16, 6)]);
        let of_digit = |digit: u32| {
            draft
                .free()
                .filter(|&index| draft.contestants()[index].id % 10 == digit)
                .count()
        };
        let digit = (0..10).max_by_key(|&digit| of_digit(digit)).unwrap();
        let mut gains: Vec<[i64; 2]> = draft
            .free()
            .map(|index| draft.contestants()[index])
            .filter(|contestant| contestant.id % 10 == digit)
            .map(|contestant| contestant.gain)
            .collect();
        // If there are at least as many better contestants as picks left, a better contestant is free at every pick.
        let left = draft.picks_left();
        if gains.len() < left {
            continue;
        }
        tried += 1;
        let below = [0, 1].map(|side| {
            gains.sort_unstable_by_key(|gain| -gain[side]);
            gains[left - 1][side]
        });
        let larger = with_another(&draft, digit, below);
        assert_eq!(
            solve(&larger).value,
            solve(&draft).value,
            "seed {seed}: {draft:?}"
        );
        let literal = literal::search(&larger, Algorithm::AlphaBeta, &mut run_to_the_end);
        assert_eq!(literal.value, solve(&draft).value, "seed {seed}: {draft:?}");
    }
    assert!(tried > 150, "only {tried} pools had enough of one digit");
}

#[test]
fn a_contestant_dominated_once_can_change_the_value() {
    // The lemma needs more than one better contestant: A takes the first, and Bob gets the other.
    let gains = [[10, 10], [0, 0]];
    let mut pool: Vec<_> = (0..8)
        .map(|number| {
            (
                Contestant {
                    id: 1_000 + 10 * number,
                    gain: [0, 0],
                },
                Some(Captain::BOTH[number as usize % 2]),
            )
        })
        .collect();
    pool.extend([1, 2].map(|digit| {
        (
            Contestant {
                id: digit,
                gain: gains[digit as usize - 1],
            },
            None,
        )
    }));
    let draft = Draft::new(pool, 0);
    assert_eq!(solve(&draft).value, Some(10));
    assert_eq!(solve(&with_another(&draft, 1, [9, 9])).value, Some(1));
}

#[test]
fn a_stopped_search_answers_with_a_legal_pick_and_says_that_it_is_not_proven() {
    use std::ops::ControlFlow;
    let draft = Family::Concave.draft(20, 0, 1);
    let full = solve(&draft);
    for polls in [0, 1, 2] {
        let mut left = polls;
        let mut stop = |_: &_| {
            if left == 0 {
                ControlFlow::Break(())
            } else {
                left -= 1;
                ControlFlow::Continue(())
            }
        };
        let answer = solver::solve(&draft, &mut stop);
        assert!(
            !answer.proven && answer.nodes < full.nodes,
            "{answer:?} after {polls} polls"
        );
        assert!(draft.free().any(|index| index == answer.pick));
        assert!(
            answer
                .value
                .is_none_or(|bound| bound <= full.value.unwrap()),
            "{answer:?} is above {full:?}"
        );
    }
    for algorithm in Algorithm::ALL {
        let answer = literal::search(&draft, algorithm, &mut |_| ControlFlow::Break(()));
        assert!(!answer.proven && draft.free().any(|index| index == answer.pick));
    }
    assert!(!by_memory(&draft, &mut |_| ControlFlow::Break(())).proven);
}

#[test]
fn a_solver_that_runs_twice_visits_the_same_nodes() {
    let draft = Family::Anticorrelated.draft(30, 0, 7);
    assert_eq!(solve(&draft), solve(&draft));
}
