//! One HTML page with the standings, the pictures, and every game to step through.
//!
//! The page needs no network and no server: style, script, pictures and data are inside. What comes
//! from a log reaches it escaped: as text, or as JSON in which no tag can begin.

use std::fmt::Write;

use serde::Serialize;

use super::Match;
use super::charts::Chart;
use super::logs::Game;
use super::replay::replay;
use super::tables::{Table, tables};
use crate::games::entropy::picture::letter;
use crate::games::entropy::rules::{Cell, Move};
use crate::records::MoveRecord;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

/// A match as the page's script reads it.
#[derive(Debug, Serialize)]
struct MatchData<'a> {
    title: String,
    size: u8,
    agents: Vec<&'a str>,
    games: Vec<GameData<'a>>,
}

/// A game; each list has an entry for each ply, or is empty if nothing is known.
#[derive(Debug, Serialize)]
struct GameData<'a> {
    pair: u32,
    game: u8,
    order: &'a str,
    chaos: &'a str,
    score: u32,
    seed: String,
    opening: usize,
    /// Who was at fault, how, and what it last said.
    fault: Option<[String; 3]>,
    broken: Option<String>,
    /// The tile placed; empty for Order's moves.
    tiles: Vec<String>,
    /// The cell that a tile left; none for a placement.
    from: Vec<Option<Cell>>,
    /// The cell it is on now; none for a pass.
    to: Vec<Option<Cell>>,
    /// The score of what lies on the board.
    points: Vec<u32>,
    clock: Vec<Option<f64>>,
    soft: Vec<Option<f64>>,
    hard: Vec<Option<f64>>,
    used: Vec<Option<f64>>,
    cpu: Vec<Option<f64>>,
    depth: Vec<Option<f64>>,
    nodes: Vec<Option<f64>>,
    expected: Vec<Option<f64>>,
}

/// The page for some matches and their pictures.
pub fn page(matches: &[(Match, Vec<Chart>)]) -> String {
    let mut sections = String::new();
    for (at, (of, charts)) in matches.iter().enumerate() {
        section(&mut sections, at + 1, of, charts);
    }
    let data: Vec<MatchData> = matches.iter().map(|(of, _)| match_data(of)).collect();
    let title = match matches {
        [(of, _)] => of.title(),
        _ => format!("{} matches", matches.len()),
    };
    fill(
        TEMPLATE,
        &[
            ("title", &escaped(&title)),
            ("style", STYLE),
            ("sections", &sections),
            ("data", &script_safe(&data)),
            ("script", SCRIPT),
        ],
    )
}

/// Puts values in the place of `{{name}}`; what is in a value is never looked at.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut parts = template.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part
            .split_once("}}")
            .expect("the template closes its names");
        let value = values.iter().find(|(known, _)| *known == name);
        page += value.expect("the template has no other names").1;
        page += rest;
    }
    page
}

/// Text for HTML, outside and inside of attributes.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// JSON that can stand in a script element: nothing in it begins or ends a tag or a comment.
fn script_safe(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).expect("names and finite numbers are JSON");
    // These occur in strings only, where an escape means the same.
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

fn section(out: &mut String, number: usize, of: &Match, charts: &[Chart]) {
    let _ = writeln!(
        out,
        "<section class=\"match\" id=\"match-{number}\">\n<h2>{}</h2>\n<p class=\"muted\">{}</p>",
        escaped(&of.title()),
        escaped(&format!(
            "{}. From {}.",
            of.conditions(),
            of.sources.join(", ")
        )),
    );
    for verdict in &of.verdicts {
        let _ = writeln!(out, "<p class=\"verdict\">{}</p>", escaped(verdict));
    }
    for shown in &tables(of) {
        table(out, shown);
    }
    if !of.notes.is_empty() {
        let _ = writeln!(out, "<details><summary>Notes on the logs</summary><ul>");
        for note in &of.notes {
            let _ = writeln!(out, "<li>{}</li>", escaped(note));
        }
        let _ = writeln!(out, "</ul></details>");
    }
    for chart in charts {
        let picture = match &chart.svg {
            Some(svg) => svg,
            None => "<p class=\"muted\">The log holds nothing to show here.</p>",
        };
        let _ = writeln!(
            out,
            "<figure><figcaption><b>{}.</b> {}</figcaption>\n<div class=\"picture\">{picture}</div></figure>",
            chart.title, chart.caption,
        );
    }
    let _ = writeln!(out, "</section>");
}

fn table(out: &mut String, table: &Table) {
    let class = |column: usize| match table.words.contains(&column) {
        true => " class=\"words\"",
        false => "",
    };
    let _ = write!(
        out,
        "<h3>{}</h3>\n<div class=\"scroll\"><table>\n<tr>",
        table.title
    );
    for (column, name) in table.header.iter().enumerate() {
        let _ = write!(out, "<th{}>{name}</th>", class(column));
    }
    out.push_str("</tr>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(out, "<td{}>{}</td>", class(column), escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

fn match_data(of: &Match) -> MatchData<'_> {
    MatchData {
        title: of.title(),
        size: of.header.size,
        agents: (of.header.agents.iter())
            .map(|agent| agent.name.as_str())
            .collect(),
        games: (of.games.iter())
            .map(|game| game_data(game, of.header.size))
            .collect(),
    }
}

fn game_data(game: &Game, size: u8) -> GameData<'_> {
    let record = &game.record;
    let replay = replay(game, size);
    let plies = replay.steps.len() as u32;
    let measure = |of: &dyn Fn(&MoveRecord) -> Option<f64>| -> Vec<Option<f64>> {
        let values: Vec<_> = (1..=plies)
            .map(|ply| game.logged(ply).and_then(of).map(rounded))
            .collect();
        match values.iter().any(Option::is_some) {
            true => values,
            false => Vec::new(),
        }
    };
    let steps = || replay.steps.iter();
    GameData {
        pair: record.pair,
        game: record.game,
        order: &record.order,
        chaos: &record.chaos,
        score: record.order_score,
        // A script's numbers have fewer digits.
        seed: record.seed.to_string(),
        opening: game.opening_plies(),
        fault: record.fault.as_ref().map(|fault| {
            let who = format!("{} ({})", fault.agent, fault.role.name());
            let what = format!("{}: {}", fault.kind.name(), fault.reason);
            [who, what, fault.stderr.join("\n")]
        }),
        tiles: steps()
            .map(|step| {
                step.tile
                    .map(|tile| letter(tile).to_string())
                    .unwrap_or_default()
            })
            .collect(),
        from: steps()
            .map(|step| match step.mv {
                Move::Slide { from, .. } => Some(from),
                _ => None,
            })
            .collect(),
        to: steps()
            .map(|step| match step.mv {
                Move::Slide { to, .. } | Move::Place(to) => Some(to),
                _ => None,
            })
            .collect(),
        points: steps().map(|step| step.points).collect(),
        clock: measure(&|mv| mv.clock_left_s),
        soft: measure(&|mv| mv.soft_ms),
        hard: measure(&|mv| mv.hard_ms),
        used: measure(&|mv| mv.used_ms),
        cpu: measure(&|mv| mv.cpu_ms),
        depth: measure(&|mv| mv.depth.map(f64::from)),
        nodes: measure(&|mv| mv.nodes.map(|nodes| nodes as f64)),
        expected: measure(&|mv| mv.score),
        broken: replay.broken,
    }
}

/// Hundredths are enough for the eye and keep the page small.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
