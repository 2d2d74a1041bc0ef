//! How a game plugs in: what it says once so that everybody else can play it, log it, show it and judge it
//! without knowing it.
//!
//! A game's crate implements [`MatchGame`] and [`GameRules`] for its settings. [`Plugin`] and [`SettledGame`]
//! are the same with the game's types erased; whoever runs matches, reads logs or draws boards holds these.

mod about;
mod board;
mod erased;
mod in_process;
mod judging;
mod open;
mod pair;
mod person;

use std::any::Any;
use std::fmt::Display;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::BoxedAgent;
use crate::fields::Fields;
use crate::outside::{FileChannel, FileVenue, Files, LineChannel, Lines};
use crate::player::TimeControl;
use crate::table::Table;
pub use about::{
    About, AgentAbout, Example, Look, MOST_SEATS, OptionAbout, Scoring, Victory, in_range,
};
pub use board::{Board, CopiedBoard, Moved};
pub use erased::Erased;
pub use judging::{JudgedMove, Judging, LuckJudge, MoveJudge, RegretJudge};
pub use open::{AgentMove, Asking, Beginning, OpenGame, Studied, StudiedLine, Studying, Told};
pub use pair::{Asked, Pair};
pub use person::{Person, PersonTurn};

/// The field of a logged result that holds the text of the position in which the game was set up. There is none of
/// a game that began as a match's games do.
pub const SET_UP: &str = "set_up";

/// The options behind an agent's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentOptions {
    /// Nodes a move at most, whatever the match says.
    pub nodes: Option<u64>,
    /// Plies a move at most.
    pub depth: Option<u32>,
    /// A weights file to play by instead of the weights of this release.
    pub weights: Option<PathBuf>,
}

/// What an agent needs from files, for all of its players.
pub type Resources = Box<dyn Any + Send + Sync>;

/// Who takes a seat at a table.
pub enum Seat<'a> {
    /// An agent of this program.
    BuiltIn {
        /// The agent's name, one of [`About::agents`].
        name: &'a str,
        /// What was put behind its name.
        options: &'a AgentOptions,
        /// What [`SettledGame::resources`] has found for it.
        resources: &'a Resources,
        /// Nodes a move in a match without clocks.
        nodes: Option<u64>,
        /// Determines what it leaves to chance.
        seed: u64,
    },
    /// A program that speaks lines.
    Lines {
        /// The name of the wire, one of [`About::wires`].
        wire: &'a str,
        /// The way to it.
        channel: Box<dyn LineChannel>,
    },
    /// A command that reads and writes files.
    Files {
        /// The time that it gets.
        time: TimeControl,
        /// The way to it.
        channel: Box<dyn FileChannel>,
    },
    /// Somebody who plays by looking and typing.
    Person(Box<dyn Person>),
}

/// What a logged result means.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The first role's score.
    pub score: f64,
    /// How the game ended, where the score does not say.
    pub ending: Option<&'static str>,
    /// True if it was won on the board, and not by time, a fault or the number of plies.
    pub is_won_on_board: bool,
    /// By how much, if that is known.
    pub margin: Option<u32>,
    /// What each side has won, in points, where more than two can sit at a table; else empty.
    pub won: Vec<f64>,
}

impl Meaning {
    /// A game that is won (1), drawn (0.5) or lost (0) by the first role.
    ///
    /// # Errors
    ///
    /// If the score is none of these.
    pub fn won(score: f64, ending: &'static str, is_won_on_board: bool) -> Result<Self, String> {
        if ![0.0, 0.5, 1.0].contains(&score) {
            return Err(format!("a score of {score}, expected 0, 0.5 or 1"));
        }
        Ok(Self {
            ending: Some(ending),
            is_won_on_board,
            ..Self::points(score)
        })
    }

    /// A score in points, which says all.
    pub fn points(score: f64) -> Self {
        Self {
            score,
            ending: None,
            is_won_on_board: false,
            margin: None,
            won: Vec::new(),
        }
    }
}

