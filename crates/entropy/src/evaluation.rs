//! The value of a board before the game is over: the sum of a value for every line.
//!
//! A line's value depends on its pattern, the number of tiles on the board and the player to move; on 5 rows it also
//! depends on the distance from the edge. On some board sizes, the sum also contains learned values of other patterns:
//! one for every crossing, or one for every block and, before the draw, for every split block and every gap.

use std::sync::{Arc, OnceLock};

use super::blocks::Blocks;
use super::crossings::Crossings;
use super::forecast::Forecast;
use super::gaps::Gaps;
use super::line_values::{POINT, line_value};
use super::local::Local;
use super::palindromes::line_score;
use super::patterns::{self, LineCode, LineId, Patterns};
use super::rules::{Colour, MAX_SIZE};

/// One shared value for each board size, created at its first use.
pub(super) type KeptBySize<T> = [OnceLock<Arc<T>>; SIZES];
pub(super) const SIZES: usize = MAX_SIZE as usize + 1;

/// The board size, in rows, at which line values depend on the line's distance from the edge.
///
/// On 7 rows, such values make the player weaker, because each value is learned from only a quarter of the lines.
const ROWS_WITH_DISTANCES: u8 = 5;

/// The two moments at which boards are evaluated: before the draw, and before Order's slide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GamePhase {
    /// Order has moved, and a tile is drawn next.
    BeforeDraw,
    /// Chaos has placed a tile, and Order moves next.
    BeforeSlide,
}

impl GamePhase {
    /// Both phases, in the order in which their values are stored.
    pub const ALL: [Self; 2] = [Self::BeforeDraw, Self::BeforeSlide];
}

/// The values of lines and other patterns on boards of one size.
#[derive(Debug)]
pub struct Evaluation {
    name: String,
    size: u8,
    /// The patterns of lines; `None` for boards that are too large for patterns, where [`line_value`] is used.
    patterns: Option<Arc<Patterns>>,
    /// The line values in hundredths of a point, ordered by number of tiles, then phase, then [`LineId`].
    values: Vec<i16>,
    crossings: Option<CrossingValues>,
    local: Option<LocalValues>,
    /// The forecast of final scores from the values of searches, if this evaluation was calibrated.
    pub forecast: Option<Forecast>,
}

/// The crossings of boards with one size, and their values.
#[derive(Debug)]
struct CrossingValues {
    crossings: Arc<Crossings>,
    /// The values in hundredths of a point, ordered by number of tiles, then phase, then crossing.
    values: Vec<i16>,
}

/// The blocks and possibly gaps of boards with one size, and their values.
#[derive(Debug)]
struct LocalValues {
    local: Local,
    /// The values in hundredths of a point, ordered by number of tiles, then phase, then pattern (blocks before gaps).
    values: Vec<i16>,
}

impl LocalValues {
    fn table(&self, tiles: u16, game_phase: GamePhase) -> &[i16] {
        table_of(&self.values, self.local.count(), tiles, game_phase)
    }
}

impl Evaluation {
    fn of_holes(size: u8) -> Self {
        if size > patterns::LONGEST {
            return Self {
                name: "holes".to_owned(),
                size,
                patterns: None,
                values: Vec::new(),
                crossings: None,
                local: None,
                forecast: None,
            };
        }
        let patterns = shared_patterns(size);
        let lines: Vec<i16> = (patterns.lines().iter())
            .map(|line| line_value(line) as i16)
            .collect();
        Self::learned(
            "holes",
            size,
            lines.repeat(number_of_values(size) / lines.len()),
        )
    }

    /// Creates an evaluation with learned line values; `name` appears in logs.
    ///
    /// The values are in hundredths of a point, ordered by number of tiles on the board (from 0 to all), phase
    /// ([`GamePhase::ALL`]) and [`LineId`]. On a full board, the value of a line is its score, whatever `values`
    /// contains.
    ///
    /// # Panics
    ///
    /// Panics if the number of values is wrong.
    pub fn learned(name: &str, size: u8, mut values: Vec<i16>) -> Self {
        let patterns = shared_patterns(size);
        let full = usize::from(size) * usize::from(size);
        assert_eq!(
            values.len(),
            number_of_values(size),
            "values for {size} rows"
        );
        let last = &mut values[full * GamePhase::ALL.len() * number_of_line_ids(size)..];
        for (value, line) in last.iter_mut().zip(patterns.lines().iter().cycle()) {
            *value = (line_score(line) as i32 * POINT) as i16;
        }
        Self {
            name: name.to_owned(),
            size,
            patterns: Some(patterns),
            values,
            crossings: None,
            local: None,
            forecast: None,
        }
    }

