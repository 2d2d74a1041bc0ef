//! The type-erased interface through which a referee conducts the games of a meeting. A meeting is a pair of games
//! between two players, or a rotation of games between more than two.

use std::io;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::fields::Fields;
use crate::player::{Allowance, Answer, LastMove, Player, TimeControl, Turn};
use crate::plugin::{Person, person};
use crate::table::Table;

/// A player's answer, and whether its move is legal.
#[derive(Debug)]
pub struct Asked {
    /// The answer: the move in the notation of logs, or the reason why the player made no move, and the time that the
    /// player took.
    pub answer: Answer<String>,
    /// True if the move is legal.
    pub is_legal: bool,
    /// Details of why the move is illegal, for a message that also quotes the move.
    pub objection: Option<String>,
}

/// A table with its players. Two players have the sides 0 and 1, in the order of the game's roles. They swap sides for
/// the second game, and they keep the data that they learned in the first. More than two players keep their sides in
/// all games of a rotation, but the table gives them different seats in each.
pub trait Pair {
    /// Begins the game with this number, starting at 1. Starts the game for all players and then plays the opening,
    /// whose moves are not reported to them. The opening is identical in all games of a meeting. Returns the side that
    /// moves first in the game, and the moves of the opening. Returns an error if a player cannot be started.
    fn begin(&mut self, game: u8, opening_plies: u32) -> io::Result<(usize, Vec<String>)>;

    /// Returns the side to move; `None` if the game is over. A chance event that is due happens first.
    fn turn(&mut self) -> Option<usize>;

    /// Returns the soft and the hard time limit for the next move of the side to move. `left` is the time left on its
    /// clock.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration);

    /// Asks the player on this side, which must be to move, for a move. Returns an error if the player cannot be
    /// started.
    fn ask(&mut self, side: usize, allowance: Allowance) -> io::Result<Asked>;

    /// Plays the move that the last answer contained. The move must be legal.
    fn play(&mut self);

    /// Removes the side to move from the game after a fault, so that the others can continue. Returns false if the game
    /// has to end instead.
    fn put_out(&mut self, side: usize) -> bool;

    /// Returns the letter of the tile that the side to move must place; `None` if it need not place a tile.
    fn tile(&self) -> Option<String>;

    /// Ends the game for the players. Unless the game was broken off, the last move is sent to the players that do not
    /// know it yet.
    fn finish(&mut self, is_broken_off: bool);

    /// Returns the result of the game as a log stores it. For the arguments, see [`Table::outcome`].
    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields;

    /// Returns the content of the file that held the last answer of the player on this side, if the player answers in
    /// files.
    fn output(&self, side: usize) -> Option<&str>;

    /// Returns the last lines that the player on this side wrote for people, such as lines on stderr, before its fault.
    fn stderr(&self, side: usize) -> Vec<String>;

    /// Returns the name of the evaluation weights of the player on this side, if it has any.
    fn weights(&self, side: usize) -> Option<&str>;
}

/// The type of the players for the game that is played at tables of type `T`.
pub(super) type PlayerAt<T> = Box<dyn Player<<T as Table>::Position, <T as Table>::Move>>;

/// The occupant of a seat: either a player (a program or an agent) or a person.
pub(super) enum Sitting<T: Table> {
    Player(PlayerAt<T>),
    Person(Box<dyn Person>),
}

impl<T: Table> Sitting<T> {
    fn player(&self) -> Option<&PlayerAt<T>> {
        match self {
            Sitting::Player(player) => Some(player),
            Sitting::Person(_) => None,
        }
    }
}

pub(super) struct Players<'a, T: Table> {
    rules: &'a T::Rules,
    seed: u64,
    meetings: u32,
    players: Vec<Sitting<T>>,
    /// The number of the current game in the meeting, starting at 1.
    game: u8,
    /// For each side, true if it was removed from the current game.
    are_out: Vec<bool>,
    table: T,
    /// The legal move from the last answer, until it is played, and the time that the player took for it.
    answered: Option<(T::Move, Duration)>,
    /// The latest move of a player, until it has been reported to the opponent.
    last: Option<LastMove<T::Position, T::Move>>,
    /// The latest move of a player, in the notation of logs.
    last_text: Option<String>,
    mover: Option<usize>,
}

