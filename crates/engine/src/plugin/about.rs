//! What everybody may know of a game: names, roles, agents, settings, how its boards are drawn.

use crate::player::Counts;

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
    /// An agent without options.
    pub const fn plain(name: &'static str) -> Self {
        Self::new(name, &[])
    }

    /// An agent with these options.
    pub const fn new(name: &'static str, options: &'static [&'static str]) -> Self {
        Self { name, options }
    }
}

/// A setting of a game on the command line.
#[derive(Debug)]
pub struct OptionAbout {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// A second name for the same option, without the dashes.
    pub alias: Option<&'static str>,
    /// What stands for its value in help; none if it is a switch.
    pub value: Option<&'static str>,
    /// The values it can have and what they mean, if they are words.
    pub choices: &'static [(&'static str, &'static str)],
    /// What the setting does, as a line of help.
    pub help: &'static str,
    /// Refuses a value that is not possible, with the reason.
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

/// A line to type, among the examples of a command's help.
#[derive(Debug)]
pub struct Example {
    /// The command that it is an example of, as in `arena`.
    pub command: &'static str,
    /// What stands behind the command.
    pub words: &'static str,
    /// What it shows; may be empty.
    pub shows: &'static str,
}

impl Example {
    /// An example of `turnwise COMMAND WORDS`.
    pub const fn new(command: &'static str, words: &'static str, shows: &'static str) -> Self {
        Self {
            command,
            words,
            shows,
        }
    }
}

/// What participants are called where more than two sit at a table.
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

/// The most participants that can sit at a table.
pub const MOST_SEATS: usize = PARTICIPANTS.len();

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
    /// Whether games are scored in points or only won, drawn and lost.
    pub scoring: Scoring,
    /// How games are won on the board; none where they are scored in points.
    pub victory: Option<Victory>,
    /// The time that is charged unless something else is asked for.
    pub counts: Counts,
    /// The agents of this program.
    pub agents: &'static [AgentAbout],
    /// What agents can be, for `--help`.
    pub agents_help: &'static str,
    /// What both games of a pair share, behind "with the same" in `--help`.
    pub shared: &'static str,
    /// Examples for the help of commands that are for all games.
    pub examples: &'static [Example],
    /// Names of agents that are not to be had, and why.
    pub refused: &'static [(&'static str, &'static str)],
    /// The wires that commands on stdin and stdout may speak, the usual one first; empty if commands read
    /// and write files.
    pub wires: &'static [&'static str],
    /// True if daemons can play over sockets.
    pub has_daemons: bool,
    /// The settings that the game adds to the command line.
    pub options: &'static [OptionAbout],
    /// The names of what [`Board`](super::Board) measures after each move, for charts.
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

    /// A role's name in texts; of more than two participants their number is their role.
    pub fn role(&self, logged: &str) -> &'static str {
        let mut all = self.roles.into_iter().chain(PARTICIPANTS);
        all.find(|known| known.eq_ignore_ascii_case(logged))
            .unwrap_or("?")
    }

    /// The names of the roles where so many play, at most [`MOST_SEATS`].
    pub fn roles_of(&'static self, players: usize) -> &'static [&'static str] {
        match players {
            ..=2 => &self.roles,
            _ => &PARTICIPANTS[..players],
        }
    }

    /// The names of both roles as keys of a log.
    pub fn keys(&self) -> [String; 2] {
        self.roles.map(str::to_lowercase)
    }
}
