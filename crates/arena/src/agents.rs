//! The agents that can take part in a match, and how users name them on the command line.

use std::fmt;
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};

use thiserror::Error;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::{About, AgentAbout, AgentOptions};

use crate::records::one_of;

/// Lists all kinds of agents that can play a game, for error messages.
fn kinds(game: &About) -> String {
    let agents = game.agents.iter().map(|agent| agent.name.to_owned());
    let others = game.wires.iter().skip(1);
    let others = others.map(|wire| format!("cmd/{wire}:WORDS"));
    let daemon = game.has_daemons.then(|| "daemon:WORDS".to_owned());
    let others_there = [HUMAN.to_owned(), "cmd:WORDS".to_owned()];
    one_of(agents.chain(others_there).chain(others).chain(daemon))
}

/// One agent of a match, which the user writes as `[NAME=]KIND[:...]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name that the user gave the agent, if any.
    pub name: Option<String>,
    /// The kind of the agent: a built-in agent, a program, a remote daemon or a person.
    pub kind: Kind,
    /// The folder with a command's files, if the user named one with `folder=DIR`.
    pub folder: Option<PathBuf>,
}

/// The kind of agent that a [`Spec`] names.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// An agent that is part of turnwise itself.
    BuiltIn {
        /// The agent's name in the game.
        agent: &'static str,
        /// The options that follow the agent's name on the command line.
        options: AgentOptions,
        /// The agent's share of the match's time (time odds), above 0 and at most 1.
        part: Option<f64>,
    },
    /// A program that the user provides.
    Program {
        /// The program and its arguments.
        words: Vec<String>,
        /// How the arena communicates with the program.
        way: Way,
        /// Time odds: the program's share of the match's time, above 0 and at most 1.
        part: Option<f64>,
    },
    /// A daemon that someone else runs and that connects to the host of a tournament.
    Remote,
    /// A person at the keyboard.
    Human,
}

/// The keyword for [`Kind::Human`] on the command line.
pub const HUMAN: &str = "human";

/// The keyword for [`Kind::Remote`] on the command line.
pub const REMOTE: &str = "remote";

/// How the arena communicates with a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The arena starts a process for each game, which uses the wire (message format) with this name on
    /// stdin and stdout.
    Lines(&'static str),
    /// Like `Lines`, but with the game's default wire, which the user need not name.
    UsualLines(&'static str),
    /// The arena starts a process for each move, which reads and writes files.
    Files,
    /// The arena starts a process for each pair, which connects by TCP.
    Daemon,
}

/// The reason why a text on the command line does not describe an agent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    /// The game has no agent or wire with this name.
    #[error("expected {expected}, got {got}")]
    Unknown {
        /// The names of the game's agents or wires, one of which was expected.
        expected: String,
        /// The unknown word.
        got: String,
    },
    /// An unknown option, or an invalid value of a known option.
    #[error("expected one of {expected} after `{agent}:`, got {got:?}", expected = .known.join(", "))]
    Option {
        /// The options that the agent has.
        known: &'static [&'static str],
        /// The name of the built-in agent, or `cmd`.
        agent: &'static str,
        /// The text that the user wrote as an option.
        got: String,
    },
    /// The text contains an option for an agent that has none.
    #[error("{agent} has no options, got {got:?}")]
    NoOptions {
        /// The built-in agent's name in the game.
        agent: &'static str,
        /// The text that the user wrote as an option.
        got: String,
    },
    /// An option follows the words of a command, but must precede them. It would become a part of the last word.
    #[error("{what} before the words of the command: cmd:{option}:{words}")]
    OptionBehind {
        /// The beginning of the error message, for example `write time odds`.
        what: &'static str,
        /// The option as the user wrote it, for example `time=0.5`.
        option: String,
        /// The words of the command without the option.
        words: String,
    },
    /// The command line is empty, has an unclosed quote, or contains a NUL byte.
    #[error("expected a command line as in a shell, got {0:?}")]
    Words(String),
}

