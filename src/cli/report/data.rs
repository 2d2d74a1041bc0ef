//! A report for programs: JSON and CSV.

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::pairing_json::{self, interval};
use turnwise_arena::strength::elo::Pentanomial;
use turnwise_arena::strength::pair::happened;
use turnwise_arena::strength::sprt::Running;
use turnwise_engine::statistics::Sample;
use turnwise_report::Match;
use turnwise_report::ranking::{Ranking, Rating};
use turnwise_report::standings::{Pairing, pairings, standings, test};

/// Everything about some matches. An estimate is its value and the ends of its 95 % interval, null without
/// enough pairs.
pub(super) fn json(matches: &[Match]) -> Value {
    let matches: Vec<Value> = matches.iter().map(match_json).collect();
    json!({ "matches": matches })
}

fn match_json(of: &Match) -> Value {
    let game = &of.header.game;
    let mean = |sample: &Sample| (sample.count() > 0).then(|| sample.mean());
    let standings = standings(of).into_iter().map(|standing| {
        json!({
            "agent": standing.agent,
            "games": standing.games,
            "pairs": standing.pairs.count(),
            "pairs_won_drawn_lost": standing.pairs.pairs.wins_draws_losses(),
            "points": standing.pairs.estimate(game.about().scoring).map(interval),
            "by_role": standing.by_role.each_ref().map(mean),
            "faults": standing.faults,
        })
    });
    let faults = of.games.iter().filter_map(|played| {
        let fault = played.record.fault.as_ref()?;
        Some(json!({
            "pair": played.record.pair,
            "game": played.record.game,
            "agent": &fault.agent,
            "role": game.about().role(&fault.role),
            "kind": fault.kind.name(),
            "what": happened(fault),
        }))
    });
    let pairings = pairings(of).into_iter().map(|met| {
        let mut pairing = pairing_json::pairing(met.first, met.second, &met.tally(), game);
        pairing["luck"] = luck(&met);
        pairing
    });
    json!({
        "title": of.title(),
        "conditions": of.conditions(),
        "sources": &of.sources,
        // The first log's header.
        "settings": &of.header,
        "ranking": of.ranking().map(ranking_json),
        "standings": standings.collect::<Vec<_>>(),
        "pairings": pairings.collect::<Vec<_>>(),
        "test": test(of).as_ref().map(pairing_json::test),
        "faults": faults.collect::<Vec<_>>(),
        // Those that the logs end with.
        "verdicts": &of.verdicts,
        "notes": &of.notes,
    })
}

/// Places, ratings with their intervals, and who cannot be told apart.
fn ranking_json(ranking: &Ranking) -> Value {
    let rating = |rating: Rating| {
        json!({
            "value": rating.value,
            "interval": rating.estimate.map(|estimate| [estimate.lower, estimate.upper]),
        })
    };
    let participants = ranking.ranked.iter().map(|ranked| {
        json!({
            "place": ranked.place,
            "participant": &ranked.agent,
            "elo": rating(ranked.elo),
            "points": ranked.points.map(rating),
            "pairs_won_drawn_lost": Pentanomial(ranked.pairs.pairs).wins_draws_losses(),
            "faults": ranked.faults,
            "is_out": ranked.is_out,
            "not_told_apart_from": &ranked.alike,
        })
    });
    json!({
        "participants": participants.collect::<Vec<_>>(),
        "smallest_difference_elo": ranking.smallest_difference,
    })
}

/// A participant of a tournament as a row. What is not known is empty.
#[derive(Serialize)]
struct RankedRow<'a> {
    place: Option<usize>,
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

/// A row for each participant of a tournament, below the names of the columns; nothing for another match.
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

/// Only of pairs whose draws have been judged; null without any.
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

/// One pairing as a row. What is not known is empty.
#[derive(Serialize)]
struct Row<'a> {
    /// The number of the match, from 1.
    r#match: usize,
    game: &'static str,
    first: &'a str,
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
    /// Of the match's sequential test.
    llr: Option<f64>,
    faults_first: u32,
    faults_second: u32,
}

/// A row for every two agents that met, below the names of the columns.
pub(super) fn csv(matches: &[Match]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (number, of) in (1..).zip(matches) {
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
                faults_first: tally.faults[0],
                faults_second: tally.faults[1],
            })?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
