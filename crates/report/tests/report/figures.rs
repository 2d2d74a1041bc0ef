//! Tests means, intervals and standings by comparing them with numbers that were computed independently.

use turnwise_engine::statistics::Sample;
use turnwise_report::standings::{pairings, pairs, standings};
use turnwise_report::tables::with_interval;

use super::sample::{lines, records};
use super::{faults_plan, one_match, sample_plan};

#[test]
fn a_mean_is_shown_with_its_interval_if_it_has_one() {
    let several: Sample = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
        .into_iter()
        .collect();
    assert_eq!(with_interval(&several), "+5.00 ± 1.79");
    let one: Sample = [-3.0].into_iter().collect();
    assert_eq!(with_interval(&one), "-3.00");
    assert_eq!(with_interval(&Sample::default()), "-");
    // Two equal observations say nothing about the spread, so the sample has no interval.
    let alike: Sample = [2.0, 2.0].into_iter().collect();
    assert_eq!(with_interval(&alike), "+2.00");
}

#[test]
fn standings_add_up() {
    for plan in [sample_plan(), faults_plan()] {
        let of = one_match(&lines(&records(&plan)));
        let pairs: Vec<_> = pairs(&of).collect();
        assert_eq!(pairs.len() * 2, of.games.len());
        let table = standings(&of);
        assert_eq!(table.len(), plan.names.len());
        let sum = |count: fn(&turnwise_report::standings::Standing) -> usize| -> usize {
            table.iter().map(count).sum()
        };
        let [won, _, lost] = [0, 1, 2].map(|at| {
            let counts = table.iter().map(|row| row.pairs.pairs.wins_draws_losses());
            counts.map(|counts| counts[at]).sum::<u64>()
        });
        assert_eq!(sum(|row| row.games), 2 * of.games.len());
        assert_eq!(sum(|row| row.by_role[0].count() as usize), of.games.len());
        assert_eq!(sum(|row| row.by_role[1].count() as usize), of.games.len());
        assert_eq!(won, lost);
        assert_eq!(sum(|row| row.pairs.count() as usize), 2 * pairs.len());
        assert_eq!(sum(|row| row.faults), plan.faults.len());
        let means: Vec<f64> = (table.iter()).map(|row| row.pairs.points.mean()).collect();
        assert!(means.is_sorted_by(|a, b| a >= b), "{means:?}");
        let agents = plan.names.len();
        assert_eq!(pairings(&of).len(), agents * (agents - 1) / 2);
    }
}

#[test]
fn a_pairs_difference_is_game_one_less_game_two() {
    let of = one_match(&lines(&records(&sample_plan())));
    let scores: Vec<f64> = (of.games.iter()).map(|game| game.outcome.score).collect();
    for (pair, games) in pairs(&of).zip(scores.chunks(2)) {
        assert_eq!((pair.first, pair.second), ("three", "one"));
        assert_eq!(pair.result.difference(), games[0] - games[1]);
        let difference = pair.seen_by("one").map(|(difference, _)| difference);
        assert_eq!(difference, Some(games[1] - games[0]));
        assert_eq!(pair.seen_by("nobody"), None);
    }
}

#[test]
fn half_a_pair_counts_no_pair() {
    let text = lines(&records(&sample_plan()));
    let last_game = text.rfind("{\"event\":\"game\"").expect("there are games");
    let of = one_match(&text[..last_game]);
    assert_eq!(of.games.len(), 7);
    assert_eq!(pairs(&of).count(), 3);
}
