//! A person at a seat of a match.

use std::io;
use std::time::{Duration, Instant};

use crate::player::{Allowance, Answer, Failure};
use crate::table::Table;
use crate::view::View;

/// A request to a person for a move.
#[derive(Debug)]
pub struct PersonTurn<'a> {
    /// The side that the person plays.
    pub side: usize,
    /// The person's view, with the available moves.
    pub view: &'a View,
    /// The other player's last move in the notation of logs.
    pub last: Option<&'a str>,
    /// The time left on the person's clock, if any.
    pub left: Option<Duration>,
    /// Why the last input is not a legal move.
    pub objection: Option<&'a str>,
}

/// A person who looks at the board and types or taps moves.
pub trait Person: Send {
    /// Requests a move. Illegal input is requested again while the clock runs.
    ///
    /// # Errors
    ///
    /// If the person cannot be reached.
    fn choose(&mut self, turn: PersonTurn) -> io::Result<Result<String, Failure>>;

    /// Ends a game; `view` is the public view.
    fn finish(&mut self, view: &View);
}

/// Requests a move until it is legal or the person cannot answer.
pub(super) fn ask<T: Table>(
    person: &mut dyn Person,
    table: &T,
    side: usize,
    last: Option<&str>,
    allowance: Allowance,
) -> io::Result<Answer<T::Move>> {
    let began = Instant::now();
    let view = table.view(Some(side));
    let mut objection = None;
    let mv = loop {
        let has_clock = allowance.left > Duration::ZERO;
        let text = person.choose(PersonTurn {
            side,
            view: &view,
            last,
            left: has_clock.then(|| allowance.left.saturating_sub(began.elapsed())),
            objection: objection.as_deref(),
        })?;
        let text = match text {
            Ok(text) => text,
            Err(failure) => break Err(failure),
        };
        objection = Some(match table.parse(&text) {
            Ok(mv) if table.is_legal(mv) => break Ok(mv),
            Ok(mv) => {
                let why = table.objection(mv);
                why.unwrap_or_else(|| "the rules do not allow this move".to_owned())
            }
            Err(why) => why,
        });
    };
    // A person is charged wall time, regardless of the time charged to programs.
    let wall = began.elapsed();
    Ok(Answer::from_outside(mv, wall, Some(wall)))
}
