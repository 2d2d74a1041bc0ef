//! Reads a tournament file. This is a TOML file that states the participants, the game, the format and the settings.
//! People write it by hand, so an error message about an invalid value also states which values are allowed.

mod error;
mod participant;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_arena::agents::{Kind, Spec, SpecError};
use turnwise_arena::records::{Contestant, GameSettings, START, Settings, one_of};
use turnwise_arena::settings::{LONGEST_NAME, game_settings};
use turnwise_engine::fields::Fields;
use turnwise_engine::guest::Guest;
use turnwise_engine::player::{Counts, Ponder, TimeControl};
use turnwise_engine::plugin::Plugin;
use turnwise_engine::words::{counted, is_unprintable, shortened};
use turnwise_process::isolation::Isolation;
use turnwise_ranking::pairing::Format;
use turnwise_ranking::pairing::tables::FEWEST;
use turnwise_ranking::ties::TieBreak;

use crate::held::{Heading, Held, Withdrawal, meetings};
pub use error::ClassError;
use error::not_toml;
pub(crate) use error::value;
pub use participant::ParticipantEntry;

/// The maximum number of pairs of games in one meeting of two participants.
pub const MOST_PAIRS: u32 = 1000;

/// The maximum length of a title and of the name of a class, in characters.
const LONGEST_TITLE: usize = 100;

/// The contents of a tournament file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "A file for turnwise tournament")]
pub struct ClassFile {
    /// The name of the tournament, for the heading of its page. Like `class` and `date`, it can be changed at any time.
    pub title: Option<String>,
    /// The class or course that plays, for the heading of the page.
    pub class: Option<String>,
    /// The date in the heading of the page; by default the day on which the first program took part.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub date: Option<Date>,
    /// The game's name, spelled as on the command line.
    pub game: String,
    /// The game's settings, keyed by the names of the command-line options for them.
    #[serde(default)]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub settings: toml::Table,
    /// The time control of each player.
    #[serde(default)]
    pub time: Time,
    /// How the tournament chooses opponents. By default, all participants meet once.
    #[serde(default = "round_robin")]
    pub format: Format,
    /// The number of pairs of games in each meeting.
    #[serde(default = "one")]
    pub pairs: u32,
    /// The number of plies at the beginning of each game that are chosen at random.
    #[serde(default)]
    pub openings: u32,
    /// The seed from which all openings and other random choices are derived.
    #[serde(default = "one_seed")]
    pub seed: u64,
    /// The number of faults after which a participant plays no further meetings.
    #[serde(default = "five")]
    pub faults: u32,
    /// The rules that separate participants with equal ratings, in the order in which they apply. Without them, such
    /// participants share a place.
    #[serde(default)]
    pub tie_break: Vec<TieBreak>,
    /// Whether programs are isolated. An isolated program has no network, no access to the files of others, and limited
    /// resources.
    #[serde(default)]
    #[schemars(with = "serde_json::Value", extend("enum" = [true, false, "best-effort"]))]
    pub isolate: Isolate,
    /// The maximum memory of an isolated program, in MiB.
    pub memory: Option<u64>,
    /// Whether programs may compute while their opponents are to move: `freeze` (the default) suspends them, `allow`
    /// does not.
    pub ponder: Option<Ponder>,
    /// The number of seconds that a program may take to start; they are not charged to its clock. 10 by default.
    pub start: Option<f64>,
    /// True if each program is started anew for each game, which is the default.
    pub restart: Option<bool>,
    /// The participants, in the order of the file. At least two are required.
    #[serde(rename = "participant", default)]
    pub participants: Vec<ParticipantEntry>,
}

/// A date, with or without quotes.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "Written")]
pub struct Date(toml::value::Date);

/// A date as the file contains it.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a date like 2027-01-31")]
enum Written {
    Plain(toml::value::Datetime),
    Quoted(String),
}

