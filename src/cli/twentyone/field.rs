//! The players named on the command line.

use anyhow::{Context, bail};

use super::command::CommandPlayer;
use turnwise_twentyone::baselines::Baseline;
use turnwise_twentyone::player::Player;
use turnwise_twentyone::strong::Strong;

/// Most players at a table.
const MOST_PLAYERS: usize = 1000;

/// A player named on the command line.
#[derive(Debug, Clone)]
pub struct Participant {
    /// Name in tables, unique in its field.
    pub name: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Ours,
    Baseline(Baseline),
    Command(String),
}

impl Participant {
    /// The player, ready for one game.
    pub fn seat(&self) -> Box<dyn Player> {
        match &self.kind {
            Kind::Ours => Box::new(Strong),
            Kind::Baseline(baseline) => Box::new(*baseline),
            Kind::Command(command) => Box::new(CommandPlayer::new(command)),
        }
    }
}

/// The field of `--players`, or of `default` if there is none.
pub fn participants(names: &[String], default: &str) -> anyhow::Result<Vec<Participant>> {
    let names: Vec<&str> = match names.is_empty() {
        true => default.split(',').collect(),
        false => names.iter().map(String::as_str).collect(),
    };
    let mut field: Vec<Participant> = Vec::new();
    for name in names {
        let (kind, count) = parse(name)?;
        if field.len() + count > MOST_PLAYERS {
            bail!("more than {MOST_PLAYERS} players: expected 1 to {MOST_PLAYERS} at a table");
        }
        let shown: String = match &kind {
            Kind::Ours => "ours".to_string(),
            Kind::Baseline(baseline) => baseline.name().to_string(),
            Kind::Command(command) => "cmd:".chars().chain(command.chars().take(12)).collect(),
        };
        for _ in 0..count {
            let is_same = |other: &&Participant| other.name.split('#').next() == Some(&shown);
            let name = match field.iter().filter(is_same).count() {
                0 => shown.clone(),
                same => format!("{shown}#{}", same + 1),
            };
            let kind = kind.clone();
            field.push(Participant { name, kind });
        }
    }
    Ok(field)
}

fn parse(name: &str) -> anyhow::Result<(Kind, usize)> {
    if let Some(command) = name.strip_prefix("cmd:") {
        if command.trim().is_empty() {
            bail!("cmd: without a program: expected something like cmd:./player");
        }
        return Ok((Kind::Command(command.to_string()), 1));
    }
    let (name, count) = name.split_once('*').unwrap_or((name, "1"));
    let number = count.parse().ok();
    let number = number.filter(|number| (1..=MOST_PLAYERS).contains(number));
    let number = number.with_context(|| {
        format!("{count:?} players in {name}*{count}: expected 1 to {MOST_PLAYERS}, as in basic*3")
    })?;
    if name == "ours" {
        return Ok((Kind::Ours, number));
    }
    let baseline = name.parse::<Baseline>().ok().with_context(|| {
        let known = Baseline::ALL.map(Baseline::name).join(", ");
        format!("unknown player {name:?}: expected ours, {known} or cmd:PROGRAM")
    })?;
    Ok((Kind::Baseline(baseline), number))
}