/// What a game is by settled rules, for those who know none of its types.
pub trait GameRules: Send + Sync {
    /// The game and its rules in a sentence about a finished match.
    fn conditions(&self) -> String;

    /// The same in a few words about one that begins.
    fn place(&self) -> String;

    /// Seats of a table at which more than two participants can sit. Each of them has each seat once in a meeting,
    /// which is a rotation of so many games. 2 in games for two.
    fn seats(&self) -> usize {
        2
    }

    /// What must be given besides so that this wire can be spoken by these rules, if it cannot.
    fn wire_objection(&self, _wire: &str) -> Option<&'static str> {
        None
    }

    /// The longest line that a program may say on this wire, in bytes; none for the usual length.
    fn longest_line(&self, _wire: &str) -> Option<usize> {
        None
    }

    /// The same rules where a player may pass, and an agent that does so whenever it may; none in a game
    /// without passes.
    fn with_passes(&self) -> Option<(Arc<dyn SettledGame>, &'static str)> {
        None
    }

    /// Where a command finds its files.
    fn file_venue(&self) -> Option<FileVenue> {
        None
    }

    /// The words with which this program becomes a daemon that plays such games; `{port}` stands for the
    /// port.
    fn daemon_words(
        &self,
        _agent: &str,
        _name: &str,
        _time: TimeControl,
        _seed: u64,
    ) -> Vec<String> {
        Vec::new()
    }

    /// What a logged result means. An error if it cannot be the result of a game by these rules.
    fn meaning(&self, result: &Fields) -> Result<Meaning, String>;

    /// The beginning of a logged game.
    fn board(&self, result: &Fields) -> Box<dyn Board>;

    /// A judge of luck, if chance decides anything.
    fn luck_judge(&self) -> Option<Box<dyn LuckJudge>> {
        None
    }

    /// A judge of what moves gave away, if there is one for this game. Fails if what is solved cannot be used.
    fn regret_judge(&self, _by: &Judging) -> Result<Option<Box<dyn RegretJudge>>, String> {
        Ok(None)
    }
}

/// An agent for such a table.
pub type AgentAt<T> = BoxedAgent<<T as Table>::Position, <T as Table>::Move>;
/// The words in lines for such a table.
pub type LinesAt<T> = Box<dyn Lines<<T as Table>::Position, <T as Table>::Move>>;
/// The words in files for such a table.
pub type FilesAt<T> = Box<dyn Files<<T as Table>::Position, <T as Table>::Move>>;

