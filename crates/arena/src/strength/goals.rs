//! Counts games that were won on the board by a known margin, with their length and their margin.

/// The games that an agent has won on the board by a known margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Goals {
    /// The number of games that the agent has won in this way.
    pub games: u64,
    /// The number of moves that the agent itself made in all these games.
    pub moves: u64,
    /// The sum of the margins by which the agent won.
    pub margins: u64,
    /// The smallest margin by which the agent won; `None` without games.
    pub least_margin: Option<u32>,
}

impl Goals {
    /// Returns the winner's counts after one game, in which both players made `moves` moves together.
    pub(super) fn of_game(moves: u32, margin: u32) -> Self {
        Self {
            games: 1,
            // The winner makes the last move.
            moves: u64::from(moves.div_ceil(2)),
            margins: u64::from(margin),
            least_margin: Some(margin),
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.moves += other.moves;
        self.margins += other.margins;
        let margins = [self.least_margin, other.least_margin];
        self.least_margin = margins.into_iter().flatten().min();
    }

    /// Returns the mean number of the agent's own moves in a game and the mean margin; `None` without games.
    pub fn means(&self) -> Option<[f64; 2]> {
        let mean = |sum| sum as f64 / self.games as f64;
        (self.games > 0).then(|| [mean(self.moves), mean(self.margins)])
    }
}
