//! Formats the standings of a match for the arena's user: as a line, a page of text, or JSON.

use std::fmt::Write;

use crate::cli::pairing_json;
use crate::console::table::{columns, fitted, table_of_names};
use turnwise_arena::records::Sprt;
use turnwise_arena::standings::{Standings, signed, unit};
use turnwise_arena::strength::sprt::Running;
use turnwise_arena::strength::tally::{Pondered, Tally};
use turnwise_engine::plugin::Scoring;
use turnwise_engine::statistics::Estimate;
use turnwise_engine::words::counted;

/// Returns a short summary of the standings, which is shown beside a progress bar.
pub fn in_short(standings: &Standings) -> String {
    let Some(duel) = standings.duel() else {
        let Some(lead) = standings.lead() else {
            return "no estimate yet".to_owned();
        };
        let by = or_dash(lead.points, "margin not yet known");
        return format!("{} ahead of {}, {by}", lead.leader, lead.runner_up);
    };
    let mut text = or_dash(standings.estimate(&duel.score), "no estimate yet");
    if let Some(test) = &standings.test {
        let _ = write!(text, ", {}", ratio(test));
    }
    text
}

/// Returns the standings of a match as a page of text.
pub fn text(standings: &Standings) -> String {
    let mut text = match standings.duel() {
        Some(duel) => duel_text(standings, duel),
        None => league_text(standings),
    };
    for Pondered {
        agent,
        seconds,
        opponents,
    } in standings.pondered()
    {
        let _ = writeln!(
            text,
            "ponder  {agent} used {seconds:.2} s of CPU time on its opponents' turns, {:.0} % of their \
             {opponents:.2} s; --ponder freeze suspends programs on these turns",
            100.0 * seconds / opponents
        );
    }
    for (about, warning) in warnings(standings) {
        let _ = writeln!(text, "{about:<8}{warning}");
    }
    if let Some(test) = &standings.test {
        let Sprt {
            unit: of,
            lower,
            upper,
            alpha,
            beta,
        } = test.test;
        let _ = writeln!(
            text,
            "test    {} ahead of {} by {lower} (H0) or {upper} {} (H1), alpha {alpha}, beta {beta}: {}",
            standings.name(0),
            standings.name(1),
            unit(of),
            ratio(test)
        );
    }
    let _ = writeln!(text, "verdict {}", standings.verdict());
    text
}

fn ratio(test: &Running) -> String {
    let (low, high) = test.test.bounds();
    format!("LLR {:.2} ({low:.2}, {high:.2})", test.ratio())
}

fn or_dash(estimate: Option<Estimate>, dash: &str) -> String {
    estimate.map_or_else(|| dash.to_owned(), |it| signed(it, 2))
}

fn duel_text(standings: &Standings, duel: &Tally) -> String {
    let [first, second] = [0, 1].map(|place| standings.name(place));
    let pairs = duel.score.count();
    let [won, drawn, lost] = duel.score.pairs.wins_draws_losses();
    let scale = match standings.settings.game.about().scoring {
        Scoring::Win => "; 1: both games won, 0: one each, -1: both lost",
        Scoring::Points => "",
    };
    let points = match standings.estimate(&duel.score) {
        Some(points) => format!(
            "{} points a pair for {first} (95 %){scale}",
            signed(points, 2)
        ),
        // After the first pair, the mean is known, but an interval needs more pairs.
        None if pairs > 0 => format!("{:+.2} points a pair for {first}", duel.score.points.mean()),
        None => "-".to_owned(),
    };
    let elo = duel.score.pairs.elo().map_or("-".to_owned(), |elo| {
        format!("{} Elo for {first} (95 %, from pairs)", signed(elo, 2))
    });
    let in_role = duel.role_points.map(|sum| sum / pairs.max(1) as f64);
    let role = standings.settings.game.roles()[0];
    let [games_won, games_drawn, games_lost] = duel.games;
    let mut text = format!(
        "{first} against {second}: {}, {} games\n\
         points  {points}\n        \
         as {role}: {first} {:.2}, {second} {:.2}\n\
         pairs   {won} won, {drawn} drawn, {lost} lost\n\
         games   {games_won} won, {games_drawn} drawn, {games_lost} lost\n\
         elo     {elo}\n\
         time    {first} {:.2} s wall, {:.2} s CPU; {second} {:.2} s wall, {:.2} s CPU",
        counted(pairs, "pair"),
        2 * pairs,
        in_role[0],
        in_role[1],
        duel.wall_s[0],
        duel.cpu_s[0],
        duel.wall_s[1],
        duel.cpu_s[1],
    );
    if duel.timed < pairs {
        let _ = write!(
            text,
            " (in the {} of this run)",
            counted(duel.timed, "pair")
        );
    }
    text.push('\n');
    let unit = (standings.settings.game.about().victory).map_or("", |victory| victory.margin);
    for (name, goals) in [first, second].into_iter().zip(&duel.goals) {
        if let Some(([moves, margin], least)) = goals.means().zip(goals.least_margin) {
            let _ = writeln!(
                text,
                "goals   {name} {}: {moves:.1} own moves, won by {margin:.1} {unit}, the closest by {least}",
                counted(goals.games, "game")
            );
        }
    }
    text + &faults_text(standings)
}

