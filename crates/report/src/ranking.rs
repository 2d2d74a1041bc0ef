//! The ranking of a tournament: who is better than whom, by how much, and who cannot be told apart.

use std::collections::HashMap;

use turnwise_arena::standings::signed;
use turnwise_arena::strength::elo::Pentanomial;
use turnwise_engine::plugin::Scoring;
use turnwise_engine::statistics::Estimate;
use turnwise_ranking::crosstable::{self, Crosstable, Results};
use turnwise_ranking::ratings::Ratings;
use turnwise_ranking::rotations::Rotations;
use turnwise_ranking::{bradley_terry, points};

use super::Match;
use super::rotations::rotations;
use super::standings::{Pair, pairs};
use super::tables::Table;

/// The most participants of a crosstable.
const MOST_COLUMNS: usize = 40;

/// So many names are listed that somebody cannot be told apart from; more are counted.
const MOST_NAMES: usize = 4;

/// A participant of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Its place, from 1; none for one that was sent away for its faults or has played nothing.
    pub place: Option<usize>,
    /// The name that it has in the match.
    pub agent: String,
    /// Its rating by games won and drawn, in Elo, with the 95 % interval; its middle alone if the pairs are too
    /// few for one.
    pub elo: Rating,
    /// The same by points, where games are not just won and lost.
    pub points: Option<Rating>,
    /// All its pairs; at tables of more than two, its comparisons with each of the others in each rotation.
    pub pairs: Results,
    /// Games that ended by its fault, or from which one put it out.
    pub faults: usize,
    /// True if it was at fault so often that it played no further meetings.
    pub is_out: bool,
}

/// A rating, and its interval if there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The rating; none without pairs.
    pub value: Option<f64>,
    /// The rating with its 95 % interval; none if the pairs are too few or too much alike for one.
    pub estimate: Option<Estimate>,
}

impl Rating {
    fn of(ratings: &Ratings, place: usize) -> Self {
        Self {
            value: ratings.value(place),
            estimate: ratings.estimate(place),
        }
    }

    fn text(self) -> String {
        match (self.estimate, self.value) {
            (Some(estimate), _) => signed(estimate, 0),
            (None, Some(value)) => format!("{value:+.0}"),
            (None, None) => "-".to_owned(),
        }
    }
}

/// A ranking, and how far it can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The participants, the best first; those without a place last.
    pub ranked: Vec<Ranked>,
    /// How far neighbours must be apart so that the pairs played can show it: in Elo, or at tables of more than two
    /// in points a game.
    pub smallest_difference: Option<f64>,
    /// True if more than two sit at a table. Then places go by points, else by Elo.
    pub is_at_tables: bool,
    /// What places go by, by places in the header, as the results.
    by: Ratings,
    /// By places in the header.
    results: Crosstable,
    /// Places in the header, in the order of the ranking.
    order: Vec<usize>,
}

