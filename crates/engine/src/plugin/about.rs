//! The public description of a game: its names, roles, agents, settings and graphical style.

use std::fmt;

use serde::Serialize;

use super::Level;
use crate::player::Counts;

/// The kind of scores that the games of a match have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// The first role collects points. A single game has no winner: both games of a pair count as wins for the player
    /// that collected more points in the first role.
    Points,
    /// A game is won, drawn or lost: the score is 1 if the first role won, 0.5 for a draw, and 0 if it lost.
    Win,
}

/// The smallest losses at which a review marks a move, in the unit of [`JudgedMove::lost`](super::JudgedMove::lost).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Thresholds {
    /// The smallest loss of an inaccuracy.
    pub inaccuracy: f64,
    /// The smallest loss of a mistake.
    pub mistake: f64,
    /// The smallest loss of a blunder.
    pub blunder: f64,
}

impl Thresholds {
    /// The thresholds of lichess for games that are won or lost: 5, 10 and 15 percentage points of the winning chance.
    pub const CHANCE: Self = Self::new(0.05, 0.1, 0.15);

    /// Creates the thresholds of an inaccuracy, a mistake and a blunder.
    pub const fn new(inaccuracy: f64, mistake: f64, blunder: f64) -> Self {
        Self {
            inaccuracy,
            mistake,
            blunder,
        }
    }
}

/// The words that describe a win on the board, for games that can be won.
#[derive(Debug, Clone, Copy)]
pub struct Victory {
    /// How the game was won. This text follows the words "an agent won".
    pub by: &'static str,
    /// The unit in which winning margins are counted; empty if they are not counted.
    pub margin: &'static str,
}

/// The texts about a game in the help of commands.
#[derive(Debug)]
pub struct Help {
    /// A description of the game, which is one line.
    pub summary: &'static str,
    /// A description of the agents.
    pub agents: &'static str,
    /// What both games of a pair have in common.
    pub shared: &'static str,
    /// Examples with this game, for commands that work with all games.
    pub examples: &'static [Example],
}

/// The graphical style of a game's boards and charts.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The two letters that the board draws as pieces: of the first and of the second role. `None` if it draws no
    /// pieces.
    pub pieces: Option<[char; 2]>,
    /// The verb that describes a move of a piece or tile from one cell to another, for example "slides".
    pub verb: &'static str,
    /// True if the name of a cell states the column first, then a comma and the row. Otherwise the row comes first.
    pub column_first: bool,
    /// The names of the values that [`Table::measured`](crate::table::Table::measured) returns after each move, for
    /// charts.
    pub measures: &'static [&'static str],
}

/// The description of a built-in agent.
#[derive(Debug)]
pub struct AgentAbout {
    /// The name with which users select the agent.
    pub name: &'static str,
    /// The options that users can add to the agent's name, for example `nodes=NUMBER`.
    pub options: &'static [&'static str],
}

impl AgentAbout {
    /// Creates the description of an agent without options.
    pub const fn plain(name: &'static str) -> Self {
        Self::new(name, &[])
    }

    /// Creates the description of an agent with these options.
    pub const fn new(name: &'static str, options: &'static [&'static str]) -> Self {
        Self { name, options }
    }
}

/// The description of a command-line option that sets one of the rules of a game.
pub struct OptionAbout {
    /// The name of the option, without dashes.
    pub name: &'static str,
    /// An alternative name of the option, without dashes.
    pub alias: Option<&'static str>,
    /// The placeholder for the option's value in help texts; `None` for a switch, which has no value.
    pub value: Option<&'static str>,
    /// The allowed values and their meanings, if the option's values are words; otherwise empty.
    pub choices: &'static [(&'static str, &'static str)],
    /// Values that a form offers at once, the best for people first; empty if people rarely change the setting.
    pub offered: &'static [&'static str],
    /// The help text for the setting, which is one line.
    pub help: &'static str,
    /// Validates a value of the setting. It never receives a value outside of `choices`, unless that list is empty.
    pub check: Check,
}

impl OptionAbout {
    /// Creates a setting that is either on or off.
    pub const fn switch(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            alias: None,
            value: None,
            choices: &[],
            offered: &[],
            help,
            check: &|_| Ok(()),
        }
    }

    /// Creates a setting whose value must pass `check`. Help texts use `value` as the placeholder.
    pub const fn checked(
        name: &'static str,
        value: &'static str,
        help: &'static str,
        check: Check,
    ) -> Self {
        Self {
            value: Some(value),
            check,
            ..Self::switch(name, help)
        }
    }

    /// Creates a setting whose value is among `choices`, each with its help text.
    pub const fn choice(
        name: &'static str,
        value: &'static str,
        choices: &'static [(&'static str, &'static str)],
        help: &'static str,
    ) -> Self {
        Self {
            value: Some(value),
            choices,
            ..Self::switch(name, help)
        }
    }
}

impl fmt::Debug for OptionAbout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("OptionAbout").field(&self.name).finish()
    }
}

/// Validates the value of a setting. The error says why the value is not allowed.
pub type Check = &'static (dyn Fn(&str) -> Result<(), String> + Sync);

/// Checks that a setting's value is a whole number in this range.
pub fn in_range(text: &str, range: std::ops::RangeInclusive<i64>) -> Result<(), String> {
    let number: i64 = text.parse().map_err(|error| format!("{error}"))?;
    let (least, most) = (range.start(), range.end());
    match range.contains(&number) {
        true => Ok(()),
        false => Err(format!("{number} is not in {least}..={most}")),
    }
}

