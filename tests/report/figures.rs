//! Means, intervals and standings against numbers worked out elsewhere.

use turnwise::report::standings::{pairings, pairs, standings};
use turnwise::report::summary::{Mean, student_quantile};
use turnwise::report::tables::with_interval;

use super::sample::{lines, records};
use super::{faults_plan, one_match, sample_plan};

#[test]
fn student_quantiles_are_the_published_ones() {
    // Fisher and Yates, Statistical Tables, two-sided 5 %.
    let published = [
        (1, 12.706),
        (2, 4.303),
        (5, 2.571),
        (10, 2.228),
        (11, 2.201),
        (15, 2.131),
        (20, 2.086),
        (30, 2.042),
        (40, 2.021),
        (60, 2.000),
        (120, 1.980),
    ];
    for (degrees, expected) in published {
        let got = student_quantile(degrees);
        assert!((got - expected).abs() < 0.00051, "{degrees}: {got}");
    }
    assert!((student_quantile(10_000_000) - 1.959_964).abs() < 1e-5);
}

#[test]
fn an_interval_is_the_textbook_one() {
    // Mean 5, sum of squares 32, variance 32/7, t(7) = 2.3646: 2.3646 * sqrt(32/7/8) = 1.7875.
    let mean: Mean = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
        .into_iter()
        .collect();
    assert_eq!(mean.count(), 8);
    assert_eq!(mean.mean(), Some(5.0));
    assert!((mean.half_width().expect("eight figures") - 1.7875).abs() < 1e-4);
    assert_eq!(with_interval(&mean), "+5.00 ± 1.79");
    let one: Mean = [-3.0].into_iter().collect();
    assert_eq!(with_interval(&one), "-3.00");
    assert_eq!(with_interval(&Mean::default()), "-");
}

#[test]
fn standings_add_up() {
    for plan in [sample_plan(), faults_plan()] {
        let of = one_match(&lines(&records(&plan)));
        let pairs = pairs(&of);
        assert_eq!(pairs.len() * 2, of.games.len());
        let table = standings(&of);
        assert_eq!(table.len(), plan.names.len());
        let sum = |count: fn(&turnwise::report::standings::Standing) -> usize| -> usize {
            table.iter().map(count).sum()
        };
        assert_eq!(sum(|row| row.games), 2 * of.games.len());
        assert_eq!(sum(|row| row.as_order.count()), of.games.len());
        assert_eq!(sum(|row| row.as_chaos.count()), of.games.len());
        assert_eq!(sum(|row| row.pairs.won), sum(|row| row.pairs.lost));
        assert_eq!(sum(|row| row.pairs.difference.count()), 2 * pairs.len());
        assert_eq!(sum(|row| row.faults), plan.faults.len());
        let means: Vec<f64> = (table.iter())
            .map(|row| row.pairs.difference.mean().expect("all have played"))
            .collect();
        assert!(means.is_sorted_by(|a, b| a >= b), "{means:?}");
        let agents = plan.names.len();
        assert_eq!(pairings(&of).len(), agents * (agents - 1) / 2);
    }
}

#[test]
fn a_pairs_difference_is_game_one_less_game_two() {
    let of = one_match(&lines(&records(&sample_plan())));
    let scores: Vec<f64> = (of.games.iter())
        .map(|game| f64::from(game.record.order_score))
        .collect();
    for (pair, games) in pairs(&of).iter().zip(scores.chunks(2)) {
        assert_eq!((pair.first, pair.second), ("three", "one"));
        assert_eq!(pair.difference, games[0] - games[1]);
        assert_eq!(pair.difference_for("one"), Some(games[1] - games[0]));
        assert_eq!(pair.difference_for("nobody"), None);
    }
}

#[test]
fn half_a_pair_counts_no_pair() {
    let text = lines(&records(&sample_plan()));
    let last_game = text.rfind("{\"event\":\"game\"").expect("there are games");
    let of = one_match(&text[..last_game]);
    assert_eq!(of.games.len(), 7);
    assert_eq!(pairs(&of).len(), 3);
}
