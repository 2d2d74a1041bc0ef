//! Writes a report as JSON and CSV.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::cli::pairing_json::{self, interval};
use turnwise_arena::strength::elo::Pentanomial;
use turnwise_arena::strength::sprt::Running;
use turnwise_engine::statistics::{Estimate, Sample};
use turnwise_report::Match;
use turnwise_report::ranking::{Ranking, Rating};
use turnwise_report::rotations::seated;
use turnwise_report::standings::{Pairing, pairings, pondering, standings, test};

/// A list whose entries are created one at a time while the list is serialized.
///
/// This is necessary because all entries of a large tournament together would fill the memory.
struct List<F>(F);

impl<I: IntoIterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Writes all data about these matches as one line of JSON.
///
/// An estimate is an array with the value and both ends of the 95 % interval. With too few pairs for an interval, the
/// estimate is `null`.
pub(super) fn json(matches: &[Match], out: &mut dyn Write) -> io::Result<()> {
    let all = BTreeMap::from([("matches", List(|| matches.iter().map(MatchJson)))]);
    serde_json::to_writer(&mut *out, &all)?;
    out.write_all(b"\n")
}

struct MatchJson<'a>(&'a Match);

impl Serialize for MatchJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("title", &of.title())?;
        map.serialize_entry("occasion", &of.occasion())?;
        map.serialize_entry("conditions", &of.conditions())?;
        map.serialize_entry("sources", &of.sources)?;
        // These are the settings in the header of the match's first log.
        map.serialize_entry("settings", &of.header)?;
        map.serialize_entry("ranking", &of.ranking().map(RankingJson))?;
        match of.is_at_tables() {
            true => map.serialize_entry("standings", &List(|| seated_json(of)))?,
            false => map.serialize_entry("standings", &List(|| standings_json(of)))?,
        }
        map.serialize_entry("pairings", &List(|| pairings_json(of)))?;
        map.serialize_entry("test", &test(of).as_ref().map(pairing_json::test))?;
        map.serialize_entry("participants", &List(|| participants_of(of)))?;
        map.serialize_entry("pondered", &List(|| pondered_json(of)))?;
        map.serialize_entry("faults", &List(|| faults_json(of)))?;
        map.serialize_entry("verdict", &of.verdict())?;
        map.serialize_entry("notes", &of.notes)?;
        map.end()
    }
}

fn standings_json(of: &Match) -> impl Iterator<Item = Value> {
    let game = &of.header.game;
    let mean = |sample: &Sample| (sample.count() > 0).then(|| sample.mean());
    standings(of).into_iter().map(move |standing| {
        json!({
            "agent": standing.agent,
            "games": standing.games,
            "pairs": standing.pairs.count(),
            "pairs_won_drawn_lost": standing.pairs.pairs.wins_draws_losses(),
            "points": standing.pairs.mean_and_ends(game.about().scoring),
            "by_role": standing.by_role.each_ref().map(mean),
            "faults": standing.faults,
        })
    })
}

/// Returns the results of each agent in games with more than two players.
fn seated_json(of: &Match) -> impl Iterator<Item = Value> {
    seated(of).into_iter().map(|seated| {
        json!({
            "agent": seated.agent,
            "games": seated.games,
            "rotations": seated.won.count(),
            "won": seated.won.estimate().map(interval),
            "first": seated.first,
            "faults": seated.faults,
        })
    })
}

/// Returns the agents that computed while their opponents were to move, as far as this is worth a word.
fn pondered_json(of: &Match) -> impl Iterator<Item = Value> {
    pondering(of).into_iter().map(|pondered| {
        json!({
            "agent": pondered.agent,
            "cpu_s": pondered.seconds,
            "opponents_s": pondered.opponents,
        })
    })
}

/// Returns the states of a tournament's participants, in the order of the log.
fn participants_of(of: &Match) -> impl Iterator<Item = Value> {
    of.participations.iter().map(|participation| {
        json!({
            "state": participation.record,
            "games": participation.games,
            "superseded": participation.superseded,
        })
    })
}

