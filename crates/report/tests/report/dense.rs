//! Compares the ratings of the logs of all games with dense matrices.

#[path = "../../../ranking/tests/ranking/dense.rs"]
mod reference;

use reference::{Unit, dense};
use turnwise_games::GAMES;
use turnwise_ranking::crosstable::{Crosstable, Pair};
use turnwise_report::logs::read;
use turnwise_report::merge;
use turnwise_report::standings::pairs;

use super::data;

#[test]
fn ratings_of_logged_games_are_those_of_dense_matrices() {
    let mut compared = 0;
    for folder in ["../golden", "."] {
        for entry in std::fs::read_dir(data(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let log = std::fs::read(&path).expect("a file");
            // One log is of a game that only an example adds.
            let Ok(log) = read(&log[..], GAMES) else {
                continue;
            };
            let mut of = merge([("log".to_owned(), log)]).remove(0);
            let tournament = serde_json::from_str(r#"{"tie_break": ["points", "buchholz"]}"#);
            of.header.tournament = Some(tournament.expect("fields"));
            let text = of.ranking().expect("a tournament").trust();
            assert!(
                text.contains("equal ratings: points, then buchholz"),
                "{text}"
            );
            let place = |name: &str| {
                let mut agents = of.header.agents.iter();
                agents
                    .position(|agent| agent.name == name)
                    .expect("an agent")
            };
            let all = pairs(&of).map(|pair| Pair {
                first: place(pair.first),
                second: place(pair.second),
                category: pair.result.category,
                points: pair.result.difference(),
            });
            let table = Crosstable::new(of.header.agents.len(), all).expect("pairs");
            let [elo, points] = [Unit::Elo, Unit::Points].map(|unit| dense(&table, unit));
            for ranked in &of.ranking().expect("a tournament").ranked {
                let one = place(&ranked.agent);
                let ratings = [(Some(ranked.elo), &elo), (ranked.points, &points)];
                for (rating, expected) in ratings {
                    let Some(value) = rating.and_then(|rating| rating.value) else {
                        continue;
                    };
                    let apart = value - expected.values[one];
                    assert!(apart.abs() < 0.01, "{}: {apart}", path.display());
                    let half = expected.covariance.as_ref().map(|all| all[one][one].sqrt());
                    let found = rating.and_then(|rating| rating.estimate);
                    assert_eq!(found.is_some(), half.is_some(), "{}", path.display());
                    if let Some((found, half)) = found.zip(half) {
                        let apart = found.upper - found.value - expected.quantile * half;
                        assert!(apart.abs() < 0.01, "{}: {apart}", path.display());
                    }
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 10, "{compared}");
}
