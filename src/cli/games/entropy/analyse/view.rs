//! Formats the output of `turnwise analyse` as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::Serialize;

use crate::console::table::table_with_words;
use turnwise_engine::game::Score;
use turnwise_engine::search::analysis::Analysis;
use turnwise_engine::search::playouts::Playouts;
use turnwise_engine::statistics::Sample;
use turnwise_engine::words::counted;
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::picture::{board, letter, notation};
use turnwise_entropy::rules::{EMPTY, Move, Position};

/// The analysis of a position, ready to print.
#[derive(Debug, Serialize)]
pub struct View {
    size: u8,
    to_move: &'static str,
    /// The rows of the board, each as a text.
    board: Vec<String>,
    drawn: Option<char>,
    /// The number of tiles in the bag, keyed by the letter of the color. A tile that has been drawn is not counted.
    bag: BTreeMap<char, u8>,
    depth: u32,
    solved: bool,
    nodes: u64,
    /// The name of the forecast that provides the expected scores; `None` if no forecast exists or is needed.
    forecast: Option<String>,
    moves: Vec<RankedMove>,
    final_score: FinalScore,
    #[serde(skip)]
    position: Position,
}

#[derive(Debug, Serialize)]
struct RankedMove {
    #[serde(rename = "move")]
    mv: String,
    /// The expected final score after the move, if it is known.
    score: Option<Score>,
    value: Score,
    principal_variation: Vec<String>,
}

/// The final scores of playouts from the best move.
#[derive(Debug, Serialize)]
struct FinalScore {
    playouts: usize,
    playout_depth: u32,
    seed: u64,
    #[serde(flatten)]
    spread: Option<Spread>,
}

#[derive(Debug, Serialize)]
struct Spread {
    mean: f64,
    standard_deviation: f64,
    percentile_10: Score,
    median: Score,
    percentile_90: Score,
}

impl Spread {
    /// Returns statistics about the final scores of the playouts; `None` if the list is empty.
    fn of(mut scores: Vec<Score>) -> Option<Self> {
        scores.sort_by(Score::total_cmp);
        let last = scores.len().checked_sub(1)?;
        // The score whose rank is nearest to the percentile.
        let percentile = |percent: usize| scores[(last * percent + 50) / 100];
        let sample: Sample = scores.iter().map(|&score| f64::from(score)).collect();
        Some(Self {
            mean: sample.mean(),
            standard_deviation: sample.deviation(),
            percentile_10: percentile(10),
            median: percentile(50),
            percentile_90: percentile(90),
        })
    }
}

/// The index of the table's column with the expected final scores.
const SCORE_COLUMN: usize = 2;

/// Describes a running search in a line: its depth, and the best move so far.
pub fn headline(analysis: &Analysis<Move>, size: u8) -> String {
    let best = &analysis.candidates[0];
    format!(
        "depth {}, {}: {} is best so far, value {:.2}",
        analysis.depth,
        counted(analysis.nodes, "node"),
        notation(best.mv, size),
        best.value
    )
}

impl View {
    /// Collects the results of an analysis, and of the playouts that followed it.
    pub fn new(
        game: &Evaluated,
        analysis: &Analysis<Move>,
        how: Playouts,
        scores: Vec<Score>,
    ) -> Self {
        let position = game.position();
        let size = position.size();
        let written = |mv: Move| notation(mv, size);
        let forecast = game.evaluation().forecast.as_ref();
        Self {
            size,
            to_move: match position.drawn() {
                EMPTY => "ORDER",
                _ => "CHAOS",
            },
            board: (position.cells().chunks(usize::from(size)))
                .map(|row| row.iter().map(|&colour| letter(colour)).collect())
                .collect(),
            drawn: (position.drawn() != EMPTY).then(|| letter(position.drawn())),
            bag: (1..=size)
                .map(|colour| (letter(colour), position.in_bag(colour)))
                .collect(),
            depth: analysis.depth,
            solved: analysis.solved,
            nodes: analysis.nodes,
            forecast: (forecast.filter(|_| !analysis.solved)).map(|known| known.name.clone()),
            moves: (analysis.candidates.iter())
                .map(|candidate| RankedMove {
                    mv: written(candidate.mv),
                    score: game.forecast(candidate.value, analysis.depth, analysis.solved),
                    value: candidate.value,
                    principal_variation: (candidate.principal_variation.iter())
                        .map(|&mv| written(mv))
                        .collect(),
                })
                .collect(),
            final_score: FinalScore {
                playouts: scores.len(),
                playout_depth: how.depth,
                seed: how.seed,
                spread: Spread::of(scores),
            },
            position: position.clone(),
        }
    }

    /// Formats the analysis as text, with a colored board if requested.
    pub fn text(&self, coloured: bool) -> String {
        let bag: Vec<String> = (self.bag.iter())
            .filter(|&(_, &count)| count > 0)
            .map(|(colour, count)| format!("{count} {colour}"))
            .collect();
        let bag = match bag.is_empty() {
            true => "nothing".to_owned(),
            false => bag.join(", "),
        };
        let mut text = match self.drawn {
            None => "Order is to move".to_owned(),
            Some(drawn) => format!("Chaos is to place {drawn}"),
        };
        let _ = writeln!(text, "; in the bag: {bag}");
        text += &board(&self.position, coloured);
        let mut header = vec!["rank", "move", "value", "behind", "principal variation"];
        if self.forecast.is_some() {
            header.insert(SCORE_COLUMN, "score");
        }
        let mut table = table_with_words(&header, &[1, header.len() - 1]);
        let best = self.moves[0].value;
        for (rank, ranked) in (1..).zip(&self.moves) {
            let mut row = vec![
                rank.to_string(),
                ranked.mv.clone(),
                format!("{:.2}", ranked.value),
                format!("{:.2}", (ranked.value - best).abs()),
                ranked.principal_variation.join(", "),
            ];
            if self.forecast.is_some() {
                let score = ranked.score.map(|score| format!("{score:.1}"));
                row.insert(SCORE_COLUMN, score.unwrap_or_default());
            }
            table.add_row(row);
        }
        let _ = match (self.solved, self.nodes) {
            // If the analysis has no nodes, the position was not searched but looked up in a solution.
            (true, 0) => write!(text, "\n{table}\n\nLooked up in the solved game: exact.\n"),
            (is_solved, nodes) => write!(
                text,
                "\n{table}\n\nSearched {} deep{}, {}.\n",
                counted(self.depth, "ply"),
                if is_solved {
                    " (to the end of the game: exact)"
                } else {
                    ""
                },
                counted(nodes, "node"),
            ),
        };
        match &self.forecast {
            _ if self.solved => {}
            Some(name) => {
                let _ = writeln!(
                    text,
                    "score: expected final score, by {name}; value: internal evaluation of the search."
                );
            }
            None => {
                text += "Values rank moves; for these boards, the final scores that they stand for \
                         are unknown.\n";
            }
        }
        text += &self.final_score.to_string();
        text
    }
}

impl fmt::Display for FinalScore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(spread) = &self.spread else {
            return writeln!(
                out,
                "Final score: unknown, because no game reached its end; --time allows more time."
            );
        };
        writeln!(
            out,
            "Final score after the best move: {:.1} on average, standard deviation {:.1}, 10-90 % \
             {:.0} to {:.0}\nin {} played to the end, both sides searching {} deep, seed {}.",
            spread.mean,
            spread.standard_deviation,
            spread.percentile_10,
            spread.percentile_90,
            counted(self.playouts, "game"),
            counted(self.playout_depth, "ply"),
            self.seed
        )
    }
}