impl<'a, T: Table> Players<'a, T> {
    pub fn new(rules: &'a T::Rules, seed: u64, meetings: u32, players: Vec<Sitting<T>>) -> Self {
        Self {
            rules,
            seed,
            meetings,
            table: beginning(rules, seed, meetings, players.len(), 1),
            are_out: vec![false; players.len()],
            players,
            game: 1,
            answered: None,
            last: None,
            last_text: None,
            mover: None,
        }
    }

    fn place(&self, side: usize) -> usize {
        match self.players.len() {
            2 if self.game == 2 => 1 - side,
            _ => side,
        }
    }

    fn beginning(&self) -> T {
        let players = self.players.len();
        beginning(self.rules, self.seed, self.meetings, players, self.game)
    }

    /// Ends the game for the player on this side. `news` is the last move, if the player does not know it yet.
    fn leave(&mut self, side: usize, news: Option<&LastMove<T::Position, T::Move>>) {
        let place = self.place(side);
        match &mut self.players[place] {
            Sitting::Player(player) => player.finish(news),
            Sitting::Person(person) => person.finish(&self.table.view(None)),
        }
    }

    /// Returns the opening: random legal moves with which all games of a meeting begin. It always leaves at least one
    /// move to the players.
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

/// Returns the table at the beginning of the game with this number in the meeting, starting at 1.
fn beginning<T: Table>(rules: &T::Rules, seed: u64, meetings: u32, players: usize, game: u8) -> T {
    match players {
        ..=2 => T::at_meeting(rules, seed, meetings),
        _ => T::in_rotation(rules, seed, players, u32::from(game.max(1)) - 1)
            .expect("a game with seats for more than two has rotations"),
    }
}

impl<T: Table> Pair for Players<'_, T> {
    fn begin(&mut self, game: u8, opening_plies: u32) -> io::Result<(usize, Vec<String>)> {
        self.game = game;
        self.are_out.fill(false);
        self.table = self.beginning();
        (self.answered, self.last, self.mover) = (None, None, None);
        self.last_text = None;
        let first = self.table.turn().unwrap_or_default();
        for side in 0..self.players.len() {
            let place = self.place(side);
            if let Sitting::Player(player) = &mut self.players[place] {
                player.begin(side, self.table.seen_by(side), side == first)?;
            }
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
        // If this player also made the last move, it knows that move.
        let last = self.last.take().filter(|_| self.mover != Some(side));
        let answer = match &mut self.players[place] {
            Sitting::Player(player) => player.choose(Turn {
                position: self.table.seen_by(side),
                last,
                allowance,
            })?,
            Sitting::Person(person) => {
                let text = self.last_text.as_deref().filter(|_| last.is_some());
                person::ask(&mut **person, &self.table, side, text, allowance)?
            }
        };
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
                pondered: answer.pondered,
                others: answer.others,
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
        self.last_text = Some(self.table.notation(mv));
        // With more than two players, moves are not reported, because positions contain all relevant information.
        if self.players.len() > 2 {
            self.table.play(mv);
            return;
        }
        let hearer = self.mover.map_or(0, |mover| 1 - mover);
        let before = self.table.seen_by(hearer).clone();
        self.table.play(mv);
        self.last = Some(LastMove {
            before,
            played: mv,
            took,
        });
    }

    fn put_out(&mut self, side: usize) -> bool {
        if !self.table.put_out() {
            return false;
        }
        self.answered = None;
        self.are_out[side] = true;
        self.leave(side, None);
        true
    }

    fn tile(&self) -> Option<String> {
        self.table.tile()
    }

    fn finish(&mut self, is_broken_off: bool) {
        let last = self.last.take().filter(|_| !is_broken_off);
        for side in 0..self.players.len() {
            if !self.are_out[side] {
                let news = last.as_ref().filter(|_| self.mover != Some(side));
                self.leave(side, news);
            }
        }
    }

    fn outcome(&self, at_fault: Option<usize>, left: Option<[Duration; 2]>) -> Fields {
        self.table.outcome(at_fault, left)
    }

    fn output(&self, side: usize) -> Option<&str> {
        self.players[self.place(side)].player()?.output()
    }

    fn stderr(&self, side: usize) -> Vec<String> {
        let player = self.players[self.place(side)].player();
        player.map(|player| player.stderr()).unwrap_or_default()
    }

    fn weights(&self, side: usize) -> Option<&str> {
        self.players[self.place(side)].player()?.weights()
    }
}
