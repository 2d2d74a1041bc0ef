//! Writes a report as JSON and CSV.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::cli::pairing_json::{self, interval};
use turnwise_arena::strength::elo::Pentanomial;
use turnwise_arena::strength::pair::happened;
use turnwise_arena::strength::sprt::Running;
use turnwise_engine::statistics::Sample;
use turnwise_report::Match;
use turnwise_report::ranking::{Ranking, Rating};
use turnwise_report::rotations::seated;
use turnwise_report::standings::{Pairing, pairings, pondering, standings, test};

/// A list whose entries are created one at a time during serialization.
///
/// All entries of a large tournament would fill the memory.
struct List<F>(F);

impl<I: IntoIterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Writes all data about some matches as one line of JSON.
///
/// An estimate is its value and the ends of its 95 % interval; `null` without enough pairs.
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
        map.serialize_entry("conditions", &of.conditions())?;
        map.serialize_entry("sources", &of.sources)?;
        // The header of the first log.
        map.serialize_entry("settings", &of.header)?;
        map.serialize_entry("ranking", &of.ranking().map(RankingJson))?;
        match of.is_at_tables() {
            true => map.serialize_entry("standings", &List(|| seated_json(of)))?,
            false => map.serialize_entry("standings", &List(|| standings_json(of)))?,
        }
        map.serialize_entry("pairings", &List(|| pairings_json(of)))?;
        map.serialize_entry("test", &test(of).as_ref().map(pairing_json::test))?;
        map.serialize_entry("pondered", &List(|| pondered_json(of)))?;
        map.serialize_entry("faults", &List(|| faults_json(of)))?;
        // The verdicts at the end of the logs.
        map.serialize_entry("verdicts", &of.verdicts)?;
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
            "points": standing.pairs.estimate(game.about().scoring).map(interval),
            "by_role": standing.by_role.each_ref().map(mean),
            "faults": standing.faults,
        })
    })
}

/// Returns each agent's results per game at tables of more than two.
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

/// Returns the agents whose CPU time on their opponents' turns exceeds 1 %.
fn pondered_json(of: &Match) -> impl Iterator<Item = Value> {
    pondering(of).into_iter().map(|pondered| {
        json!({
            "agent": pondered.agent,
            "cpu_s": pondered.seconds,
            "opponents_s": pondered.opponents,
        })
    })
}

fn faults_json(of: &Match) -> impl Iterator<Item = Value> {
    let game = &of.header.game;
    let games = of.games.iter();
    let faults = games.flat_map(|played| played.record.faults().map(move |fault| (played, fault)));
    faults.map(|(played, fault)| {
        json!({
            "pair": played.record.pair,
            "game": played.record.game,
            "agent": &fault.agent,
            "role": game.about().role(&fault.role),
            "kind": fault.kind.name(),
            "what": happened(fault),
        })
    })
}

fn pairings_json(of: &Match) -> impl Iterator<Item = Value> {
    let game = &of.header.game;
    pairings(of).into_iter().map(|met| {
        let mut pairing = pairing_json::pairing(met.first, met.second, &met.tally(), game);
        pairing["luck"] = luck(&met);
        pairing
    })
}

/// A ranking: places, ratings with intervals, and indistinguishable participants.
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
            "points": ranked.points.map(rating),
            "pairs_won_drawn_lost": Pentanomial(ranked.pairs.pairs).wins_draws_losses(),
            "faults": ranked.faults,
            "is_out": ranked.is_out,
            "not_told_apart_from": ranking.not_told_apart_from(at).collect::<Vec<_>>(),
        })
    })
}

/// Serializes an outside name as text for spreadsheets: adds an apostrophe before a first character that would start a
/// formula.
fn as_text<S: Serializer>(name: &&str, serializer: S) -> Result<S::Ok, S::Error> {
    match name.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => serializer.serialize_str(&format!("'{name}")),
        false => serializer.serialize_str(name),
    }
}

/// A participant's row in a tournament's ranking. Unknown values are empty.
#[derive(Serialize)]
struct RankedRow<'a> {
    place: Option<usize>,
    #[serde(serialize_with = "as_text")]
    participant: &'a str,
    elo: Option<f64>,
    elo_lower: Option<f64>,
    elo_upper: Option<f64>,
    points: Option<f64>,
    points_lower: Option<f64>,
    points_upper: Option<f64>,
    pairs_won: u64,
    pairs_drawn: u64,
    pairs_lost: u64,
    faults: usize,
    is_out: bool,
}