impl TryFrom<Written> for Date {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let at = match written {
            Written::Plain(at) => Some(at),
            Written::Quoted(text) => text.parse().ok(),
        };
        let day = at.and_then(|at: toml::value::Datetime| at.date);
        day.map(Self).ok_or("expected a date like 2027-01-31")
    }
}

/// The maximum number of rounds in a Swiss tournament, and the maximum number of meetings between two participants in a
/// round robin.
const MOST_TIMES: usize = 64;

/// The maximum number of rounds in a tournament whose games have more than two players. In each round, a participant
/// sits at one table at most.
const MOST_ROUNDS: usize = 10_000;

fn round_robin() -> Format {
    Format::RoundRobin { times: 1 }
}

fn one() -> u32 {
    1
}

fn one_seed() -> u64 {
    1
}

fn five() -> u32 {
    5
}

/// Whether programs are isolated from the machine. The file states `true`, `false` or `"best-effort"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "IsolateWord")]
pub enum Isolate {
    /// Isolates programs completely. If this machine lacks an essential part of the isolation, no program runs.
    #[default]
    Fully,
    /// Isolates programs as far as this machine supports isolation.
    BestEffort,
    /// Runs programs without isolation, as the user that started the tournament.
    No,
}

/// The value of `isolate` as the file states it: a boolean or a text. It is converted to [`Isolate`].
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected true, false or \"best-effort\"")]
enum IsolateWord {
    Whether(bool),
    Word(String),
}

impl TryFrom<IsolateWord> for Isolate {
    type Error = String;

    fn try_from(word: IsolateWord) -> Result<Self, String> {
        match word {
            IsolateWord::Whether(true) => Ok(Self::Fully),
            IsolateWord::Whether(false) => Ok(Self::No),
            IsolateWord::Word(word) if word == "best-effort" => Ok(Self::BestEffort),
            IsolateWord::Word(word) => Err(format!(
                "expected true, false or \"best-effort\", got {word:?}"
            )),
        }
    }
}

/// The time control of each player: a clock for the game, a time for each move, or a number of nodes for each move.
/// Only built-in agents can play with a number of nodes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Time {
    /// The time on each player's clock at the start of a game, in seconds; 10 by default.
    pub clock: Option<f64>,
    /// The time that is added to a player's clock after each move, in seconds.
    pub increment: Option<f64>,
    /// The time that a player has for each move, in seconds.
    pub movetime: Option<f64>,
    /// The number of nodes that a player may search for each move.
    pub nodes: Option<u64>,
    /// Whether clocks count wall time or CPU time. If programs take part and no participant is remote, the default is
    /// CPU time. Otherwise, the game's default applies.
    pub counts: Option<Counts>,
}

/// A command that builds a participant's program before the tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The participant whose program the command builds.
    pub participant: String,
    /// The folder in which the command runs.
    pub folder: PathBuf,
    /// The command, split into words: the program to run and its arguments.
    pub words: Vec<String>,
}

/// The settings that the tournament file states explicitly. When a tournament resumes, the settings that the file omits
/// are taken from the log.
#[derive(Debug, Clone, Copy, Default)]
pub struct Chosen {
    counts: Option<Counts>,
    ponder: Option<Ponder>,
    start_s: Option<f64>,
    restart: Option<bool>,
}

/// A tournament with validated settings, ready to be played.
#[derive(Debug, Clone)]
pub struct Class {
    /// The settings that are written to the header of the log.
    pub settings: Settings,
    /// The rules of the tournament: the format, the number of pairs in a meeting, and the number of faults allowed.
    pub held: Held,
    /// The settings that the file states explicitly. When a tournament resumes, the log must not override these
    /// settings.
    pub chosen: Chosen,
    /// The commands that build the participants' programs.
    pub builds: Vec<Build>,
    /// The remote participants. Their secrets are never logged.
    pub guests: Vec<Guest>,
    /// Whether programs are isolated. The log does not store this, because a machine on which the tournament resumes
    /// may support other kinds of isolation.
    pub isolate: Isolate,
}

