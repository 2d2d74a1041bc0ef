//! How a game plugs in: what it says once so that everybody else can play it, log it, show it and judge it
//! without knowing it.
//!
//! A game's crate implements [`MatchGame`] with its own types. [`Plugin`] and [`SettledGame`] are the same
//! with the types erased; whoever runs matches, reads logs or draws boards holds these.

mod in_process;
mod pair;

use std::any::Any;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::BoxedAgent;
use crate::fields::Fields;
use crate::outside::{FileChannel, FilePlayer, FileVenue, Files, LineChannel, LinePlayer, Lines};
use crate::player::{Counts, Player, TimeControl};
use crate::table::Table;
use in_process::InProcess;
pub use pair::{Asked, Pair};

/// What a game's scores are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// The first role collects points. A game has no winner of its own: both games of a pair count as won
    /// by whoever collected more in the first role.
    Points,
    /// A game is won (1), drawn (0.5) or lost (0) by the first role.
    Win,
}

/// What is said of a game won on the board, where games are won.
#[derive(Debug, Clone, Copy)]
pub struct Victory {
    /// How it is won, behind "an agent won".
    pub by: &'static str,
    /// What margins are counted in, if they are counted.
    pub margin: &'static str,
}

/// How a board is drawn where it is not text.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The letters of the first and of the second role's pieces; none if the letters are shown themselves.
    pub pieces: Option<[char; 2]>,
    /// What a player does that takes something from one cell to another.
    pub verb: &'static str,
    /// True if cells are named by column and row, with a comma, instead of row and column.
    pub column_first: bool,
}

/// An agent of this program.
#[derive(Debug)]
pub struct AgentAbout {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// The options that can be put behind its name, as in `nodes=NUMBER`.
    pub options: &'static [&'static str],
}

impl AgentAbout {
    /// One without options.
    pub const fn plain(name: &'static str) -> Self {
        let options = &[];
        Self { name, options }
    }
}

/// A setting of a game on the command line.
#[derive(Debug)]
pub struct OptionAbout {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// Another name.
    pub alias: Option<&'static str>,
    /// What stands for its value in help; none if it is a switch.
    pub value: Option<&'static str>,
    /// The values it can have and what they mean, if they are words.
    pub choices: &'static [(&'static str, &'static str)],
    /// What it means.
    pub help: &'static str,
    /// Reads a value.
    pub check: fn(&str) -> Result<(), String>,
}

/// Checks that a setting's value is a whole number in this range.
///
/// # Errors
///
/// If it is none.
pub fn in_range(text: &str, range: std::ops::RangeInclusive<i64>) -> Result<(), String> {
    let number: i64 = text.parse().map_err(|error| format!("{error}"))?;
    let (least, most) = (range.start(), range.end());
    match range.contains(&number) {
        true => Ok(()),
        false => Err(format!("{number} is not in {least}..={most}")),
    }
}

/// What everybody may know of a game.
#[derive(Debug)]
pub struct About {
    /// The game's name on the command line and in logs, in small letters.
    pub name: &'static str,
    /// The game's name in texts.
    pub title: &'static str,
    /// What it is, in a line of help.
    pub summary: &'static str,
    /// Both roles; scores are those of the first.
    pub roles: [&'static str; 2],
    /// What scores are.
    pub scoring: Scoring,
    /// What a game won on the board is, where games are won.
    pub victory: Option<Victory>,
    /// The time that is charged unless something else is asked for.
    pub counts: Counts,
    /// The agents of this program.
    pub agents: &'static [AgentAbout],
    /// What agents can be, for `--help`.
    pub agents_help: &'static str,
    /// Names of agents that are not to be had, and why.
    pub refused: &'static [(&'static str, &'static str)],
    /// The wires that commands on stdin and stdout may speak, the usual one first; empty if commands read
    /// and write files.
    pub wires: &'static [&'static str],
    /// True if daemons can play over sockets.
    pub has_daemons: bool,
    /// Its settings.
    pub options: &'static [OptionAbout],
    /// What is measured on its boards.
    pub measures: &'static [&'static str],
    /// How its boards are drawn.
    pub look: Look,
}

