//! The two algorithms of the assignment, minimax and alpha-beta, as its text describes them.
//!
//! In each position, they try every free contestant, ascending by ID, until both teams are complete.

use std::ops::ControlFlow;

use super::answer::{Answer, Control, Progress, visit};
use super::rules::{Captain, Draft, with_digit};
use super::units::Units;

/// An algorithm that an input file can name on its second line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// `minimax`: visits every position.
    Minimax,
    /// `ab`: minimax with alpha-beta pruning.
    AlphaBeta,
}

impl Algorithm {
    /// Both algorithms, in the order of their declaration.
    pub const ALL: [Algorithm; 2] = [Algorithm::Minimax, Algorithm::AlphaBeta];

    /// Returns the name of the algorithm in input files.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Minimax => "minimax",
            Algorithm::AlphaBeta => "ab",
        }
    }
}

/// Searches a draft with this algorithm and returns the pick to make.
///
/// # Panics
/// Panics if the draft is over.
pub fn search<U: Units>(
    draft: &Draft<U>,
    algorithm: Algorithm,
    control: &mut Control,
) -> Answer<U> {
    let captain = draft.turn().expect("the draft is over");
    let first = draft
        .free()
        .next()
        .expect("a running draft has free contestants");
    let mut search = Literal {
        draft,
        prune: algorithm == Algorithm::AlphaBeta,
        free: draft.free().map(|index| (index, true)).collect(),
        progress: Progress::new(draft.free().count(), first),
        control,
    };
    let teams = Captain::BOTH.map(|side| Team {
        strength: draft.strength(side),
        digits: draft.digits(side),
    });
    let mut value = None;
    let finished = search.first_picks(captain, teams, &mut value);
    search.progress.answer(value, finished)
}

/// A team's strength and the set of its members' last digits, which is `None` if a digit repeats.
#[derive(Clone, Copy)]
struct Team<U> {
    strength: U,
    digits: Option<u16>,
}

struct Literal<'a, U> {
    draft: &'a Draft<U>,
    prune: bool,
    /// Every contestant that was free at the start, in ascending order of ID, and whether it is still free.
    free: Vec<(usize, bool)>,
    progress: Progress,
    control: &'a mut Control<'a>,
}

impl<U: Units> Literal<'_, U> {
    /// Compares all picks in the starting position and stores the best one.
    ///
    /// Of equally good picks, this is the first that was compared, which has the smallest ID.
    fn first_picks(
        &mut self,
        captain: Captain,
        teams: [Team<U>; 2],
        best: &mut Option<U>,
    ) -> ControlFlow<()> {
        let picks_left = self.draft.picks_left();
        for slot in 0..self.free.len() {
            let (alpha, beta) = match (captain, *best) {
                (Captain::A, Some(best)) => (best, U::MAX),
                (Captain::B, Some(best)) => (U::MIN, best),
                (_, None) => (U::MIN, U::MAX),
            };
            let value = self.after_pick(slot, captain, teams, picks_left, alpha, beta)?;
            if best.is_none_or(|best| captain.prefers(value, best)) {
                *best = Some(value);
                self.progress.pick = self.free[slot].0;
            }
            self.progress.decided += 1;
        }
        ControlFlow::Continue(())
    }

    /// Returns the minimax value of a position. With pruning, the result may be only a bound on this value.
    fn value(
        &mut self,
        captain: Captain,
        teams: [Team<U>; 2],
        picks_left: usize,
        mut alpha: U,
        mut beta: U,
    ) -> ControlFlow<(), U> {
        visit(&mut self.progress, self.control)?;
        if picks_left == 0 {
            let [a, b] = teams.map(|team| team.strength + self.draft.bonus_for(team.digits));
            return ControlFlow::Continue(a - b);
        }
        let mut best = match captain {
            Captain::A => U::MIN,
            Captain::B => U::MAX,
        };
        for slot in 0..self.free.len() {
            if !self.free[slot].1 {
                continue;
            }
            let value = self.after_pick(slot, captain, teams, picks_left, alpha, beta)?;
            if captain.prefers(value, best) {
                best = value;
            }
            match captain {
                Captain::A => alpha = alpha.max(best),
                Captain::B => beta = beta.min(best),
            }
            if self.prune && alpha >= beta {
                break;
            }
        }
        ControlFlow::Continue(best)
    }

    fn after_pick(
        &mut self,
        slot: usize,
        captain: Captain,
        mut teams: [Team<U>; 2],
        picks_left: usize,
        alpha: U,
        beta: U,
    ) -> ControlFlow<(), U> {
        let contestant = &self.draft.contestants()[self.free[slot].0];
        let team = &mut teams[captain.index()];
        team.strength = team.strength + contestant.gain[captain.index()];
        team.digits = with_digit(team.digits, contestant.digit());
        self.free[slot].1 = false;
        let value = self.value(captain.other(), teams, picks_left - 1, alpha, beta)?;
        self.free[slot].1 = true;
        ControlFlow::Continue(value)
    }
}
