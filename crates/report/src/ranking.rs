//! Computes the ranking of a tournament: how strong the participants are, and how certain the differences are.

use std::ops::Range;

use turnwise_arena::standings::{plus, signed};
use turnwise_arena::strength::elo::Pentanomial;
use turnwise_engine::plugin::Scoring;
use turnwise_engine::statistics::Estimate;
use turnwise_ranking::crosstable::{self, Crosstable, Results};
use turnwise_ranking::ratings::Ratings;
use turnwise_ranking::rotations::Rotations;
use turnwise_ranking::ties::{TieBreak, places};
use turnwise_ranking::{bradley_terry, points};

use super::Match;
use super::played::Played;
use super::rotations::rotations;
use super::standings::{Pair, pairs};
use super::tables::Table;

/// The maximum number of participants for which a crosstable is shown.
const MOST_COLUMNS: usize = 40;

/// The maximum number of indistinguishable participants that a row lists by name; if there are more, the row states
/// their places.
const MOST_NAMES: usize = 4;

/// A participant of a tournament, with its place and its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The place in the ranking, starting at 1. Participants with equal ratings share a place, unless a tie-break of the
    /// tournament separates them. `None` for a participant that played no games or that has too many
    /// faults.
    pub place: Option<usize>,
    /// The participant's name in the match.
    pub agent: String,
    /// The rating in Elo, computed from the pairs won, drawn and lost.
    pub elo: Rating,
    /// The rating in points a pair, or in points a game at tables. `None` if games are only won or lost.
    pub points: Option<Rating>,
    /// The results of all pairs. In games with more than two players, each rotation counts as one comparison with each
    /// opponent, and these are the results of the comparisons.
    pub pairs: Results,
    /// The number of games that the participant played.
    pub games: usize,
    /// The number of games in which the participant was at fault.
    pub faults: usize,
    /// True if the participant was withdrawn because of too many faults.
    pub is_out: bool,
}

/// A participant's rating, with its confidence interval if one is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The rating; `None` if the participant has no results.
    pub value: Option<f64>,
    /// The rating with its 95 % confidence interval; `None` if there are too few results for an interval, or if the
    /// results are too similar.
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
            (None, Some(value)) => plus(value, 0),
            (None, None) => "-".to_owned(),
        }
    }
}

/// The ranking of a tournament, with data about how certain the places are.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The participants, best first; those without a place come last.
    pub ranked: Vec<Ranked>,
    /// The smallest difference between two neighbors in the ranking that the played pairs can distinguish from chance.
    /// The unit is Elo, or points per game if games have more than two players.
    pub smallest_difference: Option<f64>,
    /// True if games have more than two players. The ratings in points then determine the places; otherwise, the
    /// ratings in Elo do.
    pub is_at_tables: bool,
    /// For each participant with a place, the participants that the results do not distinguish from it.
    alike: Vec<Alike>,
    /// The rules that separate participants with equal ratings, in the order in which they apply.
    pub tie_breaks: Vec<TieBreak>,
    /// The results of every two participants against each other. The participants are identified by indices in the
    /// header.
    results: Crosstable,
    /// For each entry of [`Self::ranked`], the participant's index in the header.
    order: Vec<usize>,
}

/// The participants that the results do not distinguish from a participant, as indices in [`Ranking::ranked`].
#[derive(Debug, Clone, PartialEq)]
struct Alike {
    /// The smallest range that contains the participant and all participants alike.
    range: Range<usize>,
    /// The participants alike, if the range is short enough to list their names.
    few: Option<Vec<usize>>,
}

