//! What a board is worth before the game is over: a value for every line, by its pattern, by the
//! number of tiles on the board and by whose turn it is, on 5 rows also by its distance from the edge,
//! summed up; where they are known, with a value for the crossing in every cell, or for every block of cells and,
//! before the draw, for every split block and every gap.

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

/// What is made for a board's size when first asked for.
pub(super) type KeptBySize<T> = [OnceLock<Arc<T>>; SIZES];
pub(super) const SIZES: usize = MAX_SIZE as usize + 1;

/// Rows of the boards whose lines are worth something else at each distance from the edge. On 7 rows
/// values by distance play worse: each is learned from a quarter of the lines.
const ROWS_WITH_DISTANCES: u8 = 5;

/// Before the draw or before Order's slide: the two moments at which boards are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GamePhase {
    /// Order has moved; a tile is drawn next.
    BeforeDraw,
    /// Chaos has placed; Order moves next.
    BeforeSlide,
}

impl GamePhase {
    /// Both, in the order in which tables hold them.
    pub const ALL: [Self; 2] = [Self::BeforeDraw, Self::BeforeSlide];
}

/// Values of lines, for boards of one size.
#[derive(Debug)]
pub struct Evaluation {
    name: String,
    size: u8,
    /// None for boards too large; there every line is worth what its holes credit.
    patterns: Option<Arc<Patterns>>,
    /// In hundredths of a point, by tiles on the board, phase and [`LineId`].
    values: Vec<i16>,
    crossings: Option<CrossingValues>,
    local: Option<LocalValues>,
    /// What final scores the values stand for, if that was measured.
    pub forecast: Option<Forecast>,
}

/// All crossings, and what each is worth.
#[derive(Debug)]
struct CrossingValues {
    crossings: Arc<Crossings>,
    /// In hundredths of a point, by tiles on the board, phase and crossing.
    values: Vec<i16>,
}

/// Blocks and perhaps gaps, and what each is worth.
#[derive(Debug)]
struct LocalValues {
    local: Local,
    /// In hundredths of a point, by tiles on the board, phase and pattern, those of blocks first.
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

    /// Lines worth what was learned, under a name for logs: values in hundredths of a point, by tiles
    /// on the board (from 0 to all), by phase ([`GamePhase::ALL`]) and by [`LineId`].
    ///
    /// Once all tiles are placed a line is worth its score, whatever the values say.
    ///
    /// # Panics
    ///
    /// If there are more or fewer values than that.
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

    /// The same of all values in the order of a weights file: those of lines and then, where there are any, those
    /// of crossings on boards whose crossings have numbers, or else those of blocks and perhaps gaps.
    ///
    /// # Panics
    ///
    /// If there are more or fewer values than that.
    pub fn of_all_values(name: &str, size: u8, mut values: Vec<i16>) -> Self {
        let others = values.split_off(number_of_values(size));
        let learned = Self::learned(name, size, values);
        match others.is_empty() {
            true => learned,
            false if Crossings::shared(size).is_some() => learned.with_crossings(others),
            false => learned.with_local(others),
        }
    }

    /// The same with values of crossings, in hundredths of a point, by tiles on the board (from 0 to all),
    /// by phase ([`GamePhase::ALL`]) and by crossing.
    ///
    /// # Panics
    ///
    /// If there are more or fewer values than that, or crossings on boards of this size have no numbers.
    pub fn with_crossings(self, values: Vec<i16>) -> Self {
        assert_eq!(Some(values.len()), number_of_crossing_values(self.size));
        let crossings = Crossings::shared(self.size).expect("a size with crossings");
        Self {
            crossings: Some(CrossingValues { crossings, values }),
            ..self
        }
    }

    /// The same with values of blocks and perhaps gaps, in hundredths of a point, by tiles on the board (from 0 to all),
    /// by phase ([`GamePhase::ALL`]) and by pattern, those of blocks first; which of them have values is told by how
    /// many there are. Split blocks and gaps count before the draw only, whatever the values say.
    ///
    /// # Panics
    ///
    /// If there are more or fewer values than that, or blocks on boards of this size have no numbers.
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

    /// What it is called in logs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Rows of the boards that are evaluated.
    pub fn size(&self) -> u8 {
        self.size
    }

    /// The patterns whose values are tabled, if lines are short enough for it.
    pub fn patterns(&self) -> Option<&Patterns> {
        self.patterns.as_deref()
    }

    /// The values by [`LineId`] at a phase with so many tiles on the board; empty without patterns.
    pub fn table(&self, tiles: u16, game_phase: GamePhase) -> &[i16] {
        let Some(patterns) = &self.patterns else {
            return &[];
        };
        table_of(&self.values, patterns.number_of_ids(), tiles, game_phase)
    }

    fn is_full(&self, tiles: u16) -> bool {
        tiles == u16::from(self.size) * u16::from(self.size)
    }

    /// The numbers of crossings and their values with so many tiles on the board, if they have any; once all
    /// are placed, they have none.
    pub fn crossings(&self, tiles: u16, game_phase: GamePhase) -> Option<(&Crossings, &[i16])> {
        let CrossingValues { crossings, values } = self.crossings.as_ref()?;
        let table = table_of(values, crossings.count(), tiles, game_phase);
        (!self.is_full(tiles)).then_some((crossings, table))
    }

