//! Agents as they are named on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;
use turnwise_protocol::entropy::Wire;

use crate::agent::built_in::BuiltIn;

/// One agent of a match: `[NAME=]KIND[:...]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The name given to it, if any.
    pub name: Option<String>,
    /// What plays.
    pub kind: Kind,
}

/// What plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// An agent of this program.
    BuiltIn {
        /// Which.
        agent: BuiltIn,
        /// Nodes a move at most, whatever the match says.
        nodes: Option<u64>,
        /// Plies a move at most.
        depth: Option<u32>,
        /// A weights file to play by instead of the weights of this release.
        weights: Option<PathBuf>,
    },
    /// A process for each game, on its stdin and stdout.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// What it speaks.
        wire: Wire,
    },
    /// A process for each pair that connects by TCP.
    Daemon {
        /// The program and its arguments.
        words: Vec<String>,
    },
}

/// Why a text names no agent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadSpec {
    /// No such kind.
    #[error(
        "expected turnwise, random, greedy, holes, cmd:WORDS, cmd/codecup:WORDS or daemon:WORDS, got {0:?}"
    )]
    Kind(String),
    /// The weights of the last release, of which there is none.
    #[error(
        "`last` stands for the weights of the last release, and no weights have been released yet; \
         use turnwise, random, greedy or holes"
    )]
    NoRelease,
    /// An option that does not exist, or not with this value.
    #[error(
        "expected nodes=NUMBER, depth=NUMBER or weights=FILE behind `{agent}:`, got {option:?}"
    )]
    Option {
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
    /// No words, or quotes that do not end.
    #[error("expected a command line as in a shell, got {0:?}")]
    Words(String),
    /// A protocol that is not spoken on stdin and stdout.
    #[error("expected cmd/entropy or cmd/codecup, got cmd/{0}")]
    Protocol(String),
}

impl FromStr for Spec {
    type Err = BadSpec;

    fn from_str(text: &str) -> Result<Self, BadSpec> {
        let head = text.split(':').next().unwrap_or(text);
        let (name, rest) = match head.split_once('=') {
            Some((name, _)) if !name.is_empty() => (Some(name.to_owned()), &text[name.len() + 1..]),
            _ => (None, text),
        };
        let (kind, options) = match rest.split_once(':') {
            Some((kind, options)) => (kind, Some(options)),
            None => (rest, None),
        };
        let kind = match kind {
            "last" => return Err(BadSpec::NoRelease),
            "cmd" => command(options, Wire::Line)?,
            "daemon" => Kind::Daemon {
                words: words(options)?,
            },
            _ => match kind.strip_prefix("cmd/") {
                Some("entropy") => command(options, Wire::Line)?,
                Some("codecup") => command(options, Wire::Codecup)?,
                Some(other) => return Err(BadSpec::Protocol(other.to_owned())),
                None => built_in(kind, options)?,
            },
        };
        Ok(Self { name, kind })
    }
}

fn words(text: Option<&str>) -> Result<Vec<String>, BadSpec> {
    let text = text.unwrap_or_default();
    shlex::split(text)
        .filter(|words| !words.is_empty())
        .ok_or_else(|| BadSpec::Words(text.to_owned()))
}

fn command(text: Option<&str>, wire: Wire) -> Result<Kind, BadSpec> {
    let words = words(text)?;
    Ok(Kind::Command { words, wire })
}

fn built_in(kind: &str, options: Option<&str>) -> Result<Kind, BadSpec> {
    let agent: BuiltIn = kind
        .parse()
        .map_err(|_unknown| BadSpec::Kind(kind.to_owned()))?;
    let (mut nodes, mut depth, mut weights) = (None, None, None);
    for option in options.into_iter().flat_map(|options| options.split(',')) {
        if agent != BuiltIn::Turnwise {
            return Err(BadSpec::NoOptions {
                agent: agent.name(),
                option: option.to_owned(),
            });
        }
        let number = |text: &str| text.parse().ok().filter(|&number: &u64| number > 0);
        let known = match option.split_once('=') {
            Some(("nodes", value)) => {
                nodes = number(value);
                nodes.is_some()
            }
            Some(("depth", value)) => {
                depth = number(value).and_then(|depth| depth.try_into().ok());
                depth.is_some()
            }
            Some(("weights", path)) => {
                weights = Some(PathBuf::from(path));
                !path.is_empty()
            }
            _ => false,
        };
        if !known {
            return Err(BadSpec::Option {
                agent: agent.name(),
                option: option.to_owned(),
            });
        }
    }
    Ok(Kind::BuiltIn {
        agent,
        nodes,
        depth,
        weights,
    })
}

impl Spec {
    /// The name to play under where none is given: the agent's, or the program's.
    pub fn usual_name(&self) -> String {
        match (&self.name, &self.kind) {
            (Some(name), _) => name.clone(),
            (None, Kind::BuiltIn { agent, .. }) => agent.name().to_owned(),
            (None, Kind::Command { words, .. } | Kind::Daemon { words }) => {
                let program = words[0].rsplit('/').next().unwrap_or_default();
                program.to_owned()
            }
        }
    }

    /// True if it runs in this process, unless it is sent over TCP.
    pub fn is_built_in(&self) -> bool {
        matches!(self.kind, Kind::BuiltIn { .. })
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
                nodes,
                depth,
                weights,
            } => {
                out.write_str(agent.name())?;
                let mut before = ':';
                for (key, value) in [("nodes", *nodes), ("depth", depth.map(u64::from))] {
                    if let Some(value) = value {
                        write!(out, "{before}{key}={value}")?;
                        before = ',';
                    }
                }
                if let Some(weights) = weights {
                    write!(out, "{before}weights={}", weights.display())?;
                }
                Ok(())
            }
            Kind::Command { words, wire } => match wire {
                Wire::Codecup => write!(out, "cmd/codecup:{}", joined(words)),
                _ => write!(out, "cmd:{}", joined(words)),
            },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "turnwise",
            "turnwise:nodes=1000",
            "turnwise:nodes=5,depth=2",
            "turnwise:depth=2,weights=my.weights",
            "holes",
            "cmd:./player --level 3",
            "cmd/codecup:python3 'my player.py'",
            "daemon:./bot {port}",
        ] {
            let spec: Spec = text.parse().expect(text);
            let again: Spec = spec.kind.to_string().parse().expect(text);
            assert_eq!(spec, again, "{text}");
        }
    }

    #[test]
    fn names_come_first_and_are_made_unique() {
        let specs: Vec<Spec> = [
            "mine=turnwise:depth=2",
            "turnwise",
            "turnwise",
            "cmd:a/b x=1",
        ]
        .iter()
        .map(|text| text.parse().expect(text))
        .collect();
        assert_eq!(
            unique_names(&specs),
            ["mine", "turnwise", "turnwise-2", "b"]
        );
    }

    #[test]
    fn errors_say_what_was_expected() {
        for (text, part) in [
            ("turnwize", "expected turnwise, random"),
            ("last", "no weights have been released yet"),
            ("turnwise:knots=3", "expected nodes=NUMBER"),
            ("turnwise:nodes=0", "expected nodes=NUMBER"),
            ("holes:depth=3", "holes has no options"),
            ("cmd:", "expected a command line"),
            ("cmd:'open", "expected a command line"),
            ("cmd/uci:x", "expected cmd/entropy"),
        ] {
            let error = text.parse::<Spec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
