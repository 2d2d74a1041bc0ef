//! A game as one viewer sees it, in a form that any user interface can draw. It consists of a board of cells, cards,
//! facts, and the moves available to the player to move.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A position as one viewer sees it. The view contains no information that is hidden from the viewer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct View {
    /// The situation in one sentence, for screen readers.
    pub caption: String,
    /// An event that no move describes, in one sentence, for example the result of a round.
    pub news: Option<String>,
    /// The standing of each role, in order of the roles; shown beside the names of the players.
    pub standings: Vec<Standing>,
    /// The board, if the game has one.
    pub grid: Option<Grid>,
    /// The letter of the tile that the player to move holds, if any.
    pub hand: Option<char>,
    /// The tiles that can still come to the board.
    pub stock: Vec<Stock>,
    /// The groups of cards to show, for example hands, persons or teams.
    pub panels: Vec<Panel>,
    /// Further information, for example about the bag, the points or the round.
    pub facts: Vec<Fact>,
    /// The available moves; empty if the viewer is not to move. A game with very many moves may list only a selection.
    /// Moves are then still accepted if [`Table::parse`](crate::table::Table::parse) can read them and they are legal.
    pub choices: Vec<Choice>,
    /// The range of the number that the player to move chooses, if the move is a number.
    pub amount: Option<Amount>,
}

/// The standing of a role.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Standing {
    /// The standing in a few words, for example "12 points".
    pub text: String,
    /// The role's progress towards its goal, from 0 to 1; shown as a bar.
    pub progress: Option<f64>,
}

impl Standing {
    /// Creates a standing without a bar.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            progress: None,
        }
    }
}

/// A range of moves that differ only in a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// The notation before the number, for example "Bid ".
    pub before: String,
    /// The smallest legal number.
    pub least: u64,
    /// The largest legal number.
    pub most: u64,
}

/// A board that consists of cells. The cells are numbered from 0, row by row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Grid {
    /// The number of cells in each row of the board.
    pub columns: usize,
    /// The letters on the cells, row by row, with a blank for each empty cell.
    pub letters: String,
    /// The names of the cells; empty if the name of a cell is its row and column.
    pub names: Vec<String>,
    /// The area to which each cell belongs: one letter per cell, with a blank for a cell without an area. Empty if the
    /// board has no areas.
    pub areas: String,
    /// The groups of cells that currently score points.
    pub scoring: Vec<ScoringRun>,
    /// The letters that a user can put on cells to set up a position. Setting up cells requires that the game's
    /// notation for positions consists of the rows of the board, with a dot for an empty cell, and of `name: value`
    /// lines after them. Empty if the game has a different notation.
    pub palette: String,
}

/// The board as text, with row and column numbers. An empty cell is a dot, or a colon in an area.
impl fmt::Display for Grid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns.max(1);
        let letters: Vec<char> = self.letters.chars().collect();
        let areas: Vec<char> = self.areas.chars().collect();
        let numbers = (0..columns).map(|column| format!("{column:>3}"));
        writeln!(out, "   {}", numbers.collect::<String>())?;
        for (row, cells) in letters.chunks(columns).enumerate() {
            write!(out, "{row:>3}")?;
            for (column, &letter) in cells.iter().enumerate() {
                let is_in_area =
                    (areas.get(row * columns + column)).is_some_and(|&area| area != ' ');
                let shown = match (letter, is_in_area) {
                    (' ', true) => ':',
                    (' ', false) => '.',
                    (letter, _) => letter,
                };
                write!(out, "  {shown}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The number of tiles of one kind that can still come to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stock {
    /// The letter on each tile.
    pub letter: char,
    /// The number of tiles with this letter.
    pub count: u32,
}

/// A group of cells that scores points together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoringRun {
    /// The numbers of the cells, in order along the group.
    pub cells: Vec<usize>,
    /// The number of points that the cells score for the first role.
    pub points: u32,
}

/// A titled group of cards.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Panel {
    /// The title of the group, for example the owner of the cards.
    pub title: String,
    /// The cards of the group, in order.
    pub cards: Vec<Card>,
    /// A sentence about the group, for example about a bonus.
    pub note: String,
    /// The number of places for cards; places without a card are shown as empty.
    pub slots: usize,
    /// The seat at a table, if the players sit around one. Seat 0 is opposite to the other seats, which form an arc.
    /// Several groups can lie in front of one seat.
    pub seat: Option<usize>,
}

