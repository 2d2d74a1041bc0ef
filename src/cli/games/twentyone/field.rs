//! Parses the players of TwentyOne that are named on the command line.

use anyhow::{Context, bail};
use turnwise_arena::agents::{self, Spec};
use turnwise_arena::child::Program;
use turnwise_engine::plugin::MatchGame;
use turnwise_process::isolation::Isolation;
use turnwise_protocol::twentyone::LINE_LIMIT;

use super::command::CommandPlayer;
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::match_game::TwentyOne;
use turnwise_twentyone::player::Player;
use turnwise_twentyone::strong::Strong;

/// The maximum number of players at a table.
const MOST_PLAYERS: usize = 1000;

/// A player that is named on the command line.
#[derive(Debug, Clone)]
pub struct Participant {
    /// The player's name in tables. No two players in a game have equal names.
    pub name: String,
    /// The text that names this player on the arena's command line.
    pub agent: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Ours,
    Baseline(Baseline),
    Program(Box<Program>),
}

impl Participant {
    /// Returns true if the player is a program that the user supplied, not a built-in player.
    pub fn is_program(&self) -> bool {
        matches!(self.kind, Kind::Program(_))
    }

    /// Creates the player that will take part in a game.
    pub fn seat(&self) -> Box<dyn Player> {
        match &self.kind {
            Kind::Ours => Box::new(Strong),
            Kind::Baseline(baseline) => Box::new(*baseline),
            Kind::Program(program) => Box::new(CommandPlayer::new(Program::clone(program))),
        }
    }
}

/// Returns the players that `--players` names, or the players in `default` if that option is empty. `isolation` states
/// how programs are isolated.
pub fn participants(
    names: &[String],
    default: &str,
    isolation: Option<&Isolation>,
) -> anyhow::Result<Vec<Participant>> {
    let names: Vec<&str> = match names.is_empty() {
        true => default.split(',').collect(),
        false => names.iter().map(String::as_str).collect(),
    };
    let mut field: Vec<Participant> = Vec::new();
    for text in names {
        let (shown, kind, count) = match is_command(text) {
            true => command(text, isolation)?,
            false => named(text)?,
        };
        if field.len() + count > MOST_PLAYERS {
            bail!("more than {MOST_PLAYERS} players: expected 1 to {MOST_PLAYERS} at a table");
        }
        for _ in 0..count {
            let is_same = |other: &&Participant| other.name.split('#').next() == Some(&shown);
            let name = match field.iter().filter(is_same).count() {
                0 => shown.clone(),
                same => format!("{shown}#{}", same + 1),
            };
            let agent = match &kind {
                Kind::Ours => "turnwise".to_owned(),
                Kind::Baseline(baseline) => baseline.name().to_owned(),
                Kind::Program(_) => text.to_owned(),
            };
            let kind = kind.clone();
            field.push(Participant { name, agent, kind });
        }
    }
    Ok(field)
}

/// Returns true if the text names a program, which means it has the form `cmd:...` or `NAME=cmd:...`.
fn is_command(text: &str) -> bool {
    let head = text.split_once(':').map(|(head, _)| head);
    head.is_some_and(|head| head.rsplit('=').next() == Some("cmd"))
}

/// Parses the text that names a program, as the arena does. Returns the name for tables, the kind of player, and the
/// number of seats that such players take.
fn command(text: &str, isolation: Option<&Isolation>) -> anyhow::Result<(String, Kind, usize)> {
    let spec = Spec::read(TwentyOne::ABOUT, text).with_context(|| format!("player `{text}`"))?;
    let agents::Kind::Program {
        words, part: None, ..
    } = spec.kind
    else {
        bail!(
            "player `{text}`: time odds are not supported here, because each call has one second"
        );
    };
    if spec.folder.is_some() {
        bail!(
            "player `{text}`: folder= is not supported here, because players run in the current folder"
        );
    }
    let letters = words.join(" ");
    let usual = || "cmd:".chars().chain(letters.chars().take(12)).collect();
    let name = spec.name.unwrap_or_else(usual);
    let mut program = Program::here(words, Some(LINE_LIMIT));
    program.isolation = isolation.cloned();
    Ok((name, Kind::Program(Box::new(program)), 1))
}

/// Parses the text that names a built-in player. Returns the name for tables, the kind of player, and the number of
/// seats that such players take.
fn named(name: &str) -> anyhow::Result<(String, Kind, usize)> {
    let (name, count) = name.split_once('*').unwrap_or((name, "1"));
    let number = count.parse().ok();
    let number = number.filter(|number| (1..=MOST_PLAYERS).contains(number));
    let number = number.with_context(|| {
        format!("{count:?} players in {name}*{count}: expected 1 to {MOST_PLAYERS}, as in basic*3")
    })?;
    let kind = match name.parse::<Baseline>() {
        _ if name == "ours" => Kind::Ours,
        Ok(baseline) => Kind::Baseline(baseline),
        Err(_) => {
            let known = Baseline::ALL.map(Baseline::name).join(", ");
            bail!("unknown player {name:?}: expected ours, {known} or cmd:PROGRAM");
        }
    };
    Ok((name.to_owned(), kind, number))
}