/// Returns a tournament's ranking as CSV with a header; no rows for other matches.
pub(super) fn ranking_csv(of: &Match) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for ranked in of.ranking().iter().flat_map(|ranking| &ranking.ranked) {
        let [pairs_won, pairs_drawn, pairs_lost] =
            Pentanomial(ranked.pairs.pairs).wins_draws_losses();
        let points = ranked.points;
        let by_points = points.and_then(|points| points.estimate);
        writer.serialize(RankedRow {
            place: ranked.place,
            participant: &ranked.agent,
            elo: ranked.elo.value,
            elo_lower: ranked.elo.estimate.map(|elo| elo.lower),
            elo_upper: ranked.elo.estimate.map(|elo| elo.upper),
            points: points.and_then(|points| points.value),
            points_lower: by_points.map(|points| points.lower),
            points_upper: by_points.map(|points| points.upper),
            pairs_won,
            pairs_drawn,
            pairs_lost,
            faults: ranked.faults,
            is_out: ranked.is_out,
        })?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Returns the luck of a pairing's judged pairs, or null if no draws have been judged.
fn luck(pairing: &Pairing) -> Value {
    let judged = (pairing.pairs.iter())
        .filter_map(|pair| Some((pair.result.difference(), pair.luck?)))
        .collect::<Vec<_>>();
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

/// A row for a pairing. Unknown values are empty.
#[derive(Serialize)]
struct Row<'a> {
    /// The number of the match, from 1.
    r#match: usize,
    game: &'static str,
    #[serde(serialize_with = "as_text")]
    first: &'a str,
    #[serde(serialize_with = "as_text")]
    second: &'a str,
    pairs: u64,
    pairs_won: u64,
    pairs_drawn: u64,
    pairs_lost: u64,
    points: Option<f64>,
    points_lower: Option<f64>,
    points_upper: Option<f64>,
    elo: Option<f64>,
    elo_lower: Option<f64>,
    elo_upper: Option<f64>,
    /// The log-likelihood ratio of the match's sequential test.
    llr: Option<f64>,
    faults_first: Option<u32>,
    faults_second: Option<u32>,
}

/// Returns rows for agents that shared tables; rotations count as pairs, and points are per game.
fn compared<'a>(number: usize, of: &'a Match) -> impl Iterator<Item = Row<'a>> {
    let ranking = of.ranking().into_iter();
    let encounters = ranking.flat_map(Ranking::encounters);
    encounters.map(move |(first, second, results)| {
        let [pairs_won, pairs_drawn, pairs_lost] = Pentanomial(results.pairs).wins_draws_losses();
        let points = results.points.estimate();
        Row {
            r#match: number,
            game: of.header.game.title(),
            first: &of.header.agents[first].name,
            second: &of.header.agents[second].name,
            pairs: results.count(),
            pairs_won,
            pairs_drawn,
            pairs_lost,
            points: Some(results.points.mean()),
            points_lower: points.map(|points| points.lower),
            points_upper: points.map(|points| points.upper),
            elo: None,
            elo_lower: None,
            elo_upper: None,
            llr: None,
            faults_first: None,
            faults_second: None,
        }
    })
}

/// Returns a CSV row for every two agents that met, with a header.
pub(super) fn csv(matches: &[Match]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (number, of) in (1..).zip(matches) {
        if of.is_at_tables() {
            compared(number, of).try_for_each(|row| writer.serialize(row))?;
            continue;
        }
        let llr = test(of).as_ref().map(Running::ratio);
        for pairing in pairings(of) {
            let tally = pairing.tally();
            let [pairs_won, pairs_drawn, pairs_lost] = tally.score.pairs.wins_draws_losses();
            let points = tally.score.estimate(of.header.game.about().scoring);
            let elo = tally.score.pairs.elo();
            writer.serialize(Row {
                r#match: number,
                game: of.header.game.title(),
                first: pairing.first,
                second: pairing.second,
                pairs: tally.score.count(),
                pairs_won,
                pairs_drawn,
                pairs_lost,
                points: points.map(|points| points.value),
                points_lower: points.map(|points| points.lower),
                points_upper: points.map(|points| points.upper),
                elo: elo.map(|elo| elo.value),
                elo_lower: elo.map(|elo| elo.lower),
                elo_upper: elo.map(|elo| elo.upper),
                llr,
                faults_first: Some(tally.faults[0]),
                faults_second: Some(tally.faults[1]),
            })?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
