//! The plug-in interface for games. A game implements this interface so that all other code can play, log, display and
//! judge it without depending on the game's own types.
//!
//! The crate of a game implements [`UntypedGame`] and [`GameRules`] for the type of the game's settings, and [`Table`]
//! for the state of a running game. [`AnyGame`] and [`AnyState`] are the type-erased counterparts of [`GameRules`] and
//! [`Table`], which all other code uses. [`Plugin`] is an entry in the list of all games.

mod about;
mod any_game;
mod in_process;
mod judging;
mod level;
mod meeting;
mod person;
mod state;

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Display;
use std::num::{NonZeroU8, NonZeroU16};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::BoxedAgent;
use crate::fields::Fields;
use crate::outside::{FileChannel, FileVenue, Files, LineChannel, Lines};
use crate::player::TimeControl;
use crate::search::Limits;
use crate::table::Table;
pub use about::{
    About, AgentAbout, Check, Example, Help, Look, MOST_SEATS, OptionAbout, Rule, RuleExample,
    Scoring, Thresholds, Victory, in_range,
};
pub use any_game::{AnyGame, Plugin, Registered};
pub use judging::{JudgedMove, Judging, LossJudge, LuckJudge, MoveJudge};
pub use level::Level;
pub use meeting::{Asked, Meeting, RulesError};
pub use person::{Person, PersonTurn};
use state::Running;
pub use state::{
    AgentMove, AnyState, Asking, Beginning, Moved, Shown, Studied, StudiedLine, Studying, Told,
};

/// The name of the field in a logged result that holds the text of the position in which the game was set up. The field
/// is absent if the game began in the regular way, as in a match.
pub const SET_UP: &str = "set_up";

/// The options that a user can give after the name of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentOptions {
    /// The maximum number of nodes that the agent searches per move, in addition to the limit of the match.
    pub nodes: Option<u64>,
    /// The maximum depth of the agent's search, in plies.
    pub depth: Option<u32>,
    /// The size of the agent's transposition table, in MiB. Without it, the agent chooses the size.
    pub hash: Option<NonZeroU16>,
    /// The path of a file with evaluation weights that replace the built-in weights.
    pub weights: Option<PathBuf>,
    /// The number of processes in which the agent searches, if the rules of the game are a program.
    pub processes: Option<NonZeroU8>,
    /// The number of the level of strength at which the agent plays, from 1, the weakest; see [`About::levels`].
    pub level: Option<NonZeroU8>,
}

impl AgentOptions {
    /// Returns options with the node limit of a search.
    pub fn within(limits: &Limits) -> Self {
        Self {
            nodes: Some(limits.nodes).filter(|&nodes| nodes < u64::MAX),
            ..Self::default()
        }
    }

    /// Returns the maximum number of nodes per move in a match with this limit, if either has a limit.
    pub fn nodes_within(&self, of_match: Option<u64>) -> Option<u64> {
        [self.nodes, of_match].into_iter().flatten().min()
    }

    /// Returns the size of the transposition table in bytes; `usual` is the agent's choice.
    pub fn table_bytes(&self, usual: usize) -> usize {
        self.hash
            .map_or(usual, |hash| usize::from(hash.get()) << 20)
    }
}

/// Data that an agent needs from files. All players that use this agent share it.
pub type Resources = Box<dyn Any + Send + Sync>;

/// The kind of player that takes a seat at a table, with everything that is needed to create the player.
pub enum Seat<'a> {
    /// The player is a built-in agent.
    BuiltIn {
        /// The name of the agent, as in [`About::agents`].
        name: &'a str,
        /// The options that were given after the agent's name.
        options: &'a AgentOptions,
        /// The data that [`AnyGame::resources`] loaded for the agent.
        resources: &'a Resources,
        /// The maximum number of nodes per move, if the match has no clocks.
        nodes: Option<u64>,
        /// The seed of the agent's random choices.
        seed: u64,
    },
    /// The player is a program that exchanges lines of text.
    Lines {
        /// The name of the wire (message format), as in [`About::wires`].
        wire: &'a str,
        /// The channel to the program.
        channel: Box<dyn LineChannel>,
    },
    /// The player is a command that reads and writes files.
    Files {
        /// The time control under which the command plays.
        time: TimeControl,
        /// The channel to the command.
        channel: Box<dyn FileChannel>,
    },
    /// The player is a person who looks at the board and types moves.
    Person(Box<dyn Person>),
}

