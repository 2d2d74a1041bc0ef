//! The referee's table, where a game is played.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use turnwise_engine::clock::{MovesLeft, TimeLeft};
use turnwise_engine::fields::Fields;
use turnwise_engine::game::Game;
use turnwise_engine::player::TimeControl;
use turnwise_engine::table;
use turnwise_engine::view::{Choice, Grid, View};

use crate::rules::{COLUMNS, Position, ROWS};

/// The number of moves that each player makes if the game lasts until the board is full.
const MOVES: u32 = (COLUMNS * ROWS / 2) as u32;

/// The names of the two sides, the first mover's first.
const NAMES: [&str; 2] = ["Red", "Yellow"];

/// Returns the cell where a piece in this column lands, counted row by row from above.
fn top_cell(position: &Position, column: u8) -> usize {
    let height = position.height(column.into());
    (ROWS - 1 - height) * COLUMNS + usize::from(column)
}

fn letters(position: &Position) -> String {
    let rows = (0..ROWS).rev();
    rows.flat_map(|row| (0..COLUMNS).map(move |column| (column, row)))
        .map(|(column, row)| {
            position
                .at(column, row)
                .map_or(' ', |side| ['R', 'Y'][side])
        })
        .collect()
}

/// The settings of a match, which are empty, because the game has no settings.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Rules {}

/// The way in which a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ending {
    /// The winner has four pieces in a row.
    Four,
    /// The board is full, and neither side has four pieces in a row.
    Full,
    /// The loser broke the rules, or its program failed.
    Fault,
}

impl Ending {
    pub fn name(self) -> &'static str {
        match self {
            Ending::Four => "four in a row",
            Ending::Full => "the board is full",
            Ending::Fault => "a fault",
        }
    }
}

/// The data that a log stores about a game in addition to its players and moves.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub red_score: f64,
    pub ending: Ending,
}

/// A game in progress, as the referee knows it.
pub struct Table(Position);

impl table::Table for Table {
    type Rules = Rules;
    type Position = Position;
    type Move = u8;

    fn new(_rules: &Rules, _seed: u64) -> Self {
        Self(Position::new())
    }

    fn position(&self) -> &Position {
        &self.0
    }

    fn turn(&mut self) -> Option<usize> {
        (!self.0.is_over()).then(|| self.0.side())
    }

    fn plies_left(&self) -> u32 {
        Game::plies_left(&self.0)
    }

    fn legal_moves(&self) -> Vec<u8> {
        self.0.columns().collect()
    }

    fn is_legal(&self, column: u8) -> bool {
        self.0.columns().any(|free| free == column)
    }

    fn objection(&self, column: u8) -> String {
        format!("column {column} is full or outside of the board")
    }

    fn play(&mut self, column: u8) {
        self.0.play(column);
    }

    fn notation(&self, column: u8) -> String {
        column.to_string()
    }

    fn cells(&self, column: u8) -> [Option<usize>; 2] {
        [None, Some(top_cell(&self.0, column))]
    }

    fn grid(&self) -> Grid {
        Grid {
            columns: COLUMNS,
            letters: letters(&self.0),
            ..Grid::default()
        }
    }

    fn drawing(&self, _coloured: bool) -> String {
        let letters: Vec<char> = letters(&self.0).chars().collect();
        let mut text = String::from("0 1 2 3 4 5 6\n");
        for row in letters.chunks(COLUMNS) {
            let row = row
                .iter()
                .map(|&letter| if letter == ' ' { '.' } else { letter });
            let row: Vec<String> = row.map(String::from).collect();
            text += &(row.join(" ") + "\n");
        }
        text
    }

    fn view(&self, viewer: Option<usize>) -> View {
        let position = &self.0;
        let caption = match (position.winner(), position.is_over()) {
            (Some(side), _) => format!("{} has four in a row.", NAMES[side]),
            (None, true) => "The board is full.".to_owned(),
            (None, false) => format!("{} drops a piece.", NAMES[position.side()]),
        };
        let choice = |column: u8| Choice {
            words: format!("drop into column {column}"),
            to: Some(top_cell(position, column)),
            ..Choice::plain(self.notation(column))
        };
        let columns = viewer.map(|_| position.columns()).into_iter().flatten();
        View {
            caption,
            grid: Some(table::Table::grid(self)),
            choices: columns.map(choice).collect(),
            ..View::default()
        }
    }

    fn budget(&self, time: TimeControl, left: Duration) -> (Duration, Duration) {
        // The time is divided as if the game lasted until the board is full.
        let (total, moves) = match time {
            TimeControl::Clock { seconds, .. } => {
                let moves = Game::plies_left(&self.0).div_ceil(2);
                (Duration::from_secs_f64(seconds), moves)
            }
            TimeControl::MoveTime { .. } | TimeControl::Nodes { .. } => (left, 1),
        };
        let moves = MovesLeft::Counted { moves, of: MOVES };
        TimeLeft::in_process(left, total, moves).divide()
    }

    fn outcome(&self, at_fault: Option<usize>, _left: Option<[Duration; 2]>) -> Fields {
        let won_by = |side: usize| if side == 0 { 1.0 } else { 0.0 };
        let (red_score, ending) = match (at_fault, self.0.winner()) {
            (Some(side), _) => (won_by(1 - side), Ending::Fault),
            (None, Some(side)) => (won_by(side), Ending::Four),
            (None, None) => (0.5, Ending::Full),
        };
        Fields::of(&Kept { red_score, ending })
    }
}