    /// Creates an evaluation from all values in the order of a weights file.
    ///
    /// The line values come first. Further values belong to crossings if the board size can use them, and otherwise to
    /// blocks and possibly gaps.
    ///
    /// # Panics
    ///
    /// Panics if the number of values is wrong.
    pub fn of_all_values(name: &str, size: u8, mut values: Vec<i16>) -> Self {
        let others = values.split_off(number_of_values(size));
        let learned = Self::learned(name, size, values);
        match others.is_empty() {
            true => learned,
            false if Crossings::shared(size).is_some() => learned.with_crossings(others),
            false => learned.with_local(others),
        }
    }

    /// Adds values of crossings to the evaluation.
    ///
    /// The values are in hundredths of a point, ordered by number of tiles on the board (from 0 to all), phase
    /// ([`GamePhase::ALL`]) and crossing.
    ///
    /// # Panics
    ///
    /// Panics if the number of values is wrong, or if the board size cannot use crossings.
    pub fn with_crossings(self, values: Vec<i16>) -> Self {
        assert_eq!(Some(values.len()), number_of_crossing_values(self.size));
        let crossings = Crossings::shared(self.size).expect("a size with crossings");
        Self {
            crossings: Some(CrossingValues { crossings, values }),
            ..self
        }
    }

    /// Adds values of blocks and possibly gaps to the evaluation.
    ///
    /// The values are in hundredths of a point, ordered by number of tiles on the board (from 0 to all), phase
    /// ([`GamePhase::ALL`]) and pattern, blocks first. The number of values determines which blocks and gaps have
    /// values. Split blocks and gaps count only before the draw, whatever `values` contains.
    ///
    /// # Panics
    ///
    /// Panics if the number of values is wrong, or if the board size cannot use blocks.
    pub fn with_local(self, values: Vec<i16>) -> Self {
        let mut choices = Local::choices(self.size).into_iter();
        let local = choices.find(|local| values.len() == number_of_local_values(self.size, local));
        let local = local.expect("as many values as blocks and gaps have");
        let local = LocalValues { local, values };
        Self {
            local: Some(local),
            ..self
        }
    }

    /// Returns the name by which logs identify the evaluation.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of rows of the boards that this evaluation is for.
    pub fn size(&self) -> u8 {
        self.size
    }

    /// Returns the patterns of lines, or `None` if the lines are too long for patterns.
    pub fn patterns(&self) -> Option<&Patterns> {
        self.patterns.as_deref()
    }

    /// Returns the line values for a number of tiles and a phase, indexed by [`LineId`]. The table is empty if lines
    /// are too long for patterns.
    pub fn table(&self, tiles: u16, game_phase: GamePhase) -> &[i16] {
        let Some(patterns) = &self.patterns else {
            return &[];
        };
        table_of(&self.values, patterns.number_of_ids(), tiles, game_phase)
    }

    fn is_full(&self, tiles: u16) -> bool {
        tiles == u16::from(self.size) * u16::from(self.size)
    }

    /// Returns the crossings and their values for a number of tiles and a phase, if crossings have values.
    ///
    /// On a full board, crossings have no values.
    pub fn crossings(&self, tiles: u16, game_phase: GamePhase) -> Option<(&Crossings, &[i16])> {
        let CrossingValues { crossings, values } = self.crossings.as_ref()?;
        let table = table_of(values, crossings.count(), tiles, game_phase);
        (!self.is_full(tiles)).then_some((crossings, table))
    }

    /// Returns all blocks that have values in at least one phase, if there are any.
    pub fn numbered_blocks(&self) -> Option<&Blocks> {
        Some(self.local.as_ref()?.local.all_blocks())
    }

    /// Returns the blocks and their values for a number of tiles and a phase, if blocks have values.
    ///
    /// On a full board, blocks have no values.
    pub fn blocks(&self, tiles: u16, game_phase: GamePhase) -> Option<(&Blocks, &[i16])> {
        let values = self.local.as_ref()?;
        let blocks = values.local.blocks(game_phase);
        let table = &values.table(tiles, game_phase)[..blocks.count()];
        (!self.is_full(tiles)).then_some((blocks, table))
    }

