//! Statistics about the opponent's moves in a game. They ignore its clock, which is unknown.

use std::fmt;

use crate::rules::{Color, Move};
use turnwise_engine::agent::OpponentMemory;
use turnwise_engine::words::counted;

/// The number of recent moves that determine the opponent's pace.
const MOVES_OF_PACE: u32 = 8;

/// Statistics about the opponent's moves in one game.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Opponent {
    /// Counts the opponent's moves, our predictions of these moves, and the predictions that were right.
    pub counts: OpponentMemory,
    /// The opponent's progress per move, in columns plus rows towards its goal.
    ///
    /// During the first eight moves, this is the mean over all moves so far. After that, it is a moving average that
    /// follows the latest moves.
    pub pace: f64,
    /// The number of the opponent's moves that undid its previous move.
    pub taken_back: u32,
    /// The opponent's last move, or `None` before its first move.
    pub last: Option<Move>,
}

impl Opponent {
    /// Counts a move of the opponent, whose color is `color`. `expected` is our prediction, if any.
    pub fn observe(&mut self, color: Color, mv: Move, expected: Option<Move>) {
        let counts = &mut self.counts;
        let add = |count: &mut u32, counts| *count = count.saturating_add(u32::from(counts));
        add(&mut counts.moves, true);
        add(&mut counts.predicted, expected.is_some());
        add(&mut counts.expected, expected == Some(mv));
        let progress = f64::from(color.progress(mv.to) - color.progress(mv.from));
        self.pace += (progress - self.pace) / f64::from(counts.moves.min(MOVES_OF_PACE));
        let is_taken_back = self
            .last
            .is_some_and(|last| last.from == mv.to && last.to == mv.from);
        add(&mut self.taken_back, is_taken_back);
        self.last = Some(mv);
    }

    /// Returns the pace, if the opponent has made enough moves to determine it.
    pub fn steady_pace(&self) -> Option<f64> {
        (self.counts.moves >= MOVES_OF_PACE).then_some(self.pace)
    }
}

/// Formats the statistics for a line of a log.
impl fmt::Display for Opponent {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(
            out,
            "{}, pace {:.1}, {} of {} as expected, {} taken back",
            counted(self.counts.moves, "move"),
            self.pace,
            self.counts.expected,
            self.counts.predicted,
            self.taken_back
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::squares::Square;

    fn mv(from: (u8, u8), to: (u8, u8)) -> Move {
        let [from, to] = [from, to].map(|(x, y)| Square::at(x, y));
        Move { from, to }
    }

    #[test]
    fn progress_is_towards_the_own_goal() {
        for (color, expected) in [(Color::Black, 3.0), (Color::White, -3.0)] {
            let mut opponent = Opponent::default();
            opponent.observe(color, mv((4, 4), (6, 5)), None);
            assert_eq!(opponent.pace, expected);
        }
    }

    #[test]
    fn the_pace_is_a_mean_at_first_and_follows_the_latest_later() {
        let mut opponent = Opponent::default();
        for at in 0..8 {
            assert_eq!(opponent.steady_pace(), None);
            opponent.observe(Color::Black, mv((0, at), (at, at)), None);
        }
        assert_eq!(opponent.steady_pace(), Some(3.5));
        // From the ninth move on, each move changes the pace by an eighth of the difference between the move's progress
        // and the pace.
        opponent.observe(Color::Black, mv((0, 0), (0, 11)), None);
        assert_eq!(opponent.steady_pace(), Some(3.5 + 7.5 / 8.0));
    }

    #[test]
    fn counts_stay_at_the_most_that_can_be_written_down() {
        let mut opponent = Opponent::default();
        opponent.counts.moves = u32::MAX;
        opponent.observe(Color::Black, mv((0, 0), (1, 1)), None);
        assert_eq!(opponent.counts.moves, u32::MAX);
    }

    #[test]
    fn expected_moves_and_moves_taken_back_are_counted() {
        let (there, back) = (mv((4, 4), (5, 5)), mv((5, 5), (4, 4)));
        let mut opponent = Opponent::default();
        for (played, expected) in [
            (there, None),
            (back, Some(back)),
            (there, Some(back)),
            (mv((0, 0), (1, 0)), None),
        ] {
            opponent.observe(Color::White, played, expected);
        }
        assert_eq!(
            (opponent.counts.predicted, opponent.counts.expected),
            (2, 1)
        );
        assert_eq!((opponent.counts.moves, opponent.taken_back), (4, 2));
        assert_eq!(
            opponent.to_string(),
            "4 moves, pace -0.8, 1 of 2 as expected, 2 taken back"
        );
    }
}
