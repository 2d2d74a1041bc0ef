//! The interface between a search and a game.

use std::fmt::Debug;

/// A value in points, always from the maximizing player's point of view.
///
/// Single precision keeps entries of the transposition table small. It is sufficient: sums of a few hundred points lose
/// less than a thousandth of a point.
pub type Score = f32;

/// A player, named after the [`Score`] that the player wants to reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The player that wants a high score.
    Max,
    /// The player that wants a low score.
    Min,
}

impl Side {
    /// Returns true if `new` is strictly better than `old` for this side.
    #[inline]
    pub fn prefers(self, new: Score, old: Score) -> bool {
        match self {
            Side::Max => new > old,
            Side::Min => new < old,
        }
    }

    /// Returns the infinite value that is worse for this side than any score.
    #[inline]
    pub fn worst(self) -> Score {
        match self {
            Side::Max => Score::NEG_INFINITY,
            Side::Min => Score::INFINITY,
        }
    }
}

/// What happens next in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// A player chooses a move.
    Player(Side),
    /// A random event happens; [`Game::outcomes`] lists its possible outcomes and their probabilities.
    Chance,
    /// Nothing happens, because the game is over.
    Over,
}

/// A position that can be searched, in a game for two players that may involve chance.
///
/// The outcomes of chance events are also moves: `make` and `unmake` handle them like the moves of players.
pub trait Game {
    /// A move of a player or an outcome of chance.
    type Move: Copy + Eq + Debug + Send + 'static;
    /// The information that [`Game::unmake`] needs in addition to the move.
    type Undo;

    /// Returns whether a player or chance moves next, or the game is over.
    fn turn(&self) -> Turn;

    /// Appends the legal moves of the player to move to `out`, in a fixed order.
    ///
    /// Call this only in positions where a player is to move. Such a position always has at least one legal move.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Appends the possible outcomes of the chance event and their probabilities to `out`, in a fixed order. The
    /// probabilities add up to 1.
    ///
    /// Call this only in positions where chance is to move. Such a position always has at least one outcome.
    fn outcomes(&self, out: &mut Vec<(Self::Move, Score)>);

    /// Returns true if this move is legal for the player to move. The move may have been generated in a different
    /// position.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves.contains(&mv)
    }

    /// Makes a legal move or a possible outcome of chance. Any other move leaves the position in an unspecified state.
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back the last move made. `undo` is the value that [`Game::make`] returned for it.
    fn unmake(&mut self, mv: Self::Move, undo: Self::Undo);

    /// Returns a hash of everything that affects the rest of the game.
    fn hash(&self) -> u64;

    /// Returns the maximum number of moves that players can still make until the end of the game.
    fn plies_left(&self) -> u32;

    /// Returns a lower and an upper bound on the evaluation of this position and of all later positions.
    fn bounds(&self) -> (Score, Score);

    /// Returns an estimate of the final score, or the exact final score if the game is over.
    fn evaluate(&self) -> Score;

    /// Appends the legal moves with their values to `out`, in the order of [`Game::moves`]. The value of a move is the
    /// result of [`Game::evaluate`] after the move. Call this only in positions where a player is to move.
    fn look(&mut self, out: &mut Vec<(Score, Self::Move)>) {
        self.look_by_making(out);
    }

    /// Appends the legal moves with rough values to `out`, in the order of [`Game::moves`]. This takes a fraction of
    /// the time of [`Game::look`]. The rough values may be compared only with each other. Call this only in positions
    /// where a player is to move.
    ///
    /// [`Game::look_closer`] replaces the rough values with the values that [`Game::look`] returns.
    fn glance(&mut self, out: &mut Vec<(Score, Self::Move)>) {
        self.look(out);
    }

    /// Replaces the rough values from a [glance](Game::glance) with the results of [`Game::evaluate`] after each move.
    /// The slice may hold only a part of the legal moves.
    fn look_closer(&mut self, _moves: &mut [(Score, Self::Move)]) {}

    /// Implements [`Game::look`] by making and unmaking every move.
    fn look_by_making(&mut self, out: &mut Vec<(Score, Self::Move)>) {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        for mv in moves {
            let undo = self.make(mv);
            out.push((self.evaluate(), mv));
            self.unmake(mv, undo);
        }
    }
}
