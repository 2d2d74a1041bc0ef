//! Creates the tables of a match, with texts as cells. The terminal output and the page determine their layout.

use serde::Serialize;
use turnwise_engine::statistics::{Estimate, Sample};

use super::Match;
use super::rotations::seated;
use super::standings::{Pairing, pairings, pondering, standings};
use turnwise_arena::standings::{plus, signed};
use turnwise_arena::strength::elo::Pentanomial;
use turnwise_arena::strength::tally::Score;

/// The number of digits of a version that are shown.
pub const SHORT_VERSION: usize = 8;

/// A table whose cells are texts, without any layout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// The heading above the table.
    pub title: &'static str,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The indices of the columns that contain words; the other columns contain numbers.
    pub words: &'static [usize],
    /// The cells' texts, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table from the names of its columns, written like `agent | games`, and its rows.
    pub(crate) fn new(
        title: &'static str,
        columns: &str,
        words: &'static [usize],
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            title,
            header: columns.split(" | ").map(str::to_owned).collect(),
            words,
            rows: rows.collect(),
        }
    }
}

/// Returns the tables of a match: its results, the details, and the faults. Empty tables are omitted.
pub fn tables(of: &Match) -> Vec<Table> {
    let mut tables = results_of(of);
    tables.extend(details_of(of));
    tables.extend(filled([faults_table(of)]));
    tables
}

/// Returns the tables that state who won: for a tournament, a ranking and a crosstable; for another match, standings,
/// pairings and, after a luck analysis, luck. Empty tables are omitted.
pub(crate) fn results_of(of: &Match) -> Vec<Table> {
    match of.ranking() {
        Some(ranking) => filled([ranking.table()].into_iter().chain(ranking.crosstable())),
        None => filled([standings_table(of), pairings_table(of), luck_table(of)]),
    }
}

/// Returns the tables that explain the results: the standings of a tournament, its programs' versions, and pondering.
/// Empty tables are omitted.
pub(crate) fn details_of(of: &Match) -> Vec<Table> {
    let of_tournament = of.ranking().map(|ranking| {
        let standings = match ranking.is_at_tables {
            true => seated_table(of),
            false => standings_table(of),
        };
        [standings, versions_table(of)]
    });
    let of_tournament = of_tournament.into_iter().flatten();
    filled(of_tournament.chain([pondered_table(of)]))
}

fn filled(tables: impl IntoIterator<Item = Table>) -> Vec<Table> {
    let tables = tables.into_iter();
    tables.filter(|table| !table.rows.is_empty()).collect()
}

/// Formats the mean of a sample with its 95 % interval, for example as `+3.25 ± 1.20`, or as a dash if the sample is
/// empty.
pub fn with_interval(sample: &Sample) -> String {
    let (mean, half) = (sample.mean(), sample.half_width());
    match sample.count() {
        0 => "-".to_owned(),
        count if count == 1 || half == 0.0 => plus(mean, 2),
        _ => format!("{} ± {half:.2}", plus(mean, 2)),
    }
}

fn score(sample: &Sample) -> String {
    match sample.count() {
        0 => "-".to_owned(),
        _ => format!("{:.2}", sample.mean()),
    }
}

/// Returns the cells for the columns that the table of standings and the table of pairings have in common.
fn results(score: &Score, of: &Match) -> [String; 5] {
    let [won, drawn, lost] = (score.pairs.wins_draws_losses()).map(|count| count.to_string());
    [
        points(score, of),
        score.count().to_string(),
        won,
        drawn,
        lost,
    ]
}

/// Formats the mean number of points per pair with its interval. If the interval is centered on the mean, only half of
/// its width is shown; otherwise, both ends are shown.
fn points(score: &Score, of: &Match) -> String {
    let Some(estimate) = score.estimate(of.header.game.about().scoring) else {
        return with_interval(&score.points);
    };
    let value = score.points.mean();
    let (below, above) = (value - estimate.lower, estimate.upper - value);
    match (below - above).abs() < 1e-6 {
        true => format!("{} ± {below:.2}", plus(value, 2)),
        false => signed(Estimate { value, ..estimate }, 2),
    }
}

