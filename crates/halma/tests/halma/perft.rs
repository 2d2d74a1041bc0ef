//! Checks the move generators against the numbers of leaves in `tests/data/perft.txt`.

use turnwise_halma::rules::{Color, Position, Rules};

use crate::positions::{naive, parse};

/// The naive generator counts only trees up to this size. The library counts all trees.
const NAIVE_UP_TO: u64 = 150_000;

struct Case {
    name: String,
    position: Position,
    leaves: Vec<u64>,
}

/// Reads the cases. Each is a heading `NAME RULES COLOR LEAVES...`, followed by sixteen rows.
fn cases() -> Vec<Case> {
    let text = include_str!("../data/perft.txt");
    let blocks = text.split("\n\n").filter(|block| !block.starts_with('#'));
    let read = |block: &str| {
        let (heading, picture) = block.trim().split_once('\n')?;
        let words: Vec<&str> = heading.split(' ').collect();
        let rules: Rules = words[1].parse().ok()?;
        let to_move = match words[2] {
            "BLACK" => Color::Black,
            "WHITE" => Color::White,
            _ => return None,
        };
        Some(Case {
            name: format!("{} {}", words[0], words[1]),
            position: parse(picture, to_move, rules),
            leaves: words[3..]
                .iter()
                .map(|n| n.parse().expect("a number"))
                .collect(),
        })
    };
    blocks.map(|block| read(block).expect("a case")).collect()
}

fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 || position.is_won() {
        return 1;
    }
    let moves = position.moves();
    moves
        .into_iter()
        .map(|mv| perft(&position.after(mv), depth - 1))
        .sum()
}

#[test]
fn both_generators_count_the_recorded_leaves() {
    let cases = cases();
    assert_eq!(cases.len(), 22, "eleven positions under two rule sets");
    for Case {
        name,
        position,
        leaves,
    } in cases
    {
        assert!(leaves.len() >= 2, "{name}");
        for (depth, &expected) in (1..).zip(&leaves) {
            assert_eq!(perft(&position, depth), expected, "{name}, depth {depth}");
            if expected <= NAIVE_UP_TO {
                let counted = naive(&position).perft(depth);
                assert_eq!(counted, expected, "{name}, depth {depth}, naively");
            }
        }
    }
}