impl Spec {
    /// Parses the text on the command line that describes an agent of `game`.
    pub fn read(game: &About, text: &str) -> Result<Self, SpecError> {
        let head = text.split(':').next().unwrap_or(text);
        let (name, rest) = match head.split_once('=') {
            Some((name, _)) if !name.is_empty() => (Some(name.to_owned()), &text[name.len() + 1..]),
            _ => (None, text),
        };
        let (kind, options) = match rest.split_once(':') {
            Some((kind, options)) => (kind, Some(options)),
            None => (rest, None),
        };
        let mut folder = None;
        let kind = match kind {
            "cmd" => {
                let wire = game.wires.first().copied();
                let way = wire.map_or(Way::Files, Way::UsualLines);
                command(options, way, &mut folder)?
            }
            "daemon" if game.has_daemons => Kind::Program {
                words: words(options)?,
                way: Way::Daemon,
                part: None,
            },
            HUMAN if options.is_none() => Kind::Human,
            REMOTE if game.has_daemons && options.is_none() => Kind::Remote,
            _ => match kind.strip_prefix("cmd/").filter(|_| !game.wires.is_empty()) {
                Some(wire) => {
                    let at = game.wires.iter().position(|known| *known == wire);
                    let at = at.ok_or_else(|| {
                        let wires = game.wires.iter().map(|wire| format!("cmd/{wire}"));
                        SpecError::Unknown {
                            expected: one_of(wires),
                            got: kind.to_owned(),
                        }
                    })?;
                    let way = if at == 0 { Way::UsualLines } else { Way::Lines };
                    command(options, way(game.wires[at]), &mut folder)?
                }
                None => built_in(game, kind, options)?,
            },
        };
        Ok(Self { name, kind, folder })
    }
}

fn words(text: Option<&str>) -> Result<Vec<String>, SpecError> {
    let text = text.unwrap_or_default();
    // An argument of a program cannot contain a NUL byte, but a log may contain one.
    shlex::split(text)
        .filter(|words| !words.is_empty() && !text.contains('\0'))
        .ok_or_else(|| SpecError::Words(text.to_owned()))
}

/// The options that may precede the words of a command.
const OF_COMMANDS: &[&str] = &["time=PART", "folder=DIR"];

/// Splits an option into its key and its value. Returns `None` if it is not one of the `known` options.
fn key_and_value<'a>(option: &'a str, known: &[&str]) -> Option<(&'a str, &'a str)> {
    let mut keys = known.iter().filter_map(|known| known.split_once('='));
    option
        .split_once('=')
        .filter(|(key, _)| keys.any(|(known, _)| known == *key))
}

/// Parses the options of an agent. `set` receives the key and the value of each option, and returns false if the value
/// is invalid.
fn read_options(
    options: Option<&str>,
    known: &'static [&'static str],
    agent: &'static str,
    mut set: impl FnMut(&str, &str) -> bool,
) -> Result<(), SpecError> {
    let mut options = options.into_iter().flat_map(|options| options.split(','));
    let is_wrong =
        |option: &&str| !key_and_value(option, known).is_some_and(|(key, value)| set(key, value));
    options.find(is_wrong).map_or(Ok(()), |option| {
        let got = option.to_owned();
        Err(match known {
            [] => SpecError::NoOptions { agent, got },
            _ => SpecError::Option { known, agent, got },
        })
    })
}

/// Returns true unless the character is special in a command line, as white space, quotes and backslashes are.
fn is_plain(letter: char) -> bool {
    !letter.is_whitespace() && !"'\"\\".contains(letter)
}

/// Parses a command, `[time=PART,folder=DIR:]WORDS`, and stores its folder in `folder`.
///
/// An option that follows the words is an error; it does not become part of the command.
fn command(text: Option<&str>, way: Way, folder: &mut Option<PathBuf>) -> Result<Kind, SpecError> {
    let mut part = None;
    let text = text.unwrap_or_default();
    let (options, text) = match text.split_once(':') {
        Some((options, words)) if key_and_value(options, OF_COMMANDS).is_some() => {
            (Some(options), words)
        }
        _ => (None, text),
    };
    read_options(options, OF_COMMANDS, "cmd", |key, value| match key {
        "time" => {
            part = value.parse().ok().filter(is_part);
            part.is_some()
        }
        _ => {
            *folder = Some(PathBuf::from(value));
            !value.is_empty() && !value.contains('\0')
        }
    })?;
    if let Some((words, option)) = text.rsplit_once(':') {
        let what = match option.split_once('=') {
            Some(("time", part)) if part.parse().is_ok_and(|part| is_part(&part)) => {
                "write time odds"
            }
            Some(("folder", path)) if path.chars().all(is_plain) => "write the folder",
            _ => "",
        };
        if !what.is_empty() {
            return Err(SpecError::OptionBehind {
                what,
                option: option.to_owned(),
                words: words.to_owned(),
            });
        }
    }
    Ok(Kind::Program {
        words: words(Some(text))?,
        way,
        part,
    })
}

/// Returns true if `part` is a valid share of the match's time: above 0 and at most 1.
fn is_part(part: &f64) -> bool {
    *part > 0.0 && *part <= 1.0
}

