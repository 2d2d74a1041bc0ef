//! Tests that `breach` names a clause for exactly the forbidden moves, and that it names the right clause.

use proptest::prelude::*;
use turnwise_halma::breach::{Breach, breach};
use turnwise_halma::jumps::{Components, Jumps};
use turnwise_halma::rules::{Color, Move, Position, Rules};
use turnwise_halma::squares::{Square, Squares};

use crate::positions::any_position;

/// Returns all moves that are possible as steps or jumps, ignoring the clauses about camps.
fn possible(position: &Position) -> Vec<Move> {
    let jumps = Jumps::new(position.occupied());
    let pieces = position.pieces(position.to_move()).into_iter();
    let moves = pieces.flat_map(|from| {
        let targets = jumps.targets(from, &mut Components::default()).into_iter();
        targets.map(move |to| Move { from, to })
    });
    moves.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_possible_move_breaks_a_clause_or_is_legal(position in any_position()) {
        let mover = position.to_move();
        let (camp, goal) = (mover.camp(), mover.goal());
        for mv in possible(&position) {
            let breach = breach(&position, mv);
            prop_assert_eq!(breach.is_none(), position.is_legal(mv), "{:?} {:?}", mv, breach);
            let comes = |from: Squares, to: Squares| from.contains(mv.from) && to.contains(mv.to);
            match breach {
                None => {}
                Some(Breach::LeavesGoal) => prop_assert!(comes(goal, !goal)),
                Some(Breach::EntersCamp) => prop_assert!(comes(!camp, camp)),
                Some(Breach::LeavesNoCamp(instead)) => {
                    prop_assert!(!comes(camp, !camp) && position.is_legal(instead));
                    prop_assert!(camp.contains(instead.from) && !camp.contains(instead.to));
                }
                Some(Breach::StaysNearCorner(instead)) => {
                    prop_assert!(position.is_legal(instead));
                    prop_assert!(camp.contains(instead.from) && camp.contains(instead.to));
                    // No piece can leave the camp. If one could, clause 1b would demand that it leaves.
                    let stays = |other: &Move| !camp.contains(other.from) || camp.contains(other.to);
                    let all_stay = possible(&position).iter().all(stays);
                    prop_assert!(all_stay);
                }
            }
        }
    }
}

fn square((x, y): (u8, u8)) -> Square {
    Square::at(x, y)
}

fn mv(from: (u8, u8), to: (u8, u8)) -> Move {
    let [from, to] = [from, to].map(square);
    Move { from, to }
}

#[test]
fn each_clause_has_its_name() {
    let told = |black: &[(u8, u8)], rules, wanted: Move| {
        let pieces = black.iter().copied().map(square).collect();
        let position = Position::new(pieces, Squares::EMPTY, Color::Black, rules);
        let breach = breach(&position.expect("apart"), wanted);
        breach.map(|breach| breach.to_string())
    };
    let leave = mv((11, 15), (10, 15));
    for rules in Rules::ALL {
        let told = told(&[(11, 15)], rules, leave).expect("a breach");
        assert_eq!(
            told,
            "the assignment's rule on camps: a piece that has reached the opposing camp may not leave it"
        );
    }
    let home = mv((5, 0), (4, 0));
    assert_eq!(told(&[(5, 0)], Rules::Base, home), None);
    let text = told(&[(5, 0)], Rules::Addendum, home).expect("a breach");
    assert!(text.starts_with("clause 1a of the addendum: "), "{text}");
    let elsewhere = mv((9, 9), (9, 10));
    assert_eq!(told(&[(4, 0), (9, 9)], Rules::Base, elsewhere), None);
    let text = told(&[(4, 0), (9, 9)], Rules::Addendum, elsewhere).expect("a breach");
    assert_eq!(
        text,
        "clause 1b of the addendum: while a piece can leave its own camp, one of them must; 4,0 to \
         5,0 would"
    );
    let text = told(&[(0, 0), (9, 9)], Rules::Addendum, elsewhere).expect("a breach");
    assert_eq!(
        text,
        "clause 1b of the addendum: while no piece can leave its own camp but one in it can move \
         further from the corner, one of them must; 0,0 to 1,0 would"
    );
}
