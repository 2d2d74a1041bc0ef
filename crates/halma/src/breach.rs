//! Finds the clause of the rules that forbids an otherwise possible move.

use super::rules::{Move, Position, Rules};

/// The violated clause of the assignment or the addendum, with details of the violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// Breaks the assignment's rule: a piece that has reached the opposing camp leaves it.
    #[error(
        "the assignment's rule on camps: a piece that has reached the opposing camp may not leave it"
    )]
    LeavesGoal,
    /// Breaks clause 1a of the addendum: a piece outside its own camp moves into it.
    #[error("clause 1a of the addendum: a piece outside its own camp may not move into it")]
    EntersCamp,
    /// Breaks clause 1b of the addendum: the played move does not leave the camp, but the move stored here would.
    #[error(
        "clause 1b of the addendum: while a piece can leave its own camp, one of them must; \
         {} to {} would", .0.from, .0.to
    )]
    LeavesNoCamp(Move),
    /// Breaks clause 1b of the addendum: a piece in the camp must move further from the corner.
    ///
    /// No piece can leave the camp. The move stored here would lead further from the corner; the played move does not.
    #[error(
        "clause 1b of the addendum: while no piece can leave its own camp but one in it can move \
         further from the corner, one of them must; {} to {} would", .0.from, .0.to
    )]
    StaysNearCorner(Move),
}

/// Returns the clause that forbids a move of the player to move.
///
/// The move must be possible as a step or a chain of jumps.
///
/// Returns `None` if the move is legal.
pub fn breach(position: &Position, mv: Move) -> Option<Breach> {
    let mover = position.to_move();
    let (camp, goal) = (mover.camp(), mover.goal());
    if goal.contains(mv.from) && !goal.contains(mv.to) {
        return Some(Breach::LeavesGoal);
    }
    if position.rules() == Rules::Base {
        return None;
    }
    if camp.contains(mv.to) && !camp.contains(mv.from) {
        return Some(Breach::EntersCamp);
    }
    let legal = position.moves();
    if legal.contains(&mv) {
        return None;
    }
    // Any legal move satisfies clause 1b, so the first one can serve as the example.
    let instead = *legal.first()?;
    Some(match camp.contains(instead.to) {
        true => Breach::StaysNearCorner(instead),
        false => Breach::LeavesNoCamp(instead),
    })
}
