//! The root of the search: its moves and their values, which each iteration updates.

use turnwise_engine::search::Control;

use crate::evaluation::Values;
use crate::rules::{Move, Position};
use crate::search::{Aborted, Searcher, WIN_SEEN, WON};

/// The penalty for a move that leads back to an earlier position of the game, in points.
const REPETITION: i32 = 60;

/// The minimum depth, in plies, at which the best move can be obvious.
const OBVIOUS_DEPTH: u32 = 8;
/// The minimum number of iterations in a row that found the same best move before the move is obvious.
const OBVIOUS_ITERATIONS: u32 = 4;
/// The minimum lead of an obvious move over all other moves, in points.
///
/// In 84 positions of games, searched to 1.5 million nodes, deeper iterations never overturned a best move that led by
/// more than 80 points at depth 7 or later, after three iterations.
const OBVIOUS_LEAD: i32 = 160;

/// The root moves whose exact values are needed. The values of all other moves may be bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The number of best moves whose exact values are needed.
    pub top: usize,
    /// An additional move whose exact value is needed, however bad the move is.
    pub also: Option<Move>,
}

impl Wanted {
    /// Requests an exact value for the best move only.
    pub const BEST: Self = Self { top: 1, also: None };
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct RootMove {
    pub mv: Move,
    gain: i32,
    /// The bonus for a move that the guide recommends; negative for a move that repeats a position.
    ///
    /// The search below the root does not know this bonus.
    pub bonus: i32,
    pub value: i32,
}

/// The root of the search between two iterations, with its moves sorted from best to worst.
pub(crate) struct Root {
    pub position: Position,
    balance: i32,
    pub moves: Vec<RootMove>,
    pub depth: u32,
}

impl Root {
    pub fn new(position: &Position, values: &Values, seen: &[u64]) -> Self {
        let mut moves: Vec<RootMove> = (position.moves().into_iter())
            .map(|mv| {
                let after = position.after(mv);
                let gain = values.gain(position.to_move(), mv);
                let bonus = if seen.contains(&after.hash()) {
                    -REPETITION
                } else {
                    0
                };
                let value = if after.is_won() {
                    WON - 1
                } else {
                    gain + bonus
                };
                RootMove {
                    mv,
                    gain,
                    bonus,
                    value,
                }
            })
            .collect();
        moves.sort_by_key(|known| -known.value);
        Self {
            position: *position,
            balance: values.position(position),
            moves,
            depth: 0,
        }
    }

    /// Returns true if a move leads back to an earlier position of the game.
    pub fn repeats(&self, mv: Move) -> bool {
        let known = self.moves.iter().find(|known| known.mv == mv);
        known.is_some_and(|known| known.bonus < 0)
    }

    /// Adds the bonus `preference` to these moves of the guide, except to moves that repeat a position.
    ///
    /// Does nothing if the choice of the move is decided.
    pub fn prefer(&mut self, moves: &[Move], preference: i32) {
        if self.is_decided() {
            return;
        }
        for known in &mut self.moves {
            if moves.contains(&known.mv) && known.bonus >= 0 {
                known.bonus += preference;
                known.value += preference;
            }
        }
        self.moves.sort_by_key(|known| -known.value);
    }

    /// Moves the best move of an earlier search to the front, unless it repeats a position.
    ///
    /// The move keeps its value. If no time remains for a search, this move is the answer; otherwise, it is searched
    /// early.
    pub fn look_first_at(&mut self, mv: Option<Move>) {
        let is_it = |root: &RootMove| Some(root.mv) == mv && root.bonus >= 0;
        if let Some(at) = self.moves.iter().position(is_it)
            && !self.is_decided()
        {
            self.moves[..=at].rotate_right(1);
        }
    }

    /// Returns true if no search is needed: there is only one move, or the result is certain.
    pub fn is_decided(&self) -> bool {
        self.moves.len() == 1 || self.moves[0].value >= WIN_SEEN || self.moves[0].value <= -WIN_SEEN
    }

    /// Gives every move the value of a search one ply deep.
    pub fn look_once(&mut self) {
        for known in &mut self.moves {
            if known.value < WIN_SEEN {
                known.value += self.balance;
            }
        }
        self.depth = 1;
    }

