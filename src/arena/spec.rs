//! Agents as they are named on the command line.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;
use turnwise_protocol::entropy::Wire;

use crate::records::{GameSettings, TimeControl};
use turnwise_entropy::agents::BuiltIn;
use turnwise_halma::agent::built_in::HalmaAgent;

/// An agent of this program, of any of its games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedAgent {
    /// One that plays Entropy.
    Entropy(BuiltIn),
    /// One that plays Halma.
    Halma(HalmaAgent),
}

impl NamedAgent {
    fn of(game: &GameSettings, name: &str) -> Option<Self> {
        match game {
            GameSettings::Entropy { .. } => name.parse().ok().map(Self::Entropy),
            GameSettings::Halma { .. } => name.parse().ok().map(Self::Halma),
        }
    }

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            NamedAgent::Entropy(agent) => agent.name(),
            NamedAgent::Halma(agent) => agent.name(),
        }
    }

    /// The options that can be put behind its name.
    fn options(self) -> &'static [&'static str] {
        match self {
            NamedAgent::Entropy(BuiltIn::Turnwise) => {
                &["nodes=NUMBER", "depth=NUMBER", "time=PART", "weights=FILE"]
            }
            NamedAgent::Halma(HalmaAgent::Turnwise) => &["nodes=NUMBER", "time=PART"],
            _ => &[],
        }
    }
}

/// What can be an agent of a game, for messages.
fn kinds(game: &GameSettings) -> &'static str {
    match game {
        GameSettings::Entropy { .. } => {
            "turnwise, random, greedy, holes, cmd:WORDS, cmd/codecup:WORDS or daemon:WORDS"
        }
        GameSettings::Halma { .. } => "turnwise, random, minimax, distance, stayer or cmd:WORDS",
    }
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
        /// Which.
        agent: NamedAgent,
        /// Nodes a move at most, whatever the match says.
        nodes: Option<u64>,
        /// Plies a move at most.
        depth: Option<u32>,
        /// Time odds: the part of the match's time that it gets, above 0 and at most 1.
        part: Option<f64>,
        /// A weights file to play by instead of the weights of this release.
        weights: Option<PathBuf>,
    },
    /// In Entropy a process for each game, on its stdin and stdout; in Halma one for each move, with
    /// files.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// What it speaks on stdin and stdout.
        wire: Wire,
        /// Time odds: the part of the match's time that it gets, above 0 and at most 1.
        part: Option<f64>,
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
    #[error("expected {expected}, got {got:?}")]
    Kind {
        /// What there is in this game.
        expected: &'static str,
        /// What came.
        got: String,
    },
    /// The weights of the last release, of which there is none.
    #[error(
        "`last` stands for the weights of the last release, and no weights have been released yet; \
         use turnwise, random, greedy or holes"
    )]
    NoRelease,
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
    #[error("expected cmd/entropy or cmd/codecup, got cmd/{0}")]
    Protocol(String),
}

