//! The lines of an arena's log: what the arena writes, and what resuming and reporting read.
//!
//! A log is JSON lines: a header, then moves and games, and an end if the match came to one. A
//! reader passes over fields that it does not know; what is optional may be absent or null. Times of
//! moves and games are left out where nothing depends on them, so that matches without clocks are the
//! same byte for byte.
//!
//! What is read first is raw: the fields that are the game's own are understood with the game's help
//! ([`Settings::of`], [`GameRecord::of`]), and only then can a log be used.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::{Counts, FaultKind, TimeControl};
use turnwise_engine::plugin::{About, Meaning, Plugin, SettledGame, UnplayableError};
use turnwise_process::isolation::Isolation;

use crate::schedule::{MeetingNumber, games_of};

/// The format's number, in the header.
pub const FORMAT: u32 = 1;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Record<G = GameSettings, R = GameResult> {
    /// The first line: what is played, and how.
    Match(Settings<G>),
    /// In a tournament, a meeting that is to be played.
    Draw(DrawRecord),
    /// One move of a player; all moves of a game stand before the game's own line.
    Move(MoveRecord),
    /// A game that is over; its moves come before it.
    Game(GameRecord<R>),
    /// The match came to its end or was interrupted by its user.
    End(EndRecord),
}

/// A meeting of a tournament that is to be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRecord {
    /// The name of the first of the two participants.
    pub first: String,
    /// The name of the second; without it the first has a bye.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// Whom besides, at a table of more than two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Which meeting it is.
    pub meeting: MeetingNumber,
}

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

/// A line as it was read.
pub type RawRecord = Record<RawGame, Fields>;

/// Reads a line of a log. Moves, which are most of it, are read without looking for their kind first, which
/// takes a third of the time.
///
/// # Errors
///
/// If it is no record.
pub fn read_line(line: &[u8]) -> serde_json::Result<RawRecord> {
    const MOVE: &[u8] = b"{\"event\":\"move\",";
    const KIND: &[u8] = b"\"event\"";
    const ESCAPE: &[u8] = b"\\u00";
    // What says its kind twice is no record, nor is it if its letters are escaped.
    let may_be_kind = |part: &[u8]| part == KIND || part.starts_with(ESCAPE);
    match line.strip_prefix(MOVE) {
        Some(rest) if !rest.windows(KIND.len()).any(may_be_kind) => {
            serde_json::from_slice(line).map(Record::Move)
        }
        _ => serde_json::from_slice(line),
    }
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

/// How a game ended, and who played it.
#[derive(Debug, Clone)]
pub struct GameResult {
    about: &'static About,
    /// The agents in the order of the game's roles; of a rotation, in that of their meeting.
    pub players: Vec<String>,
    /// What the log keeps of it besides the players.
    pub fields: Fields,
    /// The score, margin and ending that the game reads in `fields`.
    pub meaning: Meaning,
}

impl PartialEq for GameResult {
    fn eq(&self, other: &Self) -> bool {
        (self.about.name, &self.players, &self.fields)
            == (other.about.name, &other.players, &other.fields)
    }
}

impl GameResult {
    /// A result of a game by these rules, or why it cannot be one.
    pub fn new(game: &GameSettings, players: Vec<String>, fields: Fields) -> Result<Self, String> {
        let meaning = game.0.meaning(&fields)?;
        let is_of_all = match players.len() {
            2 => [0, 2].contains(&meaning.won.len()),
            more => meaning.won.len() == more,
        };
        if !is_of_all {
            return Err("it is a game of another number of players".to_owned());
        }
        Ok(Self {
            about: game.about(),
            players,
            meaning,
            fields,
        })
    }

    /// A result that was read, of a game between these; of more than two, nobody is named again in it.
    fn of(mut fields: Fields, game: &GameSettings, all: Vec<String>) -> Result<Self, String> {
        if all.len() > 2 {
            return Self::new(game, all, fields);
        }
        let mut player = |key: String| match fields.take(&key) {
            Some(serde_json::Value::String(name)) => Ok(name),
            _ => Err("it is a game of another kind".to_owned()),
        };
        let [first, second] = game.about().keys();
        let players = vec![player(first)?, player(second)?];
        Self::new(game, players, fields)
    }

    /// The players and their roles.
    pub fn by_role(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let roles = self.roles().iter().copied();
        self.players.iter().map(String::as_str).zip(roles)
    }

    /// The names of the roles, as many as there are players.
    pub fn roles(&self) -> &'static [&'static str] {
        self.about.roles_of(self.players.len())
    }

    /// The score of the first role.
    pub fn score(&self) -> f64 {
        self.meaning.score
    }
}