/// Computes the ranking of a tournament; returns `None` for other matches. Call [`Match::ranking`] instead, which
/// stores the result.
pub(crate) fn ranking(of: &Match) -> Option<Ranking> {
    let held = of.header.tournament.as_ref()?;
    let agents = &of.header.agents;
    let most_faults = held.get("faults").and_then(serde_json::Value::as_u64);
    let most_faults = most_faults.map_or(usize::MAX, |faults| faults as usize);
    let is_at_tables = of.is_at_tables();
    let (results, elo, by_points) = match is_at_tables {
        true => of_rotations(of)?,
        false => of_pairs(of)?,
    };
    let faults = of.charged_faults();
    let mut games = vec![0; agents.len()];
    for player in of.games.iter().flat_map(Played::players) {
        games[player] += 1;
    }
    let is_out = |place: usize| faults[place] >= most_faults;
    let by = match by_points.as_ref().filter(|_| is_at_tables) {
        Some(points) => points,
        None => &elo,
    };
    let played = by.order();
    let field: Vec<usize> = played
        .iter()
        .copied()
        .filter(|&place| !is_out(place))
        .collect();
    let tie_breaks = held.get("tie_break").cloned().map(serde_json::from_value);
    let tie_breaks: Vec<TieBreak> = tie_breaks.and_then(Result::ok).unwrap_or_default();
    let placed = places(&field, by, &results, &tie_breaks);
    let mut order: Vec<usize> = placed.iter().map(|&(_, one)| one).collect();
    let in_places = order.len();
    order.extend(played.iter().copied().filter(|&place| is_out(place)));
    order.extend((0..agents.len()).filter(|&place| by.value(place).is_none()));
    let totals = results.totals();
    let ranked = (0..).zip(&order).map(|(at, &place)| Ranked {
        place: placed.get(at).map(|&(place, _)| place),
        agent: agents[place].name.clone(),
        elo: Rating::of(&elo, place),
        points: by_points.as_ref().map(|ratings| Rating::of(ratings, place)),
        pairs: totals[place],
        games: games[place],
        faults: faults[place],
        is_out: is_out(place),
    });
    let alike = by.alike(&order[..in_places]).into_iter().enumerate();
    let alike = alike.map(|(at, range)| {
        let is_alike =
            |&other: &usize| other != at && !by.are_distinguishable(order[at], order[other]);
        let few = range.len() <= MOST_NAMES + 1;
        Alike {
            few: few.then(|| range.clone().filter(is_alike).collect()),
            range,
        }
    });
    Some(Ranking {
        ranked: ranked.collect(),
        smallest_difference: by.smallest_difference(),
        is_at_tables,
        tie_breaks,
        alike: alike.collect(),
        results,
        order,
    })
}

/// The results of every two participants against each other, the ratings in Elo, and the ratings in points if there are
/// any. Participants are identified by indices in the header.
type Estimates = (Crosstable, Ratings, Option<Ratings>);

fn place(of: &Match, name: &str) -> usize {
    of.place(name)
        .expect("the header lists the agents of all games")
}

fn of_pairs(of: &Match) -> Option<Estimates> {
    let entry = |pair: Pair<'_>| crosstable::Pair {
        first: place(of, pair.first),
        second: place(of, pair.second),
        category: pair.result.category,
        points: pair.result.difference(),
    };
    let results = Crosstable::new(of.header.agents.len(), pairs(of).map(entry)).ok()?;
    let elo = bradley_terry::elo(&results);
    let by_points = match of.header.game.about().scoring {
        Scoring::Points => Some(points::additive(&results)),
        Scoring::Win => None,
    };
    Some((results, elo, by_points))
}

fn of_rotations(of: &Match) -> Option<Estimates> {
    let all = rotations(of).into_iter().map(|rotation| {
        let won = rotation.won.into_iter();
        won.map(|(agent, won)| (place(of, agent), won)).collect()
    });
    let rotations = Rotations::new(of.header.agents.len(), all.collect()).ok()?;
    Some((
        rotations.comparisons(),
        rotations.elo(),
        Some(rotations.points()),
    ))
}

impl Ranking {
    /// Returns sentences about how far the ranking can be trusted.
    ///
    /// They state how large the difference between neighbors must be to be significant, and which places equal ratings
    /// have if the tournament has tie-breaks or shared places.
    pub fn trust(&self) -> String {
        self.smallest() + &self.ties()
    }

    /// Returns a sentence, with a leading space, about the places of equal ratings; empty if all ratings differ and
    /// there are no tie-breaks.
    fn ties(&self) -> String {
        let names: Vec<&str> = self.tie_breaks.iter().map(|it| it.name()).collect();
        let placed = self.ranked.iter().filter(|ranked| ranked.place.is_some());
        let placed: Vec<&Ranked> = placed.collect();
        let is_shared = placed.windows(2).any(|two| two[0].place == two[1].place);
        match names.is_empty() {
            true if is_shared => " Equal ratings share a place.".to_owned(),
            true => String::new(),
            false => format!(
                " Tie-breaks between equal ratings: {}; those still equal share a place.",
                names.join(", then ")
            ),
        }
    }

    fn smallest(&self) -> String {
        match self.smallest_difference {
            Some(points) if self.is_at_tables => format!(
                "The rotations played can distinguish neighbors at least about {points:.0} points a game apart."
            ),
            None if self.is_at_tables => {
                "The rotations are too few or too similar to distinguish anybody.".to_owned()
            }
            Some(elo) => {
                format!(
                    "The pairs played can distinguish neighbors at least about {elo:.0} Elo apart."
                )
            }
            None => "The pairs are too few or too similar to distinguish anybody.".to_owned(),
        }
    }

    /// Returns the best and the last participant that are indistinguishable from one.
    ///
    /// `at` is the index of the participant in [`ranked`](Self::ranked). The range includes this participant. Returns
    /// `None` if the participant has no place.
    pub fn alike(&self, at: usize) -> Option<[&Ranked; 2]> {
        let range = &self.alike.get(at)?.range;
        Some([range.start, range.end - 1].map(|at| &self.ranked[at]))
    }

