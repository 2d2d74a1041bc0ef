//! A person at a seat of a match.

use std::io;
use std::time::{Duration, Instant};

use crate::player::{Allowance, Answer, Failure};
use crate::table::Table;
use crate::view::View;

/// What a person is asked.
#[derive(Debug)]
pub struct PersonTurn<'a> {
    /// The side that the person plays.
    pub side: usize,
    /// What the person sees, with the moves that may be played.
    pub view: &'a View,
    /// The other player's last move, as logs have it.
    pub last: Option<&'a str>,
    /// Time left on the person's clock, where there is one.
    pub left: Option<Duration>,
    /// Why what was said last is no legal move.
    pub objection: Option<&'a str>,
}

/// Somebody who plays by looking and typing, or by tapping.
pub trait Person: Send {
    /// Asks for a move. What is no legal move is asked for again, while the clock runs.
    ///
    /// # Errors
    ///
    /// If there is no way to the person.
    fn choose(&mut self, turn: PersonTurn) -> io::Result<Result<String, Failure>>;

    /// A game is over; `view` is what everybody may see.
    fn finish(&mut self, view: &View);
}

/// Asks for a legal move until there is one, or none will come.
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
    // A person's time is wall time, whatever is charged to programs.
    let wall = began.elapsed();
    Ok(Answer::from_outside(mv, wall, Some(wall)))
}
