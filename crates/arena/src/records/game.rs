//! The log's record of a finished game: its players, moves, result and faults.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use turnwise_engine::fields::Fields;
use turnwise_engine::player::{FaultKind, TimeControl};
use turnwise_engine::plugin::{About, Beginning, Meaning};
use turnwise_engine::table::PUT_OUT;
use turnwise_engine::words::one_line;

use super::header::{GameSettings, Settings};
use crate::schedule::{MeetingNumber, games_of};

/// The maximum number of characters of a move that an error message quotes.
const LONGEST_MOVE: usize = 80;

/// A finished game, as a line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GameRecord<R = GameResult> {
    /// The number of the pair in the match, starting at 1.
    pub pair: u32,
    /// The number of the game in its pair, 1 or 2; in a rotation, 1 to the number of seats.
    ///
    /// In game 1 of a pair, the first agent has the first role; in game 2, the second agent has it.
    pub game: u8,
    /// The name of the pair's first agent.
    pub first: String,
    /// The name of the pair's second agent.
    pub second: String,
    /// In a rotation, the names of the other agents at the table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(!skip_serializing_if)]
    pub others: Vec<String>,
    /// In a tournament, the number of the meeting to which the game belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meeting: Option<MeetingNumber>,
    /// The result of the game, and who played which role.
    #[serde(flatten)]
    pub result: R,
    /// The seed that determines the tiles, the first mover and the opening.
    #[serde(default)]
    pub seed: u64,
    /// The random moves at the beginning of the game, which `moves` also contains.
    #[serde(default)]
    pub opening: Vec<String>,
    /// The moves of all players, in order.
    pub moves: Vec<String>,
    /// The fault that ended the game early, if any.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// In a rotation, the faults for which agents were removed from the game while the others continued, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(!skip_serializing_if)]
    pub put_out: Vec<Fault>,
    /// The wall time that each agent used in the game, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_s: Option<ByRole>,
    /// The CPU time that each agent used in the game, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<ByRole>,
    /// The CPU time that each agent's programs used while their opponents were to move, in seconds.
    ///
    /// Absent if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pondered_s: Option<ByRole>,
    /// The fault that ended the first try, if the game was played a second time.
    ///
    /// A game is played a second time if other processes used the core in the first try. The log does not contain the
    /// moves of the first try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_try: Option<Box<Fault>>,
    /// True if the game was played again later, so that this line does not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(!skip_serializing_if)]
    pub superseded: bool,
}

impl GameRecord {
    /// Creates a game with this result, without moves, faults and times.
    ///
    /// Returns `None` if the result has fewer than two players.
    pub fn of_result(pair: u32, game: u8, seed: u64, result: GameResult) -> Option<Self> {
        let mut agents = result.players.clone();
        if agents.len() == 2 && game == 2 {
            agents.reverse();
        }
        let mut agents = agents.into_iter();
        Some(Self {
            pair,
            game,
            first: agents.next()?,
            second: agents.next()?,
            others: agents.collect(),
            meeting: None,
            result,
            seed,
            opening: Vec::new(),
            moves: Vec::new(),
            fault: None,
            put_out: Vec::new(),
            used_s: None,
            cpu_s: None,
            pondered_s: None,
            first_try: None,
            superseded: false,
        })
    }

    /// Returns the reason why this game cannot be part of a match with these pairings, if any.
    ///
    /// The check covers the numbers of the pair and of the game, and the names of the agents.
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
        let between_others = || format!("game {game} of pair {pair} between other agents");
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
        let is_theirs = is_theirs && self.faults().chain(self.first_try.as_deref()).all(is_known);
        let is_allowed = !is_rotation || settings.tournament.is_some();
        (!is_theirs || !is_allowed).then(between_others)
    }

    /// Replays the game's moves under its rules, and compares the result with the logged one.
    ///
    /// # Errors
    ///
    /// Returns a description of the first illegal move, or of the difference between the results.
    pub fn check_moves(&self, settings: &Settings) -> Result<(), String> {
        let beginning = Beginning::Logged(&self.result.fields);
        let mut game = settings.game.replayed().open(beginning)?;
        let mut put_out = self.put_out.iter();
        for (ply, text) in (1..).zip(&self.moves) {
            let refused = |why| format!("ply {ply}, {}: {why}", one_line(text, LONGEST_MOVE));
            // At a table, the referee removes a player at fault, and the others play on.
            match (text == PUT_OUT).then(|| put_out.next()).flatten() {
                Some(fault) => {
                    let side = game.follow(text).map_err(refused)?.side;
                    if self.result.players.get(side) != Some(&fault.agent) {
                        return Err(format!("ply {ply} removes another player than the fault"));
                    }
                }
                None => drop(game.play(text).map_err(refused)?),
            }
        }
        if put_out.next().is_some() {
            return Err("a fault for which no player was removed".to_owned());
        }
        let at_fault = self.fault.as_ref().map(|fault| {
            let mut players = self.result.players.iter();
            let side = players.position(|player| *player == fault.agent);
            side.ok_or("a fault of an agent that is not at the table")
        });
        let at_fault = at_fault.transpose()?;
        if at_fault.is_none() && game.turn().is_some() {
            return Err(format!("it is not over after {} moves", self.moves.len()));
        }
        let (replayed, logged) = (
            settings.game.0.meaning(&game.outcome(at_fault, None))?,
            &self.result.meaning,
        );
        // Clocks may decide a draw, and the log does not contain everything that the referee's clocks measured.
        let has_clocks = matches!(settings.time, TimeControl::Clock { .. });
        let is_by_clocks = replayed.score == 0.5 && !replayed.is_won_on_board && has_clocks;
        match (replayed.score, &replayed.won) == (logged.score, &logged.won) || is_by_clocks {
            true => Ok(()),
            false => Err(format!(
                "its moves lead to a score of {}, not {}",
                replayed.score, logged.score
            )),
        }
    }

    /// Interprets the game's own fields in a raw record, under the settings `game`.
    ///
    /// The error is the reason why the record is impossible under these settings.
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
            pondered_s: raw.pondered_s,
            first_try: raw.first_try,
            superseded: raw.superseded,
        })
    }
}