/// The meaning of a logged result, for code that does not know the game.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The score of the first role.
    pub score: f64,
    /// A description of how the game ended, if the score does not make this clear.
    pub ending: Option<Cow<'static, str>>,
    /// True if a player won the game on the board, and not by the clock, a fault or the limit on the number of plies.
    pub is_won_on_board: bool,
    /// The margin by which the winner won, if it is known.
    pub margin: Option<u32>,
    /// The points that each side won, in a game for more than two participants; otherwise empty.
    pub won: Vec<f64>,
}

impl Meaning {
    /// Interprets a game that the first role won (1), drew (0.5) or lost (0).
    ///
    /// # Errors
    ///
    /// Returns an error if the score has any other value.
    pub fn won(
        score: f64,
        ending: impl Into<Cow<'static, str>>,
        is_won_on_board: bool,
    ) -> Result<Self, String> {
        if ![0.0, 0.5, 1.0].contains(&score) {
            return Err(format!("a score of {score}, expected 0, 0.5 or 1"));
        }
        Ok(Self {
            ending: Some(ending.into()),
            is_won_on_board,
            ..Self::points(score)
        })
    }

    /// Interprets a score in points, which needs no further description.
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

/// The type of the agents for the game that is played at tables of type `T`.
pub type AgentAt<T> = BoxedAgent<<T as Table>::Position, <T as Table>::Move>;
/// The type of the line formats for the game that is played at tables of type `T`.
pub type LinesAt<T> = Box<dyn Lines<<T as Table>::Position, <T as Table>::Move>>;
/// The type of the file formats for the game that is played at tables of type `T`.
pub type FilesAt<T> = Box<dyn Files<<T as Table>::Position, <T as Table>::Move>>;

/// A game in its typed form. A value of the implementing type holds the game's settings, which the header of a log
/// stores as JSON.
pub trait GameRules:
    UntypedGame + Clone + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// A running game, as the referee sees it.
    type Table: Table<Rules = Self> + 'static;
    /// Data that the game's agents need from files.
    type Resources: Default + Send + Sync + 'static;

    /// The public description of the game.
    const ABOUT: &'static About;

    /// Creates the rules from command-line options. `given` returns the value that the user gave for a setting, or an
    /// empty string for a switch. The values have been validated before. Returns an error if a file named by the user
    /// cannot be used.
    fn by_options(given: &dyn Fn(&str) -> Option<String>) -> Result<Self, String>;

    /// Validates rules that were read from a log. Returns an error if no game can be played with them.
    fn check(&self) -> Result<(), UnplayableError> {
        Ok(())
    }

    /// Loads the data that the named agent needs from files. Returns an error if a file is missing or cannot be used.
    fn load(&self, _name: &str, _options: &AgentOptions) -> Result<Self::Resources, String> {
        Ok(Self::Resources::default())
    }

    /// Creates the built-in agent with this name. The limit of nodes in `options` includes the limit of the match.
    fn agent(
        &self,
        name: &str,
        resources: &Self::Resources,
        options: &AgentOptions,
        seed: u64,
    ) -> AgentAt<Self::Table>;

    /// Returns the format of the lines on this wire; `None` if the game does not have this wire.
    fn lines(_wire: &str) -> Option<LinesAt<Self::Table>> {
        None
    }

    /// Returns the format of the files of a command with this time control; `None` if commands cannot play this game.
    fn files(&self, _time: TimeControl) -> Option<FilesAt<Self::Table>> {
        None
    }

    /// Creates a table from the text of a position, in the game's own notation for boards.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a position of the game. The error states the expected and the actual text.
    fn set_up(&self, _text: &str) -> Result<Self::Table, String> {
        Err(format!(
            "positions of {} cannot be set up",
            Self::ABOUT.title
        ))
    }

    /// Returns the table at the beginning of the logged game with this result. The game must have begun as in a match.
    ///
    /// # Errors
    ///
    /// Returns an error if the result does not say how the game began. The error states the expected form.
    fn reopen(&self, result: &Fields) -> Result<Self::Table, String>;

    /// Returns the table at the beginning of the logged game with this result. This is the position in which the game
    /// was [set up](SET_UP), or the result of [`GameRules::reopen`] if it began as in a match.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`GameRules::set_up`] and [`GameRules::reopen`].
    fn begun(&self, result: &Fields) -> Result<Self::Table, String> {
        match result.get(SET_UP) {
            Some(text) => {
                let text = text.as_str().ok_or("`set_up`: expected a position as text");
                self.set_up(text?)
            }
            None => self.reopen(result),
        }
    }