impl Serialize for GameResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let two = self.players.iter().filter(|_| self.players.len() == 2);
        for (key, player) in self.about.keys().iter().zip(two) {
            map.serialize_entry(key, player)?;
        }
        for (name, value) in self.fields.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl GameRecord {
    /// What is wrong with it as a game of this match, whose pairings these are, if anything is: its number,
    /// or whose game it is.
    pub(crate) fn objection(
        &self,
        settings: &Settings,
        pairings: &[(usize, usize)],
    ) -> Option<String> {
        let (pair, game) = (self.pair, self.game);
        let is_planned = settings.tournament.is_some() || pair <= settings.pairs.max(1);
        let games = games_of(settings, self.others.len());
        if pair == 0 || !is_planned || !(1..=games).contains(&game) {
            return Some(format!("game {game} of pair {pair}"));
        }
        let between_others = || format!("game {game} of pair {pair} between others");
        let names = if settings.tournament.is_some() {
            let names = [&self.first, &self.second];
            let is_agent = |name: &String| settings.agents.iter().any(|agent| agent.name == *name);
            let all: BTreeSet<&String> = self.agents().collect();
            if all.len() != self.others.len() + 2 || !all.into_iter().all(is_agent) {
                return Some(between_others());
            }
            names
        } else {
            let (first, second) = pairings[(pair as usize - 1) % pairings.len()];
            [first, second].map(|place| &settings.agents[place].name)
        };
        let is_rotation = !self.others.is_empty();
        let mut players: Vec<&String> = self.result.players.iter().collect();
        if game == 2 && !is_rotation {
            players.reverse();
        }
        let is_theirs = self.agents().eq(players) && [&self.first, &self.second] == names;
        let is_known = |fault: &Fault| self.agents().any(|agent| *agent == fault.agent);
        let is_theirs = is_theirs && self.faults().all(is_known);
        let is_allowed = !is_rotation || settings.tournament.is_some();
        (!is_theirs || !is_allowed).then(between_others)
    }

    /// A game that was read, of a match of this game, or why it cannot be one.
    pub fn of(raw: GameRecord<Fields>, game: &GameSettings) -> Result<Self, String> {
        let all = raw.agents().cloned().collect();
        Ok(GameRecord {
            pair: raw.pair,
            game: raw.game,
            first: raw.first,
            second: raw.second,
            others: raw.others,
            meeting: raw.meeting,
            result: GameResult::of(raw.result, game, all)?,
            seed: raw.seed,
            opening: raw.opening,
            moves: raw.moves,
            fault: raw.fault,
            put_out: raw.put_out,
            used_s: raw.used_s,
            cpu_s: raw.cpu_s,
        })
    }
}

impl<R> GameRecord<R> {
    /// The agents in the order of their meeting.
    pub fn agents(&self) -> impl Iterator<Item = &String> {
        [&self.first, &self.second].into_iter().chain(&self.others)
    }

    /// True if more than two sat at the table.
    pub fn is_of_rotation(&self) -> bool {
        !self.others.is_empty()
    }

    /// All faults of the game, in their order.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.put_out.iter().chain(&self.fault)
    }
}

/// Seconds of each player, by the names of the roles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByRole(Fields);

impl ByRole {
    /// All in the order of the game's roles.
    pub fn new(about: &'static About, seconds: &[f64]) -> Self {
        let mut fields = Fields::default();
        let roles = about.roles_of(seconds.len()).iter();
        for (role, &seconds) in roles.zip(seconds) {
            fields.push(role.to_lowercase(), seconds);
        }
        Self(fields)
    }

    /// Both in the order in which they were written.
    pub fn both(&self) -> Option<[f64; 2]> {
        let mut values = self.0.iter().map(|(_, value)| value.as_f64());
        Some([values.next()??, values.next()??])
    }
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

/// One move of a player, as a line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The pair's number, from 1 over the whole match.
    pub pair: u32,
    /// 1 or 2 within the pair; 1 to the number of seats within a rotation.
    pub game: u8,
    /// The move's number in the game, from 1; both players' moves count.
    pub ply: u32,
    /// Who moves, in capital letters.
    pub role: String,
    /// The name of the agent that moves.
    pub agent: String,
    /// The letter of the tile to place, in games that have tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<String>,
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// Of a command that answers by a file what it wrote, as it stood there but for bytes that are no
    /// UTF-8, and cut if it was long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Time left on the clock before the move, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_left_s: Option<f64>,
    /// The time meant for the move, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_ms: Option<f64>,
    /// The most the move was allowed to take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_ms: Option<f64>,
    /// The time it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<f64>,
    /// The CPU time it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    /// The deepest completed iteration, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions visited in the search for this move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The final score of the first role that the agent expects, where it can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The value by which the agent has chosen the move, always from the side of the first role, in
    /// points of its evaluation. Logs of earlier versions have it as `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The name of the agent's weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// A game that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord<R = GameResult> {
    /// The pair's number, from 1 over the whole match.
    pub pair: u32,
    /// 1: the pair's first agent has the first role; 2: its second one has. In a rotation, 1 to the number of seats.
    pub game: u8,
    /// The pair's first agent.
    pub first: String,
    /// The pair's second agent.
    pub second: String,
    /// Of a rotation, the agents at the table besides these two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// In a tournament, which meeting it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meeting: Option<MeetingNumber>,
    /// Who played what, and how it ended.
    #[serde(flatten)]
    pub result: R,
    /// Determines tiles, first mover and opening.
    #[serde(default)]
    pub seed: u64,
    /// The random moves that the game began with; `moves` begins with them.
    #[serde(default)]
    pub opening: Vec<String>,
    /// All moves of all players.
    pub moves: Vec<String>,
    /// Why the game ended before its time.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// Of a rotation, whose fault put them out while the others played on, in that order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put_out: Vec<Fault>,
    /// Wall time of each, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_s: Option<ByRole>,
    /// CPU time of each, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<ByRole>,
}

/// Why a game ended before its time, or went on without somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Whose fault it was.
    pub agent: String,
    /// Its role in the game, in capital letters.
    pub role: String,
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened, in words for people.
    #[serde(default)]
    pub reason: String,
    /// What the agent had written into its file, as in [`MoveRecord::output`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The last lines the agent wrote to stderr.
    #[serde(default)]
    pub stderr: Vec<String>,
}

/// How the match ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndRecord {
    /// How many pairs were played.
    #[serde(default)]
    pub pairs: u32,
    /// The verdict, in words.
    #[serde(default)]
    pub verdict: Option<String>,
}
