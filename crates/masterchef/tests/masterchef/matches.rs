//! Tests drafts at the referee's table against scores computed a second time from the log's text.

use std::collections::HashSet;

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use turnwise_engine::agent::Agent;
use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{self, AgentOptions, Beginning, GameRules, UntypedGame};
use turnwise_engine::search::{Control, Limits};
use turnwise_engine::table::Table;
use turnwise_engine::view::Grid;
use turnwise_masterchef::answer::run_to_the_end;
use turnwise_masterchef::match_game::{MasterChef, MasterChefTable};
use turnwise_masterchef::pools::{self, Family};
use turnwise_masterchef::solver;

use super::judged_games::played;

fn settings(family: Family, pool: u32) -> MasterChef {
    MasterChef { family, pool }
}

/// Reads a contestant of a log: the ID, and the worth to A and Bob in units of 10^-12.
fn contestant(line: &str) -> (String, [i128; 2]) {
    let fields: Vec<&str> = line.split(',').collect();
    let [id, capacity, a, b, "0"] = fields[..] else {
        panic!("{line}");
    };
    let millionths = |text: &str| -> i128 {
        let (whole, fraction) = text.split_once('.').expect("a point");
        assert_eq!(fraction.len(), 6, "{line}");
        format!("{whole}{fraction}").parse().expect("digits")
    };
    let worth = |happiness| millionths(capacity) * millionths(happiness);
    (id.to_owned(), [worth(a), worth(b)])
}

/// Computes the score of a complete draft from its log. The captains' picks alternate, and A is first.
fn naive_score(pool: &[Value], picks: &[String]) -> f64 {
    let lines = pool.iter().map(|line| line.as_str().expect("a line"));
    let contestants: Vec<_> = lines.map(contestant).collect();
    let power = |side: usize| -> i128 {
        let team: Vec<&String> = picks.iter().skip(side).step_by(2).collect();
        assert_eq!(team.len(), 5);
        let worth = team.iter().map(|pick| {
            let mut known = contestants.iter();
            known.find(|(id, _)| *id == **pick).expect("of the pool").1[side]
        });
        let digits: HashSet<_> = team.iter().map(|pick| pick.as_bytes()[4]).collect();
        let bonus = if digits.len() == 5 {
            120_000_000_000_000
        } else {
            0
        };
        worth.sum::<i128>() + bonus
    };
    ((power(0) - power(1)) as f64 / 1e10).round() / 100.0
}

#[test]
fn a_draft_of_random_picks_is_counted_as_the_text_counts() {
    for seed in 0..300 {
        let family = Family::ALL[seed as usize % Family::ALL.len()];
        let settings = settings(family, 11 + seed as u32 % 40);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut table = MasterChefTable::new(&settings, seed);
        let mut picks = Vec::new();
        while let Some(side) = table.turn() {
            assert_eq!(side, picks.len() % 2, "they pick in turn");
            let moves = table.legal_moves();
            assert_eq!(moves.len(), settings.pool as usize - picks.len());
            let &id = moves.choose(&mut random).expect("somebody is free");
            let text = table.notation(id);
            table.play(id);
            assert!(!table.is_legal(id) && !table.legal_moves().contains(&id));
            let stranger = random.random_range(0..10_000);
            assert!(!table.is_legal(stranger), "IDs have five digits");
            assert_eq!(table.objection(stranger), "no contestant has this ID");
            picks.push(text);
        }
        assert_eq!((picks.len(), table.plies_left()), (10, 0));
        let fields = table.outcome(None, None);
        let pool = fields.get("pool").and_then(Value::as_array);
        let expected = naive_score(pool.expect("it is logged"), &picks);
        let score = settings.meaning(&fields).expect("its own result").score;
        assert!((score - expected).abs() < 1e-9, "{score}, not {expected}");
        let mut open =
            plugin::AnyGame::open(&settings, Beginning::Logged(&fields)).expect("its log");
        for pick in &picks {
            open.follow(pick).expect("a legal pick");
        }
        let [a, b] = open.shown(false).measured[..] else {
            panic!("the power of both");
        };
        let difference = f64::from(a) - f64::from(b);
        assert!((difference - score).abs() <= 1.01, "{difference}, {score}");
    }
}