/// The current state of a card, which determines how it is displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CardState {
    /// The card is displayed face up, and belongs to neither role.
    #[default]
    Open,
    /// The card is displayed face down, because it is hidden or has been ruled out.
    Down,
    /// The first role owns the card.
    First,
    /// The second role owns the card.
    Second,
}

/// A card to display: a name, lines of text below it, and a state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// The name of the card, displayed in large print. The name "10♥" is drawn as a playing card.
    pub name: String,
    /// The lines below the name, displayed in small print. The lines "hair red", "eyes blue", "hat none" and
    /// "glasses yes" are drawn as a face.
    pub lines: Vec<String>,
    /// The card's numbers for both roles as parts of the largest such number, from 0 to 1; shown as bars.
    pub bars: Vec<f64>,
    /// The card's current state.
    pub state: CardState,
}

/// Further information about a position: a name such as "tiles in the bag" with a value such as "A 3, B 2".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The label of the information, for example "tiles in the bag".
    pub name: String,
    /// The text of the information, for example "A 3, B 2".
    pub value: String,
}

impl Fact {
    /// Creates a fact from its subject and its value.
    pub fn new(name: impl Into<String>, value: impl ToString) -> Self {
        Self {
            name: name.into(),
            value: value.to_string(),
        }
    }
}

/// An available move.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Choice {
    /// The move in the notation of logs.
    pub notation: String,
    /// The move in words: "place B on row 2, column 0".
    pub words: String,
    /// The cell that a piece or tile moves from, if any.
    pub from: Option<usize>,
    /// The cell that a piece or tile moves to, if any.
    pub to: Option<usize>,
    /// The cells that the piece or tile visits on its way, without `from` and `to`.
    pub path: Vec<usize>,
    /// The card that the move picks or names, if any: the index of its panel, and its index within the panel.
    pub card: Option<[usize; 2]>,
    /// The heading under which this move is listed together with others, if any. For a question, this is the attribute
    /// that it asks about.
    pub group: Option<String>,
    /// The text of the move's button, if it is shorter than the words.
    pub label: Option<String>,
    /// True if a user interface should ask before it plays the move, because a slip would cost the game.
    pub is_decisive: bool,
}

/// A player as a text for a viewer names it: "You" is the viewer, "Your opponent" is the other of two players, and
/// the role names every other player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named(&'static str);

impl Named {
    /// Names the player on a side.
    pub fn new(viewer: Option<usize>, side: usize, roles: &[&'static str]) -> Self {
        Self(match viewer {
            Some(own) if own == side => "You",
            Some(own) if own < roles.len() && roles.len() == 2 => "Your opponent",
            _ => roles[side],
        })
    }

    /// Returns the name as it is written within a sentence: "you", "your opponent", "Black".
    pub fn in_sentence(self) -> Self {
        Self(match self.0 {
            "You" => "you",
            "Your opponent" => "your opponent",
            role => role,
        })
    }

    /// Returns the name with the verb `yours` for the viewer, and with `others` for other players: "You win", "Black
    /// wins".
    pub fn does(self, yours: &str, others: &str) -> String {
        let verb = match self.0 {
            "You" | "you" => yours,
            _ => others,
        };
        format!("{self} {verb}")
    }

    /// Returns the possessive form: "Your", "Black's".
    pub fn whose(self) -> String {
        match self.0 {
            "You" | "you" => format!("{self}r"),
            other => format!("{other}'s"),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
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