impl About {
    /// The side that has this role, by its name in any case.
    pub fn side(&self, role: &str) -> Option<usize> {
        let mut roles = self.roles.iter();
        roles.position(|known| known.eq_ignore_ascii_case(role))
    }

    /// A role's name in texts.
    pub fn role(&self, logged: &str) -> &'static str {
        self.side(logged).map_or("?", |side| self.roles[side])
    }

    /// The names of both roles as keys of a log.
    pub fn keys(&self) -> [String; 2] {
        self.roles.map(str::to_lowercase)
    }
}

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

/// Who sits down at a table.
pub enum Seat<'a> {
    /// An agent of this program.
    BuiltIn {
        /// One of [`About::agents`].
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
        /// One of [`About::wires`].
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
}

/// What a move did on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// Who moved.
    pub side: usize,
    /// The letter of the tile or piece that was placed.
    pub tile: Option<char>,
    /// The cell that a tile or piece left, row by row; none for a placement.
    pub from: Option<usize>,
    /// The cell it is on now; none for a pass.
    pub to: Option<usize>,
}

/// A logged game's board, move by move.
pub trait Board: Send + Sync {
    /// Makes a move as the log has it. Moves that a referee let through may break the written rules; what
    /// can be carried out, is.
    ///
    /// # Errors
    ///
    /// What was expected and what came, if it cannot.
    fn follow(&mut self, text: &str) -> Result<Moved, String>;

    /// The board for a terminal, the last move marked where the game's pictures do that.
    fn text(&self, coloured: bool) -> String;

    /// Cells in a row.
    fn columns(&self) -> usize;

    /// The letters on the cells, row by row, with a blank for nothing.
    fn letters(&self) -> String;

    /// What is measured, in the order of [`About::measures`].
    fn measured(&self) -> Vec<u32>;

    /// Another one like it.
    fn copy(&self) -> Box<dyn Board>;
}

/// Judges how much of a result was luck.
pub trait LuckJudge {
    /// What chance brought the first role in a game, in points; none if its moves cannot be made.
    /// `at_fault` is the side whose fault ended the game, if one's did.
    fn luck(&mut self, result: &Fields, moves: &[String], at_fault: Option<usize>) -> Option<f64>;
}