    /// Searches for the best move with increasing depth, until time runs out or the choice is decided.
    ///
    /// If `ends_early` is true, the search also ends once the best move is obvious.
    pub fn deepen(
        &mut self,
        deepest: u32,
        ends_early: bool,
        searcher: &mut Searcher,
        control: &Control<Move>,
    ) {
        let mut iterations = 0;
        while self.depth < deepest && !self.is_decided() {
            // The first iteration takes place even if the guide has used up the time.
            if self.depth > 0 && searcher.is_soft_over() {
                break;
            }
            let before = self.moves[0].mv;
            let iterated = self.iterate(Wanted::BEST, searcher);
            control.publish(self.moves[0].mv);
            if iterated.is_err() {
                break;
            }
            iterations = 1 + if self.moves[0].mv == before {
                iterations
            } else {
                0
            };
            // If the check is aborted, the search is over.
            let may_be_obvious = self.depth >= OBVIOUS_DEPTH && iterations >= OBVIOUS_ITERATIONS;
            if ends_early && may_be_obvious && self.is_obvious(searcher).unwrap_or(true) {
                break;
            }
        }
    }

    /// Returns true if the best move leads all other moves by [`OBVIOUS_LEAD`] at the depth of the last iteration.
    fn is_obvious(&self, searcher: &mut Searcher) -> Result<bool, Aborted> {
        let alpha = self.moves[0].value - OBVIOUS_LEAD;
        for other in &self.moves[1..] {
            if self.value_of(other, self.depth - 1, (alpha, alpha + 1), searcher)? > alpha {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the value of a move, with its bonus, after a search of `depth` plies: exact inside the window.
    fn value_of(
        &self,
        &RootMove {
            mv, gain, bonus, ..
        }: &RootMove,
        depth: u32,
        (alpha, beta): (i32, i32),
        searcher: &mut Searcher,
    ) -> Result<i32, Aborted> {
        let next = self.position.after(mv);
        let balance = -(self.balance + gain);
        // The search does not know the bonus, so the window is shifted by the bonus.
        let window = (bonus - beta, bonus - alpha);
        let value = -searcher.value(&next, balance, depth, 1, window)?;
        // A win or loss that the search has seen gets no bonus.
        Ok(if value.abs() > WIN_SEEN {
            value
        } else {
            value + bonus
        })
    }

    /// Searches one ply deeper. Puts the best moves found so far first, even if it is aborted.
    pub fn iterate(&mut self, wanted: Wanted, searcher: &mut Searcher) -> Result<(), Aborted> {
        let mut best = Vec::new();
        let outcome = self.value_moves(wanted, searcher, &mut best);
        for (place, &at) in best.iter().enumerate() {
            // Each better move that was behind this one has shifted it back by one place.
            let passed = best[..place].iter().filter(|&&before| before > at).count();
            self.moves[place..=at + passed].rotate_right(1);
        }
        if outcome.is_ok() {
            self.depth += 1;
        }
        outcome
    }

    /// Searches all root moves. Fills `best` with the indices of the best ones, best first.
    fn value_moves(
        &mut self,
        wanted: Wanted,
        searcher: &mut Searcher,
        best: &mut Vec<usize>,
    ) -> Result<(), Aborted> {
        let depth = self.depth;
        for at in 0..self.moves.len() {
            let known = self.moves[at];
            let mut search =
                |alpha: i32, beta: i32| self.value_of(&known, depth, (alpha, beta), searcher);
            // A move that is not better than the last move kept needs no exact value.
            let last = best.get(wanted.top - 1).map(|&last| self.moves[last].value);
            let value = match last.filter(|_| wanted.also != Some(known.mv)) {
                None => search(-WON, WON)?,
                Some(alpha) => match search(alpha, alpha + 1)? {
                    value if value > alpha => search(alpha, WON)?,
                    value => value,
                },
            };
            self.moves[at].value = value;
            if last.is_none_or(|last| value > last) {
                let place = best.partition_point(|&better| self.moves[better].value >= value);
                best.insert(place, at);
                best.truncate(wanted.top);
            }
            // The first move is always searched, so that an iteration that ends here has a result.
            if at > 0 && depth > 0 && searcher.is_soft_over() {
                return Err(Aborted);
            }
        }
        Ok(())
    }
}
