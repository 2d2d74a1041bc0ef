//! Represents one game as a player on a wire sees it: our role, the board as reported by the server, and our clock.

use std::time::Duration;

use turnwise_engine::clock::GameClock;
use turnwise_engine::instant::Instant;
use turnwise_entropy::rules::{Colour, Move, Phase, Position, Rules};
use turnwise_entropy::tracking::{Breach, ReportError};
use turnwise_entropy::wire_cells;
use turnwise_protocol::entropy::{Line, Reply, Role};

use super::seen::SeenMove;

/// A server that judges our reply too late starts the next game within this time.
const JUDGED_WITHIN: Duration = Duration::from_millis(500);

pub(super) struct TrackedGame {
    /// The game's number on this connection, starting at 1.
    pub number: u32,
    pub role: Role,
    pub position: Position,
    pub clock: GameClock,
    /// The number of moves of both players so far.
    pub ply: u32,
    /// The arrival time of the message that began the game.
    begun: Instant,
    /// The arrival time of the message that last made it our turn, if any.
    pub asked: Option<Instant>,
    /// The time that we had used before our last reply.
    pub used_before: Duration,
    /// The time at which we sent our last reply in this game, if any.
    pub last_reply: Option<Instant>,
    /// The moves that our agent did not decide and that `EntropyConversation::look` has not collected yet.
    pub unseen: Vec<SeenMove>,
}

/// The effects that a line from the server had on the game.
pub(super) struct Reported {
    /// The opponent's move that the line reports, if any, with the position before the move.
    pub opponent: Option<(Position, Move)>,
    /// The line's breach of the written rules, if any.
    pub breach: Option<Breach>,
}

impl TrackedGame {
    pub fn new(number: u32, role: Role, rules: Rules, clock: GameClock, begun: Instant) -> Self {
        Self {
            number,
            role,
            position: Position::new(rules),
            clock,
            ply: 0,
            begun,
            asked: None,
            used_before: Duration::ZERO,
            last_reply: None,
            unseen: Vec::new(),
        }
    }

    /// Stores a move that observers have not seen yet. `waited` is the time that we waited for its message, if known.
    fn see(&mut self, mv: Move, tile: Option<Colour>, waited: Option<Duration>) {
        self.unseen.push(SeenMove {
            role: self.role.other(),
            mv,
            tile,
            figures: None,
            waited,
        });
    }

    /// Applies a line from the server about this game. On error, the game is unchanged.
    pub fn report(&mut self, line: Line, arrived: Instant) -> Result<Reported, ReportError> {
        let mut next = self.position.clone();
        let mut opponent = None;
        let mut passed = false;
        let breach = match (self.role, line) {
            (Role::Chaos, Line::Draw(tile)) => {
                // Chaos must place this tile even if the server reported no move of Order, or an impossible one.
                passed = next.phase() == Phase::Slide;
                let missed = match passed {
                    true => next.follow(Move::Pass)?,
                    false => None,
                };
                next.follow(Move::Draw(tile.0 + 1))?.or(missed)
            }
            (Role::Chaos, Line::Slide { from, to }) => {
                let slide = wire_cells::slide_on_board(from, to, next.size());
                let slide = slide.ok_or(ReportError::OffBoard)?;
                opponent = Some((next.clone(), slide));
                next.follow(slide)?
            }
            (Role::Order, Line::Placed(cell, tile)) => {
                let draw = next.follow(Move::Draw(tile.0 + 1))?;
                let cell = wire_cells::on_board(cell, next.size());
                let place = Move::Place(cell.ok_or(ReportError::OffBoard)?);
                opponent = Some((next.clone(), place));
                let placement = next.follow(place)?;
                placement.or(draw)
            }
            _ => {
                return Err(ReportError::OutOfTurn {
                    expected: self.position.phase(),
                });
            }
        };
        self.position = next;
        self.ply += u32::from(opponent.is_some());
        let since = self.last_reply.unwrap_or(self.begun);
        let waited = arrived.saturating_duration_since(since);
        let waited = Some(waited).filter(|waited| !waited.is_zero());
        if passed {
            self.see(Move::Pass, None, waited);
        }
        match (&opponent, line) {
            (&Some((_, place)), Line::Placed(_, tile)) => {
                self.see(place, Some(tile.0 + 1), waited);
            }
            (&Some((_, slide)), _) => self.see(slide, None, waited),
            (None, _) => {}
        }
        Ok(Reported { opponent, breach })
    }

