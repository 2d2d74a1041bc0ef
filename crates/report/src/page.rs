//! Writes one HTML page with the standings, the charts and the replays.
//!
//! The page needs no network and no server, because style, script, charts and data are embedded. All data from a log is
//! escaped, either as HTML text or as JSON without the characters that could begin a tag.

pub mod data;
pub(crate) mod selection;

use std::collections::HashMap;
use std::io::{self, Write};

use turnwise_engine::words::counted;

use self::data::MatchData;
use self::selection::Shown;
use super::Match;
use super::played::{LoggedFault, Played};
use super::tables::{Table, details_of, results_of};

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: [&str; 2] = [
    include_str!("../web/viewer.css"),
    include_str!("page/style.css"),
];
const SCRIPT: &str = include_str!("page/script.js");

/// The JavaScript modules of the game viewer, which the studio also uses. Each module comes after the modules that it
/// imports.
const VIEWER: [&str; 7] = [
    include_str!("../web/dom.js"),
    include_str!("../web/words.js"),
    include_str!("../web/board.js"),
    include_str!("../web/course.js"),
    include_str!("../web/steps.js"),
    include_str!("../web/replay.js"),
    include_str!("../web/ranking.js"),
];

/// A chart about a match, with the texts that are shown beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// The chart's file name, without extension.
    pub name: &'static str,
    /// The heading above the chart.
    pub title: &'static str,
    /// A text that explains how to read the chart; it is shown beside the title.
    pub caption: String,
    /// The chart as SVG text; `None` if the log has no data for it.
    pub svg: Option<String>,
}

/// Writes a page with these matches and their charts to `out`. The page is written in many small pieces, so `out`
/// should be buffered. `studio` is the address of a studio; if it is given, each game on the page has a link that opens
/// it there.
///
/// # Errors
///
/// Returns an error if writing fails.
pub fn page(
    matches: &[(&Match, Vec<Chart>)],
    studio: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shown = matches
        .iter()
        .map(|(of, _)| Shown::among(of, matches.len()));
    let shown: Vec<Shown> = shown.collect();
    let title = match matches {
        [(of, _)] => of.title(),
        _ => format!("{} matches", matches.len()),
    };
    fill(TEMPLATE, out, |name, out| match name {
        "studio" => out.write_all(escaped(studio.unwrap_or_default()).as_bytes()),
        "title" => out.write_all(escaped(&title).as_bytes()),
        "style" => STYLE
            .iter()
            .try_for_each(|part| out.write_all(part.as_bytes())),
        "results" => (1..)
            .zip(matches)
            .try_for_each(|(number, (of, _))| results(out, number, of)),
        "details" => {
            let mut numbered = (1..).zip(matches).zip(&shown);
            numbered.try_for_each(|((number, (of, charts)), shown)| {
                let title = match matches.len() {
                    1 => "Details".to_owned(),
                    _ => format!("Details of {}", of.title()),
                };
                details(out, (number, &title), of, (charts, shown))
            })
        }
        "data" => {
            let data = matches.iter().zip(&shown);
            let data = data
                .map(|((of, _), shown)| MatchData::on_page(of, shown.clone(), studio.is_some()));
            let data: Vec<MatchData> = data.collect();
            Ok(serde_json::to_writer(ScriptSafe(out), &data)?)
        }
        "script" => {
            let mut modules = VIEWER.iter().chain([&SCRIPT]);
            modules.try_for_each(|module| out.write_all(inlined(module).as_bytes()))
        }
        _ => unreachable!("the template has no other names"),
    })
}

/// Writes a template to `out`. In place of each `{{name}}`, calls `value` with the name, which writes the value. A `{{`
/// in a value has no special meaning.
fn fill(
    template: &str,
    out: &mut dyn Write,
    value: impl Fn(&str, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) = after.split_once("}}").expect("a name is closed");
        out.write_all(before.as_bytes())?;
        value(name, out)?;
        rest = behind;
    }
    out.write_all(rest.as_bytes())
}

