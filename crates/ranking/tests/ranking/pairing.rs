//! Whole tournaments of made-up results: each format against what it promises.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_ranking::pairing::standing::standings;
use turnwise_ranking::pairing::{Format, Meeting, Pairing, due, planned};

/// A tournament under way.
#[derive(Clone)]
struct Tournament {
    format: Format,
    withdrawn: Vec<bool>,
    meetings: Vec<Meeting>,
}

/// A result that depends on nothing but who meets whom: the stronger mostly wins, some are drawn.
fn points(pairing: &Pairing) -> [f64; 2] {
    let Some(second) = pairing.second else {
        return [1.0, 0.0];
    };
    let mixed = (pairing.first * 7919 + second * 104_729 + pairing.repeat as usize * 31) % 10;
    match mixed {
        0..=5 => [1.0, 0.0],
        6 | 7 => [0.5, 0.5],
        _ => [0.0, 1.0],
    }
}

impl Tournament {
    fn new(format: Format, participants: usize) -> Self {
        Self {
            format,
            withdrawn: vec![false; participants],
            meetings: Vec::new(),
        }
    }

    fn due(&self) -> Vec<Pairing> {
        due(&self.format, &self.withdrawn, &self.meetings)
    }

    fn play(&mut self, pairing: Pairing) {
        self.meetings.push(Meeting {
            pairing,
            points: Some(points(&pairing)),
        });
    }

    /// Plays all that is due now; false if there was nothing.
    fn step(&mut self) -> bool {
        let due = self.due();
        due.iter().for_each(|&pairing| self.play(pairing));
        !due.is_empty()
    }

    fn finish(mut self) -> Self {
        let mut steps = 0;
        while self.step() {
            steps += 1;
            assert!(steps < 10_000, "the tournament does not end");
        }
        self
    }

    /// All drawn, in one order.
    fn drawn(&self) -> BTreeSet<Pairing> {
        let drawn: BTreeSet<Pairing> = self.meetings.iter().map(|met| met.pairing).collect();
        assert_eq!(
            drawn.len(),
            self.meetings.len(),
            "something was drawn twice"
        );
        drawn
    }

    fn played(&self) -> usize {
        let encounters = self.meetings.iter();
        encounters
            .filter(|met| met.pairing.second.is_some())
            .count()
    }

    /// How often each two met, and each one had a bye.
    fn counts(&self) -> HashMap<(usize, Option<usize>), usize> {
        let mut counts = HashMap::new();
        for Meeting { pairing, .. } in &self.meetings {
            assert!(pairing.second.is_none_or(|second| pairing.first < second));
            *counts.entry((pairing.first, pairing.second)).or_default() += 1;
        }
        counts
    }

    /// Nobody is in two pairings of a round.
    fn assert_rounds_are_disjoint(&self) {
        let mut seen = BTreeSet::new();
        for Meeting { pairing, .. } in &self.meetings {
            for one in [Some(pairing.first), pairing.second].into_iter().flatten() {
                assert!(seen.insert((pairing.round, one)), "{pairing:?}");
            }
        }
    }
}

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

