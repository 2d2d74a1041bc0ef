//! Reports on an arena's logs: standings, charts and replays. This crate does not depend on any particular game.
//!
//! In WebAssembly, this crate only reads logs and converts them for pages: it draws no charts.
//!
//! | module | contents |
//! |---|---|
//! | [`logs`] | reading a log |
//! | [`merging`] | reading several logs as one match |
//! | [`played`] | the games, reduced to the data that figures need |
//! | [`luck`] | how much of a result was luck |
//! | [`standings`] | which agent is stronger, by how much, and with what confidence |
//! | [`rotations`] | the results of games with more than two players |
//! | [`ranking`] | the ranking of a tournament |
//! | [`tables`] | tables of standings, pairings and faults |
//! | [`replay`] | the positions of a logged game |
//! | [`charts`] | the charts as SVG |
//! | [`page`] | one HTML page with the whole report |
//!
//! The results of the agents of a log, the best agent first:
//!
//! ```
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/0.1.0/class.jsonl");
//! use std::fs::File;
//! use std::io::BufReader;
//!
//! use turnwise_games::GAMES;
//! use turnwise_report::{logs, merge, standings::standings};
//!
//! let log = logs::read(BufReader::new(File::open(path)?), GAMES)?;
//! // A match may be continued in several logs.
//! for whole in merge([("match.jsonl".to_owned(), log)]) {
//!     for standing in standings(&whole) {
//!         println!("{}: {} games, {} faults", standing.agent, standing.games, standing.faults);
//!     }
//! #   assert!(standings(&whole).len() > 1);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Only the charts use some functions of the other modules.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

#[cfg(not(target_family = "wasm"))]
pub mod charts;
pub mod logs;
pub mod luck;
pub mod merging;
pub mod page;
pub mod played;
pub mod ranking;
pub mod replay;
pub mod rotations;
pub mod standings;
pub mod tables;

use std::collections::HashMap;
use std::sync::OnceLock;

use logs::{Game, Participation};
pub use merging::merge;
use played::Played;
use ranking::Ranking;
use turnwise_arena::records::{GameRecord, Settings};
use turnwise_arena::standings::Standings;
use turnwise_engine::player::{Counts, TimeControl};
use turnwise_engine::words::{counted, printable};

/// The maximum number of agents for which the commands of a match's agents are listed.
const MOST_NAMED: usize = 64;

/// A match: its settings and its games, read from one or more logs.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The settings in the header of the first log.
    pub header: Settings,
    /// The names of the logs that form this match, in the order in which they were merged.
    pub sources: Vec<String>,
    /// The games, sorted by pair number, and then by game number within the pair.
    pub games: Vec<Played>,
    /// The states of a tournament's participants, in the order of the logs.
    pub participations: Vec<Participation>,
    /// Notes for the user about data in the logs that could not be used.
    pub notes: Vec<String>,
    /// The indices of the agents in the header, keyed by the agent's name.
    places: HashMap<String, u32>,
    ranking: OnceLock<Option<Ranking>>,
}

impl Match {
    /// Creates a match that has no games yet.
    pub fn new(header: Settings) -> Self {
        let names = header.agents.iter().map(|agent| agent.name.clone());
        let places = names.zip(0..).collect();
        Self {
            header,
            sources: Vec::new(),
            games: Vec::new(),
            participations: Vec::new(),
            notes: Vec::new(),
            places,
            ranking: OnceLock::new(),
        }
    }

    /// Adds a game that has just been played. Its agents must be in the header.
    pub fn add(&mut self, record: &GameRecord) {
        self.ranking.take();
        let game = self.summarized(record, (0, self.games.len() as u32));
        let is_before = |other: &Played| other.number() < game.number();
        let at = self.games.partition_point(is_before);
        self.games.insert(at, game);
    }

    fn summarized(&self, record: &GameRecord, order: (u32, u32)) -> Played {
        // Every name is found, because the reader of a log rejects games of agents that the header does not list.
        let place = |name: &str| self.place(name).unwrap_or(0) as u32;
        Played::of(record, self.header.game.about(), place, order)
    }

    /// Returns the games that were kept with their full records, in order; of the other games, only the figures
    /// ([`Played`]) remain.
    pub fn whole_games(&self) -> impl Iterator<Item = &Game> {
        self.games.iter().filter_map(|game| game.whole.as_deref())
    }

