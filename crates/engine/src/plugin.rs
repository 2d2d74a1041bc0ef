//! The plug-in interface for games. A game describes itself here, so that all other code can play, log, display and
//! judge it without knowing it.
//!
//! A game's crate implements [`MatchGame`] and [`GameRules`] for its settings. [`Plugin`] and [`SettledGame`] are
//! the type-erased counterparts, for code that runs matches, reads logs or draws boards.

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

/// The field of a logged result with the text of a position that was set up. It is absent if the game started like
/// a match's games.
pub const SET_UP: &str = "set_up";

/// The options after an agent's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentOptions {
    /// The maximum number of nodes per move, regardless of the match.
    pub nodes: Option<u64>,
    /// The maximum search depth, in plies.
    pub depth: Option<u32>,
    /// A weights file that replaces the built-in weights.
    pub weights: Option<PathBuf>,
}

/// Data that an agent loads from files, shared by all players of that agent.
pub type Resources = Box<dyn Any + Send + Sync>;

/// The player for a seat at a table.
pub enum Seat<'a> {
    /// A built-in agent.
    BuiltIn {
        /// The agent's name, one of [`About::agents`].
        name: &'a str,
        /// The options after its name.
        options: &'a AgentOptions,
        /// The data that [`SettledGame::resources`] loaded for the agent.
        resources: &'a Resources,
        /// Nodes per move in a match without clocks.
        nodes: Option<u64>,
        /// The seed of the agent's random choices.
        seed: u64,
    },
    /// A program that exchanges lines.
    Lines {
        /// The name of the wire, one of [`About::wires`].
        wire: &'a str,
        /// The channel to the program.
        channel: Box<dyn LineChannel>,
    },
    /// A command that reads and writes files.
    Files {
        /// The command's time control.
        time: TimeControl,
        /// The channel to the command.
        channel: Box<dyn FileChannel>,
    },
    /// A person who looks at the board and types moves.
    Person(Box<dyn Person>),
}

/// The interpretation of a logged result.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The first role's score.
    pub score: f64,
    /// How the game ended, if the score does not say so.
    pub ending: Option<&'static str>,
    /// True if the game was won on the board, not by time, a fault or the limit on plies.
    pub is_won_on_board: bool,
    /// The winning margin, if known.
    pub margin: Option<u32>,
    /// The points won by each side, if more than two can sit at a table; else empty.
    pub won: Vec<f64>,
}

impl Meaning {
    /// Interprets a game that the first role won (1), drew (0.5) or lost (0).
    ///
    /// # Errors
    ///
    /// If the score has any other value.
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

    /// Interprets a score in points, which is complete in itself.
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

/// A game with settled rules, for code that does not know its types.
pub trait GameRules: Send + Sync {
    /// Describes the game and its rules in a sentence about a finished match.
    fn conditions(&self) -> String;

    /// Describes the game in a few words for the start of a match.
    fn place(&self) -> String;

    /// Returns the number of seats at a table for more than two participants. Each participant has each seat once
    /// in a meeting, which is a rotation of that many games. Returns 2 in games for two.
    fn seats(&self) -> usize {
        2
    }

    /// Returns the option that is missing before these rules can use this wire, if any.
    fn wire_objection(&self, _wire: &str) -> Option<&'static str> {
        None
    }

    /// Returns the maximum line length of a program on this wire, in bytes; `None` for the default.
    fn longest_line(&self, _wire: &str) -> Option<usize> {
        None
    }

    /// Returns these rules with passing allowed, and an agent that passes whenever it may. `None` in a game without
    /// passes.
    fn with_passes(&self) -> Option<(Arc<dyn SettledGame>, &'static str)> {
        None
    }

    /// Returns the files that a command exchanges with this game, if supported.
    fn file_venue(&self) -> Option<FileVenue> {
        None
    }

    /// Returns the arguments that start this program as a daemon for such games; `{port}` is a placeholder for the
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

    /// Interprets a logged result. Fails if it cannot be the result of a game with these rules.
    fn meaning(&self, result: &Fields) -> Result<Meaning, String>;

    /// Returns the board at the beginning of a logged game.
    fn board(&self, result: &Fields) -> Box<dyn Board>;

    /// Returns a judge of luck, if the game involves chance.
    fn luck_judge(&self) -> Option<Box<dyn LuckJudge>> {
        None
    }

    /// Returns a judge of the points that moves lost, if this game has one. Fails if a solution cannot be used.
    fn regret_judge(&self, _by: &Judging) -> Result<Option<Box<dyn RegretJudge>>, String> {
        Ok(None)
    }
}

/// An agent for this type of table.
pub type AgentAt<T> = BoxedAgent<<T as Table>::Position, <T as Table>::Move>;
/// The line format for this type of table.
pub type LinesAt<T> = Box<dyn Lines<<T as Table>::Position, <T as Table>::Move>>;
/// The file format for this type of table.
pub type FilesAt<T> = Box<dyn Files<<T as Table>::Position, <T as Table>::Move>>;