    /// All blocks of a board that have values at any phase, if there are any.
    pub fn numbered_blocks(&self) -> Option<&Blocks> {
        Some(self.local.as_ref()?.local.all_blocks())
    }

    /// The blocks of a board and their values with so many tiles on it, if they have any; once all are placed,
    /// they have none.
    pub fn blocks(&self, tiles: u16, game_phase: GamePhase) -> Option<(&Blocks, &[i16])> {
        let values = self.local.as_ref()?;
        let blocks = values.local.blocks(game_phase);
        let table = &values.table(tiles, game_phase)[..blocks.count()];
        (!self.is_full(tiles)).then_some((blocks, table))
    }

    /// The gaps of a board and their values with so many tiles on it, if they have any: before the draw, and while
    /// there are gaps.
    pub fn gaps(&self, tiles: u16, game_phase: GamePhase) -> Option<(&Gaps, &[i16])> {
        let values = self.local.as_ref()?;
        let gaps = values.local.gaps(game_phase)?;
        let table = &values.table(tiles, game_phase)[values.local.all_blocks().count()..];
        (!self.is_full(tiles)).then_some((gaps, table))
    }

    /// What a colour on a cell adds to its line's code; nothing without patterns.
    pub fn code(&self, at: u8, colour: Colour) -> LineCode {
        match self.patterns {
            Some(_) => patterns::code(at, colour),
            None => 0,
        }
    }

    /// The code of an empty line, rows first and then columns.
    pub fn empty_line(&self, line: u8) -> LineCode {
        match self.patterns {
            Some(_) => patterns::empty_line(self.size, distance(self.size, line)),
            None => 0,
        }
    }

    /// What a line has its value by, by its code.
    pub fn line_id(&self, code: LineCode) -> LineId {
        match &self.patterns {
            Some(patterns) => patterns.id(code),
            None => 0,
        }
    }
}

/// At how many distances from the edge lines have values of their own, on boards of a size.
pub(super) fn distances(size: u8) -> usize {
    match size {
        ROWS_WITH_DISTANCES => usize::from(size.div_ceil(2)),
        _ => 1,
    }
}

/// The distance from the edge by which a line is valued, rows first and then columns; 0 for all where
/// distances do not count.
fn distance(size: u8, line: u8) -> usize {
    let at = line % size;
    usize::from(at.min(size - 1 - at)).min(distances(size) - 1)
}

/// How many lines have values of their own, on boards of a size.
pub fn number_of_line_ids(size: u8) -> usize {
    shared_patterns(size).number_of_ids()
}

/// How many values of lines there are for boards of a size.
pub fn number_of_values(size: u8) -> usize {
    number_of_tables(size) * number_of_line_ids(size)
}

/// The table for a number of tiles at a phase, among tables of so many values each.
fn table_of(values: &[i16], count: usize, tiles: u16, game_phase: GamePhase) -> &[i16] {
    let number = usize::from(tiles) * GamePhase::ALL.len() + game_phase as usize;
    &values[number * count..][..count]
}

/// The numbers of tiles, each at both phases.
fn number_of_tables(size: u8) -> usize {
    GamePhase::ALL.len() * (usize::from(size) * usize::from(size) + 1)
}

/// How many values of crossings there are for boards of a size; none if they have no numbers.
pub(super) fn number_of_crossing_values(size: u8) -> Option<usize> {
    Crossings::shared(size).map(|crossings| number_of_tables(size) * crossings.count())
}

/// How many values there can be besides those of lines, for boards of a size: none, those of crossings, or those of
/// each [choice](Local::choices) of blocks and gaps.
pub(super) fn numbers_of_other_values(size: u8) -> impl Iterator<Item = usize> {
    let local = Local::choices(size).into_iter();
    let local = local.map(move |local| number_of_local_values(size, &local));
    [Some(0), number_of_crossing_values(size)]
        .into_iter()
        .flatten()
        .chain(local)
}

/// How many values of such blocks and gaps there are for boards of a size.
pub(super) fn number_of_local_values(size: u8, local: &Local) -> usize {
    number_of_tables(size) * local.count()
}

/// Lines worth what their holes credit, whatever the phase: what `holes` plays by, and every board
/// without weights of its own. Made when first asked for and kept for all who ask again.
pub fn by_holes(size: u8) -> Arc<Evaluation> {
    static KNOWN: KeptBySize<Evaluation> = [const { OnceLock::new() }; SIZES];
    let known = KNOWN[usize::from(size)].get_or_init(|| Arc::new(Evaluation::of_holes(size)));
    Arc::clone(known)
}

/// The patterns of boards of each size, made when first asked for and kept for all who ask again.
fn shared_patterns(size: u8) -> Arc<Patterns> {
    static KNOWN: KeptBySize<Patterns> = [const { OnceLock::new() }; SIZES];
    let known = KNOWN[usize::from(size)]
        .get_or_init(|| Arc::new(Patterns::new(size).at_distances(distances(size))));
    Arc::clone(known)
}