/// The ranking of a match, if it is a tournament; [`Match::ranking`] has it without computing it again.
pub(crate) fn ranking(of: &Match) -> Option<Ranking> {
    let held = of.header.tournament.as_ref()?;
    let agents = &of.header.agents;
    let most_faults = held.get("faults").and_then(serde_json::Value::as_u64);
    let most_faults = most_faults.map_or(usize::MAX, |faults| faults as usize);
    let places: HashMap<&str, usize> = agents.iter().map(|agent| &*agent.name).zip(0..).collect();
    let is_at_tables = of.is_at_tables();
    let (results, elo, by_points) = match is_at_tables {
        true => of_rotations(of, &places)?,
        false => of_pairs(of, &places)?,
    };
    let mut faults = vec![0; agents.len()];
    for fault in of
        .games
        .iter()
        .flat_map(|game| game.record.charged_faults())
    {
        if let Some(&place) = places.get(&*fault.agent) {
            faults[place] += 1;
        }
    }
    let is_out = |place: usize| faults[place] >= most_faults;
    let by = match by_points.as_ref().filter(|_| is_at_tables) {
        Some(points) => points,
        None => &elo,
    };
    let played = by.order();
    let mut order: Vec<usize> = played
        .iter()
        .copied()
        .filter(|&place| !is_out(place))
        .collect();
    let in_places = order.len();
    order.extend(played.iter().copied().filter(|&place| is_out(place)));
    order.extend((0..agents.len()).filter(|&place| by.value(place).is_none()));
    let totals = results.totals();
    let ranked = (0..).zip(&order).map(|(at, &place)| Ranked {
        place: (at < in_places).then_some(at + 1),
        agent: agents[place].name.clone(),
        elo: Rating::of(&elo, place),
        points: by_points.as_ref().map(|ratings| Rating::of(ratings, place)),
        pairs: totals[place],
        faults: faults[place],
        is_out: is_out(place),
    });
    Some(Ranking {
        ranked: ranked.collect(),
        smallest_difference: by.smallest_difference(),
        is_at_tables,
        by: by.clone(),
        results,
        order,
    })
}

/// Comparisons of participants by places in the header, their ratings in Elo, and those in points if there are some.
type Estimates = (Crosstable, Ratings, Option<Ratings>);

fn of_pairs(of: &Match, places: &HashMap<&str, usize>) -> Option<Estimates> {
    let entry = |pair: Pair<'_>| crosstable::Pair {
        first: places[pair.first],
        second: places[pair.second],
        category: pair.result.category,
        points: pair.result.difference(),
    };
    let results = Crosstable::new(places.len(), pairs(of).into_iter().map(entry)).ok()?;
    let elo = bradley_terry::elo(&results);
    let by_points = match of.header.game.about().scoring {
        Scoring::Points => Some(points::additive(&results)),
        Scoring::Win => None,
    };
    Some((results, elo, by_points))
}

fn of_rotations(of: &Match, places: &HashMap<&str, usize>) -> Option<Estimates> {
    let all = rotations(of).into_iter().map(|rotation| {
        let won = rotation.won.into_iter();
        won.map(|(agent, won)| (places[agent], won)).collect()
    });
    let rotations = Rotations::new(places.len(), all.collect()).ok()?;
    Some((
        rotations.comparisons(),
        rotations.elo(),
        Some(rotations.points()),
    ))
}

impl Ranking {
    /// In a sentence, how far it can be trusted.
    pub fn trust(&self) -> String {
        match self.smallest_difference {
            Some(points) if self.is_at_tables => format!(
                "Neighbours must be about {points:.0} points a game apart so that the rotations played can tell them apart."
            ),
            None if self.is_at_tables => {
                "The rotations are too few or too much alike to tell anybody apart.".to_owned()
            }
            Some(elo) => format!(
                "Neighbours must be about {elo:.0} Elo apart so that the pairs played can tell them apart."
            ),
            None => "The pairs are too few or too much alike to tell anybody apart.".to_owned(),
        }
    }

    /// Who is not proved to be better or worse, by what places go by, than the one of [`ranked`](Self::ranked) at this index,
    /// best first; nobody if that one has no place. Of a thousand participants all together would be a million.
    pub fn not_told_apart_from(&self, at: usize) -> impl Iterator<Item = &str> {
        let has_place = |at: &usize| self.ranked[*at].place.is_some();
        let is_alike = move |other: &usize| {
            let [one, other] = [at, *other].map(|at| self.order[at]);
            one != other && !self.by.are_distinguishable(one, other)
        };
        let others = if has_place(&at) { self.ranked.len() } else { 0 };
        (0..others)
            .filter(has_place)
            .filter(is_alike)
            .map(|other| &*self.ranked[other].agent)
    }

    /// Each two that have met, by their places in the header, and the results of the first of them.
    pub fn encounters(&self) -> impl Iterator<Item = (usize, usize, &Results)> {
        self.results.encounters()
    }

