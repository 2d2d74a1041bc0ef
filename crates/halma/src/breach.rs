//! Finds the clause of the rules that forbids an otherwise possible move.

use super::rules::{Move, Position, Rules};

/// The violated clause of the assignment or the addendum, with details of the violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// The assignment: once a piece has reached the opposing camp, a play cannot result in it leaving.
    #[error("a piece that has reached the opposing camp may not leave it")]
    LeavesGoal,
    /// The addendum, 1a: a piece outside its own camp moves into it.
    #[error("clause 1a of the addendum: a piece outside its own camp may not move into it")]
    EntersCamp,
    /// The addendum, 1b: a piece can leave the camp by the given move, but the played move does not leave it.
    #[error(
        "clause 1b of the addendum: while a piece can leave its own camp, one of them must; \
         {} to {} would", .0.from, .0.to
    )]
    LeavesNoCamp(Move),
    /// The addendum, 1b: no piece can leave the camp, but the given move would lead further from its corner.
    #[error(
        "clause 1b of the addendum: while no piece can leave its own camp but one in it can move \
         further from the corner, one of them must; {} to {} would", .0.from, .0.to
    )]
    StaysNearCorner(Move),
}

/// Returns the clause that forbids a step or a chain of jumps of the player to move.
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
