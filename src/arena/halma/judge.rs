//! Whether an `output.txt` holds a legal move.

use turnwise_protocol::halma::{Output, Place};

use crate::arena::player::Failure;
use crate::games::halma::rules::{Move, Position};
use crate::games::halma::squares::{Square, Squares};
use crate::records::FaultKind;

/// The move of a file: every step or jump of it must be possible on the board, and the whole move legal
/// from its first square to its last. In between a piece may pass through any camp.
pub(super) fn judge(bytes: &[u8], position: &Position) -> Result<Move, Failure> {
    let output = Output::parse(bytes)
        .map_err(|error| Failure::new(FaultKind::Garbage, format!("output.txt, {error}")))?;
    let illegal = |why: String| {
        let shown = output.to_string().trim_end().replace('\n', ", ");
        Failure::new(FaultKind::Illegal, format!("`{shown}`: {why}"))
    };
    let path: Vec<Square> = output.path().into_iter().map(square).collect();
    let (from, to) = (path[0], path[path.len() - 1]);
    if !position.pieces(position.to_move()).contains(from) {
        return Err(illegal(format!("it has no piece on {from}")));
    }
    match output {
        Output::Step { .. } if from.steps_to(to) != 1 => {
            return Err(illegal(format!("{to} is no neighbour of {from}")));
        }
        Output::Step { .. } => {}
        Output::Jumps(_) => {
            let mut others = position.occupied();
            others.remove(from);
            for jump in path.windows(2) {
                check_jump(others, jump[0], jump[1]).map_err(illegal)?;
            }
        }
    }
    let mv = Move { from, to };
    if position.is_legal(mv) {
        return Ok(mv);
    }
    Err(illegal(if from == to {
        "it ends where it began".to_owned()
    } else if position.occupied().contains(to) {
        format!("{to} is occupied")
    } else {
        format!("the {} rules forbid it", position.rules())
    }))
}

/// Says why a piece cannot jump there; `others` are all other pieces.
fn check_jump(others: Squares, from: Square, to: Square) -> Result<(), String> {
    let middle = |a: u8, b: u8| a.abs_diff(b).is_multiple_of(2).then_some((a + b) / 2);
    let over = middle(from.x(), to.x())
        .zip(middle(from.y(), to.y()))
        .filter(|_| from.steps_to(to) == 2)
        .map(|(x, y)| Square::at(x, y));
    match over {
        None => Err(format!("no jump leads from {from} to {to}")),
        Some(over) if !others.contains(over) => Err(format!("no piece to jump over on {over}")),
        Some(_) if others.contains(to) => Err(format!("{to} is occupied")),
        Some(_) => Ok(()),
    }
}

fn square(place: Place) -> Square {
    Square::at(place.x, place.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::halma::rules::{Color, Rules};

    #[test]
    fn each_breach_has_its_reason() {
        let start = Position::start(Color::White, Rules::Addendum);
        let judged = |text: &str| judge(text.as_bytes(), &start);
        let square = |x, y| Square::at(x, y);
        let mv = Move {
            from: square(12, 15),
            to: square(10, 13),
        };
        assert_eq!(judged("J 12,15 10,13\n"), Ok(mv));
        for (text, kind, part) in [
            ("", FaultKind::Garbage, "line 1"),
            ("E 11,15 10,15 \n", FaultKind::Garbage, "line 1"),
            ("E 0,0 5,5\n", FaultKind::Illegal, "no piece on 0,0"),
            ("E 11,15 9,15\n", FaultKind::Illegal, "no neighbour"),
            ("E 15,15 14,15\n", FaultKind::Illegal, "14,15 is occupied"),
            ("J 11,15 10,15\n", FaultKind::Illegal, "no jump leads"),
            (
                "J 11,15 9,15\n",
                FaultKind::Illegal,
                "no piece to jump over on 10,15",
            ),
            ("J 13,15 11,15\n", FaultKind::Illegal, "11,15 is occupied"),
            (
                "J 12,15 10,13\nJ 10,13 12,15\n",
                FaultKind::Illegal,
                "ends where it began",
            ),
        ] {
            let failure = judged(text).expect_err(text);
            assert_eq!(failure.kind, kind, "{text}: {failure:?}");
            assert!(failure.reason.contains(part), "{text}: {failure:?}");
        }
    }

    #[test]
    fn a_move_back_into_the_own_camp_depends_on_the_rules() {
        for (rules, legal) in [(Rules::Base, true), (Rules::Addendum, false)] {
            let piece = Squares::EMPTY.with(Square::at(10, 15));
            let position = Position::new(Squares::EMPTY, piece, Color::White, rules);
            let judged = judge(b"E 10,15 11,15\n", &position.expect("one piece"));
            assert_eq!(judged.is_ok(), legal, "{judged:?}");
        }
    }
}