/// Removes the `import` lines and the `export` keywords of a module, so that all modules can form one script.
fn inlined(module: &str) -> String {
    let lines = module.lines().filter(|line| !line.starts_with("import "));
    let lines = lines.map(|line| line.strip_prefix("export ").unwrap_or(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Escapes a text for use in HTML content and in attributes.
fn escaped(text: &str) -> String {
    // The ampersand must be replaced first, because the other replacements insert ampersands.
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// A writer that escapes JSON for use in a script element, so that the JSON can neither begin nor end a tag or a
/// comment.
struct ScriptSafe<W>(W);

impl<W: Write> Write for ScriptSafe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // In JSON, these bytes occur only inside strings, where an escape is equivalent to the character.
        let escape = |byte: u8| match byte {
            b'<' => Some("\\u003c"),
            b'>' => Some("\\u003e"),
            b'&' => Some("\\u0026"),
            _ => None,
        };
        if let Some(escape) = bytes.first().copied().and_then(escape) {
            self.0.write_all(escape.as_bytes())?;
            return Ok(1);
        }
        let safe = bytes.iter().position(|&byte| escape(byte).is_some());
        self.0.write(&bytes[..safe.unwrap_or(bytes.len())])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes the winner and the results, which readers look for first.
fn results(out: &mut dyn Write, number: usize, of: &Match) -> io::Result<()> {
    let title = escaped(&of.title());
    writeln!(
        out,
        "<section class=\"match\" id=\"match-{number}\">\n<h2>{title}</h2>"
    )?;
    let occasion = of.occasion();
    if !occasion.is_empty() {
        writeln!(out, "<p class=\"occasion\">{}</p>", escaped(&occasion))?;
    }
    writeln!(out, "<p class=\"muted\">{}.</p>", escaped(&of.setting()))?;
    if let Some(verdict) = of.verdict() {
        writeln!(out, "<p class=\"verdict\">{}</p>", escaped(&verdict))?;
    }
    // The script draws the ranking, and readers without scripts get it as plain tables.
    let ranking = of.ranking();
    if let Some(ranking) = ranking {
        let trust = escaped(&ranking.trust());
        writeln!(
            out,
            "<div class=\"ranking\"></div>\n<noscript><p class=\"muted\">{trust}</p>"
        )?;
    }
    results_of(of)
        .iter()
        .try_for_each(|filled| table(out, filled))?;
    out.write_all(if ranking.is_some() {
        b"</noscript>\n</section>\n"
    } else {
        b"</section>\n"
    })
}

/// Writes what explains the results: faults, figures, charts and notes.
fn details(
    out: &mut dyn Write,
    (number, title): (usize, &str),
    of: &Match,
    (charts, shown): (&[Chart], &Shown),
) -> io::Result<()> {
    writeln!(
        out,
        "<section class=\"details\" id=\"details-{number}\">\n<h2>{}</h2>",
        escaped(title)
    )?;
    if shown.count() < of.games.len() {
        let others = match of.ranking() {
            Some(_) => "those of the best participants",
            None => "the first ones",
        };
        writeln!(
            out,
            "<p class=\"muted\">Above are {} of the {} games, as many as a browser can hold: first games that ended \
             by a fault, in at most half of the space, then {others}. turnwise replay shows every game of the log.</p>",
            shown.count(),
            of.games.len(),
        )?;
    }
    faults(out, number, of, shown)?;
    let sources = format!("From {}", of.sources.join(", "));
    let origin: Vec<String> = [sources].into_iter().chain(of.commands()).collect();
    writeln!(
        out,
        "<p class=\"muted\">{}.</p>",
        escaped(&origin.join("; "))
    )?;
    details_of(of)
        .iter()
        .try_for_each(|filled| table(out, filled))?;
    if !of.notes.is_empty() {
        writeln!(out, "<details><summary>Notes on the logs</summary><ul>")?;
        for note in &of.notes {
            writeln!(out, "<li>{}</li>", escaped(note))?;
        }
        writeln!(out, "</ul></details>")?;
    }
    // Most readers look for results; those who tune a player open the charts of time and depth.
    let is_folded = |chart: &&Chart| ["time", "depth"].contains(&chart.name);
    let (folded, open): (Vec<&Chart>, Vec<&Chart>) = charts.iter().partition(is_folded);
    open.into_iter().try_for_each(|drawn| chart(out, drawn))?;
    if !folded.is_empty() {
        let titles: Vec<&str> = folded.iter().map(|chart| chart.title).collect();
        writeln!(out, "<details><summary>{}</summary>", titles.join(", "))?;
        folded.into_iter().try_for_each(|drawn| chart(out, drawn))?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "</section>")
}

fn chart(out: &mut dyn Write, chart: &Chart) -> io::Result<()> {
    let picture = match &chart.svg {
        Some(svg) => svg,
        None => "<p class=\"muted\">The log has no data for this chart.</p>",
    };
    writeln!(
        out,
        "<figure><figcaption><b>{0}.</b> {1}</figcaption>\n<div class=\"picture\" tabindex=\"0\" role=\"region\" \
         aria-label=\"{0}\">{picture}</div></figure>",
        chart.title, chart.caption,
    )
}

/// The maximum number of games that are listed for a fault.
const MOST_LISTED: usize = 20;

/// Writes a sentence for each different fault of each agent, with the games in which it happened. Games on the page are
/// links.
fn faults(out: &mut dyn Write, number: usize, of: &Match, shown: &Shown) -> io::Result<()> {
    let mut kinds: Vec<(&LoggedFault, Vec<usize>)> = Vec::new();
    let mut places = HashMap::new();
    for (at, game) in of.games.iter().enumerate() {
        for fault in game.faults() {
            let key = (&fault.agent, fault.kind.name(), &fault.what);
            let place = *places.entry(key).or_insert(kinds.len());
            if place == kinds.len() {
                kinds.push((fault, Vec::new()));
            }
            kinds[place].1.push(at);
        }
    }
    if kinds.is_empty() {
        return Ok(());
    }
    kinds.sort_by(|(one, _), (other, _)| one.agent.cmp(&other.agent));
    writeln!(out, "<h3>Faults</h3>\n<ul class=\"faults\">")?;
    for (fault, games) in kinds {
        let [agent, what] = [&fault.agent, &fault.what].map(|text| escaped(text));
        let (deed, count) = (fault.kind.deed(), counted(games.len(), "game"));
        write!(out, "<li><b>{agent}</b> {deed} in {count}: {what}<br>")?;
        for &at in games.iter().take(MOST_LISTED) {
            let Played { pair, game, .. } = of.games[at];
            let words = format!("pair {pair}, game {game}");
            match shown.places().binary_search(&at) {
                Ok(_) => write!(
                    out,
                    "<a href=\"#match={number}&amp;pair={pair}&amp;game={game}&amp;ply=end\">{words}</a> "
                )?,
                Err(_) => write!(out, "<span>{words}</span> ")?,
            }
        }
        if let Some(left) = games
            .len()
            .checked_sub(MOST_LISTED)
            .filter(|&left| left > 0)
        {
            write!(out, "and {left} more")?;
        }
        writeln!(out, "</li>")?;
    }
    writeln!(out, "</ul>")
}

fn table(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let class = |column: usize| match table.words.contains(&column) {
        true => " class=\"words\"",
        false => "",
    };
    write!(
        out,
        "<h3>{0}</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>\n<tr>",
        table.title
    )?;
    for (column, name) in table.header.iter().enumerate() {
        write!(out, "<th{}>{name}</th>", class(column))?;
    }
    out.write_all(b"</tr>\n")?;
    for row in &table.rows {
        out.write_all(b"<tr>")?;
        for (column, cell) in row.iter().enumerate() {
            write!(out, "<td{}>{}</td>", class(column), escaped(cell))?;
        }
        out.write_all(b"</tr>\n")?;
    }
    out.write_all(b"</table></div>\n")
}