/// A game, with its own types.
pub trait MatchGame: Sync + Sized + 'static {
    /// The referee's table.
    type Table: Table<Rules = Self::Rules, Position = Self::Position, Move = Self::Move> + 'static;
    /// What is settled before the first move. As JSON it is what a log's header keeps.
    type Rules: Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What players see.
    type Position: Clone + Send + 'static;
    /// What they choose.
    type Move: Copy + Send + 'static;
    /// What an agent needs from files.
    type Resources: Default + Send + Sync + 'static;

    /// What everybody may know.
    fn about() -> &'static About;

    /// The rules by the options that were given; `given` has the value of a setting, or an empty one for
    /// a switch.
    fn rules(given: &dyn Fn(&str) -> Option<String>) -> Self::Rules;

    /// What is wrong with rules that come from a log, if anything is: the field, its value, and what is
    /// possible.
    fn unplayable(_rules: &Self::Rules) -> Option<(&'static str, String, String)> {
        None
    }

    /// The game and its rules in a sentence about a finished match.
    fn conditions(rules: &Self::Rules) -> String;

    /// The same in a few words about one that begins.
    fn place(rules: &Self::Rules) -> String;

    /// What must be given besides so that this wire can be spoken by these rules, if it cannot.
    fn wire_objection(_rules: &Self::Rules, _wire: &str) -> Option<&'static str> {
        None
    }

    /// What an agent needs from files.
    ///
    /// # Errors
    ///
    /// If that is not to be had.
    fn resources(
        _rules: &Self::Rules,
        _name: &str,
        _options: &AgentOptions,
    ) -> Result<Self::Resources, String> {
        Ok(Self::Resources::default())
    }

    /// An agent of this program; `nodes` is the least of all limits that hold for it.
    fn agent(
        rules: &Self::Rules,
        name: &str,
        resources: &Self::Resources,
        nodes: Option<u64>,
        seed: u64,
    ) -> BoxedAgent<Self::Position, Self::Move>;

    /// The words of a wire.
    fn lines(_wire: &str) -> Option<Box<dyn Lines<Self::Position, Self::Move>>> {
        None
    }

    /// The words in files for a command with this time.
    fn files(
        _rules: &Self::Rules,
        _time: TimeControl,
    ) -> Option<Box<dyn Files<Self::Position, Self::Move>>> {
        None
    }

    /// Where a command finds its files.
    fn file_venue(_rules: &Self::Rules) -> Option<FileVenue> {
        None
    }

    /// The words with which this program becomes a daemon that plays such games; `{port}` stands for the
    /// port.
    fn daemon_words(
        _rules: &Self::Rules,
        _agent: &str,
        _name: &str,
        _time: TimeControl,
        _seed: u64,
    ) -> Vec<String> {
        Vec::new()
    }

    /// What a logged result means.
    ///
    /// # Errors
    ///
    /// If it cannot be the result of a game by these rules.
    fn meaning(rules: &Self::Rules, result: &Fields) -> Result<Meaning, String>;

    /// The beginning of a logged game.
    fn board(rules: &Self::Rules, result: &Fields) -> Box<dyn Board>;

    /// A judge of luck, if chance decides anything.
    fn luck_judge(_rules: &Self::Rules) -> Option<Box<dyn LuckJudge>> {
        None
    }
}

/// A game whose types are erased.
pub trait Plugin: Sync {
    /// What everybody may know.
    fn about(&self) -> &'static About;

    /// The game by the options that were given, see [`MatchGame::rules`].
    fn by_options(&self, given: &dyn Fn(&str) -> Option<String>) -> Arc<dyn SettledGame>;

    /// The game by the settings of a log's header.
    ///
    /// # Errors
    ///
    /// If they are none of this game, or it cannot be played by them.
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
        /// The field.
        what: &'static str,
        /// Its value.
        got: String,
        /// What is possible.
        expected: String,
    },
}

