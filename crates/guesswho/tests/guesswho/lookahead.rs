//! Tests the bounded look-ahead on boards that are so small that the exact result can be computed.

use crate::expectation::expected_rounds;
use proptest::prelude::*;
use turnwise_guesswho::board::Question;
use turnwise_guesswho::lookahead;
use turnwise_guesswho::player::{Strategy, View};
use turnwise_guesswho::strategies::StrategyKind;

use super::boards::{COURSE, course, random_board, small_boards};

/// A strategy that always uses the look-ahead, even where `optimal` would use the exact solver.
struct LookAhead;

impl Strategy for LookAhead {
    fn choices(&mut self, view: &View<'_>) -> Vec<Question> {
        vec![lookahead::best(view.board, view.mine)]
    }
}

#[test]
fn the_loss_against_exact_is_small() {
    let mut boards: Vec<_> = COURSE.map(|name| (name.to_string(), course(name))).into();
    boards.extend((0..4).map(|seed| (format!("random {seed}"), random_board(60, 8, 5, seed))));
    for (name, board) in boards {
        let exact = expected_rounds(&board, &mut *StrategyKind::Optimal.create());
        let bounded = expected_rounds(&board, &mut LookAhead);
        let binary = expected_rounds(&board, &mut *StrategyKind::Binary.create());
        println!("{name}: exact {exact:.4}, look-ahead {bounded:.4}, halving {binary:.4}");
        assert!(
            bounded > exact - 1e-9 && bounded <= 1.01 * exact && bounded < binary,
            "{name}"
        );
    }
}

proptest! {
    #[test]
    fn it_never_beats_exact_and_never_asks_in_vain(board in small_boards(10)) {
        let exact = expected_rounds(&board, &mut *StrategyKind::Optimal.create());
        prop_assert!(expected_rounds(&board, &mut LookAhead) > exact - 1e-9);
    }
}