/// A game with its own types. It is the game's settings: as JSON they are what a log's header keeps.
pub trait MatchGame: GameRules + Serialize + DeserializeOwned + 'static {
    /// A game under way, as the referee sees it.
    type Table: Table<Rules = Self, Position: Send + 'static, Move: Send + 'static> + 'static;
    /// What an agent needs from files.
    type Resources: Default + Send + Sync + 'static;

    /// What everybody may know.
    const ABOUT: &'static About;

    /// The rules by the options that were given; `given` has the value of a setting, or an empty one for
    /// a switch. Values have passed their checks; fails if a file that one names is of no use.
    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<Self, String>;

    /// Checks rules that come from a log. An error if no game can be played by them.
    fn check(&self) -> Result<(), UnplayableError> {
        Ok(())
    }

    /// What an agent needs from files. Fails if that is not to be had.
    fn load(&self, _name: &str, _options: &AgentOptions) -> Result<Self::Resources, String> {
        Ok(Self::Resources::default())
    }

    /// An agent of this program; `nodes` is the least of all limits that hold for it.
    fn agent(
        &self,
        name: &str,
        resources: &Self::Resources,
        nodes: Option<u64>,
        seed: u64,
    ) -> AgentAt<Self::Table>;

    /// The words of a wire.
    fn lines(_wire: &str) -> Option<LinesAt<Self::Table>> {
        None
    }

    /// The words in files for a command with this time.
    fn files(&self, _time: TimeControl) -> Option<FilesAt<Self::Table>> {
        None
    }

    /// A table with the position that a text describes, in the notation of this game's boards.
    ///
    /// # Errors
    ///
    /// If it is no position of this game: what was expected, and what came.
    fn set_up(&self, _text: &str) -> Result<Self::Table, String> {
        Err(format!(
            "positions of {} cannot be set up",
            Self::ABOUT.title
        ))
    }

    /// The beginning of a logged game that began as a match's games do.
    ///
    /// # Errors
    ///
    /// If the result does not tell how the game began: what was expected.
    fn reopen(&self, _result: &Fields) -> Result<Self::Table, String> {
        Err(format!(
            "logged games of {} cannot be opened",
            Self::ABOUT.title
        ))
    }

    /// Where a logged game began: in the position that it was [set up](SET_UP) in, else as [`MatchGame::reopen`]
    /// has it.
    ///
    /// # Errors
    ///
    /// Those of both.
    fn begun(&self, result: &Fields) -> Result<Self::Table, String> {
        match result.get(SET_UP) {
            Some(text) => {
                let text = text.as_str().ok_or("`set_up`: expected a position as text");
                self.set_up(text?)
            }
            None => self.reopen(result),
        }
    }

    /// The text that [`MatchGame::set_up`] makes this position of; `None` if positions cannot be set up.
    fn set_up_text(&self, _table: &Self::Table) -> Option<String> {
        None
    }

    /// The best moves of the side to move, of which there is one. Tells of each completed look, and returns
    /// what the last one found.
    fn study(&self, table: &mut Self::Table, how: &Studying, _told: Told) -> Studied {
        open::study_by_agent(self, table, how)
    }
}

/// A game whose types are erased.
pub trait Plugin: Sync {
    /// What everybody may know.
    fn about(&self) -> &'static About;

    /// The game by the options that were given, see [`MatchGame::by_options`].
    fn by_options(
        &self,
        given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn SettledGame>, String>;

    /// The game by the settings of a log's header. An error if they are none of this game, or it cannot
    /// be played by them.
    fn by_fields(&self, fields: &Fields) -> Result<Arc<dyn SettledGame>, UnplayableError>;
}

/// Settings that no game can be played by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnplayableError {
    /// A field is missing or malformed.
    #[error("{0}")]
    Malformed(String),
    /// A field has a value that is not possible.
    #[error("{what} is {got}; this version reads {expected}")]
    Unknown {
        /// The name of the field.
        what: &'static str,
        /// The value in the log.
        got: String,
        /// The values that this version reads.
        expected: String,
    },
}

impl UnplayableError {
    /// Refuses a number outside this range.
    pub fn unless_within<N: PartialOrd + Display>(
        range: &RangeInclusive<N>,
        what: &'static str,
        number: N,
    ) -> Result<(), Self> {
        match range.contains(&number) {
            true => Ok(()),
            false => Err(Self::Unknown {
                what,
                got: number.to_string(),
                expected: format!("{} to {}", range.start(), range.end()),
            }),
        }
    }
}

/// A game whose rules are settled and whose types are erased.
pub trait SettledGame: GameRules {
    /// What everybody may know.
    fn about(&self) -> &'static About;
    /// The rules as a log's header keeps them.
    fn fields(&self) -> Fields;
    /// What an agent of this name needs from files, loaded by [`MatchGame::load`].
    fn resources(&self, name: &str, options: &AgentOptions) -> Result<Resources, String>;
    /// The players of a meeting: of two for the two games of a pair, after so many other pairs between the two; of
    /// more for a rotation. Fails if a player does not play this game, or if it is not for so many.
    fn pair(
        &self,
        seats: Vec<Seat<'_>>,
        seed: u64,
        meetings: u32,
    ) -> io::Result<Box<dyn Pair + '_>>;
    /// Opens a game for people to play and to study. An error if there is no such position: what was
    /// expected.
    fn open(&self, beginning: Beginning) -> Result<Box<dyn OpenGame + '_>, String>;
}
