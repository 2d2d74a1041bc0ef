//! The referee's table, where two players guess and answer in turn. It keeps each player's knowledge.

use std::sync::Arc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::table::{Action, Table};
use turnwise_engine::view::{Grid, View};
use turnwise_protocol::guesswho::Reply;

use super::settings::Settings;
use super::{board, view};
use crate::board::{Board, Question};
use crate::conversation::{by_index, by_names};
use crate::player::{Player, Seat};

/// A move of the player to act.
///
/// Answering a guess is a separate turn, so that a false answer is the fault of the player that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Asks about an attribute, or names a person.
    Guess(Question),
    /// Answers the other player's guess; only the true answer is legal.
    Answer(bool),
}

/// A player's knowledge of the game: its own person and all guesses and answers.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The board of the game.
    pub board: Arc<Board>,
    /// The player's own person, and its knowledge from all guesses and answers.
    pub player: Player,
    /// The other player's guess, as long as this player has not answered it.
    pub asked: Option<Question>,
    /// This player's guess, as long as the other player has not answered it.
    pub guessed: Option<Question>,
    /// This player's last answered guess, and the answer.
    pub answered: Option<(Question, bool)>,
}

/// The way in which a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ending {
    /// Only the winner has found the other player's person.
    Found,
    /// Both players have found the other player's person in the same round.
    Tie,
    /// Neither player has found a person in as many rounds as there are different guesses on the board.
    Rounds,
    /// The loser broke the rules, or its program failed.
    Fault,
}

impl Ending {
    /// Describes the ending in words, such as "the person is found".
    pub fn name(self) -> &'static str {
        match self {
            Ending::Found => "the person is found",
            Ending::Tie => "both persons are found in the same round",
            Ending::Rounds => "no person is found in as many rounds as there are guesses",
            Ending::Fault => "a fault",
        }
    }
}

/// The data that a log stores about a game in addition to its players and moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The persons of player 1 and player 2.
    pub chosen: [String; 2],
    /// The number of rounds that began.
    pub rounds: u32,
    /// Player 1's score: 1 for a win, 0.5 for a tie, 0 for a loss.
    pub player1_score: f64,
    /// The way in which the game ended.
    pub ending: Ending,
}

/// Reads a move: an answer if `is_answer` is true, otherwise a guess. An answer need not be true.
pub(super) fn read(board: &Board, is_answer: bool, text: &str) -> Result<Move, String> {
    match (is_answer, text.parse()) {
        (false, Ok(Reply::Guess(guess))) => match by_index(board, &guess) {
            Some(question) => Ok(Move::Guess(question)),
            None => Err(format!("`{guess}` is not on the board")),
        },
        (true, Ok(Reply::Answer(answer))) => Ok(Move::Answer(answer)),
        (false, _) => {
            Err("expected \"guess Attribute NAME VALUE\" or \"guess Person NAME\"".to_owned())
        }
        (true, _) => Err("expected \"answer true\" or \"answer false\"".to_owned()),
    }
}

/// A game in progress, as the referee knows it.
#[derive(Debug, Clone)]
pub struct GuessWhoTable {
    pub(super) board: Arc<Board>,
    pub(super) seen: [Seen; 2],
    /// The player that must guess, or whose guess is still unanswered: 0 or 1.
    pub(super) guesser: usize,
    /// The guess that is not answered yet, if any.
    pub(super) open: Option<Question>,
    /// For each player, whether it has found the other's person in this round.
    pub(super) found: [bool; 2],
    pub(super) round: u32,
    /// The number of rounds after which the game ends in a tie if nobody has won.
    pub(super) most_rounds: u32,
    is_over: bool,
}

impl GuessWhoTable {
    /// Creates a table in the first round with these players.
    pub(super) fn seated(board: &Arc<Board>, players: [Player; 2]) -> Self {
        Self {
            board: board.clone(),
            seen: players.map(|player| Seen {
                board: board.clone(),
                player,
                asked: None,
                guessed: None,
                answered: None,
            }),
            guesser: 0,
            open: None,
            found: [false; 2],
            round: 1,
            most_rounds: board.questions().count() as u32,
            is_over: false,
        }
    }

