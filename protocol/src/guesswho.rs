//! The messages of the line protocol of `turnwise stdio guesswho`. `protocol/guesswho.md` defines the protocol.
//!
//! Each line contains one request or one reply. White space separates the words of a line; a path extends to the end of
//! the line.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The maximum length of a request, in bytes, not counting the line end.
pub const LONGEST_REQUEST: usize = 8192;

/// A guess about the opponent's person, like the course's `Guess` class. It uses the names in the configuration of the
/// game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guess {
    /// Asks whether the opponent's person has this value for this attribute.
    Attribute {
        /// The attribute's name in the configuration.
        attribute: String,
        /// The value's name in the configuration.
        value: String,
    },
    /// Asks whether the opponent's person is the person with this name.
    Person(String),
}

/// A request from the framework to the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// `load PATH`: the player must read the game's configuration from this file.
    Load(String),
    /// `chosen NAME`: a new game begins, in which the player's own person has this name.
    Chosen(String),
    /// `guess?`: the player must make a guess.
    Guess,
    /// `answer? GUESS`: the player must answer this guess of the opponent.
    Answer(Guess),
    /// `result GUESS true|false`: the player's last guess, and the opponent's answer to this guess.
    Result(Guess, bool),
    /// `quit`: the framework ends the conversation.
    Quit,
}

/// A reply from the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `loaded N`: the configuration was read and contains this number of persons.
    Loaded(usize),
    /// `ok`: the player is ready for the new game.
    Ok,
    /// `guess GUESS`: the player's next guess.
    Guess(Guess),
    /// `answer true|false`: whether the opponent's guess is true of the player's own person.
    Answer(bool),
    /// `finished true|false`: whether the player has found the opponent's person.
    Finished(bool),
    /// `error MESSAGE`: the player has rejected the request, which has had no effect.
    Error(String),
}

/// The error for a line that is not a reply. The text is the beginning of the line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "expected loaded N, ok, guess GUESS, answer true|false, finished true|false or error MESSAGE, got {0:?}"
)]
pub struct ReplyError(String);

/// The error for a line that is not a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The first word is not a known request.
    #[error("unknown request {0:?}: expected load, chosen, guess?, answer?, result or quit")]
    Unknown(String),
    /// The first word is a known request, but the words after it do not have the required form.
    #[error("expected \"{expected}\", got {got:?}")]
    Malformed {
        /// The form that the line should have.
        expected: &'static str,
        /// The beginning of the received line.
        got: String,
    },
}

fn guess(words: &[&str]) -> Option<Guess> {
    match words {
        ["Attribute", attribute, value] => Some(Guess::Attribute {
            attribute: (*attribute).into(),
            value: (*value).into(),
        }),
        ["Person", name] => Some(Guess::Person((*name).into())),
        _ => None,
    }
}

/// Returns the beginning of a line, for error messages.
fn excerpt(line: &str) -> String {
    line.chars().take(60).collect()
}

impl FromStr for Request {
    type Err = RequestError;

    fn from_str(line: &str) -> Result<Self, RequestError> {
        let malformed = |expected| RequestError::Malformed {
            expected,
            got: excerpt(line),
        };
        let line = line.trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["load", _, ..] => Ok(Request::Load(line["load".len()..].trim().into())),
            ["load"] => Err(malformed("load PATH")),
            ["chosen", name] => Ok(Request::Chosen((*name).into())),
            ["chosen", ..] => Err(malformed("chosen NAME")),
            ["guess?"] => Ok(Request::Guess),
            ["guess?", ..] => Err(malformed("guess?")),
            ["answer?", asked @ ..] => guess(asked)
                .map(Request::Answer)
                .ok_or_else(|| malformed("answer? Attribute NAME VALUE, or answer? Person NAME")),
            ["result", asked @ .., answer] => guess(asked)
                .zip(answer.parse().ok())
                .map(|(guess, answer)| Request::Result(guess, answer))
                .ok_or_else(|| {
                    malformed(
                        "result Attribute NAME VALUE true|false, or result Person NAME true|false",
                    )
                }),
            ["result"] => Err(malformed("result GUESS true|false")),
            ["quit"] => Ok(Request::Quit),
            other => Err(RequestError::Unknown(excerpt(
                other.first().copied().unwrap_or(""),
            ))),
        }
    }
}

impl FromStr for Reply {
    type Err = ReplyError;

