//! Which clause of the rules forbids a move that steps and jumps would allow.

use super::rules::{Move, Position, Rules};

/// A clause of the text or of the addendum, and how the move at hand breaks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// The text: once a piece has reached the opposing camp, a play cannot result in it leaving.
    #[error("a piece that has reached the opposing camp may not leave it")]
    LeavesGoal,
    /// The addendum, 1a: a piece from outside moves into its own camp.
    #[error("clause 1a of the addendum: a piece outside its own camp may not move into it")]
    EntersCamp,
    /// The addendum, 1b: this move would leave the camp.
    #[error(
        "clause 1b of the addendum: while a piece can leave its own camp, one of them must; \
         {} to {} would", .0.from, .0.to
    )]
    LeavesNoCamp(Move),
    /// The addendum, 1b: no piece can leave the camp, and this move would lead further from its corner.
    #[error(
        "clause 1b of the addendum: while no piece can leave its own camp but one in it can move \
         further from the corner, one of them must; {} to {} would", .0.from, .0.to
    )]
    StaysNearCorner(Move),
}

/// The clause that forbids a move, which must be a step or a chain of jumps of the player to move;
/// `None` if it is legal.
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
    // What is legal instead is what clause 1b asks for.
    let instead = *legal.first()?;
    Some(match camp.contains(instead.to) {
        true => Breach::StaysNearCorner(instead),
        false => Breach::LeavesNoCamp(instead),
    })
}
