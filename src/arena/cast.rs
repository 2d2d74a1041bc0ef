//! The agents of a match, ready to play.

use std::ffi::OsString;
use std::path::Path;

use thiserror::Error;

use super::entropy::EntropyTable;
use super::halma::HalmaTable;
use super::settings::BadSettings;
use super::spec::Kind;
use super::table::Table;
use crate::records::{Contestant, GameSettings, Settings, TimeControl};
use turnwise_entropy::weights_file::Unusable;

/// An agent that can sit down at a game's table.
pub struct Entrant<T: Table> {
    /// What it is.
    pub kind: Kind,
    /// Its time, which is less than the match's if it gives time odds.
    pub time: TimeControl,
    /// What all players share that are made of it.
    pub means: T::Means,
}

/// The agents in the order of the settings. What they need from files has been read, once for the whole
/// match: what is written there meanwhile does not change it.
pub enum Cast {
    /// Of a match of Entropy.
    Entropy(Vec<Entrant<EntropyTable>>),
    /// Of a match of Halma.
    Halma(Vec<Entrant<HalmaTable>>),
}

/// Why there are no agents that are ready to play.
#[derive(Debug, Error)]
pub enum NoCast {
    /// The match cannot be played as asked.
    #[error(transparent)]
    Settings(#[from] BadSettings),
    /// What an agent needs from a file is not to be had.
    #[error("agent `{agent}`: {cause}")]
    Means {
        /// The agent's name.
        agent: String,
        /// What is wrong.
        cause: Unusable,
    },
    /// There is no such program.
    #[error(
        "agent `{agent}`: cannot start {program:?}: there is neither such a file nor such a command in PATH"
    )]
    Program {
        /// The agent's name.
        agent: String,
        /// The first of its words.
        program: String,
    },
}

impl Cast {
    /// The agents of a match.
    ///
    /// # Errors
    ///
    /// [`NoCast`].
    pub fn of(settings: &Settings) -> Result<Self, NoCast> {
        Ok(match settings.game {
            GameSettings::Entropy { .. } => Cast::Entropy(entrants(settings)?),
            GameSettings::Halma { .. } => Cast::Halma(entrants(settings)?),
        })
    }
}

fn entrants<T: Table>(settings: &Settings) -> Result<Vec<Entrant<T>>, NoCast> {
    let kinds = settings.check()?.into_iter().zip(&settings.agents);
    let entrant = |(kind, contestant): (Kind, &Contestant)| {
        if let Kind::Command { words, .. } | Kind::Daemon { words } = &kind
            && !is_there(&words[0])
        {
            return Err(NoCast::Program {
                agent: contestant.name.clone(),
                program: words[0].clone(),
            });
        }
        let means = T::means(settings, &kind).map_err(|cause| NoCast::Means {
            agent: contestant.name.clone(),
            cause,
        })?;
        let time = kind.time(settings.time);
        Ok(Entrant { kind, time, means })
    };
    kinds.map(entrant).collect()
}

/// Better to learn it now than at the first move of a game that has begun. Whether it can be run is seen
/// when it is.
fn is_there(program: &str) -> bool {
    let in_path =
        |paths: OsString| std::env::split_paths(&paths).any(|path| path.join(program).is_file());
    Path::new(program).is_file() || std::env::var_os("PATH").is_none_or(in_path)
}
