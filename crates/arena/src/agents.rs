//! Agents as they are named on the command line.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;
use turnwise_engine::player::TimeControl;
use turnwise_engine::plugin::{About, AgentAbout, AgentOptions};

use crate::records::one_of;

/// What can be an agent of a game, for messages.
fn kinds(game: &About) -> String {
    let mut kinds: Vec<String> = (game.agents.iter().map(|agent| agent.name.to_owned())).collect();
    kinds.push("cmd:WORDS".to_owned());
    let others = game.wires.iter().skip(1);
    kinds.extend(others.map(|wire| format!("cmd/{wire}:WORDS")));
    if game.has_daemons {
        kinds.push("daemon:WORDS".to_owned());
    }
    one_of(kinds.iter().map(String::as_str))
}

/// One agent of a match: `[NAME=]KIND[:...]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name given to it, if any.
    pub name: Option<String>,
    /// What plays.
    pub kind: Kind,
}

/// What plays.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// An agent of this program.
    BuiltIn {
        /// Its name.
        agent: &'static str,
        /// What holds for it alone.
        options: AgentOptions,
        /// Time odds: the part of the match's time that it gets, above 0 and at most 1.
        part: Option<f64>,
    },
    /// A program of the user's: a process for each game on its stdin and stdout, or in games whose
    /// programs use files one for each move.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// What it speaks on stdin and stdout; `None` if it reads and writes files.
        wire: Option<Wire>,
        /// Time odds: the part of the match's time that it gets, above 0 and at most 1.
        part: Option<f64>,
    },
    /// A process for each pair that connects by TCP.
    Daemon {
        /// The program and its arguments.
        words: Vec<String>,
    },
}

/// What a program speaks on stdin and stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// Its name.
    pub name: &'static str,
    /// True if a program speaks it unless another one is named.
    pub is_usual: bool,
}

impl Wire {
    fn all(game: &About) -> impl Iterator<Item = Self> {
        (0..).zip(game.wires).map(|(at, name)| Self {
            name,
            is_usual: at == 0,
        })
    }
}

/// Why a text names no agent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    /// No such kind.
    #[error("expected {expected}, got {got:?}")]
    Kind {
        /// What there is in this game.
        expected: String,
        /// What came.
        got: String,
    },
    /// A name that stands for nothing yet.
    #[error("{0}")]
    Refused(&'static str),
    /// An option that does not exist, or not with this value.
    #[error("expected one of {} behind `{agent}:`, got {option:?}", expected.join(", "))]
    Option {
        /// What it could be.
        expected: &'static [&'static str],
        /// The agent.
        agent: &'static str,
        /// What came.
        option: String,
    },
    /// An option for an agent that has none.
    #[error("{agent} has no options, got {option:?}")]
    NoOptions {
        /// The agent.
        agent: &'static str,
        /// What came.
        option: String,
    },
    /// Time odds behind a command, where they would be its last word's.
    #[error("time odds stand before the words of a command: cmd:{option}:{words}")]
    OddsBehind {
        /// The odds.
        option: String,
        /// The words without them.
        words: String,
    },
    /// No words, or quotes that do not end.
    #[error("expected a command line as in a shell, got {0:?}")]
    Words(String),
    /// A protocol that is not spoken on stdin and stdout.
    #[error("expected {expected}, got cmd/{got}")]
    Protocol {
        /// What there is in this game.
        expected: String,
        /// What came.
        got: String,
    },
}

impl Spec {
    /// Reads what the command line says of an agent of this game.
    ///
    /// # Errors
    ///
    /// [`SpecError`], with what was expected.
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
            "cmd" => command(options, Wire::all(game).next())?,
            "daemon" if game.has_daemons => Kind::Daemon {
                words: words(options)?,
            },
            _ => match kind.strip_prefix("cmd/").filter(|_| !game.wires.is_empty()) {
                Some(wire) => {
                    let known = Wire::all(game).find(|known| known.name == wire);
                    let known = known.ok_or_else(|| SpecError::Protocol {
                        expected: wires(game),
                        got: wire.to_owned(),
                    })?;
                    command(options, Some(known))?
                }
                None => built_in(game, kind, options)?,
            },
        };
        Ok(Self { name, kind })
    }
}