#[test]
fn formats_are_written_in_words() {
    let read = |text: &str| serde_json::from_str::<Format>(text);
    assert_eq!(
        read(r#"{"kind": "round-robin", "times": 2}"#).expect("a format"),
        Format::RoundRobin { times: 2 }
    );
    assert_eq!(
        read(r#"{"kind": "swiss"}"#).expect("a format"),
        Format::Swiss { rounds: None }
    );
    assert_eq!(
        read(r#"{"kind": "knockout"}"#).expect("a format"),
        Format::Knockout {}
    );
    assert_eq!(
        read(r#"{"kind": "swiss-into-round-robin", "rounds": 7, "finalists": 8}"#)
            .expect("a format"),
        Format::SwissIntoRoundRobin {
            rounds: 7,
            finalists: 8
        }
    );
    assert!(read(r#"{"kind": "knockout", "rounds": 3}"#).is_err());
    assert!(read(r#"{"kind": "round-robin"}"#).is_err());
}

#[test]
fn a_round_robin_is_everybody_against_everybody_in_even_rounds() {
    for participants in 0..10 {
        for times in 0..4 {
            let format = Format::RoundRobin { times };
            let whole = Tournament::new(format, participants).finish();
            whole.assert_rounds_are_disjoint();
            assert_eq!(whole.played(), planned(&format, participants));
            for one in 0..participants {
                for other in one + 1..participants {
                    let met = whole.counts().get(&(one, Some(other))).copied();
                    assert_eq!(met.unwrap_or(0), times as usize, "{one} {other}");
                }
            }
        }
    }
}

#[test]
fn challengers_meet_all_the_others() {
    let whole = Tournament::new(Format::Gauntlet { challengers: 2 }, 5).finish();
    let expected = [0, 1].map(|first| [2, 3, 4].map(|second| ((first, Some(second)), 1)));
    assert_eq!(whole.counts(), expected.into_iter().flatten().collect());
    let too_few = Tournament::new(Format::Gauntlet { challengers: 9 }, 5);
    assert!(too_few.due().is_empty());
    assert_eq!(planned(&too_few.format, 5), 0);
}

#[test]
fn the_first_round_of_a_swiss_folds_the_field_and_the_last_has_the_bye() {
    let drawn = Tournament::new(Format::Swiss { rounds: None }, 7).due();
    let pairs: Vec<_> = drawn.iter().map(|it| (it.first, it.second)).collect();
    assert_eq!(pairs, [(0, Some(3)), (1, Some(4)), (2, Some(5)), (6, None)]);
}

#[test]
fn winners_meet_winners() {
    let mut swiss = Tournament::new(Format::Swiss { rounds: Some(2) }, 8);
    for pairing in swiss.due() {
        swiss.meetings.push(Meeting {
            pairing,
            points: Some([1.0, 0.0]),
        });
    }
    let pairs: Vec<_> = swiss.due().iter().map(|it| (it.first, it.second)).collect();
    let expected = [(0, 2), (1, 3), (4, 6), (5, 7)];
    assert_eq!(pairs, expected.map(|(one, other)| (one, Some(other))));
}

#[test]
fn a_knockout_leaves_one_who_was_never_beaten() {
    for participants in 0..40 {
        let whole = Tournament::new(Format::Knockout {}, participants).finish();
        let mut beaten = BTreeSet::new();
        let mut repeated = 0;
        for Meeting { pairing, points } in &whole.meetings {
            match (pairing.second, points) {
                (Some(second), Some([one, other])) if one != other => {
                    let loser = if one < other { pairing.first } else { second };
                    assert!(beaten.insert(loser), "{loser} was beaten twice");
                }
                (Some(second), _) => {
                    assert!(pairing.repeat <= 2);
                    match pairing.repeat {
                        2 => assert!(beaten.insert(second)),
                        _ => repeated += 1,
                    }
                }
                (None, _) => assert_eq!(pairing.round, 1),
            }
        }
        assert_eq!(beaten.len(), participants.saturating_sub(1));
        let planned = planned(&whole.format, participants);
        assert_eq!(whole.played(), planned + repeated);
    }
}

#[test]
fn a_knockout_has_as_many_byes_as_make_a_power_of_two() {
    let drawn = Tournament::new(Format::Knockout {}, 6).due();
    let pairs: Vec<_> = drawn.iter().map(|it| (it.first, it.second)).collect();
    assert_eq!(pairs, [(0, None), (1, None), (2, Some(5)), (3, Some(4))]);
}

#[test]
fn the_best_of_a_swiss_play_the_round_robin() {
    let format = Format::SwissIntoRoundRobin {
        rounds: 4,
        finalists: 4,
    };
    let whole = Tournament::new(format, 13).finish();
    let (swiss, finals): (Vec<Meeting>, Vec<Meeting>) =
        (whole.meetings.iter()).partition(|met| met.pairing.round <= 4);
    let best: BTreeSet<usize> = (standings(13, &swiss).iter().take(4))
        .map(|standing| standing.participant)
        .collect();
    let players: BTreeSet<usize> = (finals.iter())
        .flat_map(|met| [Some(met.pairing.first), met.pairing.second])
        .flatten()
        .collect();
    assert_eq!(players, best);
    assert_eq!(finals.len(), 6);
    assert_eq!(whole.played(), planned(&format, 13));
    whole.drawn();
}

#[test]
fn a_table_is_by_points_then_by_the_points_of_the_opponents() {
    let met = |first, second, points| Meeting {
        pairing: Pairing {
            round: 1,
            first,
            second,
            repeat: 0,
        },
        points,
    };
    let meetings = [
        met(0, Some(1), Some([0.5, 0.5])),
        met(1, Some(3), Some([0.5, 0.5])),
        met(2, None, None),
        met(0, Some(3), Some([0.5, 0.5])),
        met(2, Some(3), Some([1.0, 0.0])),
        met(0, Some(2), None),
    ];
    let table = standings(5, &meetings);
    let lines = table
        .iter()
        .map(|line| (line.participant, line.points, line.opponents));
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            (2, 2.0, 1.0),
            (3, 1.0, 4.0),
            (0, 1.0, 2.0),
            (1, 1.0, 2.0),
            (4, 0.0, 0.0)
        ]
    );
}

/// Whether so many can all be paired with somebody they have not met, by trying everything.
fn can_all_be_new(left: &[usize], is_new: &dyn Fn(usize, Option<usize>) -> bool) -> bool {
    let Some((&one, rest)) = left.split_first() else {
        return true;
    };
    if left.len() % 2 == 1 {
        // Somebody has the bye.
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
            // Some of what is due is played, in any order; the rest is forgotten, as after a crash,
            // or still being played. Byes are noted at once.
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
            // Some logs are merged with copies of themselves, and some name the players the other way.
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
        // They come while a round is being played, which goes on without them.
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
                // What it was playing falls away.
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

#[test]
fn a_thousand_play_a_swiss_of_many_rounds() {
    let format = Format::Swiss { rounds: Some(15) };
    let whole = Tournament::new(format, 1_001).finish();
    whole.assert_rounds_are_disjoint();
    assert_eq!(whole.played(), planned(&format, 1_001));
    assert!(whole.counts().values().all(|&count| count == 1));
    assert_eq!(planned(&Format::Swiss { rounds: None }, 1_000), 5_000);
    // Opponents have like points in nearly all encounters.
    let mut far = 0;
    for round in 2..=15 {
        let is_before = |met: &&Meeting| met.pairing.round < round;
        let before: Vec<Meeting> = whole.meetings.iter().filter(is_before).copied().collect();
        let mut points = vec![0.0; 1_001];
        for line in standings(1_001, &before) {
            points[line.participant] = line.points;
        }
        let of_round = whole
            .meetings
            .iter()
            .filter(|met| met.pairing.round == round);
        far += of_round
            .filter_map(|met| Some((met.pairing.first, met.pairing.second?)))
            .filter(|&(one, other)| f64::abs(points[one] - points[other]) > 1.0)
            .count();
    }
    assert!(far < 100, "{far} of 7,000 encounters of far scores");
}