fn built_in(game: &About, kind: &str, options: Option<&str>) -> Result<Kind, SpecError> {
    let agent = game.agents.iter().find(|agent| agent.name == kind);
    let &AgentAbout {
        name: agent,
        options: expected,
    } = agent.ok_or_else(|| SpecError::Unknown {
        expected: kinds(game),
        got: format!("{kind:?}"),
    })?;
    let (mut limits, mut part) = (AgentOptions::default(), None);
    let number = |text: &str| text.parse().ok().filter(|&number: &u64| number > 0);
    read_options(options, expected, agent, |key, value| match key {
        "nodes" => {
            limits.nodes = number(value);
            limits.nodes.is_some()
        }
        "depth" => {
            limits.depth = number(value).and_then(|depth| depth.try_into().ok());
            limits.depth.is_some()
        }
        "time" => {
            part = value.parse().ok().filter(is_part);
            part.is_some()
        }
        "hash" => {
            limits.hash = value.parse().ok();
            limits.hash.is_some()
        }
        "processes" => {
            limits.processes = value.parse().ok();
            limits.processes.is_some()
        }
        "level" => {
            let number = value.parse().ok();
            limits.level =
                number.filter(|&level: &NonZeroU8| usize::from(level.get()) <= game.levels.len());
            limits.level.is_some()
        }
        "weights" => {
            limits.weights = Some(PathBuf::from(value));
            !value.is_empty()
        }
        _ => false,
    })?;
    Ok(Kind::BuiltIn {
        agent,
        options: limits,
        part,
    })
}

impl Kind {
    /// Returns true if the agent is built in. Such an agent runs in this process unless the match reaches it over TCP.
    pub fn is_built_in(&self) -> bool {
        matches!(self, Kind::BuiltIn { .. })
    }

    /// Returns true if the agent is a daemon that someone else runs, and that connects to the host of the tournament.
    pub fn is_remote(&self) -> bool {
        matches!(self, Kind::Remote)
    }

    /// Returns true if the agent is a person at the keyboard.
    pub fn is_human(&self) -> bool {
        matches!(self, Kind::Human)
    }

    /// Returns the agent's time control in a match with the time control `of_match`.
    ///
    /// An agent that gives time odds has only its share of the match's time.
    pub fn time(&self, of_match: TimeControl) -> TimeControl {
        let part = match self {
            Kind::BuiltIn { part, .. } | Kind::Program { part, .. } => *part,
            Kind::Remote | Kind::Human => None,
        };
        part.map_or(of_match, |part| of_match.part(part))
    }
}

impl Kind {
    /// Writes the text that names the agent on the command line, including the `folder` of a command.
    ///
    /// [`Spec::read`] can parse this text again.
    fn write(&self, folder: Option<&Path>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |part: &Option<f64>| part.map(|part| format!("time={part}"));
        match self {
            Kind::BuiltIn {
                agent,
                options,
                part,
            } => {
                out.write_str(agent)?;
                let AgentOptions {
                    nodes,
                    depth,
                    hash,
                    weights,
                    processes,
                    level,
                } = options;
                let options = [
                    nodes.map(|nodes| format!("nodes={nodes}")),
                    depth.map(|depth| format!("depth={depth}")),
                    time(part),
                    hash.map(|hash| format!("hash={hash}")),
                    (weights.as_ref()).map(|path| format!("weights={}", path.display())),
                    processes.map(|processes| format!("processes={processes}")),
                    level.map(|level| format!("level={level}")),
                ];
                match options.into_iter().flatten().collect::<Vec<_>>() {
                    none if none.is_empty() => Ok(()),
                    options => write!(out, ":{}", options.join(",")),
                }
            }
            Kind::Remote => out.write_str(REMOTE),
            Kind::Human => out.write_str(HUMAN),
            Kind::Program { words, way, part } => {
                match way {
                    Way::Lines(wire) => write!(out, "cmd/{wire}:")?,
                    Way::UsualLines(_) | Way::Files => out.write_str("cmd:")?,
                    Way::Daemon => out.write_str("daemon:")?,
                }
                let folder = folder.map(|folder| format!("folder={}", folder.display()));
                let options: Vec<String> = time(part).into_iter().chain(folder).collect();
                if !options.is_empty() {
                    write!(out, "{}:", options.join(","))?;
                }
                // A parsed word never contains a NUL byte.
                let words = shlex::try_join(words.iter().map(String::as_str));
                out.write_str(&words.unwrap_or_default())
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(None, out)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(out, "{name}=")?;
        }
        self.kind.write(self.folder.as_deref(), out)
    }
}

/// Returns a unique name for each agent.
///
/// The user's name for the agent comes first; otherwise the agent is named after the built-in agent or the program. If
/// another agent already has the name, a number is appended.
pub fn unique_names(specs: &[Spec]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for spec in specs {
        let usual = match (&spec.name, &spec.kind) {
            (Some(name), _) => name,
            (None, Kind::BuiltIn { agent, .. }) => *agent,
            (None, Kind::Remote) => REMOTE,
            (None, Kind::Human) => HUMAN,
            (None, Kind::Program { words, .. }) => words[0].rsplit('/').next().unwrap_or_default(),
        };
        let mut name = usual.to_owned();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{usual}-{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}