    /// Formats the participants that the results do not distinguish from a participant: names, or a range of places if
    /// there may be many.
    fn alike_text(&self, at: usize) -> String {
        if let Some(few) = self.alike.get(at).and_then(|alike| alike.few.as_ref()) {
            let names: Vec<&str> = few
                .iter()
                .map(|&other| &*self.ranked[other].agent)
                .collect();
            return names.join(", ");
        }
        match self.alike(at).map(|ends| ends.map(|end| end.place)) {
            Some([Some(first), Some(last)]) => format!("places {first} to {last}"),
            _ => String::new(),
        }
    }

    /// Returns every two participants that played each other, as indices in the header, with the results from the first
    /// participant's point of view.
    pub fn encounters(&self) -> impl Iterator<Item = (usize, usize, &Results)> {
        self.results.encounters()
    }

    /// Formats the ranking as a table with one row for each participant.
    pub fn table(&self) -> Table {
        let rows = self.ranked.iter().enumerate().map(|(at, ranked)| {
            let [won, drawn, lost] = Pentanomial(ranked.pairs.pairs).wins_draws_losses();
            let place = match (ranked.place, ranked.is_out) {
                (Some(place), _) => place.to_string(),
                (None, true) => "out".to_owned(),
                (None, false) => "-".to_owned(),
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
            row.push(self.alike_text(at));
            row
        });
        let has_points = self.ranked.iter().any(|ranked| ranked.points.is_some());
        let (header, words): (_, &'static [usize]) = match has_points {
            _ if self.is_at_tables => (
                "place | participant | points rating | Elo | ahead | level | behind | faults | not told apart from",
                &[1, 8],
            ),
            true => (
                "place | participant | Elo | points rating | won | drawn | lost | faults | not told apart from",
                &[1, 8],
            ),
            false => (
                "place | participant | Elo | won | drawn | lost | faults | not told apart from",
                &[1, 7],
            ),
        };
        Table::new("Ranking", header, words, rows)
    }

    /// Returns for each participant the rating that determines its place, with both ends of its interval: lower end,
    /// rating, upper end. They are equal if no interval is known. `None` for a participant without results.
    pub(crate) fn intervals(&self) -> Vec<Option<[f64; 3]>> {
        let interval = |ranked: &Ranked| {
            let points = ranked.points.filter(|_| self.is_at_tables);
            let Rating { value, estimate } = points.unwrap_or(ranked.elo);
            let value = value?;
            let ends = estimate.map_or([value; 2], |estimate| [estimate.lower, estimate.upper]);
            Some([ends[0], value, ends[1]])
        };
        self.ranked.iter().map(interval).collect()
    }

    /// Returns for every two participants how far one is ahead of the other, from -1 (the first lost everything) to 1
    /// (it won everything). In games with more than two players, the largest lead of the tournament counts as 1. Rows
    /// and columns are in the order of the ranking; `None` for participants that have not met.
    pub(crate) fn leads(&self) -> Vec<Vec<Option<f64>>> {
        let most = self
            .encounters()
            .map(|(_, _, results)| results.points.mean().abs());
        let most = most.fold(f64::MIN_POSITIVE, f64::max);
        let lead = |one: usize, other: usize| {
            let results = self.results.between(one, other)?;
            match self.is_at_tables {
                true => Some(results.points.mean() / most),
                false => Some(2.0 * results.score()? - 1.0),
            }
        };
        let row = |&one: &usize| self.order.iter().map(|&other| lead(one, other)).collect();
        self.order.iter().map(row).collect()
    }

    /// Creates a table with the number of pairs that each participant won against each opponent; a draw counts half. If
    /// games have more than two players, the table shows the differences in points per game instead. Returns `None` if
    /// there are too many participants.
    pub(crate) fn crosstable(&self) -> Option<Table> {
        if self.ranked.len() > MOST_COLUMNS {
            return None;
        }
        let columns = (1..=self.ranked.len()).map(|number| number.to_string());
        let header = ["#".to_owned(), "participant".to_owned()]
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

/// Formats a participant's lead over an opponent, in points per game, as `+12 ± 5`, or as `+12` if no interval is
/// known.
fn ahead(estimate: Option<Estimate>, mean: f64) -> String {
    match estimate {
        Some(estimate) => format!("{} ± {:.0}", plus(mean, 0), estimate.upper - mean),
        None => plus(mean, 0),
    }
}

/// Formats the number of half points won in a number of pairs. For example, `score(3, 2)`, which means three half
/// points in two pairs, returns `1½/2`.
fn score(halves: u64, pairs: u64) -> String {
    let half = if halves % 2 == 1 { "½" } else { "" };
    let whole = match (halves / 2, half) {
        (0, "½") => String::new(),
        (whole, _) => whole.to_string(),
    };
    format!("{whole}{half}/{pairs}")
}
