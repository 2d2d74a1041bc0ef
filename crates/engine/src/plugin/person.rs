//! Lets a person play in a match: shows the game to the person, and asks for moves.

use std::io;
use std::time::{Duration, Instant};

use crate::player::{Allowance, Answer, Failure};
use crate::plugin::AnyState;
use crate::view::View;

/// A request to a person for a move.
#[derive(Debug)]
pub struct PersonTurn<'a> {
    /// The side that the person plays.
    pub side: usize,
    /// The game as the person sees it, with the available moves.
    pub view: &'a View,
    /// The other player's last move in the notation of logs, if it has not been shown yet.
    pub last: Option<&'a str>,
    /// The time left on the person's clock, if any.
    pub left: Option<Duration>,
    /// The reason why the person's last input is not a legal move; `None` at the first request for this move.
    pub objection: Option<&'a str>,
}

/// A person who looks at the board and types or taps moves.
pub trait Person: Send {
    /// Asks the person for a move and returns the text that the person typed. After an illegal move, this method is
    /// called again while the clock runs.
    ///
    /// # Errors
    ///
    /// Returns an error if the person cannot be reached.
    fn choose(&mut self, turn: PersonTurn) -> io::Result<Result<String, Failure>>;

    /// Tells the person that the game is over. `view` is the game as the public sees it.
    fn finish(&mut self, view: &View);
}

/// Asks the person for a move until the move is legal or the person ends the game.
pub(super) fn ask(
    person: &mut dyn Person,
    state: &mut dyn AnyState,
    side: usize,
    last: Option<&str>,
    allowance: Allowance,
) -> io::Result<Answer<u64>> {
    let began = Instant::now();
    let view = state.view(Some(side));
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
        match state.legal(&text) {
            Ok(code) => break Ok(code),
            Err(why) => objection = Some(why),
        }
    };
    // A person has no CPU time, and is charged wall time even if programs are charged CPU time.
    Ok(Answer::from_outside(mv, began.elapsed(), None))
}
