//! A game whose rules are a referee's, with its settings.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Deserialize;
use serde_json::{Map, Value};
use turnwise_engine::fields::Fields;
use turnwise_engine::outside::line_player;
use turnwise_engine::player::Player;
use turnwise_engine::plugin::{
    About, AgentOptions, AnyGame, AnyState, Beginning, Meaning, Registered, Resources, SET_UP,
    Seat, UnplayableError, UntypedGame,
};
use turnwise_engine::words::counted;

use crate::MANIFEST;
use crate::agents::{BuiltIn, Kind, OwnLines, processes};
use crate::contract::{self, Finding};
use crate::manifest::Manifest;
use crate::record::{self, Begun, Replay};
use crate::referee::{Referee, Referees, Source};
use crate::state::Live;
use crate::table::{Start, Table};

/// The settings of a game as the header of a log stores them.
#[derive(Deserialize)]
struct Logged {
    manifest: Manifest,
    options: Map<String, Value>,
}

/// A game with its settings.
#[derive(Clone)]
pub(crate) struct Outside {
    about: &'static About,
    manifest: Arc<Manifest>,
    options: Arc<Map<String, Value>>,
    /// The referees; `None` if the game comes from a log and can only be replayed.
    referees: Option<Arc<Referees>>,
    /// True if games that are over are only replayed, for which the views in the log suffice.
    replays: bool,
}

impl Outside {
    fn new(
        about: &'static About,
        manifest: Arc<Manifest>,
        options: Map<String, Value>,
        referees: Option<&Arc<Referees>>,
    ) -> Self {
        Self {
            about,
            manifest,
            options: Arc::new(options),
            referees: referees.cloned(),
            replays: false,
        }
    }

    fn referees(&self) -> Result<&Arc<Referees>, String> {
        let name = self.about.name;
        self.referees.as_ref().ok_or_else(|| {
            format!(
                "the rules of {name} are a program that is not part of turnwise; to play, name its folder: --game DIR"
            )
        })
    }

    fn begin(
        &self,
        seed: u64,
        seats: usize,
        shift: usize,
        position: Option<&str>,
    ) -> Result<Box<dyn AnyState>, String> {
        let (least, most) = (self.manifest.seats.least(), self.manifest.seats.most());
        if !(least..=most).contains(&seats) {
            let expected = match least == most {
                true => counted(least, "player"),
                false => format!("{least} to {most} players"),
            };
            let remedy = match least > 2 {
                true => "; --tables seats more than two",
                false => "",
            };
            return Err(format!("expected {expected}, got {seats}{remedy}"));
        }
        if position.is_some() && !self.referees()?.described()?.can("position") {
            let title = self.about.title;
            return Err(format!(
                "the referee of {title} does not have the ability `position`"
            ));
        }
        let start = Start {
            manifest: self.manifest.clone(),
            options: self.options.clone(),
            seed,
            seats,
            position: position.map(str::to_owned),
        };
        let (table, begun) = Table::begin(self.referees()?.clone(), start);
        Ok(Box::new(Live::new(table, begun, shift)))
    }
}

