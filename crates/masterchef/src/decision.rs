//! Decides which pick to make, and which algorithm's answer to use.

use super::answer::{Answer, Control};
use super::literal::{self, Algorithm};
use super::rules::Draft;
use super::solver;
use super::units::Units;

/// The pick to make, and which algorithms ran to find it.
pub struct Decision<U> {
    /// The answer with the pick to make.
    pub answer: Answer<U>,
    /// The algorithm that gave the answer, or `None` if the exact solver gave it.
    pub by: Option<Algorithm>,
    /// The algorithm that the caller requested, or `None` if the caller wanted only the exact solver.
    pub named: Option<Algorithm>,
    /// The exact solver's answer, including its node count and whether it finished in time.
    pub solver: Answer<U>,
}

impl<U> Decision<U> {
    /// Returns a remark that names the search that ran out of time, and states how good the answer therefore is.
    ///
    /// Returns `None` if every search finished.
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

/// Searches with the exact solver, then with the named algorithm, if any.
///
/// So if the named algorithm runs out of time, the exact solver's answer is already available.
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
