//! Halma at the arena's table.
//!
//! | module | what it is for |
//! |---|---|
//! | `in_process` | this program's players |
//! | `command` | a command that reads `input.txt` and writes `output.txt`, as the assignment has it |
//! | `calibration` | such a command's own calibration, run once before the games |
//! | `judge` | whether an `output.txt` holds a legal move |

mod calibration;
mod command;
mod in_process;
mod judge;

use std::cmp::Ordering;
use std::io;
use std::time::Duration;

use super::cast::Entrant;
use super::player::{LastMove, Turn};
use super::spec::{Kind, NamedAgent};
use super::table::{PlayerAt, Table};
use crate::records::{Course, Ending, GameSettings, HalmaRules, Role, Settings, TimeControl};
use command::CommandPlayer;
use in_process::InProcess;
use turnwise_entropy::weights_file::Unusable;
use turnwise_halma::agent::{Outlook, Purpose, allot};
use turnwise_halma::picture::steps_to_go;
use turnwise_halma::rules::{Color, Move, Position, Rules};

type Ask<'a> = Turn<'a, Position, Move>;
type Last = LastMove<Position, Move>;

/// The largest difference of two clocks that counts as none: what the log can hold.
const SAME_TIME: Duration = Duration::from_micros(1);

/// A board, and how long a game may become.
pub struct HalmaTable {
    position: Position,
    begins: Color,
    plies_left: u32,
}

fn rules(rules: HalmaRules) -> Rules {
    match rules {
        HalmaRules::Base => Rules::Base,
        HalmaRules::Addendum => Rules::Addendum,
    }
}

impl HalmaTable {
    /// The side that has filled the opposing camp by the last move, or whose opponent cannot move.
    fn winner(&self) -> Option<(usize, Ending)> {
        let mover = self.position.to_move();
        if self.position.is_won() {
            Some((mover.other() as usize, Ending::Goal))
        } else if !self.position.has_moves() {
            Some((mover.other() as usize, Ending::Stuck))
        } else {
            None
        }
    }
}

impl Table for HalmaTable {
    type Position = Position;
    type Move = Move;
    type Means = ();

    fn new(settings: &Settings, seed: u64) -> Self {
        let GameSettings::Halma {
            rules: wanted,
            plies,
            begins,
            ..
        } = settings.game
        else {
            unreachable!("this table is set for Halma alone");
        };
        let begins = match begins {
            Some(Role::White) => Color::White,
            Some(_) => Color::Black,
            None => Color::BOTH[usize::from(seed % 2 == 1)],
        };
        Self {
            position: Position::start(begins, rules(wanted)),
            begins,
            plies_left: plies,
        }
    }

    fn position(&self) -> &Position {
        &self.position
    }

    fn turn(&mut self) -> Option<usize> {
        let goes_on = self.plies_left > 0 && self.winner().is_none();
        goes_on.then_some(self.position.to_move() as usize)
    }

    fn plies_left(&self) -> u32 {
        self.plies_left
    }

    fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        moves
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv)
    }

    fn play(&mut self, mv: Move) {
        self.position.play(mv);
        self.plies_left -= 1;
    }

    fn notation(&self, mv: Move) -> String {
        let letter = if mv.is_step() { 'E' } else { 'J' };
        let path = self
            .position
            .path(mv)
            .unwrap_or_else(|| vec![mv.from, mv.to]);
        let squares = path.iter().map(|square| format!(" {square}"));
        letter.to_string() + &squares.collect::<String>()
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        let purpose = match time {
            TimeControl::Clock { .. } => Purpose::Game,
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => Purpose::Single,
        };
        allot(left, purpose, &self.position, Outlook::default())
    }

    fn course(
        &self,
        [black, white]: [&str; 2],
        at_fault: Option<usize>,
        left: Option<[Duration; 2]>,
    ) -> Course {
        let lost = |side: usize| if side == 0 { 0.0 } else { 1.0 };
        let winner = self.winner();
        let (black_score, ending) = match (at_fault, winner) {
            (Some(side), _) => (lost(side), Ending::Fault),
            (None, Some((side, ending))) => (lost(1 - side), ending),
            (None, None) => by_time(left),
        };
        Course::Halma {
            black: black.to_owned(),
            white: white.to_owned(),
            begins: match self.begins {
                Color::Black => Role::Black,
                Color::White => Role::White,
            },
            black_score,
            ending,
            margin: (ending == Ending::Goal)
                .then(|| steps_to_go(&self.position, self.position.to_move())),
        }
    }

    fn means(_settings: &Settings, _kind: &Kind) -> Result<(), Unusable> {
        Ok(())
    }

    fn player(
        settings: &Settings,
        entrant: &Entrant<Self>,
        _name: &str,
        seed: u64,
    ) -> io::Result<Box<PlayerAt<Self>>> {
        let GameSettings::Halma {
            grace_s, lenient, ..
        } = settings.game
        else {
            unreachable!("this table is set for Halma alone");
        };
        let kind = &entrant.kind;
        Ok(match kind {
            Kind::BuiltIn {
                agent: NamedAgent::Halma(agent),
                nodes,
                ..
            } => {
                let limits = [*nodes, settings.nodes()];
                let fewest = limits.into_iter().flatten().min();
                Box::new(InProcess {
                    player: agent.start(seed, fewest),
                    nodes: fewest,
                })
            }
            Kind::Command { words, .. } => Box::new(CommandPlayer::new(
                words.clone(),
                entrant.time,
                Duration::from_secs_f64(grace_s),
                lenient,
            )?),
            Kind::BuiltIn { .. } | Kind::Daemon { .. } => {
                return Err(io::Error::other(format!("{kind} does not play Halma")));
            }
        })
    }
}

/// A draw by plies: more time left wins it, as the assignment says.
fn by_time(left: Option<[Duration; 2]>) -> (f64, Ending) {
    let Some([black, white]) = left.filter(|[black, white]| black.abs_diff(*white) > SAME_TIME)
    else {
        return (0.5, Ending::Draw);
    };
    match black.cmp(&white) {
        Ordering::Greater => (1.0, Ending::Time),
        _ => (0.0, Ending::Time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_time_left_wins_a_draw() {
        let time = |black, white| by_time(Some([black, white].map(Duration::from_millis)));
        assert_eq!(time(20, 10), (1.0, Ending::Time));
        assert_eq!(time(10, 20), (0.0, Ending::Time));
        assert_eq!(time(10, 10), (0.5, Ending::Draw));
        assert_eq!(by_time(None), (0.5, Ending::Draw));
    }
}