    /// The ranking as a table.
    pub fn table(&self) -> Table {
        let rows = self.ranked.iter().enumerate().map(|(at, ranked)| {
            let [won, drawn, lost] = Pentanomial(ranked.pairs.pairs).wins_draws_losses();
            let place = match (ranked.place, ranked.is_out) {
                (Some(place), _) => place.to_string(),
                (None, true) => "out".to_owned(),
                (None, false) => "-".to_owned(),
            };
            let alike: Vec<&str> = self.not_told_apart_from(at).collect();
            let alike = match alike.len() {
                count if count > MOST_NAMES => format!("{count} others"),
                _ => alike.join(", "),
            };
            let mut ratings: Vec<String> = [Some(ranked.elo), ranked.points]
                .into_iter()
                .flatten()
                .map(Rating::text)
                .collect();
            if self.is_at_tables {
                ratings.reverse();
            }
            let mut row = vec![place, ranked.agent.clone()];
            row.extend(ratings);
            row.extend([won, drawn, lost, ranked.faults as u64].map(|count| count.to_string()));
            row.push(alike);
            row
        });
        let has_points = self.ranked.iter().any(|ranked| ranked.points.is_some());
        let (header, words): (_, &'static [usize]) = match has_points {
            _ if self.is_at_tables => (
                "place | participant | points a game | Elo | ahead | level | behind | faults | not told apart from",
                &[1, 8],
            ),
            true => (
                "place | participant | Elo | points | won | drawn | lost | faults | not told apart from",
                &[1, 8],
            ),
            false => (
                "place | participant | Elo | won | drawn | lost | faults | not told apart from",
                &[1, 7],
            ),
        };
        Table {
            title: "Ranking",
            header: header.split(" | ").map(str::to_owned).collect(),
            words,
            rows: rows.collect(),
        }
    }

    /// Pairs won of each against each, draws as halves; at tables of more than two, points a game that one won more than
    /// the other. None if they are too many for a table.
    pub(crate) fn crosstable(&self) -> Option<Table> {
        if self.ranked.len() > MOST_COLUMNS {
            return None;
        }
        let columns = (1..=self.ranked.len()).map(|number| number.to_string());
        let header = ["".to_owned(), "participant".to_owned()]
            .into_iter()
            .chain(columns);
        let rows =
            (1..)
                .zip(self.ranked.iter().zip(&self.order))
                .map(|(number, (ranked, &one))| {
                    let mut row = vec![format!("{number}"), ranked.agent.clone()];
                    row.extend(self.order.iter().map(
                        |&other| match self.results.between(one, other) {
                            _ if one == other => "×".to_owned(),
                            Some(results) if self.is_at_tables => {
                                ahead(results.points.estimate(), results.points.mean())
                            }
                            Some(results) => {
                                let [won, drawn, lost] =
                                    Pentanomial(results.pairs).wins_draws_losses();
                                score(2 * won + drawn, won + drawn + lost)
                            }
                            None => String::new(),
                        },
                    ));
                    row
                });
        Some(Table {
            title: "Crosstable",
            header: header.collect(),
            words: &[1],
            rows: rows.collect(),
        })
    }
}

/// By how many points a game one is ahead, as `+12 ± 5`, or as `+12` without an interval.
fn ahead(estimate: Option<Estimate>, mean: f64) -> String {
    // Of nothing there is no negative.
    let mean = mean + 0.0;
    match estimate {
        Some(estimate) => format!("{mean:+.0} ± {:.0}", estimate.upper - mean),
        None => format!("{mean:+.0}"),
    }
}

/// Pairs won of those played, draws as halves, as in `1½/2`.
fn score(halves: u64, pairs: u64) -> String {
    let half = if halves % 2 == 1 { "½" } else { "" };
    let whole = match (halves / 2, half) {
        (0, "½") => String::new(),
        (whole, _) => whole.to_string(),
    };
    format!("{whole}{half}/{pairs}")
}
