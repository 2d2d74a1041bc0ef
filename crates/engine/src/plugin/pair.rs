//! The two games of a pair between the same two players, with the game's types erased: the referee's view.

use std::io;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::fields::Fields;
use crate::player::{Allowance, Answer, LastMove, TimeControl, Turn};
use crate::plugin::PlayerAt;
use crate::table::Table;

/// What a player answered.
#[derive(Debug)]
pub struct Asked {
    /// The move as the log has it, or why there is none; and what it cost.
    pub answer: Answer<String>,
    /// True if the rules allow the move.
    pub is_legal: bool,
    /// What there is to say of an illegal one besides the move itself.
    pub objection: Option<String>,
}

/// Two players and a table. Sides are 0 and 1, in the order of the game's roles; the players keep what
/// they have learned from the first game to the second, in which their sides are swapped.
pub trait Pair {
    /// Sets the table for a game: its players sit down, the opening is played, which no player is told
    /// of. Both games of a pair begin alike. Returns who begins, and the opening. Fails if a player
    /// cannot be started at all.
    fn begin(&mut self, is_swapped: bool, opening_plies: u32) -> io::Result<(usize, Vec<String>)>;

    /// The side to move, once chance has had its turn; `None` if the game is over.
    fn turn(&mut self) -> Option<usize>;

    /// How long the side to move should think, and how long it may at most.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration);

    /// Asks the side to move. Fails if its player cannot be started at all.
    fn ask(&mut self, side: usize, allowance: Allowance) -> io::Result<Asked>;

    /// Plays the legal move that was answered last.
    fn play(&mut self);

    /// The letter of the tile to be placed, in games that have tiles.
    fn tile(&self) -> Option<String>;

    /// The game is over; a move that nobody's fault followed is told to whoever does not know it.
    fn finish(&mut self, is_broken_off: bool);

    /// What the log keeps of the game's end; the arguments are those of [`Table::outcome`].
    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields;

    /// The file that held a side's last answer, if it answers by files.
    fn output(&self, side: usize) -> Option<&str>;

    /// The last lines that a side's player wrote for people.
    fn stderr(&self, side: usize) -> Vec<String>;

    /// The name of a side's weights.
    fn weights(&self, side: usize) -> Option<&str>;
}

pub(super) struct Players<'a, T: Table> {
    rules: &'a T::Rules,
    seed: u64,
    meetings: u32,
    players: [PlayerAt<T>; 2],
    is_swapped: bool,
    table: T,
    /// The move that was answered and has not been played yet, and how long it took.
    answered: Option<(T::Move, Duration)>,
    /// The latest move of a player, until the other one has been told of it.
    last: Option<LastMove<T::Position, T::Move>>,
    mover: Option<usize>,
}

impl<'a, T: Table> Players<'a, T> {
    pub fn new(rules: &'a T::Rules, seed: u64, meetings: u32, players: [PlayerAt<T>; 2]) -> Self {
        Self {
            rules,
            seed,
            meetings,
            players,
            is_swapped: false,
            table: T::at_meeting(rules, seed, meetings),
            answered: None,
            last: None,
            mover: None,
        }
    }

    fn place(&self, side: usize) -> usize {
        if self.is_swapped { 1 - side } else { side }
    }

    fn beginning(&self) -> T {
        T::at_meeting(self.rules, self.seed, self.meetings)
    }

    /// The random legal plies that both games of a pair begin with; at least one is always left to the
    /// players.
    fn opening(&self, plies: u32) -> Vec<T::Move> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(!self.seed);
        let mut table = self.beginning();
        let mut opening = Vec::new();
        while opening.len() < plies as usize && table.turn().is_some() {
            if table.plies_left() <= 1 {
                break;
            }
            let moves = table.legal_moves();
            let mv = *moves.choose(&mut random).expect("a player has a move");
            table.play(mv);
            opening.push(mv);
        }
        opening
    }
}

impl<T: Table> Pair for Players<'_, T> {
    fn begin(&mut self, is_swapped: bool, opening_plies: u32) -> io::Result<(usize, Vec<String>)> {
        self.is_swapped = is_swapped;
        self.table = self.beginning();
        (self.answered, self.last, self.mover) = (None, None, None);
        let first = self.table.turn().unwrap_or_default();
        for side in [0, 1] {
            let place = self.place(side);
            self.players[place].begin(side, self.table.seen_by(side), side == first)?;
        }
        let mut opening = Vec::new();
        for mv in self.opening(opening_plies) {
            if self.table.turn().is_none() {
                break;
            }
            opening.push(self.table.notation(mv));
            self.table.play(mv);
        }
        Ok((first, opening))
    }

    fn turn(&mut self) -> Option<usize> {
        self.table.turn()
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        self.table.budget(time, left)
    }

    fn ask(&mut self, side: usize, allowance: Allowance) -> io::Result<Asked> {
        let place = self.place(side);
        // Whoever moves twice running knows its own move.
        let last = self.last.take().filter(|_| self.mover != Some(side));
        let answer = self.players[place].choose(Turn {
            position: self.table.seen_by(side),
            last,
            allowance,
        })?;
        let (mut is_legal, mut objection) = (false, None);
        if let Ok(mv) = answer.mv {
            is_legal = self.table.is_legal(mv);
            match is_legal {
                true => self.answered = Some((mv, answer.wall)),
                false => objection = self.table.objection(mv),
            }
        }
        Ok(Asked {
            answer: Answer {
                mv: answer.mv.map(|mv| self.table.notation(mv)),
                wall: answer.wall,
                cpu: answer.cpu,
                insight: answer.insight,
            },
            is_legal,
            objection,
        })
    }

    fn play(&mut self) {
        let Some((mv, took)) = self.answered.take() else {
            return;
        };
        self.mover = self.table.turn();
        let hearer = self.mover.map_or(0, |mover| 1 - mover);
        let before = self.table.seen_by(hearer).clone();
        self.table.play(mv);
        self.last = Some(LastMove {
            before,
            played: mv,
            took,
        });
    }

    fn tile(&self) -> Option<String> {
        self.table.tile()
    }

    fn finish(&mut self, is_broken_off: bool) {
        let last = self.last.take().filter(|_| !is_broken_off);
        for side in [0, 1] {
            let place = self.place(side);
            let news = last.as_ref().filter(|_| self.mover != Some(side));
            self.players[place].finish(news);
        }
    }

    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields {
        self.table.outcome(at_fault, left)
    }

    fn output(&self, side: usize) -> Option<&str> {
        self.players[self.place(side)].output()
    }

    fn stderr(&self, side: usize) -> Vec<String> {
        self.players[self.place(side)].stderr()
    }

    fn weights(&self, side: usize) -> Option<&str> {
        self.players[self.place(side)].weights()
    }
}
