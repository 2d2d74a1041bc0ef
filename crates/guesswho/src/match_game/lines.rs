//! Speaks the protocol of `protocol/guesswho.md` with programs that play in the arena.

use std::io;
use std::path::PathBuf;

use turnwise_engine::outside::{LineChannel, Lines};
use turnwise_engine::player::{Failure, FaultKind, LastMove, Turn};
use turnwise_engine::words::one_line;
use turnwise_protocol::guesswho::{Guess, Reply, Request};

use super::table::{Move, Seen};
use crate::board::Question;
use crate::conversation::{by_index, by_names};

/// The name of the configuration file that the program must load.
const FILE: &str = "board.config";

/// The maximum number of characters of an invalid answer quoted in an error.
const LONGEST_QUOTED: usize = 100;

/// The arena's side of the protocol: it sends requests to one program and reads the program's replies.
#[derive(Default)]
pub(super) struct GuessWhoLines {
    /// The path of the configuration file with the board.
    path: PathBuf,
}

fn named(seen: &Seen, question: Question) -> Guess {
    by_names(&seen.board, question)
}

impl Lines<Seen, Move> for GuessWhoLines {
    fn prepare(&mut self, seen: &Seen, channel: &mut dyn LineChannel) -> io::Result<()> {
        self.path = channel.file(FILE, &seen.board.configuration().to_string())?;
        Ok(())
    }

    fn greeting(&self, _side: usize, seen: &Seen) -> Vec<String> {
        let path = self.path.to_string_lossy().into_owned();
        let persons = &seen.board.configuration().persons;
        let name = persons[seen.player.chosen() as usize].name.clone();
        [Request::Load(path), Request::Chosen(name)]
            .map(|request| request.to_string())
            .into()
    }

    /// Returns the requests to send for a turn, including the answer to the player's last guess.
    ///
    /// As in the course's framework, a player learns the answer to its guess only when it must answer the other
    /// player's next guess. For the last answer of a game, see [`Lines::news`].
    fn question(&self, turn: &Turn<Seen, Move>) -> Vec<String> {
        let seen = turn.position;
        let Some(asked) = seen.asked else {
            return vec![Request::Guess.to_string()];
        };
        let result = seen
            .answered
            .map(|(question, answer)| Request::Result(named(seen, question), answer));
        let asked = Request::Answer(named(seen, asked));
        let requests = result.into_iter().chain([asked]);
        requests.map(|request| request.to_string()).collect()
    }

    fn acknowledgement(&self, line: &str, seen: &Seen) -> Option<String> {
        let reply = match line.parse().ok()? {
            Request::Load(_) => Reply::Loaded(seen.board.configuration().persons.len()),
            Request::Chosen(_) => Reply::Ok,
            Request::Result(guess, answer) => {
                Reply::Finished(answer && matches!(guess, Guess::Person(_)))
            }
            Request::Guess | Request::Answer(_) | Request::Quit => return None,
        };
        Some(reply.to_string())
    }

    fn news(&self, last: &LastMove<Seen, Move>) -> Vec<String> {
        match (last.played, last.before.guessed) {
            (Move::Answer(answer), Some(question)) => {
                vec![Request::Result(named(&last.before, question), answer).to_string()]
            }
            _ => Vec::new(),
        }
    }

    fn farewell(&self) -> Vec<String> {
        vec![Request::Quit.to_string()]
    }

    fn answer(&self, line: &str, seen: &Seen) -> Result<Move, Failure> {
        match (seen.asked, line.parse()) {
            (Some(_), Ok(Reply::Answer(answer))) => Ok(Move::Answer(answer)),
            (None, Ok(Reply::Guess(guess))) => match by_index(&seen.board, &guess) {
                Some(question) => Ok(Move::Guess(question)),
                None => {
                    let guess = one_line(&guess.to_string(), LONGEST_QUOTED);
                    let reason = format!("`guess {guess}`: it is not on the board");
                    Err(Failure::new(FaultKind::Illegal, reason))
                }
            },
            (asked, _) => {
                let expected = match asked {
                    Some(_) => "`answer true` or `answer false`",
                    None => "`guess Attribute NAME VALUE` or `guess Person NAME`",
                };
                let got = one_line(line, LONGEST_QUOTED);
                let reason = format!("expected {expected}, got `{got}`");
                Err(Failure::new(FaultKind::Garbage, reason))
            }
        }
    }
}