/// Checks that the numbers in a format, for example the number of rounds, are possible with this number of
/// participants.
fn check(format: &Format, participants: usize) -> Result<(), ClassError> {
    let whole = |what: &str, number: usize, most: usize| match (1..=most).contains(&number) {
        true => Ok(()),
        false => Err(value(
            format!("[format] {what}"),
            format!("1 to {most}"),
            number.to_string(),
        )),
    };
    match *format {
        Format::RoundRobin { times } => whole("times", times as usize, MOST_TIMES),
        Format::Gauntlet { challengers } => whole("challengers", challengers, participants - 1),
        Format::Swiss { rounds } => whole("rounds", rounds.unwrap_or(1) as usize, MOST_TIMES),
        Format::Knockout {} => Ok(()),
        Format::Tables { rounds } => whole("rounds", rounds as usize, MOST_ROUNDS),
        Format::SwissIntoRoundRobin { rounds, finalists } => {
            whole("rounds", rounds as usize, MOST_TIMES)?;
            whole("finalists", finalists.saturating_sub(1), participants - 1).map_err(|_| {
                let expected = format!("2 to {participants}");
                value("[format] finalists", expected, finalists.to_string())
            })
        }
    }
}

/// Checks that a tournament at tables is possible: the game has tables for more than two players, there are enough
/// participants, and no random openings are requested. `what` is the name, for error messages, of the setting that asks
/// for tables.
pub(crate) fn check_tables(
    what: &str,
    game: &GameSettings,
    participants: usize,
    openings: u32,
) -> Result<(), ClassError> {
    let (seats, title) = (game.0.seats(), game.title());
    if seats < FEWEST {
        let expected = format!("settings with at least {FEWEST} seats at a table");
        let got = format!("{title} with {}", counted(seats, "seat"));
        return Err(value(what, expected, got));
    }
    if participants < FEWEST {
        let expected = format!("at least {FEWEST} to fill a table");
        return Err(value("participants", expected, participants.to_string()));
    }
    match openings {
        0 => Ok(()),
        // Random opening plies would be unfair, because they affect the seats differently.
        some => Err(value("openings", "0 at tables", some.to_string())),
    }
}

/// Returns the kind of time that clocks count by default. If programs take part, the default is CPU time, so
/// that no participant loses a game because the machine is busy with other work. If remote participants take part, the
/// game's default applies, because their CPU time is unknown.
fn usual_counts(game: &GameSettings, time: TimeControl, kinds: &[Kind]) -> Counts {
    let is_timed = time.nodes().is_none();
    let has_programs = kinds
        .iter()
        .any(|kind| matches!(kind, Kind::Program { .. }));
    let is_known = !kinds.iter().any(Kind::is_remote);
    match is_timed && has_programs && is_known {
        true => Counts::Cpu,
        false => game.about().counts,
    }
}

/// Describes a format in words.
pub fn in_words(format: &Format) -> String {
    match *format {
        Format::RoundRobin { times: 1 } => "round robin".to_owned(),
        Format::RoundRobin { times: 2 } => "double round robin".to_owned(),
        Format::RoundRobin { times } => format!("round robin, {times} times"),
        Format::Gauntlet { challengers } => {
            format!("gauntlet of {}", counted(challengers, "challenger"))
        }
        Format::Swiss { rounds: None } => "Swiss".to_owned(),
        Format::Swiss {
            rounds: Some(rounds),
        } => format!("Swiss, {}", counted(rounds, "round")),
        Format::Knockout {} => "knockout".to_owned(),
        Format::SwissIntoRoundRobin { rounds, finalists } => format!(
            "Swiss, {}, then a round robin of the best {finalists}",
            counted(rounds, "round")
        ),
        Format::Tables { rounds } => format!("tables, {}", counted(rounds, "round")),
    }
}

