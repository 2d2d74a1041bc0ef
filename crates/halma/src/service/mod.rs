//! The daemon behind the shim: answers the content of an `input.txt` with a move.
//!
//! The daemon stores the games between questions. `protocol/halma-serve.md` specifies the protocol.
//!
//! | module | content |
//! |---|---|
//! | [`games`] | finds the game of a position, makes room for new games, counts time |

pub mod games;

use std::time::Duration;

use tracing::info;
use turnwise_engine::instant::Instant;
use turnwise_engine::service::{Service, Step, StepOf};
use turnwise_engine::thought::Finished;
use turnwise_protocol::frame::Item;
use turnwise_protocol::halma::{Input, Mode};
use turnwise_protocol::halma_serve::{Answer, Ask, Asks, ErrorKind, MOST_SECONDS};

use crate::files;
use crate::search_agent::SearchAgent;
use games::{Games, Ticket};

fn error(kind: ErrorKind, reason: impl Into<String>) -> Answer {
    Answer::Error {
        kind,
        reason: reason.into(),
    }
}

/// Converts a CPU time in seconds to a `Duration`. Returns `None` if it is outside the valid range.
fn cpu_time(seconds: f64) -> Option<Duration> {
    (0.0..=MOST_SECONDS)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

impl Games {
    fn begin(&mut self, question: Item<Ask>, now: Instant) -> Result<StepOf<Self>, Answer> {
        let (rules, input, spent_s) = match question {
            Item::Bad(bad) => return Err(error(ErrorKind::Frame, bad.to_string())),
            Item::Message(Ask::Move {
                rules,
                input,
                spent_s,
            }) => (rules, input, spent_s),
        };
        let input = Input::parse(input.as_bytes())
            .map_err(|wrong| error(ErrorKind::Input, wrong.to_string()))?;
        let position = files::position(&input, rules);
        if !position.has_moves() {
            let reason = "expected a position with a legal move, got one without";
            return Err(error(ErrorKind::Stuck, reason));
        }
        let given = Duration::try_from_secs_f64(input.seconds).unwrap_or(Duration::MAX);
        let spent = cpu_time(spent_s).ok_or_else(|| {
            let reason =
                format!("expected spent_s from 0 to {MOST_SECONDS} seconds, got {spent_s}");
            error(ErrorKind::Frame, reason)
        })?;
        let asked = self.ask(&position, input.mode, (given, spent), now);
        let (ticket, agent) = asked.ok_or_else(|| {
            let reason = match input.mode {
                Mode::Single => "busy: search limit reached",
                Mode::Game => "busy: game limit reached, and all of them are thinking",
            };
            error(ErrorKind::Busy, reason)
        })?;
        Ok(Step::Think {
            agent,
            position,
            cpu_limits: ticket.limits,
            ticket,
        })
    }
}

impl Service for Games {
    type Codec = Asks;
    type Question = Item<Ask>;
    type Answer = Answer;
    type Agent = SearchAgent;
    type Ticket = Ticket;

    fn ask(&mut self, question: Item<Ask>, now: Instant) -> StepOf<Self> {
        self.begin(question, now).unwrap_or_else(Step::Answer)
    }

    fn finished(
        &mut self,
        ticket: Ticket,
        finished: Finished<SearchAgent>,
        now: Instant,
    ) -> Answer {
        let (number, position, is_known) = (ticket.number, ticket.position, ticket.is_known);
        let (Ok(thought), agent) = (finished.outcome, finished.agent) else {
            self.lost(ticket);
            return error(
                ErrorKind::Failed,
                "the search failed; its game is discarded",
            );
        };
        let (found, cpu) = (thought.found, thought.cpu);
        let opponent = agent.memory.opponent;
        let game_cpu = self.answered(ticket, agent, found.best, cpu, now);
        let output = files::output(&position, found.best)
            .expect("the move is legal")
            .to_string();
        let game = number.map_or_else(|| "single move".to_owned(), |game| format!("game {game}"));
        let opponent = if is_known {
            // Pieces that are still in the camp may be late, or the opponent may intend them to stay.
            let theirs = position.to_move().other();
            let at_home = (position.pieces(theirs) & theirs.camp()).count();
            format!("; opponent: {opponent}, {at_home} in its camp")
        } else {
            String::new()
        };
        info!(
            "{game}, {:?}: {}, depth {}, {:.3} s CPU, {:.3} s in the game{opponent}",
            position.to_move(),
            output.trim_end().replace('\n', ", "),
            found.depth,
            cpu.as_secs_f64(),
            game_cpu.as_secs_f64()
        );
        Answer::Move {
            output,
            cpu_s: cpu.as_secs_f64(),
            game_cpu_s: game_cpu.as_secs_f64(),
            known: is_known,
            // The value is a whole number of points, small enough to be exact as a float.
            value: position.to_move().sign() * found.value as i32,
            depth: found.depth,
            nodes: found.nodes,
        }
    }

    fn cancelled(&mut self, ticket: Ticket, finished: Finished<SearchAgent>) {
        match finished.outcome {
            Ok(thought) => self.broken_off(ticket, finished.agent, thought.cpu),
            Err(_panic) => self.lost(ticket),
        }
    }

    fn expire(&mut self, now: Instant) {
        Games::expire(self, now);
    }

    fn too_many_connections(most: usize) -> Answer {
        let reason = format!("expected at most {most} connections, got one more");
        error(ErrorKind::Busy, reason)
    }

    fn error(answer: &Answer) -> Option<&str> {
        match answer {
            Answer::Error { reason, .. } => Some(reason),
            Answer::Move { .. } => None,
        }
    }
}
