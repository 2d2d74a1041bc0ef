//! Decides on the pick to make, and on the algorithm that provides it.

use super::answer::{Answer, Control};
use super::literal::{self, Algorithm};
use super::rules::Draft;
use super::solver;
use super::units::Units;

/// An answer and its origin.
pub struct Decision<U> {
    /// The pick to make.
    pub answer: Answer<U>,
    /// The algorithm of the answer; `None` for the exact solver.
    pub by: Option<Algorithm>,
    /// The requested algorithm; `None` for the exact solver.
    pub named: Option<Algorithm>,
    /// The exact solver's answer, which shows its nodes and whether it finished in time.
    pub solver: Answer<U>,
}

impl<U> Decision<U> {
    /// Explains which search ran out of time, if any, and the value of the answer.
    pub fn remark(&self) -> Option<String> {
        match (self.named, self.by) {
            (Some(algorithm), None) if self.answer.proven => Some(format!(
                " for {}; the exact solver answers instead, with the pick of that algorithm",
                algorithm.name()
            )),
            _ if self.answer.proven => None,
            _ => Some("; this is the best pick found, not proven to be optimal".to_owned()),
        }
    }
}

/// Searches with the exact solver, then with the named algorithm.
///
/// If the named algorithm runs out of time, the exact answer is already available.
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