/// A game whose rules are settled.
pub trait SettledGame: Send + Sync {
    /// What everybody may know.
    fn about(&self) -> &'static About;
    /// The rules as a log's header keeps them.
    fn fields(&self) -> Fields;
    /// See [`MatchGame::conditions`].
    fn conditions(&self) -> String;
    /// See [`MatchGame::place`].
    fn place(&self) -> String;
    /// See [`MatchGame::wire_objection`].
    fn wire_objection(&self, wire: &str) -> Option<&'static str>;
    /// See [`MatchGame::file_venue`].
    fn file_venue(&self) -> Option<FileVenue>;
    /// See [`MatchGame::daemon_words`].
    fn daemon_words(&self, agent: &str, name: &str, time: TimeControl, seed: u64) -> Vec<String>;
    /// See [`MatchGame::resources`].
    ///
    /// # Errors
    ///
    /// If they are not to be had.
    fn resources(&self, name: &str, options: &AgentOptions) -> Result<Resources, String>;
    /// Two players at a table, for the two games of a pair.
    ///
    /// # Errors
    ///
    /// If a player does not play this game.
    fn pair(&self, seats: [Seat<'_>; 2], seed: u64) -> io::Result<Box<dyn Pair + '_>>;
    /// See [`MatchGame::meaning`].
    ///
    /// # Errors
    ///
    /// If it cannot be the result of a game by these rules.
    fn meaning(&self, result: &Fields) -> Result<Meaning, String>;
    /// See [`MatchGame::board`].
    fn board(&self, result: &Fields) -> Box<dyn Board>;
    /// See [`MatchGame::luck_judge`].
    fn luck_judge(&self) -> Option<Box<dyn LuckJudge>>;
}

/// A typed game as a [`Plugin`]: an entry of the slice of all games.
pub struct Erased<G>(std::marker::PhantomData<fn() -> G>);

impl<G: MatchGame> Erased<G> {
    /// The game.
    pub const fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<G: MatchGame> Default for Erased<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: MatchGame> Plugin for Erased<G> {
    fn about(&self) -> &'static About {
        G::about()
    }

    fn by_options(&self, given: &dyn Fn(&str) -> Option<String>) -> Arc<dyn SettledGame> {
        let rules = G::rules(given);
        Arc::new(Settled::<G> { rules })
    }

    fn by_fields(&self, fields: &Fields) -> Result<Arc<dyn SettledGame>, UnplayableError> {
        let read = fields.read();
        let rules = read.map_err(|error| UnplayableError::Malformed(error.to_string()))?;
        match G::unplayable(&rules) {
            None => Ok(Arc::new(Settled::<G> { rules })),
            Some((what, got, expected)) => Err(UnplayableError::Unknown {
                what,
                got,
                expected,
            }),
        }
    }
}

struct Settled<G: MatchGame> {
    rules: G::Rules,
}

impl<G: MatchGame> Settled<G> {
    fn player(&self, seat: Seat) -> io::Result<Box<dyn Player<G::Position, G::Move>>> {
        let strange = |what: &str| {
            let title = G::about().title;
            io::Error::other(format!("{what} does not play {title}"))
        };
        Ok(match seat {
            Seat::BuiltIn {
                name,
                options,
                resources,
                nodes,
                seed,
            } => {
                let resources = resources.downcast_ref().ok_or_else(|| strange(name))?;
                let nodes = [options.nodes, nodes].into_iter().flatten().min();
                Box::new(InProcess {
                    agent: G::agent(&self.rules, name, resources, nodes, seed),
                    nodes,
                    depth: options.depth,
                    counts: G::about().counts,
                })
            }
            Seat::Lines { wire, channel } => {
                let lines = G::lines(wire).ok_or_else(|| strange(wire))?;
                Box::new(LinePlayer { lines, channel })
            }
            Seat::Files { time, channel } => {
                let files = G::files(&self.rules, time).ok_or_else(|| strange("a command"))?;
                Box::new(FilePlayer { files, channel })
            }
        })
    }
}

impl<G: MatchGame> SettledGame for Settled<G> {
    fn about(&self) -> &'static About {
        G::about()
    }

    fn fields(&self) -> Fields {
        Fields::of(&self.rules)
    }

    fn conditions(&self) -> String {
        G::conditions(&self.rules)
    }

    fn place(&self) -> String {
        G::place(&self.rules)
    }

    fn wire_objection(&self, wire: &str) -> Option<&'static str> {
        G::wire_objection(&self.rules, wire)
    }

    fn file_venue(&self) -> Option<FileVenue> {
        G::file_venue(&self.rules)
    }

    fn daemon_words(&self, agent: &str, name: &str, time: TimeControl, seed: u64) -> Vec<String> {
        G::daemon_words(&self.rules, agent, name, time, seed)
    }

    fn resources(&self, name: &str, options: &AgentOptions) -> Result<Resources, String> {
        Ok(Box::new(G::resources(&self.rules, name, options)?))
    }

    fn pair(&self, [first, second]: [Seat<'_>; 2], seed: u64) -> io::Result<Box<dyn Pair + '_>> {
        let players = [self.player(first)?, self.player(second)?];
        Ok(Box::new(pair::Players::<G::Table>::new(
            &self.rules,
            seed,
            players,
        )))
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        G::meaning(&self.rules, result)
    }

    fn board(&self, result: &Fields) -> Box<dyn Board> {
        G::board(&self.rules, result)
    }

    fn luck_judge(&self) -> Option<Box<dyn LuckJudge>> {
        G::luck_judge(&self.rules)
    }
}
