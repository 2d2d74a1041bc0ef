//! Games won on the board by a known margin: their length and their closeness.

use crate::records::GameRecord;

/// The games that an agent has won on the board by a known margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Goals {
    /// The number of such games.
    pub games: u64,
    /// The agent's own moves in all these games.
    pub moves: u64,
    /// The sum of the margins.
    pub margins: u64,
    /// The margin of the closest game.
    pub least_margin: Option<u32>,
}

impl Goals {
    /// Collects the games that an agent has won.
    pub(super) fn won_by(name: &str, games: [&GameRecord; 2]) -> Self {
        let mut goals = Self::default();
        for game in games {
            let result = &game.result;
            let winner = &result.players[usize::from(result.score() != 1.0)];
            let Some(margin) = result.meaning.margin.filter(|_| winner == name) else {
                continue;
            };
            goals.merge(&Self {
                games: 1,
                // The winner makes the last move.
                moves: game.moves.len().div_ceil(2) as u64,
                margins: u64::from(margin),
                least_margin: Some(margin),
            });
        }
        goals
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.moves += other.moves;
        self.margins += other.margins;
        let margins = [self.least_margin, other.least_margin];
        self.least_margin = margins.into_iter().flatten().min();
    }

    /// Returns the mean number of own moves and the mean margin of a game; `None` without games.
    pub fn means(&self) -> Option<[f64; 2]> {
        let mean = |sum| sum as f64 / self.games as f64;
        (self.games > 0).then(|| [mean(self.moves), mean(self.margins)])
    }
}
