//! Replays a draft from a log, pick by pick.

use std::fmt::Write;

use turnwise_engine::plugin::{Board, Moved};

use crate::rules::{Captain, Draft, TEAM_SIZE};

/// The number of columns of the grid, which has a column for each last digit.
const DIGITS: usize = 10;

/// The symbol of a free contestant on the grid.
const FREE: char = '·';

/// A logged draft at one point in the replay.
///
/// On the grid, each contestant has a cell in the column for the last digit of the ID. In a column, IDs ascend from top
/// to bottom.
#[derive(Clone)]
pub(super) struct LoggedDraft {
    /// The draft, or `None` if the log has no pool.
    draft: Option<Draft>,
    last: Option<usize>,
}

impl LoggedDraft {
    pub fn new(draft: Option<Draft>) -> Self {
        Self { draft, last: None }
    }

    /// Returns the grid's contestants row by row, with `None` where a column is shorter than others.
    fn cells(&self) -> Vec<Option<usize>> {
        let mut columns = [const { Vec::new() }; DIGITS];
        let contestants = self.draft.iter().flat_map(Draft::contestants);
        for (index, contestant) in contestants.enumerate() {
            columns[contestant.digit()].push(index);
        }
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let row = |row: usize| columns.iter().map(move |column| column.get(row).copied());
        (0..rows).flat_map(row).collect()
    }

    /// Returns the result of `of` for every cell. For a cell with a contestant, `of` receives the draft and the
    /// contestant's index.
    fn of_cells<T>(&self, of: impl Fn(Option<(&Draft, usize)>) -> T) -> impl Iterator<Item = T> {
        let cells = self.cells().into_iter();
        cells.map(move |cell| of(self.draft.as_ref().zip(cell)))
    }
}

impl Board for LoggedDraft {
    fn follow(&mut self, text: &str) -> Result<Moved, String> {
        let draft = self.draft.as_mut().ok_or("the log has no pool")?;
        let captain = draft.turn().ok_or("both teams are complete")?;
        let found = text.parse().ok().and_then(|id| draft.find(id));
        let index = found.ok_or("expected the ID of a contestant of the pool")?;
        if let Some(owner) = draft.owner(index) {
            return Err(format!("{text} is in the team of {} already", owner.name()));
        }
        draft.pick(index);
        self.last = Some(index);
        let cell = self.cells().iter().position(|&cell| cell == Some(index));
        Ok(Moved {
            side: captain.index(),
            tile: Some(letter(captain)),
            from: None,
            to: cell,
        })
    }

    /// Lists all contestants with their IDs, their worth to each captain and their owners, and marks the last pick.
    fn text(&self, _coloured: bool) -> String {
        let Some(draft) = &self.draft else {
            return String::new();
        };
        let mut text = format!("  {:>5}  {:>8}  {:>8}\n", "ID", "to A", "to Bob");
        for (index, contestant) in draft.contestants().iter().enumerate() {
            let [a, b] = contestant.gain.map(|gain| draft.points(gain).approximate());
            let mark = if self.last == Some(index) { '>' } else { ' ' };
            let owner = draft.owner(index).map_or("", Captain::name);
            let line = format!("{mark} {:>5}  {a:>8.2}  {b:>8.2}  {owner}", contestant.id);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    fn columns(&self) -> usize {
        DIGITS
    }

    fn letters(&self) -> String {
        let of = |(draft, index): (&Draft, usize)| draft.owner(index).map_or(FREE, letter);
        let cells = self.of_cells(|cell| cell.map_or(' ', of));
        cells.collect()
    }

    /// Returns the contestant's ID for each cell, or an empty text for a cell without a contestant.
    fn names(&self) -> Vec<String> {
        let id = |(draft, index): (&Draft, usize)| draft.contestants()[index].id.to_string();
        let cells = self.of_cells(|cell| cell.map(id).unwrap_or_default());
        cells.collect()
    }

    /// Returns the power of both teams, in whole points.
    fn measured(&self) -> Vec<u32> {
        let power = |captain| {
            let draft = self.draft.as_ref()?;
            let is_complete = draft.team(captain).count() == TEAM_SIZE;
            let power = match is_complete {
                true => draft.power(captain),
                false => draft.strength(captain),
            };
            Some(draft.points(power).approximate().round() as u32)
        };
        let powers = Captain::BOTH.map(|captain| power(captain).unwrap_or(0));
        powers.to_vec()
    }
}

/// Returns the letter that marks a captain's contestants on the grid.
fn letter(captain: Captain) -> char {
    ['A', 'B'][captain.index()]
}
