//! The header: everything that decides what is played.

use std::borrow::Borrow;
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::{Counts, Ponder, TimeControl};
use turnwise_engine::plugin::{About, Plugin, SettledGame, UnplayableError};
use turnwise_process::isolation::Isolation;

use super::FORMAT;

/// An agent in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contestant {
    /// Its name, unique in the match.
    pub name: String,
    /// The agent, as given on the command line.
    #[serde(default)]
    pub spec: String,
    /// Where a program's files are, and where it runs if it speaks in lines; the current folder without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

/// Everything that decides what is played: the header of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings<G = GameSettings> {
    /// The version of the log's format: [`FORMAT`] in logs that this program writes.
    pub format: u32,
    /// The version of the program.
    pub turnwise: String,
    /// The game and its rules.
    #[serde(flatten)]
    pub game: G,
    /// All agents; their names are unique.
    pub agents: Vec<Contestant>,
    /// Seed: it and a pair's number determine tiles, first movers, openings, and the choices of agents that
    /// choose at random.
    pub seed: u64,
    /// Pairs of the whole match; none if it is a single game.
    pub pairs: u32,
    /// Random plies at the beginning of each game.
    #[serde(default)]
    pub opening_plies: u32,
    /// The limit of thinking.
    pub time: TimeControl,
    /// Which time is charged.
    #[serde(default)]
    pub counts: Counts,
    /// How built-in agents are reached.
    #[serde(default)]
    pub via: Via,
    /// Pairs played at the same time; 0 if the log does not say.
    #[serde(default)]
    pub jobs: usize,
    /// In a gauntlet, how many of the agents play against all the others and not each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gauntlet: Option<usize>,
    /// Of a tournament, how it is held. Who meets whom follows from that and from results, so a pair may be
    /// between any two agents and have any number, and `pairs` is what was planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<Fields>,
    /// The test that may end the match early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    /// What the users' programs may use and see, if they are not trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// Whether programs may compute while their opponents are to move.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ponder: Ponder,
    /// The maximum duration of a program's start-up outside its clock, in seconds.
    #[serde(default = "usual_start", skip_serializing_if = "is_usual_start")]
    pub start_s: f64,
    /// True if each game has its own processes.
    ///
    /// Otherwise a participant's processes stay: some processes play all first games, others all second games.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub restart: bool,
}

/// The default maximum duration of a program's start-up.
pub const START: Duration = Duration::from_secs(10);

fn usual_start() -> f64 {
    START.as_secs_f64()
}

fn is_usual_start(seconds: &f64) -> bool {
    *seconds == usual_start()
}

fn is_default(ponder: &Ponder) -> bool {
    *ponder == Ponder::default()
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}

/// Two hypotheses of a sequential test and the error rates allowed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// What the hypotheses are about.
    pub unit: Unit,
    /// The difference by the null hypothesis, H0.
    pub lower: f64,
    /// The difference by the alternative, H1; larger.
    pub upper: f64,
    /// How often H1 may be accepted although H0 is true.
    pub alpha: f64,
    /// How often H0 may be accepted although H1 is true.
    pub beta: f64,
}

impl Sprt {
    /// True if it can come to a verdict.
    pub fn is_sound(self) -> bool {
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        let is_difference = self.lower.is_finite() && self.upper.is_finite();
        is_difference && self.lower < self.upper && is_rate(self.alpha) && is_rate(self.beta)
    }
}

/// The unit of a difference in strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Logistic Elo from pairs won, drawn and lost.
    Elo,
    /// The mean difference of a pair's scores.
    Points,
}

/// How built-in agents are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// Called in this process, without a socket.
    #[default]
    Process,
    /// As daemons over loopback sockets.
    Tcp,
}

/// A header's game as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawGame {
    /// The name of a game, known to this program or not.
    pub game: String,
    /// The game's settings, and fields of the header that are not known here.
    #[serde(flatten)]
    pub fields: Fields,
}

/// A game and what is settled about it.
#[derive(Clone)]
pub struct GameSettings(pub Arc<dyn SettledGame>);

impl GameSettings {
    /// What is known of the game without its settings.
    pub fn about(&self) -> &'static About {
        self.0.about()
    }

    /// Both players' parts; the scores in the log are those of the first.
    pub fn roles(&self) -> [&'static str; 2] {
        self.about().roles
    }

    /// The game's name in texts.
    pub fn title(&self) -> &'static str {
        self.about().title
    }
}

impl fmt::Debug for GameSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {:?}", self.about().name, self.0.fields())
    }
}

impl PartialEq for GameSettings {
    fn eq(&self, other: &Self) -> bool {
        self.about().name == other.about().name && self.0.fields() == other.0.fields()
    }
}

impl Serialize for GameSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (game, fields) = (self.about().name.to_owned(), self.0.fields());
        RawGame { game, fields }.serialize(serializer)
    }
}

impl Settings {
    /// A pair of games of these agents, one after the other, with nothing special about it: what else is wanted
    /// is put in its place.
    pub fn new(game: GameSettings, agents: Vec<Contestant>, time: TimeControl) -> Self {
        Self {
            format: FORMAT,
            turnwise: env!("CARGO_PKG_VERSION").to_owned(),
            counts: game.about().counts,
            game,
            agents,
            seed: 1,
            pairs: 1,
            opening_plies: 0,
            time,
            via: Via::Process,
            jobs: 1,
            gauntlet: None,
            tournament: None,
            sprt: None,
            isolation: None,
            ponder: Ponder::default(),
            start_s: usual_start(),
            restart: true,
        }
    }

    /// A header that was read, if its game is among these and can be played by its settings.
    pub fn of(raw: Settings<RawGame>, games: &[&dyn Plugin]) -> Result<Self, UnplayableError> {
        let mut plugins = games.iter();
        let plugin = plugins.find(|plugin| plugin.about().name == raw.game.game);
        let plugin = plugin.ok_or_else(|| UnplayableError::Unknown {
            what: "the game",
            got: format!("{:?}", raw.game.game),
            expected: one_of(games.iter().map(|plugin| plugin.about().name)),
        })?;
        Ok(Settings {
            format: raw.format,
            turnwise: raw.turnwise,
            game: GameSettings(plugin.by_fields(&raw.game.fields)?),
            agents: raw.agents,
            seed: raw.seed,
            pairs: raw.pairs,
            opening_plies: raw.opening_plies,
            time: raw.time,
            counts: raw.counts,
            via: raw.via,
            jobs: raw.jobs,
            gauntlet: raw.gauntlet,
            tournament: raw.tournament,
            sprt: raw.sprt,
            isolation: raw.isolation,
            ponder: raw.ponder,
            start_s: raw.start_s,
            restart: raw.restart,
        })
    }
}

/// Names in a sentence, as in `a, b or c`.
pub fn one_of<S: Borrow<str> + Display>(names: impl IntoIterator<Item = S>) -> String {
    let names: Vec<S> = names.into_iter().collect();
    match names.split_last() {
        Some((last, [])) => last.to_string(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}