impl Spec {
    /// Reads what the command line says of an agent of this game.
    ///
    /// # Errors
    ///
    /// [`BadSpec`], with what was expected.
    pub fn read(game: &GameSettings, text: &str) -> Result<Self, BadSpec> {
        let head = text.split(':').next().unwrap_or(text);
        let (name, rest) = match head.split_once('=') {
            Some((name, _)) if !name.is_empty() => (Some(name.to_owned()), &text[name.len() + 1..]),
            _ => (None, text),
        };
        let (kind, options) = match rest.split_once(':') {
            Some((kind, options)) => (kind, Some(options)),
            None => (rest, None),
        };
        let is_entropy = matches!(game, GameSettings::Entropy { .. });
        let kind = match kind {
            "cmd" => command(options, Wire::Line)?,
            "last" if is_entropy => return Err(BadSpec::NoRelease),
            "daemon" if is_entropy => Kind::Daemon {
                words: words(options)?,
            },
            _ => match kind.strip_prefix("cmd/").filter(|_| is_entropy) {
                Some("entropy") => command(options, Wire::Line)?,
                Some("codecup") => command(options, Wire::Codecup)?,
                Some(other) => return Err(BadSpec::Protocol(other.to_owned())),
                None => built_in(game, kind, options)?,
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

/// What `[time=PART:]WORDS` says. Time odds behind the words are a mistake and no part of them.
fn command(text: Option<&str>, wire: Wire) -> Result<Kind, BadSpec> {
    let odds = |option: &str| {
        let part = option.strip_prefix("time=")?.parse().ok();
        part.filter(is_part)
    };
    let text = text.unwrap_or_default();
    let (part, text) = match text.split_once(':') {
        Some((option, words)) if option.starts_with("time=") => {
            let part = odds(option).ok_or_else(|| BadSpec::Option {
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
        return Err(BadSpec::OddsBehind {
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

fn built_in(game: &GameSettings, kind: &str, options: Option<&str>) -> Result<Kind, BadSpec> {
    let agent = NamedAgent::of(game, kind).ok_or_else(|| BadSpec::Kind {
        expected: kinds(game),
        got: kind.to_owned(),
    })?;
    let expected = agent.options();
    let (mut nodes, mut depth, mut part, mut weights) = (None, None, None, None);
    for option in options.into_iter().flat_map(|options| options.split(',')) {
        if expected.is_empty() {
            return Err(BadSpec::NoOptions {
                agent: agent.name(),
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
                nodes = number(value);
                nodes.is_some()
            }
            Some(("depth", value)) => {
                depth = number(value).and_then(|depth| depth.try_into().ok());
                depth.is_some()
            }
            Some(("time", value)) => {
                part = value.parse().ok().filter(is_part);
                part.is_some()
            }
            Some(("weights", path)) => {
                weights = Some(PathBuf::from(path));
                !path.is_empty()
            }
            _ => false,
        };
        if !known {
            return Err(BadSpec::Option {
                expected,
                agent: agent.name(),
                option: option.to_owned(),
            });
        }
    }
    Ok(Kind::BuiltIn {
        agent,
        nodes,
        depth,
        part,
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

impl Kind {
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
                nodes,
                depth,
                part,
                weights,
            } => {
                out.write_str(agent.name())?;
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
                out.write_str(match wire {
                    Wire::Codecup => "cmd/codecup:",
                    _ => "cmd:",
                })?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::HalmaRules;

    const ENTROPY: GameSettings = GameSettings::Entropy {
        size: 5,
        pass: false,
    };
    const HALMA: GameSettings = GameSettings::Halma {
        rules: HalmaRules::Base,
        plies: 600,
        begins: None,
        grace_s: 10.0,
        lenient: false,
    };

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "turnwise",
            "turnwise:nodes=1000",
            "turnwise:nodes=5,depth=2",
            "turnwise:depth=2,weights=my.weights",
            "turnwise:time=0.1",
            "turnwise:nodes=7,time=1",
            "holes",
            "cmd:./player --level 3",
            "cmd/codecup:python3 'my player.py'",
            "cmd:time=0.1:./player 'a:b' x:time=y",
            "cmd/codecup:time=0.25:./player",
            "daemon:./bot {port}",
        ] {
            let spec = Spec::read(&ENTROPY, text).expect(text);
            let again = Spec::read(&ENTROPY, &spec.kind.to_string()).expect(text);
            assert_eq!(spec, again, "{text}");
        }
    }

    #[test]
    fn commands_give_time_odds_too() {
        let of_match = TimeControl::Clock {
            seconds: 300.0,
            increment: 2.0,
        };
        for (text, seconds) in [("cmd:./x", 300.0), ("slow=cmd:time=0.25:./x", 75.0)] {
            for game in [ENTROPY, HALMA] {
                let kind = Spec::read(&game, text).expect(text).kind;
                let increment = seconds / 150.0;
                let expected = TimeControl::Clock { seconds, increment };
                assert_eq!(kind.time(of_match), expected, "{text}");
            }
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
        .map(|text| Spec::read(&ENTROPY, text).expect(text))
        .collect();
        assert_eq!(
            unique_names(&specs),
            ["mine", "turnwise", "turnwise-2", "b"]
        );
    }

    #[test]
    fn errors_say_what_was_expected() {
        for (game, text, part) in [
            (
                HALMA,
                "holes",
                "expected turnwise, random, minimax, distance, stayer or cmd",
            ),
            (
                HALMA,
                "turnwise:depth=3",
                "expected one of nodes=NUMBER, time=PART behind",
            ),
            (HALMA, "daemon:x", "expected turnwise, random"),
            (HALMA, "cmd/codecup:x", "expected turnwise, random"),
            (HALMA, "cmd:", "expected a command line"),
            (ENTROPY, "turnwize", "expected turnwise, random"),
            (ENTROPY, "last", "no weights have been released yet"),
            (ENTROPY, "turnwise:knots=3", "expected one of nodes=NUMBER"),
            (ENTROPY, "turnwise:nodes=0", "expected one of nodes=NUMBER"),
            (ENTROPY, "turnwise:time=0", "expected one of nodes=NUMBER"),
            (ENTROPY, "turnwise:time=1.5", "time=PART"),
            (HALMA, "turnwise:time=nan", "time=PART"),
            (ENTROPY, "holes:depth=3", "holes has no options"),
            (ENTROPY, "cmd:", "expected a command line"),
            (ENTROPY, "cmd:'open", "expected a command line"),
            (ENTROPY, "cmd/uci:x", "expected cmd/entropy"),
            (
                HALMA,
                "cmd:time=0:x",
                "time=PART behind `cmd:`, got \"time=0\"",
            ),
            (
                HALMA,
                "cmd:time=2:x",
                "time=PART behind `cmd:`, got \"time=2\"",
            ),
            (ENTROPY, "cmd:time=0.1:", "expected a command line"),
            (
                HALMA,
                "a=cmd:./x 3:time=0.1",
                "stand before the words of a command: cmd:time=0.1:./x 3",
            ),
        ] {
            let error = Spec::read(&game, text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