fn wires(game: &About) -> String {
    let wires: Vec<String> = game
        .wires
        .iter()
        .map(|wire| format!("cmd/{wire}"))
        .collect();
    one_of(wires.iter().map(String::as_str))
}

fn words(text: Option<&str>) -> Result<Vec<String>, SpecError> {
    let text = text.unwrap_or_default();
    shlex::split(text)
        .filter(|words| !words.is_empty())
        .ok_or_else(|| SpecError::Words(text.to_owned()))
}

/// What `[time=PART:]WORDS` says. Time odds behind the words are a mistake and no part of them.
fn command(text: Option<&str>, wire: Option<Wire>) -> Result<Kind, SpecError> {
    let odds = |option: &str| {
        let part = option.strip_prefix("time=")?.parse().ok();
        part.filter(is_part)
    };
    let text = text.unwrap_or_default();
    let (part, text) = match text.split_once(':') {
        Some((option, words)) if option.starts_with("time=") => {
            let part = odds(option).ok_or_else(|| SpecError::Option {
                expected: &["time=PART"],
                agent: "cmd",
                option: option.to_owned(),
            })?;
            (Some(part), words)
        }
        _ => (None, text),
    };
    if let Some((words, option)) = text.rsplit_once(':')
        && odds(option).is_some()
    {
        return Err(SpecError::OddsBehind {
            option: option.to_owned(),
            words: words.to_owned(),
        });
    }
    let words = words(Some(text))?;
    Ok(Kind::Command { words, wire, part })
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
    } = agent.ok_or_else(|| SpecError::Kind {
        expected: kinds(game),
        got: kind.to_owned(),
    })?;
    let (mut limits, mut part) = (AgentOptions::default(), None);
    for option in options.into_iter().flat_map(|options| options.split(',')) {
        if expected.is_empty() {
            return Err(SpecError::NoOptions {
                agent,
                option: option.to_owned(),
            });
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
                expected,
                agent,
                option: option.to_owned(),
            });
        }
    }
    Ok(Kind::BuiltIn {
        agent,
        options: limits,
        part,
    })
}

impl Spec {
    /// The name to play under where none is given: the agent's, or the program's.
    pub fn usual_name(&self) -> String {
        match (&self.name, &self.kind) {
            (Some(name), _) => name.clone(),
            (None, Kind::BuiltIn { agent, .. }) => (*agent).to_owned(),
            (None, Kind::Command { words, .. } | Kind::Daemon { words }) => {
                let program = words[0].rsplit('/').next().unwrap_or_default();
                program.to_owned()
            }
        }
    }
}

impl Kind {
    /// True if it runs in this process, unless it is sent over TCP.
    pub fn is_built_in(&self) -> bool {
        matches!(self, Kind::BuiltIn { .. })
    }

    /// Its time odds, if it gives any.
    pub fn part(&self) -> Option<f64> {
        match self {
            Kind::BuiltIn { part, .. } | Kind::Command { part, .. } => *part,
            Kind::Daemon { .. } => None,
        }
    }

    /// Its time in a match of this time control.
    pub fn time(&self, of_match: TimeControl) -> TimeControl {
        match self.part() {
            Some(part) => of_match.part(part),
            None => of_match,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |words: &[String]| {
            // No word holds a NUL byte, since the command line cannot.
            shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
        };
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
            Kind::Command { words, wire, part } => {
                match wire {
                    Some(wire) if !wire.is_usual => write!(out, "cmd/{}:", wire.name)?,
                    _ => out.write_str("cmd:")?,
                }
                if let Some(part) = part {
                    write!(out, "time={part}:")?;
                }
                out.write_str(&joined(words))
            }
            Kind::Daemon { words } => write!(out, "daemon:{}", joined(words)),
        }
    }
}

/// Names for all agents, each once: a name that was there before gets a number.
pub fn unique_names(specs: &[Spec]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for spec in specs {
        let usual = spec.usual_name();
        let mut name = usual.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{usual}-{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}