    fn from_str(line: &str) -> Result<Self, ReplyError> {
        let line = line.trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        let reply = match words.as_slice() {
            ["loaded", persons] => persons.parse().ok().map(Reply::Loaded),
            ["ok"] => Some(Reply::Ok),
            ["guess", guessed @ ..] => guess(guessed).map(Reply::Guess),
            ["answer", answer] => answer.parse().ok().map(Reply::Answer),
            ["finished", finished] => finished.parse().ok().map(Reply::Finished),
            ["error", _, ..] => Some(Reply::Error(line["error".len()..].trim().into())),
            _ => None,
        };
        reply.ok_or_else(|| ReplyError(excerpt(line)))
    }
}

impl fmt::Display for Guess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guess::Attribute { attribute, value } => {
                write!(formatter, "Attribute {attribute} {value}")
            }
            Guess::Person(name) => write!(formatter, "Person {name}"),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Load(path) => write!(formatter, "load {path}"),
            Request::Chosen(name) => write!(formatter, "chosen {name}"),
            Request::Guess => write!(formatter, "guess?"),
            Request::Answer(guess) => write!(formatter, "answer? {guess}"),
            Request::Result(guess, answer) => write!(formatter, "result {guess} {answer}"),
            Request::Quit => write!(formatter, "quit"),
        }
    }
}

impl fmt::Display for Reply {
    /// Writes the reply as one line without a line end. Line breaks in an error message become semicolons.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Loaded(persons) => write!(formatter, "loaded {persons}"),
            Reply::Ok => write!(formatter, "ok"),
            Reply::Guess(guess) => write!(formatter, "guess {guess}"),
            Reply::Answer(answer) => write!(formatter, "answer {answer}"),
            Reply::Finished(finished) => write!(formatter, "finished {finished}"),
            Reply::Error(message) => write!(
                formatter,
                "error {}",
                message.lines().collect::<Vec<_>>().join("; ")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn a_guess() -> impl Strategy<Value = Guess> {
        let word = "[a-zA-Z0-9_?é]{1,8}";
        prop_oneof![
            (word, word).prop_map(|(attribute, value)| Guess::Attribute { attribute, value }),
            word.prop_map(Guess::Person),
        ]
    }

    fn a_request() -> impl Strategy<Value = Request> {
        prop_oneof![
            "[a-z/.]{1,9}( [a-z/.]{1,9}){0,2}".prop_map(Request::Load),
            "[a-zA-Z0-9]{1,9}".prop_map(Request::Chosen),
            Just(Request::Guess),
            a_guess().prop_map(Request::Answer),
            (a_guess(), any::<bool>()).prop_map(|(guess, answer)| Request::Result(guess, answer)),
            Just(Request::Quit),
        ]
    }

    proptest! {
        #[test]
        fn a_printed_request_is_read_back(request in a_request()) {
            prop_assert_eq!(request.to_string().parse(), Ok(request));
        }

        #[test]
        fn any_line_is_a_request_or_an_error(line in ".{0,200}") {
            let parsed: Result<Request, RequestError> = line.parse();
            if let Ok(request) = parsed {
                prop_assert_eq!(request.to_string().parse(), Ok(request));
            }
        }
    }

    fn a_reply() -> impl Strategy<Value = Reply> {
        prop_oneof![
            any::<usize>().prop_map(Reply::Loaded),
            Just(Reply::Ok),
            a_guess().prop_map(Reply::Guess),
            any::<bool>().prop_map(Reply::Answer),
            any::<bool>().prop_map(Reply::Finished),
            "[a-z]{1,9}( [a-z.]{1,9}){0,2}".prop_map(Reply::Error),
        ]
    }

    proptest! {
        #[test]
        fn a_printed_reply_is_read_back(reply in a_reply()) {
            prop_assert_eq!(reply.to_string().parse(), Ok(reply));
        }

        #[test]
        fn any_line_is_a_reply_or_is_refused(line in "(guess|answer|error|loaded)? ?.{0,200}") {
            let parsed: Result<Reply, ReplyError> = line.parse();
            if let Ok(reply) = parsed {
                prop_assert_eq!(reply.to_string().parse(), Ok(reply));
            }
        }
    }

    #[test]
    fn the_frameworks_two_spaces_are_read() {
        assert_eq!(
            "answer? Person  P5".parse(),
            Ok(Request::Answer(Guess::Person("P5".into())))
        );
    }

    #[test]
    fn a_reply_is_one_line() {
        assert_eq!(
            Reply::Error("one\ntwo".into()).to_string(),
            "error one; two"
        );
    }
}
