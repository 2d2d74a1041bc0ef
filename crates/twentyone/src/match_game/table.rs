//! The state of a game of TwentyOne, which the referee keeps.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::table::Table;
use turnwise_engine::view::Grid;

use super::{ABOUT, TwentyOne, board, view};
use crate::actions::Action;
use crate::baselines::Baseline;
use crate::game::{Game, InHand};
use crate::memory::{Memory, Seat};
use crate::player::{Fault, PlayerId, Seen, View};
use crate::record::Unobserved;
use crate::rules::Points;
use crate::strong;

/// The side of the role Left at a table of two participants; `RIGHT` is the side of the role Right.
pub(super) const LEFT: usize = 0;
pub(super) const RIGHT: usize = 1;

/// An upper bound on the number of a player's actions in a round.
const MOST_ACTIONS: u32 = 100;

/// A question to a participant: which action should it take?
#[derive(Debug, Clone)]
pub struct Question {
    /// The participant's view of the game.
    pub seen: Seen,
    /// The legal actions: every action of a hand, or some of the bids.
    pub legal: Vec<Action>,
    /// The memory that an attentive participant would have after all earlier questions.
    pub(super) memory: Memory,
}

/// The fields of a game in the log, except its players and moves.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The seed from which the shoe and the seating are shuffled.
    pub shoe: u64,
    /// The participants' seats in the seating before the first round, counted from 1.
    ///
    /// With two participants, these are the seats of Left and Right.
    pub seats: Vec<u32>,
    /// The number of rounds that were settled.
    pub rounds: u32,
    /// The participants' points.
    ///
    /// A participant at fault has no points. If its fault ended the game, the other participant has at least
    /// the starting points.
    pub points: Vec<Points>,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            shoe: 0,
            seats: vec![1, 2],
            rounds: 0,
            points: vec![0; 2],
        }
    }
}

impl Kept {
    /// Checks that these fields are possible at a table with this number of seats.
    pub fn check(&self, seats: u32) -> Result<(), String> {
        let mut taken = self.seats.clone();
        taken.sort_unstable();
        taken.dedup();
        let are_seats = taken.iter().all(|seat| (1..=seats).contains(seat));
        let all = self.seats.len();
        if !are_seats || taken.len() != all || all < 2 {
            let got: Vec<String> = self.seats.iter().map(u32::to_string).collect();
            let got = got.join(", ");
            return Err(format!(
                "the seats {got}, expected at least two different seats from 1 to {seats}"
            ));
        }
        match self.points.len() == all {
            true => Ok(()),
            false => Err(format!(
                "points of {} participants, expected {all}",
                self.points.len()
            )),
        }
    }
}

/// Returns the seats of Left and Right, counted from 1, after `meetings` earlier pairs of games.
///
/// After as many pairs as there are seats, each participant has had every seat equally often. After as many pairs as
/// there are combinations of two seats, they have had every combination.
fn seats_of(meetings: u32, seats: u32) -> [u32; 2] {
    let meeting = meetings % (seats * (seats - 1) / 2);
    let (left, apart) = (meeting % seats, meeting / seats + 1);
    [left + 1, (left + apart) % seats + 1]
}

/// Returns the participants' seats, counted from 1, in the game with index `game` of their rotation.
///
/// Each participant moves one seat on from game to game. After as many games as there are seats, each
/// participant has had each seat.
fn seats_in_rotation(participants: u32, game: u32, seats: u32) -> Vec<u32> {
    let first = game % seats;
    (0..participants)
        .map(|place| (place + first) % seats + 1)
        .collect()
}

/// A game between two or more participants and the house, which plays all other seats.
#[derive(Clone)]
pub struct TwentyOneTable {
    pub(super) game: Game,
    house: Baseline,
    starting_points: Points,
    shoe: u64,
    /// The participants' seats, counted from 1. All lists of participants are in the order of their sides.
    seats: Vec<u32>,
    /// The identity of each player, in the order of seats.
    pub(super) seating: Vec<PlayerId>,
    /// The identities of the participants.
    pub(super) ids: Vec<PlayerId>,
    /// The last question to each participant.
    questions: Vec<Question>,
    rounds: u32,
    /// The participants' points when the last round was settled.
    pub(super) points: Vec<Points>,
    /// The points that each participant won or lost in the last round.
    pub(super) changes: Vec<i64>,
    /// The memories that attentive participants would have.
    memories: Vec<Memory>,
}

/// The number of a participant's own past rounds to remember. Counting cards requires only the last round.
const ROUNDS_KEPT: usize = 1;

impl TwentyOneTable {
    /// Creates the table of a new game with this shoe and these seats.
    pub(super) fn seated(rules: &TwentyOne, shoe: u64, seats: Vec<u32>) -> Self {
        let settings = &rules.settings;
        let game = Game::new(settings.clone(), rules.seats as usize, shoe);
        Self::of_game(rules, game.expect("the settings are checked"), shoe, seats)
    }