/// Formats the Elo difference between two agents with its interval, in whole points, from the first agent's point of
/// view.
fn elo(pairs: &Pentanomial) -> String {
    (pairs.elo()).map_or_else(|| "-".to_owned(), |elo| signed(elo, 0))
}

fn standings_table(of: &Match) -> Table {
    let rows = standings(of).into_iter().map(|standing| {
        let mut row = vec![standing.agent.to_owned()];
        row.extend(results(&standing.pairs, of));
        row.extend(standing.by_role.iter().map(score));
        row.extend([standing.games.to_string(), standing.faults.to_string()]);
        row
    });
    let [first, second] = of.header.game.roles();
    Table::new(
        "Standings",
        &format!(
            "agent | points a pair | pairs | won | drawn | lost | as {first} | as {second} | games | faults"
        ),
        &[0],
        rows,
    )
}

/// Returns the table of standings for a tournament whose games have more than two players.
fn seated_table(of: &Match) -> Table {
    let rows = seated(of).into_iter().map(|seated| {
        vec![
            seated.agent.to_owned(),
            with_interval(&seated.won),
            seated.won.count().to_string(),
            seated.games.to_string(),
            seated.first.to_string(),
            seated.faults.to_string(),
        ]
    });
    Table::new(
        "Standings",
        "agent | won a game | rotations | games | first | faults",
        &[0],
        rows,
    )
}

fn met(pairing: &Pairing) -> String {
    format!("{} against {}", pairing.first, pairing.second)
}

fn pairings_table(of: &Match) -> Table {
    let rows = pairings(of).into_iter().map(|pairing| {
        let mut row = vec![met(&pairing)];
        let score = pairing.tally.score;
        row.extend(results(&score, of));
        row.push(elo(&score.pairs));
        row
    });
    Table::new(
        "Pairings",
        "pairing | points a pair | pairs | won | drawn | lost | Elo",
        &[0],
        rows,
    )
}

fn luck_table(of: &Match) -> Table {
    let rows = pairings(of).into_iter().filter_map(|pairing| {
        let sample =
            |of: fn(&(f64, f64)) -> f64| with_interval(&pairing.judged.iter().map(of).collect());
        (!pairing.judged.is_empty()).then(|| {
            vec![
                met(&pairing),
                sample(|(points, _)| *points),
                sample(|(_, luck)| *luck),
                sample(|(points, luck)| points - luck),
                pairing.judged.len().to_string(),
            ]
        })
    });
    Table::new(
        "Luck of the tiles",
        "pairing | points a pair | of that, luck | without luck | pairs",
        &[0],
        rows,
    )
}

/// Returns the table of the programs' versions in a tournament, and of the participants that did not play.
fn versions_table(of: &Match) -> Table {
    let rows = of.participations.iter().map(|participation| {
        let record = &participation.record;
        let version = record.version.as_deref().unwrap_or("-");
        vec![
            record.agent.clone(),
            version.chars().take(SHORT_VERSION).collect(),
            record.since.clone(),
            participation.games.to_string(),
            participation.superseded.to_string(),
            record.absent.clone().unwrap_or_default(),
        ]
    });
    Table::new(
        "Versions of the programs",
        "participant | version | since | games | superseded | does not play because",
        &[0, 1, 2, 5],
        rows,
    )
}

fn pondered_table(of: &Match) -> Table {
    let rows = pondering(of).into_iter().map(|pondered| {
        vec![
            pondered.agent.to_owned(),
            format!("{:.2}", pondered.seconds),
            format!("{:.2}", pondered.opponents),
            format!("{:.1}", 100.0 * pondered.seconds / pondered.opponents),
        ]
    });
    Table::new(
        "Computed on opponents' time",
        "agent | CPU seconds | opponents' seconds | %",
        &[0],
        rows,
    )
}

fn faults_table(of: &Match) -> Table {
    let games = of.games.iter();
    let faults = games.flat_map(|game| game.faults().iter().map(move |fault| (game, fault)));
    let rows = faults.map(|(game, fault)| {
        vec![
            game.pair.to_string(),
            game.game.to_string(),
            fault.agent.clone(),
            fault.role.to_owned(),
            fault.kind.name().to_owned(),
            fault.what.clone(),
        ]
    });
    Table::new(
        "Faults",
        "pair | game | at fault | as | fault | what happened",
        &[2, 3, 4, 5],
        rows,
    )
}
