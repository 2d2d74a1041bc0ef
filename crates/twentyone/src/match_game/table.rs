//! The referee's table of TwentyOne.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::table::Table;

use super::TwentyOne;
use crate::actions::Action;
use crate::baselines::Baseline;
use crate::game::Game;
use crate::player::{PlayerId, Seen};
use crate::record::Unobserved;
use crate::rules::Points;

/// The sides of the roles.
pub(super) const LEFT: usize = 0;
pub(super) const RIGHT: usize = 1;

/// More actions than a player takes in a round.
const MOST_ACTIONS: u32 = 100;

/// What a participant is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// All that it sees.
    pub seen: Seen,
    /// What it may do: every action, or some of the bids.
    pub legal: Vec<Action>,
}

/// What the log keeps of a game besides its players and moves.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    /// What the shoe and the seating are shuffled from.
    pub shoe: u64,
    /// The seats of Left and Right, from 1: places in the seating before the first round.
    pub seats: [u32; 2],
    /// Rounds that were settled.
    pub rounds: u32,
    /// Points of Left and Right. A fault leaves none to who was at fault, and at least those of the start to the other.
    pub points: [Points; 2],
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            shoe: 0,
            seats: [1, 2],
            rounds: 0,
            points: [0; 2],
        }
    }
}

impl Kept {
    /// Why it cannot be of a table with so many seats, if it cannot.
    pub fn check(&self, seats: u32) -> Result<(), String> {
        let [left, right] = self.seats;
        let is_seat = |seat| (1..=seats).contains(&seat);
        match is_seat(left) && is_seat(right) && left != right {
            true => Ok(()),
            false => Err(format!(
                "the seats {left} and {right}, expected two of 1 to {seats}"
            )),
        }
    }
}

/// The seats of Left and Right, from 1, in a pair after so many others of the same two. After as many pairs
/// as there are seats each of the two has had every seat as often as any other; after as many as there are
/// couples of seats, every couple.
fn seats_of(meetings: u32, seats: u32) -> [u32; 2] {
    let meeting = meetings % (seats * (seats - 1) / 2);
    let (left, apart) = (meeting % seats, meeting / seats + 1);
    [left + 1, (left + apart) % seats + 1]
}

/// A game between two participants and the house.
#[derive(Clone)]
pub struct TwentyOneTable {
    pub(super) game: Game,
    house: Baseline,
    starting_points: Points,
    shoe: u64,
    /// The seats of Left and Right, counted from 1.
    seats: [u32; 2],
    /// Everybody's identity, by seat.
    pub(super) seating: Vec<PlayerId>,
    /// The identities of Left and Right.
    ids: [PlayerId; 2],
    /// What Left and Right have seen last.
    questions: [Question; 2],
    rounds: u32,
    /// Of Left and Right when the last round was settled.
    pub(super) points: [Points; 2],
}

impl TwentyOneTable {
    /// The beginning of a game with this shoe and these seats.
    pub(super) fn seated(rules: &TwentyOne, shoe: u64, seats: [u32; 2]) -> Self {
        let settings = &rules.settings;
        let game = Game::new(settings.clone(), rules.seats as usize, shoe);
        let game = game.expect("the settings are checked");
        let seating = game.seating().to_vec();
        let ids = seats.map(|seat| seating[seat as usize - 1]);
        let points = seating.iter().map(|&id| (id, settings.starting_points));
        let points: Vec<_> = points.collect();
        let questions = ids.map(|id| Question {
            seen: Seen {
                settings: settings.clone(),
                id,
                up_card: None,
                points: points.clone(),
                shown: Vec::new(),
                dealer: Vec::new(),
                hand: Vec::new(),
            },
            legal: Vec::new(),
        });
        let mut table = Self {
            game,
            house: rules.house,
            starting_points: settings.starting_points,
            shoe,
            seats,
            seating,
            ids,
            questions,
            rounds: 0,
            points: [settings.starting_points; 2],
        };
        table.go_on();
        table
    }

    pub(super) fn side_of(&self, id: PlayerId) -> Option<usize> {
        self.ids.iter().position(|own| *own == id)
    }

    fn mover(&self) -> Option<usize> {
        self.game.asked().and_then(|id| self.side_of(id))
    }

