//! Compares the versions of the participants' programs with the log, and logs the participants' states.

use std::collections::HashMap;

use turnwise_arena::log::{Log, LogError};
use turnwise_arena::records::{ParticipantRecord, Record};
use turnwise_daemon::logging::utc_now;
use turnwise_engine::words::{counted, printable};
use turnwise_report::tables::SHORT_VERSION;
use turnwise_tournament::class_file::Class;
use turnwise_tournament::held::Withdrawal;
use turnwise_tournament::version::{VersionError, version};

use super::{Opened, absent};
use crate::console::note;
use crate::console::progress::Slow;

/// The versions of the participants' programs, and their states as the log has them.
#[derive(Debug, Default)]
pub(in crate::cli) struct Versions {
    /// The version of each participant before a build; `None` if the version is unknown or the participant is not a
    /// program.
    now: Vec<Option<String>>,
    /// The last logged state of each participant, keyed by the name.
    logged: HashMap<String, ParticipantRecord>,
}

impl Versions {
    /// Reads the versions of all programs, and withdraws each participant whose files cannot be read. Reports each
    /// version that differs from the log as a change of the tournament.
    pub(super) fn read(
        opened: &mut Opened,
        logged: HashMap<String, ParticipantRecord>,
    ) -> anyhow::Result<Self> {
        let joined = &mut opened.joined;
        let settings = &joined.class.settings;
        let mut now = vec![None; settings.agents.len()];
        let _slow = Slow::new("reading the participants' files".to_owned());
        for (place, (agent, kind)) in settings.agents.iter().zip(settings.check()?).enumerate() {
            let name = printable(&agent.name);
            if joined.withdrawn[place].is_some() {
                continue;
            }
            let read = match version(agent, &kind) {
                Ok(read) => read,
                Err(error @ VersionError::TooLarge(_)) => {
                    note!("turnwise: {name}: {error}; changes to its files will not be noticed");
                    None
                }
                Err(error) => {
                    absent(&mut joined.withdrawn, &agent.name, place, &error);
                    None
                }
            };
            let Some(read) = read else { continue };
            let before = logged.get(&agent.name);
            let known = before.and_then(|before| before.version.as_ref());
            let built = before.and_then(|before| before.built.as_ref());
            now[place] = match known {
                Some(known) if [Some(known), built].contains(&Some(&read)) => Some(known.clone()),
                Some(known) => {
                    let short =
                        |version: &str| version.chars().take(SHORT_VERSION).collect::<String>();
                    let [then, now] = [known, &read].map(|version| short(version));
                    let change = format!("{name} has changed: version {then} before, {now} now");
                    joined.changed.push((place, change));
                    Some(read)
                }
                None => Some(read),
            };
        }
        Ok(Self { now, logged })
    }

    /// Writes the state of each participant to the log if it differs from the logged state.
    pub(super) fn log(
        self,
        class: &Class,
        withdrawn: &[Option<Withdrawal>],
        log: &mut Log,
    ) -> Result<(), LogError> {
        let settings = &class.settings;
        let since = utc_now();
        let mut records = Vec::new();
        let kinds = settings.check().unwrap_or_default();
        for (place, (agent, kind)) in settings.agents.iter().zip(&kinds).enumerate() {
            let logged = self.logged.get(&agent.name);
            let known = self.now.get(place).cloned().flatten();
            let is_built = class.builds.iter().any(|it| it.participant == agent.name);
            let built = match (is_built, &withdrawn[place]) {
                (true, None) => version(agent, kind).ok().flatten(),
                _ => logged.and_then(|logged| logged.built.clone()),
            };
            // The version of a participant that is away is the last known one.
            let known = known.or_else(|| logged.and_then(|logged| logged.version.clone()));
            let state = ParticipantRecord {
                agent: agent.name.clone(),
                since: logged.map_or_else(String::new, |logged| logged.since.clone()),
                built: built.filter(|built| known.as_ref() != Some(built)),
                version: known,
                absent: match &withdrawn[place] {
                    Some(Withdrawal::Absent(why)) => Some(why.clone()),
                    Some(Withdrawal::Faults(_)) | None => None,
                },
            };
            let is_usual = state.version.is_none() && state.absent.is_none();
            if logged.map_or(!is_usual, |logged| *logged != state) {
                let since = since.clone();
                records.push(Record::Participant(ParticipantRecord { since, ..state }));
            }
        }
        log.append(&records)
    }
}

/// Returns the consequence of a participant's change for the games that it has played before.
pub(super) fn mixed(name: &str, games: usize) -> String {
    match games {
        0 => String::new(),
        games => format!(
            "; its {} before the change still count, and --replay {name} plays them again",
            counted(games, "game")
        ),
    }
}