#[test]
fn both_captains_exact_come_to_the_value_of_the_pool_and_others_to_less() {
    for seed in 0..10 {
        let family = Family::ALL[seed as usize % Family::ALL.len()];
        let settings = settings(family, 16);
        let draft = pools::draft(&family.pool(16, seed));
        let value = solver::solve(&draft, &mut run_to_the_end).value;
        let value = draft.points(value.expect("it is solved")).approximate();
        let score = |captains| {
            let (fields, _) = played(&settings, seed, captains, |_, _, best| best);
            settings.meaning(&fields).expect("its own result").score
        };
        assert!((score(["turnwise", "turnwise"]) - value).abs() <= 0.005);
        for other in ["greedy", "random"] {
            assert!(score([other, "turnwise"]) <= value + 0.005, "{other}");
            assert!(score(["turnwise", other]) >= value - 0.005, "{other}");
        }
    }
}

#[test]
fn the_assignments_algorithms_play_as_the_solver_once_they_can_search_to_the_end() {
    for seed in 0..5 {
        let settings = settings(Family::Uniform, 12);
        let mut table = MasterChefTable::new(&settings, seed);
        for _ in 0..3 + seed % 2 {
            table.play(table.legal_moves()[0]);
        }
        let think = |name: &str, nodes| {
            let mut agent = settings.agent(name, &(), &AgentOptions::default(), seed);
            let limits = Limits {
                nodes,
                ..Limits::default()
            };
            let found = agent.think(table.position(), limits, &Control::new());
            (found.best, found.solved)
        };
        let exact = think("turnwise", u64::MAX);
        assert!(exact.1);
        assert_eq!(think("minimax", u64::MAX), exact);
        assert_eq!(think("ab", u64::MAX), exact);
        assert_eq!(think("minimax", 1), (think("greedy", 1).0, false));
    }
}

/// A function that changes a logged pool.
type Change<'a> = &'a dyn Fn(&mut Vec<String>);

/// Returns the data about a game as a log stores it, with this pool and score.
fn logged(pool: &[String], score: Value) -> Fields {
    Fields::of(&json!({"pool": pool, "a_score": score}))
}

#[test]
fn a_log_is_believed_no_more_than_the_rules_allow() {
    let settings = settings(Family::Uniform, 12);
    let fields = MasterChefTable::new(&settings, 1).outcome(None, None);
    let lines = fields
        .get("pool")
        .and_then(Value::as_array)
        .expect("it is logged");
    let lines = lines
        .iter()
        .map(|line| line.as_str().expect("a line").to_owned());
    let pool: Vec<String> = lines.collect();
    let objection = |change: Change, score: Value| {
        let mut pool = pool.clone();
        change(&mut pool);
        let fields = logged(&pool, score);
        // Showing the log must be harmless, whatever its content.
        if let Ok(mut open) = plugin::AnyGame::open(&settings, Beginning::Logged(&fields)) {
            assert!(open.follow("no ID").is_err());
            let Grid {
                columns, letters, ..
            } = open.shown(true).grid;
            assert_eq!(letters.chars().count() % columns, 0);
        }
        settings.meaning(&fields).map_err(|why| why.to_string())
    };
    let as_it_is: Change = &|_| {};
    assert!(objection(as_it_is, json!(-1120.0)).is_ok());
    for (score, part) in [
        (json!(1120.5), "1120.5"),
        (json!(-1e300), "score"),
        (json!("x"), ""),
    ] {
        let why = objection(as_it_is, score).expect_err("no score");
        assert!(why.contains(part), "{why}");
    }
    let changes: [(Change, &str); 6] = [
        (&|pool| pool.truncate(11), "a pool of 11"),
        (&|pool| pool[3] = pool[2].clone(), "occurs twice"),
        (&|pool| pool[0] += "\n1,1,1,1,0", "announces"),
        (
            &|pool| pool[0] = "12345,201,1,1,0".to_owned(),
            "out of range",
        ),
        (
            &|pool| pool[0] = "12345,1.0000001,0.0000000001,1,0".to_owned(),
            "six decimals",
        ),
        (
            &|pool| {
                pool[0] = "12345,1,1,1,1".to_owned();
                pool[1] = "12346,1,1,1,2".to_owned();
            },
            "nobody to be picked",
        ),
    ];
    for (change, part) in changes {
        let why = objection(change, json!(0.0)).expect_err(part);
        assert!(why.contains(part), "{why}");
    }
}

proptest! {
    #[test]
    fn no_logged_text_does_harm(
        pool in proptest::collection::vec("[0-9.,\\n-]{0,40}", 0..30),
        picks in proptest::collection::vec("[0-9]{0,12}|.{0,8}", 0..12),
        score in any::<f64>(),
    ) {
        let settings = settings(Family::Close, 20);
        let fields = logged(&pool, json!(score));
        prop_assert!(settings.meaning(&fields).is_err());
        if let Ok(mut open) = plugin::AnyGame::open(&settings, Beginning::Logged(&fields)) {
            for pick in &picks {
                prop_assert!(open.follow(pick).is_err());
            }
        }
    }
}