    /// Creates the table of a game in progress.
    ///
    /// The participants remember only the open cards and the bids of that game.
    fn of_game(rules: &TwentyOne, game: Game, shoe: u64, seats: Vec<u32>) -> Self {
        let settings = &rules.settings;
        let seating = game.seating().to_vec();
        let ids = seats.iter().map(|&seat| seating[seat as usize - 1]);
        let ids: Vec<PlayerId> = ids.collect();
        let points = seating.iter().map(|&id| (id, settings.starting_points));
        let points: Vec<_> = points.collect();
        let questions = ids.iter().map(|&id| Question {
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
            memory: Memory::default(),
        });
        let mut table = Self {
            game,
            house: rules.house,
            starting_points: settings.starting_points,
            shoe,
            seating,
            questions: questions.collect(),
            rounds: 0,
            points: vec![settings.starting_points; ids.len()],
            changes: vec![0; ids.len()],
            memories: vec![Memory::default(); ids.len()],
            seats,
            ids,
        };
        table.go_on();
        table
    }

    /// Creates a table at which one participant plays a hand and nobody else has one.
    ///
    /// Returns `None` if the shoe lacks a card of the hand or too few cards remain.
    pub(super) fn in_hand(
        rules: &TwentyOne,
        side: usize,
        points: [Points; 2],
        at: InHand,
    ) -> Option<Self> {
        let settings = &rules.settings;
        let seated = Game::new(settings.clone(), rules.seats as usize, 0).ok()?;
        let ids = [seated.seating()[LEFT], seated.seating()[RIGHT]];
        let mut all = vec![settings.starting_points; rules.seats as usize];
        for (id, points) in ids.into_iter().zip(points) {
            all[id as usize] = points;
        }
        let at = InHand {
            id: ids[side],
            ..at
        };
        let game = Game::in_hand(settings.clone(), all, &at)?;
        let mut table = Self::of_game(rules, game, 0, vec![1, 2]);
        table.points = points.to_vec();
        table.points[side] += at.bid;
        let mut own = Seat::new(at.id, points[side] + at.bid);
        own.note_bid(at.bid);
        let memory = Memory {
            round: 1,
            players: 1,
            dealt: at.gone.total() as u32,
            seen: at.gone,
            seats: vec![own],
            ..Memory::default()
        };
        table.memories = vec![memory.clone(), memory];
        table.memories[side].turn.bid = at.bid;
        table.memories[side].turn.insured = at.insured;
        table.questions[side].memory = table.memories[side].clone();
        table.notice(side);
        Some(table)
    }

    /// Updates the memory of the participant on this side from its view.
    fn notice(&mut self, side: usize) {
        let memory = &mut self.memories[side];
        // Only the presence of a memory matters here, not its content.
        let text = (memory.round > 0).then_some("");
        strong::notice(&self.questions[side].seen.view(text), memory);
        memory.history.truncate(ROUNDS_KEPT);
    }

    /// Returns the view of the participant on this side, and the memory it has if it is attentive.
    pub(super) fn remembered(&self, side: usize) -> (View<'_>, &Memory) {
        (
            self.questions[side].seen.view(Some("")),
            &self.memories[side],
        )
    }

    pub(super) fn side_of(&self, id: PlayerId) -> Option<usize> {
        self.ids.iter().position(|own| *own == id)
    }

    /// Returns the participants' roles, by side.
    pub(super) fn roles(&self) -> &'static [&'static str] {
        ABOUT.roles_of(self.ids.len())
    }

    /// Returns the number of rounds that are settled.
    pub(super) fn settled(&self) -> u32 {
        self.rounds
    }

    pub(super) fn mover(&self) -> Option<usize> {
        self.game.asked().and_then(|id| self.side_of(id))
    }

    /// Plays for the house until a participant must act, all participants are out, or the game ends.
    fn go_on(&mut self) {
        loop {
            let Some(id) = self.game.asked() else {
                let points = self.game.points();
                let of_all = self.ids.iter().map(|&id| points[id as usize]);
                let before = std::mem::replace(&mut self.points, of_all.collect());
                let both = self.points.iter().zip(before);
                let changes = both.map(|(&after, before)| after as i64 - before as i64);
                self.changes = changes.collect();
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
                    let memory = self.memories[side].clone();
                    self.questions[side] = Question {
                        seen,
                        legal,
                        memory,
                    };
                    self.notice(side);
                    return;
                }
                _ => self.game.ask(&mut self.house, &mut Unobserved),
            }
        }
    }
}

impl turnwise_engine::table::Action for Action {
    /// The code of an action without a number is its index in the list of these actions, and a bid has the next codes.
    /// The highest bids share one code. They are illegal, because no player has that many points.
    fn code(self) -> u64 {
        let place = Action::WITHOUT_NUMBER
            .iter()
            .position(|&action| action == self);
        match (place, self) {
            (Some(place), _) => place as u64,
            (None, Action::Bid(points)) => {
                points.saturating_add(Action::WITHOUT_NUMBER.len() as u64)
            }
            (None, _) => unreachable!("only a bid has a number"),
        }
    }

