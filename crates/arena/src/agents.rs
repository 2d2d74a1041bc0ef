//! Agents as they are named on the command line.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::{About, AgentAbout, AgentOptions};

use crate::records::one_of;

/// What can be an agent of a game, for messages.
fn kinds(game: &About) -> String {
    let agents = game.agents.iter().map(|agent| agent.name.to_owned());
    let others = game.wires.iter().skip(1);
    let others = others.map(|wire| format!("cmd/{wire}:WORDS"));
    let daemon = game.has_daemons.then(|| "daemon:WORDS".to_owned());
    let command = "cmd:WORDS".to_owned();
    one_of(agents.chain([command]).chain(others).chain(daemon))
}

/// One agent of a match: `[NAME=]KIND[:...]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name given to it, if any.
    pub name: Option<String>,
    /// Whether an agent of this program or a command plays.
    pub kind: Kind,
}

/// What a [`Spec`] stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// An agent of this program.
    BuiltIn {
        /// Its name among the game's agents.
        agent: &'static str,
        /// What holds for it alone.
        options: AgentOptions,
        /// Time odds: the part of the match's time that it gets, above 0 and at most 1.
        part: Option<f64>,
    },
    /// A program of the user's.
    Program {
        /// The program and its arguments.
        words: Vec<String>,
        /// How it is reached.
        way: Way,
        /// Time odds, as above.
        part: Option<f64>,
    },
    /// A daemon that comes by itself, to a host that plays a tournament.
    Remote,
}

/// The word for [`Kind::Remote`].
pub const REMOTE: &str = "remote";

/// How a program is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A process for each game speaks this wire on stdin and stdout.
    Lines(&'static str),
    /// The same, by a wire that need not be named, because programs speak it unless told otherwise.
    UsualLines(&'static str),
    /// A process for each move reads and writes files.
    Files,
    /// A process for each pair connects by TCP.
    Daemon,
}

/// Why a text names no agent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    /// No such kind of agent, or no such wire, in this game.
    #[error("expected {expected}, got {got}")]
    Unknown {
        /// The kinds or wires that this game has.
        expected: String,
        /// The word that names none of them.
        got: String,
    },
    /// A name that stands for nothing yet.
    #[error("{0}")]
    Refused(&'static str),
    /// An option that does not exist, or not with this value.
    #[error("expected one of {expected} behind `{agent}:`, got {got:?}", expected = .known.join(", "))]
    Option {
        /// The options that the agent has.
        known: &'static [&'static str],
        /// The agent, or `cmd`.
        agent: &'static str,
        /// The option that came.
        got: String,
    },
    /// An option for an agent that has none.
    #[error("{agent} has no options, got {got:?}")]
    NoOptions {
        /// The agent's name.
        agent: &'static str,
        /// The option that came.
        got: String,
    },
    /// Time odds behind a command, where they would be its last word's.
    #[error("time odds stand before the words of a command: cmd:{odds}:{words}")]
    OddsBehind {
        /// The time odds as they were written, such as `1/2`.
        odds: String,
        /// The words without them.
        words: String,
    },
    /// No words, quotes that do not end, or a NUL byte.
    #[error("expected a command line as in a shell, got {0:?}")]
    Words(String),
}

impl Spec {
    /// Reads what the command line says of an agent of this game.
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
        if let Some(&(_, why)) = game.refused.iter().find(|&&(name, _)| name == kind) {
            return Err(SpecError::Refused(why));
        }
        let kind = match kind {
            "cmd" => {
                let wire = game.wires.first().copied();
                command(options, wire.map_or(Way::Files, Way::UsualLines))?
            }
            "daemon" if game.has_daemons => Kind::Program {
                words: words(options)?,
                way: Way::Daemon,
                part: None,
            },
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
                    command(options, way(game.wires[at]))?
                }
                None => built_in(game, kind, options)?,
            },
        };
        Ok(Self { name, kind })
    }
}

fn words(text: Option<&str>) -> Result<Vec<String>, SpecError> {
    let text = text.unwrap_or_default();
    // No program can be given a NUL byte; a log may hold one.
    shlex::split(text)
        .filter(|words| !words.is_empty() && !text.contains('\0'))
        .ok_or_else(|| SpecError::Words(text.to_owned()))
}

