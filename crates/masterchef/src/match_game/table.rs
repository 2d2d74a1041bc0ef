//! The referee's table, where two captains draft their teams.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::TimeControl;
use turnwise_engine::table::Table;
use turnwise_engine::view::{Grid, View};

use super::{board, view};
use crate::decimal::Scaled;
use crate::input;
use crate::pools::{Attributes, DECIMALS, Family};
use crate::rules::{BONUS, Captain, Draft, TEAM_SIZE};

/// The settings of a match: which random pools it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The family from which the pools are drawn.
    pub family: Family,
    /// The number of contestants in each pool.
    pub pool: u32,
}

/// The maximum number of contestants in a match.
pub(super) const LARGEST_POOL: usize = 200;

/// The number of lines that precede the contestants in an input file.
const HEAD_LINES: usize = 2;

/// The maximum power of a team: five contestants of 200 points, and the bonus.
pub(super) const MOST_POWER: f64 = (200 * TEAM_SIZE as u32 + BONUS) as f64;

/// The data that a log stores about a game in addition to its players and moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The contestants in the format of the assignment's input file.
    ///
    /// They include the picks made before the first move. Such picks exist only if the draft began in a given position.
    pub pool: Vec<String>,
    /// The power of A's team minus the power of Bob's, in points with two decimals.
    ///
    /// If a captain broke the rules or its program failed, that captain's team counts zero, and the other team counts
    /// as having the maximum power.
    pub a_score: f64,
    /// True if the draft began in a given position instead of a drawn pool.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_set_up: bool,
}

impl Kept {
    /// Returns the table at the beginning of the draft, or an error if the data is invalid.
    pub fn beginning(&self, settings: &Settings) -> Result<MasterChefTable, String> {
        let contestants = self.pool.len();
        if !self.is_set_up && contestants != settings.pool as usize {
            let of = settings.pool;
            return Err(format!(
                "a pool of {contestants} in a match with pools of {of}"
            ));
        }
        let text = format!("{contestants}\nab\n{}\n", self.pool.join("\n"));
        let table = MasterChefTable::set_up(&text).map_err(|error| format!("the pool: {error}"))?;
        if !self.is_set_up && table.0.draft.picks_left() != 2 * TEAM_SIZE {
            return Err("the pool: expected nobody to be picked".to_owned());
        }
        Ok(MasterChefTable(Position {
            is_set_up: self.is_set_up,
            ..table.0
        }))
    }
}

/// The position that both captains see: the pool and the picks made so far.
#[derive(Clone)]
pub struct Position {
    /// The contestants' attributes, ascending by ID, as in the draft.
    pub(super) pool: Arc<[Attributes]>,
    pub(super) draft: Draft,
    /// The index of the contestant that was picked last, or `None` if it is unknown or nobody has been picked.
    pub(super) newest: Option<usize>,
    /// The owner that each contestant had at the beginning of the draft, in the order of the pool.
    begun: Arc<[Option<Captain>]>,
    is_set_up: bool,
}

impl Position {
    fn new(mut pool: Vec<(Attributes, Option<Captain>)>, is_set_up: bool) -> Self {
        pool.sort_unstable_by_key(|(attributes, _)| attributes.id);
        let contestants = pool.iter().map(|(one, owner)| (one.contestant(), *owner));
        let draft = Draft::new(contestants.collect(), DECIMALS);
        let (pool, begun): (Vec<_>, Vec<_>) = pool.into_iter().unzip();
        Self {
            pool: pool.into(),
            draft,
            newest: None,
            begun: begun.into(),
            is_set_up,
        }
    }

    /// Returns the captain to move.
    ///
    /// # Panics
    /// Panics if both teams are complete. Callers use this method only while picks are left.
    pub(super) fn captain(&self) -> Captain {
        self.draft.turn().expect("somebody is to move")
    }

    pub(super) fn id(&self, index: usize) -> u32 {
        self.draft.contestants()[index].id
    }
}

/// A draft in progress. A move is the ID of the picked contestant.
pub struct MasterChefTable(Position);

impl MasterChefTable {
    /// Reads a draft from the text of an input file of the assignment. It may be Bob's turn.
    ///
    /// Numbers may have at most six decimals. Returns an error if the file is invalid or has more contestants than a
    /// match allows.
    pub(super) fn set_up(text: &str) -> Result<Self, String> {
        // The number of contestants is checked before they are read, so that a hostile text cannot take much memory.
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let contestants = lines.count().saturating_sub(HEAD_LINES);
        if contestants > LARGEST_POOL {
            return Err(format!(
                "expected at most {LARGEST_POOL} contestants, got {contestants}"
            ));
        }
        let pool = input::parse_attributes(text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(Self(Position::new(pool, true)))
    }

    /// Returns the position as text for [`MasterChefTable::set_up`], or `None` after the last pick.
    pub(super) fn set_up_text(&self) -> Option<String> {
        let Position { pool, draft, .. } = &self.0;
        draft.turn()?;
        let owners = (0..pool.len()).map(|index| draft.owner(index));
        let lines = lines(pool, owners).join("\n");
        Some(format!("{}\nab\n{lines}\n", pool.len()))
    }

    /// Returns the index of the free contestant with this ID, or the reason why it cannot be picked.
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
        let pool = settings.family.pool(settings.pool as usize, seed);
        Self(Position::new(
            pool.into_iter().map(|one| (one, None)).collect(),
            false,
        ))
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

    fn objection(&self, id: u32) -> String {
        self.pickable(id).err().unwrap_or_default()
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

    fn parse(&self, text: &str) -> Result<u32, String> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let id = text.parse().ok().filter(|_| is_number);
        id.ok_or_else(|| "expected the ID of a contestant".to_owned())
    }

    fn cells(&self, id: u32) -> [Option<usize>; 2] {
        let index = self.0.draft.find(id);
        let cell = index.and_then(|index| board::cell_of(&self.0.draft, index));
        [None, cell]
    }

    fn grid(&self) -> Grid {
        board::grid(&self.0.draft)
    }

    fn drawing(&self, _coloured: bool) -> String {
        board::list(&self.0.draft, self.0.newest)
    }

    /// Returns the power of both teams, in whole points.
    fn measured(&self) -> Vec<u32> {
        let powers = Captain::BOTH.map(|captain| view::worth(&self.0.draft, captain));
        powers.map(|power| power.round() as u32).to_vec()
    }

    fn view(&self, viewer: Option<usize>) -> View {
        view::of(&self.0.draft, viewer)
    }

    /// Gives each pick a share of the remaining time, so that the first picks, the hardest ones, get the most.
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
        Fields::of(&Kept {
            pool: lines(&self.0.pool, self.0.begun.iter().copied()),
            a_score,
            is_set_up: self.0.is_set_up,
        })
    }
}

/// Returns a line for each contestant, in the format of the assignment's input file.
fn lines(pool: &[Attributes], owners: impl Iterator<Item = Option<Captain>>) -> Vec<String> {
    let state = |owner: Option<Captain>| owner.map_or(0, |captain| captain.index() + 1);
    let lines = pool.iter().zip(owners);
    lines
        .map(|(one, owner)| format!("{one},{}", state(owner)))
        .collect()
}

/// Rounds points to two decimals, and never returns a negative zero.
pub(super) fn hundredths(points: Scaled) -> f64 {
    (points.approximate() * 100.0).round() / 100.0 + 0.0
}
