//! The standings of a match as the arena's user sees them: a line, a page of text, or JSON.

use std::fmt::Write;

use serde::Serialize;

use crate::arena::sprt::{Running, Verdict};
use crate::arena::standings::{Pairing, Standings, signed};
use crate::cli::table::table_of_names;
use crate::records::{Role, Sprt};
use crate::statistics::Estimate;

/// The state in half a line, for a progress bar.
pub fn in_short(standings: &Standings) -> String {
    let Some(duel) = standings.duel() else {
        let league = standings.league();
        return match league.first() {
            Some(line) if standings.pairs() > 0 => format!("{} leads", line.agent),
            _ => "no estimate yet".to_owned(),
        };
    };
    let mut text = or_dash(duel.points.estimate(), "no estimate yet");
    if let Some(test) = standings.test() {
        let _ = write!(text, ", {}", ratio(test));
    }
    text
}

/// Everything, for people.
pub fn text(standings: &Standings) -> String {
    let mut text = match standings.duel() {
        Some(duel) => duel_text(standings, duel),
        None => league_text(standings),
    };
    if let Some(test) = standings.test() {
        let Sprt {
            unit,
            lower,
            upper,
            alpha,
            beta,
        } = test.test();
        let _ = writeln!(
            text,
            "test    {} {lower} against {upper}, alpha {alpha}, beta {beta}: {}",
            unit.name(),
            ratio(test)
        );
    }
    let _ = writeln!(text, "verdict {}", standings.verdict());
    text
}

fn ratio(test: &Running) -> String {
    let (low, high) = test.test().bounds();
    format!("LLR {:.2} ({low:.2}, {high:.2})", test.ratio())
}

fn or_dash(estimate: Option<Estimate>, dash: &str) -> String {
    estimate.map_or_else(|| dash.to_owned(), signed)
}

fn duel_text(standings: &Standings, duel: &Pairing) -> String {
    let [first, second] = [&standings.names()[0], &standings.names()[1]];
    let pairs = duel.points.count();
    let [won, drawn, lost] = duel.pairs.wins_draws_losses();
    let scale = match standings.first_role() {
        Role::Black | Role::White => "; 1: both games won, 0: one each, -1: both lost",
        Role::Order | Role::Chaos => "",
    };
    let points = duel.points.estimate().map_or("-".to_owned(), |points| {
        format!("{} points a pair for {first} (95 %){scale}", signed(points))
    });
    let elo = duel.pairs.elo().map_or("-".to_owned(), |elo| {
        format!("{} Elo for {first} (95 %, from pairs)", signed(elo))
    });
    let in_role = duel.role_points.map(|sum| sum / pairs.max(1) as f64);
    let role = standings.first_role().name();
    let [games_won, games_drawn, games_lost] = duel.games;
    let mut text = format!(
        "{first} against {second}: {pairs} pairs, {games} games\n\
         points  {points}\n        \
         as {role}: {first} {:.2}, {second} {:.2}\n\
         pairs   {won} won, {drawn} drawn, {lost} lost\n\
         games   {games_won} won, {games_drawn} drawn, {games_lost} lost\n\
         elo     {elo}\n\
         time    {first} {:.2} s wall, {:.2} s CPU; {second} {:.2} s wall, {:.2} s CPU",
        in_role[0],
        in_role[1],
        duel.wall_s[0],
        duel.cpu_s[0],
        duel.wall_s[1],
        duel.cpu_s[1],
        games = 2 * pairs,
    );
    if duel.timed < pairs {
        let _ = write!(text, " (in the {} pairs played just now)", duel.timed);
    }
    text.push('\n');
    if let Some(faults) = faults(standings) {
        let _ = writeln!(text, "FAULTS  {faults}");
    }
    text
}

/// The score of a match of two in games, of which a drawn one is half won by either; a game of Entropy
/// has no winner of its own.
pub fn score(standings: &Standings) -> Option<String> {
    if !matches!(standings.first_role(), Role::Black | Role::White) {
        return None;
    }
    let [first, second] = [&standings.names()[0], &standings.names()[1]];
    let [won, drawn, lost] = standings.duel()?.games;
    let points = |wins: u64| wins as f64 + drawn as f64 / 2.0;
    let games = won + drawn + lost;
    Some(format!(
        "{first} {} : {} {second}, {games} games",
        points(won),
        points(lost)
    ))
}

