//! Tests that tournaments stay correct whatever the order of the results, and despite interruptions, late entries and
//! withdrawals.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_ranking::pairing::standing::standings;
use turnwise_ranking::pairing::{Format, Meeting, Pairing, due, planned};

use crate::tournament::{Tournament, points};

const ALL: [Format; 7] = [
    Format::RoundRobin { times: 1 },
    Format::RoundRobin { times: 2 },
    Format::Gauntlet { challengers: 2 },
    Format::Swiss { rounds: None },
    Format::Swiss { rounds: Some(5) },
    Format::Knockout {},
    Format::SwissIntoRoundRobin {
        rounds: 3,
        finalists: 4,
    },
];

fn formats() -> impl Strategy<Value = Format> {
    prop::sample::select(&ALL[..])
}

/// Tests exhaustively whether these participants can all be paired with new opponents.
fn can_all_be_new(left: &[usize], is_new: &dyn Fn(usize, Option<usize>) -> bool) -> bool {
    let Some((&one, rest)) = left.split_first() else {
        return true;
    };
    if left.len() % 2 == 1 {
        // With an odd number of participants, one participant has the bye.
        return left.iter().any(|&alone| {
            let others: Vec<usize> = left.iter().copied().filter(|&it| it != alone).collect();
            is_new(alone, None) && can_all_be_new(&others, is_new)
        });
    }
    rest.iter().enumerate().any(|(at, &other)| {
        let mut others = rest.to_vec();
        others.remove(at);
        is_new(one, Some(other)) && can_all_be_new(&others, is_new)
    })
}