impl ClassFile {
    /// Parses the text of a tournament file.
    ///
    /// # Errors
    ///
    /// Returns an error that states the line if the text is not valid TOML or has other fields.
    pub fn parse(text: &str) -> Result<Self, ClassError> {
        toml::from_str(text).map_err(|error| not_toml(text, error))
    }

    /// Validates the settings and returns the tournament. `folder` is the folder that contains the file; the folders of
    /// the participants are relative to it.
    ///
    /// # Errors
    ///
    /// Returns an error if the tournament cannot be played with these settings.
    pub fn settle(&self, folder: &Path, games: &[Plugin]) -> Result<Class, ClassError> {
        let game = self.game(games)?;
        if self.participants.len() < 2 {
            let got = self.participants.len().to_string();
            return Err(value("participants", "at least two [[participant]]", got));
        }
        if !(1..=MOST_PAIRS).contains(&self.pairs) {
            let expected = format!("1 to {MOST_PAIRS}");
            return Err(value("pairs", expected, self.pairs.to_string()));
        }
        if self.faults == 0 {
            return Err(value("faults", "at least 1", "0"));
        }
        check(&self.format, self.participants.len())?;
        if let Format::Tables { .. } = self.format {
            let what = "[format] kind = \"tables\"";
            check_tables(what, &game, self.participants.len(), self.openings)?;
        }
        let mut names = HashSet::new();
        let (mut agents, mut kinds) = (Vec::new(), Vec::new());
        let (mut builds, mut guests) = (Vec::new(), Vec::new());
        for entry in &self.participants {
            let name = shortened(entry.shown_name(), LONGEST_NAME);
            let wrong = |why: String| ClassError::Participant(name.clone(), why);
            let has_length = (1..=LONGEST_NAME).contains(&entry.name.chars().count());
            if !has_length || entry.name.contains(is_unprintable) {
                return Err(wrong(format!(
                    "expected a name of 1 to {LONGEST_NAME} characters without control characters"
                )));
            }
            if !names.insert(&entry.name) {
                return Err(wrong("the name occurs twice".into()));
            }
            if entry.remote && !game.about().has_daemons {
                let title = game.title();
                return Err(wrong(format!(
                    "{title} has no wire for daemons: expected an agent or a program, not remote"
                )));
            }
            guests.extend(entry.guest().map_err(wrong)?);
            let home = entry
                .home(folder, self.isolate != Isolate::No)
                .map_err(wrong)?;
            let text = entry.spec().map_err(wrong)?;
            let spec = Spec::read(game.about(), &text);
            let spec = spec.map_err(|cause: SpecError| wrong(cause.to_string()))?;
            if spec.folder.is_some() {
                let expected = "expected its folder as `folder`, got folder= in its command";
                return Err(wrong(expected.to_owned()));
            }
            agents.push(Contestant {
                name: entry.name.clone(),
                spec: spec.kind.to_string(),
                folder: entry.folder.clone(),
            });
            kinds.push(spec.kind);
            if let Some(command) = &entry.build {
                builds.push(Build {
                    participant: entry.name.clone(),
                    words: words(command).map_err(wrong)?,
                    folder: home,
                });
            }
        }
        let held = Held {
            format: self.format,
            pairs: self.pairs,
            faults: self.faults,
            tie_break: self.tie_break.clone(),
            heading: self.heading()?,
        };
        if !held.has_numbers(agents.len()) {
            let expected = format!("fewer with {} participants", agents.len());
            return Err(value("pairs", expected, self.pairs.to_string()));
        }
        let time = self.time.control()?;
        let chosen = Chosen {
            counts: self.time.counts,
            ponder: self.ponder,
            start_s: self.start,
            restart: self.restart,
        };
        let counts = usual_counts(&game, time, &kinds);
        let mut settings = Settings {
            counts: chosen.counts.unwrap_or(counts),
            seed: self.seed,
            opening_plies: self.openings,
            jobs: 0,
            tournament: Some(Fields::of(&held)),
            isolation: self.isolation(),
            ponder: chosen.ponder.unwrap_or(Ponder::Freeze),
            start_s: chosen.start_s.unwrap_or(START.as_secs_f64()),
            restart: chosen.restart.unwrap_or(true),
            ..Settings::new(game, agents, time)
        };
        let seats = settings.game.0.seats();
        let planned = meetings(&self.format, settings.agents.len(), seats);
        let planned = u32::try_from(planned).unwrap_or(u32::MAX);
        settings.pairs = planned.saturating_mul(self.pairs);
        settings.check()?;
        Ok(Class {
            settings,
            held,
            chosen,
            builds,
            guests,
            isolate: self.isolate,
        })
    }

