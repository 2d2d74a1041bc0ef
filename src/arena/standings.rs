//! The results so far, and the text that says what they prove.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::log::GameRecord;
use super::schedule::pairings;
use super::settings::Settings;
use super::sprt::{Running, Sprt, Verdict};
use super::statistics::{Estimate, Pentanomial, Points};

/// The result of a pair, for its first agent.
#[derive(Debug, Clone, PartialEq)]
pub struct PairResult {
    /// The pair's number.
    pub number: u32,
    /// What the first agent scored as Order, and the second.
    pub scores: [u32; 2],
    /// Faults of the first agent and of the second.
    pub faults: [u32; 2],
    /// Wall and CPU seconds of the first agent and of the second, over both games.
    pub wall_s: [f64; 2],
    /// The same in CPU time.
    pub cpu_s: [f64; 2],
}

impl PairResult {
    /// Sums up the two games of a pair.
    pub fn of(games: &[GameRecord; 2]) -> Self {
        let [one, two] = games;
        let faults_of = |name: &str| {
            let faults = games.iter().flat_map(|game| &game.fault);
            faults.filter(|fault| fault.agent == name).count() as u32
        };
        Self {
            number: one.pair,
            scores: [one.order_score, two.order_score],
            faults: [faults_of(&one.first), faults_of(&one.second)],
            wall_s: [
                one.used_s.order + two.used_s.chaos,
                one.used_s.chaos + two.used_s.order,
            ],
            cpu_s: [
                one.cpu_s.order + two.cpu_s.chaos,
                one.cpu_s.chaos + two.cpu_s.order,
            ],
        }
    }

    /// What the first agent scored more as Order.
    pub fn difference(&self) -> f64 {
        f64::from(self.scores[0]) - f64::from(self.scores[1])
    }

    /// The pentanomial category. In Entropy both games of a pair are won by whoever won the pair, so
    /// one category in two stays empty.
    pub fn category(&self) -> usize {
        match self.scores[0].cmp(&self.scores[1]) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 2,
            std::cmp::Ordering::Greater => 4,
        }
    }
}

/// The results of one pairing, for its first agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pairing {
    /// Differences in points.
    pub points: Points,
    /// Pairs won, drawn and lost.
    pub pairs: Pentanomial,
    /// Sums of what both scored as Order.
    pub order_points: [u64; 2],
    /// Faults of both.
    pub faults: [u32; 2],
    /// Wall seconds of both.
    pub wall_s: [f64; 2],
    /// CPU seconds of both.
    pub cpu_s: [f64; 2],
}

/// All results of a match.
#[derive(Debug, Clone)]
pub struct Standings {
    names: Vec<String>,
    pairings: Vec<(usize, usize)>,
    results: Vec<Pairing>,
    /// Pairs that a test must not look at yet, because earlier ones are still being played.
    waiting: BTreeMap<u32, PairResult>,
    next: u32,
    test: Option<Running>,
    wanted: u32,
    done: u32,
}

/// An agent's line in a league.
struct Line {
    agent: usize,
    points: Points,
    pairs: [u64; 3],
    faults: u32,
}

impl Standings {
    /// Standings without results.
    pub fn new(settings: &Settings) -> Self {
        let pairings = pairings(settings.agents.len(), settings.gauntlet);
        Self {
            names: settings
                .agents
                .iter()
                .map(|agent| agent.name.clone())
                .collect(),
            results: vec![Pairing::default(); pairings.len()],
            pairings,
            waiting: BTreeMap::new(),
            next: 1,
            test: settings.sprt.map(Running::new),
            wanted: settings.pairs,
            done: 0,
        }
    }

    /// Takes in a pair. A test sees pairs in the order of their numbers, whatever order they come in,
    /// so its verdict depends neither on the number of jobs nor on which games are short.
    pub fn add(&mut self, result: PairResult) {
        self.done += 1;
        let at = (result.number as usize - 1) % self.pairings.len();
        let pairing = &mut self.results[at];
        pairing.points.add(result.difference());
        pairing.pairs.0[result.category()] += 1;
        for side in [0, 1] {
            pairing.order_points[side] += u64::from(result.scores[side]);
            pairing.faults[side] += result.faults[side];
            pairing.wall_s[side] += result.wall_s[side];
            pairing.cpu_s[side] += result.cpu_s[side];
        }
        let Some(test) = &mut self.test else {
            return;
        };
        self.waiting.insert(result.number, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            test.add(result.difference(), result.category());
            self.next += 1;
        }
    }

