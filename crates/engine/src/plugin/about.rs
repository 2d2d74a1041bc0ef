//! The public description of a game: names, roles, agents, settings, graphical style.

use crate::player::Counts;

/// The kind of scores that a game has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// The first role collects points. A game by itself has no winner: the player that collected more points in the
    /// first role wins both games of a pair.
    Points,
    /// The first role wins (1), draws (0.5) or loses (0) a game.
    Win,
}

/// How to describe a win on the board, if games can be won.
#[derive(Debug, Clone, Copy)]
pub struct Victory {
    /// How the game was won: text after "an agent won".
    pub by: &'static str,
    /// The unit of margins, if margins are counted.
    pub margin: &'static str,
}

/// How to draw a board graphically.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The letters of the first and of the second role's pieces; `None` to show the letters themselves.
    pub pieces: Option<[char; 2]>,
    /// The verb for moving something from one cell to another.
    pub verb: &'static str,
    /// True if cells are named by column and row, with a comma, rather than by row and column.
    pub column_first: bool,
}

/// A built-in agent.
#[derive(Debug)]
pub struct AgentAbout {
    /// The name that selects the agent.
    pub name: &'static str,
    /// The options allowed after its name, as in `nodes=NUMBER`.
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

/// A setting of a game on the command line.
#[derive(Debug)]
pub struct OptionAbout {
    /// The name, without dashes.
    pub name: &'static str,
    /// An alternative name, without dashes.
    pub alias: Option<&'static str>,
    /// The placeholder for the value in help; `None` for a switch.
    pub value: Option<&'static str>,
    /// The allowed words and their meanings, if values are words.
    pub choices: &'static [(&'static str, &'static str)],
    /// One line of help about the setting.
    pub help: &'static str,
    /// Validates a value; the error gives the reason.
    pub check: fn(&str) -> Result<(), String>,
}

/// Checks that a setting's value is a whole number in this range.
pub fn in_range(text: &str, range: std::ops::RangeInclusive<i64>) -> Result<(), String> {
    let number: i64 = text.parse().map_err(|error| format!("{error}"))?;
    let (least, most) = (range.start(), range.end());
    match range.contains(&number) {
        true => Ok(()),
        false => Err(format!("{number} is not in {least}..={most}")),
    }
}

/// A sample command line in a command's help.
#[derive(Debug)]
pub struct Example {
    /// The command that the example belongs to, for example `arena`.
    pub command: &'static str,
    /// The arguments of the command.
    pub words: &'static str,
    /// What the example shows; may be empty.
    pub shows: &'static str,
}

impl Example {
    /// Creates an example of `turnwise COMMAND WORDS`.
    pub const fn new(command: &'static str, words: &'static str, shows: &'static str) -> Self {
        Self {
            command,
            words,
            shows,
        }
    }
}

/// The participants' names if more than two sit at a table.
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
    /// The game's name in text.
    pub title: &'static str,
    /// One line of help about the game.
    pub summary: &'static str,
    /// Both roles; scores belong to the first role.
    pub roles: [&'static str; 2],
    /// Whether games are scored in points or only won, drawn and lost.
    pub scoring: Scoring,
    /// How games are won on the board; `None` for games scored in points.
    pub victory: Option<Victory>,
    /// The time that is charged by default.
    pub counts: Counts,
    /// The built-in agents.
    pub agents: &'static [AgentAbout],
    /// A description of the available agents, for `--help`.
    pub agents_help: &'static str,
    /// The features that both games of a pair share, as listed in `--help`.
    pub shared: &'static str,
    /// Examples for the help of commands that apply to all games.
    pub examples: &'static [Example],
    /// Agent names that are rejected, with the reasons.
    pub refused: &'static [(&'static str, &'static str)],
    /// The wires that commands may use on stdin and stdout, default first; empty if commands read and write files.
    pub wires: &'static [&'static str],
    /// True if daemons can play over sockets.
    pub has_daemons: bool,
    /// The settings that the game adds to the command line.
    pub options: &'static [OptionAbout],
    /// The names of [`Board`](super::Board)'s measurements after each move, for charts.
    pub measures: &'static [&'static str],
    /// How to draw the game's boards.
    pub look: Look,
}

impl About {
    /// Returns the side with this role; the role's name is case-insensitive.
    pub fn side(&self, role: &str) -> Option<usize> {
        let mut roles = self.roles.iter();
        roles.position(|known| known.eq_ignore_ascii_case(role))
    }

    /// Returns a role's name for text. With more than two participants, the participant's number is the role.
    pub fn role(&self, logged: &str) -> &'static str {
        let mut all = self.roles.into_iter().chain(PARTICIPANTS);
        all.find(|known| known.eq_ignore_ascii_case(logged))
            .unwrap_or("?")
    }

    /// Returns the names of the roles for this number of players, at most [`MOST_SEATS`].
    pub fn roles_of(&'static self, players: usize) -> &'static [&'static str] {
        match players {
            ..=2 => &self.roles,
            _ => &PARTICIPANTS[..players],
        }
    }

    /// Returns the names of both roles as keys of a log.
    pub fn keys(&self) -> [String; 2] {
        self.roles.map(str::to_lowercase)
    }
}
