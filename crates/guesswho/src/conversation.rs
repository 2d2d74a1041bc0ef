//! Lets a strategy play on behalf of another program, which sends requests and receives replies, one per line.
//!
//! This module does no I/O itself. `protocol/guesswho.md` specifies the protocol.

use std::ops::ControlFlow;

use rand::Rng;
use turnwise_engine::words::printable_lines;
use turnwise_protocol::guesswho::{Guess, LONGEST_REQUEST, Reply, Request, RequestError};

use crate::board::{Board, Question};
use crate::game;
use crate::player::{Player, Strategy};
use crate::strategies::StrategyKind;

/// The data of a loaded board: the board, the strategy with its results about the board, and the running game.
struct Table {
    board: Board,
    strategy: Box<dyn Strategy>,
    player: Option<Player>,
}

/// A function that reads the configuration file at a path. Its error explains the failure.
type Load<'a> = dyn FnMut(&str) -> Result<Board, String> + 'a;

/// A conversation with the program that requests guesses and answers, from the first request to the last.
pub struct Conversation<'a, R> {
    kind: StrategyKind,
    random: R,
    load: &'a mut Load<'a>,
    table: Option<Table>,
}

impl<'a, R: Rng> Conversation<'a, R> {
    /// Creates a conversation that has not yet received a line.
    pub fn new(kind: StrategyKind, random: R, load: &'a mut Load<'a>) -> Self {
        Self {
            kind,
            random,
            load,
            table: None,
        }
    }

    /// Returns the reply to a received line, or `Break` if the line is `quit`, which ends the conversation.
    ///
    /// A `line` of `None` stands for a line of more than [`LONGEST_REQUEST`] bytes.
    pub fn reply(&mut self, line: Option<&[u8]>) -> ControlFlow<(), String> {
        let request = match line.map(std::str::from_utf8) {
            None => Err(format!("a request has at most {LONGEST_REQUEST} bytes")),
            Some(Err(_)) => Err("the request is not UTF-8".to_owned()),
            Some(Ok(line)) => line
                .parse()
                .map_err(|error: RequestError| error.to_string()),
        };
        let reply = match request {
            Ok(Request::Quit) => return ControlFlow::Break(()),
            Ok(request) => self.serve(request),
            Err(message) => Err(message),
        };
        let refused = |message: String| Reply::Error(printable_lines(&message));
        ControlFlow::Continue(reply.unwrap_or_else(refused).to_string())
    }

    /// Carries out a request. If it returns an error, nothing has changed.
    fn serve(&mut self, request: Request) -> Result<Reply, String> {
        let (request, table) = match (request, &mut self.table) {
            (Request::Load(path), table) => {
                let board = (self.load)(&path)?;
                let persons = board.configuration().persons.len();
                *table = Some(Table {
                    board,
                    strategy: self.kind.create(),
                    player: None,
                });
                return Ok(Reply::Loaded(persons));
            }
            (request, None) => return Err(format!("expected load PATH first, got {request}")),
            (request, Some(table)) => (request, table),
        };
        let (board, strategy) = (&table.board, &mut *table.strategy);
        match (request, &mut table.player) {
            (Request::Chosen(name), player) => {
                let person = board.configuration().person(&name);
                let person =
                    person.ok_or_else(|| format!("person {name} is not in the configuration"))?;
                *player = Some(Player::new(board, person));
                Ok(Reply::Ok)
            }
            (request, None) => Err(format!("expected chosen NAME first, got {request}")),
            (Request::Guess, Some(player)) => {
                let question = game::draw(strategy, player, board, &mut self.random);
                let question = question.map_err(|error| error.to_string())?;
                Ok(Reply::Guess(by_names(board, question)))
            }
            (Request::Answer(guess), Some(player)) => {
                let answer = player.answer(board, by_index(board, &guess));
                Ok(Reply::Answer(answer))
            }
            (Request::Result(guess, answer), Some(player)) => {
                let question = by_index(board, &guess).ok_or_else(|| {
                    format!("{guess} is not in the configuration: it was not our guess")
                })?;
                let finished = player.receive_answer(board, question, answer);
                finished
                    .map(Reply::Finished)
                    .map_err(|error| error.to_string())
            }
            (Request::Load(_) | Request::Quit, _) => unreachable!("served before"),
        }
    }
}

/// Converts a question, which uses indices, into a guess of the protocol, which uses names.
pub(crate) fn by_names(board: &Board, question: Question) -> Guess {
    match board.names(question) {
        (Some(attribute), value) => Guess::Attribute {
            attribute: attribute.into(),
            value: value.into(),
        },
        (None, person) => Guess::Person(person.into()),
    }
}

/// Converts a guess of the protocol into a question. Returns `None` if the guess contains a name that is not on the
/// board.
pub(crate) fn by_index(board: &Board, guess: &Guess) -> Option<Question> {
    match guess {
        Guess::Attribute { attribute, value } => board.about_value(attribute, value),
        Guess::Person(name) => board.about_person(name),
    }
}
