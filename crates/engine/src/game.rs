//! What a search needs to know of a game.

use std::fmt::Debug;

/// A value in points, always from the side of the player who maximises.
///
/// Single precision keeps a table entry small; sums of a few hundred points lose less than a
/// thousandth of a point.
pub type Score = f32;

/// A player, named by what it does with the [`Score`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Wants the score high.
    Max,
    /// Wants the score low.
    Min,
}

impl Side {
    /// True if `new` is strictly better than `old` for this side.
    #[inline]
    pub fn prefers(self, new: Score, old: Score) -> bool {
        match self {
            Side::Max => new > old,
            Side::Min => new < old,
        }
    }

    /// The value worse than any other for this side.
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
    /// A player chooses one of the moves.
    Player(Side),
    /// One of the outcomes happens, each with its probability.
    Chance,
    /// Nothing; the game is over.
    Over,
}

/// A position of a game for two players, possibly with chance, that can be searched.
///
/// Chance events are moves like any other and are made and taken back the same way.
pub trait Game {
    /// A move of a player or an outcome of chance.
    type Move: Copy + Eq + Debug + Send + 'static;
    /// What [`Game::unmake`] needs besides the move.
    type Undo;

    /// Whether a player or chance moves next, or the game is over.
    fn turn(&self) -> Turn;

    /// Appends the legal moves of the player to move, in a fixed order.
    ///
    /// Only for positions where a player is to move; there is always at least one.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Appends the outcomes with their probabilities, which sum up to 1, in a fixed order.
    ///
    /// Only for positions where chance is to move; there is always at least one.
    fn outcomes(&self, out: &mut Vec<(Self::Move, Score)>);

    /// True if the player to move may make this move, whatever position it comes from.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves.contains(&mv)
    }

    /// Makes a legal move or a possible outcome. Others leave the position in an unspecified state.
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes the last move back.
    fn unmake(&mut self, mv: Self::Move, undo: Self::Undo);

    /// A hash of everything that the future depends on.
    fn hash(&self) -> u64;

    /// How many more times a player will move at most.
    fn plies_left(&self) -> u32;

    /// Bounds that hold for every evaluation of this position and of all that follow it.
    fn bounds(&self) -> (Score, Score);

    /// The estimated score; the exact one if the game is over.
    fn evaluate(&self) -> Score;

    /// Appends the legal moves, in the order of [`Game::moves`], each with what [`Game::evaluate`]
    /// would say after it. Only for positions where a player is to move.
    fn look(&mut self, out: &mut Vec<(Score, Self::Move)>) {
        self.look_by_making(out);
    }

    /// Appends the legal moves, in the order of [`Game::moves`], each with what tells roughly, at a fraction of
    /// the time, which of them are promising: such values are compared with each other and nothing else. Only for
    /// positions where a player is to move.
    ///
    /// [`Game::look_closer`] makes of them what [`Game::look`] would have said.
    fn glance(&mut self, out: &mut Vec<(Score, Self::Move)>) {
        self.look(out);
    }

    /// Puts what [`Game::evaluate`] would say after each of these moves in the place of what a
    /// [glance](Game::glance) said of them. They need not be all.
    fn look_closer(&mut self, _moves: &mut [(Score, Self::Move)]) {}

    /// [`Game::look`] by making every move and taking it back.
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