fn faults_json(of: &Match) -> impl Iterator<Item = Value> {
    let games = of.games.iter();
    let faults = games.flat_map(|game| game.faults().iter().map(move |fault| (game, fault)));
    faults.map(|(game, fault)| {
        json!({
            "pair": game.pair,
            "game": game.game,
            "agent": &fault.agent,
            "role": fault.role,
            "kind": fault.kind.name(),
            "what": &fault.what,
        })
    })
}

fn pairings_json(of: &Match) -> impl Iterator<Item = Value> {
    let game = &of.header.game;
    pairings(of).into_iter().map(|met| {
        let mut pairing = pairing_json::pairing(met.first, met.second, &met.tally, game);
        pairing["luck"] = luck(&met);
        pairing
    })
}

/// Serializes a ranking as JSON: places, ratings with intervals, and for each participant the first and last place of
/// the neighbors that the results cannot distinguish from it.
struct RankingJson<'a>(&'a Ranking);

impl Serialize for RankingJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let smallest_difference = self.0.smallest_difference;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("participants", &List(|| participants_json(self.0)))?;
        let unit = match self.0.is_at_tables {
            true => "smallest_difference_points",
            false => "smallest_difference_elo",
        };
        map.serialize_entry(unit, &smallest_difference)?;
        map.serialize_entry("tie_break", &self.0.tie_breaks)?;
        map.end()
    }
}

fn participants_json(ranking: &Ranking) -> impl Iterator<Item = Value> {
    let rating = |rating: Rating| {
        json!({
            "value": rating.value,
            "interval": rating.estimate.map(|estimate| [estimate.lower, estimate.upper]),
        })
    };
    ranking.ranked.iter().enumerate().map(move |(at, ranked)| {
        json!({
            "place": ranked.place,
            "participant": &ranked.agent,
            "elo": rating(ranked.elo),
            "points_rating": ranked.points.map(rating),
            "pairs_won_drawn_lost": Pentanomial(ranked.pairs.pairs).wins_draws_losses(),
            "faults": ranked.faults,
            "is_out": ranked.is_out,
            "indistinguishable_places": ranking.alike(at).map(|ends| ends.map(|end| end.place)),
        })
    })
}

/// Serializes a name so that spreadsheet programs read it as text. If the name would be read as a formula, an
/// apostrophe is placed before it.
fn as_text<S: Serializer>(name: &&str, serializer: S) -> Result<S::Ok, S::Error> {
    match name.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => serializer.serialize_str(&format!("'{name}")),
        false => serializer.serialize_str(name),
    }
}

/// A value with its interval, as three columns. Unknown values are empty.
type Columns = [Option<f64>; 3];

/// Returns the columns of an estimate.
fn columns(estimate: Option<Estimate>) -> Columns {
    let ends = estimate.map(interval);
    [0, 1, 2].map(|at| ends.map(|ends| ends[at]))
}

/// Returns rows as CSV after a row of column names. Without rows, returns nothing.
fn table(names: &str, rows: impl Iterator<Item: Serialize>) -> anyhow::Result<String> {
    let mut writer = csv::WriterBuilder::new();
    let mut writer = writer.has_headers(false).from_writer(Vec::new());
    let mut rows = rows.peekable();
    if rows.peek().is_some() {
        writer.write_record(names.split(','))?;
    }
    rows.try_for_each(|row| writer.serialize(row))?;
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// A row of the CSV file with a tournament's ranking, for one participant.
#[derive(Serialize)]
struct RankedRow<'a> {
    place: Option<usize>,
    #[serde(serialize_with = "as_text")]
    participant: &'a str,
    elo: Columns,
    points_rating: Columns,
    pairs_won_drawn_lost: [u64; 3],
    faults: usize,
    is_out: bool,
}

const RANKED_COLUMNS: &str = "place,participant,elo,elo_lower,elo_upper,points_rating,points_rating_lower,\
                              points_rating_upper,pairs_won,pairs_drawn,pairs_lost,faults,is_out";

