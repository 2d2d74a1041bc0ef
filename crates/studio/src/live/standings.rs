//! The standings that spectators see beside the games.

use serde::Serialize;
use turnwise_report::Match;
use turnwise_report::standings::standings as of_pairs;

use super::json;

/// The maximum number of participants in the standings.
const MOST_ROWS: usize = 10;

/// The standings in the JSON format that spectators receive.
#[derive(Serialize)]
struct Told<'a> {
    /// The unit of the ratings.
    unit: &'static str,
    /// The best participants, best first.
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    /// The place, starting at 1; `None` for a participant that has no results or is out.
    place: Option<usize>,
    name: &'a str,
    /// The rating as text; `None` for a participant without results.
    rating: Option<String>,
    games: usize,
}

/// Returns the standings of a match as JSON: the ranking of a tournament, or else the mean points of the agents' pairs.
pub(super) fn standings(of: &Match) -> String {
    json(&match of.ranking() {
        Some(ranking) => Told {
            unit: match ranking.is_at_tables {
                true => "Points",
                false => "Elo",
            },
            rows: (ranking.ranked.iter().take(MOST_ROWS))
                .map(|ranked| {
                    let points = ranked.points.filter(|_| ranking.is_at_tables);
                    Row {
                        place: ranked.place,
                        name: &ranked.agent,
                        rating: (points.unwrap_or(ranked.elo).value)
                            .map(|value| format!("{:+}", value.round() + 0.0)),
                        games: ranked.games,
                    }
                })
                .collect(),
        },
        None => {
            let all = of_pairs(of);
            let is_level =
                |one: usize, other: usize| all[one].pairs.best_first(&all[other].pairs).is_eq();
            let rows = (0..all.len().min(MOST_ROWS)).map(|at| {
                let standing = &all[at];
                let has_results = standing.pairs.count() > 0;
                let first = (0..at).find(|&other| is_level(other, at)).unwrap_or(at);
                Row {
                    place: has_results.then_some(first + 1),
                    name: standing.agent,
                    rating: has_results.then(|| format!("{:+.2}", standing.pairs.points.mean())),
                    games: standing.games,
                }
            });
            Told {
                unit: "Points",
                rows: rows.collect(),
            }
        }
    })
}