    /// Pairs taken in.
    pub fn pairs(&self) -> u32 {
        self.done
    }

    /// True once a test has come to a verdict.
    pub fn is_decided(&self) -> bool {
        self.test.is_some_and(|test| test.verdict().is_some())
    }

    /// The results of the only pairing, if there are two agents.
    pub fn duel(&self) -> Option<&Pairing> {
        match &self.results[..] {
            [duel] => Some(duel),
            _ => None,
        }
    }

    /// The state in half a line, for a progress bar.
    pub fn in_short(&self) -> String {
        match self.duel() {
            Some(duel) => {
                let mut text = match duel.points.estimate() {
                    Some(points) => signed(points),
                    None => "no estimate yet".to_owned(),
                };
                if let Some(test) = &self.test {
                    let (low, high) = test.test().bounds();
                    let _ = write!(text, ", LLR {:.2} ({low:.2}, {high:.2})", test.ratio());
                }
                text
            }
            None => match self.league().first() {
                Some(line) => format!("{} leads", self.names[line.agent]),
                None => String::new(),
            },
        }
    }

    /// The verdict in one sentence.
    pub fn verdict(&self) -> String {
        if let Some(test) = &self.test {
            return sequential_verdict(test);
        }
        match self.duel() {
            Some(duel) => self.duel_verdict(duel),
            None => match self
                .league()
                .first()
                .map(|line| (line, line.points.estimate()))
            {
                Some((line, Some(points))) => {
                    format!(
                        "{} leads with {} points a pair",
                        self.names[line.agent],
                        signed(points)
                    )
                }
                _ => "too few pairs for a verdict".to_owned(),
            },
        }
    }

    fn duel_verdict(&self, duel: &Pairing) -> String {
        let [first, second] = [&self.names[0], &self.names[1]];
        match duel.points.estimate() {
            Some(points) if points.lower > 0.0 => {
                format!(
                    "{first} is better than {second}: {} points a pair",
                    signed(points)
                )
            }
            Some(points) if points.upper < 0.0 => {
                format!(
                    "{second} is better than {first}: {} points a pair for {first}",
                    signed(points)
                )
            }
            Some(points) => format!(
                "no difference proved between {first} and {second}: {} points a pair for {first}",
                signed(points)
            ),
            None => "too few pairs for a verdict".to_owned(),
        }
    }

    /// Everything, for people.
    pub fn text(&self) -> String {
        let mut text = match self.duel() {
            Some(duel) => self.duel_text(duel),
            None => self.league_text(),
        };
        if let Some(test) = &self.test {
            let Sprt {
                unit,
                lower,
                upper,
                alpha,
                beta,
            } = test.test();
            let (low, high) = test.test().bounds();
            let unit = unit.name();
            let _ = writeln!(
                text,
                "test    {unit} {lower} against {upper}, alpha {alpha}, beta {beta}: LLR {:.2} ({low:.2}, {high:.2})",
                test.ratio()
            );
        }
        let _ = writeln!(text, "verdict {}", self.verdict());
        text
    }

    fn duel_text(&self, duel: &Pairing) -> String {
        let [first, second] = [&self.names[0], &self.names[1]];
        let pairs = duel.points.count();
        let [won, drawn, lost] = duel.pairs.wins_draws_losses();
        let mut text = format!(
            "{first} against {second}: {pairs} pairs, {} games\n",
            2 * pairs
        );
        let points = duel.points.estimate().map_or("-".to_owned(), |points| {
            format!("{} points a pair for {first} (95 %)", signed(points))
        });
        let elo = duel.pairs.elo().map_or("-".to_owned(), |elo| {
            format!("{} Elo for {first} (95 %, from pairs)", signed(elo))
        });
        let mean = |side: usize| duel.order_points[side] as f64 / pairs.max(1) as f64;
        let _ = writeln!(text, "points  {points}");
        let _ = writeln!(
            text,
            "        as Order: {first} {:.2}, {second} {:.2}",
            mean(0),
            mean(1)
        );
        let _ = writeln!(text, "pairs   {won} won, {drawn} drawn, {lost} lost");
        let _ = writeln!(
            text,
            "games   {} won, {} drawn, {} lost",
            2 * won,
            2 * drawn,
            2 * lost
        );
        let _ = writeln!(text, "elo     {elo}");
        let _ = writeln!(
            text,
            "time    {first} {:.2} s wall, {:.2} s CPU; {second} {:.2} s wall, {:.2} s CPU",
            duel.wall_s[0], duel.cpu_s[0], duel.wall_s[1], duel.cpu_s[1]
        );
        if duel.faults != [0, 0] {
            let [one, two] = duel.faults;
            let _ = writeln!(
                text,
                "FAULTS  {first} {one}, {second} {two}; the log says why"
            );
        }
        text
    }