/// What `[time=PART:]WORDS` says. Time odds behind the words are a mistake and no part of them.
fn command(text: Option<&str>, way: Way) -> Result<Kind, SpecError> {
    let odds = |option: &str| {
        let part = option.strip_prefix("time=")?.parse().ok();
        part.filter(is_part)
    };
    let text = text.unwrap_or_default();
    let (part, text) = match text.split_once(':') {
        Some((option, words)) if option.starts_with("time=") => {
            let part = odds(option);
            let wrong = || SpecError::Option {
                known: &["time=PART"],
                agent: "cmd",
                got: option.to_owned(),
            };
            (Some(part.ok_or_else(wrong)?), words)
        }
        _ => (None, text),
    };
    if let Some((words, option)) = text.rsplit_once(':')
        && odds(option).is_some()
    {
        return Err(SpecError::OddsBehind {
            odds: option.to_owned(),
            words: words.to_owned(),
        });
    }
    Ok(Kind::Program {
        words: words(Some(text))?,
        way,
        part,
    })
}

/// True for a part of the match's time.
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
    for option in options.into_iter().flat_map(|options| options.split(',')) {
        if expected.is_empty() {
            let got = option.to_owned();
            return Err(SpecError::NoOptions { agent, got });
        }
        let number = |text: &str| text.parse().ok().filter(|&number: &u64| number > 0);
        let pair = option.split_once('=').filter(|(key, _)| {
            let mut keys = expected.iter().filter_map(|option| option.split_once('='));
            keys.any(|(known, _)| known == *key)
        });
        let known = match pair {
            Some(("nodes", value)) => {
                limits.nodes = number(value);
                limits.nodes.is_some()
            }
            Some(("depth", value)) => {
                limits.depth = number(value).and_then(|depth| depth.try_into().ok());
                limits.depth.is_some()
            }
            Some(("time", value)) => {
                part = value.parse().ok().filter(is_part);
                part.is_some()
            }
            Some(("weights", path)) => {
                limits.weights = Some(PathBuf::from(path));
                !path.is_empty()
            }
            _ => false,
        };
        if !known {
            return Err(SpecError::Option {
                known: expected,
                agent,
                got: option.to_owned(),
            });
        }
    }
    Ok(Kind::BuiltIn {
        agent,
        options: limits,
        part,
    })
}

impl Kind {
    /// True if it runs in this process, unless it is sent over TCP.
    pub fn is_built_in(&self) -> bool {
        matches!(self, Kind::BuiltIn { .. })
    }

    /// True if it comes by itself, from wherever it runs.
    pub fn is_remote(&self) -> bool {
        matches!(self, Kind::Remote)
    }

    /// Its time in a match of this time control, less if it gives time odds.
    pub fn time(&self, of_match: TimeControl) -> TimeControl {
        let part = match self {
            Kind::BuiltIn { part, .. } | Kind::Program { part, .. } => *part,
            Kind::Remote => None,
        };
        part.map_or(of_match, |part| of_match.part(part))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
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
                    weights,
                } = options;
                let options = [
                    nodes.map(|nodes| format!("nodes={nodes}")),
                    depth.map(|depth| format!("depth={depth}")),
                    part.map(|part| format!("time={part}")),
                    (weights.as_ref()).map(|path| format!("weights={}", path.display())),
                ];
                for (number, option) in options.into_iter().flatten().enumerate() {
                    write!(out, "{}{option}", if number == 0 { ':' } else { ',' })?;
                }
                Ok(())
            }
            Kind::Remote => out.write_str(REMOTE),
            Kind::Program { words, way, part } => {
                match way {
                    Way::Lines(wire) => write!(out, "cmd/{wire}:")?,
                    Way::UsualLines(_) | Way::Files => out.write_str("cmd:")?,
                    Way::Daemon => out.write_str("daemon:")?,
                }
                if let Some(part) = part {
                    write!(out, "time={part}:")?;
                }
                // No word holds a NUL byte, or it would not have been read.
                let words = shlex::try_join(words.iter().map(String::as_str));
                out.write_str(&words.unwrap_or_default())
            }
        }
    }
}

/// Names for all agents, each once: the one that was given, else the agent's or the program's, with a
/// number if it was there before.
pub fn unique_names(specs: &[Spec]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for spec in specs {
        let usual = match (&spec.name, &spec.kind) {
            (Some(name), _) => name,
            (None, Kind::BuiltIn { agent, .. }) => *agent,
            (None, Kind::Remote) => REMOTE,
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
