//! Finds the best moves of a position.

use turnwise_engine::plugin::{Studied, StudiedLine, Studying, Told};
use turnwise_engine::search::Control;
use turnwise_engine::table::Table;

use super::table::HalmaTable;
use crate::analysis::{Analysis, Line, chance};
use crate::picture::notation;
use crate::rules::{Color, Move};
use crate::search_agent::{SearchAgent, table_bytes};

/// Returns the best moves in the table's position, found with the search of [`SearchAgent`].
pub(super) fn study(table: &HalmaTable, how: &Studying, told: Told) -> Studied {
    let mut agent = SearchAgent::new(table_bytes(how.limits.nodes));
    let control = Control::stopped_by(how.stop.clone());
    let position = table.position();
    let analysis = agent.analyse(
        position,
        how.top,
        None,
        how.limits,
        &control,
        &mut |known| {
            told(&studied(table, known));
        },
    );
    studied(table, &analysis)
}

fn studied(table: &HalmaTable, analysis: &Analysis) -> Studied {
    let mover = table.position().to_move();
    let sign = f64::from(mover.sign());
    let notations = |moves: &[Move]| {
        let mut position = *table.position();
        let moves = moves.iter().map(|&mv| {
            let text = notation(&position, mv);
            position.play(mv);
            text
        });
        moves.collect()
    };
    let line = |line: &Line| StudiedLine {
        moves: notations(&line.moves),
        value: sign * line.value,
        score: Some(chance(sign * line.value)),
        to_go: line.to_go.map(|[ours, theirs]| match mover {
            Color::Black => [ours, theirs],
            Color::White => [theirs, ours],
        }),
    };
    Studied {
        depth: analysis.depth,
        nodes: analysis.nodes,
        is_exact: false,
        lines: analysis.lines.iter().map(line).collect(),
    }
}
