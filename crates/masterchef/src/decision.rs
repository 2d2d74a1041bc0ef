//! The pick to make, and which algorithm it comes from.

use super::answer::{Answer, Control};
use super::literal::{self, Algorithm};
use super::rules::Draft;
use super::solver;
use super::units::Units;

/// An answer, and where it comes from.
pub struct Decision<U> {
    /// The pick to make.
    pub answer: Answer<U>,
    /// The algorithm that the answer comes from; `None` for the exact solver.
    pub by: Option<Algorithm>,
    /// The algorithm that was asked for; `None` for the exact solver.
    pub named: Option<Algorithm>,
    /// What the exact solver visited, and whether it was done in time.
    pub solver: Answer<U>,
}

impl<U> Decision<U> {
    /// If time ran out: for whom, and what the answer is worth nevertheless.
    pub fn remark(&self) -> Option<String> {
        match (self.named, self.by) {
            (Some(algorithm), None) if self.answer.proven => Some(format!(
                " for {}; the exact solver answers instead, with the pick that it leads to",
                algorithm.name()
            )),
            _ if self.answer.proven => None,
            _ => Some("; this is the best pick found, not proven to be optimal".to_owned()),
        }
    }
}

/// Searches with the exact solver, and then with the algorithm that is named: whenever that runs out of time,
/// the answer is there already.
pub fn decide<U: Units>(
    draft: &Draft<U>,
    named: Option<Algorithm>,
    control: &mut Control,
) -> Decision<U> {
    let solver = solver::solve(draft, control);
    let literal = named.map(|algorithm| literal::search(draft, algorithm, control));
    let literal = literal.filter(|answer| answer.proven);
    Decision {
        answer: literal.unwrap_or(solver),
        by: literal.and(named),
        named,
        solver,
    }
}