    fn of_code(code: u64) -> Option<Self> {
        let bid = || code - Action::WITHOUT_NUMBER.len() as u64;
        let action = Action::WITHOUT_NUMBER
            .get(usize::try_from(code).ok()?)
            .copied();
        Some(action.unwrap_or_else(|| Action::Bid(bid())))
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
        Self::seated(rules, seed, seats_of(meetings, rules.seats).to_vec())
    }

    fn in_rotation(rules: &TwentyOne, seed: u64, participants: usize, game: u32) -> Option<Self> {
        let seats = seats_in_rotation(participants as u32, game, rules.seats);
        Some(Self::seated(rules, seed, seats))
    }

    /// Returns the question to the side to move.
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
        rounds.saturating_mul(self.ids.len() as u32 * MOST_ACTIONS)
    }

    /// Returns the moves that an opening may contain: a selection of the legal bids, and Stand if legal.
    ///
    /// Openings consist of these moves, so that a player can know everything about the position after an opening. For
    /// example, no hand is doubled.
    fn legal_moves(&self) -> Vec<Action> {
        let legal = self.game.legal().into_iter();
        let legal = legal.filter(|action| matches!(action, Action::Bid(_) | Action::Stand));
        legal.collect()
    }

    fn is_legal(&self, action: Action) -> bool {
        self.game.check(action).is_ok()
    }

    fn objection(&self, action: Action) -> String {
        let error = self.game.check(action).err();
        error.map_or_else(String::new, |error| error.to_string())
    }

    fn play(&mut self, action: Action) {
        if let Some(side) = self.mover() {
            let seen = &self.questions[side].seen;
            strong::note_action(&mut self.memories[side], seen.id, &seen.hand, action);
        }
        let played = self.game.act(action, &mut Unobserved);
        debug_assert_eq!(played, Ok(()));
        self.go_on();
    }

    /// Puts the side to move out of the game. At a table of two participants, a fault ends the game instead.
    fn put_out(&mut self) -> bool {
        if self.ids.len() == 2 || self.mover().is_none() {
            return false;
        }
        // The fault needs no reason here, because the referee records it.
        let fault = Fault::Failed(String::new());
        self.game.put_out(&fault, &mut Unobserved);
        self.go_on();
        true
    }

    fn notation(&self, action: Action) -> String {
        action.to_string()
    }

    fn parse(&self, text: &str) -> Result<Action, String> {
        text.parse()
    }

    fn grid(&self) -> Grid {
        board::grid(self)
    }

    fn drawing(&self, _coloured: bool) -> String {
        board::list(self)
    }

    fn measured(&self) -> Vec<u32> {
        let points = self.points.iter();
        let points = points.map(|&points| u32::try_from(points).unwrap_or(u32::MAX));
        points.collect()
    }

    fn view(&self, viewer: Option<usize>) -> turnwise_engine::view::View {
        view::of(self, viewer)
    }

    /// Returns the time limits of a move.
    ///
    /// This crate's own players answer at once. For other players, a tenth of the remaining time is ample.
    fn budget(&self, _time: TimeControl, left: Duration) -> (Duration, Duration) {
        (left / 10, left / 2)
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        let mut points = self.points.clone();
        if let Some(side) = at_fault {
            points[side] = 0;
            if let [left, right] = &mut points[..] {
                let other = if side == LEFT { right } else { left };
                *other = (*other).max(self.starting_points);
            }
        }
        Fields::of(&Kept {
            shoe: self.shoe,
            seats: self.seats.clone(),
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
                // The participants swap seats in the second game, so both have had both seats.
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
    fn in_a_rotation_everybody_has_every_seat_once_and_nobody_sits_on_another() {
        for seats in 2..=10 {
            for participants in 2..=seats {
                let mut taken = vec![BTreeMap::new(); participants as usize];
                for game in 0..seats {
                    let mut now = seats_in_rotation(participants, game, seats);
                    for (taken, &seat) in taken.iter_mut().zip(&now) {
                        *taken.entry(seat).or_insert(0) += 1;
                    }
                    now.sort_unstable();
                    now.dedup();
                    assert_eq!(now.len(), participants as usize);
                }
                let once = (1..=seats).map(|seat| (seat, 1)).collect();
                assert!(taken.iter().all(|taken| *taken == once), "{taken:?}");
            }
        }
    }

    #[test]
    fn seats_that_no_table_has_are_refused() {
        let seated = |left, right| Kept {
            seats: vec![left, right],
            ..Kept::default()
        };
        assert_eq!(seated(3, 1).check(3), Ok(()));
        for (left, right) in [(0, 1), (4, 1), (2, 2)] {
            let why = seated(left, right).check(3).expect_err("no seats");
            assert!(why.contains("different seats from 1 to 3"), "{why}");
        }
    }
}
