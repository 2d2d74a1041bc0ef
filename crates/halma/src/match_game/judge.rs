//! Checks whether an `output.txt` holds a legal move.

use turnwise_engine::player::{Failure, FaultKind};
use turnwise_protocol::halma::Output;

use crate::breach::breach;
use crate::files::path;
use crate::rules::{Move, Position};
use crate::squares::{Square, Squares};

/// The assignment's rules on how a piece moves, for messages about illegal moves.
const STEPS: &str = "a step, E, goes to one of the eight neighbouring squares, if it is empty";
const JUMPS: &str =
    "a jump, J, goes over one adjacent piece to the square directly behind it, if it is empty";

/// The maximum number of jumps of a chain that a message shows.
const MOST_SHOWN: usize = 12;

/// Returns the move in the content of an `output.txt` if it is legal.
///
/// Every step or jump must be possible on the board, and the move from the first square to the last must be legal.
/// Between these squares, a piece may pass through any camp. A lenient judge ignores blanks and carriage returns at the
/// ends of lines.
pub(crate) fn judge(bytes: &[u8], position: &Position, is_lenient: bool) -> Result<Move, Failure> {
    let output = read(bytes, is_lenient)
        .map_err(|why| Failure::new(FaultKind::Garbage, format!("output.txt, {why}")))?;
    let illegal =
        |why: String| Failure::new(FaultKind::Illegal, format!("`{}`: {why}", shown(&output)));
    let path = path(&output);
    let mv = Move::along(&path);
    let Move { from, to } = mv;
    if !position.pieces(position.to_move()).contains(from) {
        return Err(illegal(format!("it has no piece on {from}")));
    }
    match output {
        Output::Step { .. } if from.steps_to(to) != 1 => {
            return Err(illegal(format!("{to} is no neighbour of {from}; {STEPS}")));
        }
        Output::Step { .. } if position.occupied().contains(to) => {
            return Err(illegal(format!("{to} is occupied; {STEPS}")));
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
    if from == to {
        let why = "it ends where it began, and a chain that returns to its first square is no move";
        return Err(illegal(why.to_owned()));
    }
    match breach(position, mv) {
        None => Ok(mv),
        Some(breach) => Err(illegal(breach.to_string())),
    }
}

/// Parses the content of an `output.txt`, or describes its mistake.
fn read(bytes: &[u8], is_lenient: bool) -> Result<Output, String> {
    let leniently = || Output::parse_lenient(bytes);
    if is_lenient {
        return leniently().map_err(|error| error.to_string());
    }
    Output::parse(bytes).map_err(|error| match leniently() {
        Ok(_) => {
            format!("{error}; --lenient accepts blanks and carriage returns at the ends of lines")
        }
        Err(_) => error.to_string(),
    })
}

/// Formats a move for a message. Shortens a long chain to its beginning.
fn shown(output: &Output) -> String {
    let text = output.to_string();
    let lines: Vec<&str> = text.lines().take(MOST_SHOWN).collect();
    let rest = if text.lines().count() > MOST_SHOWN {
        ", ..."
    } else {
        ""
    };
    lines.join(", ") + rest
}

/// Checks that a jump is possible, or explains why it is not. `others` are all other pieces.
fn check_jump(others: Squares, from: Square, to: Square) -> Result<(), String> {
    let middle = |a: u8, b: u8| a.abs_diff(b).is_multiple_of(2).then_some((a + b) / 2);
    let over = middle(from.x(), to.x())
        .zip(middle(from.y(), to.y()))
        .filter(|_| from.steps_to(to) == 2)
        .map(|(x, y)| Square::at(x, y));
    match over {
        None => Err(format!("no jump leads from {from} to {to}; {JUMPS}")),
        Some(over) if !others.contains(over) => {
            Err(format!("no piece to jump over on {over}; {JUMPS}"))
        }
        Some(_) if others.contains(to) => Err(format!("{to} is occupied; {JUMPS}")),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Color, Rules};

    #[test]
    fn each_breach_has_its_reason() {
        let start = Position::start(Color::White, Rules::Addendum);
        let judged = |text: &str| judge(text.as_bytes(), &start, false);
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
            ("E 11,15 9,15\n", FaultKind::Illegal, STEPS),
            ("E 15,15 14,15\n", FaultKind::Illegal, STEPS),
            ("J 11,15 10,15\n", FaultKind::Illegal, JUMPS),
            ("J 11,15 9,15\n", FaultKind::Illegal, JUMPS),
            ("J 13,15 11,15\n", FaultKind::Illegal, JUMPS),
        ] {
            let failure = judged(text).expect_err(text);
            assert_eq!(failure.kind, kind, "{text}: {failure:?}");
            assert!(failure.reason.contains(part), "{text}: {failure:?}");
        }
    }

    /// Checks the message for each clause in a position of a few white pieces, in which a move breaks that clause.
    #[test]
    fn a_forbidden_move_names_its_clause() {
        let judged = |pieces: &[(u8, u8)], rules, text: &str| {
            let pieces = pieces.iter().map(|&(x, y)| Square::at(x, y)).collect();
            let position = Position::new(Squares::EMPTY, pieces, Color::White, rules);
            let judged = judge(text.as_bytes(), &position.expect("apart"), false);
            judged.map_err(|failure| (failure.kind, failure.reason))
        };
        for (pieces, text, allowed_by_base, part) in [
            (
                &[(4, 1)][..],
                "E 4,1 5,1\n",
                false,
                "`E 4,1 5,1`: the assignment's rule on camps: a piece that has reached the opposing camp may not leave it",
            ),
            (
                &[(10, 15)][..],
                "E 10,15 11,15\n",
                true,
                "`E 10,15 11,15`: clause 1a of the addendum: ",
            ),
            (
                &[(11, 15), (5, 5)][..],
                "E 5,5 4,4\n",
                true,
                "`E 5,5 4,4`: clause 1b of the addendum: while a piece can leave ",
            ),
            (
                &[(15, 15), (5, 5)][..],
                "E 5,5 4,4\n",
                true,
                "`E 5,5 4,4`: clause 1b of the addendum: while no piece can leave ",
            ),
        ] {
            let (kind, reason) = judged(pieces, Rules::Addendum, text).expect_err(text);
            assert_eq!(kind, FaultKind::Illegal);
            assert!(reason.starts_with(part), "{reason}");
            let by_base = judged(pieces, Rules::Base, text);
            assert_eq!(by_base.is_ok(), allowed_by_base, "{by_base:?}");
        }
    }

    #[test]
    fn what_a_lenient_judge_would_accept_is_said_by_a_strict_one() {
        let start = Position::start(Color::White, Rules::Addendum);
        for text in ["E 11,15 10,15 \r\n", "E 11,15 10,15\r\n", "E 11,15 10,15 "] {
            let failure = judge(text.as_bytes(), &start, false).expect_err(text);
            assert_eq!(failure.kind, FaultKind::Garbage);
            let told = format!(
                "got {:?}; --lenient accepts blanks",
                text.trim_end_matches('\n')
            );
            assert!(failure.reason.contains(&told), "{}", failure.reason);
            assert!(judge(text.as_bytes(), &start, true).is_ok(), "{text:?}");
        }
        for text in ["good morning \r\n", " E 11,15 10,15\n"] {
            for is_lenient in [false, true] {
                let failure = judge(text.as_bytes(), &start, is_lenient).expect_err(text);
                assert!(!failure.reason.contains("--lenient"), "{}", failure.reason);
            }
        }
    }

    #[test]
    fn a_long_chain_is_shown_by_its_beginning() {
        let start = Position::start(Color::White, Rules::Addendum);
        let text = "J 12,15 10,13\nJ 10,13 12,15\n".repeat(1000);
        let failure = judge(text.as_bytes(), &start, false).expect_err("no move");
        assert!(
            failure.reason.contains(", ...`: it ends where it began"),
            "{}",
            failure.reason
        );
        assert!(failure.reason.len() < 400, "{}", failure.reason);
    }

    #[test]
    fn a_move_back_into_the_own_camp_depends_on_the_rules() {
        for (rules, legal) in [(Rules::Base, true), (Rules::Addendum, false)] {
            let piece = Squares::EMPTY.with(Square::at(10, 15));
            let position = Position::new(Squares::EMPTY, piece, Color::White, rules);
            let judged = judge(b"E 10,15 11,15\n", &position.expect("one piece"), false);
            assert_eq!(judged.is_ok(), legal, "{judged:?}");
        }
    }
}