    /// Plays for the house until a participant is asked, or until none of them plays any more.
    fn go_on(&mut self) {
        loop {
            let Some(id) = self.game.asked() else {
                let points = self.game.points();
                self.points = self.ids.map(|id| points[id as usize]);
                self.rounds = self.game.round();
                let are_out = self.ids.iter().all(|id| self.game.is_out(*id));
                if are_out || self.game.is_over() {
                    return;
                }
                self.game.begin_round();
                continue;
            };
            match (self.side_of(id), self.game.seen()) {
                (Some(side), Some(seen)) => {
                    let legal = self.game.legal();
                    self.questions[side] = Question { seen, legal };
                    return;
                }
                _ => self.game.ask(&mut self.house, &mut Unobserved),
            }
        }
    }
}

impl Table for TwentyOneTable {
    type Rules = TwentyOne;
    type Position = Question;
    type Move = Action;

    fn new(rules: &TwentyOne, seed: u64) -> Self {
        Self::at_meeting(rules, seed, 0)
    }

    fn at_meeting(rules: &TwentyOne, seed: u64, meetings: u32) -> Self {
        Self::seated(rules, seed, seats_of(meetings, rules.seats))
    }

    /// What the side to move sees.
    fn position(&self) -> &Question {
        self.seen_by(self.mover().unwrap_or(LEFT))
    }

    fn seen_by(&self, side: usize) -> &Question {
        &self.questions[side]
    }

    fn turn(&mut self) -> Option<usize> {
        self.mover()
    }

    fn plies_left(&self) -> u32 {
        let rounds = self.game.settings().rounds - self.rounds;
        rounds.saturating_mul(2 * MOST_ACTIONS)
    }

    /// Some bids, and Stand: an opening leaves nothing behind of which a player could not know, such as a
    /// doubled hand.
    fn legal_moves(&self) -> Vec<Action> {
        let legal = self.game.legal().into_iter();
        let legal = legal.filter(|action| matches!(action, Action::Bid(_) | Action::Stand));
        legal.collect()
    }

    fn is_legal(&self, action: Action) -> bool {
        self.game.check(action).is_ok()
    }

    fn objection(&self, action: Action) -> Option<String> {
        self.game.check(action).err().map(|error| error.to_string())
    }

    fn play(&mut self, action: Action) {
        let played = self.game.act(action, &mut Unobserved);
        debug_assert_eq!(played, Ok(()));
        self.go_on();
    }

    fn notation(&self, action: Action) -> String {
        action.to_string()
    }

    /// The crate's own players answer at once; a tenth of what is left is much for anybody else.
    fn budget(&self, _time: TimeControl, left: Duration) -> (Duration, Duration) {
        (left / 10, left / 2)
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        let mut points = self.points;
        if let Some(side) = at_fault {
            let other = 1 - side;
            points[side] = 0;
            points[other] = points[other].max(self.starting_points);
        }
        Fields::of(&Kept {
            shoe: self.shoe,
            seats: self.seats,
            rounds: self.rounds,
            points,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn everybody_has_every_seat_as_often_and_every_neighbour() {
        for seats in 2..=10 {
            let couples = seats * (seats - 1) / 2;
            let (mut taken, mut met) = (BTreeMap::new(), BTreeMap::new());
            for meeting in 0..2 * couples {
                let [left, right] = seats_of(meeting, seats);
                assert_ne!(left, right);
                // Whoever is Left in the first game is Right in the second: both have both seats.
                for seat in [left, right] {
                    *taken.entry(seat).or_insert(0) += 1;
                }
                let couple = [left.min(right), left.max(right)];
                *met.entry(couple).or_insert(0) += 1;
                if meeting + 1 == seats {
                    assert!(taken.values().all(|&times| times == 2), "{taken:?}");
                }
            }
            assert_eq!(taken.len(), seats as usize);
            assert!(taken.values().all(|&times| times == 2 * (seats - 1)));
            assert_eq!(met.len(), couples as usize);
            assert!(met.values().all(|&times| times == 2));
        }
    }

    #[test]
    fn seats_that_no_table_has_are_refused() {
        let seated = |left, right| Kept {
            seats: [left, right],
            ..Kept::default()
        };
        assert_eq!(seated(3, 1).check(3), Ok(()));
        for (left, right) in [(0, 1), (4, 1), (2, 2)] {
            let why = seated(left, right).check(3).expect_err("no seats");
            assert!(why.contains("two of 1 to 3"), "{why}");
        }
    }
}