/// Whose faults ended games, if there were any.
pub fn faults(standings: &Standings) -> Option<String> {
    let league = standings.league();
    let counts = standings.names().iter().filter_map(|name| {
        let line = league.iter().find(|line| line.agent == name)?;
        Some((name, line.faults))
    });
    let counts: Vec<_> = counts.collect();
    let any = counts.iter().any(|&(_, faults)| faults > 0);
    let shown: Vec<String> = (counts.iter())
        .map(|(name, faults)| format!("{name} {faults}"))
        .collect();
    any.then(|| format!("{}; the log says why", shown.join(", ")))
}

fn league_text(standings: &Standings) -> String {
    let mut league = table_of_names(&[
        "agent",
        "pairs",
        "won",
        "drawn",
        "lost",
        "points a pair (95 %)",
        "faults",
    ]);
    for line in standings.league() {
        let mut row = vec![line.agent.to_owned(), line.points.count().to_string()];
        row.extend(line.pairs.map(|count| count.to_string()));
        row.push(or_dash(line.points.estimate(), "-"));
        row.push(line.faults.to_string());
        league.add_row(row);
    }
    let mut meetings = table_of_names(&[
        "pairing",
        "won",
        "drawn",
        "lost",
        "points a pair (95 %)",
        "Elo (95 %)",
    ]);
    for (first, second, result) in standings.pairings() {
        let mut row = vec![format!("{first} - {second}")];
        row.extend(
            result
                .pairs
                .wins_draws_losses()
                .map(|count| count.to_string()),
        );
        row.push(or_dash(result.points.estimate(), "-"));
        row.push(or_dash(result.pairs.elo(), "-"));
        meetings.add_row(row);
    }
    format!("{league}\n\n{meetings}\n")
}

/// One pairing for programs; an infinite end of an interval is null.
#[derive(Serialize)]
struct PairingJson<'a> {
    first: &'a str,
    second: &'a str,
    pairs: u64,
    pairs_won_drawn_lost: [u64; 3],
    pentanomial: [u64; 5],
    points: Option<[f64; 3]>,
    elo: Option<[f64; 3]>,
    games_won_drawn_lost: [u64; 3],
    first_role: &'static str,
    role_points: [f64; 2],
    faults: [u32; 2],
    timed_pairs: u64,
    wall_s: [f64; 2],
    cpu_s: [f64; 2],
}

/// Value, lower and upper end.
fn interval(estimate: Estimate) -> [f64; 3] {
    [estimate.value, estimate.lower, estimate.upper]
}

/// Everything, for programs.
pub fn json(standings: &Standings) -> serde_json::Value {
    let pairings: Vec<_> = standings
        .pairings()
        .map(|(first, second, result)| PairingJson {
            first,
            second,
            pairs: result.points.count(),
            pairs_won_drawn_lost: result.pairs.wins_draws_losses(),
            pentanomial: result.pairs.0,
            points: result.points.estimate().map(interval),
            elo: result.pairs.elo().map(interval),
            games_won_drawn_lost: result.games,
            first_role: standings.first_role().name(),
            role_points: result.role_points,
            faults: result.faults,
            timed_pairs: result.timed,
            wall_s: result.wall_s,
            cpu_s: result.cpu_s,
        })
        .collect();
    let test = standings.test().map(|test| {
        let verdict = test.verdict().map(|(verdict, _)| match verdict {
            Verdict::Lower => "H0",
            Verdict::Upper => "H1",
        });
        serde_json::json!({
            "llr": test.ratio(),
            "bounds": test.test().bounds(),
            "accepted": verdict,
        })
    });
    serde_json::json!({
        "pairs": standings.pairs(),
        "pairs_wanted": standings.wanted(),
        "pairings": pairings,
        "test": test,
        "verdict": standings.verdict(),
    })
}
