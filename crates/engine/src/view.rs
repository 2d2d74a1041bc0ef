//! A game as one viewer sees it, in a form that any front end can draw. It consists of a board of cells, cards,
//! facts, and the moves available to the player to move.

use serde::Serialize;

/// A position as one viewer sees it. It excludes everything hidden from that viewer.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct View {
    /// The situation in one sentence, for screen readers.
    pub caption: String,
    /// The board, if the game has one.
    pub grid: Option<Grid>,
    /// Rows of cards: hands, persons, teams.
    pub panels: Vec<Panel>,
    /// Further information: the bag, points, the round.
    pub facts: Vec<Fact>,
    /// The available moves; empty if the viewer is not to move. A game with very many moves may list only some:
    /// [`Table::parse`](crate::table::Table::parse) decides which moves are accepted.
    pub choices: Vec<Choice>,
}

/// A board of cells, numbered from 0 row by row.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Grid {
    /// The number of cells in a row.
    pub columns: usize,
    /// The letters on the cells, a blank for an empty cell; see [`Board::letters`](crate::plugin::Board::letters).
    pub letters: String,
    /// The names of the cells; empty if cells are named by row and column.
    pub names: Vec<String>,
    /// Areas of the board: one letter per cell, a blank for a cell without an area; empty if the board has none.
    pub areas: String,
    /// Runs of cells that score.
    pub scoring: Vec<ScoringRun>,
    /// The letters allowed on cells when a position is set up by hand. Empty if the game's text format is not the
    /// board's rows, with a dot for an empty cell, followed by `name: value` lines.
    pub palette: String,
}

/// Cells that score points together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScoringRun {
    /// The cells in order.
    pub cells: Vec<usize>,
    /// The points that they score for the first role.
    pub points: u32,
}

/// A titled group of cards.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Panel {
    /// The cards' owner, or another title.
    pub title: String,
    /// The cards in order.
    pub cards: Vec<Card>,
}

/// The current state of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CardState {
    /// Face up or free.
    #[default]
    Open,
    /// Face down or ruled out.
    Down,
    /// Owned by the first role.
    First,
    /// Owned by the second role.
    Second,
}

/// A card to display: a name, lines of text below it, and a state.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Card {
    /// The text in large print.
    pub name: String,
    /// The lines in small print.
    pub lines: Vec<String>,
    /// The card's current state.
    pub state: CardState,
}

/// Further information, for example "tiles in the bag" or "A 3, B 2".
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The subject.
    pub name: String,
    /// The value, as displayed.
    pub value: String,
}

impl Fact {
    /// Creates a fact.
    pub fn new(name: impl Into<String>, value: impl ToString) -> Self {
        Self {
            name: name.into(),
            value: value.to_string(),
        }
    }
}

/// An available move.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Choice {
    /// The move in the notation of logs.
    pub notation: String,
    /// The move in words: "place B on row 2, column 0".
    pub words: String,
    /// The cell that a piece or tile leaves.
    pub from: Option<usize>,
    /// The destination of the piece or tile.
    pub to: Option<usize>,
    /// The cells on its way, without `from` and `to`.
    pub path: Vec<usize>,
    /// The panel and the index of the card that the move picks or names.
    pub card: Option<[usize; 2]>,
    /// The name under which moves are listed together: the attribute that a question is about.
    pub group: Option<String>,
}

impl Choice {
    /// Creates a move that has only its notation.
    pub fn plain(notation: impl Into<String>) -> Self {
        let notation = notation.into();
        Self {
            words: notation.clone(),
            notation,
            ..Self::default()
        }
    }
}
