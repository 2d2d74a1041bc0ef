//! The referee's table of MasterChef.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::table::Table;

use crate::decimal::Scaled;
use crate::input::{self, Pool};
use crate::pools::{self, Attributes, Family};
use crate::rules::{BONUS, Captain, Draft, TEAM_SIZE};

/// What is settled about a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Where pools come from.
    pub family: Family,
    /// Contestants of a pool.
    pub pool: u32,
}

/// The most that a team can be worth: five contestants of 200 points, and the bonus.
pub(super) const MOST_POWER: f64 = (200 * TEAM_SIZE as u32 + BONUS) as f64;

/// What the log keeps of a game besides its players and moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The contestants as the assignment's input file has them, none of them picked.
    pub pool: Vec<String>,
    /// Power of A's team less that of Bob's, in hundredths of a point; if one was at fault, that
    /// captain's team is worth nothing and the other's the most that a team can be worth.
    pub a_score: f64,
}

impl Kept {
    /// The draft that begins with the pool. An error if it is no pool.
    pub fn draft(&self) -> Result<Draft, String> {
        let text = format!("{}\nab\n{}\n", self.pool.len(), self.pool.join("\n"));
        let input = input::parse(text.as_bytes()).map_err(|error| format!("the pool: {error}"))?;
        match input.pool {
            Pool::Usual(draft) if draft.picks_left() == 2 * TEAM_SIZE => Ok(draft),
            Pool::Usual(_) => Err("the pool: expected nobody to be picked".to_owned()),
            Pool::Long(_) | Pool::Longest(_) => {
                Err("the pool: expected at most six decimals of each number".to_owned())
            }
        }
    }
}

/// What both captains see: the pool, and who has picked whom.
#[derive(Clone)]
pub struct Position {
    /// Ascending by ID, as in the draft.
    pub(super) pool: Arc<[Attributes]>,
    pub(super) draft: Draft,
    /// Whom the captain who is not to move picked last.
    pub(super) newest: Option<usize>,
}

impl Position {
    /// The captain to move.
    ///
    /// # Panics
    /// If both teams are complete: nobody is asked then.
    pub(super) fn captain(&self) -> Captain {
        self.draft.turn().expect("somebody is to move")
    }

    pub(super) fn id(&self, index: usize) -> u32 {
        self.draft.contestants()[index].id
    }
}

/// A draft under way. A move is the ID of whom a captain picks.
pub struct MasterChefTable(Position);

impl MasterChefTable {
    /// The index of a contestant who may be picked, or why not.
    fn pickable(&self, id: u32) -> Result<usize, String> {
        let draft = &self.0.draft;
        let index = draft
            .find(id)
            .ok_or_else(|| "no contestant has this ID".to_owned())?;
        match draft.owner(index) {
            None => Ok(index),
            Some(captain) => Err(format!("already in the team of {}", captain.name())),
        }
    }
}

impl Table for MasterChefTable {
    type Rules = Settings;
    type Position = Position;
    type Move = u32;

    fn new(settings: &Settings, seed: u64) -> Self {
        let mut pool = settings.family.pool(settings.pool as usize, seed);
        pool.sort_unstable_by_key(|attributes| attributes.id);
        Self(Position {
            draft: pools::draft(&pool),
            pool: pool.into(),
            newest: None,
        })
    }

    fn position(&self) -> &Position {
        &self.0
    }

    fn turn(&mut self) -> Option<usize> {
        self.0.draft.turn().map(Captain::index)
    }

    fn plies_left(&self) -> u32 {
        self.0.draft.picks_left() as u32
    }

    fn legal_moves(&self) -> Vec<u32> {
        let draft = &self.0.draft;
        draft.free().map(|index| self.0.id(index)).collect()
    }

    fn is_legal(&self, id: u32) -> bool {
        self.pickable(id).is_ok()
    }

    fn objection(&self, id: u32) -> Option<String> {
        self.pickable(id).err()
    }

    fn play(&mut self, id: u32) {
        let Ok(index) = self.pickable(id) else {
            return;
        };
        self.0.draft.pick(index);
        self.0.newest = Some(index);
    }

    fn notation(&self, id: u32) -> String {
        id.to_string()
    }

    /// The first picks are the hardest to search, and each of the next ones takes a small part of that.
    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        let is_last = self.0.draft.picks_left() <= 2;
        let (soft, hard) = match time {
            TimeControl::Clock { .. } if !is_last => (0.25, 0.5),
            _ => (0.5, 0.9),
        };
        (left.mul_f64(soft), left.mul_f64(hard))
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        let draft = &self.0.draft;
        let a_score = match at_fault {
            None => hundredths(draft.points(draft.advantage())),
            Some(0) => -MOST_POWER,
            Some(_) => MOST_POWER,
        };
        let lines = self.0.pool.iter().map(|one| format!("{one},0"));
        Fields::of(&Kept {
            pool: lines.collect(),
            a_score,
        })
    }
}

/// Rounded to hundredths; nothing is never negative.
fn hundredths(points: Scaled) -> f64 {
    (points.approximate() * 100.0).round() / 100.0 + 0.0
}
