//! The interface between a search and a game.

use std::fmt::Debug;

/// A value in points, always from the maximizing player's view.
///
/// Single precision keeps a table entry small; sums of a few hundred points lose less than a
/// thousandth of a point.
pub type Score = f32;

/// A player, named after its goal for the [`Score`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Wants a high score.
    Max,
    /// Wants a low score.
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

    /// Returns the value that is worse than any other for this side.
    #[inline]
    pub fn worst(self) -> Score {
        match self {
            Side::Max => Score::NEG_INFINITY,
            Side::Min => Score::INFINITY,
        }
    }
}

/// The next event in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// A player chooses a move.
    Player(Side),
    /// A random outcome happens, according to the probabilities.
    Chance,
    /// Nothing; the game is over.
    Over,
}

/// A position of a game for two players, possibly with chance, that can be searched.
///
/// Chance events are moves like any other, and `make` and `unmake` handle them in the usual way.
pub trait Game {
    /// A move of a player or an outcome of chance.
    type Move: Copy + Eq + Debug + Send + 'static;
    /// The information that [`Game::unmake`] needs in addition to the move.
    type Undo;

    /// Returns whether a player or chance moves next, or the game is over.
    fn turn(&self) -> Turn;

    /// Appends the legal moves of the player to move, in a fixed order.
    ///
    /// Only for positions where a player is to move; there is always at least one.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Appends the outcomes with their probabilities, which add up to 1, in a fixed order.
    ///
    /// Only for positions where chance is to move; there is always at least one.
    fn outcomes(&self, out: &mut Vec<(Self::Move, Score)>);

    /// Returns true if the player to move may make this move. It may come from a different position.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves.contains(&mv)
    }

    /// Makes a legal move or a possible outcome. Any other move leaves the position in an unspecified state.
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes the last move back.
    fn unmake(&mut self, mv: Self::Move, undo: Self::Undo);

    /// Returns a hash of everything that affects the rest of the game.
    fn hash(&self) -> u64;

    /// Returns the maximum number of further plies by players.
    fn plies_left(&self) -> u32;

    /// Returns bounds on every evaluation of this position and of all later positions.
    fn bounds(&self) -> (Score, Score);

    /// Returns the estimated score; the exact score if the game is over.
    fn evaluate(&self) -> Score;

    /// Appends the legal moves with their values, in the order of [`Game::moves`]. A value is the result of
    /// [`Game::evaluate`] after the move. Only for positions where a player is to move.
    fn look(&mut self, out: &mut Vec<(Score, Self::Move)>) {
        self.look_by_making(out);
    }

    /// Appends the legal moves with rough values, in the order of [`Game::moves`]. Takes a fraction of the time of
    /// a look. These values may only be compared with each other. Only for positions where a player is to move.
    ///
    /// [`Game::look_closer`] replaces them with the values of [`Game::look`].
    fn glance(&mut self, out: &mut Vec<(Score, Self::Move)>) {
        self.look(out);
    }

    /// Replaces the values from a [glance](Game::glance) with exact evaluations. They are the results of
    /// [`Game::evaluate`] after each move. The slice may hold only some of the moves.
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