    fn heading(&self) -> Result<Heading, ClassError> {
        for (what, text) in [("title", &self.title), ("class", &self.class)] {
            let Some(text) = text else { continue };
            if text.chars().count() > LONGEST_TITLE || text.contains(is_unprintable) {
                let expected =
                    format!("at most {LONGEST_TITLE} characters without control characters");
                return Err(value(what, expected, shortened(text, LONGEST_TITLE)));
            }
        }
        Ok(Heading {
            title: self.title.clone(),
            class: self.class.clone(),
            date: self.date.map(|Date(day)| day.to_string()),
        })
    }

    fn isolation(&self) -> Option<Isolation> {
        let mut isolation = (self.isolate != Isolate::No).then(Isolation::default)?;
        if let Some(memory) = self.memory {
            isolation.memory = memory.saturating_mul(1 << 20);
        }
        Some(isolation)
    }

    fn game(&self, games: &[Plugin]) -> Result<GameSettings, ClassError> {
        let names = || one_of(games.iter().map(|game| game.about().name));
        let plugin = games.iter().find(|game| game.about().name == self.game);
        let plugin = plugin.ok_or_else(|| value("game", names(), format!("{:?}", self.game)))?;
        let text = |value: &toml::Value| match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(is_on) => is_on.to_string(),
            other => format!("{other:?}"),
        };
        let given = self.settings.iter();
        let given = given.map(|(name, value)| (name.clone(), text(value)));
        Ok(game_settings(plugin, &given.collect())?)
    }
}

impl Time {
    fn control(&self) -> Result<TimeControl, ClassError> {
        let increment = self.increment.unwrap_or_default();
        let control = match (self.clock, self.movetime, self.nodes) {
            (None, None, Some(nodes)) if self.increment.is_none() => TimeControl::Nodes { nodes },
            (None, Some(seconds), None) if self.increment.is_none() => {
                TimeControl::MoveTime { seconds }
            }
            (seconds, None, None) => TimeControl::Clock {
                seconds: seconds.unwrap_or(10.0),
                increment,
            },
            _ => {
                let expected = "one of clock (perhaps with increment), movetime and nodes";
                return Err(value("[time]", expected, "several"));
            }
        };
        Ok(control)
    }
}

fn words(command: &str) -> Result<Vec<String>, String> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    words.ok_or_else(|| format!("expected a command line as in a shell, got {command:?}"))
}

/// A tournament that resumes from the log of an earlier run.
#[derive(Debug)]
pub struct Joined {
    /// The tournament. The participants in the log come first and keep their order; new participants follow.
    pub class: Class,
    /// For each participant, the reason why it plays no further meetings, or `None` if it plays.
    pub withdrawn: Vec<Option<Withdrawal>>,
    /// Sentences that tell the user which participants are new or have left since the log was written.
    pub changes: Vec<String>,
    /// The participants that have changed since the log was written, each with a clause about the change.
    pub changed: Vec<(usize, String)>,
}