impl AnyGame for Outside {
    fn about(&self) -> &'static About {
        self.about
    }

    fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        let manifest = serde_json::to_value(&*self.manifest).expect("a manifest is JSON");
        fields.push("manifest", manifest);
        fields.push("options", Value::Object((*self.options).clone()));
        fields
    }

    fn resources(&self, name: &str, _options: &AgentOptions) -> Result<Resources, String> {
        let kind = Kind::named(name).ok_or_else(|| format!("no agent {name}"))?;
        match kind.objection(&self.manifest, self.referees()?.described()?) {
            Some(why) => Err(why),
            None => Ok(Box::new(kind)),
        }
    }

    fn player(&self, seat: Seat) -> io::Result<Box<dyn Player>> {
        let strange =
            |what: &str| io::Error::other(format!("{what} does not play {}", self.about.title));
        Ok(match seat {
            Seat::BuiltIn {
                name,
                options,
                resources,
                nodes: of_match,
                seed,
            } => Box::new(BuiltIn {
                kind: *resources.downcast_ref().ok_or_else(|| strange(name))?,
                nodes: options.nodes_within(of_match),
                processes: processes(options),
                random: Xoshiro256PlusPlus::seed_from_u64(seed),
            }),
            Seat::Lines { channel, .. } => {
                let lines = OwnLines {
                    wire: self.manifest.wire,
                    farewell: self.manifest.farewell.clone(),
                };
                line_player(Box::new(lines), channel)
            }
            Seat::Files { .. } => return Err(strange("a command that reads files")),
            Seat::Person(_) => return Err(strange("a person without a table")),
        })
    }

    fn open(&self, beginning: Beginning) -> Result<Box<dyn AnyState>, String> {
        match beginning {
            Beginning::Seed { seed, .. } => self.begin(seed, 2, 0, None),
            Beginning::Rotation {
                seed,
                participants,
                game,
            } => self.begin(seed, participants, game as usize % participants, None),
            // A position has no chance events before it, so any seed will do.
            Beginning::Text(text) => self.begin(0, self.manifest.seats.least(), 0, Some(text)),
            // The referee continues a logged game, and the views in the log show a game that is over.
            Beginning::Logged(result) | Beginning::Watched(result) => {
                let is_replay = self.replays || matches!(beginning, Beginning::Watched(_));
                let needed = |begun: &Begun| begun.is_running || !is_replay;
                let begun = record::begun(result).filter(|_| self.referees.is_some());
                match begun.filter(needed) {
                    Some(Begun {
                        seed, seats, shift, ..
                    }) => {
                        let position = result.get(SET_UP).and_then(Value::as_str);
                        self.begin(seed, seats, shift, position)
                    }
                    None => Ok(Box::new(Replay::new(&self.manifest, result)?)),
                }
            }
        }
    }

    fn replayed(&self) -> Option<Arc<dyn AnyGame>> {
        let replays = true;
        Some(Arc::new(Self {
            replays,
            ..self.clone()
        }))
    }
}

impl UntypedGame for Outside {
    fn conditions(&self) -> String {
        let options = self.options.iter();
        let options: Vec<String> = options
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        let title = self.about.title;
        match options.is_empty() {
            true => title.to_owned(),
            false => format!("{title} with {}", options.join(", ")),
        }
    }

    fn place(&self) -> String {
        self.conditions()
    }

    fn seats(&self) -> usize {
        self.manifest.seats.most()
    }

    fn meaning(&self, result: &Fields) -> Result<Meaning, String> {
        record::meaning(&self.manifest, result)
    }
}

/// A game in a folder, or a game of the adapter in a folder, before its settings are fixed.
pub struct Folder {
    about: &'static About,
    manifest: Arc<Manifest>,
    referees: Arc<Referees>,
}

impl Folder {
    /// Creates the game in the folder `path`, whose [`MANIFEST`] has this text. In the folder of an adapter, `name` selects
    /// one of the adapter's games, and the adapter starts and describes the game.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is no valid manifest, or if the adapter does not know the name.
    pub fn new(path: &Path, name: Option<&str>, text: &str) -> Result<Self, String> {
        let file = path.join(MANIFEST);
        let wrong = |why: String| format!("{}: {}", file.display(), why.trim_end());
        let manifest: Manifest = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let mut words = manifest.command.clone();
        if words.is_empty() {
            return Err(wrong(
                "command: expected the referee's program and its arguments".to_owned(),
            ));
        }
        words.extend(name.map(str::to_owned));
        let folder = path
            .canonicalize()
            .map_err(|error| wrong(error.to_string()))?;
        let source = Source { folder, words };
        let (manifest, described) = match (manifest.name.is_empty(), name) {
            (false, None) => (manifest, None),
            (true, Some(name)) => {
                let described =
                    Referee::describe(&source).map_err(|why| format!("{name}: {why}"))?;
                let about = described.about.clone();
                let about =
                    about.ok_or_else(|| format!("expected `about` from the adapter for {name}"))?;
                (about, Some(described))
            }
            (true, None) => {
                return Err(wrong(
                    "expected the name of a game of this adapter: --game FOLDER:NAME".to_owned(),
                ));
            }
            (false, Some(_)) => {
                return Err(wrong(
                    "it is no adapter; expected its folder without `:NAME`".to_owned(),
                ));
            }
        };
        let manifest = manifest.checked().map_err(wrong)?;
        Ok(Self {
            about: manifest.about()?,
            manifest: Arc::new(manifest),
            referees: Arc::new(Referees::new(source, described)),
        })
    }

