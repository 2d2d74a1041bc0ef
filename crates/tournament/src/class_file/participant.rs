//! Reads a participant's entry in a tournament file.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_arena::agents::{HUMAN, REMOTE};
use turnwise_engine::guest::{BEFORE_SECRET, Guest, Secret};
use turnwise_engine::words::is_unprintable;

/// A participant's entry in a tournament file. The participant is a built-in agent, a program with the command that
/// runs it, or a remote participant.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ParticipantEntry {
    /// The name of the participant, which all tables show.
    pub name: String,
    /// The built-in agent that plays for the participant, written as on the arena's command line.
    pub agent: Option<String>,
    /// The participant's folder, relative to the tournament file.
    pub folder: Option<PathBuf>,
    /// A command that builds the program; it runs once in the participant's folder.
    pub build: Option<String>,
    /// The command that runs the program.
    pub run: Option<String>,
    /// The protocol between the arena and the program, if it differs from the game's default.
    pub wire: Option<String>,
    /// A command that starts a daemon, which then connects to the tournament. In the command, `{port}` is replaced with
    /// the port to connect to.
    pub daemon: Option<String>,
    /// True if the participant is not started on this machine, but connects to the tournament over the network.
    #[serde(default)]
    pub remote: bool,
    /// The secret that a remote participant must send after its name when it connects.
    #[schemars(with = "Option<String>")]
    pub secret: Option<Secret>,
}

impl ParticipantEntry {
    /// Returns the participant's folder, which may be missing. `class` is the folder that contains the tournament file.
    /// If the participant's build is isolated, the participant needs its own folder, because the build may change
    /// everything in it.
    pub(super) fn home(&self, class: &Path, is_isolated: bool) -> Result<PathBuf, String> {
        if is_isolated && self.build.is_some() && self.folder.is_none() {
            let why = "expected a folder of its own as `folder`, because the build may change everything there";
            return Err(why.to_owned());
        }
        Ok(match &self.folder {
            Some(own) => class.join(own),
            None => class.to_owned(),
        })
    }

    /// Returns the participant's name for error messages. For a remote participant, it omits the text after a colon,
    /// because that text may be a secret.
    pub(super) fn shown_name(&self) -> &str {
        match self.name.split_once(BEFORE_SECRET) {
            Some((name, _secret)) if self.remote => name,
            _ => &self.name,
        }
    }

    /// Returns the name and the secret with which a remote participant connects; `None` for other participants.
    pub(super) fn guest(&self) -> Result<Option<Guest>, String> {
        if !self.remote {
            return match self.secret {
                Some(_) => Err("a secret is for remote participants".to_owned()),
                None => Ok(None),
            };
        }
        if self.name.contains(BEFORE_SECRET) || self.name.trim() != self.name {
            let expected = format!(
                "expected a name without `{BEFORE_SECRET}` and without blanks at its ends for a remote participant"
            );
            return Err(expected);
        }
        if let Some(secret) = &self.secret
            && let secret = secret.reveal()
            && (secret.is_empty() || secret.trim() != secret || secret.contains(is_unprintable))
        {
            let expected =
                "expected a secret without blanks at its ends and without control characters";
            return Err(expected.to_owned());
        }
        Ok(Some(Guest {
            name: self.name.clone(),
            secret: self.secret.clone(),
        }))
    }

    /// Returns the text that specifies this participant on the arena's command line.
    pub(super) fn spec(&self) -> Result<String, String> {
        if self.remote {
            let others = [
                &self.agent,
                &self.run,
                &self.daemon,
                &self.build,
                &self.wire,
            ];
            return match others.iter().any(|it| it.is_some()) || self.folder.is_some() {
                true => Err("a remote participant has only a name and perhaps a secret".into()),
                false => Ok(REMOTE.to_owned()),
            };
        }
        match (&self.agent, &self.run, &self.daemon) {
            (Some(_), None, None)
                if self.build.is_some() || self.wire.is_some() || self.folder.is_some() =>
            {
                Err("folder, build and wire are for programs with a run command".to_owned())
            }
            (Some(agent), None, None)
                if agent.starts_with("cmd") || agent.starts_with("daemon") =>
            {
                Err("agent is for built-in agents; set run or daemon to a command".to_owned())
            }
            (Some(agent), None, None) if agent == REMOTE => Err(
                "agent is for built-in agents; set `remote = true` for a remote participant".into(),
            ),
            (Some(agent), None, None) if agent == HUMAN => {
                Err("a tournament has no keyboard; humans play in turnwise arena".to_owned())
            }
            (Some(agent), None, None) => Ok(agent.clone()),
            (None, Some(run), None) => match &self.wire {
                Some(wire) => Ok(format!("cmd/{wire}:{run}")),
                None => Ok(format!("cmd:{run}")),
            },
            (None, None, Some(daemon)) => Ok(format!("daemon:{daemon}")),
            _ => Err("expected one of agent, run, daemon and remote".to_owned()),
        }
    }
}
