//! Tests each format with whole tournaments whose results are made up.

use std::collections::BTreeSet;

use turnwise_ranking::pairing::standing::standings;
use turnwise_ranking::pairing::{Format, Meeting, Pairing, planned};

use crate::tournament::Tournament;

#[test]
fn formats_are_written_in_words() {
    let read = |text: &str| serde_json::from_str::<Format>(text);
    assert_eq!(
        read(r#"{"kind": "round-robin", "times": 2}"#).expect("a format"),
        Format::RoundRobin { times: 2 }
    );
    assert_eq!(
        read(r#"{"kind": "round-robin"}"#).expect("a format"),
        Format::RoundRobin { times: 1 }
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
    assert!(read(r#"{"kind": "swiss-into-round-robin", "rounds": 7}"#).is_err());
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

#[test]
fn a_thousand_play_a_swiss_of_many_rounds() {
    let format = Format::Swiss { rounds: Some(15) };
    let whole = Tournament::new(format, 1_001).finish();
    whole.assert_rounds_are_disjoint();
    assert_eq!(whole.played(), planned(&format, 1_001));
    assert!(whole.counts().values().all(|&count| count == 1));
    assert_eq!(planned(&Format::Swiss { rounds: None }, 1_000), 5_000);
    // Nearly all encounters are between opponents with similar points. The others are counted here.
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