/// A sample command line for the help of a command.
#[derive(Debug)]
pub struct Example {
    /// The command that the example belongs to, for example `arena`.
    pub command: &'static str,
    /// The arguments after the name of the command.
    pub words: &'static str,
    /// A description of the sample command's output; may be empty.
    pub shows: &'static str,
}

impl Example {
    /// Creates an example with the command line `turnwise COMMAND WORDS`.
    pub const fn new(command: &'static str, words: &'static str, shows: &'static str) -> Self {
        Self {
            command,
            words,
            shows,
        }
    }
}

/// A paragraph of the rules of a game, and a position that illustrates it.
#[derive(Debug)]
pub struct Rule {
    /// The paragraph.
    pub words: &'static str,
    /// A position; `None` if the paragraph needs no picture.
    pub example: Option<RuleExample>,
}

/// A position that illustrates a rule.
#[derive(Debug)]
pub struct RuleExample {
    /// A caption of the position, in one sentence.
    pub caption: &'static str,
    /// The settings that differ from the usual ones: the names of options, and their values.
    pub options: &'static [(&'static str, &'static str)],
    /// The position before the moves, in the game's notation.
    pub position: &'static str,
    /// The moves that lead to the position that is shown, in the notation of logs.
    pub moves: &'static [&'static str],
}

impl Rule {
    /// Creates a paragraph without a position.
    pub const fn plain(words: &'static str) -> Self {
        Self {
            words,
            example: None,
        }
    }
}

/// The names of the participants at a table for more than two.
const PARTICIPANTS: [&str; 10] = [
    "Player 1",
    "Player 2",
    "Player 3",
    "Player 4",
    "Player 5",
    "Player 6",
    "Player 7",
    "Player 8",
    "Player 9",
    "Player 10",
];

/// The maximum number of participants at a table.
pub const MOST_SEATS: usize = PARTICIPANTS.len();

/// The public description of a game.
#[derive(Debug)]
pub struct About {
    /// The game's name on the command line and in logs, in lower case.
    pub name: &'static str,
    /// The game's display name.
    pub title: &'static str,
    /// The names of both roles. The score of a game is the score of the first role.
    pub roles: [&'static str; 2],
    /// Whether games are scored in points or only won, drawn and lost.
    pub scoring: Scoring,
    /// The losses at which a review marks a move.
    pub thresholds: Thresholds,
    /// The words that describe a win on the board; `None` for games that are scored in points.
    pub victory: Option<Victory>,
    /// The kind of time that is charged to the players' clocks by default.
    pub counts: Counts,
    /// The descriptions of the game's built-in agents, the strongest first.
    pub agents: &'static [AgentAbout],
    /// The levels of strength for human opponents, weakest first; empty if the levels were never measured.
    pub levels: &'static [Level],
    /// The name of the built-in agent that plays random legal moves.
    pub random_agent: &'static str,
    /// The names of the wires (message formats) that programs can use on stdin and stdout. The first is the default.
    /// Empty if programs play this game by reading and writing files.
    pub wires: &'static [&'static str],
    /// True if the game can be played over sockets, by daemons.
    pub has_daemons: bool,
    /// The descriptions of the settings that the game adds to the command line.
    pub options: &'static [OptionAbout],
    /// The texts about the game in the help of commands.
    pub help: Help,
    /// The rules of the game, for newcomers. Empty if the game has no such text.
    pub rules: &'static [Rule],
    /// True if the program contains puzzles of the game.
    pub has_puzzles: bool,
    /// The graphical style of the game's boards and charts.
    pub look: Look,
    /// The names of the optional abilities that the game lacks. The contract suite compares this list with the game.
    ///
    /// | name | ability |
    /// |---|---|
    /// | `view` | [`Table::view`](crate::table::Table::view) shows the board as a grid or as cards |
    /// | `study` | [`GameRules::study`](super::GameRules::study) ranks several moves |
    /// | `set-up` | [`GameRules::set_up`](super::GameRules::set_up) and its inverse read and write positions |
    /// | `loss` | [`UntypedGame::loss_judge`](super::UntypedGame::loss_judge) computes how many points moves lost |
    /// | `luck` | [`UntypedGame::luck_judge`](super::UntypedGame::luck_judge) computes how many points chance gained |
    /// | `programs` | programs can play, by lines ([`About::wires`]) or by files |
    /// | `starters` | the folder `starters` contains programs for this game |
    pub lacks: &'static [&'static str],
}

impl About {
    /// Returns the number of the side with this role, 0 or 1. Upper and lower case in the role's name are equivalent.
    pub fn side(&self, role: &str) -> Option<usize> {
        let mut roles = self.roles.iter();
        roles.position(|known| known.eq_ignore_ascii_case(role))
    }

    /// Returns the name of a role for texts, given the name in a log. With more than two participants, the roles are
    /// "Player 1", "Player 2" and so on.
    pub fn role(&self, logged: &str) -> &'static str {
        let mut all = self.roles.into_iter().chain(PARTICIPANTS);
        all.find(|known| known.eq_ignore_ascii_case(logged))
            .unwrap_or("?")
    }

    /// Returns the names of the roles in a game with this number of players, which must be at most [`MOST_SEATS`].
    pub fn roles_of(&'static self, players: usize) -> &'static [&'static str] {
        match players {
            ..=2 => &self.roles,
            _ => &PARTICIPANTS[..players],
        }
    }

    /// Returns the names of both roles in lower case, as the keys in a log.
    pub fn keys(&self) -> [String; 2] {
        self.roles.map(str::to_lowercase)
    }
}