    /// Returns true if a line requires an answer from us. Only needed on wires that do not mark such lines.
    pub fn is_asked_by(&self, line: Line) -> bool {
        matches!(
            (self.role, line),
            (Role::Chaos, Line::Draw(_)) | (Role::Order, Line::Placed(..))
        ) && !self.is_over()
    }

    pub fn is_our_turn(&self) -> bool {
        let ours = match self.role {
            Role::Order => Phase::Slide,
            Role::Chaos => Phase::Place,
        };
        self.position.phase() == ours
    }

    pub fn is_over(&self) -> bool {
        self.position.phase() == Phase::Over
    }

    /// Assumes that the likeliest missing events have happened, so that it is our turn.
    ///
    /// Needed if the server asks for a move although, according to its reports, it is not our turn.
    pub fn assume_our_turn(&mut self) -> Result<(), ReportError> {
        match self.role {
            Role::Order => self.position.miss_placement(),
            Role::Chaos => {
                if self.position.phase() == Phase::Slide {
                    self.position.follow(Move::Pass)?;
                    self.see(Move::Pass, None, None);
                }
                self.position.assume_draw()
            }
        }
    }

    /// If we are Order, makes Chaos's last placement once only one tile and one cell remain.
    ///
    /// Some servers do not report this placement.
    pub fn conclude(&mut self) {
        if self.role != Role::Order {
            return;
        }
        let before = self.position.clone();
        if self.position.place_last() {
            self.ply += 1;
            let mut cells = (0..).zip(before.cells().iter().zip(self.position.cells()));
            if let Some((cell, (_, &tile))) = cells.find(|(_, (before, after))| before != after) {
                self.see(Move::Place(cell), Some(tile), None);
            }
        }
    }

    /// Returns some legal move, for use when the agent supplied none. Call this only when it is our turn.
    pub fn fallback(&self) -> Move {
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        moves.first().copied().unwrap_or(Move::Pass)
    }

    /// Makes our move on the board and returns the reply to send to the server.
    pub fn play(&mut self, mv: Move) -> Reply {
        let reply = match mv {
            Move::Place(cell) => Reply::Place(wire_cells::on_wire(cell, self.position.size())),
            _ => {
                let [from, to] = wire_cells::slide_on_wire(mv, &self.position);
                Reply::Slide { from, to }
            }
        };
        self.position.make(mv);
        self.ply += 1;
        reply
    }

    /// Suggests a clock for the case that the server ended the game at `now` because our time had run out.
    ///
    /// Returns `None` if the server neither waited for our move nor had just received it.
    pub fn hint_for_clock(&self, now: Instant) -> Option<String> {
        let (least, most) = match self.is_our_turn() {
            true => {
                let used = self.clock.used();
                (used, used + now.saturating_duration_since(self.asked?))
            }
            false if now.saturating_duration_since(self.last_reply?) < JUDGED_WITHIN => {
                (self.used_before, self.clock.used())
            }
            false => return None,
        };
        let [least, most] = [least, most].map(|time| (time.as_secs_f64() * 10.0).floor() / 10.0);
        (most > 0.0).then(|| {
            let lasting = match least > 0.0 {
                true => format!(", and --clock {least:.1} would have lasted"),
                false => String::new(),
            };
            format!("; if we lost on time, the server's clock is at most {most:.1} s{lasting}")
        })
    }

    /// Returns the time that has passed since our last reply. It includes the delays of the server and the network.
    pub fn opponent_time(&self, now: Instant) -> Duration {
        let since = self.last_reply.unwrap_or(now);
        now.saturating_duration_since(since)
    }
}