proptest! {
    #[test]
    fn in_a_swiss_nobody_meets_again_while_that_can_be_avoided(
        participants in 2_usize..9,
        rounds in 1_u32..9,
        seed: u64,
    ) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut swiss = Tournament::new(Format::Swiss { rounds: Some(rounds) }, participants);
        for round in 1..=rounds {
            let before = swiss.counts();
            let is_new = |one: usize, other: Option<usize>| !before.contains_key(&(one, other));
            let drawn = swiss.due();
            prop_assert_eq!(drawn.len(), participants.div_ceil(2));
            prop_assert!(drawn.iter().all(|pairing| pairing.round == round));
            let all: Vec<usize> = (0..participants).collect();
            let are_new = drawn.iter().all(|pairing| is_new(pairing.first, pairing.second));
            prop_assert_eq!(are_new, can_all_be_new(&all, &is_new));
            for pairing in drawn {
                let won = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]][random.random_range(0..3)];
                swiss.meetings.push(Meeting { pairing, points: Some(won) });
            }
        }
        prop_assert!(swiss.due().is_empty());
        swiss.assert_rounds_are_disjoint();
        swiss.drawn();
    }

    #[test]
    fn the_order_of_results_and_breaking_off_anywhere_change_nothing(
        format in formats(),
        participants in 0_usize..20,
        seed: u64,
    ) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let whole = Tournament::new(format, participants).finish();
        let mut other = Tournament::new(format, participants);
        loop {
            // Only a part of the due pairings is played, in random order. The other pairings are lost, as after a
            // crash, or still in progress. Byes are recorded at once.
            let mut drawn = other.due();
            if drawn.is_empty() {
                break;
            }
            drawn.shuffle(&mut random);
            let some = random.random_range(1..=drawn.len());
            let is_noted = |at: usize, it: &Pairing| at < some || it.second.is_none();
            let noted: Vec<Pairing> = (drawn.iter().enumerate())
                .filter(|(at, it)| is_noted(*at, it))
                .map(|(_, &it)| it)
                .collect();
            let mut running = other.clone();
            running.meetings.extend(drawn.iter().map(|&pairing| Meeting { pairing, points: None }));
            prop_assert!(running.due().is_empty(), "{:?} while all is under way", running.due());
            noted.into_iter().for_each(|pairing| other.play(pairing));
            other.meetings.shuffle(&mut random);
            // Sometimes the log is merged with a copy of itself, or names the players in reverse order.
            if random.random_bool(0.3) {
                let mut copied = other.clone();
                copied.meetings.extend_from_within(..);
                prop_assert_eq!(copied.due(), other.due());
            }
            if random.random_bool(0.3) {
                let mut turned = other.clone();
                for Meeting { pairing, points } in &mut turned.meetings {
                    if let Some(second) = pairing.second.as_mut() {
                        std::mem::swap(&mut pairing.first, second);
                        *points = points.map(|[one, other]| [other, one]);
                    }
                }
                prop_assert_eq!(turned.due(), other.due());
            }
        }
        prop_assert_eq!(other.drawn(), whole.drawn());
    }

    #[test]
    fn a_late_participant_plays_what_is_missing(
        participants in 2_usize..12,
        times in 1_u32..3,
        late in 1_usize..4,
    ) {
        for format in [Format::RoundRobin { times }, Format::Gauntlet { challengers: 2 }] {
            let mut whole = Tournament::new(format, participants).finish();
            whole.withdrawn.extend(vec![false; late]);
            let missing = whole.due();
            for pairing in &missing {
                prop_assert!(pairing.second.is_some_and(|second| second >= participants));
            }
            let at_once = planned(&format, participants + late);
            prop_assert_eq!(missing.len(), at_once - planned(&format, participants));
        }
    }

    #[test]
    fn a_swiss_takes_late_participants_in_without_points(
        participants in 2_usize..14,
        late in 1_usize..4,
        after in 1_u32..4,
    ) {
        let mut swiss = Tournament::new(Format::Swiss { rounds: Some(5) }, participants);
        for _ in 1..after {
            swiss.step();
        }
        // The late participants enter during a round, which continues without them.
        let running = swiss.due();
        let open = |pairing: &Pairing| Meeting { pairing: *pairing, points: None };
        swiss.meetings.extend(running.iter().map(open));
        swiss.withdrawn.extend(vec![false; late]);
        prop_assert_eq!(swiss.due(), []);
        for meeting in &mut swiss.meetings {
            meeting.points = Some(points(&meeting.pairing));
        }
        let next = swiss.due();
        let field: BTreeSet<usize> = (next.iter())
            .flat_map(|pairing| [Some(pairing.first), pairing.second])
            .flatten()
            .collect();
        prop_assert_eq!(field.len(), participants + late);
        for pairing in &next {
            prop_assert_eq!(pairing.round, after + 1);
            let is_late = pairing.first >= participants;
            prop_assert!(pairing.second.is_some() || !is_late, "a point for coming late");
        }
        let whole = swiss.finish();
        whole.assert_rounds_are_disjoint();
        let played = standings(participants + late, &whole.meetings);
        for line in played {
            let rounds = if line.participant < participants { 5 } else { 5 - after };
            prop_assert_eq!(line.played, rounds as usize);
        }
    }

    #[test]
    fn who_has_left_is_not_paired_and_the_others_go_on(
        format in formats(),
        participants in 3_usize..16,
        seed: u64,
    ) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut left = Tournament::new(format, participants);
        for _ in 0..200 {
            let drawn = left.due();
            for pairing in &drawn {
                prop_assert!(!left.withdrawn[pairing.first]);
                prop_assert!(pairing.second.is_none_or(|second| !left.withdrawn[second]));
            }
            left.meetings.extend(drawn.iter().map(|&pairing| Meeting { pairing, points: None }));
            if random.random_bool(0.3) {
                let one = random.random_range(0..participants);
                left.withdrawn[one] = true;
                // The open encounters of the withdrawn participant are dropped.
                left.meetings.retain(|met| met.points.is_some() || {
                    let Pairing { first, second, .. } = met.pairing;
                    first != one && second != Some(one) || random.random_bool(0.5)
                });
            }
            let open: Vec<usize> = (0..left.meetings.len())
                .filter(|&at| left.meetings[at].points.is_none())
                .collect();
            let is_over = open.is_empty();
            for at in open {
                if random.random_bool(0.6) {
                    left.meetings[at].points = Some(points(&left.meetings[at].pairing));
                }
            }
            if is_over && left.due().is_empty() {
                break;
            }
        }
        prop_assert_eq!(left.due(), []);
        let open = (left.meetings.iter()).filter(|met| met.points.is_none()
            && !left.withdrawn[met.pairing.first]
            && met.pairing.second.is_none_or(|second| !left.withdrawn[second]));
        prop_assert_eq!(open.count(), 0);
        if matches!(format, Format::RoundRobin { .. }) {
            let counts = left.counts();
            for one in 0..participants {
                for other in one + 1..participants {
                    if !left.withdrawn[one] && !left.withdrawn[other] {
                        let times = planned(&format, 2);
                        prop_assert_eq!(counts.get(&(one, Some(other))), Some(&times));
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_that_is_noted_makes_it_panic(
        format in formats(),
        withdrawn in prop::collection::vec(any::<bool>(), 0..6),
        noted in prop::collection::vec(
            (
                prop_oneof![0_u32..6, Just(u32::MAX)],
                0_usize..8,
                prop::option::of(0_usize..8),
                prop_oneof![0_u32..3, Just(u32::MAX)],
                prop::option::of(any::<[f64; 2]>()),
            ),
            0..30,
        ),
    ) {
        let meetings: Vec<Meeting> = (noted.into_iter())
            .map(|(round, first, second, repeat, points)| Meeting {
                pairing: Pairing { round, first, second, repeat },
                points,
            })
            .collect();
        for pairing in due(&format, &withdrawn, &meetings) {
            prop_assert!(!withdrawn[pairing.first]);
            prop_assert!(pairing.second.is_none_or(|second| !withdrawn[second]));
        }
    }
}
