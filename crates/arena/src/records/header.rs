//! The header of a log: all settings that determine the games.

use std::borrow::Borrow;
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use turnwise_engine::fields::Fields;
use turnwise_engine::isolation::Isolation;
use turnwise_engine::player::{Counts, Ponder, TimeControl};
use turnwise_engine::plugin::{About, AnyGame, Plugin, UnplayableError};

use super::FORMAT;

/// The maximum number of agents in a match.
pub const MOST_AGENTS: usize = 64;

/// The maximum number of agents in a tournament.
pub const MOST_PARTICIPANTS: usize = 4096;

/// An agent of the match, as the header describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contestant {
    /// The agent's name, unique in the match.
    pub name: String,
    /// The text that describes the agent on the command line.
    #[serde(default)]
    pub spec: String,
    /// The folder with a program's files. A program that communicates in lines also runs in it.
    ///
    /// If absent, the current folder is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub folder: Option<PathBuf>,
}

/// All settings that determine the games: the header of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Settings<G = GameSettings> {
    /// The version of the log's format, currently 1.
    pub format: u32,
    /// The version of turnwise that wrote the log.
    pub turnwise: String,
    /// The game and its rules.
    #[serde(flatten)]
    pub game: G,
    /// All agents of the match; their names are unique.
    pub agents: Vec<Contestant>,
    /// The seed of the match.
    ///
    /// Together with a pair's number, the seed determines tiles, first movers, openings, and the choices of agents
    /// that choose at random.
    pub seed: u64,
    /// The number of pairs in the whole match; 0 for a single game, and for games that a server arranges.
    pub pairs: u32,
    /// The number of random plies at the beginning of each game.
    #[serde(default)]
    pub opening_plies: u32,
    /// The limit on the thinking of each player, in time or in nodes.
    pub time: TimeControl,
    /// Whether players are charged for wall time or for CPU time.
    #[serde(default)]
    pub counts: Counts,
    /// How the arena communicates with built-in agents.
    #[serde(default)]
    pub via: Via,
    /// The number of pairs played at the same time; 0 if the log does not contain the number.
    #[serde(default)]
    pub jobs: usize,
    /// In a gauntlet, the number of challengers: the first agents, which play all others but not each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gauntlet: Option<usize>,
    /// The format of the tournament, if the log belongs to one.
    ///
    /// The format and the results so far determine the pairings. In a tournament, any two agents may therefore play a
    /// pair of any number, and `pairs` is the planned number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<Fields>,
    /// The sequential test that may end the match early, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    /// The limits and permissions of the programs that users provide, if these are untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// Whether programs may compute while their opponents are to move.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(!skip_serializing_if)]
    pub ponder: Ponder,
    /// The maximum time for a program to start up before its clock runs, in seconds.
    #[serde(default = "usual_start", skip_serializing_if = "is_usual_start")]
    #[schemars(!skip_serializing_if)]
    pub start_s: f64,
    /// True if each game has its own processes.
    ///
    /// Otherwise a participant's processes are kept: some play all first games of pairs, others all second
    /// games.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    #[schemars(!skip_serializing_if)]
    pub restart: bool,
}

/// The default maximum time for a program to start up.
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

/// A sequential test: its two hypotheses on the difference between two agents, and the permitted error rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sprt {
    /// The unit of the hypotheses.
    pub unit: Unit,
    /// The difference under the null hypothesis, H0.
    pub lower: f64,
    /// The difference under the alternative hypothesis, H1; larger than `lower`.
    pub upper: f64,
    /// The permitted probability of accepting H1 although H0 is true.
    pub alpha: f64,
    /// The permitted probability of accepting H0 although H1 is true.
    pub beta: f64,
}

impl Sprt {
    /// Returns true if the test can reach a verdict.
    pub fn is_sound(self) -> bool {
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        let is_difference = self.lower.is_finite() && self.upper.is_finite();
        is_difference && self.lower < self.upper && is_rate(self.alpha) && is_rate(self.beta)
    }
}

/// The unit of a difference in strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Logistic Elo, computed from the pairs won, drawn and lost.
    Elo,
    /// Points: the mean difference between the two agents' scores in a pair.
    Points,
}

/// How the arena communicates with built-in agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The arena calls the agents in its own process, without a socket.
    #[default]
    Process,
    /// The arena connects to the agents as daemons, over loopback sockets.
    Tcp,
}

/// The game that a header names, with fields that the game itself has not interpreted yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RawGame {
    /// The name of the game.
    ///
    /// It may be a game that this program does not know.
    pub game: String,
    /// The game's settings, together with all unknown fields of the header.
    #[serde(flatten)]
    pub fields: Fields,
}

/// A game with its settings, for example the board size.
#[derive(Clone)]
pub struct GameSettings(pub Arc<dyn AnyGame>);

impl GameSettings {
    /// Returns the game by whose rules logged moves are replayed.
    pub fn replayed(&self) -> Arc<dyn AnyGame> {
        self.0.replayed().unwrap_or_else(|| self.0.clone())
    }

    /// Returns the facts about the game that do not depend on its settings.
    pub fn about(&self) -> &'static About {
        self.0.about()
    }

    /// Returns the two roles of the game. Scores in the log are from the first role's point of view.
    pub fn roles(&self) -> [&'static str; 2] {
        self.about().roles
    }

    /// Returns the game's name as people read it.
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
    /// Returns the maximum number of participating agents.
    pub fn most_agents(&self) -> usize {
        match self.tournament.is_some() {
            true => MOST_PARTICIPANTS,
            false => MOST_AGENTS,
        }
    }

    /// Creates default settings for a match between these agents, with one pair and one game at a time.
    ///
    /// The caller replaces the fields that should differ.
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

    /// Interprets the game's own fields in a raw header.
    ///
    /// The header's game must be among `games` and be playable under the header's settings.
    pub fn of(raw: Settings<RawGame>, games: &[Plugin]) -> Result<Self, UnplayableError> {
        let mut plugins = games.iter();
        let plugin = plugins.find(|plugin| plugin.reads(&raw.game.game, &raw.game.fields));
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

/// Returns names as part of a sentence, as in `a, b or c`.
pub fn one_of<S: Borrow<str> + Display>(names: impl IntoIterator<Item = S>) -> String {
    let names: Vec<S> = names.into_iter().collect();
    match names.split_last() {
        Some((last, [])) => last.to_string(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}