    /// Every agent's results against all it met, best first.
    fn league(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = (0..self.names.len())
            .map(|agent| Line {
                agent,
                points: Points::default(),
                pairs: [0; 3],
                faults: 0,
            })
            .collect();
        for (&(first, second), result) in self.pairings.iter().zip(&self.results) {
            let [won, drawn, lost] = result.pairs.wins_draws_losses();
            for (agent, side, pairs) in [
                (first, 0, [won, drawn, lost]),
                (second, 1, [lost, drawn, won]),
            ] {
                let line = &mut lines[agent];
                line.points.merge(&result.points, side == 1);
                line.faults += result.faults[side];
                for (sum, count) in line.pairs.iter_mut().zip(pairs) {
                    *sum += count;
                }
            }
        }
        lines.sort_by(|one, two| two.points.mean().total_cmp(&one.points.mean()));
        lines
    }

    fn league_text(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header([
            "agent",
            "pairs",
            "won",
            "drawn",
            "lost",
            "points a pair (95 %)",
            "faults",
        ]);
        for line in self.league() {
            let [won, drawn, lost] = line.pairs;
            table.add_row([
                self.names[line.agent].clone(),
                line.points.count().to_string(),
                won.to_string(),
                drawn.to_string(),
                lost.to_string(),
                line.points.estimate().map_or("-".to_owned(), signed),
                line.faults.to_string(),
            ]);
        }
        let mut meetings = Table::new();
        meetings.load_style(presets::ASCII_MARKDOWN);
        meetings.set_header([
            "pairing",
            "won",
            "drawn",
            "lost",
            "points a pair (95 %)",
            "Elo (95 %)",
        ]);
        for (&(first, second), result) in self.pairings.iter().zip(&self.results) {
            let [won, drawn, lost] = result.pairs.wins_draws_losses();
            meetings.add_row([
                format!("{} - {}", self.names[first], self.names[second]),
                won.to_string(),
                drawn.to_string(),
                lost.to_string(),
                result.points.estimate().map_or("-".to_owned(), signed),
                result.pairs.elo().map_or("-".to_owned(), signed),
            ]);
        }
        for table in [&mut table, &mut meetings] {
            for column in table.column_iter_mut().skip(1) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{table}\n\n{meetings}\n")
    }

    /// Everything, for programs.
    pub fn json(&self) -> serde_json::Value {
        let pairings: Vec<_> = self
            .pairings
            .iter()
            .zip(&self.results)
            .map(|(&(first, second), result)| PairingJson {
                first: &self.names[first],
                second: &self.names[second],
                pairs: result.points.count(),
                pairs_won_drawn_lost: result.pairs.wins_draws_losses(),
                pentanomial: result.pairs.0,
                points: result.points.estimate().map(interval),
                elo: result.pairs.elo().map(interval),
                order_points: result.order_points,
                faults: result.faults,
                wall_s: result.wall_s,
                cpu_s: result.cpu_s,
            })
            .collect();
        let test = self.test.as_ref().map(|test| {
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
            "pairs": self.done,
            "pairs_wanted": self.wanted,
            "pairings": pairings,
            "test": test,
            "verdict": self.verdict(),
        })
    }
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
    order_points: [u64; 2],
    faults: [u32; 2],
    wall_s: [f64; 2],
    cpu_s: [f64; 2],
}

/// Value, lower and upper end.
fn interval(estimate: Estimate) -> [f64; 3] {
    [estimate.value, estimate.lower, estimate.upper]
}

/// `+1.23 (+0.50 to +1.96)`.
fn signed(estimate: Estimate) -> String {
    let Estimate {
        value,
        lower,
        upper,
    } = estimate;
    format!("{value:+.2} ({lower:+.2} to {upper:+.2})")
}

fn sequential_verdict(test: &Running) -> String {
    let Sprt {
        unit, lower, upper, ..
    } = test.test();
    let unit = unit.name();
    match test.verdict() {
        Some((Verdict::Upper, pairs)) => {
            format!("H1 accepted after {pairs} pairs: {upper} {unit} rather than {lower}")
        }
        Some((Verdict::Lower, pairs)) => {
            format!("H0 accepted after {pairs} pairs: {lower} {unit} rather than {upper}")
        }
        None => format!("neither {lower} nor {upper} {unit} accepted yet; more pairs are needed"),
    }
}