impl<R> GameRecord<R> {
    /// Returns the names of the agents in the order in which the log lists them: first, second, then all others.
    pub fn agents(&self) -> impl Iterator<Item = &String> {
        [&self.first, &self.second].into_iter().chain(&self.others)
    }

    /// Returns true if the game belongs to a rotation, in which more than two agents play at a table.
    pub fn is_of_rotation(&self) -> bool {
        !self.others.is_empty()
    }

    /// Returns all faults of the game, in order.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.put_out.iter().chain(&self.fault)
    }

    /// Returns the faults that are charged to agents, which are all faults except those caused by a busy machine.
    pub fn charged_faults(&self) -> impl Iterator<Item = &Fault> {
        self.faults().filter(|fault| fault.is_charged())
    }

    /// Returns the first fault caused by a busy machine, if any.
    pub fn busy(&self) -> Option<&Fault> {
        self.faults().find(|fault| !fault.is_charged())
    }
}

/// The result of a game, and who played which role.
#[derive(Debug, Clone)]
pub struct GameResult {
    about: &'static About,
    /// The names of the agents, in the order of the game's roles; in a rotation, in the order of their meeting.
    pub players: Vec<String>,
    /// The game's own fields in the log, without the players.
    pub fields: Fields,
    /// The score, margin and ending that the game derives from `fields`.
    pub meaning: Meaning,
}

impl PartialEq for GameResult {
    fn eq(&self, other: &Self) -> bool {
        (self.about.name, &self.players, &self.fields)
            == (other.about.name, &other.players, &other.fields)
    }
}

impl GameResult {
    /// Creates a result of a game under the settings `game`. The error is the reason why the result is impossible.
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

    /// Interprets the fields of a game's result, under the settings `game`. The names of all agents are in `all`.
    ///
    /// If more than two agents play, the fields do not repeat their names.
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

    /// Returns the name of each player with its role.
    pub fn by_role(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let roles = self.roles().iter().copied();
        self.players.iter().map(String::as_str).zip(roles)
    }

    /// Returns the names of the roles, one for each player.
    pub fn roles(&self) -> &'static [&'static str] {
        self.about.roles_of(self.players.len())
    }

    /// Returns the game's score for the first role.
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

/// A number of seconds for each player, stored under the name of the player's role in lower case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(with = "BTreeMap<String, f64>")]
pub struct ByRole(Fields);

impl ByRole {
    /// Stores `seconds`, which are in the order of the game's roles.
    pub fn new(about: &'static About, seconds: &[f64]) -> Self {
        let mut fields = Fields::default();
        let roles = about.roles_of(seconds.len()).iter();
        for (role, &seconds) in roles.zip(seconds) {
            fields.push(role.to_lowercase(), seconds);
        }
        Self(fields)
    }

    /// Returns the seconds of the first two players, in the order in which they were stored.
    pub fn both(&self) -> Option<[f64; 2]> {
        Some([self.of(0)?, self.of(1)?])
    }

    /// Returns the seconds of the player with this role.
    pub fn of(&self, side: usize) -> Option<f64> {
        self.0.iter().nth(side)?.1.as_f64()
    }
}

/// A player's fault: the reason why a game ended early or continued without the player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The name of the agent at fault.
    pub agent: String,
    /// The agent's role in the game, in capital letters.
    pub role: String,
    /// The kind of the fault.
    pub kind: FaultKind,
    /// A human-readable description of the fault.
    #[serde(default)]
    pub reason: String,
    /// The text that the agent wrote to its file, as in the `output` of a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The last lines that the agent wrote to stderr.
    #[serde(default)]
    pub stderr: Vec<String>,
}

impl Fault {
    /// Returns true if the fault counts against the agent; false if the machine was too busy.
    pub fn is_charged(&self) -> bool {
        self.kind != FaultKind::Busy
    }
}