/// Returns the ranking of a tournament as CSV. For other matches, returns nothing.
pub(super) fn ranking_csv(of: &Match) -> anyhow::Result<String> {
    let rated = |rating: Rating| {
        let [_, lower, upper] = columns(rating.estimate);
        [rating.value, lower, upper]
    };
    let ranked = of.ranking().into_iter().flat_map(|ranking| &ranking.ranked);
    let rows = ranked.map(|ranked| RankedRow {
        place: ranked.place,
        participant: &ranked.agent,
        elo: rated(ranked.elo),
        points_rating: ranked.points.map_or([None; 3], rated),
        pairs_won_drawn_lost: Pentanomial(ranked.pairs.pairs).wins_draws_losses(),
        faults: ranked.faults,
        is_out: ranked.is_out,
    });
    table(RANKED_COLUMNS, rows)
}

/// Returns the luck in the pairs of two agents as a JSON object, or null if the luck has not been analyzed.
fn luck(pairing: &Pairing) -> Value {
    let judged = &pairing.judged;
    if judged.is_empty() {
        return Value::Null;
    }
    let estimate = |of: fn(&(f64, f64)) -> f64| {
        let sample: Sample = judged.iter().map(of).collect();
        sample.estimate().map(interval)
    };
    json!({
        "pairs": judged.len(),
        "points": estimate(|(points, _)| *points),
        "luck": estimate(|(_, luck)| *luck),
        "without_luck": estimate(|(points, luck)| points - luck),
    })
}

/// A row of the CSV file with results, for two agents that played each other.
#[derive(Serialize)]
struct Row<'a> {
    /// The number of the match in the report, starting at 1.
    r#match: usize,
    game: &'static str,
    #[serde(serialize_with = "as_text")]
    first: &'a str,
    #[serde(serialize_with = "as_text")]
    second: &'a str,
    pairs: u64,
    pairs_won_drawn_lost: [u64; 3],
    points: Columns,
    elo: Columns,
    /// The log-likelihood ratio of the match's sequential test; `None` if the match has no such test.
    llr: Option<f64>,
    faults: [Option<u32>; 2],
}

const COLUMNS: &str = "match,game,first,second,pairs,pairs_won,pairs_drawn,pairs_lost,points,points_lower,points_upper,\
                       elo,elo_lower,elo_upper,llr,faults_first,faults_second";

/// Returns the rows for games with more than two players: one row for every two agents that played at the same table.
/// Rotations count as pairs, and points are points per game.
fn compared(number: usize, of: &Match) -> impl Iterator<Item = Row<'_>> {
    let ranking = of.ranking().into_iter();
    let encounters = ranking.flat_map(Ranking::encounters);
    encounters.map(move |(first, second, results)| {
        let [_, lower, upper] = columns(results.points.estimate());
        Row {
            r#match: number,
            game: of.header.game.title(),
            first: &of.header.agents[first].name,
            second: &of.header.agents[second].name,
            pairs: results.count(),
            pairs_won_drawn_lost: Pentanomial(results.pairs).wins_draws_losses(),
            points: [Some(results.points.mean()), lower, upper],
            elo: [None; 3],
            llr: None,
            faults: [None; 2],
        }
    })
}

/// Returns the rows for games with two players: one row for every two agents that played each other.
fn paired(number: usize, of: &Match) -> impl Iterator<Item = Row<'_>> {
    let llr = test(of).as_ref().map(Running::ratio);
    pairings(of).into_iter().map(move |pairing| {
        let tally = pairing.tally;
        Row {
            r#match: number,
            game: of.header.game.title(),
            first: pairing.first,
            second: pairing.second,
            pairs: tally.score.count(),
            pairs_won_drawn_lost: tally.score.pairs.wins_draws_losses(),
            points: (tally.score.mean_and_ends(of.header.game.about().scoring)).unwrap_or_default(),
            elo: columns(tally.score.pairs.elo()),
            llr,
            faults: tally.faults.map(Some),
        }
    })
}

/// Returns the results as CSV: a row for every two agents that played each other.
pub(super) fn csv(matches: &[Match]) -> anyhow::Result<String> {
    let rows = (1..).zip(matches).flat_map(|(number, of)| {
        let rows: Box<dyn Iterator<Item = Row>> = match of.is_at_tables() {
            true => Box::new(compared(number, of)),
            false => Box::new(paired(number, of)),
        };
        rows
    });
    table(COLUMNS, rows)
}