    /// Creates a table in the first round; `persons` are the persons of player 1 and player 2.
    fn of_persons(settings: &Settings, persons: [u32; 2]) -> Self {
        let board = settings.shared_board();
        let [first, second] = persons.map(|person| Player::new(board, person));
        let players = [first.in_seat(Seat::First), second.in_seat(Seat::Second)];
        Self::seated(board, players)
    }

    /// Records a guess that needs an answer.
    pub(super) fn ask(&mut self, question: Question) {
        self.open = Some(question);
        self.seen[self.guesser].guessed = Some(question);
        self.seen[1 - self.guesser].asked = Some(question);
    }

    /// Returns the side that must guess or answer now, or `None` if the game is over.
    pub(super) fn mover(&self) -> Option<usize> {
        let side = match self.open {
            Some(_) => 1 - self.guesser,
            None => self.guesser,
        };
        (!self.is_over).then_some(side)
    }

    /// Returns the true answer to the unanswered guess.
    fn truth(&self) -> Option<bool> {
        let person = self.seen[1 - self.guesser].player.chosen();
        Some(self.board.answer(self.open?, person))
    }

    fn answer(&mut self, question: Question, answer: bool) {
        let (guesser, other) = (self.guesser, 1 - self.guesser);
        self.seen[other].player.answer(&self.board, Some(question));
        self.seen[other].asked = None;
        let seen = &mut self.seen[guesser];
        let received = (seen.player).receive_answer(&self.board, question, answer);
        self.found[guesser] = received.expect("true answers do not contradict each other");
        seen.guessed = None;
        seen.answered = Some((question, answer));
        // The second player has its turn even if the first player named the right person.
        if guesser == 1 {
            let is_last = self.round == self.most_rounds;
            self.is_over = self.found.contains(&true) || is_last;
            self.round += u32::from(!self.is_over);
        }
        self.guesser = other;
    }

    /// Returns player 1's score and the way in which the game ended. The game must be over.
    pub(super) fn result(&self) -> (f64, Ending) {
        match self.found {
            [true, true] => (0.5, Ending::Tie),
            [true, false] => (1.0, Ending::Found),
            [false, true] => (0.0, Ending::Found),
            [false, false] => (0.5, Ending::Rounds),
        }
    }
}

/// The bit that marks the code of an answer, and the bit that marks the code of a guess about an attribute.
const ANSWER: u64 = 1 << 63;
const ATTRIBUTE: u64 = 1 << 62;

impl Action for Move {
    /// The two highest bits are the kind of move. The other bits hold its numbers, the low half an attribute's value.
    fn code(self) -> u64 {
        match self {
            Move::Answer(answer) => ANSWER | u64::from(answer),
            Move::Guess(Question::Person(person)) => person.into(),
            Move::Guess(Question::Attribute { attribute, value }) => {
                ATTRIBUTE | u64::from(attribute) << 32 | u64::from(value)
            }
        }
    }

    fn of_code(code: u64) -> Option<Self> {
        let (kind, number) = (code & (ANSWER | ATTRIBUTE), code & !(ANSWER | ATTRIBUTE));
        match kind {
            ANSWER => (number <= 1).then_some(Move::Answer(number == 1)),
            ATTRIBUTE => Some(Move::Guess(Question::Attribute {
                attribute: (number >> 32) as u32,
                value: number as u32,
            })),
            0 => Some(Move::Guess(Question::Person(number.try_into().ok()?))),
            _ => None,
        }
    }
}

impl Table for GuessWhoTable {
    type Rules = Settings;
    type Position = Seen;
    type Move = Move;

    fn new(settings: &Settings, seed: u64) -> Self {
        let persons = settings.shared_board().configuration().persons.len() as u32;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self::of_persons(settings, [(); 2].map(|()| random.random_range(0..persons)))
    }

