//! A report for programs: JSON and CSV.

use serde::Serialize;

use crate::cli::pairing_json::{PairingJson, TestJson, interval};
use turnwise_arena::records::Settings;
use turnwise_arena::strength::pair::happened;
use turnwise_arena::strength::sprt::Running;
use turnwise_engine::statistics::Sample;
use turnwise_report::Match;
use turnwise_report::standings::{Pairing, pairings, standings, test};

/// A match. An estimate is its value and the ends of its 95 % interval, null without enough pairs.
#[derive(Serialize)]
struct MatchJson<'a> {
    title: String,
    conditions: String,
    sources: &'a [String],
    /// The first log's header.
    settings: &'a Settings,
    standings: Vec<StandingJson<'a>>,
    pairings: Vec<PairingWithLuck<'a>>,
    test: Option<TestJson>,
    faults: Vec<FaultJson<'a>>,
    /// The verdicts that the logs end with.
    verdicts: &'a [String],
    notes: &'a [String],
}

#[derive(Serialize)]
struct StandingJson<'a> {
    agent: &'a str,
    games: usize,
    pairs: u64,
    pairs_won_drawn_lost: [u64; 3],
    points: Option<[f64; 3]>,
    /// Mean scores in both roles.
    by_role: [Option<f64>; 2],
    faults: usize,
}

#[derive(Serialize)]
struct PairingWithLuck<'a> {
    #[serde(flatten)]
    pairing: PairingJson<'a>,
    luck: Option<LuckJson>,
}

/// Only of pairs whose draws have been judged.
#[derive(Serialize)]
struct LuckJson {
    pairs: u64,
    points: Option<[f64; 3]>,
    luck: Option<[f64; 3]>,
    without_luck: Option<[f64; 3]>,
}

#[derive(Serialize)]
struct FaultJson<'a> {
    pair: u32,
    game: u8,
    agent: &'a str,
    role: &'static str,
    kind: &'static str,
    what: String,
}

/// Everything about some matches.
pub(super) fn json(matches: &[Match]) -> serde_json::Value {
    let matches: Vec<MatchJson> = matches.iter().map(match_json).collect();
    serde_json::json!({ "matches": matches })
}

fn match_json(of: &Match) -> MatchJson<'_> {
    let game = &of.header.game;
    let mean = |sample: &Sample| (sample.count() > 0).then(|| sample.mean());
    let standings = standings(of).into_iter().map(|standing| StandingJson {
        agent: standing.agent,
        games: standing.games,
        pairs: standing.pairs.count(),
        pairs_won_drawn_lost: standing.pairs.pairs.wins_draws_losses(),
        points: standing.pairs.estimate(game.about().scoring).map(interval),
        by_role: standing.by_role.each_ref().map(mean),
        faults: standing.faults,
    });
    let faults = of.games.iter().filter_map(|played| {
        let fault = played.record.fault.as_ref()?;
        Some(FaultJson {
            pair: played.record.pair,
            game: played.record.game,
            agent: &fault.agent,
            role: game.about().role(&fault.role),
            kind: fault.kind.name(),
            what: happened(fault),
        })
    });
    let pairings = pairings(of).into_iter().map(|pairing| PairingWithLuck {
        pairing: PairingJson::new([pairing.first, pairing.second], &pairing.tally(), game),
        luck: luck(&pairing),
    });
    MatchJson {
        title: of.title(),
        conditions: of.conditions(),
        sources: &of.sources,
        settings: &of.header,
        standings: standings.collect(),
        pairings: pairings.collect(),
        test: test(of).as_ref().map(TestJson::new),
        faults: faults.collect(),
        verdicts: &of.verdicts,
        notes: &of.notes,
    }
}

fn luck(pairing: &Pairing) -> Option<LuckJson> {
    let judged = (pairing.pairs.iter())
        .filter_map(|pair| Some((pair.result.difference(), pair.luck?)))
        .collect::<Vec<_>>();
    let estimate = |of: fn(&(f64, f64)) -> f64| {
        let sample: Sample = judged.iter().map(of).collect();
        sample.estimate().map(interval)
    };
    (!judged.is_empty()).then(|| LuckJson {
        pairs: judged.len() as u64,
        points: estimate(|(points, _)| *points),
        luck: estimate(|(_, luck)| *luck),
        without_luck: estimate(|(points, luck)| points - luck),
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