/// A game with its own types. The value holds the game's settings, which a log's header stores as JSON.
pub trait MatchGame: GameRules + Serialize + DeserializeOwned + 'static {
    /// A running game, as the referee sees it.
    type Table: Table<Rules = Self, Position: Send + 'static, Move: Send + 'static> + 'static;
    /// Data that an agent loads from files.
    type Resources: Default + Send + Sync + 'static;

    /// The public description of the game.
    const ABOUT: &'static About;

    /// Creates the rules from command-line options. `given` returns the value of a setting, or an empty string for
    /// a switch. Values are already validated. Fails if a named file is unusable.
    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<Self, String>;

    /// Validates rules from a log. Fails if they are unplayable.
    fn check(&self) -> Result<(), UnplayableError> {
        Ok(())
    }

    /// Loads the data that an agent needs from files. Fails if the data is unavailable.
    fn load(&self, _name: &str, _options: &AgentOptions) -> Result<Self::Resources, String> {
        Ok(Self::Resources::default())
    }

    /// Creates a built-in agent; `nodes` is the lowest node limit that applies.
    fn agent(
        &self,
        name: &str,
        resources: &Self::Resources,
        nodes: Option<u64>,
        seed: u64,
    ) -> AgentAt<Self::Table>;

    /// Returns the line format of a wire.
    fn lines(_wire: &str) -> Option<LinesAt<Self::Table>> {
        None
    }

    /// Returns the file format for a command with this time control.
    fn files(&self, _time: TimeControl) -> Option<FilesAt<Self::Table>> {
        None
    }

    /// Creates a table from a position as text, in the game's own board notation.
    ///
    /// # Errors
    ///
    /// If the text is not a position of the game. The error states the expected and the actual text.
    fn set_up(&self, _text: &str) -> Result<Self::Table, String> {
        Err(format!(
            "positions of {} cannot be set up",
            Self::ABOUT.title
        ))
    }

    /// Returns the beginning of a logged game that started like a match's games.
    ///
    /// # Errors
    ///
    /// If the result does not say how the game began. The error states the expected form.
    fn reopen(&self, _result: &Fields) -> Result<Self::Table, String> {
        Err(format!(
            "logged games of {} cannot be opened",
            Self::ABOUT.title
        ))
    }

    /// Returns the beginning of a logged game. This is the position that it was [set up](SET_UP) in, or else the
    /// result of [`MatchGame::reopen`].
    ///
    /// # Errors
    ///
    /// The errors of [`MatchGame::set_up`] and [`MatchGame::reopen`].
    fn begun(&self, result: &Fields) -> Result<Self::Table, String> {
        match result.get(SET_UP) {
            Some(text) => {
                let text = text.as_str().ok_or("`set_up`: expected a position as text");
                self.set_up(text?)
            }
            None => self.reopen(result),
        }
    }

    /// Returns the text from which [`MatchGame::set_up`] creates this position; `None` if the game cannot set up
    /// positions.
    fn set_up_text(&self, _table: &Self::Table) -> Option<String> {
        None
    }

    /// Finds the best moves of the side to move; the game must not be over. Reports each completed iteration, and
    /// returns the result of the last one.
    fn study(&self, table: &mut Self::Table, how: &Studying, _told: Told) -> Studied {
        open::study_by_agent(self, table, how)
    }
}

/// A game without its types.
pub trait Plugin: Sync {
    /// Returns the public description of the game.
    fn about(&self) -> &'static About;

    /// Creates the game from command-line options; see [`MatchGame::by_options`].
    fn by_options(
        &self,
        given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn SettledGame>, String>;

    /// Creates the game from the settings in a log's header. Fails if they do not belong to this game or are
    /// unplayable.
    fn by_fields(&self, fields: &Fields) -> Result<Arc<dyn SettledGame>, UnplayableError>;
}

/// Settings with which no game can be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnplayableError {
    /// A field is missing or malformed.
    #[error("{0}")]
    Malformed(String),
    /// A field has an unsupported value.
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
    /// Rejects a number outside this range.
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

/// A game with settled rules and without its types.
pub trait SettledGame: GameRules {
    /// Returns the public description of the game.
    fn about(&self) -> &'static About;
    /// Returns the rules as a log's header stores them.
    fn fields(&self) -> Fields;
    /// Loads the data that the named agent needs from files; see [`MatchGame::load`].
    fn resources(&self, name: &str, options: &AgentOptions) -> Result<Resources, String>;
    /// Creates the players of a meeting. Two meet for the games of a pair, after `meetings` earlier pairs between
    /// them; more meet for a rotation. Fails if a player does not play this game or if the game does not allow this
    /// number.
    fn pair(
        &self,
        seats: Vec<Seat<'_>>,
        seed: u64,
        meetings: u32,
    ) -> io::Result<Box<dyn Pair + '_>>;
    /// Opens a game that people can play and study. If the position does not exist, the error describes
    /// the expected form.
    fn open(&self, beginning: Beginning) -> Result<Box<dyn OpenGame + '_>, String>;
}