    /// Returns the table after the first `moves` of the logged game with this result.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`GameRules::begun`], and an error that quotes an illegal move.
    fn begun_and_played(&self, result: &Fields, moves: &[String]) -> Result<Self::Table, String> {
        let mut game = Running::new(self, Beginning::Logged(result))?;
        for text in moves {
            let followed = <dyn AnyState>::follow(&mut game, text);
            followed.map_err(|why| format!("`{text}`: {why}"))?;
        }
        Ok(game.into_table())
    }

    /// Returns the table at the beginning of a game that is played elsewhere. `result` contains what is known of the
    /// game's result so far. Draws that are not known yet are [revealed](Table::reveal) later.
    ///
    /// # Errors
    ///
    /// Returns an error if the result does not say how the game began. The error states the expected form.
    fn watched(&self, result: &Fields) -> Result<Self::Table, String> {
        self.begun(result)
    }

    /// Returns the text from which [`GameRules::set_up`] would create the table's position; `None` if positions of the
    /// game cannot be set up.
    fn set_up_text(&self, _table: &Self::Table) -> Option<String> {
        None
    }

    /// Searches for the best moves of the side to move. The game must not be over. Passes the result of each completed
    /// iteration to `told`, and returns the result of the last one.
    fn study(&self, table: &mut Self::Table, how: &Studying, _told: Told) -> Studied {
        state::study_by_agent(self, table, how)
    }
}

/// The part of a game with fixed settings that does not depend on the types of the game. Every [`GameRules`] and every
/// [`AnyGame`] implements it.
pub trait UntypedGame {
    /// Describes the game and its rules, as a part of a sentence about a finished match.
    fn conditions(&self) -> String;

    /// Describes the game in a few words, for the message that is displayed when a match starts.
    fn place(&self) -> String;

    /// Returns the number of seats at a table. It is 2 in games for two. At a table for more participants, a meeting is
    /// a rotation: it consists of as many games as there are seats, and each participant has each seat once.
    fn seats(&self) -> usize {
        2
    }

    /// Returns the option that the user must add before a game with these rules can use this wire; `None` if no option
    /// is missing.
    fn wire_objection(&self, _wire: &str) -> Option<&'static str> {
        None
    }

    /// Returns the maximum length of a line from a program on this wire, in bytes; `None` for the default length.
    fn longest_line(&self, _wire: &str) -> Option<usize> {
        None
    }

    /// Returns the game with passing allowed, and the name of an agent that passes whenever it may. Returns `None` in a
    /// game without passes.
    fn with_passes(&self) -> Option<(Arc<dyn AnyGame>, &'static str)> {
        None
    }

    /// Returns the files through which a command can play this game; `None` if commands cannot play it.
    fn file_venue(&self) -> Option<FileVenue> {
        None
    }

    /// Returns the command-line arguments that start turnwise as a daemon for games with these rules. `{port}` in them
    /// is a placeholder for the port.
    fn daemon_words(
        &self,
        _agent: &str,
        _name: &str,
        _time: TimeControl,
        _seed: u64,
    ) -> Vec<String> {
        Vec::new()
    }

    /// Interprets a logged result. Returns an error if it cannot be the result of a game with these rules.
    fn meaning(&self, result: &Fields) -> Result<Meaning, String>;

    /// Returns a judge of how much luck contributed to results, if the game involves chance.
    fn luck_judge(&self) -> Option<Box<dyn LuckJudge>> {
        None
    }

    /// Returns a judge of how many points moves lost, if this game supports that. Returns an error if the file with the
    /// solution of the game cannot be used.
    fn loss_judge(&self, _by: &Judging) -> Result<Option<Box<dyn LossJudge>>, String> {
        Ok(None)
    }
}

/// The error for logged settings with which no game can be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnplayableError {
    /// A field of the settings is missing or malformed.
    #[error("{0}")]
    Malformed(String),
    /// A field of the settings has a value that this version does not support.
    #[error("{what} is {got}; this version reads {expected}")]
    Unknown {
        /// The name of the field.
        what: &'static str,
        /// The value that the field has in the log.
        got: String,
        /// A description of the values that this version supports.
        expected: String,
    },
}

impl UnplayableError {
    /// Returns an error unless the number is within this range. `what` is the name of the field.
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