/// Describes how a busy machine affected a match. The first number counts the games that exceeded their time and were
/// played again; the second counts the games that exceeded their time again at the second attempt. Returns `None` if
/// both numbers are 0.
pub fn busy([again, still]: [u32; 2]) -> Option<String> {
    (again > 0).then(|| {
        format!(
            "the machine was busy: {} replayed, {still} of them late again and counted as late",
            counted(again, "game")
        )
    })
}

/// Returns warnings about games whose results mean little, each with the word that begins its line in a summary.
pub fn warnings(standings: &Standings) -> impl Iterator<Item = (&'static str, String)> {
    let unplayed = standings.unplayed();
    let opening = (unplayed > 0).then(|| {
        format!(
            "{} left at most one move to the agents after the random opening; use fewer --openings",
            counted(unplayed, "game")
        )
    });
    let busy = busy(standings.busy()).map(|text| ("busy", text));
    busy.into_iter()
        .chain(opening.map(|text| ("opening", text)))
}

/// Returns a text that states how many faults each agent has, and describes each agent's first fault.
fn faults_text(standings: &Standings) -> String {
    let Some(faults) = faults(standings) else {
        return String::new();
    };
    let mut text = format!("FAULTS  {faults}\n");
    for fault in standings.faults.values() {
        let (pair, game) = fault.game;
        let _ = writeln!(
            text,
            "        {} in pair {pair}, game {game}: {}",
            fault.agent, fault.what
        );
    }
    text
}

/// Formats how many games each agent has won in a match between two agents. A draw counts half for each agent.
///
/// Returns `None` in games that are played for points.
pub fn score(standings: &Standings) -> Option<String> {
    if standings.settings.game.about().scoring != Scoring::Win {
        return None;
    }
    let [first, second] = [0, 1].map(|place| standings.name(place));
    let [won, drawn, lost] = standings.duel()?.games;
    let points = |wins: u64| wins as f64 + drawn as f64 / 2.0;
    let games = won + drawn + lost;
    Some(format!(
        "{first} {} : {} {second}, {games} games",
        points(won),
        points(lost)
    ))
}

/// Returns a text that states how many faults each agent has; `None` if no agent committed a fault.
pub fn faults(standings: &Standings) -> Option<String> {
    let league = standings.league();
    let counts = standings.settings.agents.iter().filter_map(|agent| {
        let line = league.iter().find(|line| line.agent == agent.name)?;
        Some(format!("{} {}", agent.name, line.faults))
    });
    let shown: Vec<String> = counts.collect();
    let any = league.iter().any(|line| line.faults > 0);
    any.then(|| format!("{}; the log says why", shown.join(", ")))
}

fn league_text(standings: &Standings) -> String {
    let mut league = table_of_names(&columns(
        "agent | pairs | won | drawn | lost | points a pair (95 %) | faults",
    ));
    for line in standings.league() {
        let mut row = vec![line.agent.to_owned(), line.score.count().to_string()];
        let counts = line.score.pairs.wins_draws_losses();
        row.extend(counts.map(|count| count.to_string()));
        row.push(or_dash(standings.estimate(&line.score), "-"));
        row.push(line.faults.to_string());
        league.add_row(row);
    }
    let mut meetings = table_of_names(&columns(
        "pairing | won | drawn | lost | points a pair (95 %) | Elo (95 %)",
    ));
    for (first, second, result) in standings.pairings() {
        let mut row = vec![format!("{first} - {second}")];
        let counts = result.score.pairs.wins_draws_losses();
        row.extend(counts.map(|count| count.to_string()));
        row.push(or_dash(standings.estimate(&result.score), "-"));
        row.push(or_dash(result.score.pairs.elo(), "-"));
        meetings.add_row(row);
    }
    let [league, meetings] = [league, meetings].map(fitted);
    format!("{league}\n\n{meetings}\n{}", faults_text(standings))
}

/// Returns the standings of a match as a JSON object.
pub fn json(standings: &Standings) -> serde_json::Value {
    let game = &standings.settings.game;
    let pairings: Vec<_> = standings
        .pairings()
        .map(|(first, second, tally)| pairing_json::pairing(first, second, tally, game))
        .collect();
    serde_json::json!({
        "pairs": standings.done,
        "pairs_wanted": standings.settings.pairs,
        "pairings": pairings,
        "test": standings.test.as_ref().map(pairing_json::test),
        "verdict": standings.verdict(),
    })
}
