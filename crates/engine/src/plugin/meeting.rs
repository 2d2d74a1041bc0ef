//! The players of a meeting and the game that they play, for a referee. A meeting is a pair of games between two players,
//! or a rotation of games between more than two.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{AnyGame, AnyState, Beginning, Person, Seat, person};
use crate::fields::Fields;
use crate::player::{Allowance, Answer, AnyLastMove, AnyTurn, Player, TimeControl};

/// A player's answer, and whether its move is legal.
#[derive(Debug)]
pub struct Asked {
    /// The answer: the move in the notation of logs, or the reason why the player made no move, and the time that the
    /// player took.
    pub answer: Answer<String>,
    /// The rule that forbids the move, in words; `None` if the move is legal.
    pub objection: Option<String>,
}

/// The failure of the rules of a game that run in another program. No player is at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("referee failed: {reason}")]
pub struct RulesError {
    /// What happened, as a part of a sentence.
    pub reason: String,
    /// True after so many failures that the match should stop.
    pub is_final: bool,
}

/// The occupant of a seat: either a player (a program or an agent) or a person.
enum Occupant {
    Player(Box<dyn Player>),
    Person(Box<dyn Person>),
}

impl Occupant {
    fn player(&self) -> Option<&dyn Player> {
        match self {
            Occupant::Player(player) => Some(&**player),
            Occupant::Person(_) => None,
        }
    }
}

/// The players of a meeting and their current game. Two players have the sides 0 and 1, in the order of the game's
/// roles. They swap sides for the second game, and they keep the data that they learned in the first. More than two
/// players keep their sides in all games of a rotation, but the table gives them different seats in each.
pub struct Meeting {
    game: Arc<dyn AnyGame>,
    seed: u64,
    meetings: u32,
    players: Vec<Occupant>,
    /// The number of the current game in the meeting, starting at 1.
    number: u8,
    /// For each side, true if it was removed from the current game.
    are_out: Vec<bool>,
    /// The current game; `None` before the first one.
    state: Option<Box<dyn AnyState>>,
    /// The legal move from the last answer, until it is played, and the time that the player took for it.
    answered: Option<(u64, Duration)>,
    /// The latest move of a player, until it has been reported to the opponent.
    last: Option<AnyLastMove>,
    /// The latest move of a player, in the notation of logs.
    last_text: Option<String>,
    mover: Option<usize>,
}

impl Meeting {
    /// Creates the players of a meeting. Two players meet for the two games of a pair, after `meetings` earlier pairs
    /// between them. More than two meet for a rotation.
    ///
    /// # Errors
    ///
    /// Returns an error if a player cannot play this game or if the game does not allow this number of players.
    pub fn new(
        game: Arc<dyn AnyGame>,
        seats: Vec<Seat<'_>>,
        seed: u64,
        meetings: u32,
    ) -> io::Result<Self> {
        let most = game.seats();
        if !(2..=most).contains(&seats.len()) {
            let why = format!("expected 2 to {most} players, got {}", seats.len());
            return Err(io::Error::other(why));
        }
        let players = seats.into_iter().map(|seat| {
            Ok(match seat {
                Seat::Person(person) => Occupant::Person(person),
                seat => Occupant::Player(game.player(seat)?),
            })
        });
        let players: Vec<_> = players.collect::<io::Result<_>>()?;
        Ok(Self {
            state: None,
            game,
            seed,
            meetings,
            are_out: vec![false; players.len()],
            players,
            number: 1,
            answered: None,
            last: None,
            last_text: None,
            mover: None,
        })
    }

    fn place(&self, side: usize) -> usize {
        match self.players.len() {
            2 if self.number == 2 => 1 - side,
            _ => side,
        }
    }

    /// Ends the game for the player on this side. `news` is the last move, if the player does not know it yet.
    fn leave(&mut self, side: usize, news: Option<AnyLastMove>) {
        let place = self.place(side);
        match &mut self.players[place] {
            Occupant::Player(player) => player.finish(news),
            Occupant::Person(person) => person.finish(&current(&mut self.state).view(None)),
        }
    }