    /// Checks the game's referee. `given` returns the text that the user gave for a setting. Reports each finding to
    /// `told`, and returns true if nothing failed.
    pub fn check(
        &self,
        given: &dyn Fn(&str) -> Option<String>,
        told: &mut dyn FnMut(Finding),
    ) -> bool {
        let options = self.manifest.options(given);
        contract::check(&self.manifest, &self.referees.source, &options, told)
    }
}

impl Registered for Folder {
    fn about(&self) -> &'static About {
        self.about
    }

    fn by_options(
        &self,
        given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn AnyGame>, String> {
        let options = self.manifest.options(given);
        self.manifest.check_options(&options)?;
        let (manifest, referees) = (self.manifest.clone(), Some(&self.referees));
        Ok(Arc::new(Outside::new(
            self.about, manifest, options, referees,
        )))
    }

    fn by_fields(&self, fields: &Fields) -> Result<Arc<dyn AnyGame>, UnplayableError> {
        let Logged { manifest, options } = read(fields)?;
        if manifest.version != self.manifest.version {
            return Err(UnplayableError::Unknown {
                what: "the version of the game",
                got: manifest.version,
                expected: format!(
                    "version {}, which the folder contains",
                    self.manifest.version
                ),
            });
        }
        self.manifest
            .check_options(&options)
            .map_err(UnplayableError::Malformed)?;
        let (manifest, referees) = (self.manifest.clone(), Some(&self.referees));
        Ok(Arc::new(Outside::new(
            self.about, manifest, options, referees,
        )))
    }
}

/// Returns true if these are the settings of a game whose rules are a program. It may have the name of a built-in game.
fn is_outside(fields: &Fields) -> bool {
    fields.get("manifest").is_some()
}

/// Reads the logs of all games whose rules are programs. The games can be replayed, but not played.
pub(crate) struct FromLogs;

impl Registered for FromLogs {
    fn about(&self) -> &'static About {
        static ABOUT: OnceLock<&About> = OnceLock::new();
        ABOUT.get_or_init(|| {
            let empty = "name = \"a game in a folder\"";
            let manifest: Manifest = toml::from_str(empty).expect("a manifest");
            manifest.kept()
        })
    }

    fn by_options(
        &self,
        _given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn AnyGame>, String> {
        Err("expected the folder of a game".to_owned())
    }

    fn by_fields(&self, fields: &Fields) -> Result<Arc<dyn AnyGame>, UnplayableError> {
        let Logged { manifest, options } = read(fields)?;
        let about = manifest.about().map_err(UnplayableError::Malformed)?;
        Ok(Arc::new(Outside::new(
            about,
            Arc::new(manifest),
            options,
            None,
        )))
    }

    fn reads(&self, _name: &str, fields: &Fields) -> bool {
        is_outside(fields)
    }
}

/// Reads and checks the settings in the header of a log.
fn read(fields: &Fields) -> Result<Logged, UnplayableError> {
    let read: Result<Logged, _> = fields.read();
    let Logged { manifest, options } =
        read.map_err(|error| UnplayableError::Malformed(error.to_string()))?;
    let manifest = manifest.checked().map_err(UnplayableError::Malformed)?;
    manifest
        .check_options(&options)
        .map_err(UnplayableError::Malformed)?;
    Ok(Logged { manifest, options })
}
