//! What somebody at a table sees, as values that any front end can draw: a board of cells, cards, facts, and
//! what the player to move may do.

use serde::Serialize;

/// A position as one viewer sees it. Nothing is in it that is hidden from that viewer.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct View {
    /// The situation in a sentence, which screen readers say.
    pub caption: String,
    /// The board, if the game has one.
    pub grid: Option<Grid>,
    /// Rows of cards: hands, persons, teams.
    pub panels: Vec<Panel>,
    /// What else is to be known: the bag, points, the round.
    pub facts: Vec<Fact>,
    /// What may be played; empty if the viewer is not to move. A game with very many moves may list some of
    /// them: what may be played is decided by [`Table::parse`](crate::table::Table::parse).
    pub choices: Vec<Choice>,
}

/// A board of cells, numbered from 0 row by row.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Grid {
    /// Cells in a row.
    pub columns: usize,
    /// The letters on the cells, with a blank for nothing, as in [`Board::letters`](crate::plugin::Board::letters).
    pub letters: String,
    /// What the cells are called; empty if they go by row and column.
    pub names: Vec<String>,
    /// Areas of the board, a letter for each cell with a blank for none; empty if there are none.
    pub areas: String,
    /// Runs of cells that score.
    pub scoring: Vec<ScoringRun>,
    /// The letters that may be put on cells when a position is set up by hand; empty if there is no text of a
    /// position that consists of the board's rows, with a dot for nothing, and of lines such as `name: value`.
    pub palette: String,
}

/// Cells that earn points together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScoringRun {
    /// The cells in their order.
    pub cells: Vec<usize>,
    /// The points they earn for the first role.
    pub points: u32,
}

/// Cards that belong together.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Panel {
    /// Whose cards these are, or what they are.
    pub title: String,
    /// The cards in their order.
    pub cards: Vec<Card>,
}

/// What a card is at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CardState {
    /// It is open or free.
    #[default]
    Open,
    /// It lies face down, or is ruled out.
    Down,
    /// It is the first role's.
    First,
    /// It is the second role's.
    Second,
}

/// A card as it is shown: a name, lines below it, and a state.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Card {
    /// What is written large.
    pub name: String,
    /// What is written small, a line each.
    pub lines: Vec<String>,
    /// The card's state at the moment.
    pub state: CardState,
}

/// Something to be known, such as "tiles in the bag" and "A 3, B 2".
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What the fact is about.
    pub name: String,
    /// What is known of it, as it is shown.
    pub value: String,
}

impl Fact {
    /// A fact with its value.
    pub fn new(name: impl Into<String>, value: impl ToString) -> Self {
        Self {
            name: name.into(),
            value: value.to_string(),
        }
    }
}

/// A move that may be played.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Choice {
    /// The move as logs have it.
    pub notation: String,
    /// What it is in words: "place B on row 2, column 0".
    pub words: String,
    /// The cell that a piece or tile leaves.
    pub from: Option<usize>,
    /// The cell that it goes to, or is placed on.
    pub to: Option<usize>,
    /// The cells that it touches on its way, `from` and `to` not among them.
    pub path: Vec<usize>,
    /// The panel and the card in it that it picks or names.
    pub card: Option<[usize; 2]>,
    /// Moves of one group are listed under its name: the attribute that is asked about.
    pub group: Option<String>,
}

impl Choice {
    /// A move that is known by its notation alone.
    pub fn plain(notation: impl Into<String>) -> Self {
        let notation = notation.into();
        Self {
            words: notation.clone(),
            notation,
            ..Self::default()
        }
    }
}