    /// Begins the game with this number, starting at 1. Starts the game for all players and then plays the opening,
    /// whose random legal moves are not reported to them. The opening is identical in all games of a meeting. Returns the side that
    /// moves first in the game, and the moves of the opening.
    ///
    /// # Errors
    ///
    /// Returns an error if a player cannot be started, or a [`RulesError`] if the rules of the game have failed.
    pub fn begin(&mut self, number: u8, opening_plies: u32) -> io::Result<(usize, Vec<String>)> {
        self.number = number;
        self.are_out.fill(false);
        let players = self.players.len();
        // The previous game ends first, so that the next game can use its process.
        self.state = None;
        let state = beginning(&*self.game, self.seed, self.meetings, players, number)?;
        self.state = Some(state);
        sound(&mut self.state)?;
        (self.answered, self.last, self.mover) = (None, None, None);
        self.last_text = None;
        let first = current(&mut self.state).turn().unwrap_or_default();
        for side in 0..self.players.len() {
            let place = self.place(side);
            if let Occupant::Player(player) = &mut self.players[place] {
                player.begin(side, current(&mut self.state).seen_by(side), side == first)?;
            }
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(!self.seed);
        let mut opening = Vec::new();
        // At least one move remains for the players.
        while opening.len() < opening_plies as usize
            && current(&mut self.state).turn().is_some()
            && current(&mut self.state).plies_left() > 1
        {
            let moves = current(&mut self.state).legal_moves();
            let Some(&code) = moves.choose(&mut random) else {
                sound(&mut self.state)?;
                return Err(io::Error::other(
                    "the rules list no moves, which a random opening needs",
                ));
            };
            opening.push(current(&mut self.state).notation(code));
            current(&mut self.state).apply(code);
        }
        sound(&mut self.state)?;
        Ok((first, opening))
    }

    /// Returns the side to move; `None` if the game is over. A chance event that is due happens first.
    pub fn turn(&mut self) -> Option<usize> {
        current(&mut self.state).turn()
    }

    /// Returns the soft and the hard time limit for the next move of the side to move. `left` is the time left on its
    /// clock.
    pub fn budget(&mut self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        current(&mut self.state).budget(time, left)
    }

    /// Asks the player on this side, which must be to move, for a move.
    ///
    /// # Errors
    ///
    /// Returns an error if the player cannot be started.
    pub fn ask(&mut self, side: usize, allowance: Allowance) -> io::Result<Asked> {
        let place = self.place(side);
        // If this player also made the last move, it knows that move.
        let last = self.last.take().filter(|_| self.mover != Some(side));
        let answer = match &mut self.players[place] {
            Occupant::Player(player) => player.choose(AnyTurn {
                position: current(&mut self.state).seen_by(side),
                last,
                allowance,
            })?,
            Occupant::Person(person) => {
                let text = self.last_text.as_deref().filter(|_| last.is_some());
                person::ask(
                    &mut **person,
                    current(&mut self.state),
                    side,
                    text,
                    allowance,
                )?
            }
        };
        let mut objection = None;
        if let Ok(code) = answer.mv {
            match current(&mut self.state).is_legal(code) {
                true => self.answered = Some((code, answer.wall)),
                false => objection = Some(current(&mut self.state).objection(code)),
            }
        }
        sound(&mut self.state)?;
        Ok(Asked {
            answer: Answer {
                mv: answer
                    .mv
                    .map(|code| current(&mut self.state).notation(code)),
                wall: answer.wall,
                cpu: answer.cpu,
                pondered: answer.pondered,
                others: answer.others,
                insight: answer.insight,
            },
            objection,
        })
    }

    /// Plays the move that the last answer contained. The move must be legal.
    pub fn play(&mut self) {
        let Some((played, took)) = self.answered.take() else {
            return;
        };
        self.mover = current(&mut self.state).turn();
        self.last_text = Some(current(&mut self.state).notation(played));
        // With more than two players, moves are not reported, because positions contain all relevant information.
        if let (2, Some(mover)) = (self.players.len(), self.mover) {
            self.last = Some(AnyLastMove {
                before: current(&mut self.state).copy_for(1 - mover),
                played,
                took,
            });
        }
        current(&mut self.state).apply(played);
    }

    /// Removes the side to move from the game after a fault, so that the others can continue. Returns false if the game
    /// has to end instead.
    pub fn put_out(&mut self, side: usize) -> bool {
        if !current(&mut self.state).put_out() {
            return false;
        }
        self.answered = None;
        self.are_out[side] = true;
        self.leave(side, None);
        true
    }

    /// Returns the letter of the tile that the side to move must place; `None` if it need not place a tile.
    pub fn tile(&mut self) -> Option<String> {
        current(&mut self.state).tile()
    }

    /// Ends the game for the players. Unless the game was broken off, the last move is sent to the players that do not
    /// know it yet.
    pub fn finish(&mut self, is_broken_off: bool) {
        let mut last = self.last.take().filter(|_| !is_broken_off);
        for side in 0..self.players.len() {
            if !self.are_out[side] {
                let news = last.take_if(|_| self.mover != Some(side));
                self.leave(side, news);
            }
        }
    }

    /// Returns the result of the game as a log stores it. For the arguments, see [`AnyState::outcome`].
    ///
    /// # Errors
    ///
    /// Returns a [`RulesError`] if the rules of the game have failed, so that the game has no result.
    pub fn outcome(
        &mut self,
        at_fault: Option<usize>,
        left: Option<[Duration; 2]>,
    ) -> io::Result<Fields> {
        let result = current(&mut self.state).outcome(at_fault, left);
        sound(&mut self.state)?;
        Ok(result)
    }

    /// Returns the content of the file that held the last answer of the player on this side, if the player answers in
    /// files.
    pub fn output(&self, side: usize) -> Option<&str> {
        self.players[self.place(side)].player()?.output()
    }

    /// Returns the last diagnostic lines that the player on this side wrote before its fault, such as lines on stderr.
    pub fn stderr(&self, side: usize) -> Vec<String> {
        let player = self.players[self.place(side)].player();
        player.map(|player| player.stderr()).unwrap_or_default()
    }

    /// Returns the name of the evaluation weights of the player on this side, if it has any.
    pub fn weights(&self, side: usize) -> Option<&str> {
        self.players[self.place(side)].player()?.weights()
    }
}

/// Returns the current game. Panics before the first game has begun.
fn current(state: &mut Option<Box<dyn AnyState>>) -> &mut (dyn AnyState + 'static) {
    &mut **state.as_mut().expect("a game has begun")
}

/// Returns an error if the rules of the game have failed.
fn sound(state: &mut Option<Box<dyn AnyState>>) -> io::Result<()> {
    current(state)
        .failure()
        .map_or(Ok(()), |failure| Err(io::Error::other(failure)))
}

/// Returns the game with this number in the meeting, starting at 1, at its beginning.
fn beginning(
    game: &dyn AnyGame,
    seed: u64,
    meetings: u32,
    participants: usize,
    number: u8,
) -> io::Result<Box<dyn AnyState>> {
    let beginning = match participants {
        ..=2 => Beginning::Seed { seed, meetings },
        _ => Beginning::Rotation {
            seed,
            participants,
            game: u32::from(number.max(1)) - 1,
        },
    };
    game.open(beginning).map_err(io::Error::other)
}