    /// Returns the gaps and their values for a number of tiles and a phase, if gaps have values.
    ///
    /// Gaps have values only before the draw and until the board is full.
    pub fn gaps(&self, tiles: u16, game_phase: GamePhase) -> Option<(&Gaps, &[i16])> {
        let values = self.local.as_ref()?;
        let gaps = values.local.gaps(game_phase)?;
        let table = &values.table(tiles, game_phase)[values.local.all_blocks().count()..];
        (!self.is_full(tiles)).then_some((gaps, table))
    }

    /// Returns the bits that a color in a cell adds to the line's code, or 0 if lines are too long for patterns.
    pub fn code(&self, at: u8, colour: Colour) -> LineCode {
        match self.patterns {
            Some(_) => patterns::code(at, colour),
            None => 0,
        }
    }

    /// Returns the code of an empty line; rows are numbered first, then columns.
    pub fn empty_line(&self, line: u8) -> LineCode {
        match self.patterns {
            Some(_) => patterns::empty_line(self.size, distance(self.size, line)),
            None => 0,
        }
    }

    /// Returns the index of a line's value in a [`table`](Self::table), given the line's code.
    pub fn line_id(&self, code: LineCode) -> LineId {
        match &self.patterns {
            Some(patterns) => patterns.id(code),
            None => 0,
        }
    }
}

/// Returns how many distances from the edge have their own line values, on boards with `size` rows.
pub(super) fn distances(size: u8) -> usize {
    match size {
        ROWS_WITH_DISTANCES => usize::from(size.div_ceil(2)),
        _ => 1,
    }
}

/// Returns the distance from the edge that determines a line's value, or 0 on boards where distance does not matter.
///
/// Rows are numbered first, then columns.
fn distance(size: u8, line: u8) -> usize {
    let at = line % size;
    usize::from(at.min(size - 1 - at)).min(distances(size) - 1)
}

/// Returns the number of line values in one table, for boards with `size` rows.
pub fn number_of_line_ids(size: u8) -> usize {
    shared_patterns(size).number_of_ids()
}

/// Returns the number of line values in all tables together, for boards with `size` rows.
pub fn number_of_values(size: u8) -> usize {
    number_of_tables(size) * number_of_line_ids(size)
}

/// Returns the table for a number of tiles and a phase from `values`, which consists of tables with `count` values
/// each.
fn table_of(values: &[i16], count: usize, tiles: u16, game_phase: GamePhase) -> &[i16] {
    let number = usize::from(tiles) * GamePhase::ALL.len() + game_phase as usize;
    &values[number * count..][..count]
}

/// Returns the number of tables of values. Each number of tiles has a table for each phase.
fn number_of_tables(size: u8) -> usize {
    GamePhase::ALL.len() * (usize::from(size) * usize::from(size) + 1)
}

/// Returns the number of crossing values for boards of a size, or `None` if their evaluation cannot use crossings.
pub(super) fn number_of_crossing_values(size: u8) -> Option<usize> {
    Crossings::shared(size).map(|crossings| number_of_tables(size) * crossings.count())
}

/// Returns the possible numbers of values that an evaluation has beside its line values, for boards of a size.
///
/// These numbers are 0, the number of crossing values, and the number for each [choice](Local::choices) of blocks and
/// gaps.
pub(super) fn numbers_of_other_values(size: u8) -> impl Iterator<Item = usize> {
    let local = Local::choices(size).into_iter();
    let local = local.map(move |local| number_of_local_values(size, &local));
    [Some(0), number_of_crossing_values(size)]
        .into_iter()
        .flatten()
        .chain(local)
}

/// Returns the number of values in all tables of these blocks and gaps, for boards of a size.
pub(super) fn number_of_local_values(size: u8, local: &Local) -> usize {
    number_of_tables(size) * local.count()
}

/// Returns the shared evaluation that counts runs with holes. It does not depend on the phase.
///
/// The baseline `holes` uses this evaluation, and so does the search agent on board sizes without weights.
pub fn by_holes(size: u8) -> Arc<Evaluation> {
    static KNOWN: KeptBySize<Evaluation> = [const { OnceLock::new() }; SIZES];
    let known = KNOWN[usize::from(size)].get_or_init(|| Arc::new(Evaluation::of_holes(size)));
    Arc::clone(known)
}

/// Returns the shared line patterns for boards of a size.
fn shared_patterns(size: u8) -> Arc<Patterns> {
    static KNOWN: KeptBySize<Patterns> = [const { OnceLock::new() }; SIZES];
    let known = KNOWN[usize::from(size)]
        .get_or_init(|| Arc::new(Patterns::new(size).at_distances(distances(size))));
    Arc::clone(known)
}