    fn at_meeting(settings: &Settings, seed: u64, meetings: u32) -> Self {
        if !settings.has_all_persons() {
            return Self::new(settings, seed);
        }
        let persons = settings.shared_board().configuration().persons.len() as u32;
        Self::of_persons(settings, [meetings / persons % persons, meetings % persons])
    }

    fn position(&self) -> &Seen {
        match self.open {
            Some(_) => &self.seen[1 - self.guesser],
            None => &self.seen[self.guesser],
        }
    }

    fn seen_by(&self, side: usize) -> &Seen {
        &self.seen[side]
    }

    fn turn(&mut self) -> Option<usize> {
        self.mover()
    }

    fn plies_left(&self) -> u32 {
        let played = 2 * self.guesser as u32 + u32::from(self.open.is_some());
        match self.is_over {
            true => 0,
            false => 4 * (self.most_rounds - self.round + 1) - played,
        }
    }

    fn legal_moves(&self) -> Vec<Move> {
        match self.truth() {
            Some(truth) => vec![Move::Answer(truth)],
            None => self.board.questions().map(Move::Guess).collect(),
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        match (self.truth(), mv) {
            (Some(truth), Move::Answer(answer)) => answer == truth,
            (None, Move::Guess(question)) => self.board.has(question),
            _ => false,
        }
    }

    fn objection(&self, mv: Move) -> String {
        match (self.open.zip(self.truth()), mv) {
            (Some((question, truth)), Move::Answer(_)) => {
                let person = self.seen[1 - self.guesser].player.chosen();
                let name = &self.board.configuration().persons[person as usize].name;
                let question = by_names(&self.board, question);
                format!("its person is {name}, so that `{question}` is to be answered {truth}")
            }
            (Some(_), Move::Guess(_)) => {
                "expected an answer to the opponent's guess, got a guess".to_owned()
            }
            (None, Move::Answer(_)) => "expected a guess, got an answer".to_owned(),
            (None, Move::Guess(_)) => "the board has no such attribute, value or person".to_owned(),
        }
    }

    fn play(&mut self, mv: Move) {
        match (mv, self.open.take()) {
            (Move::Guess(question), _) => self.ask(question),
            (Move::Answer(answer), Some(question)) => self.answer(question, answer),
            (Move::Answer(_), None) => {}
        }
    }

    fn notation(&self, mv: Move) -> String {
        let reply = match mv {
            Move::Guess(question) => Reply::Guess(by_names(&self.board, question)),
            Move::Answer(answer) => Reply::Answer(answer),
        };
        reply.to_string()
    }

    fn parse(&self, text: &str) -> Result<Move, String> {
        read(&self.board, self.open.is_some(), text)
    }

    fn grid(&self) -> Grid {
        board::grid(self)
    }

    fn drawing(&self, _coloured: bool) -> String {
        board::lines(self)
    }

    fn measured(&self) -> Vec<u32> {
        let sizes = self
            .seen
            .each_ref()
            .map(|seen| seen.player.candidates().len() as u32);
        sizes.to_vec()
    }

    fn view(&self, viewer: Option<usize>) -> View {
        view::of(self, viewer)
    }

    /// Gives each guess a fixed share of the remaining time, so that the first guess, the hardest one, gets the most.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        let (soft, hard) = match time {
            TimeControl::Clock { .. } => (0.2, 0.6),
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => (0.3, 0.9),
        };
        (left.mul_f64(soft), left.mul_f64(hard))
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        let (player1_score, ending) = match at_fault {
            Some(0) => (0.0, Ending::Fault),
            Some(_) => (1.0, Ending::Fault),
            None => self.result(),
        };
        let persons = &self.board.configuration().persons;
        Fields::of(&Kept {
            chosen: (self.seen.each_ref())
                .map(|seen| persons[seen.player.chosen() as usize].name.clone()),
            rounds: self.round,
            player1_score,
            ending,
        })
    }
}