    /// Returns the number of faults charged to each agent; the agents are in the order of the header.
    pub(crate) fn charged_faults(&self) -> Vec<usize> {
        let mut counts = vec![0; self.header.agents.len()];
        let faults = self.games.iter().flat_map(Played::faults);
        for fault in faults.filter(|fault| fault.is_charged) {
            if let Some(place) = self.place(&fault.agent) {
                counts[place] += 1;
            }
        }
        counts
    }

    /// Returns the index in the header of the agent with this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).map(|&place| place as usize)
    }

    /// Sets the luck of a set of games. Each entry consists of the index of a game among
    /// [`whole_games`](Self::whole_games) and the luck in that game.
    pub fn set_luck(&mut self, luck: impl IntoIterator<Item = (usize, Option<f64>)>) {
        let games = self.games.iter_mut();
        let mut games: Vec<&mut Game> =
            games.filter_map(|game| game.whole.as_deref_mut()).collect();
        for (at, luck) in luck {
            games[at].luck = luck;
        }
    }

    /// Returns the name of the agent with this index in the header.
    pub(crate) fn name(&self, place: u32) -> &str {
        &self.header.agents[place as usize].name
    }

    /// Returns the verdict on which agent is stronger, in the words that the arena prints; `None` for a tournament.
    pub fn verdict(&self) -> Option<String> {
        if self.header.tournament.is_some() || self.header.agents.len() < 2 {
            return None;
        }
        let pairs = standings::pairs(self).map(|pair| ([pair.first, pair.second], pair.result));
        Some(Standings::of(&self.header, pairs).verdict())
    }

    /// Returns the ranking of a tournament; `None` for other matches. The first call computes the ranking from the
    /// games added so far, which takes half a second for a thousand participants. Later calls return the stored ranking.
    pub fn ranking(&self) -> Option<&Ranking> {
        self.ranking.get_or_init(|| ranking::ranking(self)).as_ref()
    }

    /// Returns true if this is a tournament whose games have more than two players.
    pub fn is_at_tables(&self) -> bool {
        let held = self.header.tournament.as_ref();
        let kind = held.and_then(|held| held.get("format")?.get("kind"));
        kind.is_some_and(|kind| kind == "tables")
    }

    /// Returns a title for the match: the agents' names, or for a tournament the title in its file, by default the number
    /// of participants.
    pub fn title(&self) -> String {
        if self.header.tournament.is_some() {
            let participants = counted(self.header.agents.len(), "participant");
            let usual = || format!("A tournament of {participants}");
            return self.heading("title").unwrap_or_else(usual);
        }
        let names: Vec<&str> = (self.header.agents.iter())
            .map(|agent| agent.name.as_str())
            .collect();
        names.join(" against ")
    }

    /// Returns the class that plays a tournament, and the date; empty if the log has neither. If the tournament's file
    /// states no date, this is the day on which the first program took part.
    pub fn occasion(&self) -> String {
        let states = self.participations.iter().map(|state| &state.record.since);
        let day = || states.min()?.split('T').next().map(str::to_owned);
        let date = self.heading("date").or_else(day);
        let parts: Vec<String> = [self.heading("class"), date]
            .into_iter()
            .flatten()
            .collect();
        parts.join(", ")
    }

    /// Returns a text of the heading of a tournament.
    fn heading(&self, name: &str) -> Option<String> {
        let text = self.header.tournament.as_ref()?.get(name)?.as_str()?;
        Some(printable(text))
    }

    /// Describes each agent whose name differs from its command, as "its name is its command". Empty if the match has too
    /// many agents.
    pub(crate) fn commands(&self) -> Vec<String> {
        let all = &self.header.agents;
        let is_short = all.len() <= MOST_NAMED;
        (all.iter())
            .filter(|agent| is_short && agent.spec != agent.name)
            .map(|agent| format!("{} is {}", agent.name, agent.spec))
            .collect()
    }

    /// Describes the game, the time control, the number of games and the agents in words.
    pub fn conditions(&self) -> String {
        let agents = self.commands();
        [self.setting()]
            .into_iter()
            .chain(agents)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Describes the game, the time control and the number of games in words.
    pub(crate) fn setting(&self) -> String {
        let header = &self.header;
        let time = header.time;
        let clock = match (header.counts, header.time) {
            (Counts::Wall, _) | (_, TimeControl::Nodes { .. }) => "",
            (Counts::Cpu, _) => " of CPU time",
        };
        let opening = match header.opening_plies {
            0 => String::new(),
            1 => ", 1 random ply at the start".to_owned(),
            plies => format!(", {plies} random plies at the start"),
        };
        let game = header.game.0.conditions();
        format!(
            "{game}, {time}{clock}{opening}; {games}",
            games = counted(self.games.len(), "game"),
        )
    }
}
