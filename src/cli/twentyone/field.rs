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
    pub fn seat(&self, timed: bool) -> Box<dyn Player> {
        match &self.kind {
            Kind::Ours => Box::new(Strong),
            Kind::Baseline(baseline) => Box::new(*baseline),
            Kind::Command(command) => Box::new(CommandPlayer::new(command, timed)),
        }
    }
}

/// The field of `--players`, or of `default` if there is none.
///
/// # Errors
/// If a name is unknown, or there are too many players.
pub fn participants(names: &[String], default: &str) -> anyhow::Result<Vec<Participant>> {
    let default: Vec<String> = default.split(',').map(str::to_string).collect();
    let mut field: Vec<Participant> = Vec::new();
    for name in if names.is_empty() { &default } else { names } {
        let (kind, count) = parse(name)?;
        if field.len() + count > MOST_PLAYERS {
            bail!("more than {MOST_PLAYERS} players: expected 1 to {MOST_PLAYERS} at a table");
        }
        let shown = match &kind {
            Kind::Ours => "ours".to_string(),
            Kind::Baseline(baseline) => baseline.name().to_string(),
            Kind::Command(command) => {
                format!("cmd:{}", command.chars().take(12).collect::<String>())
            }
        };
        for _ in 0..count {
            let same = field
                .iter()
                .filter(|e| e.name.split('#').next() == Some(&shown))
                .count();
            let name = if same == 0 {
                shown.clone()
            } else {
                format!("{shown}#{}", same + 1)
            };
            field.push(Participant {
                name,
                kind: kind.clone(),
            });
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
    let (name, count) = match name.split_once('*') {
        Some((name, count)) => (
            name,
            count
                .parse()
                .ok()
                .filter(|count| (1..=MOST_PLAYERS).contains(count))
                .with_context(|| {
                    format!(
                        "{count:?} players in {name}*{count}: expected 1 to {MOST_PLAYERS}, as in basic*3"
                    )
                })?,
        ),
        None => (name, 1),
    };
    let kind = if name == "ours" {
        Some(Kind::Ours)
    } else {
        Baseline::named(name).map(Kind::Baseline)
    };
    let known: Vec<&str> = Baseline::ALL
        .iter()
        .map(|baseline| baseline.name())
        .collect();
    let kind = kind.with_context(|| {
        format!(
            "unknown player {name:?}: expected ours, {} or cmd:PROGRAM",
            known.join(", ")
        )
    })?;
    Ok((kind, count))
}