impl Class {
    /// Returns the tournament of this file as the continuation of a logged tournament; `old` contains the settings from
    /// the header of the log.
    ///
    /// Participants may have been added to the file or removed from it. All other settings must be unchanged. If the
    /// file does not state how time is counted or how programs are run, the settings of the log apply.
    ///
    /// # Errors
    ///
    /// Returns an error that names the setting that was changed.
    pub fn joined(mut self, old: &Settings) -> Result<Joined, ClassError> {
        let Chosen {
            counts,
            ponder,
            start_s,
            restart,
        } = self.chosen;
        self.settings.counts = counts.unwrap_or(old.counts);
        self.settings.ponder = ponder.unwrap_or(old.ponder);
        self.settings.start_s = start_s.unwrap_or(old.start_s);
        self.settings.restart = restart.unwrap_or(old.restart);
        let fixed = |settings: &Settings| {
            let held: Option<Held> = (settings.tournament.as_ref()).and_then(|it| it.read().ok());
            let of_held =
                |text: &dyn Fn(&Held) -> String| held.as_ref().map_or_else(String::new, text);
            let memory = |isolation: &Isolation| format!("{} MiB", isolation.memory >> 20);
            let isolation = settings.isolation.as_ref();
            let tie_break = |held: &Held| {
                let names: Vec<_> = held.tie_break.iter().map(|rule| rule.name()).collect();
                format!("[{}]", names.join(", "))
            };
            [
                ("game", in_json(&settings.game)),
                ("[time]", settings.time.to_string()),
                ("counts", format!("{:?}", settings.counts).to_lowercase()),
                ("isolate", isolation.is_some().to_string()),
                ("memory", isolation.map_or_else(String::new, memory)),
                ("ponder", format!("{:?}", settings.ponder).to_lowercase()),
                ("start", settings.start_s.to_string()),
                ("restart", settings.restart.to_string()),
                ("openings", settings.opening_plies.to_string()),
                ("seed", settings.seed.to_string()),
                ("format", of_held(&|held| in_words(&held.format))),
                ("pairs", of_held(&|held| held.pairs.to_string())),
                ("faults", of_held(&|held| held.faults.to_string())),
                ("tie-break", of_held(&tie_break)),
            ]
        };
        for ((what, now), (_, then)) in fixed(&self.settings).into_iter().zip(fixed(old)) {
            if now != then {
                return Err(value(what, format!("{then} as in the log"), now));
            }
        }
        let (mut changes, mut changed) = (Vec::new(), Vec::new());
        let mut agents = std::mem::take(&mut self.settings.agents);
        let mut all = Vec::new();
        let mut withdrawn = Vec::new();
        for before in &old.agents {
            let now = agents.iter().position(|agent| agent.name == before.name);
            let Some(at) = now else {
                changes.push(format!(
                    "{} is no longer in the file: it has left",
                    before.name
                ));
                withdrawn.push(Some(Withdrawal::Absent("left".to_owned())));
                all.push(before.clone());
                continue;
            };
            let now = agents.remove(at);
            if now != *before {
                let [then, here] = [before, &now].map(origin);
                let change = format!("{} was {then} and is {here} now", now.name);
                changed.push((all.len(), change));
            }
            withdrawn.push(None);
            all.push(now);
        }
        for new in agents {
            changes.push(format!("{} is new: it plays the missing games", new.name));
            withdrawn.push(None);
            all.push(new);
        }
        self.settings.agents = all;
        if !self.held.has_numbers(self.settings.agents.len()) {
            let got = self.settings.agents.len().to_string();
            return Err(value(
                "participants",
                "fewer, including those that left",
                got,
            ));
        }
        self.settings.check()?;
        Ok(Joined {
            class: self,
            withdrawn,
            changes,
            changed,
        })
    }
}

/// Returns the name and the settings of a game.
fn in_json(game: &GameSettings) -> String {
    let fields = serde_json::to_string(&game.0.fields()).expect("fields are JSON");
    format!("{} {fields}", game.about().name)
}

/// Returns the command of a participant and its folder.
fn origin(participant: &Contestant) -> String {
    match &participant.folder {
        Some(folder) => format!("{} in {}", participant.spec, folder.display()),
        None => participant.spec.clone(),
    }
}
